"""Text with places: spans, lines and columns, and the way back from decoded text to the delivery.

All offsets are code points into the delivery's text. Line and column count from 1; a line ends at LF,
CRLF or CR, as editors count.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

__all__ = ["Lines", "OffsetMap", "Position", "Span", "decode_json_string"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_PLAIN_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Span(NamedTuple):
    """Mark a half-open stretch of text, in code points."""

    start: int
    end: int

    def __contains__(self, offset: object) -> bool:
        return isinstance(offset, int) and self.start <= offset < self.end


class Position(NamedTuple):
    """Give a place as people count it: line and column, from 1."""

    line: int
    column: int


class Lines:
    """Find line and column of an offset; the index is built on first use."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None

    def _index(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(found.end() for found in _LINE_END.finditer(self.text))]
        return self._starts

    def position(self, offset: int) -> Position:
        """Return the line and column of ``offset``; the end of the text is a valid offset."""
        starts = self._index()
        line = bisect_right(starts, offset) - 1
        return Position(line + 1, offset - starts[line] + 1)

    def line_span(self, line: int) -> Span:
        """Return the span of line number ``line`` without its line end."""
        starts = self._index()
        start = starts[line - 1]
        end = starts[line] if line < len(starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)


class OffsetMap:
    """Lead offsets of decoded text back to the text it was decoded from.

    Shape: anchors are (decoded offset, source offset) where the two stop running in step.
    """

    __slots__ = ("_decoded", "_source")

    def __init__(self, anchors: list[tuple[int, int]]) -> None:
        self._decoded = [decoded for decoded, _ in anchors]
        self._source = [source for _, source in anchors]

    def source(self, offset: int) -> int:
        """Return the source offset of a decoded offset."""
        at = bisect_right(self._decoded, offset) - 1
        return self._source[at] + (offset - self._decoded[at])


def decode_json_string(text: str, start: int, end: int) -> tuple[str, OffsetMap] | None:
    """Decode the body of a JSON string, keeping the way back to its source.

    Shape: ``text[start:end]`` is what stands between the quotes.
    Errors: None when an escape is not JSON's or would make a lone surrogate.
    Source: RFC 8259 section 7.
    """
    parts: list[str] = []
    anchors = [(0, start)]
    decoded = 0
    at = start
    while True:
        slash = text.find("\\", at, end)
        stop = end if slash < 0 else slash
        parts.append(text[at:stop])
        decoded += stop - at
        if slash < 0:
            return "".join(parts), OffsetMap(anchors)
        found = _ESCAPE.match(text, slash, end)
        if found is None:
            return None
        at = found.end()
        if found[2]:
            char = _PLAIN_ESCAPES[found[2]]
        else:
            unit = int(found[1], 16)
            if 0xD800 <= unit < 0xDC00:
                low = _ESCAPE.match(text, at, end)
                if low is None or not low[1] or not 0xDC00 <= int(low[1], 16) < 0xE000:
                    return None
                unit = 0x10000 + ((unit - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
                at = low.end()
            elif 0xDC00 <= unit < 0xE000:
                return None
            char = chr(unit)
        parts.append(char)
        decoded += 1
        anchors.append((decoded, at))
