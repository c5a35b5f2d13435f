"""OpenAI's chat completions: ``response_format`` and nested function tools, both strict."""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.tables import openai

__all__ = ["DIALECT"]


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return keyword arguments of ``chat.completions.create``; the JSON body has the same shape."""
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
    """Return keyword arguments of ``chat.completions.create``. Whether a tool must be called is the caller's choice."""
    return {"tools": tools}


DIALECT = Dialect(
    target="openai/chat",
    profile=openai.strict("chat completions, strict: true"),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)
