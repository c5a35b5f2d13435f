"""The fast path: a sound list is validated in one call, and what a validator cannot hold is counted.

It gives the same verdict as the walk unit by unit, or none (``tests/property/test_fast_path.py``): at the
first doubt, a duplicate key, a long number, a unit its contract refuses, it steps back and the walk
decides. Spans and per-unit objects are not made here; ``admit`` makes them when somebody asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jiter
from pydantic_core import SchemaValidator, ValidationError, core_schema

from pratique.boundary.validate import has_long_number
from pratique.terms import Terms, strict_validator

__all__ = ["fast_list"]


@lru_cache(maxsize=256)
def _list_validator(terms: Terms[Any]) -> SchemaValidator | None:
    unit = terms.unit
    if unit.core is None or not unit.bounded or unit.count_keys is None:
        return None
    core = dict(unit.core)
    if core["type"] == "definitions":
        schema: Any = core_schema.definitions_schema(core_schema.list_schema(core["schema"]), core["definitions"])
    else:
        schema = core_schema.list_schema(unit.core)
    return strict_validator(schema, terms.limits)


def fast_list(
    text: str, start: int, stop: int, terms: Terms[Any], context: Mapping[str, Any]
) -> tuple[list[Any], int] | None:
    """Read the list whose bracket stands at ``start`` in one call.

    Shape: (values, offset just after the list), or None when anything at all is in doubt.
    Limits: one pass in C over the list's text.
    Not checked: uniqueness, checks, count; ``guard`` does that.
    """
    validator = _list_validator(terms)
    if validator is None:
        return None
    end = text.rfind("]", start, stop) + 1
    if end <= start:
        return None
    listed = text[start:end]
    try:
        values = validator.validate_json(listed, context=dict(context))
    except ValidationError:
        return None
    except Exception:  # caller's code: a validator that raises; the walk finds out which unit it was
        return None
    if not values or has_long_number(listed, terms.limits.max_number_digits):
        return None
    count_keys = terms.unit.count_keys
    assert count_keys is not None
    if not _each_key_once(listed, sum(map(count_keys, values))):
        return None
    return values, end


def _each_key_once(text: str, keys: int) -> bool:
    """Say whether no object has a key twice.

    A key is a string before a colon. With white space gone, ``":`` is a key's end or, in a string, an
    escaped quote and a colon; what is left must be as many as the values account for. A value that begins
    with a colon counts too much, never too little, and then a parser decides.
    """
    raw = text.encode()
    bare = raw.translate(None, b" \t\r\n")
    if bare.count(b'":') - bare.count(b'\\":') == keys:
        return True
    try:
        jiter.from_json(raw, catch_duplicate_keys=True)
    except ValueError:
        return False
    return True
