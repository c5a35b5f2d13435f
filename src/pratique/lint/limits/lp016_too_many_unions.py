"""LP016: more unions than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_unions")


RULE = Rule(
    code="LP016",
    name="too-many-unions",
    level=Level.ERROR,
    title="more unions than the endpoint takes",
    why="The grammar that the endpoint makes grows with each anyOf and each list of types, so it counts them "
    "over all strict schemas of a request, and refuses.",
    help="leave a field out of required in place of letting it be null, or split the schema; the other schemas "
    "of the request count, too",
    evidence=("Anthropic's structured-outputs guide, 2026-07: at most 16 parameters with union types in a request",),
    bad='fields = {f"field_{number}": {"type": ["string", "null"]} for number in range(17)}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    good='fields = {f"field_{number}": {"type": ["string", "null"]} for number in range(16)}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    check=_check,
    target="anthropic/tools",
)
