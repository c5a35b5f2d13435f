"""LS054: numbers without any bound."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.lint.counted import counted
from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.view import Spot, View

__all__ = ["RULE"]

_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_SIZED = re.compile(r"u?int(?:8|16|32|64)|u(?:8|16|32|64)|timestamp|unix-time|date-time")
"""Formats that bound a number by themselves."""

_NAME = re.compile(r"([\w-]+)(?:\[\])*\Z")
_IDS = frozenset({"gid", "id", "ids", "iid", "iids", "msgid", "pid", "reqid", "uid"})
_DIRECTIONS = frozenset({"embedding", "embeddings", "vector", "vectors"})
"""Last words of names of lists whose numbers only mean something together."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell one finding a schema. A number that is bounded on one side is left alone: most have one that matters.

    A number that is an id, or one of a vector, measures nothing.
    """
    del settings
    for part in subject.parts:
        found = [
            spot
            for spot in part.view.scalars
            if spot.scalar.kind in ("integer", "number")
            and not _is_bounded(spot, part.view)
            and not _is_no_measure(spot.path)
        ]
        if found:
            yield Remark(part, found[0].place, f"{counted(found, 'number')} without a least or a largest value")


def _is_bounded(spot: Spot, view: View) -> bool:
    if any(rule.keyword in _BOUNDS for rule in spot.scalar.rules):
        return True
    said = view.said(spot.place).get("format")
    return isinstance(said, str) and _SIZED.fullmatch(said) is not None


def _is_no_measure(path: str) -> bool:
    named = _NAME.search(path)
    last = set(words_of(named[1])[-1:]) if named else set()
    return bool(_IDS & last) or (path.endswith("[]") and bool(_DIRECTIONS & last))


RULE = Rule(
    code="LS054",
    name="unbounded-number",
    level=Level.INFO,
    title="numbers without any bound",
    why="A count of -1 or a share of 300 is of the right type, and passes. A bound is also the shortest description of "
    "what is meant.",
    help="give it a minimum, a maximum or both",
    evidence=("source 004: the components of a score are numbers of which only the prompt says the scale",),
    bad={
        "type": "object",
        "properties": {"confidence": {"type": "number"}},
        "required": ["confidence"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"confidence": {"type": "number", "minimum": 0, "maximum": 1}},
        "required": ["confidence"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="A bound on one side is enough. That an id and the numbers of a vector need none.",
)
