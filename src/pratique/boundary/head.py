"""Find where the units begin in a delivery of which only the beginning is there.

What is said here must hold whatever follows. So only the plain heads count: nothing that looks like a payload
before the first one, no wrapper, no encoded text, and the first key known. For every other head the answer is
None: the delivery is judged when all of it is there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pratique.boundary.document import find_list, next_after
from pratique.boundary.frame import (
    RE_CLOSE_THINK,
    RE_FIRST_KEY,
    RE_MARK,
    Brackets,
    Form,
    Opening,
    Region,
    at_line_start,
    find_opening,
    skip_space,
)
from pratique.boundary.grammar import Grammar, key_of
from pratique.terms import Locality, Terms

__all__ = ["Start", "find_start"]


class Start(NamedTuple):
    """Say where the first unit of the first payload may begin. Units: offsets into the text."""

    at: int
    bracketed: bool
    """Whether ``[`` opened the list; else the units stand one a line, or concatenated."""


def find_start(text: str, terms: Terms[Any], grammar: Grammar) -> Start | None:
    """Find where the units of the first payload begin, if that holds whatever follows ``text``.

    Limits: linear in the text.
    """
    region = Region(text, 1 if text.startswith("\ufeff") else 0, len(text))
    at = region.start
    while True:
        mark = RE_MARK.search(text, at)
        if mark is None or text.find("[", at, mark.start()) >= 0 or text.find("{", at, mark.start()) >= 0:
            return None
        if not mark["think"]:
            break
        closing = mark if mark[2] else RE_CLOSE_THINK.search(text, mark.end())
        if closing is None:
            return None
        at = closing.end()
    brackets = Brackets(text, region.stop)
    opening = next(find_opening(region, at, terms, grammar, brackets), None)
    if not isinstance(opening, Opening) or opening.start != mark.start() or opening.wrappers:
        return None
    if opening.form is Form.REPORT:
        return _in_report(region, opening.inner, terms, grammar, brackets)
    if opening.form is Form.LIST:
        first = skip_space(text, opening.inner + 1, region.stop)
        return Start(opening.inner + 1, True) if grammar.unit_start.match(text, first) else None
    if opening.form is Form.UNIT and terms.locality is not Locality.ONE:
        return _in_lines(region, opening.inner, grammar, brackets)
    return None


def _in_report(region: Region, start: int, terms: Terms[Any], grammar: Grammar, brackets: Brackets) -> Start | None:
    """Find the list in a document, or the units on the lines after it."""
    text = region.text
    key = RE_FIRST_KEY.match(text, start)
    first = key_of(key[2]) if key is not None else None
    known = first is not None and (first == terms.at[0] or first in grammar.envelope_keys)
    place = find_list(text, start, region.stop, grammar, terms.at, brackets.end, torn=False)
    if place.sound and place.value == "list" and (known or terms.at[0] not in terms.unit.all_keys):
        return Start(place.start, True)
    if place.sound and place.value == "none" and known and first not in grammar.unit_keys:
        after = next_after(text, place.end, region.stop)
        return Start(after, False) if grammar.unit_start.match(text, after) else None
    return None


def _in_lines(region: Region, start: int, grammar: Grammar, brackets: Brackets) -> Start | None:
    """Say whether a second unit follows the first one: a single object counts only when it is all there is."""
    text = region.text
    end = brackets.end(start)
    if end is None or not grammar.unit_start.match(text, start) or not at_line_start(text, start, region.start):
        return None
    return Start(start, False) if grammar.unit_start.match(text, next_after(text, end, region.stop)) else None
