"""A schema as it was sent, made readable for the oracle: as few words taken out as it needs.

What is taken out only widens a schema, so it can hide an over-constraint and cannot make one up; the judge
counts how often it was needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pratique.testing.oracle import Grammar, Unsupported

__all__ = ["from_openapi", "read"]

_UNREAD = (
    "uniqueItems",
    "propertyNames",
    "contains",
    "minContains",
    "maxContains",
    "dependentRequired",
    "discriminator",
)


def read(schema: Any) -> tuple[Grammar, int]:
    """Compile a schema; return the grammar and how many kinds of words had to be taken out.

    Errors: Unsupported when it cannot be read at all.
    """
    refused = Unsupported("")
    for taken, ease in enumerate(_EASED):
        schema = _mapped(schema, ease)
        try:
            return Grammar(schema), taken
        except Unsupported as error:
            refused = error
    raise refused


def from_openapi(schema: Any) -> Any:
    """Say Google's OpenAPI form in JSON Schema: types in small letters, ``nullable`` as a union, objects closed."""
    if isinstance(schema, list):
        return [from_openapi(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for name, part in schema.items():
        if name == "properties":
            made[name] = {key: from_openapi(value) for key, value in part.items()}
        elif name == "type":
            made[name] = str(part).lower()
        elif name in ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"):
            made[name] = int(part)  # the wire has them as text
        elif name in ("items", "anyOf"):
            made[name] = from_openapi(part)
        elif name not in ("nullable", "propertyOrdering", "default", "example", "title"):
            made[name] = part
    if made.get("type") == "object":
        made["additionalProperties"] = False
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") else made


def _mapped(node: Any, ease: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Put every object of a JSON value through ``ease``; keys of ``properties`` are names, not words."""
    if isinstance(node, list):
        return [_mapped(part, ease) for part in node]
    if not isinstance(node, dict):
        return node
    return ease({
        name: {key: _mapped(value, ease) for key, value in part.items()}
        if name in ("properties", "$defs", "patternProperties") and isinstance(part, dict)
        else part
        if name in ("const", "enum", "default", "examples")
        else _mapped(part, ease)
        for name, part in node.items()
    })  # fmt: skip


def _as_it_is(node: dict[str, Any]) -> dict[str, Any]:
    return node


def _plain(node: dict[str, Any]) -> dict[str, Any]:
    """Take out what asserts nothing beside a reference, say oneOf as anyOf, drop words that the oracle lacks."""
    if "$ref" in node:
        node = {name: part for name, part in node.items() if name in ("$ref", "$defs", "definitions")}
    if "oneOf" in node and "anyOf" not in node:
        node = {"anyOf" if name == "oneOf" else name: part for name, part in node.items()}
    return {name: part for name, part in node.items() if name not in _UNREAD}


def _patternless(node: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in node.items() if name not in ("pattern", "format")}


_EASED = (_as_it_is, _plain, _patternless)
