"""What the command line reads and writes of deliveries and allow-lists; ``quarantined`` has its own files.

Errors: Misuse for what cannot be read or written, with the remedy; never a bare ``OSError``.
"""

from __future__ import annotations

import os
import sys

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


def write_whole(name: str, content: bytes, *, overwrite: bool = True) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Shape: as ``write_whole`` of the quarantine's export, which is imported when something is written: a check that
        keeps nothing does not wait for it.
    Errors: Misuse when it cannot be written, or exists and must not; the old file is then as it was.
    """
    from pratique.quarantine.export import write_whole as write

    try:
        write(name, [content], overwrite=overwrite)
    except (OSError, ValueError) as error:
        remedy = "name a file in a directory that can be written to"
        raise Misuse(_told(name, error), remedy=remedy) from error


def _told(name: str, error: OSError | ValueError) -> str:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{show(name, max_chars=200)}: {why.lower()}"
