"""``pratique check --quarantine``: keep what was refused, and say how much that was and how to look at it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pratique.boundary.admission import Admission
from pratique.cli.quarantined.database import DEFAULT_DB
from pratique.cli.quarantined.shown import command, counted
from pratique.errors import Misuse, Outage
from pratique.limits import Limits
from pratique.quarantine.record import Kept
from pratique.quarantine.sqlite import SqliteQuarantine
from pratique.quarantine.store import Filter, QuarantineStore
from pratique.show import show

__all__ = ["Keeping", "open_keeping"]

MAX_LOOKED_AT = 20
"""Earlier records looked at to say that a delivery was kept before: the sentence is a hint, and costs little."""


@dataclass(slots=True, kw_only=True)
class Keeping:
    """Keep the deliveries of one call, and count."""

    store: QuarantineStore
    name: str
    run_id: str | None = None
    attempt: int | None = None
    records: int = 0
    again: int = 0
    """Deliveries that had been kept before, in the same run and attempt; nothing was written."""
    twice: int = 0
    """Deliveries that had been kept before, and are kept once more: no run and attempt were told."""
    before: str = ""
    """Id of the first such delivery, as it was kept before."""
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
        if self.run_id is None or self.attempt is None:
            self._look_back(kept)

    def _look_back(self, kept: Kept) -> None:
        """Find out whether the delivery had been kept before; it is kept now, whatever becomes of the question."""
        try:
            earlier = _kept_before(self.store, kept)
        except (Misuse, Outage):  # the other one was purged meanwhile, or the file is locked: there is no hint then
            return
        if earlier is not None:
            self.twice += 1
            self.before = self.before or earlier

    @property
    def summary(self) -> str:
        """Say what was kept, in one line, or two when not all of it was."""
        again = f" ({counted(self.again, 'delivery', 'deliveries')} of this run kept before)" if self.again else ""
        where = show(self.name, max_chars=200)
        kept = f"quarantine: kept {counted(self.records, 'record')} in {where}{again}"
        if self.records or self.again:
            kept += f"; look at them: {command('list', db=self._db)}"
        if self.twice:
            many = counted(self.twice, "delivery", "deliveries")
            kept += (
                f"\nquarantine: {many} kept before, as {self.before}{' and others' if self.twice > 1 else ''}, and now "
            )
            kept += "once more; name --run-id and --attempt to keep a delivery once"
        if self.not_kept:
            kept += f"\nquarantine: {counted(self.not_kept, 'refused unit')} NOT kept, only counted: a limit was full"
        return kept

    @property
    def _db(self) -> str | None:
        """The file as a command must name it; None when it is found without a name."""
        return None if self.name == DEFAULT_DB and not os.environ.get("PRATIQUE_QUARANTINE") else self.name


def _kept_before(store: QuarantineStore, kept: Kept) -> str | None:
    """Return the id under which the same delivery was kept before, if it was.

    Limits: of the records that were refused alike with the same text, the oldest MAX_LOOKED_AT are looked at.
    """
    if not kept.ids:
        return None
    own = store.show(kept.ids[0])
    alike = Filter(fingerprint=own.record.fingerprint, text=own.raw or None)
    for record in store.list(alike, limit=MAX_LOOKED_AT).records:
        if record.delivery != kept.delivery:
            other = store.delivery(record.delivery)
            if (other.digest, other.contract) == (own.delivery.digest, own.delivery.contract):
                return other.id
    return None


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
