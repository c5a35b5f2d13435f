"""LS033: a description lists the values of a text that the schema leaves free.

It makes sense for all kinds. Not for free language (a query, a message), not for lists in one text, not for examples,
and not where something else may stand as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.dialects.nodes.node import Listing, Node, Scalar
from pratique.lint.mentions import MAX_DESCRIBED_CHARS, Run, is_example, is_open, runs
from pratique.lint.names import listed, words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Part, Subject
from pratique.lint.view import Field
from pratique.lint.vocabulary import bare, vocabularies

__all__ = ["RULE"]

_VALUE = re.compile(r"(?![A-Z]+-[0-9])[A-Za-z][\w+-]*(?: [A-Za-z][\w+-]*){0,2}")
"""Up to three words; not ``example.com``, ``main.py``, ``PROJ-123``, ``is:open``."""

_FREE = frozenset({
    "address", "answer", "body", "code", "command", "comment", "content", "cql", "css", "description", "email",
    "expression", "formula", "glob", "html", "id", "instruction", "instructions", "jql", "markdown", "message", "note",
    "notes", "path", "pattern", "prompt", "q", "query", "question", "reason", "regex", "script", "search", "selector",
    "sql", "summary", "text", "title", "url", "value",
})  # fmt: skip
"""Last words of names for texts in which anything may be said."""

_CUE = re.compile(
    r"\b(one of|any of|either|must be|can be|may be|could be|should be|is|are|allowed|valid|possible|supported|"
    r"accepted|available|accepts|supports?|options?|choices?|choose|values?|enum|set to)\b[^.;]{0,60}\Z",
    re.I,
)
_LEAD = re.compile(r"[:(\[–—=-]\s*\Z")
_LINKED = re.compile(
    r"\b(for|with|when|if|in|(?<!set )to|on|(?<!one )(?<!any )of|via|from|by|and|than|between|uses?|using|unless|like|"
    r"through|per|without|as|(?:type|mode|action|method|operation|kind|format)s?)(?:\s+the)?[\s=(]*\Z|\w=\s*\Z",
    re.I,
)
"""Words right before a run that make it something else than what this field may be: ``required for "update"``."""
_OF_ANOTHER = re.compile(
    r"\s*\)?\s*(actions?|modes?|operations?|types?|methods?|parameters?|fields?|arguments?|is|are)\b"
)
_ENDS = re.compile(r"\s*(?:\([^()\n]{0,80}\))?\s*(?:[.;)\n\]]|\Z)")
_JOINED = re.compile(r"\b(comma|space|semicolon|pipe|newline)[\s-]*(separated|delimited)|\bseparated by\b", re.I)
_BARE = re.compile(
    r"(?:\bone of|\b(?:allowed|valid|possible|supported|accepted)\s+(?:values|options)(?:\s+are)?|"
    r"\b(?:options|choices)(?:\s+are)?)(?:\s*:\s*|\s+)"
    r"([\w-]+(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s*\|\s*|\s+or\s+)[\w-]+)+)(?=\s*(?:[.;)\n\]]|\Z|\(default))",
    re.I,
)
_BARS = re.compile(r"(?<![\w|/])[A-Za-z][\w-]*(?:\|[A-Za-z][\w-]*)+(?![\w|/])")
_TYPES = frozenset({"any", "array", "bool", "boolean", "float", "int", "integer", "list", "none", "null", "number",
                    "object", "str", "string", "undefined"})  # fmt: skip
_WORDS_OF_LOGIC = frozenset({"and", "or", "not", "near", "xor"})


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    for part in subject.parts:
        for field in part.view.fields:
            said = _said(part, field) if _is_free(field.node) else ""
            values = _values(said, settings.thresholds.min_texts_listed) if said else ()
            if values and not _is_elsewhere(part, values):
                told = f"the description of {field.path} lists {listed(values)}, and the schema takes any text"
                yield Remark(part, field.place, told)


def _is_free(node: Node) -> bool:
    """Say whether a value is a text without a rule of its form, or a list of such texts."""
    node = bare(node)
    if isinstance(node.form, Listing) and node.form.items is not None and not node.form.prefix:
        node = bare(node.form.items)
    form = node.form
    return (
        isinstance(form, Scalar)
        and form.kind == "string"
        and not any(rule.keyword in ("pattern", "format") for rule in form.rules)
    )


def _said(part: Part, field: Field) -> str:
    """Return what is said of a text; nothing for one in which anything may be said."""
    if _FREE & set(words_of(field.name)[-1:]):
        return ""
    said = part.view.described(field)
    return "" if _JOINED.search(said) else said


def _values(said: str, min_listed: int) -> tuple[str, ...]:
    """Return the values that a description lists; none when it lists none, or not all."""
    found: tuple[str, ...] = ()
    for run in runs(said):
        if len(run.texts) > 1 and _is_list(run, min_listed) and len(run.texts) > len(found):
            found = run.texts
    for match in _BARE.finditer(said, 0, MAX_DESCRIBED_CHARS):
        words = tuple(word for word in re.split(r"[\s,|]+", match[1]) if word not in ("or", "and"))
        found = found or (words if len(words) >= min_listed and _are_values(words) else ())
    for match in _BARS.finditer(said, 0, MAX_DESCRIBED_CHARS):
        words = tuple(match[0].split("|"))
        found = found or (words if _are_values(words) and not _TYPES.intersection(words) else ())
    return found


def _is_list(run: Run, min_listed: int) -> bool:
    if is_example(run) or is_open(run) or not _are_values(run.texts) or _OF_ANOTHER.match(run.after):
        return False
    if _CUE.search(run.before) and not _LINKED.search(run.before):
        return True
    if _LINKED.search(run.before) or (run.joints == {"and"}):
        return False
    is_led = not run.before.strip() or _LEAD.search(run.before) is not None
    return len(run.texts) >= min_listed or (is_led and _ENDS.match(run.after) is not None and "or" in run.joints)


def _are_values(texts: tuple[str, ...]) -> bool:
    plain = [text.lower() for text in texts]
    return (
        all(_VALUE.fullmatch(text) for text in texts)
        and not _TYPES.issuperset(plain)
        and not _WORDS_OF_LOGIC.issuperset(plain)
    )


def _is_elsewhere(part: Part, values: tuple[str, ...]) -> bool:
    """Say whether the list is that of another field, or names other fields."""
    names = {field.name for field in part.view.fields}
    if sum(value in names for value in values) * 2 > len(values):
        return True
    return any(set(values) <= set(vocabulary.texts) for vocabulary in vocabularies(part.view))


def _text(description: str, **more: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"state": {"type": "string", "description": description, **more}},
        "required": ["state"],
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS033",
    name="free-string-vocabulary",
    level=Level.WARN,
    title="a description lists the values of a text that the schema leaves free",
    why="The producer is asked in words for one of a few values, and nothing holds it to them: synonyms, other cases "
    "and new values pass the schema and fail in the consumer.",
    help="list the values as an enum (for several in one field: a list whose items are the enum)",
    evidence=(
        "source 004: the vocabularies of the daily triage stood in the prompt, and not in its schema",
        "forms-lab, own evaluation: an enum in place of a free text raised the accuracy of one field by 51 points",
    ),
    bad=_text("Which issues: 'open', 'closed' or 'all'."),
    good=_text("Which issues.", enum=["open", "closed", "all"]),
    check=_check,
    judgement="What in a sentence is a list of all values; three quoted values are one, two need a word like one of.",
)
