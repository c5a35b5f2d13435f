"""The ledger in one SQLite file: for many processes of one machine. Not for a network's file system.

Each step is one transaction: rows, event, or nothing. What lets money go out (a hold, its use, an override) is on the
disk before it is true; what brings money back may be lost by a power cut, which only counts too much until it is told
again.
Neighbours: ``tables`` has the constraints, ``rows`` the steps, ``sqlite_file`` opens the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from pratique.audit.outbox import Posted, event_text
from pratique.budget.book import Account, Hold, HoldState
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.ledgers.columns import (
    ACCOUNT,
    HOLD,
    NEW_ACCOUNT,
    NEW_HOLD,
    account_of,
    hold_of,
    kept_of,
    moved_of,
    new_account,
    new_hold,
)
from pratique.budget.ledgers.gate import Gate
from pratique.budget.ledgers.rows import RowLedger, Rows, unknown_budget
from pratique.budget.ledgers.sqlite_tables import LAYOUT
from pratique.budget.ledgers.sums import SUMS, wrong_sums
from pratique.events import Event
from pratique.sqlite_file import StoreFile

__all__ = ["SqliteLedger"]

BUSY_TIMEOUT_S = 30
"""How long a step waits for its turn, seconds: a thousand times what one takes."""

_READ_ACCOUNT = f"SELECT {', '.join(ACCOUNT)} FROM budgets WHERE id = ?"
_READ_HOLD = f"SELECT {', '.join(HOLD)} FROM holds WHERE id = ?"
_READ_BOTH = (
    f"SELECT {', '.join(f'b.{name}' for name in ACCOUNT)}, {', '.join(f'p.{name}' for name in ACCOUNT)} "
    "FROM budgets b LEFT JOIN budgets p ON p.id = b.portfolio WHERE b.id = ?"
)
_READ_OPEN = (
    f"SELECT {', '.join(HOLD)}, coalesce(dispatched_at, held_at) FROM holds "
    "WHERE budget = ? AND state IN ('held', 'dispatched') AND (? IS NULL OR owner = ?) "
    "AND (? = 0 OR coalesce(dispatched_at, held_at) <= ?) ORDER BY seq"
)
_ADD_ACCOUNT = f"INSERT INTO budgets ({', '.join(NEW_ACCOUNT)}) VALUES ({', '.join('?' * len(NEW_ACCOUNT))})"
_KEEP_ACCOUNT = """UPDATE budgets SET cap_tokens = ?, cap_picos = ?, per_call_tokens = ?, granted_tokens = ?,
    granted_picos = ?, lent_tokens = ?, lent_picos = ?, overrun_tokens = ?, overrun_picos = ?, tripped = ?
    WHERE id = ?"""
_ADD_HOLD = (
    f"INSERT INTO holds ({', '.join(NEW_HOLD)}, held_at) VALUES ({', '.join('?' * len(NEW_HOLD))}, ?) "
    "ON CONFLICT (id) DO NOTHING"
)
_KEEP_HOLD = """UPDATE holds SET state = ?, actual_tokens = ?, actual_picos = ?, charged_tokens = ?, charged_picos = ?,
    dispatched_at = coalesce(dispatched_at, ?) WHERE id = ?"""


class SqliteLedger(RowLedger):
    """Keep budgets and holds in one file.

    Shape: without ``durable`` a power cut may lose the last steps, and with them money that was spent; the death of
        processes loses nothing. ``clock`` gives the time of events and the age of holds.
    Units: ``busy_timeout_s`` in seconds.
    Errors: as ``Ledger``; Misuse for a file that is no ledger, or of a newer pratique; Outage when the disk is full,
        the file is locked for too long, gone or damaged: the step has not happened.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        durable: bool = True,
        busy_timeout_s: int = BUSY_TIMEOUT_S,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._file = StoreFile(path, LAYOUT, busy_timeout_s=busy_timeout_s)
        self._gate = Gate(self._file.path)
        self._is_durable = durable
        self._clock = clock

    def __enter__(self) -> SqliteLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._gate.close()
        self._file.close()

    @property
    def id(self) -> str:
        """Which ledger this is: made once a file, at random."""
        with self._file.read() as connection:
            return str(connection.execute("SELECT id FROM ledger").fetchone()[0])

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one statement."""
        with self._file.read() as connection:
            row = connection.execute(_READ_BOTH, (budget,)).fetchone()
        if row is None:
            raise unknown_budget(budget)
        own, portfolio = row[: len(ACCOUNT)], row[len(ACCOUNT) :]
        return BudgetSnapshot.of(account_of(own), None if portfolio[0] is None else account_of(portfolio))

    def budgets(self) -> Sequence[BudgetSnapshot]:
        """Show all budgets at one moment, by name."""
        with self._file.read() as connection:
            rows = connection.execute(f"SELECT {', '.join(ACCOUNT)} FROM budgets ORDER BY id").fetchall()
        known = {account.id: account for account in map(account_of, rows)}
        return [
            BudgetSnapshot.of(account, known[account.escrow.portfolio] if account.escrow else None)
            for account in known.values()
        ]

    def open_holds(self, budget: str, *, owner: str | None = None, older_than_s: int = 0) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first; of one owner, or of some age, if asked for."""
        now = int(self._clock().timestamp())
        with self._file.read() as connection:
            if connection.execute(_READ_ACCOUNT, (budget,)).fetchone() is None:
                raise unknown_budget(budget)
            rows = connection.execute(_READ_OPEN, (budget, owner, owner, older_than_s, now - older_than_s)).fetchall()
        return [hold_of(row[:-1], now - row[-1]) for row in rows]

    def wrong_sums(self) -> list[str]:
        """Add all holds up anew, and say what does not agree with the budgets; empty: all is well.

        Limits: linear in all holds there ever were.
        """
        with self._file.read() as connection:
            return wrong_sums(connection.execute(SUMS))

    def emit(self, event: Event) -> None:
        """Put an event of another room into the outbox, as an ``EventSink``: so that many processes share one log."""
        with self._write(durable=True) as rows:
            rows.tell([event])

    def posted(self, after: int = 0, *, at_most: int = 1_000) -> list[Posted]:
        """Return what happened behind a place in the outbox, in order."""
        with self._file.read() as connection:
            rows = connection.execute(
                "SELECT seq, at, event FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?", (after, at_most)
            ).fetchall()
        return [Posted(*row) for row in rows]

    @contextmanager
    def _write(self, *, durable: bool) -> Iterator[Rows]:
        """Run one step, in turn with every other process's."""
        with self._gate, self._file.write(durable=durable and self._is_durable) as connection:
            yield _SqliteRows(connection, self._clock())


