"""The ledger in one SQLite file: for many processes of one machine. Not for a network's file system.

Each step is one transaction: rows, event, or nothing. What lets money go out (a hold, its use, an override) is on the
disk before it is true; what brings money back may be lost by a power cut, which only counts too much until it is told
again.
Neighbours: ``tables`` has the constraints, ``book`` the rules, ``sqlite_file`` opens the file.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pratique.budget import book
from pratique.budget.amount import Amount
from pratique.budget.book import Account, Caps, Hold, HoldState, Step
from pratique.budget.events import BudgetEvent
from pratique.budget.gate import Gate
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.tables import LAYOUT
from pratique.budget.telling import opened, overridden, told
from pratique.errors import Misuse
from pratique.show import show
from pratique.sqlite_file import StoreFile

__all__ = ["SqliteLedger"]

BUSY_TIMEOUT_S = 30
"""How long a step waits for its turn, seconds: a thousand times what one takes."""

_ACCOUNT = """SELECT id, cap_tokens, cap_picos, per_call_tokens, reserved_tokens, reserved_picos, spent_tokens,
    spent_picos, overrun_tokens, overrun_picos, tripped FROM budgets WHERE id = ?"""
_HOLD = """SELECT id, budget, ceiling_tokens, ceiling_picos, digest, state, actual_tokens, actual_picos, charged_tokens,
    charged_picos FROM holds"""
_KEEP_ACCOUNT = """UPDATE budgets SET cap_tokens = ?, cap_picos = ?, per_call_tokens = ?, reserved_tokens = ?,
    reserved_picos = ?, spent_tokens = ?, spent_picos = ?, overrun_tokens = ?, overrun_picos = ?, tripped = ?
    WHERE id = ?"""
_KEEP_HOLD = """UPDATE holds SET state = ?, actual_tokens = ?, actual_picos = ?, charged_tokens = ?, charged_picos = ?,
    dispatched_at = CASE WHEN ? = 'dispatched' THEN unixepoch() ELSE dispatched_at END WHERE id = ?"""


class SqliteLedger:
    """Keep budgets and holds in one file.

    Units: ``busy_timeout_s`` in seconds.
    Errors: as ``Ledger``; Misuse for a file that is no ledger, or of a newer pratique; Outage when the disk is full,
        the file is locked for too long, gone or damaged: the step has not happened.
    """

    def __init__(self, path: str | os.PathLike[str], *, busy_timeout_s: int = BUSY_TIMEOUT_S) -> None:
        self._file = StoreFile(path, LAYOUT, busy_timeout_s=busy_timeout_s)
        self._gate = Gate(self._file.path)

    def __enter__(self) -> SqliteLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._gate.close()
        self._file.close()

    def open(self, budget: str, caps: Caps) -> BudgetSnapshot:
        """Open a budget, or find it open with the same caps."""
        with self._write(durable=True) as connection:
            found = connection.execute(_ACCOUNT, (budget,)).fetchone()
            if found is None:
                connection.execute(
                    "INSERT INTO budgets (id, cap_tokens, cap_picos, per_call_tokens) VALUES (?, ?, ?, ?)",
                    (budget, caps.total.tokens, caps.total.picos, caps.per_call_tokens),
                )
                _tell(connection, [opened(budget, caps)])
                return BudgetSnapshot.of(Account(id=budget, caps=caps))
            known = _account_of(found)
            if known.caps != caps:
                raise Misuse(
                    f"the budget {show(budget)} is open with a cap of {known.caps.total}", remedy="override it, visibly"
                )
            return BudgetSnapshot.of(known)

    def hold(self, budget: str, id: str, ceiling: Amount, digest: str) -> Hold:
        """Reserve a ceiling under a new id."""
        with self._write(durable=True) as connection:
            if connection.execute("SELECT 1 FROM holds WHERE id = ?", (id,)).fetchone() is not None:
                raise Misuse(f"there is a hold {show(id)} already", remedy="mint a new id for each attempt")
            step = book.hold(_account(connection, budget), id, ceiling, digest)
            connection.execute(
                "INSERT INTO holds (id, budget, ceiling_tokens, ceiling_picos, digest) VALUES (?, ?, ?, ?, ?)",
                (id, budget, ceiling.tokens, ceiling.picos, digest),
            )
            _keep_account(connection, step.account)
            _tell(connection, told(step, None))
            return step.hold

    def dispatch(self, id: str, ceiling: Amount, digest: str) -> Hold:
        """Use a hold, once, for the request that it was made for."""
        return self._moved(id, lambda account, held: book.dispatch(account, held, ceiling, digest), durable=True).hold

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
        with self._write(durable=True) as connection:
            before = _account(connection, budget)
            after = book.override(before, caps)
            _keep_account(connection, after)
            _tell(connection, [overridden(budget, before.caps, caps, by=by, reason=reason)])
            return BudgetSnapshot.of(after)

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one statement."""
        with self._file.read() as connection:
            return BudgetSnapshot.of(_account(connection, budget))

    def open_holds(self, budget: str) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first."""
        with self._file.read() as connection:
            _account(connection, budget)
            rows = connection.execute(
                f"{_HOLD} WHERE budget = ? AND state IN ('held', 'dispatched') ORDER BY seq", (budget,)
            )
            return [_hold_of(row) for row in rows]

    def events(self, after: int = 0, *, at_most: int = 1_000) -> list[tuple[int, dict[str, Any]]]:
        """Return what happened behind a place in the outbox, in order, with the places."""
        with self._file.read() as connection:
            rows = connection.execute(
                "SELECT seq, event FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?", (after, at_most)
            )
            return [(row["seq"], json.loads(row["event"])) for row in rows]

    def _moved(self, id: str, step_of: Callable[[Account, Hold], Step], *, durable: bool = False) -> Step:
        with self._write(durable=durable) as connection:
            row = connection.execute(f"{_HOLD} WHERE id = ?", (id,)).fetchone()
            if row is None:
                raise book.TokenRefused(f"no hold is called {show(id)} here")
            held = _hold_of(row)
            account = _account(connection, held.budget)
            step = step_of(account, held)
            if step.changed:
                _keep_hold(connection, step.hold)
                if step.account is not account:
                    _keep_account(connection, step.account)
                _tell(connection, told(step, held.state))
            return step

    @contextmanager
    def _write(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """Run one step, in turn with every other process's."""
        with self._gate.turn(), self._file.write(durable=durable) as connection:
            yield connection


