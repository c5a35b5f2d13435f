"""A ledger as a call names it: a SQLite file, or a schema of a PostgreSQL server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pratique.errors import Misuse
from pratique.show import show

if TYPE_CHECKING:
    from pratique.budget.ledgers.postgres import PostgresLedger
    from pratique.budget.ledgers.sqlite import SqliteLedger

__all__ = ["ledger_at"]

_SERVERS = ("postgresql://", "postgres://")


def ledger_at(name: str, *, may_make: bool = False) -> SqliteLedger | PostgresLedger:
    """Open a ledger: a file's path, or ``postgresql://user@host/database``, with ``#schema`` for another schema.

    A password belongs into libpq's own file (``~/.pgpass``) or variable (``PGPASSWORD``): a command line is seen by
    everybody on the machine.
    Errors: Misuse for a file that is not there, unless it may be made; as the ledgers.
    """
    if name.startswith(_SERVERS):
        from pratique.budget.ledgers.postgres import SCHEMA, PostgresLedger

        conninfo, _, schema = name.partition("#")
        return PostgresLedger(conninfo, schema=schema or SCHEMA)
    from pratique.budget.ledgers.sqlite import SqliteLedger

    if not may_make and not Path(name).exists():
        raise Misuse(f"there is no ledger {show(name)}", remedy="name its file, or postgresql://user@host/database")
    return SqliteLedger(name)
