"""The quarantine in memory: for tests, and for runs that nobody looks back on. The same rules as the file's.

It is written apart from the SQLite store, not on top of it: the two hold each other to the protocol.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pratique.boundary.admission import Admission
from pratique.errors import Misuse
from pratique.limits import Limits
from pratique.quarantine.caps import MAX_PURGED_AT_ONCE, Fit, fit
from pratique.quarantine.entries import Entry, Home, counted, group_of, is_back, is_meant
from pratique.quarantine.intake import Intake, intake_of, record_ids
from pratique.quarantine.record import Detail, Kept, KeptDelivery, Overlay, Record, State
from pratique.quarantine.refusals import (
    Standing,
    bare_prefix,
    cursor_of,
    no_record,
    no_replay,
    replay_id,
    require_limit,
    require_overlay,
    require_same_contract,
)
from pratique.quarantine.resolution import Kind, ReplayRun, Resolution, Resolved
from pratique.quarantine.store import (
    MAX_GROUPS,
    MAX_PAGE,
    DeliveryPage,
    DeliveryState,
    Filter,
    Group,
    Overflow,
    Page,
    Purged,
    Retention,
    Stats,
    StoreChanged,
)

__all__ = ["MemoryQuarantine"]


class MemoryQuarantine:
    """Keep what was refused in memory.

    Shape: ``clock`` gives seconds since 1970 UTC.
    Limits: ``retention`` for the store, ``limits`` for what is kept of one delivery and shown of one unit.
    """

    def __init__(
        self,
        *,
        retention: Retention | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.retention = retention or Retention()
        self.limits = limits or Limits()
        self._clock = clock
        self._lock = threading.RLock()
        self._homes: dict[str, Home] = {}
        self._entries: dict[str, Entry] = {}
        self._identities: dict[tuple[object, ...], Home] = {}
        self._ever: Counter[str] = Counter()
        self._final_ever: Counter[str] = Counter()
        self._overflow: dict[tuple[str, str, str], Overflow] = {}
        self._runs: dict[str, ReplayRun] = {}
        self._deliveries_ever = 0
        self._units_ever = 0
        self._purged_units = 0
        self._kept_bytes = 0
        self._is_closed = False

    def __enter__(self) -> MemoryQuarantine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _used(self) -> Iterator[None]:
        with self._lock:
            if self._is_closed:
                raise Misuse("the quarantine is closed", remedy="make another MemoryQuarantine()")
            yield

    # -------------------------------------------------------------------- keeping

    def keep(
        self,
        admission: Admission[Any],
        *,
        run_id: str | None = None,
        attempt: int | None = None,
        prompt_digest: str | None = None,
    ) -> Kept | None:
        """Keep what an admission refused; None when it refused nothing."""
        intake = intake_of(admission, self.limits, run_id=run_id, attempt=attempt, prompt_digest=prompt_digest)
        if intake is None:
            return None
        with self._used():
            before = self._identities.get(intake.identity) if intake.told_apart else None
            if before is not None:
                ids = tuple(entry.id for entry in before.entries)
                return Kept(delivery=before.kept.id, ids=ids, not_kept=before.kept.not_kept, again=True)
            now = self._clock()
            purged = self._purge_aged(now, at_most=MAX_PURGED_AT_ONCE).deliveries
            fitting = self._make_room(intake, now, at_most=MAX_PURGED_AT_ONCE - purged)
            lost = fitting.overflow(intake)
            for (reason, cause), units in lost.items():
                self._count_overflow(intake.delivery.contract, reason, cause, units, now)
            if not fitting.units:
                return Kept(delivery=None, ids=(), not_kept=sum(lost.values()))
            return self._insert(intake, fitting.units, sum(lost.values()), now)

    def _make_room(self, intake: Intake, now: float, *, at_most: int) -> Fit:
        while True:
            fitting = fit(intake, self.retention, units=len(self._entries), kept_bytes=self._kept_bytes)
            if not fitting.cause or fitting.is_hopeless or not at_most:
                return fitting
            settled = self._settled(now - self.retention.min_settled_s)
            if not settled:
                return fitting
            self._purge(settled[:1])
            at_most -= 1

    def _insert(self, intake: Intake, many: int, not_kept: int, now: float) -> Kept:
        self._deliveries_ever += 1
        id, ids = record_ids(self._deliveries_ever, intake)
        kept = replace(intake.delivery, id=id, kept_at=now, not_kept=not_kept)
        home = Home(self._deliveries_ever, kept, intake.identity if intake.told_apart else None)
        units = intake.units[:many]
        returned = {u.fingerprint for u in units if 0 < self._ever[u.fingerprint] == self._final_ever[u.fingerprint]}
        for unit, name in zip(units, ids, strict=False):
            self._units_ever += 1
            self._ever[unit.fingerprint] += 1
            entry = Entry(self._units_ever, name, unit, home, unit.fingerprint in returned)
            home.entries.append(entry)
            self._entries[name] = entry
        self._homes[id] = home
        self._kept_bytes += home.kept_bytes
        if home.identity is not None:
            self._identities[home.identity] = home
        return Kept(delivery=id, ids=ids[:many], not_kept=not_kept)

    def _count_overflow(self, contract: str, reason: str, cause: str, units: int, now: float) -> None:
        key = (contract, reason, cause)
        told = self._overflow.get(key)
        self._overflow[key] = Overflow(
            contract=contract, reason=reason, cause=cause, units=units + (told.units if told else 0),
            first_at=told.first_at if told else now, last_at=max(told.last_at, now) if told else now,
        )  # fmt: skip

    # -------------------------------------------------------------------- reading

    def list(self, filter: Filter | None = None, *, after: str | None = None, limit: int = 100) -> Page:
        """Return records in the order in which they came; stable while others are kept."""
        require_limit(limit)
        first = cursor_of(after)
        with self._used():
            found = [entry for entry in self._meant(filter) if entry.seq > first]
            shown = found[:limit]
            return Page(
                records=tuple(map(self._record, shown)), next=str(shown[-1].seq) if len(found) > limit else None
            )

    def count(self, filter: Filter | None = None) -> int:
        """Return how many records a filter means."""
        with self._used():
            return sum(1 for _ in self._meant(filter))

    def groups(self, filter: Filter | None = None, *, limit: int = MAX_GROUPS) -> tuple[Group, ...]:
        """Return the groups of the records that a filter means, the largest first."""
        require_limit(limit)
        with self._used():
            alike: dict[str, list[Record]] = {}
            for entry in self._meant(filter):
                alike.setdefault(entry.unit.fingerprint, []).append(self._record(entry))
            found = [group_of(records, self._ever[fingerprint]) for fingerprint, records in alike.items()]
        return tuple(sorted(found, key=lambda group: (-group.count, group.fingerprint))[:limit])

    def show(self, id: str) -> Detail:
        """Return one record with all that is kept of it."""
        with self._used():
            return self._detail(self._entry(id))

    def ids(self, prefix: str, *, limit: int = 10) -> tuple[str, ...]:
        """Return ids of records that begin so, sorted; ``u-`` may be left out."""
        require_limit(limit)
        begin = bare_prefix(prefix)
        with self._used():
            return tuple(sorted(id for id in self._entries if id.startswith(begin))[:limit])

    def stats(self) -> Stats:
        """Sum the store up."""
        with self._used():
            now = self._clock()
            records = [self._record(entry) for entry in self._entries.values()]
            is_open = [record for record in records if record.state is State.OPEN]
            oldest = min((record.kept_at for record in is_open), default=None)
            return Stats(
                units=len(records), deliveries=len(self._homes), kept_bytes=self._kept_bytes,
                by_state=counted(record.state.value for record in records),
                by_reason=counted(record.reason for record in records),
                open_by_reason=counted(record.reason for record in is_open),
                open_by_contract=counted(record.contract for record in is_open),
                by_status=counted(home.kept.status for home in self._homes.values()), oldest_open_at=oldest,
                oldest_open_age_s=None if oldest is None else max(0.0, now - oldest),
                regressed_groups=len({record.fingerprint for record in records if is_back(record)}),
                overflow=tuple(told for _, told in sorted(self._overflow.items())),
                purged_units=self._purged_units, file_bytes=None,
            )  # fmt: skip

    def deliveries(self, *, after: str | None = None, limit: int = 100) -> DeliveryPage:
        """Return kept deliveries in the order in which they came."""
        require_limit(limit)
        first = cursor_of(after)
        with self._used():
            found = [home for home in self._homes.values() if home.seq > first]
            shown = found[:limit]
            return DeliveryPage(
                deliveries=tuple(home.kept for home in shown), next=str(shown[-1].seq) if len(found) > limit else None
            )

    def delivery(self, id: str) -> KeptDelivery:
        """Return one kept delivery."""
        return self._home(id).kept

    def delivery_state(self, id: str) -> DeliveryState:
        """Return one delivery with all its records, read at one moment."""
        with self._used():
            home = self._home(id)
            details = tuple(map(self._detail, home.entries))
            return DeliveryState(delivery=home.kept, details=details, revision=self._revision(home))

    def _home(self, id: str) -> Home:
        with self._used():
            if id not in self._homes:
                raise no_record(id)
            return self._homes[id]

    def _entry(self, id: str) -> Entry:
        if id not in self._entries:
            raise no_record(id)
        return self._entries[id]

    def _revision(self, home: Home) -> int:
        return sum(len(entry.overlays) + len(entry.resolutions) for entry in home.entries)

    def _state(self, entry: Entry) -> State:
        if not entry.resolutions:
            return State.OPEN
        last = entry.resolutions[-1]
        if last.has_run_out(self._clock(), self._ever[entry.unit.fingerprint]):
            return State.OPEN
        return State(last.resolution.kind.value)

    def _record(self, entry: Entry) -> Record:
        unit, kept = entry.unit, entry.home.kept
        return Record(
            id=entry.id, delivery=kept.id, index=unit.index, reason=unit.reason, code=unit.code, path=unit.path,
            message=unit.message, span=unit.span, snippet=unit.raw[: self.limits.max_snippet_chars],
            fingerprint=unit.fingerprint, fingerprint_version=unit.fingerprint_version, regressed=entry.regressed,
            state=self._state(entry), contract=kept.contract, version=kept.version, producer=kept.producer,
            model=kept.model, run_id=kept.run_id, kept_at=kept.kept_at,
        )  # fmt: skip

    def _detail(self, entry: Entry) -> Detail:
        unit, kept = entry.unit, entry.home.kept
        stands_for_all = unit.index is None
        return Detail(
            record=self._record(entry), delivery=kept, raw=kept.body if stands_for_all else unit.raw,
            raw_bytes=unit.raw_bytes, whole=kept.whole if stands_for_all else unit.whole, findings=unit.findings,
            draft=unit.draft, edits=unit.edits, overlays=tuple(entry.overlays), resolutions=tuple(entry.resolutions),
        )  # fmt: skip

    def _meant(self, filter: Filter | None) -> Iterator[Entry]:
        said = filter or Filter()
        return (entry for entry in self._entries.values() if is_meant(said, entry, self._record(entry)))

    # -------------------------------------------------------------------- deciding

    def edit(self, id: str, text: str, *, author: str, note: str = "") -> Overlay:
        """Lay an edited text over a record's raw text; the raw text stays. Nothing is judged yet."""
        require_overlay(text, author, note, max_bytes=self.limits.max_kept_delivery_bytes)
        with self._used():
            entry = self._entry(id)
            standing = self._standing(entry)
            standing.require_open()
            standing.require_unit()
            overlay = Overlay(number=standing.overlays + 1, text=text, author=author, note=note, at=self._clock())
            entry.overlays.append(overlay)
            return overlay

    def resolve(self, id: str, resolution: Resolution) -> Resolved:
        """Decide on one record, at most once."""
        return self.resolve_all([(id, resolution)])[0]

    def resolve_all(
        self, resolutions: Sequence[tuple[str, Resolution]], *, revisions: Mapping[str, int] | None = None
    ) -> tuple[Resolved, ...]:
        """Decide on several records at once: all of them or none."""
        with self._used():
            for delivery, revision in (revisions or {}).items():
                if delivery not in self._homes or self._revision(self._homes[delivery]) != revision:
                    raise StoreChanged(delivery)
            now = self._clock()
            decided: dict[str, Resolved] = {}
            for id, resolution in resolutions:
                decided[id] = self._decided(id, resolution, decided.get(id), now)
            for id, resolved in decided.items():
                entry = self._entries[id]
                entry.resolutions.append(resolved)
                self._final_ever[entry.unit.fingerprint] += resolved.resolution.kind.is_final
            return tuple(decided.values())

    def _decided(self, id: str, resolution: Resolution, just_now: Resolved | None, now: float) -> Resolved:
        entry = self._entry(id)
        standing = self._standing(entry)
        if just_now is not None:
            standing = replace(standing, state=State(just_now.resolution.kind.value), last=just_now)
        standing.require_open()
        grow_by = resolution.grow_by if resolution.kind is Kind.SNOOZED else None
        return Resolved(
            record=id, round=standing.rounds + 1, resolution=resolution, at=now,
            until_units=None if grow_by is None else standing.units_ever + grow_by,
        )  # fmt: skip

    def _standing(self, entry: Entry) -> Standing:
        return Standing(
            id=entry.id, index=entry.unit.index, state=self._state(entry),
            last=entry.resolutions[-1] if entry.resolutions else None, rounds=len(entry.resolutions),
            overlays=len(entry.overlays), units_ever=self._ever[entry.unit.fingerprint],
        )  # fmt: skip

    # -------------------------------------------------------------------- replays

    def start_replay(
        self, *, id: str | None, contract: str, version: str, contract_fingerprint: str, author: str, note: str
    ) -> str:
        """Write down that a replay runs; return its id. A known id goes on with that run."""
        with self._used():
            if id is not None and id in self._runs:
                require_same_contract(self._runs[id], contract_fingerprint)
                return id
            id = id or replay_id(len(self._runs) + 1, contract_fingerprint)
            self._runs[id] = ReplayRun(
                id=id, contract=contract, version=version, contract_fingerprint=contract_fingerprint, author=author,
                note=note, at=self._clock(), admitted=0,
            )  # fmt: skip
            return id

    def replays(self) -> tuple[ReplayRun, ...]:
        """Return the replays that ran, newest first."""
        with self._used():
            runs = list(reversed(self._runs.values()))[:MAX_PAGE]
            return tuple(replace(run, admitted=len(self.delivered(run.id))) for run in runs)

    def delivered(self, replay: str) -> tuple[Resolved, ...]:
        """Return what a replay admitted, with the values."""
        with self._used():
            if replay not in self._runs:
                raise no_replay(replay)
            resolved = (one for entry in self._entries.values() for one in entry.resolutions)
            return tuple(one for one in resolved if one.resolution.passage and one.resolution.passage.replay == replay)

    # -------------------------------------------------------------------- housekeeping

    def purge(self) -> Purged:
        """Take away deliveries that retention no longer holds; only those whose records are finally resolved."""
        with self._used():
            return self._purge_aged(self._clock(), at_most=len(self._homes))

    def _settled(self, before: float) -> Sequence[Home]:
        """Return deliveries whose records were all finally resolved by then, the longest settled first."""
        times = ((home.settled_at, home) for home in self._homes.values())
        settled = [(at, home.seq, home) for at, home in times if at is not None and at <= before]
        return [home for _, _, home in sorted(settled, key=lambda one: one[:2])]

    def _purge_aged(self, now: float, *, at_most: int) -> Purged:
        return self._purge(self._settled(now - self.retention.max_age_s)[:at_most])

    def _purge(self, homes: Iterable[Home]) -> Purged:
        purged = Purged()
        for home in homes:
            del self._homes[home.kept.id]
            if home.identity is not None:
                del self._identities[home.identity]
            for entry in home.entries:
                del self._entries[entry.id]
            self._kept_bytes -= home.kept_bytes
            self._purged_units += len(home.entries)
            purged = Purged(
                deliveries=purged.deliveries + 1, units=purged.units + len(home.entries),
                kept_bytes=purged.kept_bytes + home.kept_bytes,
            )  # fmt: skip
        return purged

    def close(self) -> None:
        """Give the memory back."""
        with self._lock:
            self._is_closed = True
            self._homes.clear()
            self._entries.clear()
            self._identities.clear()
