"""LS055: values of which nothing is said."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Loose(BaseModel):
    """A map of anything, and anything."""

    details: dict[str, Any]
    extra: Any = None
    rows: list[dict[str, Any]]


class Typed(BaseModel):
    """Maps of one type."""

    counts: dict[str, int]
    labels: dict[str, list[str]]


FIRES: dict[str, Any] = {
    "three in a type": Case(
        Loose, at=("/properties/details", "/properties/extra", "/properties/rows/items"), level=Level.WARN
    ),
    "a contract": Contract.one(Loose),
    "an object of which nothing is said": Case(obj({"a": {"type": "object"}}), at=("/properties/a",)),
    "a list of which nothing is said": Case(obj({"a": {"type": "array"}}), at=("/properties/a",)),
    "true, and an empty schema": Case(obj({"a": {}, "b": True}), at=("/properties/a", "/properties/b")),
    "an argument of a tool": Case(tool(obj({"meta": {"type": "object"}})), level=Level.WARN),
    "a described argument of a tool is worth knowing": Case(
        tool(obj({"filter": {"type": "object", "description": "As in MongoDB's find()."}})), level=Level.INFO
    ),
    "described in one of its types": Case(
        tool(obj({"by": {"anyOf": [{"type": "object", "description": "As in find()."}, {"type": "string"}]}})),
        level=Level.INFO,
    ),
    "described in the docstring of the tool": Case(
        tool(obj({"fields": {"type": "object"}}), description="Add.\n\nArgs:\n    fields (dict): What to store."),
        level=Level.INFO,
    ),
    "a map of maps of anything": Case(
        obj({"a": {"type": "object", "additionalProperties": {"type": "object"}}}),
        at=("/properties/a/additionalProperties",),
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "maps of one type": Typed,
    "an open object that names its keys is another rule's": {
        "type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True,
    },
    "a tool without arguments": tool({"type": "object"}),
    "an object without keys": obj({"a": {"type": "object", "properties": {}}}),
    "keys of a known form": obj({"a": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}}}),
    "keys of which the names are bounded": obj({"a": {"type": "object", "propertyNames": {"enum": ["x", "y"]}}}),
    "one of a few types": obj({"a": {"type": ["string", "number", "null"]}}),
    "a type that was forgotten": obj({"a": {"properties": {"b": {"type": "string"}}}, "c": {"minLength": 3}}),
    "an arm that takes any object, beside others, is LS002's": obj(
        {"a": {"anyOf": [obj({"b": {"type": "string"}}), {"type": "object", "additionalProperties": True}]}}
    ),
    "listed values": obj({"a": {"enum": [1, "x"]}, "b": {"const": {"k": 1}}}),
}  # fmt: skip
