"""The ledger of one process: exact and quick, and gone with it. For tests, and for runs that nobody resumes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pratique.budget import book
from pratique.budget.amount import Amount
from pratique.budget.book import Account, Caps, Hold, HoldState, Step
from pratique.budget.events import BudgetEvent
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.telling import opened, overridden, told
from pratique.errors import Misuse
from pratique.events import EventSink
from pratique.show import show

__all__ = ["MemoryLedger"]


class MemoryLedger:
    """Keep budgets and holds in memory, under one lock.

    Errors: as ``Ledger``. What an event sink raises reaches the caller, and the step has not happened.
    """

    def __init__(self, events: EventSink | None = None) -> None:
        self._process = os.getpid()
        self._mutex = threading.Lock()
        self._accounts: dict[str, Account] = {}
        self._holds: dict[str, Hold] = {}
        self._events = events

    def open(self, budget: str, caps: Caps) -> BudgetSnapshot:
        """Open a budget, or find it open with the same caps."""
        with self._locked():
            known = self._accounts.get(budget)
            if known is None:
                known = Account(id=budget, caps=caps)
                self._tell(opened(budget, caps))
                self._accounts[budget] = known
            elif known.caps != caps:
                raise Misuse(
                    f"the budget {show(budget)} is open with a cap of {known.caps.total}", remedy="override it, visibly"
                )
            return BudgetSnapshot.of(known)

    def hold(self, budget: str, id: str, ceiling: Amount, digest: str) -> Hold:
        """Reserve a ceiling under a new id."""
        with self._locked():
            if id in self._holds:
                raise Misuse(f"there is a hold {show(id)} already", remedy="mint a new id for each attempt")
            return self._done(book.hold(self._account(budget), id, ceiling, digest), None).hold

    def dispatch(self, id: str, ceiling: Amount, digest: str) -> Hold:
        """Use a hold, once, for the request that it was made for."""
        return self._moved(id, lambda account, held: book.dispatch(account, held, ceiling, digest)).hold

    def settle(self, id: str, actual: Amount) -> bool:
        """Charge what a call cost; False when the same was told before."""
        return self._moved(id, lambda account, held: book.settle(account, held, actual)).changed

    def void(self, id: str) -> bool:
        """Give back a hold that was never used; False when it was given back before."""
        return self._moved(id, book.void).changed

    def assume(self, id: str) -> bool:
        """Charge a dispatched call at its ceiling; False when that was done before."""
        return self._moved(id, book.assume).changed

    def override(self, budget: str, caps: Caps, *, by: str, reason: str) -> BudgetSnapshot:
        """Set other caps at an operator's word, and close the breaker."""
        with self._locked():
            before = self._account(budget)
            after = book.override(before, caps)
            self._tell(overridden(budget, before.caps, caps, by=by, reason=reason))
            self._accounts[budget] = after
            return BudgetSnapshot.of(after)

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one step."""
        with self._locked():
            return BudgetSnapshot.of(self._account(budget))

    def open_holds(self, budget: str) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first."""
        with self._locked():
            return [held for held in self._holds.values() if held.budget == budget and held.state.is_open]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Take the lock, in the process that made the ledger: a fork has a copy of it, and would spend it twice."""
        if os.getpid() != self._process:
            raise Misuse("a memory ledger belongs to one process, and this is a fork", remedy="use a SqliteLedger")
        with self._mutex:
            yield

    def _moved(self, id: str, step_of: Callable[[Account, Hold], Step]) -> Step:
        with self._locked():
            held = self._holds.get(id)
            if held is None:
                raise book.TokenRefused(f"no hold is called {show(id)} here")
            return self._done(step_of(self._account(held.budget), held), held.state)

    def _done(self, step: Step, before: HoldState | None) -> Step:
        """Tell a step, then keep it: what cannot be told has not happened."""
        for event in told(step, before):
            self._tell(event)
        self._accounts[step.account.id] = step.account
        self._holds[step.hold.id] = step.hold
        return step

    def _account(self, budget: str) -> Account:
        found = self._accounts.get(budget)
        if found is None:
            raise Misuse(f"no budget is called {show(budget)} here", remedy="open it first, with its caps")
        return found

    def _tell(self, event: BudgetEvent) -> None:
        if self._events is not None:
            self._events.emit(event)
