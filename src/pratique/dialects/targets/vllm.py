"""vLLM with xgrammar, its default engine: the server's own gate refuses a part, the engine ignores another.

Cells of the engine are measured. The gate is read in its source, and wins where it refuses what the engine keeps.
"""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.profile import Cell, Known, Patterns, Profile, Support, cells

__all__ = ["DIALECT"]

_PROBE = "bench.dialects_probe, xgrammar 0.2.8, 2026-11-22"
_GATE = "vllm/v1/structured_output/backend_xgrammar.py at 030141c1"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_MEASURED, _DOCUMENTED, _UNVERIFIED = Known

_CELLS: dict[str, Cell] = {
    **cells(
        (
            "properties", "required", "optional", "additionalProperties", "map", "items", "enum string",
            "enum boolean", "enum null", "const", "anyOf", "root union", "$ref", "$defs", "recursion", "type list",
            "any", "minItems", "maxItems", "prefixItems", "minProperties", "maxProperties",
        ),
        _ENFORCED, _MEASURED, _PROBE,
    ),
    **cells(("type",), _ENFORCED, _MEASURED, _PROBE, "1.0 is no integer here"),
    **cells(("open object",), _ENFORCED, _MEASURED, _PROBE, "only if it says true; absent is read as false"),
    **cells(("enum number",), _ENFORCED, _MEASURED, _PROBE, "in the spelling of the schema: 2 is not 2.0"),
    **cells(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _ENFORCED, _MEASURED, _PROBE,
        "integers and numbers, up to 10 to the 18; a bounded number has no exponent",
    ),
    **cells(
        ("minLength", "maxLength"), _REFUSED, _MEASURED, _PROBE,
        "a bounded string can hold no quote, backslash or line break: too narrow; dropped beside a pattern or a format",
    ),
    **cells(
        ("pattern",), _ENFORCED, _MEASURED, _PROBE,
        "^…$ only: what is not anchored is read as if it were; look-ahead is ignored; counts up to 128",
    ),
    **cells(("format",), _ENFORCED, _MEASURED, _PROBE, "the gate refuses formats that the engine does not know"),
    **cells(("title", "description", "default", "examples", "discriminator"), _IGNORED, _MEASURED, _PROBE),
    **cells(
        ("multipleOf",), _REFUSED, _DOCUMENTED, _GATE,
        "the engine keeps it for integers and ignores it for numbers",
    ),
    **cells(
        ("uniqueItems", "contains", "minContains", "maxContains"), _REFUSED, _DOCUMENTED, _GATE,
        "the engine ignores it",
    ),
    **cells(
        ("patternProperties", "propertyNames"), _REFUSED, _DOCUMENTED, _GATE,
        "the gate refuses mixes of them; patternProperties with additionalProperties false lets no key through",
    ),
    **cells(("oneOf",), _IGNORED, _MEASURED, _PROBE, "kept when the engine can tell the branches apart, else anyOf"),
    **cells(("allOf",), _IGNORED, _MEASURED, _PROBE, "ignored when there are two branches; passes the gate"),
    **cells(
        ("not", "if", "then", "else", "dependentRequired", "dependentSchemas"), _IGNORED, _MEASURED, _PROBE,
        "passes the gate",
    ),
    **cells(("$ref siblings",), _IGNORED, _MEASURED, _PROBE, "what stands beside a $ref is skipped"),
    **cells(
        ("unevaluatedProperties", "unevaluatedItems"), _UNKNOWN, _MEASURED, _PROBE,
        "the probe's texts were judged rightly, because objects are closed in any case",
    ),
}  # fmt: skip


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return a part of the JSON body; with OpenAI's SDK it goes into ``extra_body``. There is no place for a name."""
    return {"structured_outputs": {"json": dict(wire.schema)}}


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return one entry of ``tools``. There is no place for examples."""
    asked = {"name": wire.name, "description": wire.description, "parameters": dict(wire.schema)}
    return {"type": "function", "function": {key: value for key, value in asked.items() if value != ""}}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a part of the JSON body.

    A tool is forced: with ``auto`` the server reads calls out of free text, and no schema is kept.
    """
    return {"tools": tools, "tool_choice": "required"}


DIALECT = Dialect(
    target="vllm",
    profile=Profile(
        endpoint="vLLM's server, structured_outputs.json, engine xgrammar",
        models="any; gpt-oss does not see the $defs of tools",
        read_on="2026-11-22",
        cells=_CELLS,
        formats=frozenset({
            "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
            "uri-template", "json-pointer", "relative-json-pointer",
        }),
        patterns=Patterns(
            unanchored=False, max_repeat=128, beside_length=False, lazy=True, named_groups=True, escaped=False
        ),
        integer_multiples_only=True,
        max_bound=10**18,
    ),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)  # fmt: skip
