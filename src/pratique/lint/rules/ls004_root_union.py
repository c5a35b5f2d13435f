"""LS004: the root of the schema is a union."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.terms.schema_document import Place

__all__ = ["RULE"]

_UNIONS = ("anyOf", "oneOf", "allOf")


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at the text, not at nodes: providers refuse the keyword. Not a contract: compiling boxes its root union."""
    del settings
    if subject.kind is Kind.CONTRACT:
        return
    for part in subject.parts:
        place = _referred(part)
        schema = part.view.said(place)
        for keyword in _UNIONS:
            if keyword in schema:
                way = "" if not place else " (the root refers to it)"
                yield Remark(part, (*place, keyword), f'"{keyword}" at the root of the schema{way}')
                return


def _referred(part: Part) -> Place:
    """Return where the root's own schema stands; a root that only refers is what it refers to."""
    place: Place = ()
    seen: set[Place] = set()
    while place not in seen:
        seen.add(place)
        target = part.view.document.resolve(place, part.view.said(place).get("$ref"))
        if target is None:
            break
        place = target
    return place


_BY_ID = {
    "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "additionalProperties": False,
}  # fmt: skip
_BY_NAME = {
    "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False,
}  # fmt: skip

RULE = Rule(
    code="LS004",
    name="root-union",
    level=Level.ERROR,
    title="the root of the schema is a union",
    why="OpenAI and Anthropic take an object at the root and refuse a union there with an error, for answers and for "
    "tools; clients that mend it for you change the schema that the model sees.",
    help="make the root an object with one key that holds the union; a pratique contract is boxed when it is compiled",
    evidence=(
        "OpenAI, structured outputs: the root must be an object and must not be anyOf",
        "Anthropic, tools: oneOf, allOf and anyOf are not supported at the top level of input_schema",
        "Hoplight #15: a union at the root was rejected by providers",
    ),
    bad={"oneOf": [_BY_ID, _BY_NAME]},
    good={
        "type": "object", "properties": {"by": {"anyOf": [_BY_ID, _BY_NAME]}}, "required": ["by"],
        "additionalProperties": False,
    },
    check=_check,
)  # fmt: skip
