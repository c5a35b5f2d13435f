"""The quarantine in one SQLite file, for several processes at once; any SQLite tool can open it.

Every write is one ``BEGIN IMMEDIATE`` transaction: a delivery is kept with its units or not at all, a
resolution stands or does not. Neighbours: ``sqlite_file`` opens the file, ``tables`` has its schema, ``rows``
turns rows into values, ``queries`` asks.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pratique.boundary.admission import Admission
from pratique.limits import Limits
from pratique.quarantine import lookups, purging, queries
from pratique.quarantine.caps import MAX_PURGED_AT_ONCE, Fit, fit
from pratique.quarantine.columns import to_column
from pratique.quarantine.intake import Intake, intake_of, record_ids
from pratique.quarantine.record import Detail, Kept, KeptDelivery, Overlay
from pratique.quarantine.refusals import (
    no_record,
    replay_id,
    require_limit,
    require_overlay,
    require_same_contract,
)
from pratique.quarantine.resolution import Kind, ReplayRun, Resolution, Resolved
from pratique.quarantine.rows import delivery_row, insert_sql, resolved_row, unit_row
from pratique.quarantine.store import (
    MAX_GROUPS,
    DeliveryPage,
    DeliveryState,
    Filter,
    Group,
    Page,
    Purged,
    Retention,
    Stats,
    StoreChanged,
)
from pratique.quarantine.tables import LAYOUT
from pratique.sqlite_file import StoreFile

__all__ = ["SqliteQuarantine"]

BUSY_TIMEOUT_S = 5.0
"""How long a write waits for another process's, seconds: a hundred times what one takes."""


