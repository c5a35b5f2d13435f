"""How llama.cpp's server is asked; the same for both of its grammar engines.

The body is that of the server's chat endpoint, which takes the shape of OpenAI's chat completions.
"""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import WireSchema, WireTool

__all__ = ["schema_request", "tool", "tool_request"]


def schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return a part of the JSON body of ``/v1/chat/completions``, also for the server that runs in the process.

    The schema is not shown to the model: the server makes a grammar of it and nothing else.
    """
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": wire.name, "schema": dict(wire.schema), "strict": True},
        }
    }


def tool(wire: WireTool) -> dict[str, Any]:
    """Return one entry of ``tools``. There is no ``strict`` and no place for examples."""
    asked = {"name": wire.name, "description": wire.description, "parameters": dict(wire.schema)}
    return {"type": "function", "function": {key: value for key, value in asked.items() if value != ""}}


def tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a part of the JSON body; the server has to run with a chat template that knows tools.

    The grammar of a tool holds from where a call begins, whether or not the model must call one.
    """
    return {"tools": tools}
