"""Was what many threads saw at once possible one after the other? A small checker of linearizability.

A history is linearizable when there is an order of its operations that the times allow (what ended before another one
began stands before it) and in which every operation returns what a sequential model returns. Source: Herlihy and Wing
1990; the search is Wing and Gong's of 1993, with the places already seen left out, as Lowe does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Operation", "Recorder", "linearization"]

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Operation:
    """One call: what was asked, what came, and when. Units: nanoseconds of one clock."""

    name: str
    asked: tuple[Hashable, ...]
    came: Hashable
    begun: int
    ended: int


class Recorder:
    """Collect the operations of many threads."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self.history: list[Operation] = []

    def run(self, name: str, asked: tuple[Hashable, ...], call: Callable[[], Hashable]) -> Hashable:
        """Make one call, and record it."""
        begun = time.perf_counter_ns()
        came = call()
        ended = time.perf_counter_ns()
        with self._mutex:
            self.history.append(Operation(name, asked, came, begun, ended))
        return came


class _Search(Generic[S]):
    """Walk through the orders that the times allow, each pair of (what is done, state) once."""

    def __init__(self, history: Sequence[Operation], step: Callable[[S, Operation], S | None]) -> None:
        self.history = sorted(history, key=lambda operation: operation.begun)
        self._step = step

    def next_of(self, done: int, state: S) -> list[tuple[int, S]]:
        """Return the operations that may come next, with the state after each."""
        left = [number for number in range(len(self.history)) if not done >> number & 1]
        first_end = min(self.history[number].ended for number in left)
        found = []
        for number in left:
            if self.history[number].begun > first_end:  # another one had ended before it began, and so did all later
                break
            after = self._step(state, self.history[number])
            if after is not None:
                found.append((number, after))
        return found


def linearization(
    history: Sequence[Operation], initial: S, step: Callable[[S, Operation], S | None]
) -> list[Operation] | None:
    """Return an order in which a history is possible; None: there is none, so what happened was not atomic.

    Shape: ``step`` returns the state after an operation, or None when the model returns something else than came.
    Limits: some hundred operations, of some threads; in the worst case it is exponential in the threads.
    """
    search = _Search(history, step)
    all_done = (1 << len(search.history)) - 1
    seen: set[tuple[int, S]] = {(0, initial)}
    order: list[int] = []
    if not all_done:
        return []
    pending = [(0, search.next_of(0, initial))]
    while pending:
        done, ahead = pending[-1]
        if not ahead:
            pending.pop()
            if order:
                order.pop()
            continue
        number, state = ahead.pop()
        after = done | 1 << number
        if (after, state) in seen:
            continue
        seen.add((after, state))
        order.append(number)
        if after == all_done:
            return [search.history[place] for place in order]
        pending.append((after, search.next_of(after, state)))
    return None
