"""The two sides that are measured: our ledgers, and the same rows written by hand-made SQL.

The hand-made side is what a careful person writes who wants a cap and nothing else: one conditional UPDATE, the hold's
row, as many outbox rows of the same size, in as many transactions, as durable step by step as ours. It has no
constraints, no triggers, no checks of what is redeemed, and SQLite's own waiting instead of a gate.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from pratique.budget.amount import Amount
from pratique.budget.book import BudgetExceeded, Caps
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.ledgers.postgres import PostgresLedger
from pratique.budget.ledgers.rows import RowLedger
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.budget.request import Call

__all__ = ["ACTUAL", "CALL", "CEILING", "Side", "side_of"]

CEILING = Amount(100, 1_000_000)
ACTUAL = Amount(60, 600_000)
PER_CALL = CEILING.tokens
CALL = Call(digest="b3:" + "0" * 64, provider="anthropic", model="claude-sonnet-4-5", price="b3:" + "0" * 32)
EVENT = (
    '{"event":"budget.dispatched","budget":"b","token":"0123456789abcdef0123456789abcdef","provider":"anthropic",'
    '"model":"claude-sonnet-4-5","price":"b3:00000000000000000000000000000000"}'
)
"""As long as ours are."""

AT = "2026-11-22T10:00:00.000+00:00"


class Side(Protocol):
    """One way to hold, redeem and settle."""

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""

    def spent(self) -> int:
        """What it says was spent, tokens."""

    def close(self) -> None:
        """Close it."""


class Ours:
    """A ledger of the library."""

    def __init__(self, ledger: RowLedger, cap: int) -> None:
        self.ledger = ledger
        ledger.open("b", Caps(total=Amount(cap, 2**50), per_call_tokens=PER_CALL))

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""
        try:
            self.ledger.hold("b", id, CEILING, CALL)
        except BudgetExceeded:
            return False
        self.ledger.dispatch(id, CEILING, CALL.digest)
        self.ledger.settle(id, ACTUAL)
        return True

    def spent(self) -> int:
        """What it says was spent, tokens."""
        return self.ledger.snapshot("b").spent.tokens

    def close(self) -> None:
        """Close it."""
        if isinstance(self.ledger, (SqliteLedger, PostgresLedger)):
            self.ledger.close()


class BareMemory:
    """A lock, two sums and a dict."""

    def __init__(self, cap: int) -> None:
        self._lock = threading.Lock()
        self._cap, self._reserved, self._spent = cap, 0, 0
        self._holds: dict[str, str] = {}

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""
        with self._lock:
            if self._reserved + self._spent + CEILING.tokens > self._cap:
                return False
            self._reserved += CEILING.tokens
            self._holds[id] = "held"
        with self._lock:
            if self._holds[id] == "held":
                self._holds[id] = "dispatched"
        with self._lock:
            self._reserved -= CEILING.tokens
            self._spent += ACTUAL.tokens
            self._holds[id] = "settled"
        return True

    def spent(self) -> int:
        """What it says was spent, tokens."""
        return self._spent

    def close(self) -> None:
        """Close it."""


_TABLES = (
    """CREATE TABLE IF NOT EXISTS budgets (id text PRIMARY KEY, cap bigint, cap_picos bigint, reserved bigint,
    reserved_picos bigint, spent bigint, spent_picos bigint)""",
    """CREATE TABLE IF NOT EXISTS holds (id text PRIMARY KEY, budget text, ceiling bigint, ceiling_picos bigint,
    digest text, provider text, model text, price text, state text, actual bigint, actual_picos bigint)""",
)
_HOLD = (
    "UPDATE budgets SET reserved = reserved + 100, reserved_picos = reserved_picos + 1000000 WHERE id = 'b' "
    "AND reserved + spent + 100 <= cap AND reserved_picos + spent_picos + 1000000 <= cap_picos"
)
_ADD = "INSERT INTO holds VALUES (?, 'b', 100, 1000000, ?, ?, ?, ?, 'held', NULL, NULL)"
_USE = "UPDATE holds SET state = 'dispatched' WHERE id = ? AND state = 'held' AND ceiling = 100 AND digest = ?"
_SETTLE = "UPDATE holds SET state = 'settled', actual = 60, actual_picos = 600000 WHERE id = ? AND state = 'dispatched'"
_CHARGE = (
    "UPDATE budgets SET reserved = reserved - 100, reserved_picos = reserved_picos - 1000000, spent = spent + 60, "
    "spent_picos = spent_picos + 600000 WHERE id = 'b'"
)
_TELL = "INSERT INTO outbox (at, event) VALUES (?, ?)"
_WHAT = (CALL.digest, CALL.provider, CALL.model, CALL.price)


class BareSql:
    """The same rows by hand-made SQL; ``begin`` opens one transaction, durable or not."""

    def __init__(
        self,
        execute: Callable[[str, tuple[object, ...]], Any],
        begin: Callable[[bool], AbstractContextManager[object]],
        cap: int,
        close: Callable[[], None],
    ) -> None:
        self._execute, self._begin, self._close = execute, begin, close
        with begin(True):
            execute(f"INSERT INTO budgets VALUES ('b', {cap}, {2**50}, 0, 0, 0, 0) ON CONFLICT DO NOTHING", ())

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""
        execute = self._execute
        with self._begin(True):
            if execute(_HOLD, ()).rowcount != 1:
                return False
            execute(_ADD, (id, *_WHAT))
            execute(_TELL, (AT, EVENT))
        with self._begin(True):
            execute(_USE, (id, CALL.digest))
            execute(_TELL, (AT, EVENT))
        with self._begin(False):
            execute(_SETTLE, (id,))
            execute(_CHARGE, ())
            execute(_TELL, (AT, EVENT))
            execute(_TELL, (AT, EVENT))
        return True

    def spent(self) -> int:
        """What it says was spent, tokens."""
        with self._begin(False):
            return int(self._execute("SELECT spent FROM budgets WHERE id = 'b'", ()).fetchone()[0])

    def close(self) -> None:
        """Close it."""
        self._close()


class _SqliteTransaction:
    """BEGIN IMMEDIATE and COMMIT, at the durability that is asked for."""

    def __init__(self, connection: sqlite3.Connection, is_durable: bool) -> None:
        self._execute = connection.execute
        self._is_durable = is_durable
        self._is_full: bool | None = None

    def __call__(self, durable: bool) -> _SqliteTransaction:
        full = durable and self._is_durable
        if full is not self._is_full:
            self._execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._is_full = full
        return self

    def __enter__(self) -> None:
        self._execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._execute("COMMIT")


def _bare_sqlite(place: str, cap: int, *, durable: bool) -> Side:
    connection = sqlite3.connect(place, isolation_level=None, timeout=60)
    connection.execute("PRAGMA journal_mode = WAL")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY, at text, event text)")
    return BareSql(connection.execute, _SqliteTransaction(connection, durable), cap, connection.close)


def _bare_postgres(conninfo: str, cap: int) -> Side:
    import psycopg

    connection = psycopg.connect(conninfo, autocommit=True)
    connection.execute("SELECT pg_advisory_lock(1)")
    for statement in _TABLES:
        connection.execute(statement.encode())
    connection.execute(
        "CREATE TABLE IF NOT EXISTS outbox (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at text, event text)"
    )
    connection.execute("SELECT pg_advisory_unlock(1)")
    statements: dict[str, bytes] = {}

    def execute(statement: str, values: tuple[object, ...]) -> Any:
        return connection.execute(statements.setdefault(statement, statement.replace("?", "%s").encode()), values)

    class Transaction:
        def __init__(self, durable: bool) -> None:
            self._inner = connection.transaction()
            self._durable = durable

        def __enter__(self) -> None:
            self._inner.__enter__()
            if not self._durable:
                connection.execute("SET LOCAL synchronous_commit = off")

        def __exit__(self, *error: Any) -> None:
            self._inner.__exit__(*error)

    return BareSql(execute, Transaction, cap, connection.close)


def side_of(kind: str, is_ours: bool, place: str, cap: int) -> Side:
    """Open one side in this process: ``memory``, ``sqlite``, ``sqlite durable`` or ``postgres``."""
    if kind == "memory":
        return Ours(MemoryLedger(), cap) if is_ours else BareMemory(cap)
    if kind == "postgres":
        return Ours(PostgresLedger(place), cap) if is_ours else _bare_postgres(place, cap)
    durable = kind == "sqlite durable"
    return Ours(SqliteLedger(place, durable=durable), cap) if is_ours else _bare_sqlite(place, cap, durable=durable)
