"""What a replay found out: one outcome a record, and the units that were admitted. Values, frozen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from pratique.boundary.admission import Admitted
from pratique.errors import Finding

__all__ = ["Outcome", "Readmitted", "Replayed", "Verdict"]

T_co = TypeVar("T_co", covariant=True)


class Verdict(StrEnum):
    """Say what a replay made of one record."""

    ADMITTED = "admitted"
    """It passed the boundary; in a dry run: it would."""
    REFUSED = "refused"
    """The boundary refused it again; it stays open."""
    STAYS = "stays"
    """It could not be judged fairly, and stays open; a finding says why."""
    RESOLVED = "resolved"
    """It is not open: it was resolved before, is snoozed, or was purged meanwhile. Nothing was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one record."""

    record: str
    delivery: str
    before: str
    """The reason it was refused for when it came; empty when it was purged meanwhile."""
    verdict: Verdict
    after: str | None
    """The reason it is refused for today; None when it was not refused by the boundary."""
    findings: tuple[Finding, ...]
    """Of today."""
    overlay: int | None = None
    """Number of the edit that was judged; None: the raw text was."""

    @property
    def is_changed(self) -> bool:
        """Whether it is refused for another reason than before."""
        return self.verdict is Verdict.REFUSED and self.after != self.before

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "record": self.record, "delivery": self.delivery, "before": self.before, "verdict": self.verdict.value,
            "after": self.after, "findings": [finding.to_dict() for finding in self.findings], "overlay": self.overlay,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Readmitted(Generic[T_co]):
    """One record and the units that it gave: one, or for a record of a whole delivery all of its units."""

    record: str
    units: tuple[Admitted[T_co], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed(Generic[T_co]):
    """What a replay did; in a dry run, what it would do.

    Not checked: whether what an admitted unit says is true.
    """

    id: str | None
    """Of a real run; ``store.delivered(id)`` has its values again. None for a dry run."""
    dry_run: bool
    contract: str
    version: str
    contract_fingerprint: str
    outcomes: tuple[Outcome, ...]
    admitted: tuple[Readmitted[T_co], ...]
    """Handed out once; empty in a dry run."""

    @property
    def values(self) -> tuple[T_co, ...]:
        """The admitted values."""
        return tuple(unit.value for one in self.admitted for unit in one.units)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many records were (or would be) admitted, are refused again, stay, were resolved before."""
        found = Counter(outcome.verdict for outcome in self.outcomes)
        return {verdict.value: found[verdict] for verdict in Verdict}

    @property
    def reasons(self) -> Mapping[tuple[str, str], int]:
        """How many records went from which reason to which, for those that are refused again."""
        found = Counter(
            (outcome.before, outcome.after or "") for outcome in self.outcomes if outcome.verdict is Verdict.REFUSED
        )
        return dict(sorted(found.items()))

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values; the admitted values are in the store."""
        return {
            "id": self.id, "dry_run": self.dry_run, "contract": self.contract, "version": self.version,
            "contract_fingerprint": self.contract_fingerprint, "counts": dict(self.counts),
            "reasons": [{"before": b, "after": a, "units": n} for (b, a), n in self.reasons.items()],
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
        }  # fmt: skip