class SqliteQuarantine:
    """Keep what was refused in one SQLite file.

    Shape: ``clock`` gives seconds since 1970 UTC. The file is made when it is not there; its folder is not.
    Limits: ``retention`` for the store, ``limits`` for what is kept of one delivery and shown of one unit.
    Errors: Misuse when the file is no store or a newer one; Outage when the disk, the rights or a lock fail.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        retention: Retention | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self.retention = retention or Retention()
        self.limits = limits or Limits()
        self._clock = clock
        self._file = StoreFile(path, LAYOUT, busy_timeout_s=busy_timeout_s)

    def __enter__(self) -> SqliteQuarantine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SqliteQuarantine {str(self._file.path)!r}>"

    # -------------------------------------------------------------------- keeping

    def keep(
        self,
        admission: Admission[Any],
        *,
        run_id: str | None = None,
        attempt: int | None = None,
        prompt_digest: str | None = None,
    ) -> Kept | None:
        """Keep what an admission refused, in one transaction; None when it refused nothing."""
        intake = intake_of(admission, self.limits, run_id=run_id, attempt=attempt, prompt_digest=prompt_digest)
        if intake is None:
            return None
        with self._file.write() as connection:
            before = lookups.kept_before(connection, intake) if intake.told_apart else None
            if before is not None:
                return before
            now = self._clock()
            purged = self._purge_aged(connection, now).deliveries
            fitting = self._make_room(connection, intake, now, at_most=MAX_PURGED_AT_ONCE - purged)
            lost = fitting.overflow(intake)
            for (reason, cause), units in lost.items():
                purging.count_overflow(connection, intake.delivery.contract, reason, cause, units, now)
            if not fitting.units:
                return Kept(delivery=None, ids=(), not_kept=sum(lost.values()))
            return self._insert(connection, intake, fitting.units, sum(lost.values()), now)

    def _make_room(self, connection: sqlite3.Connection, intake: Intake, now: float, *, at_most: int) -> Fit:
        """Say what fits, after purging as much as is needed of what may go, the longest settled first."""
        before = now - self.retention.min_settled_s
        while True:
            tally = connection.execute("SELECT units, kept_bytes FROM tally").fetchone()
            fitting = fit(intake, self.retention, units=tally["units"], kept_bytes=tally["kept_bytes"])
            if not fitting.cause or fitting.is_hopeless:
                return fitting
            settled = purging.settled(connection, before=before, limit=min(1, at_most))
            if not settled:
                return fitting
            purging.purge(connection, settled)
            at_most -= 1

    def _insert(self, connection: sqlite3.Connection, intake: Intake, many: int, not_kept: int, now: float) -> Kept:
        seq = purging.last_seq(connection, "deliveries") + 1
        id, ids = record_ids(seq, intake)
        delivery = replace(intake.delivery, id=id, kept_at=now, not_kept=not_kept)
        row = {"seq": seq, **delivery_row(delivery)}
        connection.execute(insert_sql("deliveries", row), row)
        units = intake.units[:many]
        returned = purging.wholly_resolved(connection, {unit.fingerprint for unit in units})
        rows = [
            unit_row(unit, id=name, delivery=seq, regressed=unit.fingerprint in returned, kept_at=now)
            for unit, name in zip(units, ids, strict=False)
        ]
        connection.executemany(insert_sql("units", rows[0]), rows)
        return Kept(delivery=id, ids=ids[:many], not_kept=not_kept)

    # -------------------------------------------------------------------- reading

    def list(self, filter: Filter | None = None, *, after: str | None = None, limit: int = 100) -> Page:
        """Return records in the order in which they came; stable while others are kept."""
        with self._file.read() as connection:
            return queries.page(
                connection, filter or Filter(), after=after, limit=require_limit(limit), now=self._clock(),
                snippet_chars=self.limits.max_snippet_chars,
            )  # fmt: skip

    def count(self, filter: Filter | None = None) -> int:
        """Return how many records a filter means."""
        with self._file.read() as connection:
            return queries.count(connection, filter or Filter(), now=self._clock())

    def groups(self, filter: Filter | None = None, *, limit: int = MAX_GROUPS) -> tuple[Group, ...]:
        """Return the groups of the records that a filter means, the largest first."""
        with self._file.read() as connection:
            return queries.groups(
                connection, filter or Filter(), limit=require_limit(limit), now=self._clock(),
                snippet_chars=self.limits.max_snippet_chars,
            )  # fmt: skip

    def show(self, id: str) -> Detail:
        """Return one record with all that is kept of it."""
        with self._file.read() as connection:
            details = self._details(connection, "u.id = :of", id)
        if not details:
            raise no_record(id)
        return details[0]

    def ids(self, prefix: str, *, limit: int = 10) -> tuple[str, ...]:
        """Return ids of records that begin so, sorted; ``u-`` may be left out."""
        with self._file.read() as connection:
            return queries.ids(connection, prefix, require_limit(limit))

    def stats(self) -> Stats:
        """Sum the store up."""
        with self._file.read() as connection:
            return queries.stats(connection, now=self._clock(), file_bytes=self._file.size_bytes)

    def deliveries(self, *, after: str | None = None, limit: int = 100) -> DeliveryPage:
        """Return kept deliveries in the order in which they came."""
        with self._file.read() as connection:
            return lookups.deliveries(connection, after=after, limit=require_limit(limit))

    def delivery(self, id: str) -> KeptDelivery:
        """Return one kept delivery."""
        with self._file.read() as connection:
            return lookups.delivery(connection, id)

    def delivery_state(self, id: str) -> DeliveryState:
        """Return one delivery with all its records, read at one moment."""
        with self._file.read() as connection:
            return DeliveryState(
                delivery=lookups.delivery(connection, id), details=self._details(connection, "d.id = :of", id),
                revision=lookups.revision(connection, id),
            )  # fmt: skip

    def _details(self, connection: sqlite3.Connection, where: str, of: str) -> tuple[Detail, ...]:
        return lookups.details(connection, where, of, now=self._clock(), snippet_chars=self.limits.max_snippet_chars)

    # -------------------------------------------------------------------- deciding

    def edit(self, id: str, text: str, *, author: str, note: str = "") -> Overlay:
        """Lay an edited text over a record's raw text; the raw text stays. Nothing is judged yet."""
        require_overlay(text, author, note, max_bytes=self.limits.max_kept_delivery_bytes)
        with self._file.write() as connection:
            now = self._clock()
            standing = lookups.standing(connection, id, now)
            standing.require_open()
            standing.require_unit()
            overlay = Overlay(number=standing.overlays + 1, text=text, author=author, note=note, at=now)
            row = {
                "unit": standing.seq, "number": overlay.number, "text": to_column(text), "author": to_column(author),
                "note": to_column(note), "at": now,
            }  # fmt: skip
            connection.execute(insert_sql("overlays", row), row)
            return overlay

    def resolve(self, id: str, resolution: Resolution) -> Resolved:
        """Decide on one record, at most once."""
        return self.resolve_all([(id, resolution)])[0]

    def resolve_all(
        self, resolutions: Sequence[tuple[str, Resolution]], *, revisions: Mapping[str, int] | None = None
    ) -> tuple[Resolved, ...]:
        """Decide on several records in one transaction: all of them or none."""
        with self._file.write() as connection:
            for delivery, revision in (revisions or {}).items():
                if lookups.revision(connection, delivery) != revision:
                    raise StoreChanged(delivery)
            now = self._clock()
            return tuple(self._resolve(connection, id, resolution, now) for id, resolution in resolutions)

    def _resolve(self, connection: sqlite3.Connection, id: str, resolution: Resolution, now: float) -> Resolved:
        standing = lookups.standing(connection, id, now)
        standing.require_open()
        grow_by = resolution.grow_by if resolution.kind is Kind.SNOOZED else None
        resolved = Resolved(
            record=id, round=standing.rounds + 1, resolution=resolution, at=now,
            until_units=None if grow_by is None else standing.units_ever + grow_by,
        )  # fmt: skip
        row = resolved_row(resolved, unit=standing.seq)
        connection.execute(insert_sql("resolutions", row), row)
        return resolved

    # -------------------------------------------------------------------- replays

    def start_replay(
        self, *, id: str | None, contract: str, version: str, contract_fingerprint: str, author: str, note: str
    ) -> str:
        """Write down that a replay runs; return its id. A known id goes on with that run."""
        with self._file.write() as connection:
            now = self._clock()
            if id is not None:
                known = lookups.replay(connection, id)
                if known is not None:
                    require_same_contract(known, contract_fingerprint)
                    return id
            else:
                id = replay_id(purging.last_seq(connection, "replays") + 1, contract_fingerprint)
            row = {
                "id": to_column(id), "contract": to_column(contract), "version": to_column(version),
                "contract_fingerprint": contract_fingerprint, "author": to_column(author), "note": to_column(note),
                "at": now,
            }  # fmt: skip
            connection.execute(insert_sql("replays", row), row)
            return id

    def replays(self) -> tuple[ReplayRun, ...]:
        """Return the replays that ran, newest first."""
        with self._file.read() as connection:
            return lookups.replays(connection)

    def delivered(self, replay: str) -> tuple[Resolved, ...]:
        """Return what a replay admitted, with the values."""
        with self._file.read() as connection:
            return lookups.delivered(connection, replay)

    # -------------------------------------------------------------------- housekeeping

    def purge(self) -> Purged:
        """Take away deliveries that retention no longer holds; only those whose records are finally resolved."""
        purged = Purged()
        while True:
            with self._file.write() as connection:
                gone = self._purge_aged(connection, self._clock())
            purged = Purged(
                deliveries=purged.deliveries + gone.deliveries, units=purged.units + gone.units,
                kept_bytes=purged.kept_bytes + gone.kept_bytes,
            )  # fmt: skip
            if gone.deliveries < MAX_PURGED_AT_ONCE:
                return purged

    def _purge_aged(self, connection: sqlite3.Connection, now: float) -> Purged:
        before = now - self.retention.max_age_s
        return purging.purge(connection, purging.settled(connection, before=before, limit=MAX_PURGED_AT_ONCE))

    def close(self) -> None:
        """Give up the file; the store cannot be used afterwards."""
        self._file.close()
