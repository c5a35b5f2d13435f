"""What a target promises of a contract: the contract's schema without all that the target does not enforce.

What the target writes, led back through the lens, keeps this schema; else a constraint was told as enforced and is
not. The conformance kit samples texts and holds the compiler to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pratique.dialects.nodes.constraint import ANNOTATIONS, Constraint, Fate, pointer_of
from pratique.terms.schema_document import LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA, Place

__all__ = ["promised"]

_WITH: Mapping[str, str] = {"else": "if", "maxContains": "contains", "minContains": "contains", "then": "if"}
"""Keywords that judge only together with another one."""


def promised(schema: Mapping[str, Any], constraints: Iterable[Constraint], part: str = "unit") -> dict[str, Any]:
    """Return the schema of what the target is sure to keep.

    Shape: ``schema`` is that of the contract's ``part``. References stay; a ``oneOf`` becomes an ``anyOf``, since
        its arms may have lost what told them apart.
    """
    kept = {row.pointer for row in constraints if row.part == part and row.fate is Fate.ENFORCED}
    found = _kept(schema, (), kept)
    assert isinstance(found, dict)
    return found


def _kept(schema: Any, place: Place, kept: set[str]) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        here = (*place, keyword)
        if keyword in ("$defs", "definitions"):
            found[keyword] = {name: _kept(part, (*here, name), kept) for name, part in value.items()}
        elif keyword == "$ref":
            found[keyword] = value
        elif keyword in ("allOf", "anyOf", "oneOf"):
            arms = [_kept(part, (*here, str(index)), kept) for index, part in enumerate(value)]
            found.setdefault("allOf", []).extend(arms if keyword == "allOf" else [{"anyOf": arms}])
        elif keyword in _WITH:
            if pointer_of((*place, _WITH[keyword])) in kept:
                found[keyword] = value
        elif keyword in ANNOTATIONS:
            found[keyword] = value
        elif pointer_of(here) in kept:
            found[keyword] = _kept_value(keyword, value, here, kept)
    return found


def _kept_value(keyword: str, value: Any, place: Place, kept: set[str]) -> Any:
    if keyword in MAP_OF_SCHEMAS:
        return {name: _kept(part, (*place, name), kept) for name, part in value.items()}
    if keyword in ONE_SCHEMA:
        return _kept(value, place, kept)
    if keyword in LIST_OF_SCHEMAS:
        return [_kept(part, (*place, str(index)), kept) for index, part in enumerate(value)]
    return value
