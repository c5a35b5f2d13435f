"""The fast path: a sound delivery is validated in one call, and what a validator cannot hold is counted.

It gives the same verdict as the walk unit by unit, or none (``tests/property`` proves it): at the first
doubt (a duplicate key, a long number, a refused unit, a second bracket anywhere outside) it steps back
and the walk decides. Spans and per-unit objects are not made here; they are made when somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jiter
from pydantic_core import SchemaValidator, ValidationError, core_schema

from pratique.boundary.document import cut_out_list, find_list, walk_tail
from pratique.boundary.grammar import Grammar, grammar_of
from pratique.boundary.validate import Reader, has_long_number
from pratique.terms import Locality, Terms, strict_validator

__all__ = ["FastReading", "list_validator", "read_fast"]

_RE_OPENER = re.compile(r"[\[{<]")


@dataclass(frozen=True, slots=True)
class FastReading:
    """A delivery in which nothing is wrong so far: its values, as written, and its envelope."""

    values: list[Any]
    envelope: Any


@lru_cache(maxsize=256)
def list_validator(terms: Terms[Any]) -> SchemaValidator | None:
    """Return a validator of the whole list; None when the units need more than a validator."""
    unit = terms.unit
    if unit.core is None or not unit.bounded or unit.count_keys is None:
        return None
    core: Any = unit.core
    if core["type"] == "definitions":
        schema: Any = core_schema.definitions_schema(core_schema.list_schema(core["schema"]), core["definitions"])
    else:
        schema = core_schema.list_schema(core)
    return strict_validator(schema, terms.limits)


def read_fast(text: str, terms: Terms[Any], context: Mapping[str, Any]) -> FastReading | None:
    """Read a delivery that is one sound report or list, perhaps with prose or a fence around it.

    Shape: None when anything at all is in doubt.
    Limits: two passes in C over the text beside the validator's own.
    Not checked: uniqueness, checks, count; ``guard`` does that.
    """
    validator = list_validator(terms)
    opener = _RE_OPENER.search(text)
    if validator is None or opener is None or terms.locality is Locality.ONE:
        return None
    grammar = grammar_of(terms)
    start = opener.start()
    list_end = text.rfind("]") + 1
    envelope = None
    if terms.at:
        if opener[0] != "{":
            return None
        place = find_list(text, start, len(text), grammar, terms.at)
        if not place.sound or place.value != "list":
            return None
        tail = walk_tail(text, list_end, len(text), grammar, len(terms.at))
        if not tail.sound:
            return None
        list_start, end = place.start - 1, tail.end
        joined = cut_out_list(text, start, place.key_start, list_end, end).text
        if terms.envelope is None:
            if joined.strip("{} \t\r\n"):
                return None
        else:
            outcome = Reader(terms.envelope, terms.limits, context, joined).read(joined)
            if outcome is None or outcome.reason is not None:
                return None
            envelope = outcome.value
    else:
        if opener[0] != "[" or terms.envelope is not None:
            return None
        list_start, end = start, list_end
    if list_end <= list_start or not _nothing_around(text, start, end, grammar):
        return None
    listed = text[list_start:list_end]
    values = _read_list(listed, validator, terms, context)
    return None if values is None else FastReading(values, envelope)


def _nothing_around(text: str, start: int, end: int, grammar: Grammar) -> bool:
    """Say whether no other frame, reasoning or stray unit can stand before or after the document."""
    before, after = text[:start], text[end:]
    if _RE_OPENER.search(after) or "]" in before or "}" in before or "]" in after or "}" in after:
        return False
    return grammar.unit_key.search(before) is None and grammar.unit_key.search(after) is None


def _read_list(
    listed: str, validator: SchemaValidator, terms: Terms[Any], context: Mapping[str, Any]
) -> list[Any] | None:
    raw = listed.encode("utf-8", "surrogatepass")
    try:
        values: list[Any] = validator.validate_json(raw, context=dict(context) if terms.unit.references else None)
    except ValidationError:
        return None
    except Exception:  # caller's code: a validator that raises; the walk finds out which unit it was
        return None
    if not values or has_long_number(listed, terms.limits.max_number_digits):
        return None
    assert terms.unit.count_keys is not None
    return values if each_key_once(raw, terms.unit.count_keys.total(values)) else None


def each_key_once(raw: bytes, keys: int) -> bool:
    """Say whether no object in a JSON text has a key twice, given how many keys its values account for.

    Every key written has a colon. So when there are as many colons as keys, no key was written twice. Else
    strings hold colons too; with white space gone, ``":`` is the end of a key, or an escaped quote and a
    colon in a string, or the beginning of a string that starts with a colon. All of these count too much,
    never too little; so an equal count is proof, and on an unequal one a parser decides.
    """
    if raw.count(b":") == keys:
        return True
    bare = raw.translate(None, b" \t\r\n")
    ends = bare.count(b'":')
    if ends == keys or ends - bare.count(b'\\":') == keys:
        return True
    try:
        jiter.from_json(raw, catch_duplicate_keys=True)
    except ValueError:
        return False
    return True
