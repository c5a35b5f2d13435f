"""LS022: an object, or the whole schema, has many fields."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Count the fields of each object, and those of the schema, a definition once however often it is used."""
    bounds = settings.thresholds
    for part in subject.parts:
        total = len({field.place for field in part.view.fields})
        for spot in part.view.records:
            count = len(spot.record.fields)
            # An object that is the whole schema is told below.
            if count > bounds.warn_fields and not count == total > bounds.error_fields:
                message = f"the object at {spot.path} has {count} fields"
                yield Remark(part, spot.place, message, f"split it, so that each has at most {bounds.warn_fields}")
        if total > bounds.error_fields:
            yield Remark(
                part, (), f"the schema has {total} fields",
                f"ask for the parts one after the other, each with at most {bounds.error_fields} fields", Level.ERROR,
            )  # fmt: skip


def _wide(fields: int) -> dict[str, object]:
    names = [f"answer_{index}" for index in range(1, fields + 1)]
    return {
        "type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names,
        "additionalProperties": False,
    }  # fmt: skip


RULE = Rule(
    code="LS022",
    name="breadth",
    level=Level.WARN,
    title="an object, or the whole schema, has many fields",
    why="The more fields are asked for at once, the fewer come back right; very wide schemas come back invalid, and "
    "providers refuse them.",
    help="ask for the parts one after the other, and put them together in code",
    evidence=(
        "ExtractBench (arXiv 2602.12247): validity falls with breadth; none was valid with 369 fields",
        "OpenAI strict mode: at most 100 properties until 2025, 5,000 since",
    ),
    bad=_wide(31),
    good=_wide(30),
    check=_check,
    judgement="Where to draw the line: the measurements show a fall, not a step.",
)
