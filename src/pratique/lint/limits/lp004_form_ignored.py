"""LP004: an endpoint takes a form that the schema has and does not keep it."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.profile import Support
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import ALL_FORMS, remarks_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return remarks_of(subject, settings, ALL_FORMS, (Support.IGNORED,))


RULE = Rule(
    code="LP004",
    name="form-ignored",
    level=Level.WARN,
    title="the endpoint takes a form that the schema has and does not keep it",
    why="What stands there is skipped without a word, so what comes out may break it.",
    help="write it in a form that the endpoint keeps, and check it where the answer is read: a contract does",
    evidence=(
        "the endpoint's table in pratique.dialects: each cell names its source, and how firm it is",
        "measured here, bench.dialects_probe: llama.cpp's grammars and xgrammar skip what stands beside a $ref",
    ),
    bad={
        "type": "object",
        "properties": {"note": {"$ref": "#/$defs/text", "maxLength": 80}},
        "required": ["note"],
        "additionalProperties": False,
        "$defs": {"text": {"type": "string"}},
    },
    good={
        "type": "object",
        "properties": {"note": {"$ref": "#/$defs/text"}},
        "required": ["note"],
        "additionalProperties": False,
        "$defs": {"text": {"type": "string", "maxLength": 80}},
    },
    check=_check,
    target="llama.cpp/gbnf",
)
