"""How far long work is, on one line of a terminal; nothing anywhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["progress_on"]


@contextmanager
def progress_on(stream: TextIO, verb: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that is told how many of how many are done; None where nobody watches.

    Limits: a line is written once a percent at most. The line is gone behind the work.
    """
    if not stream.isatty():
        yield None
        return
    shown = -1

    def tell(done: int, total: int) -> None:
        nonlocal shown
        percent = 100 * done // max(total, 1)
        if percent != shown:
            shown = percent
            stream.write(f"\r{verb} {done:,} of {total:,} ({percent}%)\x1b[K")
            stream.flush()

    try:
        yield tell
    finally:
        if shown >= 0:
            stream.write("\r\x1b[K")
            stream.flush()
