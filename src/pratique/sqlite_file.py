"""One SQLite file of a store, opened with care: is it ours, is it ours to write, whose fault is it when it fails.

A transaction is all or nothing; ``kill -9`` loses the one that was under way and nothing else (write-ahead
log, every commit flushed to the disk). What SQLite raises is told as a ``Misuse`` (no store, a newer one, a
folder) or an ``Outage`` (locked, full, read-only, damaged), with the remedy.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from pratique.errors import Misuse, Outage
from pratique.show import show

__all__ = ["Layout", "StoreFile"]

FIRST_RETRY_S = 0.001
"""Pause before the log is switched on again while another process does it, seconds; doubled each time."""

LOG_BYTES = 4 * 1024 * 1024
"""How large the write-ahead log grows before it is moved into the file, bytes: SQLite's default, for its page."""

MIN_FILE_BYTES = 512
"""The smallest page of a SQLite file, bytes. The file is not opened to look at its head: closing it again would
drop the locks that this process holds on it through other connections."""

_RIGHTS = "cannot be written; give yourself the right to write the file and its folder, or name another file"
_REMEDIES: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: "is locked by another process for too long; try again, or raise busy_timeout_s",
    sqlite3.SQLITE_LOCKED: "is locked; try again, or raise busy_timeout_s",
    sqlite3.SQLITE_READONLY: _RIGHTS,
    sqlite3.SQLITE_PERM: _RIGHTS,
    sqlite3.SQLITE_AUTH: _RIGHTS,
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; give yourself the right to read and write the file and its folder",
    sqlite3.SQLITE_FULL: "has no room left on its disk; nothing was written: make room and do it again",
    sqlite3.SQLITE_TOOBIG: "cannot hold a value as large as this; nothing was written: lower max_kept_delivery_bytes",
    sqlite3.SQLITE_CORRUPT: "is damaged; copy it, and read what is left with .recover of the sqlite3 shell",
}
"""SQLite's primary result codes that somebody can do something about."""

_OURS = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_MISUSE,
                   sqlite3.SQLITE_RANGE, sqlite3.SQLITE_INTERNAL, sqlite3.SQLITE_SCHEMA})  # fmt: skip
"""Codes that only a bug of ours can cause: raised as they are."""

_UNDECODABLE = "Could not decode to UTF-8"
"""How Python's module begins when a TEXT column holds other bytes; the rest of its message is the text itself."""

_NO_NAMES = frozenset({errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.ELOOP})
"""What the system says when a name can name no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Say what kind of store a file is, and how it is spoken of."""

    noun: str
    """``quarantine``."""
    application_id: int
    """What the file's head says it is."""
    version: int
    """Of the tables; a file with a larger one was written by a newer pratique."""
    schema: str
    """The statements that make the tables."""
    store: str
    """The class that opens it."""
    in_memory: str
    """The class for who wants no file."""
    page_bytes: int = 4_096
    """Of a new file. Small pages are quicker where a transaction changes some short rows, as each changed page is
    written whole."""


