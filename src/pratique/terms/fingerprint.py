"""The stable digest of what a contract accepts: the same on every machine, changed by every rule.

Titles, descriptions and examples are told to producers but judge nothing, so they do not count. A check
or an order function counts by its name: change its ``version`` on the contract when its body changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rfc8785
from blake3 import blake3

__all__ = ["fingerprint_of"]

_WORDS = {"title", "description", "examples", "$comment"}
_NAMED = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependentRequired"}
_VALUES = {"const", "enum", "default"}


def _judging(schema: Any, named: bool = False) -> Any:
    """Drop the annotations of a schema; a property that is called ``title`` stays."""
    if isinstance(schema, Mapping):
        return {key: _part(key, part, named) for key, part in schema.items() if named or key not in _WORDS}
    if isinstance(schema, list):
        return [_judging(part) for part in schema]
    return schema


def _part(key: str, part: Any, named: bool) -> Any:
    """Prepare one member: values stay as they are, and the order of required keys judges nothing."""
    if not named and key in _VALUES:
        return part
    if not named and key == "required" and isinstance(part, list):
        return sorted(map(str, part))
    return _judging(part, named=not named and key in _NAMED)


def _plain(value: Any) -> Any:
    """Make a term canonical: integers beyond 2^53 and callables become text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(part) for part in value)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value
    return name_of(value)


def name_of(value: Any) -> str:
    """Name a callable or a type by module and qualified name."""
    return f"{getattr(value, '__module__', '?')}:{getattr(value, '__qualname__', type(value).__qualname__)}"


def fingerprint_of(schemas: Mapping[str, Any], rules: Mapping[str, Any]) -> str:
    """Return the digest of a contract: ``b3:`` and 32 hexadecimal digits.

    Source: RFC 8785 for the canonical form; BLAKE3, first 128 bits.
    """
    canonical = rfc8785.dumps(_plain({"schemas": _judging(schemas, named=True), "rules": rules}))
    return "b3:" + blake3(canonical).hexdigest(length=16)
