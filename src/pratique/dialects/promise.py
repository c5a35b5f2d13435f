"""What a target promises of a contract: the contract's schema without all that the target does not enforce.

What the target writes, led back through the lens, keeps this schema; else a constraint was told as enforced and is
not. The conformance kit samples texts and holds the compiler to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from pratique.dialects.nodes.constraint import ANNOTATIONS, NOT_EXCLUSIVE, Constraint, Fate, pointer_of
from pratique.terms.schema_document import LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA, Document, Place

__all__ = ["promised"]

_WITH: Mapping[str, str] = {"else": "if", "maxContains": "contains", "minContains": "contains", "then": "if"}
"""Keywords that judge only together with another one."""


_OF_THE_DOCUMENT = frozenset({
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "definitions", "id",
})  # fmt: skip


def promised(schema: Mapping[str, Any], constraints: Iterable[Constraint], part: str = "unit") -> dict[str, Any]:
    """Return the schema of what the target is sure to keep.

    Shape: ``schema`` is that of the contract's ``part``. What references lead to stands under ``$defs``; a ``oneOf``
        becomes an ``anyOf``, since its arms may have lost what told them apart.
    """
    kept = {
        row.pointer
        for row in constraints
        if row.part == part and (row.fate is Fate.ENFORCED or row.why == NOT_EXCLUSIVE)
    }
    return _Promise(Document(dict(schema)), kept).whole()


class _Promise:
    """Copy the places of a document without what is not kept, each place that is referred to once."""

    def __init__(self, document: Document, kept: set[str]) -> None:
        self._document = document
        self._kept = kept
        self._names: dict[Place, str] = {}
        self._ahead: list[Place] = []

    def whole(self) -> dict[str, Any]:
        """Return the root, and under ``$defs`` all that it leads to."""
        found = self._schema(self._document.root, ())
        assert isinstance(found, dict)
        definitions: dict[str, Any] = {}
        while self._ahead:
            place = self._ahead.pop()
            definitions[self._names[place]] = self._schema(self._document[place], place)
        return {**found, "$defs": definitions} if definitions else found

    def _schema(self, schema: Any, place: Place) -> Any:
        if not isinstance(schema, Mapping):
            return schema
        found: dict[str, Any] = {}
        for keyword, value in schema.items():
            here = (*place, keyword)
            if keyword == "$ref":
                found[keyword] = self._reference(place, value)
            elif keyword in ("allOf", "anyOf", "oneOf"):
                if keyword != "allOf" and pointer_of(here) not in self._kept:
                    continue
                arms = [self._schema(part, (*here, str(index))) for index, part in enumerate(value)]
                found.setdefault("allOf", []).extend(arms if keyword == "allOf" else [{"anyOf": arms}])
            elif keyword in _WITH:
                if pointer_of((*place, _WITH[keyword])) in self._kept:
                    found[keyword] = deepcopy(value)
            elif keyword not in _OF_THE_DOCUMENT and (keyword in ANNOTATIONS or pointer_of(here) in self._kept):
                found[keyword] = self._value(keyword, value, here)
        return found

    def _reference(self, place: Place, reference: Any) -> str:
        target = self._document.resolve(place, reference)
        assert target is not None  # the contract could not be compiled else
        if target not in self._names:
            self._names[target] = f"p{len(self._names)}"
            self._ahead.append(target)
        return f"#/$defs/{self._names[target]}"

    def _value(self, keyword: str, value: Any, place: Place) -> Any:
        if keyword in MAP_OF_SCHEMAS:
            return {name: self._schema(part, (*place, name)) for name, part in value.items()}
        if keyword in ONE_SCHEMA:
            return self._schema(value, place)
        if keyword in LIST_OF_SCHEMAS:
            return [self._schema(part, (*place, str(index))) for index, part in enumerate(value)]
        return deepcopy(value)
