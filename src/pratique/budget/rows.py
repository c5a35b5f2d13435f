"""The steps of a ledger on its rows, whatever keeps them: read, ask ``book``, write the rows and their events.

A store says how it reads and writes rows in one transaction (``Rows``); which rows a step needs, in which order they
are locked, and what is told, is said here once. Rows are locked in the order hold, budget, portfolio: so no two steps
wait for each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from pratique.budget import book
from pratique.budget.amount import Amount
from pratique.budget.book import Account, BudgetExceeded, Caps, Escrow, Hold, ReconcileConflict, Step, TokenRefused
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.request import Call
from pratique.budget.telling import conflicting, exceeded, opened, overridden, told
from pratique.errors import Misuse
from pratique.events import Event
from pratique.show import show

__all__ = ["RowLedger", "Rows", "require_account", "unknown_budget"]


class Rows(Protocol):
    """The rows, as one transaction sees them. What is read here is not changed by anybody else until it ends."""

    def account(self, budget: str) -> Account | None:
        """Read a budget's row."""

    def entry(self, id: str) -> tuple[Hold, Account] | None:
        """Read a hold's row and its budget's."""

    def add_account(self, account: Account) -> None:
        """Write a new budget."""

    def keep_account(self, account: Account) -> None:
        """Write what became of a budget, before the hold that it became so by."""

    def add_hold(self, hold: Hold) -> bool:
        """Write a new hold; False when its id is taken."""

    def keep_hold(self, hold: Hold) -> None:
        """Write what became of a hold."""

    def tell(self, events: Sequence[Event]) -> None:
        """Write events, to be true when the transaction is."""


class RowLedger(ABC):
    """Do what ``Ledger`` says, on the rows of a store."""

    @abstractmethod
    def _write(self, *, durable: bool) -> AbstractContextManager[Rows]:
        """Run one transaction: all of it, or nothing.

        Shape: ``durable`` where money goes out: true when it is on the disk. What brings money back may be lost by a
            power cut; that only counts too much until it is told again.
        """

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
        with self._write(durable=True) as rows:
            known = rows.account(budget)
            portfolio = None if escrow is None else require_account(rows, escrow.portfolio)
            if known is None:
                if escrow is not None and portfolio is not None:
                    book.require_lender(portfolio, escrow)
                known = Account(id=budget, caps=caps, escrow=escrow)
                rows.add_account(known)
                rows.tell([opened(known)])
            else:
                book.require_same(known, caps, escrow)
            return BudgetSnapshot.of(known, portfolio)

    def hold(self, budget: str, id: str, ceiling: Amount, call: Call, *, owner: str = "") -> Hold:
        """Reserve a ceiling under a new id. What does not fit is refused, and that is told."""
        made = Hold(id=id, budget=budget, ceiling=ceiling, call=call, owner=owner)
        with self._write(durable=True) as rows:
            account = require_account(rows, budget)
            try:
                step = book.hold(account, made, _lender(rows, account, book.is_short(account, ceiling)))
            except BudgetExceeded as error:
                refused = error
                rows.tell([exceeded(made, error)])
            else:
                _keep_accounts(rows, account, step)
                if not rows.add_hold(made):
                    raise Misuse(f"there is a hold {show(id)} already", remedy="mint a new id for each attempt")
                rows.tell(told(account, None, step))
                return made
        raise refused

    def dispatch(self, id: str, ceiling: Amount, digest: str) -> Hold:
        """Use a hold, once, for the request that it was made for."""
        with self._write(durable=True) as rows:
            step = _moved(rows, id, lambda account, held: book.dispatch(account, held, ceiling, digest))
        assert step.hold is not None
        return step.hold

    def settle(self, id: str, actual: Amount) -> bool:
        """Charge what a call cost; False when the same was told before."""
        with self._write(durable=False) as rows:
            account, held = _require_entry(rows, id)
            try:
                step = book.settle(account, held, actual, _lender(rows, account, not actual.is_within(held.ceiling)))
            except ReconcileConflict as error:
                conflict = error
                rows.tell([conflicting(held, actual)])
            else:
                return _kept(rows, account, held, step).changed
        raise conflict

    def void(self, id: str) -> bool:
        """Give back a hold that was never used; False when it was given back before."""
        with self._write(durable=False) as rows:
            return _moved(rows, id, book.void).changed

    def assume(self, id: str) -> bool:
        """Charge a dispatched call at its ceiling; False when that was done before."""
        with self._write(durable=False) as rows:
            return _moved(rows, id, book.assume).changed

    def give_back(self, budget: str) -> bool:
        """Give back to the portfolio what a workflow took and has no use for; False when that is nothing."""
        with self._write(durable=False) as rows:
            account = require_account(rows, budget)
            portfolio = _lender(rows, account, True)
            if portfolio is None:
                return False
            step = book.give_back(account, portfolio)
            if step.changed:
                _keep_accounts(rows, account, step)
                rows.tell(told(account, None, step))
            return step.changed

    def override(self, budget: str, caps: Caps, *, by: str, reason: str) -> BudgetSnapshot:
        """Set other caps at an operator's word, and close the breaker."""
        with self._write(durable=True) as rows:
            before = require_account(rows, budget)
            after = book.override(before, caps)
            rows.keep_account(after)
            rows.tell([overridden(before, caps, by=by, reason=reason)])
            return BudgetSnapshot.of(after, _lender(rows, after, True))


def _moved(rows: Rows, id: str, step_of: Callable[[Account, Hold], Step]) -> Step:
    account, held = _require_entry(rows, id)
    return _kept(rows, account, held, step_of(account, held))


def _kept(rows: Rows, account: Account, held: Hold, step: Step) -> Step:
    if step.changed:
        assert step.hold is not None
        _keep_accounts(rows, account, step)
        rows.keep_hold(step.hold)
        rows.tell(told(account, held, step))
    return step


def _keep_accounts(rows: Rows, before: Account, step: Step) -> None:
    """Write the portfolio first: what a workflow has of it is never more than it lent."""
    if step.portfolio is not None:
        rows.keep_account(step.portfolio)
    if step.account is not before:
        rows.keep_account(step.account)


def _require_entry(rows: Rows, id: str) -> tuple[Account, Hold]:
    found = rows.entry(id)
    if found is None:
        raise TokenRefused(f"no hold is called {show(id)} here")
    return found[1], found[0]


def require_account(rows: Rows, budget: str) -> Account:
    """Read a budget's row. Errors: Misuse when there is none."""
    found = rows.account(budget)
    if found is None:
        raise unknown_budget(budget)
    return found


def unknown_budget(budget: str) -> Misuse:
    """Tell that there is no such budget."""
    return Misuse(f"no budget is called {show(budget)} here", remedy="open it first, with its caps")


def _lender(rows: Rows, account: Account, is_needed: bool) -> Account | None:
    """Read the portfolio of a workflow, when it is needed and there is one."""
    if not is_needed or account.escrow is None:
        return None
    return require_account(rows, account.escrow.portfolio)
