"""The steps of a ledger on its rows, whatever keeps them: read, ask ``book``, write the rows and their events.

A store says how it reads and writes rows in one transaction (``Rows``); which rows a step needs, in which order they
are locked, and what is told, is said here once. Rows are locked in the order hold, budget, portfolio: so no two steps
wait for each other. What is reserved and spent is added up by the store, from what becomes of the holds, and the store
tells what became of them.

Most steps need none of that: a call that fits, a token that is good, a bill within its ceiling. A store that can decide
these in one statement of its own does (``_…_at_once``); what it does not decide, the book does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from pratique.budget import book
from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import Account, BudgetExceeded, Caps, Escrow, Hold, ReconcileConflict, TokenRefused
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.request import Call
from pratique.budget.telling import conflicting, escrowed, exceeded, opened, overridden, returned
from pratique.errors import Misuse
from pratique.events import Event
from pratique.show import show

__all__ = ["RowLedger", "Rows", "require_account", "unknown_budget"]


class Rows(Protocol):
    """The rows, as one transaction sees them. What is read here is not changed by anybody else until it ends."""

    def account(self, budget: str) -> Account | None:
        """Read a budget's row."""

    def held(self, id: str) -> Hold | None:
        """Read a hold's row."""

    def add_account(self, account: Account) -> None:
        """Write a new budget."""

    def keep_account(self, account: Account) -> None:
        """Write what became of a budget, before the hold that it became so by; but for what is reserved and spent."""

    def add_hold(self, hold: Hold) -> bool:
        """Write a new hold, add its ceiling up, and tell it; False when its id is taken."""

    def keep_hold(self, was: Hold, now: Hold) -> None:
        """Write what became of a hold, add it up, and tell it."""

    def tell(self, event: Event) -> None:
        """Write what happened beside the holds, to be true when the transaction is."""


