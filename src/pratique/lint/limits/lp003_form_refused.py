"""LP003: an endpoint refuses a form that the schema has, or is not established to take it."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.profile import Support
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import ALL_FORMS, remarks_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return remarks_of(subject, settings, ALL_FORMS, (Support.REFUSED, Support.UNKNOWN))


RULE = Rule(
    code="LP003",
    name="form-refused",
    level=Level.ERROR,
    title="the endpoint refuses a form that the schema has",
    why="The keywords are taken one by one, and the way they are put together is not: a property that is not "
    "required, an object with free keys, a union at the root.",
    help="write it in a form that the endpoint takes, or make a contract of the schema: compile writes it so, "
    "and leads the answer back",
    evidence=(
        "the endpoint's table in pratique.dialects: each cell names its source, and how firm it is",
        "OpenAI's structured-outputs guide: every property is required, every object is closed, the root is no anyOf",
        "Anthropic's structured-outputs guide, 2026-07: no recursion",
    ),
    bad={"type": "object", "properties": {"note": {"type": "string"}}, "required": [], "additionalProperties": False},
    good={
        "type": "object",
        "properties": {"note": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["note"],
        "additionalProperties": False,
    },
    check=_check,
    target="openai/responses",
)
