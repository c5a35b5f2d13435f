"""What an edit changes, as a unified diff; all text escaped."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from pratique.cli.terminal import Terminal
from pratique.show import escape

__all__ = ["difference"]

MAX_DIFF_LINES = 2_000
"""Lines of one text that are compared: comparing takes up to the square of it."""

MAX_SHOWN_LINES = 60
"""Lines of the diff that are printed: a screen or two; the rest is counted."""

MAX_LINE_CHARS = 1_000
"""Characters of one line that are printed; a unit is often one line, so it is not cut to the terminal's width."""

_CONTEXT = 2


def difference(before: str, after: str, *, name: str, terminal: Terminal) -> Iterator[str]:
    """Yield what stands in only one of two texts, line by line.

    Limits: MAX_DIFF_LINES of each text, MAX_SHOWN_LINES of MAX_LINE_CHARS of the answer.
    """
    old, new = before.split("\n"), after.split("\n")
    if len(old) > MAX_DIFF_LINES or len(new) > MAX_DIFF_LINES:
        yield f"{len(old):,} lines became {len(new):,}: too many to compare here"
        return
    lines = [*difflib.unified_diff(old, new, escape(name), "edit", lineterm="", n=_CONTEXT)]
    if not lines:
        yield f"the edit is the same as the {escape(name)}"
    for number, line in enumerate(lines[:MAX_SHOWN_LINES]):
        shown = escape(line[:MAX_LINE_CHARS]) + ("…" if len(line) > MAX_LINE_CHARS else "")
        if number < 2 or line.startswith("@@"):
            yield terminal.paint(shown, "frame")
        else:
            yield terminal.paint(shown, {"+": "good", "-": "refuse"}[line[0]]) if line[0] in "+-" else shown
    if len(lines) > MAX_SHOWN_LINES:
        yield f"{len(lines) - MAX_SHOWN_LINES:,} more lines"
