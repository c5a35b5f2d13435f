"""Where in a contract's JSON Schema the marks stand that the schema does not show: references, and class docstrings.

A ``Reference`` on a field of a typed contract is in the core schema alone. So the schema is made once more from
the core, with the marks written into it, and only their places are kept.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema

from pratique.terms.markers import METADATA_KEY
from pratique.terms.schema_document import Document, Place
from pratique.terms.shape import Shape

__all__ = ["docstrings_of", "keys_of_fields", "reference_places"]

_MARK = "x-pratique-reference"
_REFERS = re.compile(r"(?P<pointer>(?:/[^/]*)*) refers to (?P<name>.+)", re.DOTALL)


class _Marked(GenerateJsonSchema):
    """Write the name of a reference beside the schema of its field."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default", "skipped-discriminator"}  # noqa: RUF012

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        """Make the schema of one node of the core."""
        made = super().generate_inner(schema)
        mark = (schema.get("metadata") or {}).get(METADATA_KEY, {}).get("reference")
        return {**made, _MARK: mark} if mark else made


def reference_places(shape: Shape[Any], document: Document) -> Mapping[Place, str]:
    """Return the places of a shape's schema whose value names something that must exist, with the reference's name.

    Shape: ``document`` holds ``shape.schema``.
    """
    if not shape.references:
        return {}
    if shape.core is not None:
        marked = Document(dict(_Marked().generate(shape.core, mode="validation")))
        return {
            place: str(schema[_MARK]) for place, schema in marked.schemas() if _MARK in schema and place in document
        }
    found: dict[Place, str] = {}
    for rule in shape.beyond_schema:
        said = _REFERS.fullmatch(rule)
        if said is not None:
            group: tuple[Place, ...] = ((),)
            for key in said["pointer"].split("/")[1:]:
                group = document.descend(group, key.replace("~1", "/").replace("~0", "~"))
            found.update(dict.fromkeys(document.together(group), said["name"]))
    return found


def docstrings_of(shape: Shape[Any]) -> frozenset[str]:
    """Return the docstrings of the classes that a typed contract is made of: they are for programmers."""
    kinds = {node["cls"] for node in _nodes(shape.core) if isinstance(node.get("cls"), type)}
    return frozenset(
        inspect.cleandoc(kind.__doc__) for kind in kinds if kind is not Enum and isinstance(kind.__doc__, str)
    )


def keys_of_fields(shape: Shape[Any]) -> Mapping[str, str]:
    """Return field name -> JSON key, for the fields of a typed contract that are written under another name."""
    found: dict[str, str] = {}
    for node in _nodes(shape.core):
        parts = node.get("fields")
        if isinstance(parts, dict):
            named: list[tuple[str, Any]] = list(parts.items())
        elif isinstance(parts, (list, tuple)):
            named = [(part["name"], part) for part in parts]
        else:
            continue
        for name, part in named:
            alias = part.get("validation_alias")
            first = alias[0] if isinstance(alias, list) and alias else alias
            first = first[0] if isinstance(first, list) and first else first
            if isinstance(first, str):
                found.setdefault(name, first)
    return found


def _nodes(core: CoreSchema | None) -> Iterator[dict[str, Any]]:
    """Yield every node of a core schema."""
    ahead: list[Any] = [core]
    while ahead:
        node = ahead.pop()
        if isinstance(node, dict):
            yield node
            ahead.extend(part for name, part in node.items() if name not in ("metadata", "config", "serialization"))
        elif isinstance(node, (list, tuple)):
            ahead.extend(node)
