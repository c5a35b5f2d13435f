"""LS001: a union's tag only repeats what the rest of the object says."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.derivation import derivation_of
from pratique.lint.fixing.python_text import class_name
from pratique.lint.fixing.unified import fix_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    del settings
    for part in subject.parts:
        for spot in part.view.unions:
            found = derivation_of(part.view.object_arms(spot.node))
            if found is None:
                continue
            doubled = "" if found.is_exact else "; a list of one may be tagged either way"
            is_presence = found.how == "presence"
            yield Remark(
                part, spot.place,
                f'the tag "{found.tag}" only repeats {found.words}; the arms share all other fields{doubled}',
                _HELP.format(found.tag) + (_UNLESS if is_presence else ""),
                Level.WARN if is_presence else None,
                fix=fix_of(found, _name(spot.path)),
            )  # fmt: skip


_HELP = 'take "{}" out and derive it; --fix prints the unified type and a converter for old payloads'
_UNLESS = "; keep it where it says more than the key's presence does"


def _name(path: str) -> str:
    """Name a type by the way to it: ``$.steps[]`` holds a ``Step``."""
    last = path.rpartition(".")[2]
    return "" if path == "$" else class_name(last, singular="[" in last)


_COMMAND = {
    "type": "object",
    "properties": {"program": {"type": "string"}, "args": {"type": "array", "items": {"type": "string"}}},
    "required": ["program"],
}
_SINGLE = {
    "type": "object",
    "properties": {"type": {"const": "command"}, "commands": {"type": "array", "items": _COMMAND, "maxItems": 1,
                                                             "minItems": 1}},
    "required": ["type", "commands"],
}  # fmt: skip
_PIPELINE = {
    "type": "object",
    "properties": {"type": {"const": "pipeline"}, "commands": {"type": "array", "items": _COMMAND, "minItems": 2}},
    "required": ["type", "commands"],
}

RULE = Rule(
    code="LS001",
    name="derivable-discriminator",
    level=Level.ERROR,
    title="a union's tag only repeats what the rest of the object says",
    why="The producer has to make a choice that nothing depends on, and can make it wrong: a reply that is sound but "
    "for its tag is refused. With one shape the mistake cannot be written down. Derive, don't discriminate.",
    help="make it one type without the tag, and derive in the consumer what the tag said",
    evidence=(
        "source 001: a model that knew the schema wrote a pipeline of one command, and minItems refused it",
        "shellicar/mcp-exec pull request 10: the union was replaced by one list of commands",
    ),
    bad={"anyOf": [_SINGLE, _PIPELINE]},
    good={
        "type": "object",
        "properties": {"commands": {"type": "array", "items": _COMMAND, "minItems": 1}},
        "required": ["commands"],
    },
    check=_check,
    judgement="Where the presence of a key tells the tag, it is a warning: the tag may mean more to people (a card's "
    "brand) than the schema shows. A tag of words for an act or a decision (approve, delete, skip) is left alone "
    "there: forgetting the key would then do something else.",
)
