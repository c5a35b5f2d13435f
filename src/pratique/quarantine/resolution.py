"""What is decided about a record: discarded, snoozed, or admitted later by a replay. Values, frozen.

A decision is made at most once: a second one is refused with ``AlreadyResolved``, never merged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from pratique.errors import Misuse
from pratique.show import show

__all__ = [
    "AlreadyResolved",
    "Kind",
    "Passage",
    "ReplayRun",
    "Resolution",
    "Resolved",
    "require_note",
    "require_time",
]

MAX_NOTE_CHARS = 4_000
"""An author, a note, or the reason of a discard, characters: a few paragraphs, so that a row stays readable."""

MAX_GROW_BY = 10**9
"""Units that a snooze may wait for: a thousand times what a store holds by default; more would never come."""


class Kind(StrEnum):
    """Say what a resolution decides."""

    ADMITTED = "admitted"
    DISCARDED = "discarded"
    SNOOZED = "snoozed"

    @property
    def is_final(self) -> bool:
        """Whether nothing can follow it."""
        return self is not Kind.SNOOZED


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Say how a unit passed the boundary later: by which contract, in which replay, as what."""

    replay: str
    contract: str
    version: str
    contract_fingerprint: str
    overlay: int | None
    """Number of the overlay that passed; None: the raw text did."""
    values_json: str
    """The admitted value as JSON; for a record of a whole delivery, the list of its values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Decide on one record. Make it with ``discarded``, ``snoozed``; ``admitted`` is written by ``replay``.

    Limits: ``grow_by`` from 1 to MAX_GROW_BY.
    Errors: Misuse when it decides nothing: a discard without a reason, a snooze without an end, or with one
        that is no time or no number of units.
    """

    kind: Kind
    reason: str = ""
    """Why it was discarded."""
    until: float | None = None
    """When the snooze ends, seconds since 1970 UTC."""
    grow_by: int | None = None
    """The snooze ends, too, when this many more units have come to the group."""
    passage: Passage | None = None
    author: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("reason", "author", "note"):
            require_note(name, getattr(self, name))
        if self.kind is Kind.DISCARDED and not self.reason.strip():
            raise Misuse("a discard needs a reason", remedy='write Resolution.discarded("why nobody needs it")')
        if self.kind is Kind.SNOOZED and self.until is None and self.grow_by is None:
            raise Misuse(
                "a snooze needs an end", remedy="give until=, a time in seconds since 1970, or grow_by=, or both"
            )
        if self.until is not None:
            require_time("until", self.until)
        if self.grow_by is not None and not _is_count(self.grow_by):
            raise Misuse(
                f"grow_by must be a whole number from 1 to {MAX_GROW_BY:,}, not {_told(self.grow_by)}",
                remedy="say how many more units may come",
            )
        if (self.kind is Kind.ADMITTED) != (self.passage is not None):
            raise Misuse(
                "only what passed the boundary is admitted",
                remedy="call replay(store, contract, where=id, dry_run=False)",
            )

    @staticmethod
    def discarded(reason: str, *, author: str = "", note: str = "") -> Resolution:
        """Give a record up, and say why."""
        return Resolution(kind=Kind.DISCARDED, reason=reason, author=author, note=note)

    @staticmethod
    def snoozed(
        *, until: float | None = None, grow_by: int | None = None, author: str = "", note: str = ""
    ) -> Resolution:
        """Set a record aside until a time, or until its group has grown: whichever comes first."""
        return Resolution(kind=Kind.SNOOZED, until=until, grow_by=grow_by, author=author, note=note)

    @staticmethod
    def admitted(passage: Passage, *, author: str = "", note: str = "") -> Resolution:
        """Say that a record passed the boundary later. ``replay`` writes it."""
        return Resolution(kind=Kind.ADMITTED, passage=passage, author=author, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """One resolution as it was written."""

    record: str
    round: int
    """From 1; a record whose snooze has run out may be resolved again, in the next round."""
    resolution: Resolution
    at: float
    until_units: int | None = None
    """Size of the group, all units ever counted, at which the snooze ends."""

    def has_run_out(self, now: float, units_ever: int) -> bool:
        """Say whether it was a snooze, and is over."""
        if self.resolution.kind is not Kind.SNOOZED:
            return False
        over = self.resolution.until is not None and now >= self.resolution.until
        return over or (self.until_units is not None and units_ever >= self.until_units)

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        said, passage = self.resolution, self.resolution.passage
        return {
            "record": self.record, "round": self.round, "kind": said.kind.value, "reason": said.reason,
            "until": said.until, "grow_by": said.grow_by, "author": said.author, "note": said.note, "at": self.at,
            "replay": passage and passage.replay, "contract": passage and passage.contract,
            "version": passage and passage.version,
            "contract_fingerprint": passage and passage.contract_fingerprint,
            "overlay": passage and passage.overlay, "value": passage and passage.values_json,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRun:
    """One real replay: who ran it, against which contract, how much it admitted."""

    id: str
    contract: str
    version: str
    contract_fingerprint: str
    author: str
    note: str
    at: float
    admitted: int

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "id": self.id, "contract": self.contract, "version": self.version,
            "contract_fingerprint": self.contract_fingerprint, "author": self.author, "note": self.note,
            "at": self.at, "admitted": self.admitted,
        }  # fmt: skip


class AlreadyResolved(Misuse):
    """Say that a record was resolved before; carries the resolution that stands."""

    def __init__(self, first: Resolved) -> None:
        self.first = first
        said = first.resolution
        who = f" by {show(said.author)}" if said.author else ""
        why = f", {show(said.reason)}" if said.reason else ""
        super().__init__(
            f"{first.record} was already {said.kind}{who}{why}",
            remedy="wait until the snooze has run out, or leave it"
            if said.kind is Kind.SNOOZED
            else "a resolution stands; look at it with show(id)",
        )


def require_time(name: str, said: object) -> None:
    """Refuse what is no point in time: no finite number, or a truth value.

    Errors: Misuse.
    """
    if isinstance(said, (int, float)) and not isinstance(said, bool) and _is_finite(said):
        return
    raise Misuse(
        f"{name} must be a time in seconds since 1970, not {_told(said)}",
        remedy=f"write {name}=time.time() + 86_400, or another finite number",
    )


def _is_finite(said: float) -> bool:
    try:
        return math.isfinite(said)
    except OverflowError:  # a whole number beyond every float
        return False


def _is_count(said: object) -> bool:
    return isinstance(said, int) and not isinstance(said, bool) and 1 <= said <= MAX_GROW_BY


def _told(said: object) -> str:
    """Show a wrong number; one of thousands of digits only by its kind."""
    if isinstance(said, int) and not isinstance(said, bool) and abs(said) >= 2**63:
        return "a number of more than 63 bits"
    return show(said if isinstance(said, str) else repr(said))


def require_note(name: str, text: str) -> None:
    """Refuse an author, a note or a reason that is no text, or a very long one.

    Errors: Misuse.
    """
    if not isinstance(text, str):
        raise Misuse(f"{name} must be text, not {type(text).__name__}", remedy=f'write {name}="…"')
    if len(text) > MAX_NOTE_CHARS:
        raise Misuse(f"{name} has {len(text):,} characters; the limit is {MAX_NOTE_CHARS:,}", remedy="say it shorter")
