"""Tools as subjects: one dict of MCP, Anthropic or OpenAI, or a list of them as a server or a program has it.

Source: MCP 2025-11-25 and 2026-07-28, ``tools/list``; Anthropic Messages, ``tools``; OpenAI chat completions and
responses, ``tools``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pratique.errors import Misuse
from pratique.lint.origin import JsonOrigin, JsonText, Origin
from pratique.lint.subject import Kind, Part, Subject
from pratique.show import show
from pratique.terms.schema_document import Place

__all__ = ["is_tool", "tool_subject", "tool_subjects", "tools_in"]

_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")


def is_tool(found: Any) -> bool:
    """Say whether a value looks like one tool."""
    return _inner(found) is not None


def _inner(found: Any) -> tuple[Place, Mapping[str, Any], str] | None:
    """Return where in a tool its name and schema stand, that part, and the key of the schema."""
    if not isinstance(found, Mapping):
        return None
    for place in ((), ("function",)):
        part = found.get("function") if place else found
        if isinstance(part, Mapping) and isinstance(part.get("name"), str):
            for key in _SCHEMA_KEYS:
                if isinstance(part.get(key), Mapping):
                    return place, part, key
    return None


def tools_in(document: Any) -> tuple[Place, Sequence[Any]] | None:
    """Find the list of tools in a saved answer: bare, under ``tools``, or in a JSON-RPC ``result``; with its place."""
    ways: tuple[Place, ...] = ((), ("tools",), ("result", "tools"))
    for place in ways:
        part = document
        for key in place:
            part = part.get(key) if isinstance(part, Mapping) else None
        # A server may have no tools; a bare list without one may be anything.
        if isinstance(part, list) and all(map(_has_name, part)) and (place or any(map(is_tool, part))):
            return place, part
    return None


def _has_name(found: Any) -> bool:
    """Say whether a member of a list of tools has a name: one without a schema is told, and costs only itself."""
    return is_tool(found) or (isinstance(found, Mapping) and isinstance(found.get("name"), str))


def tool_subjects(
    tools: Sequence[Any], *, file: str = "", text: JsonText | None = None, at: Place = ()
) -> list[Subject]:
    """Make the subjects of a list of tools.

    Shape: ``text`` is what the list was read from, ``at`` where in it the list stands.
    Errors: Misuse for a member that is no tool.
    """
    names = tuple(_name(tool) for tool in tools)
    found = []
    for index, tool in enumerate(tools):
        origin = Origin() if text is None else JsonOrigin(file, text, (*at, str(index)))
        found.append(replace(tool_subject(tool, origin), offered_with=names))
    return found


def tool_subject(tool: Mapping[str, Any], origin: Origin) -> Subject:
    """Make the subject of one tool."""
    inner = _inner(tool)
    if inner is None:
        fault = Misuse(
            f"{show(str(tool))} is no tool",
            remedy="a tool has a name, and a schema under inputSchema, input_schema or parameters",
        )
        if not _has_name(tool):
            raise fault
        name = tool["name"]
        return Subject(f"tools/{name}", Kind.TOOL, (Part("schema", fault),), origin=origin, offered_with=(name,))
    way, part, key = inner
    if isinstance(origin, JsonOrigin):
        origin = origin.inside(*way, key)
    described = part.get("description")
    return Subject(
        f"tools/{part['name']}", Kind.TOOL,
        (Part("schema", part[key]),),
        described if isinstance(described, str) else "", origin=origin, offered_with=(part["name"],),
    )  # fmt: skip


def _name(tool: Any) -> str:
    inner = _inner(tool)
    return str(tool.get("name", "")) if inner is None else str(inner[1]["name"])
