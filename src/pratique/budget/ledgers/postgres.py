"""The ledger in PostgreSQL: for many machines.

Each step is one transaction: rows, event, or nothing. A budget's row is locked while a call is reserved, and while one
is charged; workflows do not wait for each other, and a portfolio's row is locked once a chunk. What lets money go out
is on the server's disk before it is true; what brings money back may be lost when the server crashes, which only counts
too much until it is told again. Ages and times are by the server's clock.
Neighbours: ``postgres_tables`` has the constraints, ``rows`` the steps, ``postgres_link`` the connections.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pratique.audit.outbox import Posted, event_text
from pratique.budget.amount import Amount
from pratique.budget.book import Account, Caps, Escrow, Hold
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
from pratique.budget.ledgers.postgres_link import Link
from pratique.budget.ledgers.rows import RowLedger, Rows, unknown_budget
from pratique.budget.ledgers.sums import SUMS, wrong_sums
from pratique.events import Event

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["PostgresLedger"]

SCHEMA = "pratique"
"""The schema that holds the tables, unless another one is named."""

LOCK_TIMEOUT_S = 30
"""How long a step waits for a row, seconds: a thousand times what one takes."""

_AGE = "greatest(0, extract(epoch FROM clock_timestamp() - moved_at)::bigint)"
_READ_ACCOUNT = f"SELECT {', '.join(ACCOUNT)} FROM budgets WHERE id = %s"
_LOCK_ACCOUNT = f"{_READ_ACCOUNT} FOR NO KEY UPDATE"
_LOCK_HOLD = f"SELECT {', '.join(HOLD)} FROM holds WHERE id = %s FOR NO KEY UPDATE"
_READ_BOTH = (
    f"SELECT {', '.join(f'b.{name}' for name in ACCOUNT)}, {', '.join(f'p.{name}' for name in ACCOUNT)} "
    "FROM budgets b LEFT JOIN budgets p ON p.id = b.portfolio WHERE %s::text IS NULL OR b.id = %s "
    'ORDER BY b.id COLLATE "C"'
)
_READ_OPEN = (
    f"SELECT {', '.join(HOLD)}, {_AGE} FROM holds WHERE budget = %s AND NOT ended "
    f"AND (%s::text IS NULL OR owner = %s) AND (%s = 0 OR {_AGE} >= %s) ORDER BY seq"
)
_ADD_ACCOUNT = f"INSERT INTO budgets ({', '.join(NEW_ACCOUNT)}) VALUES ({', '.join(['%s'] * len(NEW_ACCOUNT))})"
_KEEP_ACCOUNT = """UPDATE budgets SET cap_tokens = %s, cap_picos = %s, per_call_tokens = %s, granted_tokens = %s,
    granted_picos = %s, lent_tokens = %s, lent_picos = %s, overrun_tokens = %s, overrun_picos = %s, tripped = %s
    WHERE id = %s"""
_ADD_HOLD = (
    f"INSERT INTO holds ({', '.join(NEW_HOLD)}) VALUES ({', '.join(['%s'] * len(NEW_HOLD))}) "
    "ON CONFLICT (id) DO NOTHING RETURNING 1"
)
_KEEP_HOLD = """UPDATE holds SET state = %s, actual_tokens = %s, actual_picos = %s, charged_tokens = %s,
    charged_picos = %s, moved_at = clock_timestamp() WHERE id = %s"""
_HOLD_AT_ONCE = f"""
INSERT INTO holds ({", ".join(NEW_HOLD)})
(SELECT {", ".join(["%s"] * len(NEW_HOLD))} FROM budgets
 WHERE id = %s AND {plainly_fits("%s", "%s")} FOR NO KEY UPDATE)
