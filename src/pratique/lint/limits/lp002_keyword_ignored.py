"""LP002: an endpoint takes a keyword and does not keep it."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.profile import KEYWORDS, Support
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import remarks_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return remarks_of(subject, settings, KEYWORDS, (Support.IGNORED,))


RULE = Rule(
    code="LP002",
    name="keyword-ignored",
    level=Level.WARN,
    title="the endpoint takes a keyword and does not keep it",
    why="What comes out may break the rule, and nothing tells: only a check on this side finds it. Titles and "
    "descriptions bind nobody, so they are not told.",
    help="check it where the answer is read: a contract does; say it in the description, too",
    evidence=(
        "the endpoint's table in pratique.dialects: each cell names its source, and how firm it is",
        "vercel ai issue 18325: Gemini does not keep minLength and maxLength, without a word",
        "measured here, bench.dialects_probe: llama.cpp's grammars skip not, multipleOf, uniqueItems and others",
    ),
    bad={
        "type": "object",
        "properties": {"code": {"type": "string", "maxLength": 8}},
        "required": ["code"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "at most 8 characters"}},
        "required": ["code"],
        "additionalProperties": False,
    },
    check=_check,
    target="google",
)
