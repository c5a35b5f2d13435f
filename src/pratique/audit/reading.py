"""The records of a log, one after the other, each verified against the ones before it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pratique.audit.chain import Record, read_chain
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["read_log"]


def read_log(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield the records of a log, as far as its chain holds; a last line that was cut off is left out.

    Limits: one record in memory at a time.
    Errors: Broken at the first record that does not follow from the ones before it; Misuse for a file that cannot be
        read.
    Not checked: whether the end was cut off, or all of it written anew; ``verify`` does that, with a head.
    """
    try:
        with open(path, "rb") as file:
            yield from (part for part in read_chain(file) if isinstance(part, Record))
    except OSError as error:
        raise Misuse(f"{show(str(Path(path)))}: {error.strerror}", remedy="name the log's file") from error