class StoreFile:
    """Hold one file open, for all threads of a process; opened again after a fork.

    Shape: ``through`` runs the beginning of each write, which fails at once while another process writes, until it
        succeeds: a queue. Without it SQLite waits by itself.
    Units: ``busy_timeout_s`` in seconds.
    Errors: Misuse, Outage; nothing is written then.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        layout: Layout,
        *,
        busy_timeout_s: float,
        through: Callable[[Callable[[], Any]], Any] | None = None,
    ) -> None:
        if not isinstance(busy_timeout_s, (int, float)) or not busy_timeout_s >= 0:
            raise Misuse(f"busy_timeout_s must be seconds, not {busy_timeout_s!r}", remedy="write busy_timeout_s=5")
        self._layout = layout
        self._through = through
        self.path = _require_file_name(path, layout)
        self._name = str(self.path)
        self.busy_timeout_s = busy_timeout_s
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._process = os.getpid()
        self._forked: list[sqlite3.Connection | None] = []
        self._is_closed = False
        self._is_busy = False
        """A step is under way, in the thread that has the lock."""
        self._is_durable: bool | None = True
        self._is_patient: bool | None = True
        self._faults = _Faults(self)
        with self._lock, self._faults:
            self._open()
        _OPEN.add(self)

    def write(self, *, durable: bool = True) -> AbstractContextManager[sqlite3.Connection]:
        """Run one transaction that writes; it is committed whole, or nothing of it is.

        Shape: without ``durable`` a power cut may lose it, whole; the death of this process does not.
        """
        return self._transaction("BEGIN IMMEDIATE", writes=True, durable=durable, findable=True)

    def write_once(self, statement: str, values: tuple[object, ...], *, durable: bool = True) -> int:
        """Run one statement that is a transaction of its own; return how many rows it changed, triggers apart."""
        with self._lock, self._faults:
            connection = self._open_idle()
            self._set_durable(connection, durable)
            self._require_same_file()
            self._is_busy = True
            try:
                if self._through is None:
                    return connection.execute(statement, values).rowcount
                self._set_patient(connection, False)
                changed: int = self._through(lambda: connection.execute(statement, values).rowcount)
                return changed
            finally:
                self._is_busy = False

    def read(self, *, findable: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """Run one transaction that reads: all of it sees the file at one moment.

        Shape: with ``findable`` a file that was deleted or replaced is not read: what it holds is old.
        """
        return self._transaction("BEGIN", findable=findable)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._is_closed = True
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @property
    def size_bytes(self) -> int:
        """Size of the file and of its log."""
        found = (_stat(file) for file in (self.path, Path(f"{self.path}-wal")))
        return sum(stat.st_size for stat in found if stat is not None)

    @contextmanager
    def _transaction(
        self, begin: str, *, findable: bool, writes: bool = False, durable: bool = True
    ) -> Iterator[sqlite3.Connection]:
        with self._lock, self._faults:
            connection = self._open_idle()
            self._is_busy = True
            try:
                self._set_durable(connection, durable)
                self._set_patient(connection, not writes or self._through is None)
                if writes and self._through is not None:
                    self._through(lambda: connection.execute(begin))
                else:
                    connection.execute(begin)
                if findable:
                    self._require_same_file()
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                self._roll_back(connection)
                raise
            finally:
                self._is_busy = False

    def _open_idle(self) -> sqlite3.Connection:
        """Return the connection, without what a signal may have left open in it.

        Errors: Misuse inside of another step of the same thread: a signal handler, an event sink.
        """
        if self._is_busy:
            raise Misuse(
                f"{self.called} is in the middle of a step, and this is inside of that",
                remedy="do not use it in a signal handler, or in an event sink of its own",
            )
        connection = self._open()
        if connection.in_transaction:
            self._roll_back(connection)
        return self._open()

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        """End a transaction that failed; a connection that cannot even do that is dropped, which ends it, too."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            connection.close()
            self._connection = None

    def _set_durable(self, connection: sqlite3.Connection, durable: bool) -> None:
        if durable is not self._is_durable:
            self._is_durable = None  # should a signal come in between
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._is_durable = durable

    def flush(self) -> None:
        """Have on the disk what was committed without waiting for it: the write-ahead log as it is now."""
        with self._lock, self._faults:
            try:
                descriptor = os.open(f"{self._name}-wal", os.O_RDONLY)
            except FileNotFoundError:
                return
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def quiesce(self) -> None:
        """Before a fork: wait for the step of another thread, and close the connection.

        SQLite in a child believes that it has its parent's locks, and the parent's close then deletes the log under
        the child. So no connection is open in a fork; both open one when they need it.
        """
        self._lock.acquire()
        if self._connection is not None and not self._is_busy and self._process == os.getpid():
            self._connection.close()
            self._connection = None

    def wake(self) -> None:
        """After a fork, in both."""
        self._lock.release()

    def _set_patient(self, connection: sqlite3.Connection, patient: bool) -> None:
        """Let SQLite wait by itself for a lock, or fail at once."""
        if patient is not self._is_patient:
            self._is_patient = None
            connection.execute(f"PRAGMA busy_timeout = {int(self.busy_timeout_s * 1_000) if patient else 0}")
            self._is_patient = patient

    def _open(self) -> sqlite3.Connection:
        """Return the connection of this process; a connection must not be carried over a fork."""
        if self._is_closed:
            raise Misuse(f"{self.called} is closed", remedy=f"open it again with {self._layout.store}(path)")
        if self._process != os.getpid():
            self._forked.append(self._connection)  # closing it here would take the parent's locks away
            self._connection, self._process = None, os.getpid()
        if self._connection is None:
            connection = sqlite3.connect(
                self.path, timeout=self.busy_timeout_s, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._opened = connection, self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        """Return which file the path names now; None: there is none."""
        try:
            stat = os.stat(self._name)
        except OSError:
            found = _stat(self.path)
            return None if found is None else (found.st_dev, found.st_ino)
        return stat.st_dev, stat.st_ino

    def _require_same_file(self) -> None:
        """Refuse a file that nobody can find any more: what is written is gone with it, what is read is old."""
        now = self._identity()
        if now is None or now != self._opened:
            raise Outage(
                f"{self.called} was deleted or replaced while it was open; nothing was written: "
                "put the file back or open the store anew, then do it again"
            )

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Look at what the file is before anything is written; make the tables in an empty one."""
        connection.row_factory = sqlite3.Row
        if self._is_empty(connection):
            connection.execute(f"PRAGMA page_size = {self._layout.page_bytes}")
            self._switch_log_on(connection)
            connection.execute("BEGIN IMMEDIATE")
            if self._is_empty(connection):  # another process may have been first
                for statement in _statements(self._layout.schema):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {self._layout.application_id}")
                connection.execute(f"PRAGMA user_version = {self._layout.version}")
            connection.execute("COMMIT")
        self._require_ours(connection)
        connection.execute("PRAGMA synchronous = FULL")
        self._is_durable = self._is_patient = True
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // _number(connection, 'page_size')}")

    def _is_empty(self, connection: sqlite3.Connection) -> bool:
        told = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return not told and not _number(connection, "application_id") and not _number(connection, "user_version")

    def _require_ours(self, connection: sqlite3.Connection) -> None:
        if _number(connection, "application_id") != self._layout.application_id:
            raise Misuse(f"{self.shown} is a SQLite file, but no {self._layout.noun}", remedy="name another file")
        version = _number(connection, "user_version")
        if version > self._layout.version:
            raise Misuse(
                f"{self.called} was written by a newer pratique: its tables have version {version}, "
                f"this one knows {self._layout.version}",
                remedy="upgrade pratique; the file was not touched",
            )

    def _switch_log_on(self, connection: sqlite3.Connection) -> None:
        """Switch the write-ahead log on: SQLite does not always wait for another process that does the same."""
        deadline = time.monotonic() + self.busy_timeout_s
        pause_s = FIRST_RETRY_S
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise
            time.sleep(pause_s)
            pause_s *= 2

    @property
    def shown(self) -> str:
        """The file's name, for messages."""
        return show(str(self.path), max_chars=300)

    @property
    def called(self) -> str:
        """What the file is, for messages."""
        return f"the {self._layout.noun} {self.shown}"


_OPEN: weakref.WeakSet[StoreFile] = weakref.WeakSet()
_FORKING: list[StoreFile] = []


def _before_fork() -> None:
    _FORKING[:] = list(_OPEN)
    for file in _FORKING:
        file.quiesce()


def _after_fork() -> None:
    while _FORKING:
        _FORKING.pop().wake()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class _Faults:
    """Tell what SQLite raises in our words: the one map from its errors to ours."""

    def __init__(self, file: StoreFile) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: object) -> None:
        if not isinstance(error, sqlite3.Error):
            return
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise Misuse(
                f"{self._file.shown} is no SQLite file", remedy="name another file; this one was not touched"
            ) from error
        if str(error).startswith(_UNDECODABLE):  # its message is raw text, and so would be its cause's
            raise Outage(f"{self._file.called} {_REMEDIES[sqlite3.SQLITE_CORRUPT]} (text that is no UTF-8)") from None
        if code not in _OURS:
            told = _REMEDIES.get(code, "failed; look at the disk, then do it again")
            raise Outage(f"{self._file.called} {told} ({error})") from error


