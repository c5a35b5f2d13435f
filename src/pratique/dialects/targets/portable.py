"""What every endpoint keeps: computed from the other targets, for one schema that goes anywhere."""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool, dialects_beside
from pratique.dialects.intersection import intersection

__all__ = ["DIALECT"]


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return the parts of a schema by name; no endpoint takes them so."""
    return {"name": wire.name, "description": wire.description, "schema": dict(wire.schema)}


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return the parts of a tool by name; no endpoint takes them so."""
    return {"name": wire.name, "description": wire.description, "schema": dict(wire.schema)}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the tools under their name."""
    return {"tools": tools}


_SCHEMA_TARGETS = {
    dialect.target: dialect.profile
    for dialect in dialects_beside(__name__)
    if dialect.schema_request is not None or dialect.tool is not None
}

DIALECT = Dialect(
    target="portable",
    profile=intersection(_SCHEMA_TARGETS, endpoint="every target that takes a schema", models="any"),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)
