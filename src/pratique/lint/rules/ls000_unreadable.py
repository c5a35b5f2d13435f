"""LS000: the schema cannot be read, so no other rule was run."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Find nothing: ``linting`` tells a schema that it cannot read, before it asks any rule."""
    del subject, settings
    yield from ()


RULE = Rule(
    code="LS000",
    name="unreadable",
    level=Level.ERROR,
    title="the schema cannot be read",
    why="What refers to nothing, or multiplies itself without end, cannot be sent to a provider either. No other rule "
    "was run on this schema.",
    help="mend what the message names",
    evidence=("JSON Schema 2020-12, core, section 8.2: a reference that leads nowhere is an error",),
    bad={"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
    good={"type": "object", "properties": {"a": {"$ref": "#/$defs/there"}}, "$defs": {"there": {"type": "string"}}},
    check=_check,
)
