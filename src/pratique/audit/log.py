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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blake3 import blake3

from pratique.audit.chain import Broken, Chain, Head, Tail, header_of, new_log_id, payload_of, read_chain
from pratique.audit.checkpoints import Checkpoints, CheckpointWriter
from pratique.errors import Misuse, Outage
from pratique.events import Event
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

    def __init__(self, path: str | os.PathLike[str], *, checkpoints: Checkpoints | None = None) -> None:
        self.path = Path(path).absolute()
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

    def emit(self, event: Event) -> None:
        """Append one event, and have it on the disk."""
        self.append(event.to_dict())

    def append(self, event: Mapping[str, object]) -> Head:
        """Append one record, and have it on the disk; return the head that it makes.

        Errors: Misuse for what is no JSON; Outage when it cannot be written: the log ends where it ended before, or in
            a torn line that the next opening sets aside.
        """
        with self._mutex:
            descriptor = self._open_descriptor()
            try:
                payload = payload_of(event)
            except (TypeError, ValueError) as error:
                raise Misuse(f"an event is no JSON: {error}", remedy="give plain JSON values, money as text") from error
            try:
                _write_durably(descriptor, self._chain.line_of(payload))
            except OSError as error:
                self._release()  # what is on the disk is not known: only a new opening reads it
                raise self._outage(error) from error
            self._chain.take(payload)
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
            return Chain(log)
        chain: Chain | None = None
        tail: Tail | None = None
        try:
            with open(self.path, "rb") as file:
                for part in read_chain(file):
                    chain = part if isinstance(part, Chain) else chain
                    tail = part if isinstance(part, Tail) else tail
        except Broken as broken:
            raise Misuse(
                f"the log {self._shown} is broken at {broken}",
                remedy="keep it as it is, find out what happened with pratique audit verify, and write a new one",
            ) from broken
        assert chain is not None
        if tail is not None:
            self._set_aside(chain, tail, descriptor)
        return chain

    def _set_aside(self, chain: Chain, tail: Tail, descriptor: int) -> None:
        """Keep a torn last line beside the log, cut it off, and tell both in a record."""
        digest = blake3(tail.content).hexdigest()
        aside = self.path.with_name(f"{self.path.name}.torn-{chain.size}-{digest[:8]}")
        with open(aside, "wb", buffering=0) as kept:
            _write_durably(kept.fileno(), tail.content)
        os.ftruncate(descriptor, tail.start)
        payload = payload_of(
            {"event": "audit.recovered", "bytes": len(tail.content), "blake3": digest, "kept": aside.name}
        )
        _write_durably(descriptor, chain.line_of(payload))
        chain.take(payload)

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
