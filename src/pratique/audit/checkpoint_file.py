"""A file of checkpoints: the second place of a log, appended by one process at a time, each one on the disk.

A checkpoint that was cut off while it was written is cut off wholly before the next one: nothing can be verified by a
part. A file that holds anything else is never touched. It is worth something where the log's writer cannot rewrite it:
another user's, append-only, on another machine.
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
import stat
from pathlib import Path
from typing import Any

from pratique.audit.checkpoint import is_torn
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["CheckpointFile"]

MAX_TAIL_BYTES = 64 * 1024
"""How far back the end of the last whole checkpoint is looked for, bytes: one of ours has less than a tenth of that."""

_FCNTL: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_RIGHTS = 0o600
_SIGNATURE = "— ".encode()


class CheckpointFile:
    """Append checkpoints to a file that is not the log.

    Errors: Misuse when it cannot be opened, is the log itself or no plain file, or is written by another process.
    """

    def __init__(self, path: str | os.PathLike[str], log: Path) -> None:
        self.path = Path(path).absolute()
        try:
            self._descriptor: int | None = os.open(self.path, _FLAGS, _RIGHTS)
        except OSError as error:
            raise Misuse(
                f"{self} cannot be opened: {error.strerror}",
                remedy="name a file in a folder that can be written to; a link is not followed",
            ) from error
        try:
            self._require_fit(self._descriptor, log)
        except BaseException:
            self.close()
            raise

    def __str__(self) -> str:
        return f"the file of checkpoints {show(str(self.path), max_chars=300)}"

    def read(self) -> bytes:
        """Return all that stands there. Errors: OSError."""
        return self._read(0, os.fstat(self._open_descriptor()).st_size)

    def append(self, text: str) -> None:
        """Write one checkpoint behind the last whole one, and have it on the disk. Errors: OSError."""
        descriptor = self._open_descriptor()
        here = os.fstat(descriptor)
        if not os.path.samestat(os.stat(self.path), here):
            raise OSError(errno.ESTALE, "another file stands there now")
        self._cut_off_torn(descriptor, here.st_size)
        content = text.encode("utf-8")
        if os.write(descriptor, content) != len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
        if here.st_size == 0:
            _sync_folder(self.path.parent)

    def close(self) -> None:
        """Close the file, and let another process write it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _require_fit(self, descriptor: int, log: Path) -> None:
        here = os.fstat(descriptor)
        if os.path.samestat(here, os.stat(log)):  # before the lock: the log's own writer holds that one
            raise Misuse(
                f"{self} is the log itself",
                remedy="name a file elsewhere, where the log's writer cannot rewrite what was written",
            )
        if not stat.S_ISREG(here.st_mode):
            raise Misuse(
                f"{self} is no plain file", remedy="give a function that writes there: Checkpoints(key, write)"
            )
        if _FCNTL is None:
            return
        try:
            _FCNTL.flock(descriptor, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
        except BlockingIOError as error:
            raise Misuse(
                f"{self} is written by another process", remedy="wait for it, or name a file for each log"
            ) from error

    def _cut_off_torn(self, descriptor: int, size: int) -> None:
        """Cut off what a write left that did not come to its end. Errors: OSError when something else stands there."""
        start = max(0, size - MAX_TAIL_BYTES)
        lines = self._read(start, size - start).split(b"\n")
        signed = [at for at, line in enumerate(lines[:-1]) if line.startswith(_SIGNATURE)]
        rest = b"\n".join(lines[signed[-1] + 1 :] if signed else lines).lstrip(b"\n")
        if is_torn(rest):
            os.ftruncate(descriptor, size - len(rest))
        elif rest:
            raise OSError(errno.EINVAL, "something that is no checkpoint stands there")

    def _read(self, start: int, size: int) -> bytes:
        descriptor = self._open_descriptor()
        os.lseek(descriptor, start, os.SEEK_SET)
        parts = []
        while size > 0 and (part := os.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise OSError(errno.EBADF, "it is closed")
        return self._descriptor


def _sync_folder(folder: Path) -> None:
    """Have the name of a new file on the disk, where a folder can be opened."""
    directory = getattr(os, "O_DIRECTORY", None)
    if directory is None:
        return
    descriptor = os.open(folder, os.O_RDONLY | directory)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
