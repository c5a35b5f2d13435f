"""The writer of a log: one process at a time, each record on the disk before what it announces is done.

A write that was cut off is set aside when the log is opened, whole, and told in a record of its own. Anything else that
does not fit is a hard failure: a log that mends itself proves nothing.
"""

from __future__ import annotations

import errno
import glob
import importlib
import importlib.util
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from blake3 import blake3

from pratique.audit.chain import (
    Broken,
    Chain,
    Head,
    Record,
    Tail,
    header_of,
    is_torn_header,
    new_log_id,
    payload_of,
    read_chain,
)
from pratique.audit.checkpoints import Checkpoints, CheckpointWriter
from pratique.audit.events import AuditAbandoned, AuditClockWentBack, AuditRecovered
from pratique.audit.outbox import Posted, require_event
from pratique.audit.standing import Standing, carried_payload, stamped
from pratique.errors import Misuse, Outage
from pratique.events import Event, record_of
from pratique.show import show

__all__ = ["AuditLog"]

_FCNTL: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_RIGHTS = 0o600


class AuditLog:
    """Append events to one file, as an ``EventSink``.

    Shape: with ``checkpoints``, heads are signed and brought to a second place.
    Errors: Misuse when another process writes it, and when the file is no log, or its chain is broken; Outage when
        the disk fails: then nothing that was announced may be done. CheckpointOutage, an Outage, when the second place
        fails: the record is in the log, and must not be appended again.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        checkpoints: Checkpoints | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.path = Path(path).absolute()
        self._clock = clock
        self._now = ""
        self._standing = Standing()
        self._abandoned: tuple[str, ...] = ()
        self._checkpoints: CheckpointWriter | None = None
        self._mutex = threading.RLock()
        self._is_writing = False
        self._bytes = 0
        """Length of the file, as far as it was written or read here."""
        self._process = os.getpid()
        try:
            self._descriptor: int | None = os.open(self.path, _FLAGS, _RIGHTS)
        except OSError as error:
            raise Misuse(
                f"the log {self._shown} cannot be opened: {error.strerror}",
                remedy="name a file in a folder that can be written to; a link is not followed",
            ) from error
        try:
            self._lock()
            self._chain = self._read()
            if checkpoints is not None:
                self._checkpoints = checkpoints.begin(self.path, self._chain.head)
        except OSError as error:
            self._release()
            raise self._outage(error) from error
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> AuditLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def head(self) -> Head:
        """The newest record: keep it where this process cannot write."""
        return self._chain.head

    @property
    def abandoned(self) -> tuple[str, ...]:
        """The acts that the writer before this one announced and did not end: done, not done, or half. It is told."""
        return self._abandoned

    def emit(self, event: Event) -> None:
        """Append one event, and have it on the disk."""
        self.append(record_of(event))

    def append(self, event: Mapping[str, object]) -> Head:
        """Append one record with its time, and have it on the disk; return the head that it makes.

        Shape: ``event`` names itself under ``event``; ``at``, ``seq``, ``hash`` and ``outbox`` are the log's own.
        Errors: Misuse for what is no JSON, no event, or too long; Outage when it cannot be written, and when the file
            was moved, removed or cut while it was open. The log is closed then, and whether the record is in it, only
            a new opening tells.
        """
        return self.append_all([event])

    def append_all(self, events: Iterable[Mapping[str, object]]) -> Head:
        """Append records, and have them on the disk together; return the head that they make.

        Errors: as ``append``; nothing is written when one of them is no event; when the disk fails, some of the first
            may be in the log.
        """
        payloads = [require_event(event) for event in events]
        return self._write(lambda: [*self._told_time(), *(stamped(each, self._now) for each in payloads)])

    def carried_of(self, store: str) -> int | None:
        """Return the place of the last event that was taken over from a store; None: there is none."""
        return self._standing.carried_of(store)

    def has_carried(self, store: str, posted: Posted) -> bool:
        """Say whether an event is the last one that was taken over from a store, as it was told."""
        return self._standing.has_carried(store, posted)

    def take_over(self, store: str, posted: Sequence[Posted]) -> Head:
        """Append what an outbox has, as it stands there, and have it on the disk together; see ``carry``."""
        payloads = [carried_payload(store, each) for each in posted]
        return self._write(lambda: payloads)

    def _told_time(self) -> list[bytes]:
        """Look at the clock; tell when it went back."""
        self._now = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        before = self._standing.at
        if self._now >= before:
            return []
        by_ms = (datetime.fromisoformat(before) - datetime.fromisoformat(self._now)) // timedelta(milliseconds=1)
        return [stamped(payload_of(record_of(AuditClockWentBack(by_ms=by_ms))), self._now)]

    def _write(self, made: Callable[[], Sequence[bytes]]) -> Head:
        """Write records durably, then believe them.

        Whatever ends this in between, a signal too, closes the log: what is on the disk, only a new opening reads.
        """
        self._open_descriptor()  # before the lock, which a fork may have copied taken
        with self._mutex:
            descriptor = self._open_descriptor()
            if self._is_writing:
                raise Misuse(
                    f"the log {self._shown} is being written to, and this is inside of that",
                    remedy="do not append in a signal handler, or in what a checkpoint is brought to",
                )
            self._is_writing = True
            try:
                self._require_same_file(descriptor)
                payloads = made()
                ahead = self._chain.copy()
                lines = b"".join([ahead.add(payload) for payload in payloads])
                _write_durably(descriptor, lines)
                self._chain = ahead
                self._bytes += len(lines)
                for payload in payloads:
                    self._standing.note(payload)
            except OSError as error:
                self._release()
                raise self._outage(error) from error
            except BaseException:
                self._release()
                raise
            finally:
                self._is_writing = False
            if self._checkpoints is not None:
                self._is_writing = True
                try:
                    self._checkpoints.take(self._chain.head)
                finally:
                    self._is_writing = False
            return self._chain.head

    def _require_same_file(self, descriptor: int) -> None:
        """Refuse to write into a file that nobody finds any more, or that was cut."""
        here = os.fstat(descriptor)
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            there = None
        if there is None or (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino) or here.st_size != self._bytes:
            raise Outage(
                f"the log {self._shown} was moved, removed, cut or written by somebody else while it was open; nothing "
                "was written: find out what happened, and open it anew"
            )

    def close(self) -> None:
        """Close the file, after a last checkpoint if they are wanted, and let another process write it.

        Errors: CheckpointOutage; the log is closed all the same.
        """
        if self._descriptor is None:
            return
        if self._process != os.getpid():  # a fork has the same lock: it goes with whoever closes last
            os.close(self._descriptor)
            self._descriptor = None
            return
        with self._mutex:
            try:
                if self._checkpoints is not None:
                    self._checkpoints.finish(self._chain.head)
            finally:
                self._release()

    def _release(self) -> None:
        if self._checkpoints is not None:
            self._checkpoints.close()
        if self._descriptor is not None:
            if _FCNTL is not None:  # a fork may still have it open
                _FCNTL.flock(self._descriptor, _FCNTL.LOCK_UN)
            os.close(self._descriptor)
        self._descriptor = None

    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise Misuse(f"the log {self._shown} is closed", remedy="open it again with AuditLog(path)")
        if self._process != os.getpid():
            raise Misuse(
                f"the log {self._shown} is written by the process that opened it, and this is a fork",
                remedy="tell events to the parent, or open another log",
            )
        return self._descriptor

    def _lock(self) -> None:
        if _FCNTL is None:
            return
        try:
            _FCNTL.flock(self._descriptor, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
        except BlockingIOError as error:
            raise Misuse(
                f"the log {self._shown} is written by another process", remedy="wait for it, or name another log"
            ) from error

    def _read(self) -> Chain:
        """Read what is there: a chain that holds, a torn tail that is set aside, or nothing yet."""
        descriptor = self._open_descriptor()
        size = os.fstat(descriptor).st_size
        if size < len(header_of("")) + 32 and is_torn_header(content := self.path.read_bytes()):
            if content:
                self._set_aside(0, Tail(0, content), descriptor)
            log = new_log_id()
            _write_durably(descriptor, header_of(log))
            _sync_folder(self.path)
            chain: Chain | None = Chain(log)
        else:
            os.fsync(descriptor)  # whoever wrote it may have died before it did that
            chain = None
            tail: Tail | None = None
            try:
                with open(self.path, "rb") as file:
                    for part in read_chain(file):
                        if isinstance(part, Record):
                            self._standing.note(part.payload)
                        elif isinstance(part, Chain):
                            chain = part
                        else:
                            tail = part
            except Broken as broken:
                raise Misuse(
                    f"the log {self._shown} is broken at {broken}",
                    remedy="keep it as it is, find out what happened with pratique audit verify, and write a new one",
                ) from broken
            assert chain is not None
            if tail is not None:
                self._set_aside(chain.size, tail, descriptor)
        assert chain is not None
        self._chain = chain
        self._bytes = os.fstat(descriptor).st_size
        self._tell_what_was_left()
        return self._chain

    def _tell_what_was_left(self) -> None:
        """Tell the torn lines that were set aside, and the acts that were not ended, by whoever wrote before."""
        told: list[Event] = [
            AuditRecovered(bytes=len(content), blake3=blake3(content).hexdigest(), kept=aside.name)
            for aside in sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}.torn-*"))
            if aside.name not in self._standing.recovered and not aside.is_symlink()
            for content in (aside.read_bytes(),)
        ]
        self._abandoned = tuple(self._standing.intents.values())
        told += [AuditAbandoned(id=id, act=act) for id, act in self._standing.intents.items()]
        if told:
            self.append_all([record_of(each) for each in told])

    def _set_aside(self, size: int, tail: Tail, descriptor: int) -> None:
        """Keep a torn last line in a new file beside the log, and cut it off. It is told with what was left."""
        name = f"{self.path.name}.torn-{size}-{blake3(tail.content).hexdigest()[:8]}"
        aside = self.path.with_name(f"{name}-{secrets.token_hex(4)}")
        kept = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), _RIGHTS)
        try:
            _write_durably(kept, tail.content)
        finally:
            os.close(kept)
        _sync_folder(self.path)
        os.ftruncate(descriptor, tail.start)

    def _outage(self, error: OSError) -> Outage:
        return Outage(f"the log {self._shown} could not be written: {error.strerror}; do not go on, and open it anew")

    @property
    def _shown(self) -> str:
        return show(str(self.path), max_chars=300)


def _write_durably(descriptor: int, content: bytes) -> None:
    """Write all of it, and have it on the disk. Errors: OSError, also when only a part found room."""
    if os.write(descriptor, content) != len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def _sync_folder(file: Path) -> None:
    """Have a new file's name on the disk, too, where folders can be synced."""
    if _FCNTL is None:
        return
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
