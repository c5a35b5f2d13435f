"""LP005: an endpoint keeps formats, and not this one."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.profile import Support
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import remarks_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return remarks_of(subject, settings, ("format",), (Support.REFUSED,), values=True)


RULE = Rule(
    code="LP005",
    name="format-refused",
    level=Level.ERROR,
    title="the endpoint does not take this format",
    why="Endpoints that keep formats keep a few, and most answer another one with 400. One that passes over it "
    "is a warning.",
    help="leave it out and say it in the description, or write a pattern",
    evidence=(
        "the endpoint's table in pratique.dialects: each cell names its source, and how firm it is",
        "OpenAI's structured-outputs guide: nine formats; another one is a 400",
        "Anthropic's structured-outputs guide, 2026-07: ten formats; another one is a 400",
    ),
    bad={
        "type": "object",
        "properties": {"secret": {"type": "string", "format": "password"}},
        "required": ["secret"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date"}},
        "required": ["day"],
        "additionalProperties": False,
    },
    check=_check,
    target="openai/responses",
)
