"""LS021: an object holds itself."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.nodes.node import Record
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.view import Spot
from pratique.show import show

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell each cycle once, at the object that is met first."""
    del settings
    for part in subject.parts:
        graph = part.view.graph
        cycles: dict[int, list[Spot]] = {}
        for spot in part.view.spots:
            if graph.is_cyclic(spot.node):
                cycles.setdefault(graph.component(spot.node), []).append(spot)
        for spots in cycles.values():
            first = next((spot for spot in spots if isinstance(spot.node.form, Record)), spots[0])
            name = f"{show(first.node.name)} " if first.node.name else ""
            yield Remark(part, first.place, f"{name}at {first.path} holds itself, to any depth")


_TREE = {
    "type": "object",
    "properties": {"op": {"type": "string"}, "left": {"$ref": "#/$defs/step"}, "right": {"$ref": "#/$defs/step"}},
    "required": ["op"],
    "additionalProperties": False,
}
_STEP = {
    "type": "object", "properties": {"id": {"type": "string"}, "then": {"type": ["string", "null"]}},
    "required": ["id", "then"], "additionalProperties": False,
}  # fmt: skip

RULE = Rule(
    code="LS021",
    name="recursion",
    level=Level.ERROR,
    title="an object holds itself",
    why="Anthropic and others refuse a recursive schema, and models drive trees badly: a bracket that is lost deep "
    "inside changes what belongs to what.",
    help="write the parts as one flat list in which each names its parent or its successor by id",
    evidence=(
        "mcp-exec: Claude found the recursive ExecV2 hard to drive; ExecV3 is a flat list",
        "Anthropic, structured outputs: recursive schemas are not supported",
    ),
    bad={
        "type": "object", "properties": {"run": {"$ref": "#/$defs/step"}}, "required": ["run"],
        "additionalProperties": False, "$defs": {"step": _TREE},
    },
    good={
        "type": "object", "properties": {"steps": {"type": "array", "items": _STEP, "maxItems": 20}},
        "required": ["steps"], "additionalProperties": False,
    },
    check=_check,
)  # fmt: skip
