"""LS020: levels of objects and lists."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.lint.rule import Level


def nested(levels: int, schema: Any = None) -> Any:
    """Make objects in objects."""
    schema = {"type": "string"} if schema is None else schema
    for _ in range(levels):
        schema = obj({"in": schema})
    return schema


class Leaf(BaseModel):
    """The innermost object."""

    name: str


class Branch(BaseModel):
    """A list in the middle: it is a level, too."""

    leaves: list[Leaf]


class Tree(BaseModel):
    """The outermost object."""

    branches: list[Branch]


FIRES: dict[str, Any] = {
    "four levels of objects are a warning": Case(nested(4), level=Level.WARN),
    "six levels are an error": Case(nested(6), level=Level.ERROR),
    "in a tool, four levels are worth knowing": Case(tool(nested(4)), level=Level.INFO),
    "and six an error": Case(tool(nested(6)), level=Level.ERROR),
    "lists count as levels, in a model too": Case(Tree, level=Level.WARN),
    "the deepest place is the one that is told": Case(nested(4), at=("/properties/in/properties/in/properties/in",)),
    "a bound of the caller's own counts": Case(nested(2), {"warn_depth": 1}, level=Level.WARN),
    "a union does not hide what is deep in one of its arms": obj({"a": {"anyOf": [{"type": "null"}, nested(3)]}}),
}
QUIET: dict[str, Any] = {
    "three levels are fine": nested(3),
    "a union is no level": obj({"a": {"anyOf": [{"type": "null"}, nested(2)]}}),
    "many fields side by side are not deep": obj({f"f{index}": nested(2) for index in range(20)}),
}
