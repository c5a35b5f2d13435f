"""OpenAI's responses: ``text.format`` and flat function tools, both strict."""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.tables import openai

__all__ = ["DIALECT"]


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return keyword arguments of ``responses.create``; the JSON body has the same shape.

    ``strict`` is always said: without it the endpoint tries to make the schema strict, and falls back unheard.
    """
    asked = {
        "type": "json_schema",
        "name": wire.name,
        "description": wire.description,
        "schema": dict(wire.schema),
        "strict": True,
    }
    return {"text": {"format": {key: value for key, value in asked.items() if value != ""}}}


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return one entry of ``tools``. There is no place for examples."""
    asked = {
        "type": "function",
        "name": wire.name,
        "description": wire.description,
        "parameters": dict(wire.schema),
        "strict": True,
    }
    return {key: value for key, value in asked.items() if value != ""}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return keyword arguments of ``responses.create``. Whether a tool must be called is the caller's choice."""
    return {"tools": tools}


DIALECT = Dialect(
    target="openai/responses",
    profile=openai.strict("responses, strict: true"),
    schema_request=_schema_request,
    tool=_tool,
    tool_request=_tool_request,
)
