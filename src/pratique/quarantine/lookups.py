"""Look one thing up in the file: a record, a delivery, where it stands, a replay.

All run inside a transaction that the store opened. Neighbours: ``queries`` asks about many.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pratique.quarantine.columns import from_column, to_column
from pratique.quarantine.intake import Intake
from pratique.quarantine.record import Detail, Kept, KeptDelivery, State
from pratique.quarantine.refusals import Standing, cursor_of, no_record, no_replay
from pratique.quarantine.resolution import ReplayRun, Resolved
from pratique.quarantine.rows import (
    DELIVERY_COLUMNS,
    RECORD_COLUMNS,
    RESOLVED_COLUMNS,
    delivery_of,
    detail_of,
    overlay_of,
    record_of,
    resolved_of,
)
from pratique.quarantine.store import MAX_PAGE, DeliveryPage
from pratique.quarantine.tables import FROM_DELIVERY, FROM_UNITS, UNITS_EVER, state_sql

__all__ = [
    "delivered",
    "deliveries",
    "delivery",
    "details",
    "kept_before",
    "replay",
    "replays",
    "revision",
    "standing",
]

_STATE = state_sql(":now")


def details(
    connection: sqlite3.Connection, where: str, of: str, *, now: float, snippet_chars: int
) -> tuple[Detail, ...]:
    """Return records of one delivery with all that is kept of them; ``where`` is our own condition on ``:of``."""
    bound = {"of": of, "now": now, "snippet": snippet_chars}
    rows = connection.execute(
        f"SELECT {RECORD_COLUMNS}, u.raw, u.raw_bytes, u.whole, u.findings, u.edits, u.draft, u.delivery AS home "
        f"FROM {FROM_DELIVERY if where.startswith('d.') else FROM_UNITS} WHERE {where} ORDER BY u.seq",
        bound,
    ).fetchall()
    if not rows:
        return ()
    kept = delivery(connection, rows[0]["delivery"])
    overlays = _by_unit(connection, "SELECT o.*, o.unit AS owner FROM overlays o", rows, "o")
    resolutions = _by_unit(connection, f"SELECT {RESOLVED_COLUMNS}, r.unit AS owner FROM resolutions r", rows, "r")
    return tuple(
        detail_of(
            row, record_of(row, snippet_chars), kept, tuple(map(overlay_of, overlays.get(row["seq"], ()))),
            tuple(map(resolved_of, resolutions.get(row["seq"], ()))),
        )
        for row in rows
    )  # fmt: skip


def _by_unit(
    connection: sqlite3.Connection, select: str, rows: Sequence[sqlite3.Row], alias: str
) -> dict[int, list[sqlite3.Row]]:
    """Read the overlays or resolutions of some units of one delivery at once."""
    if len(rows) == 1:
        where, bound = "u.seq = ?", rows[0]["seq"]
    else:
        where, bound = "u.delivery = ?", rows[0]["home"]
    found: dict[int, list[sqlite3.Row]] = {}
    query = f"{select} JOIN units u ON u.seq = {alias}.unit WHERE {where} ORDER BY {alias}.seq"
    for row in connection.execute(query, (bound,)):
        found.setdefault(row["owner"], []).append(row)
    return found


def delivery(connection: sqlite3.Connection, id: str) -> KeptDelivery:
    """Return one delivery."""
    row = connection.execute(f"SELECT {DELIVERY_COLUMNS} FROM deliveries d WHERE d.id = ?", (to_column(id),)).fetchone()
    if row is None:
        raise no_record(id)
    return delivery_of(row)


def deliveries(connection: sqlite3.Connection, *, after: str | None, limit: int) -> DeliveryPage:
    """Return one page of deliveries."""
    rows = connection.execute(
        f"SELECT {DELIVERY_COLUMNS}, d.seq FROM deliveries d WHERE d.seq > ? ORDER BY d.seq LIMIT ?",
        (cursor_of(after), limit + 1),
    ).fetchall()
    shown = rows[:limit]
    return DeliveryPage(
        deliveries=tuple(map(delivery_of, shown)), next=str(shown[-1]["seq"]) if len(rows) > limit else None
    )


def revision(connection: sqlite3.Connection, id: str) -> int:
    """Count what was decided about the records of a delivery; a purged one has none."""
    found = connection.execute(
        """SELECT count(*) AS units, (SELECT count(*) FROM resolutions r JOIN units u ON u.seq = r.unit
            WHERE u.delivery = d.seq) + (SELECT count(*) FROM overlays o JOIN units u ON u.seq = o.unit
            WHERE u.delivery = d.seq) AS decided FROM deliveries d WHERE d.id = ?""",
        (id,),
    ).fetchone()
    return -1 if found["decided"] is None else int(found["decided"])


def standing(connection: sqlite3.Connection, id: str, now: float) -> Standing:
    """Say where a record stands, for one that is about to be written."""
    row = connection.execute(
        f"""SELECT u.seq AS number, u.unit_index, {_STATE} AS state, {UNITS_EVER} AS units_ever,
            (SELECT count(*) FROM overlays o WHERE o.unit = u.seq) AS overlays
        FROM {FROM_UNITS} WHERE u.id = :id""",
        {"id": to_column(id), "now": now},
    ).fetchone()
    if row is None:
        raise no_record(id)
    last = connection.execute(
        f"SELECT {RESOLVED_COLUMNS} FROM resolutions r JOIN units u ON u.seq = r.unit "
        "WHERE r.unit = ? ORDER BY r.seq DESC LIMIT 1",
        (row["number"],),
    ).fetchone()
    resolved = None if last is None else resolved_of(last)
    return Standing(
        id=id, index=row["unit_index"], state=State(row["state"]), last=resolved,
        rounds=resolved.round if resolved else 0, overlays=row["overlays"], units_ever=row["units_ever"],
        seq=row["number"],
    )  # fmt: skip


def kept_before(connection: sqlite3.Connection, intake: Intake) -> Kept | None:
    """Return what was kept of the same delivery, in the same run and attempt, before."""
    come = intake.delivery
    row = connection.execute(
        "SELECT seq, id, not_kept FROM deliveries WHERE digest = ? AND contract_fingerprint = ? AND run_id = ? "
        "AND attempt = ?",
        (come.digest, come.contract_fingerprint, to_column(come.run_id), come.attempt),
    ).fetchone()
    if row is None:
        return None
    found = connection.execute("SELECT id FROM units WHERE delivery = ? ORDER BY seq", (row["seq"],))
    return Kept(delivery=row["id"], ids=tuple(one["id"] for one in found), not_kept=row["not_kept"], again=True)


_REPLAYS = """SELECT p.*, (SELECT count(*) FROM resolutions WHERE replay = p.id) AS admitted FROM replays p"""


def replay(connection: sqlite3.Connection, id: str) -> ReplayRun | None:
    """Return one replay."""
    row = connection.execute(f"{_REPLAYS} WHERE p.id = ?", (to_column(id),)).fetchone()
    return None if row is None else _run(row)


def replays(connection: sqlite3.Connection) -> tuple[ReplayRun, ...]:
    """Return the newest replays."""
    return tuple(map(_run, connection.execute(f"{_REPLAYS} ORDER BY p.seq DESC LIMIT {MAX_PAGE}")))


def delivered(connection: sqlite3.Connection, id: str) -> tuple[Resolved, ...]:
    """Return what a replay admitted."""
    if replay(connection, id) is None:
        raise no_replay(id)
    rows = connection.execute(
        f"SELECT {RESOLVED_COLUMNS} FROM resolutions r JOIN units u ON u.seq = r.unit "
        "WHERE r.replay = ? ORDER BY u.seq",
        (to_column(id),),
    )
    return tuple(map(resolved_of, rows))


def _run(row: sqlite3.Row) -> ReplayRun:
    return ReplayRun(
        id=from_column(row["id"]), contract=from_column(row["contract"]), version=from_column(row["version"]),
        contract_fingerprint=row["contract_fingerprint"], author=from_column(row["author"]),
        note=from_column(row["note"]), at=row["at"], admitted=row["admitted"],
    )  # fmt: skip
