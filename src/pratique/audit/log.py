"""The writer of a log: one process at a time, each record on the disk before what it announces is done.

A write that was cut off is set aside when the log is opened, whole, and told in a record of its own. Anything else that
does not fit is a hard failure: a log that mends itself proves nothing.
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from blake3 import blake3

from pratique.audit.chain import Broken, Chain, Head, Record, Tail, header_of, new_log_id, payload_of, read_chain
from pratique.audit.checkpoints import Checkpoints, CheckpointWriter
from pratique.audit.events import AuditAbandoned, AuditClockWentBack, AuditRecovered
from pratique.audit.outbox import Posted
from pratique.audit.standing import Standing, carried_payload, stamped
from pratique.errors import Misuse, Outage
from pratique.events import Event, record_of
from pratique.show import show

__all__ = ["AuditLog"]

_FCNTL: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_RIGHTS = 0o600
_OWN = frozenset({"at", "outbox"})


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
        self._mutex = threading.Lock()
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

        Shape: ``event`` names itself under ``event``; ``at`` and ``outbox`` are the log's own.
        Errors: Misuse for what is no JSON, or no event; Outage when it cannot be written: the log ends where it ended
            before, or in a torn line that the next opening sets aside.
        """
        return self.append_all([event])

    def append_all(self, events: Iterable[Mapping[str, object]]) -> Head:
        """Append records, and have them on the disk together; return the head that they make.

        Errors: as ``append``; nothing is written when one of them is no event.
        """
        payloads = [_payload(event) for event in events]
        with self._mutex:
            self._open_descriptor()
            return self._write([*self._told_time(), *(stamped(each, self._now) for each in payloads)])

    def carried_of(self, store: str) -> int | None:
        """Return the place of the last event that was taken over from a store; None: there is none."""
        return self._standing.carried_of(store)

    def has_carried(self, store: str, posted: Posted) -> bool:
        """Say whether an event is the last one that was taken over from a store, as it was told."""
        return self._standing.has_carried(store, posted)

    def take_over(self, store: str, posted: Sequence[Posted]) -> Head:
        """Append what an outbox has, as it stands there, and have it on the disk together; see ``carry``."""
        with self._mutex:
            self._open_descriptor()
            return self._write([carried_payload(store, each) for each in posted])

    def _told_time(self) -> list[bytes]:
        """Look at the clock; tell when it went back."""
        self._now = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        before = self._standing.at
        if self._now >= before:
            return []
        by_ms = (datetime.fromisoformat(before) - datetime.fromisoformat(self._now)) // timedelta(milliseconds=1)
        return [stamped(_payload(record_of(AuditClockWentBack(by_ms=by_ms))), self._now)]

    def _write(self, payloads: Sequence[bytes]) -> Head:
        """Write records durably, then believe them."""
        ahead = self._chain.copy()
        lines = b"".join([ahead.add(payload) for payload in payloads])
        try:
            _write_durably(self._open_descriptor(), lines)
        except OSError as error:
            self._release()  # what is on the disk is not known: only a new opening reads it
            raise self._outage(error) from error
        self._chain = ahead
        for payload in payloads:
            self._standing.note(payload)
        if self._checkpoints is not None:
            self._checkpoints.take(self._chain.head)
        return self._chain.head

    def close(self) -> None:
        """Close the file, after a last checkpoint if they are wanted, and let another process write it.

        Errors: CheckpointOutage; the log is closed all the same.
        """
        if self._descriptor is None or self._process != os.getpid():
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
        if os.fstat(descriptor).st_size == 0:
            log = new_log_id()
            _write_durably(descriptor, header_of(log))
            _sync_folder(self.path)
            return Chain(log)
        chain: Chain | None = None
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
        self._abandoned = tuple(self._standing.intents.values())
        told: list[Event] = [AuditAbandoned(id=id, act=act) for id, act in self._standing.intents.items()]
        if tail is not None:
            told.insert(0, self._set_aside(chain, tail, descriptor))
        self._chain = chain
        if told:
            self._write([*self._told_time(), *(stamped(_payload(record_of(each)), self._now) for each in told)])
        return self._chain

    def _set_aside(self, chain: Chain, tail: Tail, descriptor: int) -> AuditRecovered:
        """Keep a torn last line beside the log, and cut it off; return what is told of both."""
        digest = blake3(tail.content).hexdigest()
        aside = self.path.with_name(f"{self.path.name}.torn-{chain.size}-{digest[:8]}")
        with open(aside, "wb", buffering=0) as kept:
            _write_durably(kept.fileno(), tail.content)
        _sync_folder(self.path)
        os.ftruncate(descriptor, tail.start)
        return AuditRecovered(bytes=len(tail.content), blake3=digest, kept=aside.name)

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


def _payload(event: Mapping[str, object]) -> bytes:
    """Write an event. Errors: Misuse for what is none."""
    if not isinstance(event.get("event"), str) or event.keys() & _OWN:
        raise Misuse(
            f"an event names itself under event, and leaves {' and '.join(sorted(_OWN))} to the log",
            remedy='write {"event": "room.what_happened", …}',
        )
    try:
        return payload_of(event)
    except (TypeError, ValueError) as error:
        raise Misuse(f"an event is no JSON: {error}", remedy="give plain JSON values, money as text") from error
