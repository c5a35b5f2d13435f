"""What goes wrong around a store is said, with the remedy, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel

from pratique import Contract, Misuse, Outage
from pratique.quarantine import Resolution, Retention, SqliteQuarantine
from pratique.quarantine.tables import LAYOUT
from pratique.sqlite_file import _OURS, _REMEDIES

NOBODY = 65_534


class Item(BaseModel):
    """One unit."""

    rank: int


ITEMS = Contract.items(Item, name="items")
BAD = ITEMS.admit('[{"rank": "x"}, {"rank": 1}]')


def filled(path: Path) -> str:
    """Keep one unit; return its id."""
    with SqliteQuarantine(path) as store:
        kept = store.keep(BAD)
    assert kept is not None
    return kept.ids[0]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Give up root's rights for a while; whoever is not root has none to give up."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, too."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    """Guessing at its tables could break what the newer version relies on."""
    path = tmp_path / "q.db"
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {LAYOUT.version + 1}")
    before = path.read_bytes()
    with pytest.raises(Misuse, match=f"newer pratique: its tables have version {LAYOUT.version + 1}.*upgrade pratique"):
        SqliteQuarantine(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"x", b"no database at all\n" * 400, b"SQLite format 3\0" + b"junk" * 2_000])
def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path, content: bytes) -> None:
    """Whatever its length."""
    path = tmp_path / "q.db"
    path.write_bytes(content)
    with pytest.raises((Misuse, Outage), match=r"no SQLite file; name another file|is damaged"):
        SqliteQuarantine(path)
    assert path.read_bytes() == content


def test_another_program_s_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    """A SQLite file with tables of its own is no quarantine."""
    path = tmp_path / "notes.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")
    before = path.read_bytes()
    with pytest.raises(Misuse, match="is a SQLite file, but no quarantine"):
        SqliteQuarantine(path)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["x" * 300, "n/" * 3_000 + "q.db", "\udcff\ud800.db"])
def test_a_name_that_names_nothing_is_refused(tmp_path: Path, name: str) -> None:
    """Too long, or with characters that no file has."""
    with pytest.raises(Misuse, match="can name no file; write a shorter, plainer path"):
        SqliteQuarantine(tmp_path / name)


def test_a_folder_that_may_not_be_entered_is_an_outage(open_folder: Path) -> None:
    """Not even whether the file is there can be told."""
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    filled(closed / "q.db")
    closed.chmod(0o000)
    with as_nobody(), pytest.raises(Outage, match="cannot be looked at; give yourself the right to enter its folder"):
        SqliteQuarantine(closed / "q.db")
    closed.chmod(0o700)


def test_a_file_that_was_deleted_under_the_store_is_an_outage(tmp_path: Path) -> None:
    """What is written into it would be gone when it is closed."""
    path = tmp_path / "q.db"
    with SqliteQuarantine(path) as store:
        store.keep(BAD)
        path.unlink()
        with pytest.raises(Outage, match="was deleted or replaced while it was open; nothing was written"):
            store.keep(BAD)
        with pytest.raises(Outage, match="was deleted or replaced"):
            store.purge()
        assert store.stats().units == 1


def test_a_file_that_was_replaced_under_the_store_is_an_outage(tmp_path: Path) -> None:
    """Another store stands there now, and stays as it is."""
    path, other = tmp_path / "q.db", tmp_path / "other.db"
    with SqliteQuarantine(path) as store:
        id = filled(other)
        other.rename(path)
        with pytest.raises(Outage, match="was deleted or replaced"):
            store.resolve(id, Resolution.discarded("seen"))


def test_text_that_is_no_utf_8_is_damage_and_is_not_told(tmp_path: Path) -> None:
    """Python's own message would hold the raw text."""
    path = tmp_path / "q.db"
    id = filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER units_never_change")
        connection.execute("UPDATE units SET raw = CAST(x'736563726574ff' AS TEXT)")
        connection.commit()
    with SqliteQuarantine(path) as store:
        with pytest.raises(Outage, match=r"is damaged; .* \(text that is no UTF-8\)") as caught:
            store.show(id)
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """As ``mktemp`` makes one."""
    path = tmp_path / "q.db"
    path.touch()
    assert filled(path)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "names no file"),
        (":memory:", "MemoryQuarantine"),
        (".", "is a folder"),
        ("no/q.db", "make the folder first"),
    ],
)
def test_what_is_no_file_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str) -> None:
    """A folder, a missing folder, nothing, SQLite's own word for memory."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match=told):
        SqliteQuarantine(name)
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_is_told(open_folder: Path) -> None:
    """Nobody may write there."""
    os.chmod(open_folder, 0o555)
    with as_nobody(), pytest.raises(Outage, match="cannot be opened; give yourself the right"):
        SqliteQuarantine(open_folder / "q.db")
    assert list(open_folder.iterdir()) == []


def test_a_read_only_file_is_told_and_keeps_what_it_has(open_folder: Path) -> None:
    """Keeping fails with the remedy; what was there stays."""
    path = open_folder / "q.db"
    id = filled(path)
    os.chmod(path, 0o444)
    with as_nobody(), pytest.raises(Outage, match="give yourself the right"), SqliteQuarantine(path) as store:
        store.keep(BAD)
    with SqliteQuarantine(path) as store:
        assert [record.id for record in store.list().records] == [id]


def test_a_full_disk_loses_nothing_and_works_again(tmp_path: Path) -> None:
    """SQLite's own bound on pages stands in for the disk's; the transaction that did not fit is gone whole."""
    large = ITEMS.admit("[" + ",".join(f'{{"rank": "{"x" * 3_000}"}}' for _ in range(300)) + "]")
    with SqliteQuarantine(tmp_path / "q.db") as store:
        first = store.keep(BAD)
        connection = store._file._open()
        connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0] + 5}")
        with pytest.raises(Outage, match="no room left on its disk; nothing was written"):
            store.keep(large)
        assert store.stats().units == 1
        assert store.stats().overflow == ()
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        connection.execute("PRAGMA max_page_count = 1000000")
        assert first is not None
        kept = store.keep(large)
        assert kept is not None
        assert len(kept.ids) == 300


def test_a_locked_file_is_told_after_the_timeout(tmp_path: Path) -> None:
    """Another process holds the write lock; reading goes on meanwhile."""
    path = tmp_path / "q.db"
    filled(path)
    with SqliteQuarantine(path, busy_timeout_s=0.05) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Outage, match="locked by another process for too long; try again, or raise busy_timeout_s"):
            store.keep(BAD)
        assert store.stats().units == 1
        other.execute("ROLLBACK")
        assert store.keep(BAD) is not None


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    """Not as a bug of ours, and not as an empty store."""
    path = tmp_path / "q.db"
    filled(path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(Outage, match="is damaged"), SqliteQuarantine(path) as store:
        store.list()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    """Using it is the caller's mistake."""
    store = SqliteQuarantine(tmp_path / "q.db")
    store.close()
    store.close()
    with pytest.raises(Misuse, match="is closed; open it again"):
        store.keep(BAD)


