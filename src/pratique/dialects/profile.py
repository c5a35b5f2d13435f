"""A profile: what one endpoint's schema dialect accepts and what it keeps, as dated data.

Every cell says how it is known. What is not in the table is not sent: an endpoint that ignores a keyword
without a word is as bad as one that refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

__all__ = ["ANNOTATIONS", "FORMS", "KEYWORDS", "Bounds", "Cell", "Known", "Patterns", "Profile", "Support", "cells"]

KEYWORDS = (
    "type", "properties", "required", "additionalProperties", "items", "const", "anyOf", "oneOf", "allOf", "not", "if",
    "then", "else", "dependentRequired", "dependentSchemas", "$ref", "$defs", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems",
    "uniqueItems", "prefixItems", "contains", "minContains", "maxContains", "patternProperties", "propertyNames",
    "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip
"""JSON Schema's keywords that a table speaks of; ``additionalProperties`` is its value ``false``."""
ANNOTATIONS = ("title", "description", "default", "examples", "discriminator")
"""Keywords that assert nothing: accepted is all that they can be, and their cell then says ``ignored``."""
FORMS = (
    "enum string", "enum number", "enum boolean", "enum null", "any", "open object", "map", "optional", "type list",
    "root union", "recursion", "$ref siblings",
)  # fmt: skip
"""What a schema may look like, where a keyword's name does not tell it."""


class Support(StrEnum):
    """Say what an endpoint does with one keyword or form."""

    ENFORCED = "enforced"
    """Accepted, and what comes out keeps it."""
    IGNORED = "ignored"
    """Accepted and, without a word, not kept."""
    REFUSED = "refused"
    """The request fails, or the schema is read as something else."""
    UNKNOWN = "unknown"
    """Not established; not sent."""


class Known(StrEnum):
    """Say how firm a cell is."""

    MEASURED = "measured"
    """Somebody ran it: here, or in the source that the cell names."""
    DOCUMENTED = "documented"
    """The vendor's page, SDK or error text says so."""
    UNVERIFIED = "unverified"
    """Inferred."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a profile's table."""

    support: Support
    known: Known
    source: str
    """Where it is written or what was run, in words: ``structured-outputs guide, 2026-07``."""
    note: str = ""


def cells(names: Iterable[str], support: Support, known: Known, source: str, note: str = "") -> dict[str, Cell]:
    """Make one cell, and give it to each of the names."""
    return dict.fromkeys(names, Cell(support, known, source, note))


@dataclass(frozen=True, slots=True)
class Patterns:
    """What a dialect's regular expressions may hold; a pattern with anything else is not sent."""

    look_around: bool = False
    back_references: bool = False
    word_boundary: bool = False
    unanchored: bool = True
    """Whether a pattern that is not ``^…$`` as a whole is searched for, as JSON Schema says."""
    max_repeat: int | None = None
    """Largest count in ``{n,m}``, counts of nested groups multiplied; None: no bound is known."""
    beside_length: bool = True
    """Whether ``minLength`` and ``maxLength`` hold beside a pattern or a format."""
    lazy: bool = False
    """Whether ``*?`` and its kin are read."""
    named_groups: bool = False
    letter_classes: bool = False
    """Whether ``\\p{…}`` is read."""
    flags: bool = False
    """Whether a group may begin with flags: ``(?i:…)``."""
    escaped: bool = True
    """Whether a pattern may match what JSON writes with a backslash (a quote, a backslash, a control character):
    a dot, a negated class, ``\\s`` and the classes in capitals do."""
    escapes: frozenset[str] | None = None
    """What may stand behind a backslash, outside of a class; None: whatever the other rules allow."""

    def takes(self, pattern: str) -> bool:
        """Say whether a pattern holds nothing but what is kept.

        Limits: linear in ``pattern``.
        Not checked: whether it is a regular expression.
        """
        return all(self._allows(use) for use in _uses_of(pattern))

    def _allows(self, use: _Use) -> bool:
        if use.kind == "escape":
            return self._allows_escape(use.text, in_class=use.in_class)
        if use.kind == "count":
            return self.max_repeat is None or int(use.text) <= self.max_repeat
        return {
            "look-around": self.look_around,
            "reference": self.back_references,
            "name": self.named_groups,
            "flags": self.flags,
            "lazy": self.lazy,
            "wild": self.escaped,
            "part": self.unanchored,
            "inner anchor": False,
        }[use.kind]

    def _allows_escape(self, sign: str, *, in_class: bool) -> bool:
        if self.escapes is not None and (sign not in self.escapes or (in_class and sign not in "[]")):
            return False
        if sign in "pP":
            return self.letter_classes
        if sign in "bB" and not in_class:
            return self.word_boundary
        if sign in "123456789k" and not in_class:
            return self.back_references
        return self.escaped or sign not in "sSWDnrtfv0bcxu\\"


