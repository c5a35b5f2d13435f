"""Google's Gemini: ``response_json_schema`` and ``parameters_json_schema``, both plain JSON Schema.

The older ``response_schema`` (a subset of OpenAPI's) is not used: the SDK rewrites what it is given there.
"""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.profile import Cell, Known, Patterns, Profile, Support, cells

__all__ = ["DIALECT"]

_LIST = "google-genai 3.4.0, docstring of response_json_schema"
_CLIENT = "pydantic-ai 2.68.0, Google profile"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_DOCUMENTED, _UNVERIFIED = Known.DOCUMENTED, Known.UNVERIFIED

_CELLS: dict[str, Cell] = {
    **cells(
        ("type", "type list", "properties", "required", "optional", "items", "anyOf", "$ref", "$defs"),
        _ENFORCED, _DOCUMENTED, _LIST,
    ),
    **cells(
        ("additionalProperties", "map", "open object", "prefixItems"), _ENFORCED, _DOCUMENTED, _LIST,
    ),
    **cells(("any",), _ENFORCED, _UNVERIFIED, _LIST, "nothing is asserted; the list does not forbid it"),
    **cells(("enum string", "enum number"), _ENFORCED, _DOCUMENTED, _LIST, "for strings and numbers"),
    **cells(("enum boolean", "enum null"), _UNKNOWN, _DOCUMENTED, _LIST, "for strings and numbers alone"),
    **cells(
        ("minimum", "maximum", "minItems", "maxItems"), _ENFORCED, _DOCUMENTED, _LIST,
        "the Interactions API answered 400 for these in 2026-09; this is generateContent",
    ),
    **cells(
        ("format",), _IGNORED, _UNVERIFIED, _LIST,
        "on the list, without a word on which formats are kept; pydantic-ai says the format in words",
    ),
    **cells(("description",), _IGNORED, _DOCUMENTED, _LIST),
    **cells(("title",), _REFUSED, _DOCUMENTED, "python-genai issue 1732", "on the list, and it breaks requests"),
    **cells(("oneOf",), _IGNORED, _DOCUMENTED, _LIST, "read as anyOf: that no two arms hold together is not kept"),
    **cells(("$ref siblings",), _REFUSED, _DOCUMENTED, _LIST, "nothing but $ keywords may stand beside a $ref"),
    **cells(
        ("recursion",), _REFUSED, _DOCUMENTED, _LIST,
        "unrolled to a limited degree, in properties that are not required: narrower than the contract",
    ),
    **cells(
        ("const",), _UNKNOWN, _UNVERIFIED, _LIST, "not on the list; an enum of one value is",
    ),
    **cells(
        ("minLength", "maxLength"), _IGNORED, _UNVERIFIED, "vercel ai issue 18325",
        "not on the list; silently not kept in response_json_schema",
    ),
    **cells(("pattern",), _IGNORED, _UNVERIFIED, _CLIENT, "not on the list"),
    **cells(
        (
            "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "allOf", "not", "if", "then", "else",
            "dependentRequired", "dependentSchemas", "contains", "minContains", "maxContains", "patternProperties",
            "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems", "default",
            "examples", "discriminator",
        ),
        _UNKNOWN, _UNVERIFIED, _LIST, "not on the list: ignored by one endpoint, a 400 at another",
    ),
    **cells(("root union",), _UNKNOWN, _UNVERIFIED, _LIST, "the list does not say what a root may be"),
}  # fmt: skip


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return keyword arguments of ``models.generate_content`` of the SDK; there is no place for a name.

    In a JSON body the two settings stand in ``generationConfig``, in camel case.
    """
    return {
        "config": {"response_mime_type": "application/json", "response_json_schema": dict(wire.schema)},
    }


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return one function declaration."""
    made = {"name": wire.name, "description": wire.description, "parameters_json_schema": dict(wire.schema)}
    return {key: value for key, value in made.items() if value != ""}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return keyword arguments of ``models.generate_content``.

    Mode VALIDATED keeps the schema and leaves the choice between a call and text to the model; AUTO does not keep it.
    """
    return {
        "config": {
            "tools": [{"function_declarations": tools}],
            "tool_config": {"function_calling_config": {"mode": "VALIDATED"}},
        }
    }


DIALECT = Dialect(
    target="google",
    profile=Profile(
        endpoint="generateContent, response_json_schema and parameters_json_schema",
        models="Gemini 2.5 and later",
        read_on="2026-11-21",
        cells=_CELLS,
        patterns=Patterns(unanchored=False, beside_length=False),
        root_object=True,
        const_as_enum=True,
    ),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)
