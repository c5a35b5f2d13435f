"""How text of the producer and commands of ours are put on a terminal: escaped, and no wider than it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pratique.cli.quarantined.database import DEFAULT_DB
from pratique.show import escape, width

__all__ = ["block", "command", "counted", "fit", "thing"]

ELLIPSIS = "…"

MAX_BLOCK_CHARS = 4_000
"""Characters of one text shown as a block: a few screens. ``--json`` and ``export`` have all of it."""

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


def block(text: str, *, indent: str = "  ", max_chars: int = MAX_BLOCK_CHARS) -> Iterator[str]:
    """Yield a text line by line, each escaped and indented; what is beyond the limit is counted."""
    head = text[:max_chars]
    for line in head.split("\n"):
        yield indent + escape(line)
    if len(text) > len(head):
        yield f"{indent}{ELLIPSIS} ({len(text) - len(head):,} more characters; --json has them)"


def command(*words: str, db: str | None) -> str:
    """Return a command that can be pasted into a shell."""
    where = () if db in (None, DEFAULT_DB) else ("--db", str(db))
    return escape(shlex.join(["pratique", "quarantine", *words, *where]))


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def thing(index: int | None) -> str:
    """Say what a record stands for."""
    return "the whole delivery" if index is None else f"unit {index}"
