"""``pratique check --quarantine``: keep what was refused, and say how much that was and how to look at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pratique.boundary.admission import Admission
from pratique.cli.quarantined.shown import command, counted
from pratique.limits import Limits
from pratique.quarantine.sqlite import SqliteQuarantine
from pratique.quarantine.store import QuarantineStore
from pratique.show import show

__all__ = ["Keeping", "open_keeping"]


@dataclass(slots=True, kw_only=True)
class Keeping:
    """Keep the deliveries of one call, and count."""

    store: QuarantineStore
    name: str
    run_id: str | None = None
    attempt: int | None = None
    records: int = 0
    again: int = 0
    """Deliveries that had been kept before."""
    not_kept: int = 0

    def keep(self, admission: Admission[Any]) -> None:
        """Keep what an admission refused.

        Errors: Misuse or Outage when the store cannot; nothing of the delivery is kept then.
        """
        kept = self.store.keep(admission, run_id=self.run_id, attempt=self.attempt)
        if kept is None:
            return
        if kept.again:
            self.again += 1
            return
        self.records += len(kept.ids)
        self.not_kept += kept.not_kept

    @property
    def summary(self) -> str:
        """Say what was kept, in one line, or two when not all of it was."""
        again = f" ({counted(self.again, 'delivery', 'deliveries')} of this run kept before)" if self.again else ""
        where = show(self.name, max_chars=200)
        kept = f"quarantine: kept {counted(self.records, 'record')} in {where}{again}"
        if self.records or self.again:
            kept += f"; look at them: {command('list', db=self.name)}"
        if self.not_kept:
            kept += f"\nquarantine: {counted(self.not_kept, 'refused unit')} NOT kept, only counted: a limit was full"
        return kept


@contextmanager
def open_keeping(name: str, limits: Limits, *, run_id: str | None, attempt: int | None) -> Iterator[Keeping]:
    """Open the file, or make it; close it behind the call.

    Limits: those of the contract bound what is kept of one delivery.
    Errors: Misuse when it is no quarantine file, Outage when the disk fails.
    """
    store = SqliteQuarantine(name, limits=limits)
    try:
        yield Keeping(store=store, name=name, run_id=run_id, attempt=attempt)
    finally:
        store.close()
