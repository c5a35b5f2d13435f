"""LP015: more optional properties than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_optional")


RULE = Rule(
    code="LP015",
    name="too-many-optional",
    level=Level.ERROR,
    title="more optional properties than the endpoint takes",
    why="The grammar that the endpoint makes grows with each property that may be absent, so it counts them over "
    "all strict schemas of a request, and refuses.",
    help="name more of them in required, with null for what may be absent, or split the schema; the other "
    "schemas of the request count, too",
    evidence=("Anthropic's structured-outputs guide, 2026-07: at most 24 optional parameters in a request",),
    bad='fields = {f"field_{number}": {"type": "string"} for number in range(25)}\n'
    'target = {"type": "object", "properties": fields, "required": [], "additionalProperties": False}\n',
    good='fields = {f"field_{number}": {"type": "string"} for number in range(24)}\n'
    'target = {"type": "object", "properties": fields, "required": [], "additionalProperties": False}\n',
    check=_check,
    target="anthropic/tools",
)
