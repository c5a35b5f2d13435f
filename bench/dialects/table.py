"""What a target's own table says of a schema: the keywords and forms in it that the endpoint refuses.

The judge's own walk, which shares nothing with the compiler but the table: it is put to our schemas too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pratique.dialects.profile import ANNOTATIONS, KEYWORDS, Profile, Support

__all__ = ["refused_by"]

_SCHEMAS = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


def refused_by(profile: Profile, schema: dict[str, Any]) -> set[str]:
    """Return what in a schema the endpoint refuses, each named once.

    Not checked: what its table does not know, and counts of a request.
    """
    found = set(_at_root(profile, schema))
    for node in _nodes(schema):
        found.update(_in_node(profile, node))
        if profile.distinct_first_keys:
            found.update(_first_keys(schema, node))
    if _is_recursive(schema) and _refuses(profile, "recursion"):
        found.add("recursion")
    return found


def _refuses(profile: Profile, name: str) -> bool:
    return profile.support(name) is Support.REFUSED


def _at_root(profile: Profile, schema: dict[str, Any]) -> Iterator[str]:
    if ("anyOf" in schema or "oneOf" in schema) and _refuses(profile, "root union"):
        yield "root union"
    elif profile.root_object and _target(schema, schema).get("type") != "object":
        yield "root is no object"


def _in_node(profile: Profile, node: dict[str, Any]) -> Iterator[str]:
    for name in node:
        if (name in KEYWORDS or name in ANNOTATIONS) and name != "additionalProperties" and _refuses(profile, name):
            yield name
    for form in _forms(node):
        if (form == "open object" and profile.closed_objects) or _refuses(profile, form):
            yield form
    if "format" in node and profile.accepts("format") and node["format"] not in profile.formats:
        yield "format outside the list"
    if "pattern" in node and profile.accepts("pattern") and not profile.patterns.takes(node["pattern"]):
        yield "pattern outside the rules"
    least = node.get("minItems", 0)
    if profile.max_min_items is not None and isinstance(least, int) and least > profile.max_min_items:
        yield "minItems too large"


def _forms(node: dict[str, Any]) -> Iterator[str]:
    asserting = node.keys() - set(ANNOTATIONS) - {"$defs", "definitions"}
    if not asserting:
        yield "any"
    if "$ref" in node and len(node.keys() - {"$defs", "definitions"}) > 1:
        yield "$ref siblings"
    if isinstance(node.get("type"), list):
        yield "type list"
    if node.get("type") == "object" or "properties" in node:
        more = node.get("additionalProperties", True)
        if isinstance(more, dict):
            yield "map"
        elif more:
            yield "open object"
        if node.get("properties", {}).keys() - set(node.get("required", ())):
            yield "optional"
    for value in node.get("enum", [node["const"]] if "const" in node else []):
        yield f"enum {_kind(value)}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"


def _first_keys(root: dict[str, Any], node: dict[str, Any]) -> Iterator[str]:
    """Yield when two arms begin with the same key and it is not a const, or one-value enum, in both."""
    seen: dict[str, bool] = {}
    for arm in (_target(root, arm) for arm in [*node.get("anyOf", []), *node.get("oneOf", [])]):
        for name, part in list(arm.get("properties", {}).items())[:1]:
            fixed = "const" in part or len(part.get("enum", ())) == 1
            if name in seen and not (fixed and seen[name]):
                yield "same first key in a union"
            seen[name] = fixed


def _target(root: dict[str, Any], node: Any) -> dict[str, Any]:
    """Follow a local reference, as far as it leads somewhere."""
    for _ in range(len(root.get("$defs", {})) + 1):
        if not isinstance(node, dict) or "$ref" not in node:
            break
        node = root if node["$ref"] == "#" else root.get("$defs", {}).get(str(node["$ref"]).rpartition("/")[2], {})
    return node if isinstance(node, dict) else {}


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema inside a schema, not what only looks like one (defaults, examples, enums)."""
    if not isinstance(schema, dict):
        return
    yield schema
    for name in _SCHEMAS:
        yield from _nodes(schema.get(name))
    for name in _LISTS:
        for part in schema.get(name) or ():
            yield from _nodes(part)
    for name in _MAPS:
        for part in (schema.get(name) or {}).values():
            yield from _nodes(part)


def _is_recursive(schema: dict[str, Any]) -> bool:
    definitions = schema.get("$defs", {})
    refs = {
        name: {str(node["$ref"]).rpartition("/")[2] for node in _nodes(part) if "$ref" in node}
        for name, part in definitions.items()
    }
    if any(node.get("$ref") == "#" for node in _nodes(schema)):
        return True
    return any(name in _reached(name, refs) for name in refs)


def _reached(start: str, refs: dict[str, set[str]]) -> set[str]:
    reached, pending = set[str](), set(refs[start])
    while pending:
        name = pending.pop()
        reached.add(name)
        pending |= refs.get(name, set()) - reached
    return reached