class _SqliteRows:
    """What one step reads and writes; the write lock is held."""

    def __init__(self, connection: sqlite3.Connection, now: datetime) -> None:
        self._execute = connection.execute
        self._many = connection.executemany
        self._now = now

    def account(self, budget: str) -> Account | None:
        row = self._execute(_READ_ACCOUNT, (budget,)).fetchone()
        return None if row is None else account_of(row)

    def held(self, id: str) -> Hold | None:
        row = self._execute(_READ_HOLD, (id,)).fetchone()
        return None if row is None else hold_of(row)

    def add_account(self, account: Account) -> None:
        self._execute(_ADD_ACCOUNT, new_account(account))

    def keep_account(self, account: Account) -> None:
        self._execute(_KEEP_ACCOUNT, kept_of(account))

    def add_hold(self, hold: Hold) -> bool:
        return self._execute(_ADD_HOLD, (*new_hold(hold), int(self._now.timestamp()))).rowcount == 1

    def keep_hold(self, was: Hold, now: Hold) -> None:
        dispatched_at = int(self._now.timestamp()) if now.state is HoldState.DISPATCHED else None
        self._execute(_KEEP_HOLD, (*moved_of(now), dispatched_at, was.id))

    def tell(self, events: Sequence[Event]) -> None:
        at = self._now.isoformat(timespec="milliseconds")
        self._many("INSERT INTO outbox (at, event) VALUES (?, ?)", [(at, event_text(each)) for each in events])
