"""Mistral's chat completions: ``response_format`` and strict function tools.

The vendor lists no keywords. What its own SDK sends for a Pydantic model is taken as accepted; no more is.
"""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.profile import Cell, Known, Patterns, Profile, Support, cells

__all__ = ["DIALECT"]

_HELPER = "mistralai 3.7.0, extra/utils/_pydantic_helper.py"
_COUNTED = "pydantic-ai issue 4762: strict 25 of 25 nested replies, json_object 16 of 25"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_DOCUMENTED, _UNVERIFIED = Known.DOCUMENTED, Known.UNVERIFIED

_CELLS: dict[str, Cell] = {
    **cells(
        ("type", "properties", "required", "items", "$ref", "$defs", "enum string", "anyOf"),
        _ENFORCED, _UNVERIFIED, _COUNTED, "what the SDK's helper sends for nested models; no list says that it is kept",
    ),
    **cells(("additionalProperties",), _ENFORCED, _UNVERIFIED, _HELPER, "the helper sets it on every object"),
    **cells(("title", "description", "default"), _IGNORED, _DOCUMENTED, _HELPER, "the helper leaves it in"),
    **cells(
        (
            "const", "enum number", "enum boolean", "enum null", "type list", "optional", "any", "map", "open object",
            "oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "minimum",
            "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
            "format", "minItems", "maxItems", "uniqueItems", "prefixItems", "contains", "minContains", "maxContains",
            "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties",
            "unevaluatedItems", "recursion", "$ref siblings", "root union", "examples", "discriminator",
        ),
        _UNKNOWN, _UNVERIFIED, _HELPER, "the vendor lists no keywords",
    ),
}  # fmt: skip


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return a part of the JSON body, and keyword arguments of ``chat.complete`` of the SDK."""
    asked = {"name": wire.name, "description": wire.description, "schema": dict(wire.schema), "strict": True}
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {key: value for key, value in asked.items() if value != ""},
        }
    }


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return one entry of ``tools``. There is no place for examples."""
    asked = {"name": wire.name, "description": wire.description, "parameters": dict(wire.schema), "strict": True}
    return {"type": "function", "function": {key: value for key, value in asked.items() if value != ""}}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a part of the JSON body. Whether a tool must be called is the caller's choice."""
    return {"tools": tools}


DIALECT = Dialect(
    target="mistral",
    profile=Profile(
        endpoint="chat completions, response_format json_schema and Function.strict",
        models="all chat models",
        read_on="2026-11-21",
        cells=_CELLS,
        patterns=Patterns(unanchored=False, beside_length=False),
        root_object=True,
        closed_objects=True,
        const_as_enum=True,
    ),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)
