"""What the store in memory holds, and how it filters, groups and counts: plain Python, no SQL.

Neighbours: ``memory`` is the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pratique.quarantine.intake import KeptUnit
from pratique.quarantine.record import KeptDelivery, Overlay, Record, State
from pratique.quarantine.resolution import Resolved
from pratique.quarantine.store import Filter, Group

__all__ = ["Entry", "Home", "counted", "group_of", "is_back", "is_meant"]


@dataclass(slots=True)
class Entry:
    """Hold one record."""

    seq: int
    id: str
    unit: KeptUnit
    home: Home
    regressed: bool
    overlays: list[Overlay] = field(default_factory=list)
    resolutions: list[Resolved] = field(default_factory=list)

    @property
    def final(self) -> Resolved | None:
        """The resolution that nothing can follow."""
        last = self.resolutions[-1] if self.resolutions else None
        return last if last is not None and last.resolution.kind.is_final else None


@dataclass(slots=True)
class Home:
    """Hold one delivery and its records."""

    seq: int
    kept: KeptDelivery
    identity: tuple[object, ...] | None
    entries: list[Entry] = field(default_factory=list)

    @property
    def settled_at(self) -> float | None:
        """When the last of its records was finally resolved; None while one is not."""
        finals = [entry.final for entry in self.entries]
        return max(final.at for final in finals if final) if all(finals) else None

    @property
    def kept_bytes(self) -> int:
        """Text kept of it and its units."""
        return self.kept.kept_bytes + sum(entry.unit.kept_bytes for entry in self.entries)


def is_meant(said: Filter, entry: Entry, record: Record) -> bool:
    """Say whether a filter means a record."""
    exact = ("contract", "version", "reason", "producer", "model", "run_id", "fingerprint", "delivery")
    if any(getattr(said, name) not in (None, getattr(record, name)) for name in exact):
        return False
    if said.status is not None and said.status != record.state:
        return False
    if (said.since is not None and record.kept_at < said.since) or (
        said.until is not None and record.kept_at >= said.until
    ):
        return False
    return said.text is None or said.text in entry.unit.raw or said.text in entry.unit.message


def is_back(record: Record) -> bool:
    """Say whether a record came back after its group was wholly resolved, and is not done with."""
    return record.regressed and record.state in (State.OPEN, State.SNOOZED)


def group_of(records: Sequence[Record], ever: int) -> Group:
    """Sum up records that were refused alike, in the order in which they came."""
    newest = records[-1]
    is_open = [record for record in records if record.state is State.OPEN]
    return Group(
        fingerprint=newest.fingerprint, fingerprint_version=newest.fingerprint_version, contract=newest.contract,
        reason=newest.reason, code=newest.code, path=newest.path, message=newest.message, count=len(records),
        open=len(is_open), ever=ever, first_seen=min(record.kept_at for record in records),
        last_seen=max(record.kept_at for record in records),
        oldest_open=min((record.kept_at for record in is_open), default=None),
        regressed=any(map(is_back, records)), sample=newest.id, snippet=newest.snippet,
    )  # fmt: skip


def counted(words: Iterable[str]) -> dict[str, int]:
    """Count words, in the order of the alphabet."""
    return dict(sorted(Counter(words).items()))
