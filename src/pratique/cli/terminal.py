"""What may be printed where: width and colour."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

__all__ = ["MAX_LINE_CELLS", "Terminal", "terminal_of"]

MAX_LINE_CELLS = 120
"""A source line is windowed to the terminal, and to this where there is none or it is wider."""

MIN_LINE_CELLS = 30
"""Narrower than this no window shows anything."""

_STYLES = {"refuse": "1;31", "note": "1;36", "frame": "1;34", "strong": "1", "escape": "7", "good": "1;32"}


@dataclass(frozen=True, slots=True)
class Terminal:
    """Say how wide a line may be, and whether it may have colour."""

    max_cells: int = MAX_LINE_CELLS
    colour: bool = False

    def paint(self, text: str, style: str) -> str:
        """Return ``text`` in a style, or as it is where there is no colour."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour and text else text


def terminal_of(stream: TextIO, *, no_color: bool, environ: Mapping[str, str] | None = None) -> Terminal:
    """Look at a stream and the environment.

    Source: no-color.org and force-color.org: a variable counts when it is not empty.
    """
    environ = os.environ if environ is None else environ
    tty = stream.isatty()
    columns = shutil.get_terminal_size((MAX_LINE_CELLS, 0)).columns if tty else MAX_LINE_CELLS
    return Terminal(
        max_cells=max(MIN_LINE_CELLS, min(columns, MAX_LINE_CELLS)),
        colour=not no_color and _may_colour(tty, environ),
    )


def _may_colour(tty: bool, environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (tty and environ.get("TERM") != "dumb")
