"""Take a part out of a JSON Schema document so that it means outside what it meant inside.

A unit is judged apart from its document, and so is the envelope; but their schemas refer to each other,
to ``$defs`` and to names that only the document resolves. So each part takes along what it refers to.
Nothing here judges a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pratique.terms.schema_document import (
    LIST_OF_SCHEMAS,
    MAP_OF_SCHEMAS,
    ONE_SCHEMA,
    Document,
    Group,
    Place,
    children,
)

__all__ = ["document_without_list", "keywords_of", "schema_of"]

PART = "https://contract.invalid/part"
"""The name of a part that has its whole document with it; only a name, like the document's own."""

_OF_THE_DOCUMENT = frozenset({
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "definitions",
})  # fmt: skip
_EMPTY_LIST = {"type": "array", "items": False}


def schema_of(document: Document, group: Group) -> dict[str, Any]:
    """Return one self-contained schema that says what all of ``group`` say."""
    if group == ((),):
        return document.root
    parts = [_moved(document, place) for place in group]
    telling = [part if isinstance(part, dict) else {} if part else {"not": {}} for part in parts]
    return _standing_alone(document, telling[0] if len(telling) == 1 else {"allOf": telling})


def keywords_of(document: Document, chosen: Mapping[Place, tuple[str, ...]]) -> dict[str, Any] | None:
    """Return one self-contained schema of the chosen keywords of several places; None when none is chosen."""
    parts = []
    for place, keywords in chosen.items():
        schema = document[place]
        part = {keyword: _copied(document, place, keyword, schema[keyword], {}) for keyword in keywords}
        if part:
            parts.append(part)
    if not parts:
        return None
    return _standing_alone(document, parts[0] if len(parts) == 1 else {"allOf": parts})


def document_without_list(document: Document, at: tuple[str, ...]) -> dict[str, Any]:
    """Return the document's schema with an empty list where the list of units stands."""
    return _standing_alone(document, _emptied(document, ((),), at))


def _emptied(document: Document, group: Group, at: tuple[str, ...]) -> dict[str, Any]:
    if not at:
        return dict(_EMPTY_LIST)
    joined = frozenset(document.together(group))
    parts = [_on_the_way(document, place, at, joined) for place in group]
    return parts[0] if len(parts) == 1 else {"allOf": parts}


def _on_the_way(document: Document, place: Place, at: tuple[str, ...], joined: frozenset[Place]) -> dict[str, Any]:
    """Copy one of the schemas that lead to the list; those beside the way stay as they are."""
    schema = document[place]
    if not isinstance(schema, dict):
        return {} if schema else {"not": {}}
    joined -= {place}
    replaced: dict[Place, Any] = {
        (*place, *child): _on_the_way(document, (*place, *child), at, joined)
        for child in children(schema)
        if (*place, *child) in joined
    }
    if at[0] in schema.get("properties", ()):
        below = (*place, "properties", at[0])
        replaced[below] = _emptied(document, (below,), at[1:])
    target = document.resolve(place, schema.get("$ref"))
    copied = {
        keyword: _copied(document, place, keyword, part, replaced)
        for keyword, part in schema.items()
        if keyword not in _OF_THE_DOCUMENT and not (keyword == "$ref" and target in joined)
    }
    if target in joined:
        copied["allOf"] = [*copied.get("allOf", ()), _on_the_way(document, target, at, joined)]
    return copied


def _copied(document: Document, place: Place, keyword: str, part: Any, replaced: Mapping[Place, Any]) -> Any:
    """Copy the value of one keyword, with what stands below it moved or replaced."""

    def moved(*way: str) -> Any:
        child = (*place, keyword, *way)
        return replaced[child] if child in replaced else _moved(document, child)

    if keyword == "$ref" and not document.is_plain:
        target = document.resolve(place, part)
        return part if target is None else document.uri(target)
    if keyword in ONE_SCHEMA:
        return moved()
    if keyword in LIST_OF_SCHEMAS:
        return [moved(str(index)) for index in range(len(part))]
    if keyword in MAP_OF_SCHEMAS:
        return {name: moved(name) for name in part}
    return part


def _moved(document: Document, place: Place) -> Any:
    """Return a schema that means anywhere what the one at ``place`` means there."""
    schema = document[place]
    return schema if isinstance(schema, bool) or document.is_plain else {"$ref": document.uri(place)}


def _standing_alone(document: Document, part: dict[str, Any]) -> dict[str, Any]:
    """Give a part all that it refers to.

    Where all references lead to ``$defs``, those that are needed come along; otherwise the whole document
    does, as one embedded resource under its own name, and the part points into it.
    """
    if not document.is_plain:
        return {"$id": PART, **part, "$defs": {"document": {**document.root, "$id": document.base}}}
    definitions = document.root.get("$defs", {})
    needed: dict[str, Any] = {}
    ahead = [part]
    while ahead:
        for _, schema in Document(ahead.pop()).schemas():
            target = document.resolve((), schema.get("$ref"))
            name = target[1] if target else ""
            if name and name not in needed:
                needed[name] = definitions[name]
                ahead.append({"allOf": [definitions[name]]})
    return {**part, "$defs": dict(sorted(needed.items()))} if needed else part
