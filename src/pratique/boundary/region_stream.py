"""Read one region of a delivery while it is coming: first its head, then the list of units in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pratique.boundary.grammar import grammar_of
from pratique.boundary.head import find_start
from pratique.boundary.list_stream import ListStream, Read
from pratique.terms import Terms

__all__ = ["RegionStream"]

HEAD_WORK = 8
"""Characters that may be looked at, for each that came, to find where the first payload begins."""

MIN_HEAD_CHARS = 4_096
"""Characters of a region's head that may be looked at in any case."""


class RegionStream:
    """Find the list in a text that is coming, and read it.

    Units: ``base`` is where the text begins in the delivery's body.
    Limits: linear in the text, whatever the pieces it comes in.
    """

    def __init__(self, terms: Terms[Any], context: Mapping[str, Any], base: int) -> None:
        self.units: ListStream | None = None
        """The list, once it is known where it begins."""
        self.head: list[str] = []
        """All text up to there; what follows is the list's."""
        self._terms = terms
        self._context = context
        self._base = base
        self._head_chars = 0
        self._work = 0

    def feed(self, text: str) -> list[Read]:
        """Take the next text; return the units that it decided."""
        if self.units is not None:
            return self.units.feed(text)
        self.head.append(text)
        self._head_chars += len(text)
        if "}" not in text or self._work + self._head_chars > HEAD_WORK * self._head_chars + MIN_HEAD_CHARS:
            return []
        self._work += self._head_chars
        head = "".join(self.head)
        start = find_start(head, self._terms, grammar_of(self._terms))
        if start is None:
            self.head = [head]
            return []
        self.head = [head[: start.at]]
        self.units = ListStream(self._terms, self._context, self._base + start.at, bracketed=start.bracketed)
        return self.units.feed(head[start.at :])
