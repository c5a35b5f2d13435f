"""Connections to one schema of a PostgreSQL server, and whose fault it is when one fails."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pratique.budget.book import BudgetExceeded, ReconcileConflict, TokenRefused
from pratique.budget.ledgers.postgres_tables import TABLES, VERSION
from pratique.errors import Misuse, Outage
from pratique.show import show

if TYPE_CHECKING:
    from psycopg import Connection

    Connected = Connection[tuple[Any, ...]]

__all__ = ["Link"]

CONNECT_TIMEOUT_S = 10
"""How long a connection may take to come about, seconds: what a client waits for a server on the other side of the
world, several times over."""

MAX_IDLE = 8
"""Connections of each kind that are kept open for the next steps; more are closed when their step ends."""

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('pratique ' || %s, 0))"


class Link:
    """Hold connections to one schema, for all threads of a process; made anew after a fork."""

    def __init__(self, conninfo: str, *, schema: str, lock_timeout_s: int) -> None:
        if not isinstance(schema, str) or not _NAME.fullmatch(schema):
            raise Misuse(f"{show(schema)} is no name of a schema", remedy="use small letters, digits and underscores")
        if isinstance(lock_timeout_s, bool) or not isinstance(lock_timeout_s, int) or lock_timeout_s < 1:
            raise Misuse(f"lock_timeout_s cannot be {lock_timeout_s!r}", remedy="give whole seconds, at least 1")
        self._psycopg = _psycopg()
        self._conninfo = self._read(conninfo)
        self.schema = schema
        self._lock_timeout_s = lock_timeout_s
        self._mutex = threading.Lock()
        self._idle: dict[bool, list[Connected]] = {True: [], False: []}
        """By whether a commit waits for the server's disk."""
        self._forked: list[Connected] = []
        """Connections of the parent, kept: to collect them here would end them there."""
        self._process = os.getpid()
        self._is_closed = False
        try:
            with self.read() as connection:
                self._prepare(connection)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def write(self, *, durable: bool) -> Iterator[Connected]:
        """Run one transaction that writes; it is committed whole, or nothing of it is.

        Shape: statements travel together, as far as nobody waits for what one returns. Without ``durable`` a crash of
            the server may lose it, whole.
        """
        with self._connection(durable=durable) as connection, connection.pipeline(), connection.transaction():
            yield connection

    def write_once(self, statement: str, values: tuple[object, ...], *, durable: bool) -> int:
        """Run one statement that is a transaction of its own; return how many rows it changed, triggers apart."""
        with self._connection(durable=durable) as connection:
            return connection.execute(statement, values).rowcount

    @contextmanager
    def read(self) -> Iterator[Connected]:
        """Run one transaction that reads."""
        with self._connection() as connection, connection.transaction():
            yield connection

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep out, for a while, everybody else who asks for the same."""
        with self._connection() as connection, connection.transaction():
            connection.execute(_ALONE, (self.schema,))
            yield

    def close(self) -> None:
        """Close what is idle."""
        with self._mutex:
            self._is_closed = True
            idle, self._idle = self._idle, {True: [], False: []}
        if self._process == os.getpid():
            for connection in (*idle[True], *idle[False]):
                connection.close()

    @contextmanager
    def _connection(self, *, durable: bool = True) -> Iterator[Connected]:
        """Lend a connection for one step, from those that wait for the disk or those that do not."""
        with self._faults():
            connection = self._take(durable) or self._connect(durable)
            is_whole = False
            try:
                yield connection
                is_whole = True
            except (Misuse, BudgetExceeded, TokenRefused, ReconcileConflict):  # our own word, after a rollback
                is_whole = True
                raise
            finally:  # else what the client library was in the middle of, nobody knows
                if not is_whole:
                    connection.close()
                self._put_back(connection, durable)

    def _take(self, durable: bool) -> Connected | None:
        with self._mutex:
            if self._is_closed:
                raise Misuse("the ledger is closed", remedy="open it again with PostgresLedger(conninfo)")
            if self._process != os.getpid():
                self._forked += [each for idle in self._idle.values() for each in idle]
                self._idle, self._process = {True: [], False: []}, os.getpid()
            idle = self._idle[durable]
            return idle.pop() if idle else None

    def _put_back(self, connection: Connected, durable: bool) -> None:
        """Keep a connection for the next step; where one broke, the others of that server are not trusted either."""
        is_idle = connection.info.transaction_status == self._psycopg.pq.TransactionStatus.IDLE
        with self._mutex:
            if is_idle and not self._is_closed and len(self._idle[durable]) < MAX_IDLE:
                self._idle[durable].append(connection)
                return
            dropped = [connection]
            if not is_idle:
                dropped += [each for idle in self._idle.values() for each in idle]
                self._idle = {True: [], False: []}
        for each in dropped:
            each.close()

    def _read(self, conninfo: str) -> dict[str, Any]:
        """Take a conninfo apart. What libpq says of one that it cannot read quotes it: a password, perhaps."""
        try:
            told: dict[str, Any] = importlib.import_module("psycopg.conninfo").conninfo_to_dict(conninfo)
        except (self._psycopg.ProgrammingError, TypeError):
            raise Misuse(
                "that is no conninfo", remedy="write postgresql://user@host/database, or host=… dbname=…"
            ) from None
        return {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "pratique", **told}

    def _connect(self, durable: bool) -> Connected:
        connection: Connected = self._psycopg.connect(**self._conninfo, autocommit=True)
        connection.execute(f"SET search_path = {self.schema}")
        connection.execute(f"SET lock_timeout = '{self._lock_timeout_s}s'")
        connection.execute("SET default_transaction_isolation = 'read committed'")
        connection.execute("SET TIME ZONE 'UTC'")
        told = connection.execute("SHOW synchronous_commit").fetchone()
        if not durable:
            connection.execute("SET synchronous_commit = off")
        elif told is not None and told[0] == "off":  # what waits for a replica, too, stays as the server has it
            connection.execute("SET synchronous_commit = on")
        return connection

    def _prepare(self, connection: Connected) -> None:
        """Make the tables where there are none; look at whose they are where there are."""
        connection.execute(_ALONE, (self.schema,))
        found = connection.execute("SELECT to_regclass('ledger'), to_regclass('budgets')").fetchone()
        if found == (None, None):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
            for statement in TABLES:
                connection.execute(statement)
            connection.execute("INSERT INTO ledger (version) VALUES (%s)", (VERSION,))
            return
        if found is None or found[0] is None:
            raise Misuse(f"the schema {self.schema} holds other tables", remedy='name another one: schema="…"')
        told = connection.execute("SELECT version FROM ledger").fetchone()
        if told is None or told[0] > VERSION:
            raise Misuse(
                f"the ledger in {self.schema} was written by a newer pratique: its tables have version "
                f"{told and told[0]}, this one knows {VERSION}",
                remedy="upgrade pratique; the tables were not touched",
            )

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Tell what psycopg raises in our words: the one map from its errors to ours."""
        errors = self._psycopg
        try:
            yield
        except (errors.errors.InsufficientPrivilege, errors.errors.InvalidAuthorizationSpecification) as error:
            raise Misuse(f"the ledger in {self.schema}: {_said(error)}", remedy="grant the right to it") from error
        except errors.DataError as error:
            raise Misuse(f"the ledger cannot keep that: {_said(error)}", remedy="give plain text") from error
        except (
            errors.OperationalError, errors.InterfaceError, errors.errors.UndefinedTable,
            errors.errors.ReadOnlySqlTransaction,
        ) as error:  # fmt: skip
            raise Outage(
                f"the ledger in {self.schema} failed: {_said(error)}; what was under way was not written, or, if the "
                "connection broke at its end, nobody can tell: look at its open holds, then do it again"
            ) from error


def _said(error: Exception) -> str:
    """Return the first line of what the server or the client said. Never the conninfo, which may hold a password."""
    lines = str(error).strip().splitlines()
    return show(lines[0], max_chars=300) if lines else type(error).__name__


def _psycopg() -> Any:
    if importlib.util.find_spec("psycopg") is None:
        raise Misuse("a PostgreSQL ledger needs psycopg", remedy='pip install "pratique[postgres]"')
    return importlib.import_module("psycopg")
