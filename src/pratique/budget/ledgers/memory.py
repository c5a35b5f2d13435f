"""The ledger of one process: exact and quick, and gone with it. For tests, and for runs that nobody resumes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pratique.budget.book import Account, Hold, added_up
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.ledgers.rows import RowLedger, Rows, require_account
from pratique.budget.telling import told
from pratique.errors import Misuse
from pratique.events import Event, EventSink

__all__ = ["MemoryLedger"]


class MemoryLedger(RowLedger):
    """Keep budgets and holds in memory, under one lock.

    Shape: ``clock`` tells whole seconds, for the age of holds.
    Errors: as ``Ledger``. What an event sink raises reaches the caller, and the step has not happened.
    """

    def __init__(
        self, events: EventSink | None = None, *, clock: Callable[[], int] = lambda: int(time.monotonic())
    ) -> None:
        self._process = os.getpid()
        self._mutex = threading.Lock()
        self._accounts: dict[str, Account] = {}
        self._holds: dict[str, Hold] = {}
        self._open: dict[str, dict[str, int]] = {}
        """Budget -> open hold -> when it was made or dispatched."""
        self._events = events
        self._clock = clock

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one step."""
        with self._locked():
            return self._shown(require_account(_MemoryRows(self._accounts, self._holds), budget))

    def budgets(self) -> Sequence[BudgetSnapshot]:
        """Show all budgets at one moment, by name."""
        with self._locked():
            return [self._shown(self._accounts[id]) for id in sorted(self._accounts)]

    def open_holds(self, budget: str, *, owner: str | None = None, older_than_s: int = 0) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first; of one owner, or of some age, if asked for."""
        with self._locked():
            require_account(_MemoryRows(self._accounts, self._holds), budget)
            now = self._clock()
            since = self._open.get(budget, {})
            aged = [replace(self._holds[id], age_s=max(0, now - moved)) for id, moved in since.items()]
            return [
                held for held in aged
                if (owner is None or held.owner == owner) and (not older_than_s or held.age_s >= older_than_s)
            ]  # fmt: skip

    @contextmanager
    def _write(self, *, durable: bool) -> Iterator[Rows]:  # noqa: ARG002 - memory is never on a disk
        """Run one step: what it wrote is kept once its events are told."""
        with self._locked():
            rows = _MemoryRows(self._accounts, self._holds, is_heard=self._events is not None)
            yield rows
            if self._events is not None:
                for event in rows.events:
                    self._events.emit(event)
            self._accounts.update(rows.kept)
            for held in rows.moved:
                self._holds[held.id] = held
                self._note_open(held)

    def _shown(self, account: Account) -> BudgetSnapshot:
        return BudgetSnapshot.of(account, self._accounts[account.escrow.portfolio] if account.escrow else None)

    def _note_open(self, held: Hold) -> None:
        opened = self._open.setdefault(held.budget, {})
        if held.state.is_open:
            opened[held.id] = self._clock()
        else:
            opened.pop(held.id, None)  # what was assumed before is not there any more

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Take the lock, in the process that made the ledger: a fork has a copy of it, and would spend it twice."""
        if os.getpid() != self._process:
            raise Misuse("a memory ledger belongs to one process, and this is a fork", remedy="use a SqliteLedger")
        with self._mutex:
            yield


class _MemoryRows:
    """What one step reads and writes: nothing is kept before all of it is."""

    def __init__(self, accounts: Mapping[str, Account], holds: Mapping[str, Hold], *, is_heard: bool = False) -> None:
        self._accounts, self._holds, self._is_heard = accounts, holds, is_heard
        self.kept: dict[str, Account] = {}
        self.moved: list[Hold] = []
        self.events: list[Event] = []

    def account(self, budget: str) -> Account | None:
        return self.kept.get(budget) or self._accounts.get(budget)

    def held(self, id: str) -> Hold | None:
        return self._holds.get(id)

    def keep_account(self, account: Account) -> None:
        self.kept[account.id] = account

    add_account = keep_account

    def add_hold(self, hold: Hold) -> bool:
        self._move(None, hold)
        return hold.id not in self._holds

    def keep_hold(self, was: Hold, now: Hold) -> None:
        self._move(was, now)

    def tell(self, event: Event) -> None:
        self.events.append(event)

    def _move(self, was: Hold | None, now: Hold) -> None:
        self.moved.append(now)
        self.keep_account(added_up(require_account(self, now.budget), was, now))
        if self._is_heard:
            self.events += told(was, now)
