"""``pratique quarantine stats``: how much is in quarantine, since when, and what did not fit."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping

from pratique.cli.moments import age, now, when
from pratique.cli.quarantined.database import open_db
from pratique.cli.quarantined.shown import counted
from pratique.cli.terminal import Terminal, terminal_of
from pratique.quarantine.record import State
from pratique.quarantine.store import Overflow, Stats
from pratique.show import escape

__all__ = ["run_stats"]

MAX_ROWS = 20
"""Rows of one table; ``--json`` has them all."""


def run_stats(*, db: str | None, as_json: bool, no_color: bool) -> int:
    """Print the figures of a quarantine file; return the exit code.

    Errors: Misuse when the file is none.
    """
    terminal = terminal_of(sys.stdout, no_color=no_color)
    with open_db(db) as store:
        stats = store.stats()
    if as_json:
        print(json.dumps(stats.to_dict(), indent=2))
        return 0
    for line in _page(stats, terminal):
        print(line)
    return 0


def _page(stats: Stats, terminal: Terminal) -> Iterator[str]:
    yield from _overflow(stats.overflow, terminal)
    states = ", ".join(f"{stats.by_state.get(state.value, 0):,} {state.value}" for state in State)
    yield f"{counted(stats.units, 'record')} of {counted(stats.deliveries, 'delivery', 'deliveries')}: {states}"
    if stats.oldest_open_age_s is not None:
        yield f"the oldest open one is {age(stats.oldest_open_age_s)} old"
    if stats.regressed_groups:
        told = f"{counted(stats.regressed_groups, 'group')} came back after being resolved"
        yield terminal.paint(told, "refuse")
    if stats.purged_units:
        yield f"{counted(stats.purged_units, 'record')} purged by retention so far"
    size = "" if stats.file_bytes is None else f", in a file of {_bytes(stats.file_bytes)}"
    yield f"{_bytes(stats.kept_bytes)} of text{size}"
    yield from _table("open, by reason", stats.open_by_reason, terminal)
    yield from _table("open, by contract", stats.open_by_contract, terminal)
    yield from _table("all, by reason", stats.by_reason, terminal)
    yield from _table("deliveries, by status", stats.by_status, terminal)


def _overflow(overflow: tuple[Overflow, ...], terminal: Terminal) -> Iterator[str]:
    if not overflow:
        return
    units = sum(one.units for one in overflow)
    yield terminal.paint(f"OVERFLOW: {counted(units, 'refused unit')} not kept, only counted", "refuse")
    today = now()
    for one in overflow[:MAX_ROWS]:
        what = f"{one.units:,} {one.reason} of {one.contract}: {one.cause} was full"
        yield f"  {escape(what)}, last {when(one.last_at, today)}"
    if len(overflow) > MAX_ROWS:
        yield f"  {len(overflow) - MAX_ROWS:,} more rows; --json has them"
    yield "  resolve what is open (discard, replay), or give the store a larger Retention or limits.max_quarantined"
    yield ""


def _table(title: str, counts: Mapping[str, int], terminal: Terminal) -> Iterator[str]:
    rows = sorted(((count, name) for name, count in counts.items() if count), key=lambda row: (-row[0], row[1]))
    if not rows:
        return
    column = len(f"{rows[0][0]:,}")
    yield ""
    yield f"{terminal.paint(title, 'strong')}:"
    for count, name in rows[:MAX_ROWS]:
        yield f"  {count:>{column},}  {escape(name)}"
    if len(rows) > MAX_ROWS:
        yield f"  {len(rows) - MAX_ROWS:,} more rows; --json has them"


def _bytes(size: float) -> str:
    """Return a size in bytes, or in the largest binary unit of which there is one at least."""
    if size < 1024:
        return f"{size:.0f} B"
    for unit in ("KiB", "MiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} GiB"