ON CONFLICT (id) DO NOTHING
"""
_DISPATCH_AT_ONCE = """UPDATE holds SET state = 'dispatched', moved_at = clock_timestamp()
    WHERE id = %s AND state = 'held' AND ceiling_tokens = %s AND ceiling_picos = %s AND digest = %s"""
_SETTLE_AT_ONCE = """UPDATE holds SET state = 'settled', actual_tokens = %s, actual_picos = %s, charged_tokens = %s,
    charged_picos = %s, moved_at = clock_timestamp()
    WHERE id = %s AND state IN ('dispatched', 'assumed') AND %s <= ceiling_tokens AND %s <= ceiling_picos"""


class PostgresLedger(RowLedger):
    """Keep budgets and holds in a schema of a PostgreSQL database. Needs ``pratique[postgres]``.

    Shape: ``conninfo`` as libpq takes it (a URI, or ``host=… dbname=…``); the tables are made when they are not there.
        Threads use connections of their own, as many as there are steps at once.
    Units: ``lock_timeout_s`` in seconds.
    Errors: as ``Ledger``; Misuse for a schema that holds something else, or a ledger of a newer pratique, and without
        the right to use it; Outage when the server cannot be reached, fails, or a row is locked for too long: the step
        has not happened, or, where it says so, nobody can tell.
    """

    def __init__(self, conninfo: str, *, schema: str = SCHEMA, lock_timeout_s: int = LOCK_TIMEOUT_S) -> None:
        self._link = Link(conninfo, schema=schema, lock_timeout_s=lock_timeout_s)

    def __enter__(self) -> PostgresLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are idle; one in use closes when its step ends."""
        self._link.close()

    @property
    def id(self) -> str:
        """Which ledger this is: made once a schema, at random."""
        with self._link.read() as connection:
            row = connection.execute("SELECT id FROM ledger").fetchone()
        assert row is not None
        return str(row[0])

    def open(self, budget: str, caps: Caps, *, escrow: Escrow | None = None) -> BudgetSnapshot:
        """Open a budget, or find it open with the same caps, under the same portfolio."""
        with self._link.alone():  # a row that is not there yet cannot be locked
            return super().open(budget, caps, escrow=escrow)

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Show a budget, read in one statement."""
        shown = self._shown(budget)
        if not shown:
            raise unknown_budget(budget)
        return shown[0]

    def budgets(self) -> Sequence[BudgetSnapshot]:
        """Show all budgets at one moment, by name."""
        return self._shown(None)

    def open_holds(self, budget: str, *, owner: str | None = None, older_than_s: int = 0) -> Sequence[Hold]:
        """Return the holds whose ceilings are reserved, oldest first; of one owner, or of some age, if asked for."""
        with self._link.read() as connection:
            if connection.execute(_READ_ACCOUNT, (budget,)).fetchone() is None:
                raise unknown_budget(budget)
            rows = connection.execute(_READ_OPEN, (budget, owner, owner, older_than_s, older_than_s)).fetchall()
        return [hold_of(row[:-1], row[-1]) for row in rows]

    def wrong_sums(self) -> list[str]:
        """Add all holds up anew, and say what does not agree with the budgets; empty: all is well.

        Limits: linear in all holds there ever were.
        """
        with self._link.read() as connection:
            return wrong_sums(connection.execute(SUMS))

    def emit(self, event: Event) -> None:
        """Put an event of another room into the outbox, as an ``EventSink``: so that many processes share one log."""
        with self._write(durable=True) as rows:
            rows.tell(event)

    def posted(self, after: int = 0, *, at_most: int = 1_000) -> list[Posted]:
        """Return what happened behind a place in the outbox, in order.

        Problem: places are given when a row is written and are seen when it is committed, so a later one may be seen
        first. So the end is read under a lock that waits for all who write; what is before it is complete. What was
        committed without waiting for the disk is flushed with this: the log must not have what the ledger may forget.
        """
        with self._link.read() as connection:
            connection.execute("LOCK TABLE outbox IN SHARE MODE")
            connection.execute("SELECT pg_logical_emit_message(true, 'pratique', '')")
            last = connection.execute("SELECT coalesce(max(seq), 0) FROM outbox").fetchone()
        assert last is not None
        with self._link.read() as connection:
            rows = connection.execute(
                "SELECT seq, at, event FROM outbox WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s",
                (after, last[0], at_most),
            ).fetchall()
        return [Posted(*row) for row in rows]

    def _shown(self, budget: str | None) -> list[BudgetSnapshot]:
        with self._link.read() as connection:
            rows = connection.execute(_READ_BOTH, (budget, budget)).fetchall()
        width = len(ACCOUNT)
        return [
            BudgetSnapshot.of(account_of(row[:width]), None if row[width] is None else account_of(row[width:]))
            for row in rows
        ]

    def _hold_at_once(self, hold: Hold) -> bool:
        tokens, picos = hold.ceiling.tokens, hold.ceiling.picos
        fits = (tokens, tokens, picos, tokens, picos)  # in the order of plainly_fits
        return self._link.write_once(_HOLD_AT_ONCE, (*new_hold(hold), hold.budget, *fits), durable=True) == 1

    def _dispatch_at_once(self, id: str, ceiling: Amount, digest: str) -> bool:
        values = (id, ceiling.tokens, ceiling.picos, digest)
        return self._link.write_once(_DISPATCH_AT_ONCE, values, durable=True) == 1

    def _settle_at_once(self, id: str, actual: Amount) -> bool:
        told = (actual.tokens, actual.picos)
        return self._link.write_once(_SETTLE_AT_ONCE, (*told, *told, id, *told), durable=False) == 1

    @contextmanager
    def _write(self, *, durable: bool) -> Iterator[Rows]:
        with self._link.write(durable=durable) as connection:
            yield _PostgresRows(connection)


class _PostgresRows:
    """What one step reads and locks, and writes."""

    def __init__(self, connection: Connection[tuple[Any, ...]]) -> None:
        self._execute = connection.execute

    def account(self, budget: str) -> Account | None:
        row = self._execute(_LOCK_ACCOUNT, (budget,)).fetchone()
        return None if row is None else account_of(row)

    def held(self, id: str) -> Hold | None:
        row = self._execute(_LOCK_HOLD, (id,)).fetchone()
        return None if row is None else hold_of(row)

    def add_account(self, account: Account) -> None:
        self._execute(_ADD_ACCOUNT, new_account(account))

    def keep_account(self, account: Account) -> None:
        self._execute(_KEEP_ACCOUNT, kept_of(account))

    def add_hold(self, hold: Hold) -> bool:
        return self._execute(_ADD_HOLD, new_hold(hold)).fetchone() is not None

    def keep_hold(self, was: Hold, now: Hold) -> None:
        self._execute(_KEEP_HOLD, (*moved_of(now), was.id))

    def tell(self, event: Event) -> None:
        self._execute("INSERT INTO outbox (event) VALUES (%s)", (event_text(event),))
