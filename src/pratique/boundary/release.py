"""Say when a stream may hand a unit out: which of a contract's rules need the whole delivery first.

What a stream has handed out is never changed or taken back. So a rule that a later character could still
decide holds all units back until the delivery is closed, and the contract says so before the first call.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pratique.terms import Locality, Terms

__all__ = ["Hold", "Release", "release_of"]


class Hold(StrEnum):
    """Name a rule that holds units back until the delivery is closed."""

    ONE = "one"
    """Exactly one unit is due: a second one would make both ambiguous."""
    BATCH = "batch"
    """A batch is whole or nothing."""
    FRAMES = "frames"
    """A second payload may follow: it would be ambiguous, or outrank the first, or be the one that is meant."""
    ORDER = "order_by"
    """Values come in the contract's order, and the best of them are kept."""
    UNIQUE = "unique"
    """All claimants of an identity are refused: a later unit may claim it too."""


_REMEDIES = {
    Hold.ONE: "nothing: there is only one unit to wait for",
    Hold.BATCH: "use Contract.items when each unit stands for itself",
    Hold.FRAMES: 'write frames="first": the first payload is taken as it comes, whatever follows',
    Hold.ORDER: "leave order_by out; the first limits.max_items units are kept then",
    Hold.UNIQUE: 'write keep="first": the first claimant stays, or leave unique out',
}


@dataclass(frozen=True, slots=True)
class Release:
    """Say when a stream of this contract hands units out."""

    holds: tuple[Hold, ...]
    """Every rule that holds units back; none when they are handed out as they come."""

    @property
    def early(self) -> bool:
        """Whether a unit is handed out as soon as it is decided, before the delivery is closed."""
        return not self.holds

    @property
    def rule(self) -> Hold | None:
        """The first rule that holds units back; None when there is none."""
        return self.holds[0] if self.holds else None

    @property
    def remedy(self) -> str:
        """What to change in the contract so that units come early."""
        return "; ".join(_REMEDIES[hold] for hold in self.holds)

    def __str__(self) -> str:
        """Say it in a word: ``early``, or the rules that hold."""
        return "early" if self.early else "at close: " + ", ".join(self.holds)


def release_of(terms: Terms[Any]) -> Release:
    """Find the rules of a contract that need the whole delivery."""
    holds: list[Hold] = []
    if terms.locality is Locality.ONE:
        holds.append(Hold.ONE)
    if terms.locality is Locality.BATCH:
        holds.append(Hold.BATCH)
    if terms.frames != "first":
        holds.append(Hold.FRAMES)
    if terms.order_by is not None:
        holds.append(Hold.ORDER)
    if terms.unique and terms.keep != "first":
        holds.append(Hold.UNIQUE)
    return Release(tuple(holds))
