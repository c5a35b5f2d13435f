"""What is open, by its token, and not more of it than a limit: who never comes back must not pile up."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

from pratique.errors import Misuse

__all__ = ["MAX_OPEN", "Bounded"]

MAX_OPEN = 10_000
"""Calls that a sink keeps in mind at once, about 2 KB each. Judgement: a process has some hundreds on their way; what
is older than ten thousand newer ones was lost, and the ledger's sweep tells what became of its money."""

V = TypeVar("V")


class Bounded(Generic[V]):
    """Keep what is open; beyond the limit, the oldest is given up and counted. One thread at a time.

    Limits: ``max_open``, at least 1.
    Errors: Misuse for a limit that is none.
    """

    def __init__(self, max_open: int) -> None:
        if isinstance(max_open, bool) or not isinstance(max_open, int) or max_open < 1:
            raise Misuse(
                f"max_open must be a whole number of at least 1, not {max_open!r}",
                remedy=f"leave it out to get the default, {MAX_OPEN:,} calls",
            )
        self._max_open = max_open
        self._open: OrderedDict[str, V] = OrderedDict()
        self.given_up = 0
        """How many had to go."""

    def get(self, token: str) -> V | None:
        """Return what is kept; None: nothing is."""
        return self._open.get(token)

    def keep(self, token: str, value: V) -> V | None:
        """Keep something new, in place of what was kept for its token; return what had to go for it."""
        gone = self._open.pop(token, None)
        if gone is None and len(self._open) >= self._max_open:
            _, gone = self._open.popitem(last=False)
        self.given_up += gone is not None
        self._open[token] = value
        return gone

    def end(self, token: str) -> V | None:
        """Return what is kept, and keep it no longer."""
        return self._open.pop(token, None)

    def end_all(self) -> Iterator[V]:
        """Yield all that is kept, oldest first, and keep nothing."""
        while self._open:
            yield self._open.popitem(last=False)[1]
