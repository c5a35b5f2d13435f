"""The longest delivery that a contract can admit, and the ``max_tokens`` that leave room for it.

A ceiling holds under assumptions on how a producer writes, all of them in ``Spelling`` and settable; an estimate is for
planning. What nothing in the contract bounds has no size: it is named, with the remedy, and no number is made up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pratique.dialects.nodes.constraint import pointer_of
from pratique.dialects.nodes.node import Choice, Listing, Loose, Node, Record, Scalar
from pratique.dialects.words.formats import FORMATS
from pratique.dialects.words.framing import Framing, require_framing
from pratique.dialects.words.instance import node_of
from pratique.dialects.words.pattern import longest_match
from pratique.errors import Misuse
from pratique.show import show
from pratique.terms.schema_document import Place
from pratique.terms.terms import Locality, Terms

__all__ = [
    "ASCII_ONLY",
    "CHARS_PER_TOKEN",
    "HEADROOM",
    "PLAIN",
    "Size",
    "Spelling",
    "Unbounded",
    "max_tokens_for",
    "size_of",
    "worst_size",
]

CHARS_PER_TOKEN = 2.6
"""Characters of JSON in one token, for planning. Source: 101 real replies of small models, November 2026, usage against
characters: of the 47 that ended by themselves with at least 100 tokens and a unit in them, the lowest has 2.63, the
median 3.13 (``tests/unit/test_told.py`` computes it again). Other tokenizers and languages differ: measure your own."""

HEADROOM = 1.25
"""Times the estimate that ``max_tokens`` leaves room for: fences, a sentence around the payload, a worse tokenizer. A
delivery that is cut off costs a unit, room that is not used costs nothing."""

MAX_NUMBER_CHARS = 25
"""One number that is not whole, characters: the shortest form that gives a double back has at most 24
(``-1.7976931348623157e+308``), and a writer may put a plus sign into it."""

MAX_SHORT_FORMAT_CHARS = 64
"""Text in a format that is a line at most (dates, UUIDs, addresses of hosts), characters, where the schema has no
``maxLength``: grammars allow digits without end, nobody writes them. E-mail addresses and host names: below."""

MAX_ADDRESS_CHARS = 254
"""An e-mail address or a host name, characters. Source: RFC 5321 section 4.5.3.1.3, RFC 1035 section 2.3.4."""

_ADDRESSES = frozenset({"email", "idn-email", "hostname", "idn-hostname"})
_BOUNDS = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"})
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Spelling:
    """Say how a producer is assumed to write text inside quotes; keys and listed values are counted as they are."""

    chars_per_char: int = 2
    """Characters written for one character of text. 2: any of them may be a quote, a backslash or a line end."""
    bytes_per_char: int = 4
    """UTF-8 bytes written for one character of text. 4: any of them may be an emoji."""

    def __post_init__(self) -> None:
        for name in ("chars_per_char", "bytes_per_char"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise Misuse(f"{name} must be a whole number of at least 1", remedy="leave it out for the default")


PLAIN = Spelling()
"""Text as models write it: UTF-8 with short escapes; control characters other than line ends and tabs do not come."""
ASCII_ONLY = Spelling(12, 12)
"""Text in which any character may be written as ``\\uXXXX``, those beyond the first 65,536 as two of them."""


class Unbounded(NamedTuple):
    """Name something that may be as long as its producer likes."""

    part: str
    """``unit`` or ``envelope``: whose schema the pointer is for."""
    pointer: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.part} {self.pointer}: {self.what}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Size:
    """How long a text is, or can be at most.

    Units: characters are code points. None: nothing bounds it, and ``unbounded`` says what.
    """

    chars: int | None
    utf8_bytes: int | None
    tokens_at_most: int | None
    """One token a byte: a byte-level tokenizer never makes more of them."""
    tokens_estimated: int | None
    """By ``CHARS_PER_TOKEN``, with each character of text written as itself."""
    unbounded: tuple[Unbounded, ...] = ()


def worst_size(
    terms: Terms[Any],
    *,
    framing: Framing = "document",
    spelling: Spelling = PLAIN,
    chars_per_token: float = CHARS_PER_TOKEN,
) -> Size:
    """Compute the size of the longest delivery that the contract can admit.

    Shape: as many units as ``limits.max_items``, each with every field at its longest, and the envelope. Written with
        an indent of two as a document, with a blank after each colon and comma as NDJSON; numbers in their shortest
        form; nothing around the payload.
    Limits: every text is at most ``limits.max_string_chars``, whole numbers ``limits.max_number_digits``, nesting
        ``limits.max_depth``, the whole ``limits.max_bytes``. Linear in the schema, times its depth.
    Errors: Misuse for a framing that the boundary could not read, and a ratio that is none.
    Not checked: fields that exclude each other (``oneOf`` beside ``properties``, conditions): the size is an upper
        bound, and may be larger than any delivery.
    """
    require_framing(terms, framing)
    _require_ratio("chars_per_token", chars_per_token, 0)
    unbounded: list[Unbounded] = []
    longest = _delivery(terms, framing, spelling, unbounded)
    plain = _delivery(terms, framing, Spelling(1, 1), [])
    if unbounded:
        return Size(None, None, None, None, tuple(unbounded))
    most = terms.limits.max_bytes
    utf8 = min(longest.utf8_bytes, most)
    return Size(min(longest.chars, most), utf8, utf8, min(math.ceil(plain.chars / chars_per_token), utf8))


def size_of(text: str, *, chars_per_token: float = CHARS_PER_TOKEN) -> Size:
    """Measure a text: what ``told`` made, say.

    Errors: Misuse for a ratio that is none.
    """
    _require_ratio("chars_per_token", chars_per_token, 0)
    utf8 = len(text.encode("utf-8", "surrogatepass"))
    return Size(len(text), utf8, utf8, min(math.ceil(len(text) / chars_per_token), utf8))


def max_tokens_for(size: Size, *, headroom: float = HEADROOM) -> int:
    """Compute the ``max_tokens`` to ask for, so that the longest delivery is not cut off.

    Shape: the estimate times ``headroom``, and never more than the ceiling.
    Units: tokens.
    Errors: Misuse when the size is unbounded, with what has to be bounded.
    """
    _require_ratio("headroom", headroom, 1)
    if size.tokens_estimated is None or size.tokens_at_most is None:
        first = size.unbounded[0] if size.unbounded else None
        raise Misuse(
            "the contract bounds no delivery"
            + (f": {first.part} {show(first.pointer)}, {first.what}" if first else ""),
            remedy=first.remedy if first else "bound what the contract admits",
        )
    return max(1, min(math.ceil(size.tokens_estimated * headroom), size.tokens_at_most))


def _require_ratio(name: str, value: float, least: float) -> None:
    wrong = isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value)
    if wrong or value < least or value == 0:
        raise Misuse(
            f"{name} cannot be {show(value)}", remedy=f"give a number of at least {least or 'a little over 0'}"
        )


# ---------------------------------------------------------------------- walking down


class _Extent(NamedTuple):
    """How long something can be."""

    chars: int
    utf8_bytes: int

    def plus(self, other: _Extent) -> _Extent:
        return _Extent(self.chars + other.chars, self.utf8_bytes + other.utf8_bytes)

    def times(self, many: int) -> _Extent:
        return _Extent(self.chars * many, self.utf8_bytes * many)


_NOTHING = _Extent(0, 0)


def _ascii(chars: int) -> _Extent:
    return _Extent(chars, chars)


def _written(value: Any) -> _Extent:
    """Measure a listed value or a key as it stands, in the longer one of its two usual spellings."""
    bare, escaped = json.dumps(value, ensure_ascii=False), json.dumps(value)
    longest = max(len(bare.encode("utf-8", "surrogatepass")), len(escaped))
    return _Extent(max(len(bare), len(escaped)), longest)


def _longest(extents: Iterable[_Extent]) -> _Extent:
    listed = list(extents)
    return _Extent(max(each.chars for each in listed), max(each.utf8_bytes for each in listed))


def _delivery(terms: Terms[Any], framing: Framing, spelling: Spelling, unbounded: list[Unbounded]) -> _Extent:
    """Measure the whole. What a contract admits nothing of counts nothing."""
    indent = _INDENT if framing == "document" else None
    is_one = terms.locality is Locality.ONE
    levels = 0 if is_one or framing == "ndjson" else 1 + len(terms.at)
    unit = _Walk(terms, "unit", indent, spelling, unbounded).longest(node_of(terms.unit)[1], levels) or _NOTHING
    around: _Extent | None = None
    if terms.envelope is not None:
        around = _Walk(terms, "envelope", indent, spelling, unbounded).longest(node_of(terms.envelope)[1], 0)
    if is_one:
        return unit
    line = 1 + (0 if indent is None else indent * levels)
    whole = unit.plus(_ascii(line + 1)).times(terms.limits.max_items).plus(around or _NOTHING)
    for level, key in enumerate(terms.at):
        # Braces, the key, its colon and comma, and the lines they stand on.
        whole = whole.plus(_written(key)).plus(_ascii(8 + 2 * _INDENT * (level + 1)))
    return whole.plus(_ascii(4 + 2 * _INDENT * len(terms.at)))


@dataclass(slots=True)
class _Walk:
    """Measure nodes; each once a level.

    What nothing bounds is noted and counts nothing: a size with such a part is not given away.
    """

    terms: Terms[Any]
    part: str
    indent: int | None
    spelling: Spelling
    unbounded: list[Unbounded]
    _near: Place = ()
    """Where what is measured stands in the schema: a value about which nothing is said does not tell."""
    _known: dict[tuple[int, int, int], _Extent | None] = field(default_factory=dict)

    def longest(self, node: Node, level: int, depth: int = 1) -> _Extent | None:
        """Return the longest text of a node's values; None when there is no value.

        Shape: ``level`` counts indents, ``depth`` the levels of the unit, its own braces being 1.
        """
        key = (id(node), level, depth)
        if key not in self._known:
            self._known[key] = self._measure(node, level, depth)
        return self._known[key]

    def _measure(self, node: Node, level: int, depth: int) -> _Extent | None:
        if node.never:
            return None
        form = node.form
        if form is None:
            found = [self.longest(arm, level, depth) for arm in node.arms]
            extents = [each for each in found if each is not None]
            return _longest(extents) if extents else None
        if isinstance(form, Choice):
            return _longest(map(_written, form.values)) if form.values else None
        if isinstance(form, Scalar):
            return self._scalar(form)
        if isinstance(form, Loose):
            return self._loose(form, depth)
        if depth > self.terms.limits.max_depth:
            return None  # deeper values are not admitted
        return self._record(form, level, depth) if isinstance(form, Record) else self._listing(form, level, depth)

    def _endless(self, form: Record | Listing | Loose, what: str, remedy: str) -> _Extent:
        place = form.sources[0].place if form.sources else self._near
        found = Unbounded(self.part, pointer_of(place) or "/", what, remedy)
        if found not in self.unbounded:
            self.unbounded.append(found)
        return _NOTHING

    def _text(self, chars: int) -> _Extent:
        chars = min(chars, self.terms.limits.max_string_chars)
        return _Extent(2 + chars * self.spelling.chars_per_char, 2 + chars * self.spelling.bytes_per_char)

    def _scalar(self, form: Scalar) -> _Extent:
        rules = {rule.keyword: rule.value for rule in form.rules}
        if form.kind == "null":
            return _ascii(4)
        if form.kind == "boolean":
            return _ascii(5)
        if form.kind == "string":
            return self._text(self._text_chars(rules))
        digits = self.terms.limits.max_number_digits
        bounds = [bound for word, bound in rules.items() if word in _BOUNDS]
        is_held = len(bounds) > 1  # the reading keeps one lower and one upper bound
        if is_held:
            digits = min(digits, max(len(str(abs(math.trunc(bound)))) for bound in bounds))
        if form.kind == "integer":
            return _ascii(1 + digits)
        return _ascii(max(MAX_NUMBER_CHARS, 1 + digits if is_held else 0))

    def _text_chars(self, rules: dict[str, Any]) -> int:
        """Return how many characters a text may have by its own rules."""
        bounds = [self.terms.limits.max_string_chars]
        if "maxLength" in rules:
            bounds.append(int(rules["maxLength"]))
        if "pattern" in rules:
            longest = longest_match(str(rules["pattern"]))
            bounds += [] if longest is None else [longest]
        known = FORMATS.get(str(rules.get("format")))
        if known is not None and known.is_short:
            bounds.append(MAX_ADDRESS_CHARS if rules["format"] in _ADDRESSES else MAX_SHORT_FORMAT_CHARS)
        return min(bounds)

    def _loose(self, form: Loose, depth: int) -> _Extent | None:
        if {"array", "object"} & set(form.kinds) and depth <= self.terms.limits.max_depth:
            return self._endless(form, "a value of any type has no bound", "describe the value")
        simple = {"string": self._text(self.terms.limits.max_string_chars), "number": _ascii(MAX_NUMBER_CHARS)}
        return _longest(simple.get(kind, _ascii(5)) for kind in form.kinds)

    def _line(self, level: int) -> int:
        """Return what begins a member's line, and ends it with a comma."""
        return 2 if self.indent is None else 2 + self.indent * level

    def _record(self, form: Record, level: int, depth: int) -> _Extent | None:
        whole = _ascii(2 + self._line(level))
        owner = next((source.place for source in form.sources if source.keyword == "properties"), ())
        for name, entry in form.fields.items():
            self._near = (*owner, "properties", name)
            value = self.longest(entry.node, level + 1, depth + 1)
            if value is None:
                if entry.required:
                    return None
                continue
            whole = whole.plus(_written(name)).plus(value).plus(_ascii(2 + self._line(level + 1)))
        if form.rest is None:
            return whole
        self._near = next((source.place for source in (*form.rest_sources, *form.sources)), ())
        value = self.longest(form.rest, level + 1, depth + 1)
        most = min((int(rule.value) for rule in form.rules if rule.keyword == "maxProperties"), default=None)
        if value is None:
            return whole
        if most is None:
            remedy = "say max_length (maxProperties), or additionalProperties: false"
            return self._endless(form, "an object may have any number of keys", remedy)
        key = self._text(self.terms.limits.max_string_chars)
        pair = key.plus(value).plus(_ascii(2 + self._line(level + 1)))
        return whole.plus(pair.times(most))

    def _listing(self, form: Listing, level: int, depth: int) -> _Extent | None:
        whole = _ascii(2 + self._line(level))
        line = _ascii(self._line(level + 1))
        for index, node in enumerate(form.prefix):
            value = self.longest(node, level + 1, depth + 1)
            if value is None and index < form.min_items:
                return None
            whole = whole.plus(value or _NOTHING).plus(line)
        if form.items is None or (form.max_items is not None and form.max_items <= len(form.prefix)):
            return whole
        self._near = next(((*source.place, "items") for source in form.sources if source.keyword == "items"), ())
        value = self.longest(form.items, level + 1, depth + 1)
        if value is None:
            return None if form.min_items > len(form.prefix) else whole
        most = form.max_items
        inner = form.items.form
        if any(rule.keyword == "uniqueItems" for rule in form.rules) and isinstance(inner, Choice):
            most = len(inner.values) if most is None else min(most, len(inner.values))
        if most is None:
            return self._endless(form, "a list may have any number of elements", "say max_length (maxItems)")
        return whole.plus(value.plus(line).times(max(0, most - len(form.prefix))))
