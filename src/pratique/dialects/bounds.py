"""Count what a wire schema holds, and hold the counts against an endpoint's limits before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from pratique.dialects.profile import Bounds

__all__ = ["Count", "over"]


@dataclass(slots=True)
class Count:
    """Count one request's schemas. The fields are named like the limits they are held against."""

    properties: int = 0
    depth: int = 0
    enum_values: int = 0
    name_chars: int = 0
    optional: int = 0
    unions: int = 0
    strict_tools: int = 0
    schema_bytes: int = 0
    enum_chars: int = 0
    """Characters of the largest enum that has more values than ``many_enum_values``."""

    def add(self, schema: Mapping[str, Any], bounds: Bounds) -> None:
        """Add one schema. References are not followed: its root and each definition are counted on their own."""
        self.schema_bytes += len(json.dumps(schema, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        for depth, part in _below(schema):
            names = part.get("properties", {})
            self.properties += len(names)
            self.depth = max(self.depth, depth)
            values = part.get("enum", [part["const"]] if "const" in part else [])
            self.enum_values += len(part.get("enum", ()))
            texts = [value for value in values if isinstance(value, str)]
            self.name_chars += sum(map(len, names)) + sum(map(len, texts))
            if bounds.many_enum_values is not None and len(part.get("enum", ())) > bounds.many_enum_values:
                self.enum_chars = max(self.enum_chars, sum(map(len, texts)))
        self.name_chars += sum(map(len, schema.get("$defs", ())))
        bare = {key: part for key, part in schema.items() if key != "$defs"}
        for _, part in _below(bare):
            self.optional += len(part.get("properties", {}).keys() - set(part.get("required", ())))
            self.unions += ("anyOf" in part) + isinstance(part.get("type"), list)


def _below(schema: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every schema object, with how many objects and lists stand around what it describes."""
    ahead: list[tuple[int, Any]] = [(0, schema)]
    while ahead:
        depth, part = ahead.pop()
        if not isinstance(part, dict):
            continue
        inside = depth + 1 if part.get("type") in ("object", "array") else depth
        yield inside, part
        ahead.extend((inside, child) for child in part.get("properties", {}).values())
        ahead.extend((0, child) for child in part.get("$defs", {}).values())
        ahead.extend((inside, part[key]) for key in ("items", "additionalProperties") if key in part)
        ahead.extend((inside, child) for child in part.get("prefixItems", ()))
        ahead.extend((depth, child) for child in part.get("anyOf", ()))


def over(schemas: Iterable[Mapping[str, Any]], bounds: Bounds, *, tools: int = 0) -> list[str]:
    """Return what is over a limit, in words: ``31 optional properties, at most 24``."""
    count = Count(strict_tools=tools)
    for schema in schemas:
        count.add(schema, bounds)
    found = []
    for limit in fields(bounds):
        most = getattr(bounds, limit.name)
        if most is None or limit.name == "many_enum_values":
            continue
        many = getattr(count, limit.name.removeprefix("max_"))
        if many > most:
            found.append(f"{many:,} {_WORDS[limit.name]}, at most {most:,}")
    return found


_WORDS = {
    "max_properties": "properties",
    "max_depth": "levels of nested objects and lists",
    "max_enum_values": "listed values",
    "max_enum_chars": "characters in one list of values",
    "max_name_chars": "characters of names and listed values",
    "max_optional": "optional properties",
    "max_unions": "unions",
    "max_strict_tools": "strict tools",
    "max_schema_bytes": "bytes of schema",
}
