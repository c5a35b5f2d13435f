"""Amazon Bedrock's Converse with Claude: ``outputConfig.textFormat`` and strict tool specifications."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.profile import Cell, Known, Profile, Support, cells
from pratique.dialects.tables import anthropic

__all__ = ["DIALECT"]

_PROBED = "pydantic-ai 2.68.0, Bedrock provider, live probes 2026-05 and 2026-10"
_GATEWAY = "litellm 1.109.1, Bedrock transformation"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_MEASURED, _DOCUMENTED, _UNVERIFIED = Known


def _carried(cell: Cell) -> Cell:
    """Carry a cell over from Anthropic's own endpoint: the same model, another door; inferred, so unverified."""
    return replace(cell, known=_UNVERIFIED, note=f"carried over from Anthropic; {cell.note}".removesuffix("; "))


_CELLS: dict[str, Cell] = {
    **{name: _carried(cell) for name, cell in anthropic.CELLS.items()},
    **cells(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems"),
        _REFUSED, _MEASURED, _PROBED, "400 under strict",
    ),
    **cells(("contains", "minContains", "maxContains"), _REFUSED, _MEASURED, _PROBED, "Claude refuses contains"),
    **cells(("minItems",), _ENFORCED, _UNVERIFIED, _PROBED, "0 or 1 is accepted, more is a 400; kept as by Anthropic"),
    **cells(
        ("minLength", "maxLength"), _IGNORED, _MEASURED, _PROBED,
        "accepted, though the vendor's page says no; that it is kept, nobody says",
    ),
    **cells(
        ("pattern",), _ENFORCED, _UNVERIFIED, _PROBED,
        "accepted without look-around and escaped digits; kept as by Anthropic",
    ),
    **cells(("oneOf",), _REFUSED, _DOCUMENTED, _GATEWAY, "the gateway rewrites it to anyOf"),
    **cells(("default", "any", "$ref siblings", "prefixItems"), _UNKNOWN, _UNVERIFIED, _PROBED, "no source says"),
}  # fmt: skip


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return keyword arguments of ``converse`` (JSON body and SDK call agree). The schema is a JSON string there."""
    asked = {
        "schema": json.dumps(wire.schema, ensure_ascii=False, separators=(",", ":")),
        "name": wire.name,
        "description": wire.description,
    }
    json_schema = {key: value for key, value in asked.items() if value != ""}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": json_schema}}}}


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return one entry of ``toolConfig.tools``. There is no place for examples."""
    made = {
        "name": wire.name,
        "description": wire.description,
        "inputSchema": {"json": dict(wire.schema)},
        "strict": True,
    }
    return {"toolSpec": {key: value for key, value in made.items() if value != ""}}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return keyword arguments of ``converse``.

    No ``toolChoice``: forcing a tool is refused by the models that refuse it at Anthropic's own endpoint.
    """
    return {"toolConfig": {"tools": tools}}


DIALECT = Dialect(
    target="bedrock/converse",
    profile=Profile(
        endpoint="Converse, outputConfig.textFormat and toolSpec.strict",
        models="Claude models with structured output on Bedrock",
        read_on="2026-11-21",
        cells=_CELLS,
        formats=anthropic.FORMATS,
        patterns=anthropic.PATTERNS,
        bounds=anthropic.BOUNDS,
        root_object=True,
        closed_objects=True,
        loose_case=True,
        required_first=True,
        max_min_items=1,
    ),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)