class _Use(NamedTuple):
    kind: str
    text: str = ""
    in_class: bool = False


_GROUP = re.compile(r"\(\?(?:(?P<plain>:)|(?P<look><?[=!])|(?P<name>P?<)|(?P<reference>P=)|(?P<flags>.))", re.DOTALL)
_COUNT = re.compile(r"\{(\d*)(?:,(\d*))?\}")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d*(?:,\d*)?\})[?+]")


def _uses_of(pattern: str) -> Iterator[_Use]:
    """Yield what a pattern uses beyond literals, classes, groups, choices and quantifiers."""
    at, in_class = 0, False
    inside, last = [1], 1  # how often the innermost piece of each open group, and of the last one closed, repeats
    is_whole = pattern.startswith("^") and pattern.endswith("$") and not re.search(r"(?<!\\)(?:\\\\)*\\\$$", pattern)
    while at < len(pattern):
        sign, found = pattern[at], None
        if sign == "\\":
            yield _Use("escape", pattern[at + 1 : at + 2], in_class)
            at, last = at + 2, 1
            continue
        if sign == '"' or sign < " ":
            yield _Use("wild")
        if in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
            if pattern.startswith("[^", at):
                yield _Use("wild")
        elif sign == "(":
            inside.append(1)
            found = _GROUP.match(pattern, at)
            if found and found.lastgroup != "plain":
                yield _Use("look-around" if found.lastgroup == "look" else str(found.lastgroup))
        elif sign == ")":
            last = inside.pop() if len(inside) > 1 else 1
        elif sign == ".":
            yield _Use("wild")
        elif sign == "|" and len(inside) == 1:
            is_whole = False
        elif sign in "^$":
            before, after = pattern[at - 1 : at], pattern[at + 1 : at + 2]
            if (before if sign == "^" else after) not in ("", "|") or len(inside) > 1:
                yield _Use("inner anchor")
        elif sign in "*+?{":
            if _QUANTIFIER.match(pattern, at):
                yield _Use("lazy")
            found = _COUNT.match(pattern, at)
            last *= max((int(count) for count in found.groups() if count), default=1) if found else 1
            yield _Use("count", str(last))
            inside[-1] = max(inside[-1], last)
        if sign not in "*+?{})":
            last = 1
        at = found.end() if found else at + 1
    if not is_whole:
        yield _Use("part")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one request; None: none is known. Counts are inclusive."""

    max_properties: int | None = None
    """Properties in the whole schema."""
    max_depth: int | None = None
    """Levels of nested objects and arrays, references not followed."""
    max_enum_values: int | None = None
    """Values of all enums together."""
    max_enum_chars: int | None = None
    """Characters of one enum's values, when it has more than ``many_enum_values``."""
    many_enum_values: int | None = None
    max_name_chars: int | None = None
    """Characters of all property names, definition names, enum and const values together."""
    max_optional: int | None = None
    """Properties that are not required, reached without following a reference."""
    max_unions: int | None = None
    """``anyOf`` and type lists, reached without following a reference."""
    max_strict_tools: int | None = None
    max_schema_bytes: int | None = None
    """UTF-8 bytes of the schema as JSON."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Hold what one endpoint accepts.

    Shape: ``cells`` maps a keyword or a form to its cell. Keywords are JSON Schema's own names. Forms are
        ``any`` (a schema that says nothing), ``open object`` (additionalProperties absent or true),
        ``map`` (additionalProperties is a schema), ``optional`` (a property that is not required),
        ``type list``, ``root union``, ``recursion``, ``$ref siblings``, and ``enum null``, ``enum boolean``,
        ``enum number``, ``enum string`` (integers are numbers).
    """

    endpoint: str
    models: str
    """Model family for which the table holds, in words."""
    read_on: str
    """ISO date on which the sources were read."""
    cells: Mapping[str, Cell]
    formats: frozenset[str] = frozenset()
    """Values of ``format`` that are kept; another one is not sent."""
    patterns: Patterns = field(default_factory=Patterns)
    bounds: Bounds = field(default_factory=Bounds)
    root_object: bool = False
    """The root must be an object."""
    closed_objects: bool = False
    """Every object must say ``additionalProperties: false``."""
    distinct_first_keys: bool = False
    """Two objects of one ``anyOf`` may not begin with the same key, unless it is a const in both."""
    const_as_enum: bool = False
    """A const is written as an enum of one value."""
    required_first: bool = False
    """Required keys come before optional ones in what the endpoint writes."""
    integer_bounds_only: bool = False
    """``minimum`` and its kin hold for integers only."""
    integer_multiples_only: bool = False
    """``multipleOf`` holds for integers only."""
    required_counted_only: bool = False
    """``minProperties`` and ``maxProperties`` hold only where every named property is required."""
    no_empty_names: bool = False
    """No property may have the empty name: the endpoint could not write it."""
    loose_case: bool = False
    """What is enumerated may come back in another letter case; the boundary restores it when only one value fits."""
    max_count: int | None = None
    """Largest value of ``minLength``, ``maxLength``, ``minItems`` and ``maxItems`` that is kept; None: any."""
    max_bound: int | None = None
    """Largest ``minimum``, ``maximum`` and their kin, whatever their sign, that is kept; None: any."""
    max_multiple: int | None = None
    """Largest ``multipleOf`` that is kept; None: any."""
    max_min_items: int | None = None
    """Largest ``minItems`` that is accepted; None: any."""
    tool_name: str = r"[a-zA-Z0-9_-]{1,64}"
    """Pattern that the name of a tool or a schema must match as a whole."""

    def support(self, name: str) -> Support:
        """Say what the endpoint does with a keyword or form; unknown when the table does not say."""
        cell = self.cells.get(name)
        return Support.UNKNOWN if cell is None else cell.support

    def keeps(self, name: str) -> bool:
        """Say whether a keyword or form is accepted and kept."""
        return self.support(name) is Support.ENFORCED

    def holds(self, keyword: str, value: Any, kind: str) -> bool:
        """Say whether an assertion with this value is kept on values of one type.

        Shape: ``kind`` is ``object``, ``array``, ``string``, ``integer`` or ``number``.
        Not checked: what stands beside it: ``patterns.beside_length``, ``required_counted_only``.
        """
        if not self.keeps(keyword):
            return False
        if keyword == "pattern":
            return self.patterns.takes(value)
        if keyword == "format":
            return value in self.formats
        if keyword == "minItems" and self.max_min_items is not None and value > self.max_min_items:
            return False
        most, integers_only = {
            **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), (self.max_count, False)),
            **dict.fromkeys(
                ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
                (self.max_bound, self.integer_bounds_only),
            ),
            "multipleOf": (self.max_multiple, self.integer_multiples_only),
        }.get(keyword, (None, False))
        return (most is None or abs(value) <= most) and not (integers_only and kind == "number")

    def accepts(self, name: str) -> bool:
        """Say whether a keyword or form may be sent at all: what to ask about an annotation."""
        return self.support(name) in (Support.ENFORCED, Support.IGNORED)
