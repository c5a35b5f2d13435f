"""Read the tool calls of a stream in their order, each as far as its arguments are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pratique.boundary.chunk import Chunk
from pratique.boundary.delivery import ToolCall
from pratique.boundary.frame import Region
from pratique.boundary.list_stream import Read
from pratique.boundary.read import read_region, refused_pieces
from pratique.boundary.region_stream import RegionStream
from pratique.errors import Misuse
from pratique.terms import Terms
from pratique.text import Span

__all__ = ["CallStreams"]


@dataclass(slots=True)
class _Call:
    """One tool call on its way."""

    name: str = ""
    id: str | None = None
    arguments: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    done: bool = False
    reading: RegionStream | None = None
    """Its list of units, read as it comes; None until it is its turn, or when the whole call is one unit."""
    units: int = 0
    """Units of it that were decided."""


class CallStreams:
    """Collect the calls of a delivery; read those whose units can be told before the end.

    Units: ``base`` is where the next call's arguments begin in the delivery's body.
    """

    def __init__(self, terms: Terms[Any], context: Mapping[str, Any], base: int, *, reads: bool) -> None:
        self.reads = reads
        """Whether units come before the end; False: the calls are judged when all of them are there."""
        self._terms = terms
        self._context = context
        self._base = base
        self._calls: list[_Call] = []
        self._turn = 0
        """The call whose units come next."""

    def __len__(self) -> int:
        return len(self._calls)

    def take(self, chunk: Chunk) -> bool:
        """Take a fragment of a call; False when it comes after its call was said to be whole.

        Errors: Misuse for a call that cannot come now.
        """
        number = chunk.call
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= len(self._calls):
            raise Misuse(
                f"call {number!r} cannot come now", remedy=f"number the calls from 0; {len(self._calls)} is next"
            )
        if number == len(self._calls):
            self._calls.append(_Call())
        call = self._calls[number]
        if call.done and chunk.arguments:
            return False
        call.name = call.name or chunk.name
        call.id = call.id or chunk.id
        call.done = call.done or chunk.done
        call.arguments.append(chunk.arguments)
        call.unread.append(chunk.arguments)
        return True

    def units(self) -> Iterator[list[Read]]:
        """Yield the units that are decided by now, call after call."""
        while self.reads and self._turn < len(self._calls):
            call = self._calls[self._turn]
            if not call.name and not call.done:
                return  # its tool is not known yet
            if call.reading is None and self._terms.is_whole_tool(call.name):
                call.reading = RegionStream(self._terms, self._context, self._base)
            if call.reading is not None:
                reads = call.reading.feed("".join(call.unread))
                call.units += len(reads)
                yield reads
            call.unread.clear()
            if not call.done:
                return
            yield self._whole(call)[call.units :]
            self._base += sum(map(len, call.arguments)) + 1
            self._turn += 1

    def calls(self) -> tuple[ToolCall, ...]:
        """Return all calls as they are now."""
        return tuple(ToolCall(call.name, "".join(call.arguments), call.id) for call in self._calls)

    def _whole(self, call: _Call) -> list[Read]:
        """Read all units of a call whose arguments are all there."""
        text = "".join(call.arguments)
        reads = []
        for framed in read_region(Region(text, 0, len(text), tool=call.name), self._terms, self._context).frames:
            refused_pieces(framed, self._terms)
            for piece in framed.pieces:
                assert piece.outcome is not None  # ``refused_pieces`` gave every piece one
                start, end = framed.region.span(piece.start, piece.end)
                place = Span(self._base + start, self._base + end)
                reads.append(Read(None, piece.outcome, place, text[start:end], ""))
        return reads
