"""Anthropic's Messages API, strict tools: ``tools[].strict``."""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireTool
from pratique.dialects.tables import anthropic

__all__ = ["DIALECT"]


def _tool(wire: WireTool) -> dict[str, Any]:
    """Return one entry of ``tools``."""
    made = {
        "name": wire.name,
        "description": wire.description,
        "input_schema": dict(wire.schema),
        "strict": True,
        "input_examples": list(wire.examples),
    }
    return {key: value for key, value in made.items() if value not in ("", [])}


def _tool_request(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return keyword arguments of ``messages.create``.

    No ``tool_choice``: forcing a tool is a 400 on some models, and on others beside extended thinking.
    """
    return {"tools": tools}


DIALECT = Dialect(
    target="anthropic/tools",
    profile=anthropic.structured("Messages API, tools with strict: true"),
    tool=_tool,
    tool_request=_tool_request,
    default_form="tools",
)
