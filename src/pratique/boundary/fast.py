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
from typing import Any, TypeVar

import jiter
from pydantic_core import SchemaValidator, ValidationError, core_schema

from pratique.boundary.document import cut_out_list, find_list, holds_only, walk_tail
from pratique.boundary.grammar import Grammar, grammar_of
from pratique.boundary.validate import Reader, has_long_number
from pratique.terms import Locality, Terms, strict_validator
from pratique.text import Span

__all__ = ["FastReading", "list_validator", "read_fast"]

T = TypeVar("T")

_JSON_SPACE = " \t\r\n"
_RE_OPENER = re.compile(r"[\[{<]")


@dataclass(frozen=True, slots=True)
class FastReading:
    """A delivery in which nothing is wrong so far: its values, as written, and its envelope."""

    values: list[Any]
    envelope: Any


@lru_cache(maxsize=256)
def list_validator(terms: Terms[Any], *, forgiving: bool = False) -> SchemaValidator | None:
    """Return a validator of many units at once; None when the units need more than a validator.

    ``forgiving`` puts None in the place of a unit that its contract refuses, so that its neighbours pass.
    """
    unit = terms.unit
    if unit.core is None or not unit.bounded or unit.count_keys is None or unit.lens is not None:
        return None
    core: Any = unit.core
    definitions = core["definitions"] if core["type"] == "definitions" else None
    item = core["schema"] if definitions else core
    if forgiving:
        item = core_schema.with_default_schema(item, default=None, on_error="default")
    schema: Any = core_schema.list_schema(item)
    if definitions:
        schema = core_schema.definitions_schema(schema, definitions)
    return strict_validator(schema, terms.limits)


def read_fast(
    text: str, terms: Terms[Any], context: Mapping[str, Any], known: tuple[list[Any], int] | None = None
) -> FastReading | None:
    """Read a delivery that is one sound report or list, perhaps with prose or a fence around it.

    Shape: None when anything at all is in doubt; ``known`` is what a stream has read already, the values and
        where their list ended.
    Limits: two passes in C over the text beside the validator's own.
    Not checked: uniqueness, checks, count; ``guard`` does that.
    """
    opener = _RE_OPENER.search(text)
    if opener is None or list_validator(terms) is None or terms.locality is Locality.ONE:
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
        tail = walk_tail(text, list_end, len(text), grammar, terms.at)
        if not tail.sound or tail.again:
            return None
        list_start, end = place.start - 1, tail.end
        joined = cut_out_list(text, start, place.key_start, list_end, end).text
        if terms.envelope is None:
            if not holds_only(joined, terms.at):
                return None
        else:
            if terms.envelope.lens is not None:
                return None
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
    if known is not None:
        return FastReading(known[0], envelope) if known[0] and known[1] == list_end else None
    values = _read_list(text, Span(start, end), Span(list_start, list_end), terms, context)
    return None if values is None else FastReading(values, envelope)


def _nothing_around(text: str, start: int, end: int, grammar: Grammar) -> bool:
    """Say whether no other frame, reasoning or stray unit can stand before or after the document."""
    before, after = text[:start], text[end:]
    if _RE_OPENER.search(after) or "]" in before or "}" in before or "]" in after or "}" in after:
        return False
    return grammar.unit_key.search(before) is None and grammar.unit_key.search(after) is None


def _read_list(
    text: str, document: Span, listed: Span, terms: Terms[Any], context: Mapping[str, Any]
) -> list[Any] | None:
    """Validate the list where it stands: a large report is copied only when something stands around it."""
    whole = not text[: document.start].strip(_JSON_SPACE) and not text[document.end :].strip(_JSON_SPACE)
    known = dict(context) if terms.unit.references else None
    try:
        if whole and len(terms.at) == 1:
            values = _document_validator(terms).validate_json(text, context=known)[terms.at[0]]
        elif whole and not terms.at:
            values = _require(list_validator(terms)).validate_json(text, context=known)
        else:
            values = _require(list_validator(terms)).validate_json(text[slice(*listed)], context=known)
    except ValidationError:
        return None
    except Exception:  # noqa: BLE001  # caller's code: a validator that raises; the walk finds out which unit it was
        return None
    if not values or has_long_number(text, terms.limits.max_number_digits, *listed):
        return None
    return values if each_key_once(text, listed, _require(terms.unit.count_keys).total(values)) else None


@lru_cache(maxsize=256)
def _document_validator(terms: Terms[Any]) -> SchemaValidator:
    """Return a validator of the document that reads its list and passes over the rest, which is judged apart."""
    core: Any = _require(terms.unit.core)
    definitions = core["definitions"] if core["type"] == "definitions" else None
    listed = core_schema.list_schema(core["schema"] if definitions else core)
    field = core_schema.typed_dict_field(listed, required=True)
    schema: Any = core_schema.typed_dict_schema({terms.at[0]: field}, extra_behavior="ignore")
    if definitions:
        schema = core_schema.definitions_schema(schema, definitions)
    return strict_validator(schema, terms.limits)


def _require(value: T | None) -> T:
    assert value is not None  # ``read_fast`` looked before it came here
    return value


def each_key_once(text: str, span: Span, keys: int) -> bool:
    """Say whether no object in a JSON text has a key twice, given how many keys its values account for.

    Every key written has a colon. So when there are as many colons as keys, no key was written twice. Else
    strings hold colons too; with white space gone, ``":`` is the end of a key, or an escaped quote and a
    colon in a string, or the beginning of a string that starts with a colon. All of these count too much,
    never too little; so an equal count is proof, and on an unequal one a parser decides.
    """
    if text.count(":", *span) == keys:
        return True
    raw = text[slice(*span)].encode("utf-8", "surrogatepass")
    bare = raw.translate(None, b" \t\r\n")
    ends = bare.count(b'":')
    if ends == keys or ends - bare.count(b'\\":') == keys:
        return True
    try:
        jiter.from_json(raw, catch_duplicate_keys=True)
    except ValueError:
        return False
    return True
