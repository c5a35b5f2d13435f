"""LS000: a schema that cannot be read is told, and costs only itself."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj, tool

FIRES: dict[str, Any] = {
    "a reference to a definition that is not there": obj({"a": {"$ref": "#/$defs/missing"}}),
    "a reference to another file, which is not fetched": obj({"a": {"$ref": "other.json#/a"}}),
    "a tool whose arguments refer to nothing": tool(
        obj({"a": {"type": "array", "items": {"$ref": "#/definitions/x"}}})
    ),
    "the finding stands at the root": Case(obj({"a": {"$ref": "#/nowhere"}}), at=("",)),
}
QUIET: dict[str, Any] = {
    "a reference to a definition that is there": {
        **obj({"a": {"$ref": "#/$defs/x"}}), "$defs": {"x": {"type": "string"}},
    },
    "a recursive definition is read": {
        **obj({"a": {"$ref": "#/$defs/x"}}), "$defs": {"x": obj({}, {"again": {"$ref": "#/$defs/x"}})},
    },
    "no schema at all takes anything": {},
}  # fmt: skip
