"""Where admitted values go: a new file, one JSON value a line, or standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from pratique.cli.files import STDIO, write_whole
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Emission", "emission", "report_stream"]


class Emission:
    """A place that was found to be free, and nothing was written to it yet."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.is_written = False

    def write(self, lines: Iterable[str]) -> None:
        """Write the lines, all at once.

        Errors: Misuse when the file cannot be written; the values are in the store then.
        """
        if self.name is None:
            return
        content = "".join(line + "\n" for line in lines)
        if self.name == STDIO:
            sys.stdout.write(content)
        else:
            write_whole(self.name, content.encode("ascii"))
        self.is_written = True


@contextmanager
def emission(name: str | None) -> Iterator[Emission]:
    """Take a new file before anything is resolved, so that what is admitted then has a place to go.

    Shape: an empty file stands there meanwhile; it is taken away when nothing was written to it.
    Errors: Misuse when there is a file, or none can be made.
    """
    place = Emission(name)
    if name is None or name == STDIO:
        yield place
        return
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError as error:
        raise Misuse(
            f"--emit {show(name, max_chars=200)}: the file exists", remedy="name a new one; nothing was judged"
        ) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Misuse(
            f"--emit {show(name, max_chars=200)}: {why.lower()}",
            remedy="name a file in a directory that can be written to",
        ) from error
    try:
        yield place
    finally:
        if not place.is_written:
            with suppress(OSError):  # an empty file that stays is no harm, and what failed before is told
                os.unlink(name)


def report_stream(emit: str | None) -> TextIO:
    """Return where the report goes: not where the values go."""
    return sys.stderr if emit == STDIO else sys.stdout
