"""A queue before a file that many processes write: nobody starves, and nobody waits who need not.

Problem: SQLite lets writers that wait try again after longer and longer pauses: under load one of them starves for
seconds (measured, 8 writers, full sync: worst wait 4,352 ms). A lock of the operating system around every step is fair,
but then each step wakes another process: half of the rate is gone.
What we do: who finds the file free goes ahead. Who finds it taken stands in line, for a lock of the operating system,
and the first in line tries again at short, even pauses. So a writer makes a few steps in a row, then it is the next
one's turn.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pratique.errors import Outage
from pratique.show import show

__all__ = ["Gate"]

T = TypeVar("T")

PAUSE_S = 0.000_1
"""Pause of the first in line between two tries, seconds: less than a step takes, more than a turn of the processor."""

_FCNTL: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""None on a system without such locks: there all who wait try at even pauses."""


class Gate:
    """Let writers through, about in the order in which they came; opened again after a fork.

    Units: ``busy_timeout_s`` is how long the first in line tries, seconds.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self._path = Path(f"{path}-gate")
        self._busy_timeout_s = busy_timeout_s
        self._mutex = threading.Lock()
        self._descriptor: int | None = None
        self._process = os.getpid()
        _OPEN.add(self)

    def through(self, step: Callable[[], T]) -> T:
        """Run a step that fails at once, with SQLITE_BUSY and nothing done, while another process writes.

        Errors: what the step raises; SQLITE_BUSY when the first in line waited for too long.
        """
        try:
            return step()
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
        with self._mutex:
            descriptor = self._open()
            if _FCNTL is not None:
                _FCNTL.flock(descriptor, _FCNTL.LOCK_EX)
            try:
                return self._tried(step)
            finally:
                if _FCNTL is not None:
                    _FCNTL.flock(descriptor, _FCNTL.LOCK_UN)

    def close(self) -> None:
        """Close the gate's file."""
        if self._mutex.locked():  # in use: by a thread that a fork does not wait for
            return
        with self._mutex:
            if self._descriptor is not None and self._process == os.getpid():
                os.close(self._descriptor)
            self._descriptor = None

    def _tried(self, step: Callable[[], T]) -> T:
        ends = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                return step()
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() >= ends:
                    raise
            time.sleep(PAUSE_S)

    def _open(self) -> int:
        """Return the descriptor of this process: a lock is shared with a fork that has the same one."""
        if self._descriptor is None or self._process != os.getpid():
            try:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise Outage(
                    f"the queue {show(str(self._path), max_chars=300)} cannot be opened: {error.strerror}; give "
                    "yourself the right to it; nothing was written"
                ) from error
            self._process = os.getpid()
        return self._descriptor


_OPEN: weakref.WeakSet[Gate] = weakref.WeakSet()


def _before_fork() -> None:
    """Take no descriptor over a fork: a child that has it keeps the lock when its parent is killed."""
    for gate in list(_OPEN):
        gate.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