class RowLedger(ABC):
    """Do what ``Ledger`` says, on the rows of a store."""

    @abstractmethod
    def _write(self, *, durable: bool) -> AbstractContextManager[Rows]:
        """Run one transaction: all of it, or nothing.

        Shape: ``durable`` where money goes out: true when it is on the disk. What brings money back may be lost by a
            power cut; that only counts too much until it is told again.
        """

    def _hold_at_once(self, hold: Hold) -> bool:  # noqa: ARG002 - what a store may do better
        """Write a new hold if it plainly fits; False: nothing was done."""
        return False

    def _dispatch_at_once(self, id: str, ceiling: Amount, digest: str) -> bool:  # noqa: ARG002
        """Use a hold if it plainly may be used; False: nothing was done."""
        return False

    def _settle_at_once(self, id: str, actual: Amount) -> bool:  # noqa: ARG002
        """Charge a call whose bill is within its ceiling, if nobody did; False: nothing was done."""
        return False

    @abstractmethod
    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one step."""

    @abstractmethod
    def budgets(self) -> Sequence[BudgetSnapshot]:
        """Show all budgets at one moment, by name."""

    @abstractmethod
    def open_holds(self, budget: str, *, owner: str | None = None, older_than_s: int = 0) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first; of one owner, or of some age, if asked for."""

    def open(self, budget: str, caps: Caps, *, escrow: Escrow | None = None) -> BudgetSnapshot:
        """Open a budget, or find it open with the same caps, under the same portfolio."""
        book.require_name(budget, "a budget")
        with self._write(durable=True) as rows:
            known = rows.account(budget)
            portfolio = None if escrow is None else require_account(rows, escrow.portfolio)
            if known is None:
                if escrow is not None and portfolio is not None:
                    book.require_lender(portfolio, escrow)
                known = Account(id=budget, caps=caps, first=caps, escrow=escrow)
                rows.add_account(known)
                rows.tell(opened(known))
            else:
                book.require_same(known, caps, escrow)
            return BudgetSnapshot.of(known, portfolio)

    def hold(self, budget: str, id: str, ceiling: Amount, call: Call, *, owner: str = "") -> Hold:
        """Reserve a ceiling under a new id. What does not fit is refused, and that is told."""
        book.require_name(id, "a hold")
        book.require_name(owner, "an owner")
        made = Hold(id=id, budget=budget, ceiling=ceiling, call=call, owner=owner)
        if self._hold_at_once(made):
            return made
        with self._write(durable=True) as rows:
            account = require_account(rows, budget)
            try:
                book.require_fit(account, ceiling)
                if book.is_short(account, ceiling):
                    _borrow(rows, account, ceiling)
            except BudgetExceeded as error:
                refused = error
                rows.tell(exceeded(made, error))
            else:
                if not rows.add_hold(made):
                    raise Misuse(f"there is a hold {show(id)} already", remedy="mint a new id for each attempt")
                return made
        raise refused

    def dispatch(self, id: str, ceiling: Amount, digest: str) -> None:
        """Use a hold, once, for the request that it was made for."""
        if not self._dispatch_at_once(id, ceiling, digest):
            with self._write(durable=True) as rows:
                held = _require_held(rows, id)
                rows.keep_hold(held, book.dispatch(held, ceiling, digest))

    def settle(self, id: str, actual: Amount) -> bool:
        """Charge what a call cost; False when the same was told before."""
        if self._settle_at_once(id, actual):
            return True
        with self._write(durable=True) as rows:  # what is above the ceiling was reserved by nobody
            held = _require_held(rows, id)
            try:
                settled = book.settle(held, actual)
            except ReconcileConflict as error:
                conflict = error
                rows.tell(conflicting(held, actual))
            else:
                if settled is held:
                    return False
                if not actual.is_within(held.ceiling):
                    _trip(rows, settled)
                rows.keep_hold(held, settled)
                return True
        raise conflict

    def void(self, id: str) -> bool:
        """Give back a hold that was never used; False when it was given back before."""
        return self._ended(id, book.void)

    def assume(self, id: str) -> bool:
        """Charge a dispatched call at its ceiling; False when that was done before."""
        return self._ended(id, book.assume)

    def give_back(self, budget: str) -> bool:
        """Give back to the portfolio what a workflow took and has no use for; False when that is nothing."""
        with self._write(durable=False) as rows:
            before = require_account(rows, budget)
            portfolio = _portfolio(rows, before)
            if portfolio is None or before.idle == NOTHING:
                return False
            account, lender = book.return_idle(before, portfolio)
            rows.keep_account(account)
            rows.keep_account(lender)
            rows.tell(returned(before, account))
            return True

    def override(self, budget: str, caps: Caps, *, by: str, reason: str) -> BudgetSnapshot:
        """Set other caps at an operator's word, and close the breaker."""
        with self._write(durable=True) as rows:
            before = require_account(rows, budget)
            after = book.override(before, caps)
            rows.keep_account(after)
            rows.tell(overridden(before, caps, by=by, reason=reason))
            return BudgetSnapshot.of(after, _portfolio(rows, after))

    def _ended(self, id: str, end: Callable[[Hold], Hold]) -> bool:
        with self._write(durable=False) as rows:
            held = _require_held(rows, id)
            ended = end(held)
            if ended is not held:
                rows.keep_hold(held, ended)
            return ended is not held


def _borrow(rows: Rows, account: Account, ceiling: Amount) -> None:
    """Take of the portfolio what a call needs."""
    lender = _portfolio(rows, account)
    assert lender is not None
    after, portfolio = book.lend(account, ceiling, lender)
    rows.keep_account(portfolio)
    rows.keep_account(after)
    rows.tell(escrowed(account, after))


def _trip(rows: Rows, settled: Hold) -> None:
    """Record an overrun with the budget and its portfolio."""
    account = require_account(rows, settled.budget)
    stopped, portfolio = book.trip(account, settled, _portfolio(rows, account))
    if portfolio is not None:
        rows.keep_account(portfolio)
    rows.keep_account(stopped)


def _portfolio(rows: Rows, account: Account) -> Account | None:
    return require_account(rows, account.escrow.portfolio) if account.escrow else None


def _require_held(rows: Rows, id: str) -> Hold:
    found = rows.held(id)
    if found is None:
        raise TokenRefused(f"no hold is called {show(id)} here")
    return found


def require_account(rows: Rows, budget: str) -> Account:
    """Read a budget's row. Errors: Misuse when there is none."""
    found = rows.account(budget)
    if found is None:
        raise unknown_budget(budget)
    return found


def unknown_budget(budget: str) -> Misuse:
    """Tell that there is no such budget."""
    return Misuse(f"no budget is called {show(budget)} here", remedy="open it first, with its caps")
