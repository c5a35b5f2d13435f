"""LP006: an endpoint keeps patterns, and not one that is written so."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.profile import Support
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import remarks_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return remarks_of(subject, settings, ("pattern",), (Support.REFUSED, Support.UNKNOWN), values=True)


RULE = Rule(
    code="LP006",
    name="pattern-refused",
    level=Level.ERROR,
    title="the endpoint does not read what a pattern holds",
    why="Each engine reads a part of the language: look-around, back references, a search that is not anchored. "
    "What it does not read it refuses, skips, or reads as something narrower, and then sound values cannot be "
    "written.",
    help="write it as ^…$ of classes, groups and counts, or leave it out and check it where the answer is read",
    evidence=(
        "the endpoint's table in pratique.dialects: each cell names its source, and how firm it is",
        "OpenAI's structured-outputs guide: no look-around",
        "measured here, bench.dialects_probe: xgrammar reads a pattern that is not anchored as if it were",
    ),
    bad={
        "type": "object",
        "properties": {"sku": {"type": "string", "pattern": "^(?!0)[0-9]{4}$"}},
        "required": ["sku"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"sku": {"type": "string", "pattern": "^[1-9][0-9]{3}$"}},
        "required": ["sku"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="Look-around, back references, word boundaries and searches are errors. Large counts, and what a table "
    "does not speak of, are warnings: how large a count may be no vendor says.",
    target="openai/responses",
)
