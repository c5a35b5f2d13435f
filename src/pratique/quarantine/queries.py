"""What is asked of the file, each question one function. All run inside a transaction that the store opened.

The filter becomes one ``WHERE``; values are always bound, never written into the SQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from pratique.quarantine.columns import from_column, to_column
from pratique.quarantine.refusals import bare_prefix, cursor_of
from pratique.quarantine.rows import (
    RECORD_COLUMNS,
    record_of,
)
from pratique.quarantine.store import Filter, Group, Overflow, Page, Stats
from pratique.quarantine.tables import FROM_UNITS, UNITS_EVER, state_sql

__all__ = ["count", "groups", "ids", "page", "stats", "where_of"]

_STATE = state_sql(":now")
_PLACES: Mapping[str, str] = {
    "contract": "d.contract = :contract",
    "version": "d.version = :version",
    "reason": "u.reason = :reason",
    "producer": "d.producer = :producer",
    "model": "d.model = :model",
    "run_id": "d.run_id = :run_id",
    "status": f"{_STATE} = :status",
    "fingerprint": "u.fingerprint = :fingerprint",
    "delivery": "d.id = :delivery",
    "since": "u.kept_at >= :since",
    "until": "u.kept_at < :until",
    "text": "(instr(CAST(u.raw AS BLOB), :text) OR instr(CAST(u.message AS BLOB), :text))",
}
"""What each field of a filter asks."""


def where_of(filter: Filter) -> tuple[str, dict[str, Any]]:
    """Return a filter as a condition and what is bound in it."""
    said = {name: getattr(filter, name) for name in _PLACES if getattr(filter, name) is not None}
    bound: dict[str, Any] = {
        name: to_column(value) if isinstance(value, str) else value for name, value in said.items()
    }
    if filter.text is not None:
        bound["text"] = filter.text.encode("utf-8", "surrogatepass")
    return " AND ".join(_PLACES[name] for name in said) or "1", bound


# -------------------------------------------------------------------------- lists


def page(
    connection: sqlite3.Connection, filter: Filter, *, after: str | None, limit: int, now: float, snippet_chars: int
) -> Page:
    """Return one page of records."""
    where, bound = where_of(filter)
    rows = connection.execute(
        f"SELECT {RECORD_COLUMNS} FROM {FROM_UNITS} WHERE u.seq > :after AND {where} ORDER BY u.seq LIMIT :limit",
        {**bound, "after": cursor_of(after), "limit": limit + 1, "now": now, "snippet": snippet_chars},
    ).fetchall()
    shown = rows[:limit]
    return Page(
        records=tuple(record_of(row, snippet_chars) for row in shown),
        next=str(shown[-1]["seq"]) if len(rows) > limit else None,
    )


def count(connection: sqlite3.Connection, filter: Filter, *, now: float) -> int:
    """Count records."""
    where, bound = where_of(filter)
    found = connection.execute(f"SELECT count(*) FROM {FROM_UNITS} WHERE {where}", {**bound, "now": now})
    return int(found.fetchone()[0])


def groups(
    connection: sqlite3.Connection, filter: Filter, *, limit: int, now: float, snippet_chars: int
) -> tuple[Group, ...]:
    """Return the groups of records."""
    where, bound = where_of(filter)
    rows = connection.execute(
        f"""WITH standing AS MATERIALIZED (
            SELECT u.seq, u.fingerprint, u.kept_at, u.regressed, {_STATE} AS state FROM {FROM_UNITS} WHERE {where}
        ), grouped AS MATERIALIZED (
            SELECT fingerprint, count(*) AS count, sum(state = 'open') AS open, min(kept_at) AS first_seen,
                max(kept_at) AS last_seen, min(CASE WHEN state = 'open' THEN kept_at END) AS oldest_open,
                max(regressed AND state IN ('open', 'snoozed')) AS back, max(seq) AS newest
            FROM standing GROUP BY fingerprint ORDER BY count DESC, fingerprint LIMIT :limit
        )
        SELECT {RECORD_COLUMNS}, grouped.*, {UNITS_EVER} AS units_ever FROM grouped CROSS JOIN {FROM_UNITS}
        WHERE u.seq = grouped.newest ORDER BY grouped.count DESC, grouped.fingerprint""",
        {**bound, "limit": limit, "now": now, "snippet": snippet_chars},
    ).fetchall()
    return tuple(_group(row, snippet_chars) for row in rows)


def _group(row: sqlite3.Row, snippet_chars: int) -> Group:
    newest = record_of(row, snippet_chars)
    return Group(
        fingerprint=newest.fingerprint, fingerprint_version=newest.fingerprint_version, contract=newest.contract,
        reason=newest.reason, code=newest.code, path=newest.path, message=newest.message, count=row["count"],
        open=row["open"], ever=row["units_ever"], first_seen=row["first_seen"], last_seen=row["last_seen"],
        oldest_open=row["oldest_open"], regressed=bool(row["back"]), sample=newest.id, snippet=newest.snippet,
    )  # fmt: skip


def ids(connection: sqlite3.Connection, prefix: str, limit: int) -> tuple[str, ...]:
    """Find ids by their beginning."""
    begin = bare_prefix(prefix)
    found = connection.execute(
        "SELECT id FROM units WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (begin, begin + "~", limit)
    )
    return tuple(row["id"] for row in found)


def stats(connection: sqlite3.Connection, *, now: float, file_bytes: int) -> Stats:
    """Sum the file up."""
    rows = connection.execute(
        f"""SELECT d.contract, u.reason, {_STATE} AS state, count(*) AS many, min(u.kept_at) AS oldest
        FROM {FROM_UNITS} GROUP BY 1, 2, 3""",
        {"now": now},
    ).fetchall()
    is_open = [row for row in rows if row["state"] == "open"]
    oldest = min((row["oldest"] for row in is_open), default=None)
    tally = connection.execute("SELECT * FROM tally").fetchone()
    statuses = connection.execute("SELECT status, count(*) AS many FROM deliveries GROUP BY status").fetchall()
    back = connection.execute(
        f"SELECT count(DISTINCT u.fingerprint) FROM {FROM_UNITS} WHERE u.regressed AND {_STATE} IN ('open', 'snoozed')",
        {"now": now},
    ).fetchone()[0]
    return Stats(
        units=tally["units"], deliveries=tally["deliveries"], kept_bytes=tally["kept_bytes"],
        by_state=_summed(rows, "state"), by_reason=_summed(rows, "reason"),
        open_by_reason=_summed(is_open, "reason"), open_by_contract=_summed(is_open, "contract"),
        by_status=_summed(statuses, "status"), oldest_open_at=oldest,
        oldest_open_age_s=None if oldest is None else max(0.0, now - oldest), regressed_groups=back,
        overflow=tuple(map(_overflow, connection.execute("SELECT * FROM overflow ORDER BY contract, reason, cause"))),
        purged_units=tally["purged_units"], file_bytes=file_bytes,
    )  # fmt: skip


def _summed(rows: Sequence[sqlite3.Row], column: str) -> dict[str, int]:
    sums: dict[str, int] = {}
    for row in rows:
        name = from_column(row[column])
        sums[name] = sums.get(name, 0) + row["many"]
    return dict(sorted(sums.items()))


def _overflow(row: sqlite3.Row) -> Overflow:
    return Overflow(
        contract=from_column(row["contract"]), reason=row["reason"], cause=row["cause"], units=row["units"],
        first_at=row["first_at"], last_at=row["last_at"],
    )  # fmt: skip
