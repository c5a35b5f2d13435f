"""One source line with a mark under the exact place, in terminal cells.

The line is the producer's text: each character is escaped first, and cells are counted on what is
printed. A long line is cut to a window around the mark, with ``…`` where text was left out; work is
bounded by the window, however long the line is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pratique.show import escape, width
from pratique.text import Lines, Span

__all__ = ["Excerpt", "excerpt"]

TAB = "    "
"""A tab in a line's indentation, as printed. A tab elsewhere is printed as an escape: there it matters."""

MAX_INDENT_CHARS = 200
ELLIPSIS = "…"


class Cell(NamedTuple):
    """One character of the source as it is printed."""

    text: str
    cells: int
    escaped: bool


class Excerpt(NamedTuple):
    """One source line and the mark below it."""

    line: int
    """Number of the line, from 1."""
    pieces: tuple[tuple[str, bool], ...]
    """The printed line, in stretches; True: an escape of ours stands for what was written."""
    indent: int
    """Cells before the mark."""
    mark: int
    """Cells of the mark, at least 1."""

    @property
    def source(self) -> str:
        """The printed line."""
        return "".join(text for text, _ in self.pieces)

    @property
    def marker(self) -> str:
        """The line below it."""
        return " " * self.indent + "^" * self.mark


def excerpt(lines: Lines, span: Span, *, max_cells: int) -> Excerpt:
    """Show the line where ``span`` starts, and mark the part of the span that is on it.

    Units: ``max_cells`` bounds the printed line, without a gutter.
    Shape: a span that goes on below the line is marked at its first character only.
    """
    text = lines.text
    line = lines.position(min(span.start, len(text))).line
    whole = lines.line_span(line)
    start = min(max(span.start, whole.start), whole.end)
    end = min(span.end, whole.end) if not goes_on(lines, span) else start + 1
    while start > whole.start and start < whole.end and not _cell(text, start, whole).cells:
        start -= 1  # a combining mark stands in the cell of what it combines with
    end = max(end, start)
    first, last = _window(text, whole, start, max_cells)
    before = [_cell(text, at, whole) for at in range(first, start)]
    inside = [_cell(text, at, whole) for at in range(start, min(end, last))]
    after = [_cell(text, at, whole) for at in range(min(end, last), last)]
    left = [Cell(ELLIPSIS, 1, False)] if first > whole.start else []
    right = [Cell(ELLIPSIS, 1, False)] if last < whole.end else []
    indent = _cells([*left, *before])
    mark = _cells(inside) + (1 if end > last else 0)
    return Excerpt(line, _pieces([*left, *before, *inside, *after, *right]), indent, max(1, mark))


def goes_on(lines: Lines, span: Span) -> bool:
    """Tell whether a span reaches into a later line."""
    start = min(span.start, len(lines.text))
    line_end = lines.line_span(lines.position(start).line).end
    behind = line_end + 2  # a CRLF
    return span.end > behind or bool(lines.text[line_end : span.end].strip("\r\n"))


def _window(text: str, whole: Span, start: int, max_cells: int) -> tuple[int, int]:
    """Choose the stretch of a line that fits, with about a third of it before the mark."""
    if whole.end - whole.start <= 2 * max_cells:
        room = 1 if start == whole.end else 0  # a mark behind the end needs a cell too
        if _cells(_cell(text, at, whole) for at in range(whole.start, whole.end)) + room <= max_cells:
            return whole
    room = max_cells - 2  # one ellipsis on each side
    right = _reach(text, whole, start, room)
    first, used = start, 0
    budget = max(room // 3, room - _cells(_cell(text, at, whole) for at in range(start, right)))
    if start == whole.end:
        budget -= 1
    while first > whole.start and start - first < max_cells:
        cells = _cell(text, first - 1, whole).cells
        if used + cells > budget:
            break
        used += cells
        first -= 1
    while first < start and not _cell(text, first, whole).cells:
        first += 1
    return first, _reach(text, whole, start, room - used)


def _reach(text: str, whole: Span, start: int, cells: int) -> int:
    """Return how far to the right of ``start`` a number of cells goes."""
    at = start
    while at < whole.end and at - start < 2 * MAX_INDENT_CHARS:
        cells -= _cell(text, at, whole).cells
        if cells < 0:
            break
        at += 1
    return at


def _cell(text: str, at: int, whole: Span) -> Cell:
    char = text[at]
    if char == "\t" and at - whole.start < MAX_INDENT_CHARS and not text[whole.start : at].strip(" \t"):
        return Cell(TAB, len(TAB), False)
    shown = escape(char)
    return Cell(shown, width(shown), shown != char)


def _cells(cells: Iterable[Cell]) -> int:
    return sum(cell.cells for cell in cells)


def _pieces(cells: Iterable[Cell]) -> tuple[tuple[str, bool], ...]:
    pieces: list[tuple[str, bool]] = []
    for cell in cells:
        if pieces and pieces[-1][1] == cell.escaped:
            pieces[-1] = (pieces[-1][0] + cell.text, cell.escaped)
        else:
            pieces.append((cell.text, cell.escaped))
    return tuple(pieces)