def test_a_hostile_file_name_is_shown_escaped(tmp_path: Path) -> None:
    """An error message reaches a terminal."""
    with pytest.raises(Misuse) as caught:
        SqliteQuarantine(tmp_path / "\x1b[31m" / "q.db")
    assert "\x1b" not in str(caught.value)
    assert "\\x1b" in str(caught.value)


@pytest.mark.parametrize("bound", [0, -1, True, "1", None])
def test_a_cap_that_bounds_nothing_is_refused(bound: object) -> None:
    """With the default as the remedy."""
    with pytest.raises(Misuse, match=r"retention.max_units must be a number above 0.*to get the default"):
        Retention(max_units=bound)  # type: ignore[arg-type]  # wrong on purpose


def test_every_code_of_sqlite_is_ours_or_told() -> None:
    """Each primary result code: a bug of ours, the file's kind, or an outage; a new one is an outage by default."""
    primary = {
        value: name
        for name, value in vars(sqlite3).items()
        if name.startswith("SQLITE_") and isinstance(value, int) and name.count("_") == 1
    }
    assert set(_REMEDIES) <= primary.keys()
    assert set(_OURS) <= primary.keys()
    assert not set(_REMEDIES) & _OURS
    assert sqlite3.SQLITE_NOTADB not in {*_REMEDIES, *_OURS}


def test_threads_share_one_store(tmp_path: Path) -> None:
    """What eight of them keep at once is all there."""
    with SqliteQuarantine(tmp_path / "q.db") as store:
        threads = [threading.Thread(target=lambda: [store.keep(BAD) for _ in range(5)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.stats().deliveries == 40


def test_a_failing_allow_list_writes_nothing(tmp_path: Path) -> None:
    """An error in the middle of a call leaves no half of it."""
    with SqliteQuarantine(tmp_path / "q.db") as store:
        kept = store.keep(BAD)
        assert kept is not None
        with pytest.raises(Misuse):
            store.resolve_all([(kept.ids[0], Resolution.discarded("x")), ("u-0", Resolution.discarded("x"))])
        assert store.stats().by_state == {"open": 1}
