"""The sides that are measured: our ledgers, their own SQL without the library, and the same rows by hand-made SQL.

*sql* runs the very statements that a ledger runs when a call plainly fits, on its own tables, in its own queue, and
nothing else: what the library costs on top of its database.
*bare* is what a careful person writes who wants a cap and nothing more: one conditional UPDATE, the hold's row, as many
outbox rows of the same size, as durable step by step as ours; in PostgreSQL one statement a step. It has no constraints
and no triggers, its events are constant text, and on SQLite it waits as SQLite waits, which lets writers starve.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from pratique.budget.amount import Amount
from pratique.budget.book import BudgetExceeded, Caps
from pratique.budget.ledgers import postgres, sqlite
from pratique.budget.ledgers.gate import Gate
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


class OwnSqlite:
    """The statements of ``SqliteLedger``, without it."""

    def __init__(self, place: str, cap: int, *, durable: bool) -> None:
        self._made = Ours(SqliteLedger(place, durable=durable), cap)
        self._connection = sqlite3.connect(place, isolation_level=None, timeout=0)
        self._gate = Gate(Path(place), busy_timeout_s=60)
        self._full = "FULL" if durable else "NORMAL"

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""
        run, through = self._connection.execute, self._gate.through
        run(f"PRAGMA synchronous = {self._full}")
        held = (id, "b", CEILING.tokens, CEILING.picos, *_WHAT, "", AT)
        if through(lambda: run(sqlite._HOLD_AT_ONCE, held).rowcount) != 1:
            return False
        used = (id, CEILING.tokens, CEILING.picos, CALL.digest, AT)
        through(lambda: run(sqlite._DISPATCH_AT_ONCE, used))
        run("PRAGMA synchronous = NORMAL")
        through(lambda: run(sqlite._SETTLE_AT_ONCE, (id, ACTUAL.tokens, ACTUAL.picos, AT)))
        return True

    def spent(self) -> int:
        """What it says was spent, tokens."""
        return self._made.spent()

    def close(self) -> None:
        """Close it."""
        self._connection.close()
        self._gate.close()
        self._made.close()


class OwnPostgres:
    """The statements of ``PostgresLedger``, without it."""

    def __init__(self, conninfo: str, cap: int) -> None:
        import psycopg

        self._made = Ours(PostgresLedger(conninfo), cap)
        self._durable, self._lazy = (psycopg.connect(conninfo, autocommit=True) for _ in range(2))
        self._lazy.execute("SET synchronous_commit = off")
        for connection in (self._durable, self._lazy):
            connection.execute("SET search_path = pratique")

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""
        tokens, picos = CEILING.tokens, CEILING.picos
        held = (id, "b", tokens, picos, *_WHAT, "", "b", tokens, tokens, picos, tokens, picos)
        if self._durable.execute(postgres._HOLD_AT_ONCE.encode(), held).rowcount != 1:
            return False
        self._durable.execute(postgres._DISPATCH_AT_ONCE.encode(), (id, tokens, picos, CALL.digest))
        told = (ACTUAL.tokens, ACTUAL.picos)
        self._lazy.execute(postgres._SETTLE_AT_ONCE.encode(), (*told, *told, id, *told))
        return True

    def spent(self) -> int:
        """What it says was spent, tokens."""
        return self._made.spent()

    def close(self) -> None:
        """Close it."""
        self._durable.close()
        self._lazy.close()
        self._made.close()


_PG_HOLD = f"""WITH fits AS ({_HOLD} RETURNING 1),
    made AS (INSERT INTO holds SELECT %s, 'b', 100, 1000000, %s, %s, %s, %s, 'held', NULL, NULL FROM fits)
    INSERT INTO outbox (at, event) SELECT %s, %s FROM fits"""
_PG_USE = f"""WITH used AS ({_USE.replace("?", "%s")} RETURNING 1)
    INSERT INTO outbox (at, event) SELECT %s, %s FROM used"""
_PG_SETTLE = f"""WITH settled AS ({_SETTLE.replace("?", "%s")} RETURNING 1),
    charged AS ({_CHARGE} AND EXISTS (SELECT 1 FROM settled))
    INSERT INTO outbox (at, event) SELECT %s, %s FROM settled, generate_series(1, 2)"""


class BarePostgres:
    """One statement a step; what need not wait for the disk goes over a connection of its own."""

    def __init__(self, conninfo: str, cap: int) -> None:
        import psycopg

        self._durable, self._lazy = (psycopg.connect(conninfo, autocommit=True) for _ in range(2))
        self._lazy.execute("SET synchronous_commit = off")
        self._durable.execute("SELECT pg_advisory_lock(1)")
        for statement in _TABLES:
            self._durable.execute(statement.encode())
        self._durable.execute(
            "CREATE TABLE IF NOT EXISTS outbox (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at text, event "
            "text)"
        )
        self._durable.execute(
            f"INSERT INTO budgets VALUES ('b', {cap}, {2**50}, 0, 0, 0, 0) ON CONFLICT DO NOTHING".encode()
        )
        self._durable.execute("SELECT pg_advisory_unlock(1)")

    def call(self, id: str) -> bool:
        """Make one call, all three steps; False when the cap is reached."""
        if self._durable.execute(_PG_HOLD.encode(), (id, *_WHAT, AT, EVENT)).rowcount != 1:
            return False
        self._durable.execute(_PG_USE.encode(), (id, CALL.digest, AT, EVENT))
        self._lazy.execute(_PG_SETTLE.encode(), (id, AT, EVENT))
        return True

    def spent(self) -> int:
        """What it says was spent, tokens."""
        row = self._lazy.execute("SELECT spent FROM budgets WHERE id = 'b'").fetchone()
        assert row is not None
        return int(row[0])

    def close(self) -> None:
        """Close it."""
        self._durable.close()
        self._lazy.close()


def side_of(kind: str, side: str, place: str, cap: int) -> Side:
    """Open one side in this process.

    Shape: ``kind`` is ``memory``, ``sqlite``, ``sqlite durable`` or ``postgres``; ``side`` is ``bare``, ``sql`` (not in
        memory) or ``ours``.
    """
    if kind == "memory":
        return Ours(MemoryLedger(), cap) if side == "ours" else BareMemory(cap)
    if kind == "postgres":
        if side == "ours":
            return Ours(PostgresLedger(place), cap)
        return OwnPostgres(place, cap) if side == "sql" else BarePostgres(place, cap)
    durable = kind == "sqlite durable"
    if side == "ours":
        return Ours(SqliteLedger(place, durable=durable), cap)
    return OwnSqlite(place, cap, durable=durable) if side == "sql" else _bare_sqlite(place, cap, durable=durable)
