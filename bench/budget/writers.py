"""Many writers on one hot row, threads or processes, for a time or for a number of calls."""

from __future__ import annotations

import multiprocessing
import threading
import time
from dataclasses import dataclass
from typing import Any

from bench.budget.sides import Side, side_of

__all__ = ["Outcome", "run"]


@dataclass(frozen=True)
class Outcome:
    """What one run gave. Units: seconds; calls of three steps each."""

    calls: int
    refused: int
    elapsed_s: float
    worst_s: float
    """The longest that one call took."""
    least: int
    most: int
    """Calls of the writer that made the fewest, and the most."""
    spent: int
    """What the ledger says was spent, tokens."""


def _work(side: Side, name: str, ends_at: float, at_most: int, told: list[tuple[int, int, float]]) -> None:
    made = refused = 0
    worst = 0.0
    clock = time.monotonic
    while made + refused < at_most:
        begun = clock()
        if begun >= ends_at:
            break
        if side.call(f"{name}-{made + refused}"):
            made += 1
        else:
            refused += 1
        worst = max(worst, clock() - begun)
    told.append((made, refused, worst))


def _process(
    kind: str, side: str, place: str, cap: int, name: str, for_s: float, at_most: int, barrier: Any, queue: Any
) -> None:
    opened = side_of(kind, side, place, cap)
    told: list[tuple[int, int, float]] = []
    barrier.wait()
    begun = time.monotonic()
    _work(opened, name, begun + for_s, at_most, told)
    queue.put((*told[0], time.monotonic() - begun))
    opened.close()


def run(
    kind: str, side: str, place: str, *, writers: int, cap: int, for_s: float = 3_600.0, at_most: int = 10**9
) -> Outcome:
    """Let so many writers call one budget at once; the memory ledger's are threads, the others processes."""
    if kind == "memory":
        opened = side_of(kind, side, place, cap)
        told: list[tuple[int, int, float]] = []
        begun = time.monotonic()
        threads = [
            threading.Thread(target=_work, args=(opened, str(number), begun + for_s, at_most, told))
            for number in range(writers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        elapsed_s = time.monotonic() - begun
        return _outcome([(*each, elapsed_s) for each in told], opened)
    context = multiprocessing.get_context("spawn")
    barrier, queue = context.Barrier(writers), context.Queue()
    opened = side_of(kind, side, place, cap)
    processes = [
        context.Process(target=_process, args=(kind, side, place, cap, f"{number}", for_s, at_most, barrier, queue))
        for number in range(writers)
    ]
    for process in processes:
        process.start()
    results = [queue.get() for _ in processes]
    for process in processes:
        process.join()
    outcome = _outcome(results, opened)
    opened.close()
    return outcome


def _outcome(results: list[tuple[int, int, float, float]], side: Side) -> Outcome:
    calls = [result[0] for result in results]
    return Outcome(
        calls=sum(calls), refused=sum(result[1] for result in results), elapsed_s=max(result[3] for result in results),
        worst_s=max(result[2] for result in results), least=min(calls), most=max(calls), spent=side.spent(),
    )  # fmt: skip
