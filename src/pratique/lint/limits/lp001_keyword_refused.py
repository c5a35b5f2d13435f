"""LP001: an endpoint refuses a keyword, or is not established to take it."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.profile import Support
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import ALL_KEYWORDS, remarks_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return remarks_of(subject, settings, ALL_KEYWORDS, (Support.REFUSED, Support.UNKNOWN))


RULE = Rule(
    code="LP001",
    name="keyword-refused",
    level=Level.ERROR,
    title="the endpoint refuses a keyword",
    why="The request fails, or the schema is read as something else. A keyword of which nothing is established "
    "is a warning: one endpoint ignores what another answers with 400.",
    help="leave it out and say it in the description, or make a contract of the schema: compile tells in words "
    "what the endpoint does not keep, and the boundary checks it",
    evidence=(
        "the endpoint's table in pratique.dialects: each cell names its source, and how firm it is",
        "Anthropic's structured-outputs guide, 2026-07: numeric bounds and lengths are refused",
        "OpenAI agents issue 1091: 'oneOf' is not permitted",
    ),
    bad={
        "type": "object",
        "properties": {"rank": {"type": "integer", "minimum": 1}},
        "required": ["rank"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"rank": {"type": "integer", "description": "at least 1"}},
        "required": ["rank"],
        "additionalProperties": False,
    },
    check=_check,
    target="anthropic/messages",
)