def _require_file_name(path: str | os.PathLike[str], layout: Layout) -> Path:
    """Refuse what cannot be a file, before SQLite makes something of it."""
    name = os.fspath(path)
    if not isinstance(name, str) or not name or name == ":memory:" or "\0" in name:
        raise Misuse(
            f"{show(str(name))} names no file",
            remedy=f'write a path, "{layout.noun}.db", or use {layout.in_memory}()',
        )
    file = Path(name).absolute()
    found = _stat(file)
    if found is not None and S_ISDIR(found.st_mode):
        raise Misuse(f"{show(name)} is a folder", remedy=f'name a file in it, "{layout.noun}.db"')
    if found is not None and 0 < found.st_size < MIN_FILE_BYTES:  # SQLite would take it for an empty database
        raise Misuse(f"{show(name)} is no SQLite file", remedy="name another file; this one was not touched")
    folder = _stat(file.parent)
    if folder is None or not S_ISDIR(folder.st_mode):
        raise Misuse(f"the folder of {show(name)} does not exist", remedy="make the folder first")
    return file


def _stat(file: Path) -> os.stat_result | None:
    """Look at a file; None: there is none.

    Errors: Misuse for a name that can name none; Outage when looking is not allowed, or fails.
    """
    try:
        return file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # ValueError: a name that the file system's encoding has no bytes for
        shown = show(str(file), max_chars=300)
        if isinstance(error, ValueError) or error.errno in _NO_NAMES:
            raise Misuse(f"{shown} can name no file", remedy="write a shorter, plainer path") from error
        raise Outage(
            f"{shown} cannot be looked at; give yourself the right to enter its folder, or name another file "
            f"({error.strerror})"
        ) from error


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Take a script apart; ``executescript`` would commit what is under way."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if statement.strip() and sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    assert not statement.strip(), "the script ends inside a statement"
