"""Put a kept delivery together again, as it stands today: edits in their places, discarded units blanked.

Pure. A blank keeps its length, so that places stay; an edit moves what follows it, and ``Placed`` knows by
how much. Neighbours: ``rejudge`` asks for it and judges the result.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pratique.boundary.delivery import Delivery, ToolCall
from pratique.limits import MAX_SEPARATOR_CHARS
from pratique.text import Span

__all__ = ["Blank", "Laid", "Placed", "placed"]

_EMPTY_LIST = re.compile(r"\[\s*+\]")


@dataclass(frozen=True, slots=True)
class Blank:
    """A unit that was discarded: it claims nothing any more."""

    span: Span
    is_ambiguous: bool
    """It was one of several payloads: its list goes too, once it is empty, so that the others can be meant."""


@dataclass(frozen=True, slots=True)
class Laid:
    """An edit in the place of a unit."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A delivery as it stands today, and where everything went."""

    delivery: Delivery
    _from: tuple[int, ...]
    _moved_by: tuple[int, ...]

    def span(self, span: Span) -> Span:
        """Return where a stretch that was not edited is now."""
        at = bisect_right(self._from, span.start) - 1
        by = self._moved_by[at] if at >= 0 else 0
        return Span(span.start + by, span.end + by)

    def laid_span(self, laid: Laid) -> Span:
        """Return where an edit is now, white space around it left out."""
        start = self.span(laid.span).start
        bare = laid.text.strip()
        start += laid.text.find(bare)
        return Span(start, start + len(bare))


def placed(delivery: Delivery, blanks: Sequence[Blank], edits: Sequence[Laid]) -> Placed:
    """Return a delivery with these edits laid over it and these units blanked; spans must not overlap.

    Shape: what stands outside the kept text is not there to be blanked or edited.

    Limits: linear in the delivery and the edits.
    """
    if not blanks and not edits:
        return Placed(delivery, (), ())
    body = _blanked(delivery.body, blanks)
    todo = sorted(edits, key=lambda edit: edit.span)
    at = len(delivery.text)
    texts, moves, by = _laid(body, Span(0, at), todo, 0)
    text, calls = texts, []
    for call in delivery.tool_calls:
        segment = Span(at + 1, at + 1 + len(call.arguments))
        at = segment.end
        arguments, moved, by = _laid(body, segment, todo, by)
        moves += moved
        if not arguments.strip() and call.arguments.strip():  # wholly discarded: there is no such call any more
            by -= len(arguments) + 1
            moves.append((segment.end, by))
        else:
            calls.append(ToolCall(call.name, arguments, call.id))
    return Placed(
        replace(delivery, text=text, tool_calls=tuple(calls)), tuple(a for a, _ in moves), tuple(b for _, b in moves)
    )


def _laid(body: str, segment: Span, edits: Sequence[Laid], by: int) -> tuple[str, list[tuple[int, int]], int]:
    """Lay the edits of one segment (the text, or one call's arguments); tell what moved, and by how much now."""
    parts: list[str] = []
    moves: list[tuple[int, int]] = []
    at = segment.start
    for edit in edits:
        if not segment.start <= edit.span.start <= edit.span.end <= segment.end:
            continue
        parts += [body[at : edit.span.start], edit.text]
        at = edit.span.end
        by += len(edit.text) - (edit.span.end - edit.span.start)
        moves.append((edit.span.end, by))
    parts.append(body[at : segment.end])
    return "".join(parts), moves, by


def _blanked(body: str, blanks: Sequence[Blank]) -> str:
    """Blank units, each with one comma beside it; a comma that stays is no harm, only noted."""
    if not blanks:
        return body
    chars = list(body)
    for blank in sorted(blanks, key=lambda blank: blank.span):
        start, end = (min(place, len(body)) for place in blank.span)
        chars[start:end] = " " * (end - start)
        comma = _comma(chars, range(end, min(end + MAX_SEPARATOR_CHARS, len(chars))))
        if comma is None:
            comma = _comma(chars, range(start - 1, max(start - 1 - MAX_SEPARATOR_CHARS, -1), -1))
        if comma is not None:
            chars[comma] = " "
    text = "".join(chars)
    starts = sorted(blank.span.start for blank in blanks if blank.is_ambiguous)
    return _EMPTY_LIST.sub(lambda found: " " * len(found[0]) if _holds(starts, found.span()) else found[0], text)


def _comma(chars: Sequence[str], places: range) -> int | None:
    """Return the first place that is no white space, if a comma stands there."""
    for place in places:
        if not chars[place].isspace():
            return place if chars[place] == "," else None
    return None


def _holds(starts: Sequence[int], span: tuple[int, int]) -> bool:
    at = bisect_right(starts, span[0])
    return at < len(starts) and starts[at] < span[1]
