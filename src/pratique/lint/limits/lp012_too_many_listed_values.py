"""LP012: more listed values than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_enum_values")


RULE = Rule(
    code="LP012",
    name="too-many-listed-values",
    level=Level.ERROR,
    title="more listed values than the endpoint takes",
    why="All enums of a schema are counted together; a long list of names belongs into an allow-list that comes "
    "with the call.",
    help="declare a Reference and give the names with the call: the boundary checks them, and no schema has to "
    "list them",
    evidence=("OpenAI's structured-outputs guide, 2026: at most 1,000 enum values in all; 500 until 2025",),
    bad='fields = {"code": {"type": "string", "enum": [f"c{number}" for number in range(1_001)]}}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    good='fields = {"code": {"type": "string", "enum": [f"c{number}" for number in range(1_000)]}}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    check=_check,
    target="openai/responses",
)
