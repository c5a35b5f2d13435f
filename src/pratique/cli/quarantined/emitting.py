"""Where admitted values go: a new file, one JSON value a line, or standard output."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
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
        """Whether writing has begun: what was half written is not written twice."""

    def write(self, lines: Iterable[str]) -> None:
        """Write the lines, all at once.

        Errors: Misuse when they cannot be written, or a file was made there meanwhile; the values are in the
            store then.
        """
        if self.name is None:
            return
        content = "".join(line + "\n" for line in lines)
        if self.name != STDIO:
            write_whole(self.name, content.encode("ascii"), overwrite=False)
            self.is_written = True
            return
        self.is_written = True
        try:
            sys.stdout.write(content)
            sys.stdout.flush()
        except OSError as error:
            raise Misuse(
                f"standard output: {(error.strerror or str(error)).lower()}", remedy="write --emit FILE"
            ) from error


def emission(name: str | None) -> Emission:
    """Find out, before anything is resolved, that what is admitted then has a place to go.

    Shape: nothing stands there meanwhile, so that a call that is killed is in nobody's way.
    Errors: Misuse when there is a file, or none can be made.
    """
    if name is None or name == STDIO:
        return Emission(name)
    try:
        if _is_free(name):
            with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(name))):
                return Emission(name)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Misuse(
            f"--emit {show(name, max_chars=200)}: {why.lower()}",
            remedy="name a file in a directory that can be written to",
        ) from error
    raise Misuse(f"--emit {show(name, max_chars=200)}: the file exists", remedy="name a new one; nothing was judged")


def _is_free(name: str) -> bool:
    """Say whether nothing is there, not even a link that leads nowhere."""
    if not name:
        raise ValueError("the name is empty")
    try:
        os.lstat(name)
    except FileNotFoundError:
        return True
    return False


def report_stream(emit: str | None) -> TextIO:
    """Return where the report goes: not where the values go."""
    return sys.stderr if emit == STDIO else sys.stdout
