"""Count what is not kept, and take away what need not be kept longer, through the one gate.

All run inside a transaction that the store opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pratique.quarantine.columns import to_column
from pratique.quarantine.store import Purged

__all__ = ["count_overflow", "last_seq", "purge", "settled", "wholly_resolved"]


def last_seq(connection: sqlite3.Connection, table: str) -> int:
    """Return the highest number that a table ever gave."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return 0 if row is None else int(row["seq"])


def wholly_resolved(connection: sqlite3.Connection, fingerprints: set[str]) -> set[str]:
    """Return those groups of which every record that ever came is finally resolved."""
    return {
        fingerprint
        for fingerprint in fingerprints
        if connection.execute(
            "SELECT 1 FROM fingerprints WHERE fingerprint = ? AND final_ever = units_ever", (fingerprint,)
        ).fetchone()
    }


def count_overflow(
    connection: sqlite3.Connection, contract: str, reason: str, cause: str, units: int, now: float
) -> None:
    """Count what is not kept, where everybody can see it."""
    connection.execute(
        """INSERT INTO overflow VALUES (:contract, :reason, :cause, :units, :now, :now)
        ON CONFLICT (contract, reason, cause) DO UPDATE SET units = units + :units, last_at = max(last_at, :now)""",
        {"contract": to_column(contract), "reason": reason, "cause": cause, "units": units, "now": now},
    )


def settled(connection: sqlite3.Connection, *, before: float, limit: int) -> list[int]:
    """Return deliveries whose records were all finally resolved by then, the longest settled first."""
    rows = connection.execute(
        """SELECT delivery FROM settling WHERE final = units AND last_final_at <= :before
        ORDER BY last_final_at, delivery LIMIT :limit""",
        {"before": before, "limit": limit},
    )
    return [row["delivery"] for row in rows]


def purge(connection: sqlite3.Connection, deliveries: Sequence[int]) -> Purged:
    """Take deliveries away, through the gate that opens only for those that are wholly resolved."""
    before = connection.execute("SELECT * FROM tally").fetchone()
    for seq in deliveries:
        connection.execute("INSERT INTO purge_gate VALUES (?)", (seq,))
        for table in ("overlays", "resolutions"):
            connection.execute(f"DELETE FROM {table} WHERE unit IN (SELECT seq FROM units WHERE delivery = ?)", (seq,))
        connection.execute("DELETE FROM units WHERE delivery = ?", (seq,))
        connection.execute("DELETE FROM deliveries WHERE seq = ?", (seq,))
        connection.execute("DELETE FROM purge_gate WHERE delivery = ?", (seq,))
    after = connection.execute("SELECT * FROM tally").fetchone()
    return Purged(
        deliveries=before["deliveries"] - after["deliveries"], units=before["units"] - after["units"],
        kept_bytes=before["kept_bytes"] - after["kept_bytes"],
    )  # fmt: skip
