"""What the processes of ``test_quarantine_processes`` run: keep, resolve or replay until somebody kills them.

Each step that is done is told on a line of its own, flushed, so that the parent knows what must be there.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from pydantic import BaseModel

from pratique import Contract
from pratique.quarantine import Filter, SqliteQuarantine, replay


class Item(BaseModel):
    """One unit."""

    rank: int


class WideItem(BaseModel):
    """The same, later."""

    rank: int | str


ITEMS = Contract.items(Item, name="items")
WIDE = Contract.items(WideItem, name="items", version="2")
UNITS = 5
"""Refused units of one delivery."""


def told(line: str) -> None:
    """Tell the parent."""
    os.write(1, f"{line}\n".encode())


def delivery(number: int) -> str:
    """Write a delivery of which every unit is refused."""
    return "[" + ",".join(f'{{"rank": "{number} {unit}"}}' for unit in range(UNITS)) + "]"


def keep(store: SqliteQuarantine, name: str, many: int, *, prefix: str = "", quiet: bool = False) -> None:
    """Keep deliveries of a run."""
    for attempt in range(many):
        kept = store.keep(ITEMS.admit(delivery(attempt)), run_id=name, attempt=attempt)
        assert kept is not None
        if not quiet:
            told(f"{prefix}kept {attempt} {kept.delivery}")


def replay_all(store: SqliteQuarantine, name: str) -> None:
    """Replay everything, under a name, and hand out."""
    done = replay(store, WIDE, where=Filter(), dry_run=False, replay_id=name)
    for one in done.admitted:
        told(f"handed {one.record}")


def traced(statements: int, store: SqliteQuarantine) -> None:
    """Die by SIGKILL just before SQLite runs its so-and-so-many-th statement."""
    left = statements

    def count(_: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)

    store._file._open().set_trace_callback(count)


def sweep(what: str, path: str, upto: int) -> None:
    """For each statement, on a file of its own, let a child die just before it; at most so many."""
    for die_at in range(upto):
        file = f"{path}-{die_at}"
        if what == "replay":
            with SqliteQuarantine(file) as store:
                keep(store, "run", 3, quiet=True)
        child = os.fork()
        if child == 0:
            with SqliteQuarantine(file) as store:
                traced(die_at, store)
                keep(store, "run", 3, prefix=f"{die_at} ") if what == "keep" else replay_all(store, "first")
            os._exit(0)
        exit_code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told(f"{die_at} ended {exit_code}")
        if exit_code == 0:  # there is no statement beyond
            return


def fork(path: str) -> None:
    """Use one store on both sides of a fork."""
    with SqliteQuarantine(path) as store:
        keep(store, "parent", 1)
        child = os.fork()
        keep(store, "child" if child == 0 else "parent again", 1)
        if child == 0:
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        keep(store, "parent at last", 1)


def main(what: str, path: str, name: str, many: int) -> None:
    """Do it."""
    if what.startswith("sweep "):
        sweep(what.removeprefix("sweep "), path, many)
    elif what == "fork":
        fork(path)
    else:
        with SqliteQuarantine(path, busy_timeout_s=60) as store:
            told("open")
            keep(store, name, many) if what == "keep" else replay_all(store, name)
    told("done")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
