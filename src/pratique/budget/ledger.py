"""What every ledger does: keep budgets and holds by the rules of ``book``, each step all or nothing.

``pratique.testing.LedgerConformance`` holds any other to it. Neighbours: ``guard`` mints tokens through a ledger, the
leaf redeems them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import Account, Caps, Escrow, Hold
from pratique.budget.request import Call

__all__ = ["BudgetSnapshot", "Ledger"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSnapshot:
    """Show one budget as it stood at one moment, read in one step.

    Units: tokens and dollars.
    """

    budget: str
    cap: Amount
    per_call_tokens: int
    reserved: Amount
    spent: Amount
    overrun: Amount
    tripped: str
    """Why the breaker is open; empty: it is closed."""
    lent: Amount = NOTHING
    """What workflows under it took; they may not have spent it."""
    portfolio: str = ""
    """What it is under; empty: nothing."""
    granted: Amount = NOTHING
    """What it took of its portfolio."""
    portfolio_left: Amount | None = None
    """What the portfolio could still lend; None: there is none."""
    is_stale: bool = False
    """The ledger could not be read: this is what it showed last."""

    @property
    def left(self) -> Amount:
        """What may still be reserved: what its cap leaves, as far as its portfolio has it."""
        own = self.cap.beyond(self.reserved.plus(self.lent).plus(self.spent))
        if self.portfolio_left is None:
            return own
        return own.at_most(self.granted.beyond(self.reserved.plus(self.spent)).plus(self.portfolio_left))

    @staticmethod
    def of(account: Account, portfolio: Account | None = None) -> BudgetSnapshot:
        """Show a row, and what its portfolio leaves it."""
        return BudgetSnapshot(
            budget=account.id, cap=account.caps.total, per_call_tokens=account.caps.per_call_tokens,
            reserved=account.reserved, spent=account.spent, overrun=account.overrun, tripped=account.tripped,
            lent=account.lent, portfolio=account.escrow.portfolio if account.escrow else "", granted=account.granted,
            portfolio_left=None if portfolio is None else portfolio.room,
        )  # fmt: skip


class Ledger(Protocol):
    """Keep budgets and holds. Every method is one transaction: it happens, with its events, or nothing does.

    Errors: those of ``book``; ``Misuse`` for a budget that is not there; ``Outage`` when the store fails: nothing
        happened then, or, where it says so, nobody can tell.
    """

    def open(self, budget: str, caps: Caps, *, escrow: Escrow | None = None) -> BudgetSnapshot:
        """Open a budget, or find it open with the same caps, under the same portfolio.

        Errors: Misuse when it is there in another way, and for a portfolio that is not there.
        """

    def hold(self, budget: str, id: str, ceiling: Amount, call: Call, *, owner: str = "") -> Hold:
        """Reserve a ceiling under a new id. What does not fit is refused, and that is told."""

    def dispatch(self, id: str, ceiling: Amount, digest: str) -> None:
        """Use a hold, once, for the request that it was made for."""

    def settle(self, id: str, actual: Amount) -> bool:
        """Charge what a call cost; False when the same was told before."""

    def void(self, id: str) -> bool:
        """Give back a hold that was never used; False when it was given back before."""

    def assume(self, id: str) -> bool:
        """Charge a dispatched call at its ceiling; False when that was done before."""

    def give_back(self, budget: str) -> bool:
        """Give back to the portfolio what a workflow took and has no use for; False when that is nothing."""

    def override(self, budget: str, caps: Caps, *, by: str, reason: str) -> BudgetSnapshot:
        """Set other caps at an operator's word, and close the breaker."""

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one step."""

    def budgets(self) -> Sequence[BudgetSnapshot]:
        """Show all budgets at one moment, by name."""

    def open_holds(self, budget: str, *, owner: str | None = None, older_than_s: int = 0) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first; of one owner, or of some age, if asked for."""
