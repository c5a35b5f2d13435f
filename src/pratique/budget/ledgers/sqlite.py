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
from datetime import UTC, datetime, timedelta

from pratique.audit.outbox import Posted, event_text
from pratique.budget.amount import Amount
from pratique.budget.book import Account, Hold
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
    plainly_fits,
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
    f"SELECT {', '.join(HOLD)}, moved_at FROM holds WHERE budget = ? AND ended IS NULL "
    "AND (? IS NULL OR owner = ?) AND (? = 0 OR moved_at <= ?) ORDER BY seq"
)
_ADD_ACCOUNT = f"INSERT INTO budgets ({', '.join(NEW_ACCOUNT)}) VALUES ({', '.join('?' * len(NEW_ACCOUNT))})"
_KEEP_ACCOUNT = """UPDATE budgets SET cap_tokens = ?, cap_picos = ?, per_call_tokens = ?, granted_tokens = ?,
    granted_picos = ?, lent_tokens = ?, lent_picos = ?, overrun_tokens = ?, overrun_picos = ?, tripped = ?
    WHERE id = ?"""
_ADD_HOLD = (
    f"INSERT INTO holds ({', '.join(NEW_HOLD)}, held_at, moved_at) VALUES ({', '.join('?' * len(NEW_HOLD))}, ?, ?) "
    "ON CONFLICT (id) DO NOTHING"
)
_KEEP_HOLD = """UPDATE holds SET state = ?1, actual_tokens = ?2, actual_picos = ?3, charged_tokens = ?4,
    charged_picos = ?5, moved_at = ?6, ended = iif(?1 = 'dispatched', NULL, 1) WHERE id = ?7"""
_HOLD_AT_ONCE = f"""
INSERT INTO holds ({", ".join(NEW_HOLD)}, held_at, moved_at)
SELECT ?1, id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10 FROM budgets WHERE id = ?2 AND {plainly_fits("?3", "?4")}
ON CONFLICT (id) DO NOTHING
"""
_DISPATCH_AT_ONCE = """UPDATE holds SET state = 'dispatched', moved_at = ?5
    WHERE id = ?1 AND state = 'held' AND ceiling_tokens = ?2 AND ceiling_picos = ?3 AND digest = ?4"""
_SETTLE_AT_ONCE = """UPDATE holds SET state = 'settled', actual_tokens = ?2, actual_picos = ?3, charged_tokens = ?2,
    charged_picos = ?3, moved_at = ?4, ended = 1
    WHERE id = ?1 AND state IN ('dispatched', 'assumed') AND ?2 <= ceiling_tokens AND ?3 <= ceiling_picos"""


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
        self._file = StoreFile(
            path, LAYOUT, busy_timeout_s=busy_timeout_s, through=lambda step: self._gate.through(step)
        )
        self._gate = Gate(self._file.path, busy_timeout_s=busy_timeout_s)
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
        with self._file.read(findable=True) as connection:
            return str(connection.execute("SELECT id FROM ledger").fetchone()[0])

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one statement."""
        with self._file.read(findable=True) as connection:
            row = connection.execute(_READ_BOTH, (budget,)).fetchone()
        if row is None:
            raise unknown_budget(budget)
        own, portfolio = row[: len(ACCOUNT)], row[len(ACCOUNT) :]
        return BudgetSnapshot.of(account_of(own), None if portfolio[0] is None else account_of(portfolio))

    def budgets(self) -> Sequence[BudgetSnapshot]:
        """Show all budgets at one moment, by name."""
        with self._file.read(findable=True) as connection:
            rows = connection.execute(f"SELECT {', '.join(ACCOUNT)} FROM budgets ORDER BY id").fetchall()
        known = {account.id: account for account in map(account_of, rows)}
        return [
            BudgetSnapshot.of(account, known[account.escrow.portfolio] if account.escrow else None)
            for account in known.values()
        ]

    def open_holds(self, budget: str, *, owner: str | None = None, older_than_s: int = 0) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first; of one owner, or of some age, if asked for."""
        now = self._clock()
        before = _written(now - timedelta(seconds=older_than_s))
        with self._file.read(findable=True) as connection:
            if connection.execute(_READ_ACCOUNT, (budget,)).fetchone() is None:
                raise unknown_budget(budget)
            rows = connection.execute(_READ_OPEN, (budget, owner, owner, older_than_s, before)).fetchall()
        return [hold_of(row[:-1], _age_s(now, row[-1])) for row in rows]

    def wrong_sums(self) -> list[str]:
        """Add all holds up anew, and say what does not agree with the budgets; empty: all is well.

        Limits: linear in all holds there ever were.
        """
        with self._file.read(findable=True) as connection:
            return wrong_sums(connection.execute(SUMS))

    def emit(self, event: Event) -> None:
        """Put an event of another room into the outbox, as an ``EventSink``: so that many processes share one log."""
        with self._write(durable=True) as rows:
            rows.tell(event)

    def posted(self, after: int = 0, *, at_most: int = 1_000) -> list[Posted]:
        """Return what happened behind a place in the outbox, in order."""
        with self._file.read(findable=True) as connection:
            rows = connection.execute(
                "SELECT seq, at, event FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?", (after, at_most)
            ).fetchall()
        if rows:  # what the log will have, the ledger must not forget
            self._file.flush()
        return [Posted(*row) for row in rows]

    @contextmanager
    def _write(self, *, durable: bool) -> Iterator[Rows]:
        """Run one step, in turn with every other process's."""
        with self._file.write(durable=durable and self._is_durable) as connection:
            yield _SqliteRows(connection, _written(self._clock()))

    def _hold_at_once(self, hold: Hold) -> bool:
        return self._at_once(_HOLD_AT_ONCE, (*new_hold(hold), _written(self._clock())), durable=True)

    def _dispatch_at_once(self, id: str, ceiling: Amount, digest: str) -> bool:
        values = (id, ceiling.tokens, ceiling.picos, digest, _written(self._clock()))
        return self._at_once(_DISPATCH_AT_ONCE, values, durable=True)

    def _settle_at_once(self, id: str, actual: Amount) -> bool:
        return self._at_once(_SETTLE_AT_ONCE, (id, actual.tokens, actual.picos, _written(self._clock())), durable=False)

    def _at_once(self, statement: str, values: tuple[object, ...], *, durable: bool) -> bool:
        """Run one statement, which is a transaction of its own; say whether it found a row."""
        return self._file.write_once(statement, values, durable=durable and self._is_durable) == 1


class _SqliteRows:
    """What one step reads and writes; the write lock is held."""

    def __init__(self, connection: sqlite3.Connection, now: str) -> None:
        self._execute = connection.execute
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
        return self._execute(_ADD_HOLD, (*new_hold(hold), self._now, self._now)).rowcount == 1

    def keep_hold(self, was: Hold, now: Hold) -> None:
        self._execute(_KEEP_HOLD, (*moved_of(now), self._now, was.id))

    def tell(self, event: Event) -> None:
        self._execute("INSERT INTO outbox (at, event) VALUES (?, ?)", (self._now, event_text(event)))


def _age_s(now: datetime, moved_at: str) -> int:
    """Return whole seconds since a hold was made or dispatched; 0 when the clock went back since."""
    return max(0, int((now - datetime.fromisoformat(moved_at)).total_seconds()))


def _written(moment: datetime) -> str:
    """Write a time so that later ones sort behind it: UTC, ISO 8601, milliseconds."""
    at = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")
