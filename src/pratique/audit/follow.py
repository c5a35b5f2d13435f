"""A log read while it is written: the records that came since the last look, each verified against the ones before it.

A last line without its end is a write under way, or one that was cut off: it is looked at again each time, until it is
whole or the next writer has set it aside. Nothing here waits; whoever follows decides when to look.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pratique.audit.chain import Broken, Chain, Record, Tail, read_chain, read_records
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Follower"]


class Follower:
    """Read one log, look by look.

    Errors: Misuse for a file that cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._chain: Chain | None = None
        self._at = 0
        self._file: os.stat_result | None = None

    def read(self) -> Iterator[Record]:
        """Yield the whole records that came since the last look.

        Limits: linear in what came.
        Errors: Broken at the first line that does not follow from the ones before it, and when what was read before is
            gone: the file was removed, replaced, or cut off.
        """
        try:
            yield from self._read()
        except Broken:
            # A torn line may have been cut off and written over while it was read: then a second look fits.
            yield from self._read()

    def _read(self) -> Iterator[Record]:
        try:
            with open(self._path, "rb") as file:
                self._require_same(os.fstat(file.fileno()))
                if self._chain is None:
                    parts = read_chain(file)
                else:
                    file.seek(self._at)
                    parts = read_records(file, self._chain, self._at)
                for part in parts:
                    if isinstance(part, Chain):
                        self._chain = part
                    if isinstance(part, Tail):
                        return
                    self._at = file.tell()
                    if isinstance(part, Record):
                        yield part
        except OSError as error:
            if self._chain is not None and isinstance(error, FileNotFoundError):
                raise Broken(self._line, "the log is gone") from error
            raise Misuse(
                f"{show(str(Path(self._path)), max_chars=300)}: {error.strerror}", remedy="name the log's file"
            ) from error

    def _require_same(self, here: os.stat_result) -> None:
        """Refuse what cannot be the file that was read before."""
        if self._file is not None and not os.path.samestat(self._file, here):
            raise Broken(self._line, "another file stands there now")
        if here.st_size < self._at:
            raise Broken(self._line, f"the file is shorter than it was: {here.st_size:,} bytes, not {self._at:,}")
        self._file = here

    @property
    def _line(self) -> int:
        return 1 if self._chain is None else self._chain.size + 2
