"""List, group, filter and resolve a full quarantine: how long each takes, in one run.

What is measured: a store that is filled through ``keep`` with real admissions (units refused for a dozen
reasons' worth of groups), a tenth of it resolved, a tenth snoozed; then each question that a person or the
command line asks of it. The goal is one second each at 100,000 units.

Run: ``python -m bench.quarantine [--units 100000] [--rounds 5] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pratique import Contract, Delivery, Limits
from pratique.quarantine import Filter, QuarantineStore, Resolution, SqliteQuarantine, replay


class Advice(BaseModel):
    """One unit."""

    rank: Annotated[int, Field(ge=1)]
    action: Literal["work-next", "park"]
    why: Annotated[str, Field(max_length=200)]


NARROW = Contract.items(Advice, name="advice", limits=Limits(max_items=100_000))
UNITS_A_DELIVERY = 50
"""Refused units of one delivery: a bad report."""

MODELS = ("small-1", "small-2", "large-1")


def unit(rng: random.Random, number: int) -> str:
    """Write one unit that is refused, in one of several ways."""
    why = "".join(rng.choices("abcdefghij ", k=150))
    broken = (
        f'{{"rank": "{number} apples", "action": "park", "why": "{why}"}}',
        f'{{"rank": {number}, "action": "parc", "why": "{why}"}}',
        f'{{"rank": {number}, "action": "park"}}',
        f'{{"rank": {-number}, "action": "park", "why": "{why}"}}',
        f'{{"rank": {number}, "action": "park", "why": "{why}", "mood_{number % 40}": 1}}',
        f'{{"rank": {number}, "action": "park", "why": "{why}" {number}}}',
        f'{{"rank": {number}, "rank": {number}, "action": "park", "why": "{why}"}}',
    )
    return broken[number % len(broken)]


def fill(store: QuarantineStore, units: int) -> None:
    """Keep so many refused units, and decide on a fifth of them."""
    rng = random.Random(units)
    for start in range(0, units, UNITS_A_DELIVERY):
        many = min(UNITS_A_DELIVERY, units - start)
        text = "[" + ",\n".join(unit(rng, start + number + 1) for number in range(many)) + "]"
        admission = NARROW.admit(Delivery(text=text, model=rng.choice(MODELS)))
        kept = store.keep(admission, run_id=f"run-{start // 5_000}", attempt=start)
        assert kept is not None
        assert len(kept.ids) == many
        store.resolve_all([(id, Resolution.discarded("bench")) for id in kept.ids[::10]])
        store.resolve_all([(id, Resolution.snoozed(grow_by=10 * units)) for id in kept.ids[5::10]])


def questions(store: QuarantineStore) -> dict[str, Callable[[], object]]:
    """Return what is asked, by name."""
    some = store.list(limit=1).records[0]
    middle = str(store.stats().units // 2)
    return {
        "list, first page of 100": lambda: store.list(limit=100),
        "list, page in the middle": lambda: store.list(after=middle, limit=100),
        "list, open, all pages of 1,000": lambda: all_pages(store, Filter(status="open")),
        "list, by run": lambda: store.list(Filter(run_id="run-3"), limit=1_000),
        "count, by reason and model": lambda: store.count(Filter(reason="schema", model="large-1")),
        "count, free text": lambda: store.count(Filter(text="99 apples")),
        "count, admitted (there is none)": lambda: store.count(Filter(status="admitted")),
        "groups": lambda: store.groups(),
        "groups, open, of one model": lambda: store.groups(Filter(status="open", model="small-1")),
        "list, one group": lambda: store.list(Filter(fingerprint=some.fingerprint), limit=1_000),
        "show": lambda: store.show(some.id),
        "find by prefix": lambda: store.ids(some.id[:8]),
        "stats": lambda: store.stats(),
        "replay one group, dry run": lambda: replay(store, NARROW, where=some.fingerprint),
    }


def all_pages(store: QuarantineStore, filter: Filter) -> int:
    """Walk through all pages, as an export does."""
    seen, after = 0, None
    while True:
        page = store.list(filter, after=after, limit=1_000)
        seen += len(page.records)
        if page.next is None:
            return seen
        after = page.next


def timed(ask: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the first and the median time of a question, seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        ask()
        times.append(time.perf_counter() - start)
    return times[0], statistics.median(times)


def main(arguments: list[str]) -> int:
    """Fill a store, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, SqliteQuarantine(Path(folder) / "quarantine.db") as store:
        start = time.perf_counter()
        fill(store, options.units)
        filled = time.perf_counter() - start
        stats = store.stats()
        told = {name: timed(ask, options.rounds) for name, ask in questions(store).items()}
    where = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {where}")
    print(f"{stats.units:,} units in {stats.deliveries:,} deliveries, {(stats.file_bytes or 0) / 1e6:,.0f} MB")
    print(f"filled in {filled:.1f} s: {filled / stats.deliveries * 1000:.2f} ms a delivery, its resolutions included\n")
    print(f"{'question':36} {'first':>9} {'median':>9}")
    for name, (first, median) in told.items():
        print(f"{name:36} {first * 1000:6.0f} ms {median * 1000:6.0f} ms")
    if options.json:
        Path(options.json).write_text(json.dumps({"filled_s": filled, "stats": stats.to_dict(), "questions": told}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
