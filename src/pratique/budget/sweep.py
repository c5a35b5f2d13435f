"""Orphans: holds whose owner died. What was never dispatched is given back, what was is charged at its ceiling.

Problem: a process is killed between the call and the answer. Releasing its hold on expiry, as payment systems do, is
wrong here: the provider billed without our capture (measured with SIGKILL: 7 % over the cap). So age never frees money
that may have been spent; a bill that turns up later corrects what was assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

from pratique.budget.book import Hold, HoldState, TokenRefused
from pratique.budget.ledger import Ledger
from pratique.errors import Misuse

__all__ = ["ORPHAN_AGE_S", "Swept", "close", "sweep"]

ORPHAN_AGE_S = 3_600
"""From when on a hold counts as an orphan, seconds: six times the 600 s after which providers' own clients give up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """Hold what a sweep found: orphans that were given back, and orphans that were charged at their ceilings."""

    voided: tuple[Hold, ...] = ()
    assumed: tuple[Hold, ...] = ()


def sweep(ledger: Ledger, budget: str, *, owner: str | None = None, older_than_s: int | None = None) -> Swept:
    """Close the holds of a budget that nobody will close: those of a dead owner, or those older than an age.

    Shape: ``owner`` None: of all; ``older_than_s`` None: 0 with an owner, else ``ORPHAN_AGE_S``. A hold whose owner
        is alive after all loses nothing: its token is refused, or its bill is later evidence.
    Errors: Misuse for an age that is none; as ``Ledger``.
    """
    age = (ORPHAN_AGE_S if owner is None else 0) if older_than_s is None else older_than_s
    if isinstance(age, bool) or not isinstance(age, int) or age < 0:
        raise Misuse(f"older_than_s cannot be {age!r}", remedy="give whole seconds, 3600 for an hour")
    ended = [(hold, close(ledger, hold.id)) for hold in ledger.open_holds(budget, owner=owner, older_than_s=age)]
    return Swept(
        voided=tuple(hold for hold, state in ended if state is HoldState.VOIDED),
        assumed=tuple(hold for hold, state in ended if state is HoldState.ASSUMED),
    )


def close(ledger: Ledger, id: str) -> HoldState | None:
    """End a hold: give it back if it was never dispatched, else charge its ceiling.

    Shape: what it is now, by this; None when somebody else had ended it.
    """
    try:
        return HoldState.VOIDED if ledger.void(id) else None
    except TokenRefused:  # dispatched, so not given back; or ended
        pass
    try:
        return HoldState.ASSUMED if ledger.assume(id) else None
    except TokenRefused:  # settled meanwhile
        return None
