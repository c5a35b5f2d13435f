"""What every quarantine store does: keep, list, show, edit, resolve, purge; and the words for asking.

Two stores keep this protocol: ``SqliteQuarantine`` (a file) and ``MemoryQuarantine`` (one process, gone with
it). ``pratique.testing.QuarantineConformance`` holds any other to it.

Errors: what the caller did wrong is a ``Misuse`` with the remedy; what the disk did is an ``Outage``; in both
cases nothing was written and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from pratique.boundary.admission import Admission
from pratique.boundary.delivery import Producer
from pratique.errors import Misuse, Reason
from pratique.quarantine.record import DELIVERY, Detail, Kept, KeptDelivery, Overlay, Record, State
from pratique.quarantine.resolution import ReplayRun, Resolution, Resolved, require_time
from pratique.show import show

__all__ = [
    "DeliveryPage",
    "DeliveryState",
    "Filter",
    "Group",
    "NoRecord",
    "Overflow",
    "Page",
    "Purged",
    "QuarantineStore",
    "Retention",
    "Stats",
    "StoreChanged",
]

MAX_PAGE = 1_000
"""Records in one page: a screen is far less, and a page is held in memory whole."""

MAX_GROUPS = 1_000
"""Groups in one answer, the largest first: nobody reads more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Bound what a store may hold. Only deliveries whose records are all finally resolved are ever purged.

    Errors: Misuse when a bound is not a positive number.
    """

    max_units: int = 1_000_000
    """Records. Ten times what people can look at; lists stay below a few seconds."""
    max_bytes: int = 4 * 1024**3
    """Text kept, bytes of UTF-8 (deliveries and units): a disk should not fill up with what nobody wanted."""
    max_age_s: float = 90 * 86_400.0
    """How long a delivery stays after its last record was finally resolved, seconds: a quarter of a year, for
    questions that come late."""
    min_settled_s: float = 86_400.0
    """How long a settled delivery stays even when room is needed, seconds: a day, so that whoever died after a
    replay wrote and before it handed out still finds the values; 0: not at all."""

    def __post_init__(self) -> None:
        for name in fields(self):
            bound = getattr(self, name.name)
            if name.name == "min_settled_s" and bound == 0 and not isinstance(bound, bool):
                continue
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not bound > 0:
                raise Misuse(
                    f"retention.{name.name} must be a number above 0, not {bound!r}",
                    remedy=f"leave {name.name} out to get the default, {name.default}",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Say which records are meant: all that is told must fit; nothing told means every record.

    Units: ``since`` (inclusive) and ``until`` (exclusive) in seconds since 1970 UTC, of ``kept_at``.
    Errors: Misuse for a reason, a status or a producer that does not exist, or a time that is none.
    """

    contract: str | None = None
    version: str | None = None
    reason: str | None = None
    producer: str | None = None
    model: str | None = None
    run_id: str | None = None
    status: State | str | None = None
    """Where the record stands today: open, snoozed, admitted, discarded."""
    fingerprint: str | None = None
    """Id of a group."""
    delivery: str | None = None
    """Id of a delivery."""
    since: float | None = None
    until: float | None = None
    text: str | None = None
    """Stands somewhere in the raw text or in the first refusing message; letter case counts."""

    def __post_init__(self) -> None:
        for name, known in (
            ("reason", [*(reason.value for reason in Reason), DELIVERY]),
            ("status", [state.value for state in State]),
            ("producer", [producer.value for producer in Producer]),
        ):
            said = getattr(self, name)
            if said is not None and said not in known:
                raise Misuse(f"no {name} is called {show(said)}", remedy="use one of: " + ", ".join(known))
        for name in ("since", "until"):
            said = getattr(self, name)
            if said is not None:
                require_time(name, said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some records, oldest first, and where the next page begins."""

    records: tuple[Record, ...]
    next: str | None
    """Give it as ``after=`` to get the next page; None: there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    """Some deliveries, oldest first, and where the next page begins."""

    deliveries: tuple[KeptDelivery, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Records that were refused alike: same contract, reason, code, path and message, numbers and quotes aside."""

    fingerprint: str
    fingerprint_version: int
    contract: str
    reason: str
    code: str
    path: str
    message: str
    """Of the newest record."""
    count: int
    """Records that the filter meant."""
    open: int
    """Those of them that are open."""
    ever: int
    """All that ever came, purged ones too, whatever the filter."""
    first_seen: float
    last_seen: float
    oldest_open: float | None
    """When the oldest open record came; None: none is open."""
    regressed: bool
    """One of its records came back after the group was wholly resolved, and is not finally resolved itself."""
    sample: str
    """Id of the newest record."""
    snippet: str
    """Head of the newest record's raw text."""

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {name.name: getattr(self, name.name) for name in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """Count refused units of which there is no record: no loss is silent."""

    contract: str
    reason: str
    """Reason of the units; ``not_told`` when the admission itself kept no more than ``max_quarantined``."""
    cause: str
    """The limit that was full: ``max_quarantined``, ``max_units`` or ``max_bytes``."""
    units: int
    first_at: float
    last_at: float

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {name.name: getattr(self, name.name) for name in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Sum a store up."""

    units: int
    deliveries: int
    kept_bytes: int
    """Text kept, bytes of UTF-8; the cap ``max_bytes`` bounds it."""
    by_state: Mapping[str, int]
    by_reason: Mapping[str, int]
    """All records."""
    open_by_reason: Mapping[str, int]
    open_by_contract: Mapping[str, int]
    by_status: Mapping[str, int]
    """Deliveries, by the admission's status."""
    oldest_open_at: float | None
    oldest_open_age_s: float | None
    """Age of the oldest open record, seconds, by the store's clock."""
    regressed_groups: int
    overflow: tuple[Overflow, ...]
    purged_units: int
    """Records that retention has purged, ever."""
    file_bytes: int | None
    """Size of the store's file and its log; None when it has no file."""

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        told: dict[str, object] = {name.name: getattr(self, name.name) for name in fields(self)}
        told |= {name: dict(said) for name, said in told.items() if isinstance(said, Mapping)}
        return told | {"overflow": [one.to_dict() for one in self.overflow]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """Say what a purge took away."""

    deliveries: int = 0
    units: int = 0
    kept_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryState:
    """One delivery with all its records, as they stand, for judging it again."""

    delivery: KeptDelivery
    details: tuple[Detail, ...]
    """In the order of the units."""
    revision: int = field(compare=False)
    """Goes up with every edit and every resolution of one of its records."""


class NoRecord(Misuse):
    """Say that a store has no record or delivery of an id: there never was one, or it was purged."""


class StoreChanged(Exception):
    """Say that a delivery's records changed between reading and writing: judge it again. ``replay`` does."""


class QuarantineStore(Protocol):
    """Keep what was refused, append-only, and what was decided about it.

    Every method is safe to call from several threads; a file may be written by several processes. Ids are
    whole ids; ``ids`` finds them by their beginning.
    """

    # -- keeping

    def keep(
        self,
        admission: Admission[Any],
        *,
        run_id: str | None = None,
        attempt: int | None = None,
        prompt_digest: str | None = None,
    ) -> Kept | None:
        """Keep what an admission refused, in one transaction; None when it refused nothing.

        Shape: with ``run_id`` and ``attempt`` told, the same delivery under the same contract is kept once: a
            second call writes nothing and returns the same.
        Limits: ``limits.max_kept_delivery_bytes`` of the delivery and of each unit, ``Retention`` for the whole
            store; what does not fit is counted in the overflow, never dropped silently. To make room, at most
            MAX_PURGED_AT_ONCE deliveries go, each settled for at least ``Retention.min_settled_s``.
        """

    # -- reading

    def list(self, filter: Filter | None = None, *, after: str | None = None, limit: int = 100) -> Page:
        """Return records in the order in which they came; stable while others are kept.

        Limits: ``limit`` at most MAX_PAGE.
        Errors: Misuse for a cursor that no page gave.
        """

    def count(self, filter: Filter | None = None) -> int:
        """Return how many records a filter means."""

    def groups(self, filter: Filter | None = None, *, limit: int = MAX_GROUPS) -> tuple[Group, ...]:
        """Return the groups of the records that a filter means, the largest first."""

    def show(self, id: str) -> Detail:
        """Return one record with all that is kept of it.

        Errors: NoRecord when there is none of that id.
        """

    def ids(self, prefix: str, *, limit: int = 10) -> tuple[str, ...]:
        """Return ids of records that begin so, sorted; ``u-`` may be left out."""

    def stats(self) -> Stats:
        """Sum the store up."""

    def deliveries(self, *, after: str | None = None, limit: int = 100) -> DeliveryPage:
        """Return kept deliveries in the order in which they came."""

    def delivery(self, id: str) -> KeptDelivery:
        """Return one kept delivery.

        Errors: NoRecord when there is none of that id.
        """

    def delivery_state(self, id: str) -> DeliveryState:
        """Return one delivery with all its records, read at one moment.

        Errors: NoRecord when there is none of that id.
        """

    # -- deciding

    def edit(self, id: str, text: str, *, author: str, note: str = "") -> Overlay:
        """Lay an edited text over a record's raw text; the raw text stays. Nothing is judged yet.

        Errors: Misuse for no text, or too much; AlreadyResolved when the record is not open.
        """

    def resolve(self, id: str, resolution: Resolution) -> Resolved:
        """Decide on one record, at most once.

        Errors: AlreadyResolved, carrying the resolution that stands; NoRecord when there is no such record.
        """

    def resolve_all(
        self, resolutions: Sequence[tuple[str, Resolution]], *, revisions: Mapping[str, int] | None = None
    ) -> tuple[Resolved, ...]:
        """Decide on several records in one transaction: all of them or none.

        Shape: ``revisions`` maps ids of deliveries to the revision that was read; another one now writes nothing.
        Errors: as ``resolve``; StoreChanged when a revision is another one by now.
        """

    # -- replays

    def start_replay(
        self, *, id: str | None, contract: str, version: str, contract_fingerprint: str, author: str, note: str
    ) -> str:
        """Write down that a replay runs; return its id. A known id goes on with that run.

        Errors: Misuse when the id is known and the run was against another contract.
        """

    def replays(self) -> tuple[ReplayRun, ...]:
        """Return the replays that ran, newest first, at most MAX_PAGE."""

    def delivered(self, replay: str) -> tuple[Resolved, ...]:
        """Return what a replay admitted, with the values: also when its caller died before it took them.

        Shape: in the order of the records.
        Errors: Misuse when there was no such replay.
        """

    # -- housekeeping

    def purge(self) -> Purged:
        """Take away deliveries that retention no longer holds; only those whose records are finally resolved.

        Shape: ``keep`` does so by itself, MAX_PURGED_AT_ONCE at a time; this takes away all that may go.
        """

    def close(self) -> None:
        """Give up the file; the store cannot be used afterwards."""
