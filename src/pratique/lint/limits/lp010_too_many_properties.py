"""LP010: more properties than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_properties")


RULE = Rule(
    code="LP010",
    name="too-many-properties",
    level=Level.ERROR,
    title="more properties than the endpoint takes",
    why="The request is refused before a model sees it. The bound is far above what models fill in rightly: at "
    "369 fields nothing was valid (ExtractBench).",
    help="split the answer over several calls, or refer by id to what is known on this side",
    evidence=("OpenAI's structured-outputs guide, 2026: at most 5,000 properties; 100 until 2025",),
    bad='fields = {f"field_{number}": {"type": "string"} for number in range(5_001)}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    good='fields = {f"field_{number}": {"type": "string"} for number in range(5_000)}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    check=_check,
    target="openai/responses",
)
