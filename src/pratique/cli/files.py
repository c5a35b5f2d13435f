"""What the command line reads and writes of deliveries and allow-lists; ``quarantined`` has its own files.

Errors: Misuse for what cannot be read or written, with the remedy; never a bare ``OSError``.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile

from pratique.errors import Misuse
from pratique.show import show

__all__ = ["STDIO", "is_same_file", "read_bytes", "read_text", "write_whole"]

STDIO = "-"
"""The name of standard input and output on the command line."""


def read_bytes(name: str, *, max_bytes: int | None = None) -> bytes:
    """Read a file, or standard input for ``-``.

    Limits: one byte more than ``max_bytes`` at most, enough for the boundary to see that it is too large.
    Errors: Misuse when it cannot be read.
    """
    size = -1 if max_bytes is None else max_bytes + 1
    try:
        if name == STDIO:
            return sys.stdin.buffer.read(size)
        with open(name, "rb") as source:
            return source.read(size)
    except (OSError, ValueError) as error:
        remedy = "name a file that can be read, or - for standard input"
        raise Misuse(_told(name, error), remedy=remedy) from error


def read_text(name: str, *, what: str) -> str:
    """Read one of the caller's own files as UTF-8; ``what`` says its role in a message.

    Errors: Misuse when it cannot be read or is not UTF-8.
    """
    try:
        return read_bytes(name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Misuse(
            f"{what} {show(name)} is not UTF-8: byte {error.start} cannot be read", remedy="save it as UTF-8"
        ) from error


def is_same_file(one: str, other: str) -> bool:
    """Tell whether two names lead to one file; ``-`` leads to none."""
    if STDIO in (one, other):
        return False
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def write_whole(name: str, content: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Shape: a temporary file beside it, synced, then renamed over it; the mode of an old file is kept. A
        target that is no regular file (a pipe, a device) is written to as it is: a rename would replace it.
    Errors: Misuse when it cannot be written; the old file is then as it was.
    """
    try:
        mode = _mode(name)
        if mode is not None and not stat.S_ISREG(mode):
            with open(name, "wb") as target:
                target.write(content)
            return
        _replace(os.path.realpath(name), content, mode)
    except (OSError, ValueError) as error:
        remedy = "name a file in a directory that can be written to"
        raise Misuse(_told(name, error), remedy=remedy) from error


def _mode(name: str) -> int | None:
    try:
        return os.stat(name).st_mode
    except FileNotFoundError:
        return None


def _replace(path: str, content: bytes, mode: int | None) -> None:
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".pratique-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(content)
            target.flush()
            os.fsync(target.fileno())
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _told(name: str, error: OSError | ValueError) -> str:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{show(name, max_chars=200)}: {why.lower()}"
