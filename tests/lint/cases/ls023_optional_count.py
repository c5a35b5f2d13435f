"""LS023: many fields that may be left out."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel
from typing_extensions import TypedDict

from lint.case import Case, obj, tool
from pratique.lint.rule import Level

TEXT = {"type": "string"}
MODE = {"enum": ["text", "nodes", "tasks"]}


def optional(count: int, **said: Any) -> Any:
    """Make an object of some fields that may be left out."""
    return obj({"id": TEXT}, {f"f{index}": {**TEXT, **said} for index in range(count)})


class Loose(TypedDict, total=False):
    """Nine keys, none of which must come."""

    a: str
    b: str
    c: str
    d: str
    e: str
    f: str
    g: str
    h: str
    i: str


class Tagged(BaseModel):
    """A tag with a default is not one more choice."""

    kind: Literal["x"] = "x"
    a: str | None = None


FIRES: dict[str, Any] = {
    "nine of them": Case(optional(9), at=("",), level=Level.WARN),
    "in an object inside": Case(obj({"filter": optional(9)}), at=("/properties/filter",), level=Level.WARN),
    "a TypedDict that is not total": Case(Loose, level=Level.WARN),
    "a tool: filters are there to be left out": Case([tool(optional(12))], level=Level.INFO),
    "a tool whose fields belong to one mode each": Case(
        [tool({**optional(12), "properties": {**optional(12)["properties"], "mode": MODE}, "required": ["mode"]})],
        level=Level.WARN,
    ),
    "a mode with a default": Case(
        [
            tool(
                {
                    **optional(12),
                    "properties": {**optional(12)["properties"], "searchMode": {**MODE, "default": "text"}},
                }
            )
        ],
        level=Level.WARN,
    ),
    "a filter by a type divides nothing": Case(
        [tool({**optional(12), "properties": {**optional(12)["properties"], "issue_type": MODE}})], level=Level.INFO
    ),
    "with null for absence it is worth knowing": Case(optional(9, type=["string", "null"]), level=Level.INFO),
    "with defaults it is worth knowing": Case(optional(9, default="all"), level=Level.INFO),
    "a bound of the caller's own": Case(optional(3), {"max_optional": 2}),
}
QUIET: dict[str, Any] = {
    "eight of them": optional(8),
    "required fields do not count": obj({f"f{index}": TEXT for index in range(20)}),
    "each object for itself": obj({"a": optional(5), "b": optional(5)}),
    "null that must be written": obj({f"f{index}": {"type": ["string", "null"]} for index in range(20)}),
    "a tag with a default": Case(Tagged, {"max_optional": 1}),
    "a map": obj({"m": {"type": "object", "additionalProperties": TEXT}}),
}
