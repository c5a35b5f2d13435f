"""The file is for any SQLite tool: what is promised about its tables and views holds without the library."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import BaseModel

from pratique import Contract
from pratique.quarantine import Filter, Resolution, Retention, SqliteQuarantine, replay
from pratique.quarantine.tables import LAYOUT
from pratique.testing import FakeClock


class Item(BaseModel):
    """One unit."""

    rank: int


class WideItem(BaseModel):
    """The same, later."""

    rank: int | str


ITEMS = Contract.items(Item, name="items")
WIDE = Contract.items(WideItem, name="items", version="2")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with something of everything in it."""
    clock = FakeClock(1_700_000_000.0)
    path = tmp_path / "q.db"
    with SqliteQuarantine(path, clock=clock, retention=Retention(max_units=5)) as store:
        kept = store.keep(ITEMS.admit('[{"rank": "a"}, {"rank": "b"}, {"rank": 1.5}, {"size": 1}]'))
        assert kept is not None
        store.edit(kept.ids[0], '{"rank": 1}', author="ann", note="typed it again")
        replay(store, ITEMS, where=kept.ids[0], dry_run=False, author="ann")
        store.resolve(kept.ids[1], Resolution.discarded("noise", author="bo"))
        store.resolve(kept.ids[2], Resolution.snoozed(until=clock.now + 60))
        store.keep(ITEMS.admit('[{"rank": "a\0"}, {"rank": "c"}]'))
    return path


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, opened by the standard library alone."""
    with closing(sqlite3.connect(path)) as connection:
        yield connection


def test_the_file_says_what_it_is(connection: sqlite3.Connection) -> None:
    """Application id, version of the tables, and the write-ahead log."""
    pragmas = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in
               ("application_id", "user_version", "journal_mode")]  # fmt: skip
    assert pragmas == [LAYOUT.application_id, LAYOUT.version, "wal"]


def test_the_views_answer_without_the_library(connection: sqlite3.Connection) -> None:
    """Each by its plain name, as a viewer of tables shows it."""
    groups = connection.execute('SELECT count, "open", code, path, regressed FROM groups').fetchall()
    assert groups[0] == (2, 0, "validate.type", "$[*].rank", 0)
    assert sorted(groups[1:]) == [
        (1, 1, "validate.control_character", "$[*]", 0), (1, 1, "validate.missing", "$[*].rank", 0),
        (1, 1, "validate.type", "$[*].rank", 0),
    ]  # fmt: skip
    states = dict(connection.execute("SELECT state, count(*) FROM records GROUP BY state").fetchall())
    assert states == {"admitted": 1, "discarded": 1, "open": 3}, "the snooze of 2023 has run out by the wall clock"
    assert connection.execute("SELECT count(*) FROM open_units").fetchone() == (3,)
    assert connection.execute("SELECT kind, author, value FROM resolved").fetchall() == [
        ("admitted", "ann", '{"rank":1}'), ("discarded", "bo", None), ("snoozed", "", None)
    ]  # fmt: skip
    assert connection.execute("SELECT before, after, author FROM edits").fetchall() == [
        ('{"rank": "a"}', '{"rank": 1}', "ann")
    ]
    assert connection.execute("SELECT contract, reason, cause, units, first_at FROM overflowed").fetchall() == [
        ("items", "schema", "max_units", 1, "2023-11-14T22:13:20Z")
    ]
    assert ("state", "open", 3) in connection.execute("SELECT * FROM stats").fetchall()


def test_text_is_text_where_it_can_be(connection: sqlite3.Connection) -> None:
    """A BLOB holds what TEXT would not hold exactly."""
    kinds = connection.execute("SELECT typeof(raw), count(*) FROM units GROUP BY 1 ORDER BY 1").fetchall()
    assert kinds == [("blob", 1), ("text", 4)]


@pytest.mark.parametrize("table", ["deliveries", "units", "overlays", "resolutions", "replays"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET seq = seq + 100", "DELETE FROM {}"])
def test_what_was_kept_never_changes(connection: sqlite3.Connection, table: str, statement: str) -> None:
    """Not even by a slip in a SQL shell."""
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement.format(table))


@pytest.mark.parametrize("table", ["deliveries", "units", "overlays", "resolutions", "replays"])
def test_what_was_kept_is_never_replaced(connection: sqlite3.Connection, table: str) -> None:
    """``INSERT OR REPLACE`` deletes without asking the trigger that guards deleting."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    for left_out in ((), ("seq",)):
        named = ", ".join(column for column in columns if column not in left_out)
        with pytest.raises(sqlite3.IntegrityError, match=r"never replaced|finally resolved"):
            connection.execute(f"INSERT OR REPLACE INTO {table} ({named}) SELECT {named} FROM {table} LIMIT 1")


def test_a_second_final_resolution_is_refused_by_the_file_itself(connection: sqlite3.Connection) -> None:
    """Whoever writes it."""
    with pytest.raises(sqlite3.IntegrityError, match="finally resolved"):
        connection.execute(
            "INSERT INTO resolutions (unit, round, kind, reason, author, note, at) "
            "SELECT unit, 9, 'discarded', 'x', '', '', 0 FROM resolutions WHERE kind = 'admitted'"
        )


def test_the_purge_gate_is_shut_for_what_is_open(connection: sqlite3.Connection) -> None:
    """Only retention purges, and only what is finally resolved."""
    with pytest.raises(sqlite3.IntegrityError, match="not finally resolved"):
        connection.execute("INSERT INTO purge_gate SELECT seq FROM deliveries LIMIT 1")


def test_the_purge_gate_lets_a_settled_delivery_go(path: Path) -> None:
    """With its records, edits and resolutions; the counters follow."""
    clock = FakeClock(1_800_000_000.0)
    with SqliteQuarantine(path, clock=clock, retention=Retention(max_age_s=1)) as store:
        for record in store.list(Filter(status="open")).records:
            store.resolve(record.id, Resolution.discarded("done"))
        clock.move(1)
        assert store.purge().units == 5
        stats = store.stats()
        assert (stats.units, stats.deliveries, stats.kept_bytes, stats.purged_units) == (0, 0, 0, 5)
    with closing(sqlite3.connect(path)) as connection:
        for table in ("units", "overlays", "resolutions", "settling", "purge_gate"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_the_counters_count_what_is_there(connection: sqlite3.Connection) -> None:
    """Caps and groups rely on them."""
    counted = connection.execute("SELECT count(*), sum(kept_bytes) FROM units").fetchone()
    bodies = connection.execute("SELECT count(*), sum(kept_bytes) FROM deliveries").fetchone()
    tally = connection.execute("SELECT units, deliveries, kept_bytes FROM tally").fetchone()
    assert tally == (counted[0], bodies[0], counted[1] + bodies[1])
    groups = connection.execute("SELECT fingerprint, count(*) FROM units GROUP BY fingerprint").fetchall()
    assert dict(connection.execute("SELECT fingerprint, units_ever FROM fingerprints").fetchall()) == dict(groups)