def _account(connection: sqlite3.Connection, budget: str) -> Account:
    row = connection.execute(_ACCOUNT, (budget,)).fetchone()
    if row is None:
        raise Misuse(f"no budget is called {show(budget)} here", remedy="open it first, with its caps")
    return _account_of(row)


def _account_of(row: sqlite3.Row) -> Account:
    caps = Caps(total=Amount(row["cap_tokens"], row["cap_picos"]), per_call_tokens=row["per_call_tokens"])
    amounts = {name: Amount(row[f"{name}_tokens"], row[f"{name}_picos"]) for name in ("reserved", "spent", "overrun")}
    return Account(id=row["id"], caps=caps, tripped=row["tripped"], **amounts)


def _hold_of(row: sqlite3.Row) -> Hold:
    actual = None if row["actual_tokens"] is None else Amount(row["actual_tokens"], row["actual_picos"])
    return Hold(
        id=row["id"], budget=row["budget"], ceiling=Amount(row["ceiling_tokens"], row["ceiling_picos"]),
        digest=row["digest"], state=HoldState(row["state"]), actual=actual,
        charged=Amount(row["charged_tokens"], row["charged_picos"]),
    )  # fmt: skip


def _keep_account(connection: sqlite3.Connection, account: Account) -> None:
    total = account.caps.total
    connection.execute(
        _KEEP_ACCOUNT,
        (
            total.tokens, total.picos, account.caps.per_call_tokens, account.reserved.tokens, account.reserved.picos,
            account.spent.tokens, account.spent.picos, account.overrun.tokens, account.overrun.picos, account.tripped,
            account.id,
        ),
    )  # fmt: skip


def _keep_hold(connection: sqlite3.Connection, held: Hold) -> None:
    actual = (None, None) if held.actual is None else (held.actual.tokens, held.actual.picos)
    connection.execute(
        _KEEP_HOLD,
        (held.state.value, *actual, held.charged.tokens, held.charged.picos, held.state.value, held.id),
    )


def _tell(connection: sqlite3.Connection, events: Sequence[BudgetEvent]) -> None:
    """Put events into the outbox, in the same transaction: an event without its step, or a step without it, is none."""
    connection.executemany("INSERT INTO outbox (event) VALUES (?)", [(json.dumps(each.to_dict()),) for each in events])
