"""How text of the producer and commands of ours are put on a terminal: escaped, and no wider than it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pratique.show import escape, width

__all__ = ["block", "command", "counted", "fit", "thing"]

ELLIPSIS = "…"

MAX_BLOCK_CHARS = 4_000
"""Characters of one text shown as a block: a few screens. ``--json`` and ``export`` have all of it."""

MAX_BLOCK_LINES = 100
"""Lines of one text shown as a block: a few screens, too; a text of line ends alone would fill forty."""

SHORT_ID_CHARS = 10
"""Characters of a record's id in a list: ``u-`` and 32 bits. Should two begin alike, the answer says so."""


def fit(text: str, max_cells: int) -> str:
    """Escape a text and cut it to a number of terminal cells; the work is bounded by them."""
    head = text[: 4 * max_cells]
    shown = escape(head)
    if len(head) == len(text) and width(shown) <= max_cells:
        return shown
    kept: list[str] = []
    room = max_cells - 1
    for char in head:
        cell = escape(char)
        room -= width(cell)
        if room < 0:
            break
        kept.append(cell)
    return "".join(kept) + ELLIPSIS


def block(
    text: str,
    *,
    indent: str = "  ",
    max_chars: int = MAX_BLOCK_CHARS,
    max_lines: int = MAX_BLOCK_LINES,
    whole: str = "--json has them",
) -> Iterator[str]:
    """Yield a text line by line, each escaped and indented; what is beyond the limits is counted.

    Shape: ``whole`` says how to see all of it.
    """
    lines = text[:max_chars].split("\n", max_lines)[:max_lines]
    for line in lines:
        yield indent + escape(line)
    shown = sum(map(len, lines)) + len(lines) - 1
    if len(text) > shown:
        more = text.count("\n") + 1 - len(lines)
        left = [counted(more, "more line")] if more else []
        left.append(counted(len(text) - shown, "more character"))
        yield f"{indent}{ELLIPSIS} ({', '.join(left)}; {whole})"


def command(*words: str, db: str | None) -> str:
    """Return a command that can be pasted into a shell; a file that was named is named in it."""
    where = () if db is None else ("--db", db)
    return escape(shlex.join(["pratique", "quarantine", *words, *where]))


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def thing(index: int | None) -> str:
    """Say what a record stands for."""
    return "the whole delivery" if index is None else f"unit {index}"
