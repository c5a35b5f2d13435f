"""A table of text for a terminal: columns as wide as what stands in them, numbers to the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pratique.show import escape

__all__ = ["table"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table; ``right`` names the columns that stand at their right border."""
    cells = [list(map(escape, row)) for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        parts = (
            f"{cell:>{width}}" if name in right else f"{cell:<{width}}"
            for name, cell, width in zip(head, row, widths, strict=True)
        )  # fmt: skip
        yield "  ".join(parts).rstrip()
