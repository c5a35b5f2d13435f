"""Judge a delivery while it is still coming: units go out as soon as nothing that follows can change them.

The verdict is the one that the whole delivery would get in one piece, and what was handed out is a part of
it. Where a rule of the contract needs the whole delivery, units wait for ``close`` (``release`` names it).

What the caller still owes: to close the stream, and to look at its admission; a unit that was handed out
says nothing about those that were lost.
"""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pratique.boundary.account import admitted_of, quarantined_of, sound_unit, stray_text
from pratique.boundary.admission import Admission, Admitted, Provisional
from pratique.boundary.admit import (
    Tally,
    admit_forgotten,
    admit_stopped,
    admit_streamed,
    admit_too_large,
    stopped_late,
    too_large,
)
from pratique.boundary.choose import first_taken
from pratique.boundary.chunk import Chunk
from pratique.boundary.delivery import Delivery, Stop, ToolCall, stop_of
from pratique.boundary.explain import explain, unit_path
from pratique.boundary.frame import RE_CLOSE_THINK, Form, Region
from pratique.boundary.guard import CONFLICT, OVER_LIMIT, Identities, refuses
from pratique.boundary.judge import check_unit, note_told, reasoning_late
from pratique.boundary.list_stream import Read
from pratique.boundary.read import Framed, read_region, refused_pieces, tool_names
from pratique.boundary.region_stream import RegionStream
from pratique.boundary.release import release_of
from pratique.boundary.scan import Kind, Piece
from pratique.boundary.validate import Outcome
from pratique.boundary.verdict import Unit
from pratique.errors import Misuse, Reason
from pratique.events import EventSink
from pratique.terms import REFERENCES, Terms
from pratique.text import OffsetMap, Span

__all__ = ["Stream"]

T = TypeVar("T")

MAX_WAITING = 1_024
"""Chunks in which nothing can end that may wait before their size is counted."""

_REFUSING = (Stop.DECLINED, Stop.FAILED, Stop.UNKNOWN)
_KEPT_UNITS = 2
"""Units from the first sound one on whose text is kept in any case: they show what the frame around them is."""


@dataclass(slots=True)
class _Call:
    """One tool call on its way."""

    name: str = ""
    id: str | None = None
    parts: list[str] = field(default_factory=list)
    done: bool = False
    reading: RegionStream | None = None
    """Its arguments, read as they come; None until it is its turn."""
    unread: list[str] = field(default_factory=list)
    units: int = 0
    """Units of it that were decided."""

    @property
    def arguments(self) -> str:
        return "".join(self.parts)


class Stream(Generic[T]):
    """Take a delivery piece by piece; hand out its units; give the verdict when it is closed.

    Push: ``feed`` each chunk, use the units it returns, then ``close``. Pull: iterate over the stream, with
    ``for`` over an iterable of chunks or ``async for`` over an async one; ``admission`` is there afterwards.

    Shape: a chunk is text, UTF-8 bytes (cut anywhere), or a ``Chunk`` of a provider's stream.
    Limits: the contract's; work is linear in the text whatever the size of the chunks.
    Errors: raises nothing on account of what the producer wrote; Misuse after ``close``, or for a chunk that
        is nothing that can be delivered.
    Not checked: whether what a unit says is true.
    """

    def __init__(
        self,
        terms: Terms[T],
        chunks: Iterable[str | bytes | Chunk] | AsyncIterable[str | bytes | Chunk] | None,
        *,
        references: Mapping[str, frozenset[str]],
        delivery: Delivery,
        provisional: bool,
        retain: bool,
        events: EventSink | None,
    ) -> None:
        self.release = release_of(terms)
        """When units are handed out: early, or at close and by which rule."""
        _require_forgettable(terms, retain=retain, early=self.release.early, provisional=provisional)
        self._terms = terms
        self._chunks = chunks
        self._references = references
        self._context = {REFERENCES: references}
        self._told = delivery
        self._events = events
        self._provisional = provisional and not self.release.early
        self._retain = retain
        self._reads = self.release.early or provisional
        self._waiting: list[str] = []
        """Chunks in which nothing can end: looked at together with the next one in which something can."""
        self._eager = False
        """The next chunk is looked at, whatever is in it."""
        self._asleep = not self._reads
        """No more units can come before the end."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._half = False
        """The last bytes broke off inside a character."""
        self._text: list[str] = []
        self._text_chars = 0
        self._bytes = 0
        self._late: list[str] = []
        """Text that came after a call began."""
        self._region = RegionStream(terms, self._context, 0)
        self._calls: list[_Call] = []
        self._turn: int | None = None
        """The call whose units come next; None before there is one, or when calls are judged at close."""
        self._identities = Identities(terms)
        self._refuse_all = bool(terms.declared_references - references.keys()) and terms.references == "refuse"
        self._plain = self.release.early and not (terms.checks or terms.unique or self._refuse_all)
        """A unit in which nothing is wrong by itself needs no other guard."""
        self._index = 0
        self._handed: list[Any] = []
        self._many = 0
        self._after_last = 0
        """The index after the last unit that was handed out."""
        self._all_sound = not (terms.declared_references - references.keys())
        self._tally = Tally()
        self._forgets = False
        self._kept = 0
        """The index of the first unit whose text need not be kept."""
        self._marked = False
        """A closing reasoning mark in text that is not kept was told."""
        self._out = 0
        """Units that were handed out before the stream was closed."""
        self._admission: Admission[T] | None = None

    # ------------------------------------------------------------------ pushing

    def feed(self, chunk: str | bytes | Chunk) -> tuple[Admitted[T] | Provisional[T], ...]:
        """Take the next chunk; return the units that it decided.

        Shape: ``Admitted`` units; ``Provisional`` ones when those were asked for and the contract holds units.
        Errors: Misuse after ``close``, or for a chunk of another type.
        """
        if type(chunk) is str:
            waiting = self._waiting
            waiting.append(chunk)
            if "}" in chunk or self._eager:
                return self._wake() if not self._asleep or len(waiting) > MAX_WAITING else ()
            return () if len(waiting) <= MAX_WAITING else self._wake()
        if self._admission is not None:
            raise Misuse("the stream is closed", remedy="make a new one with contract.stream()")
        if not isinstance(chunk, (bytes, bytearray, memoryview)) and self._half:
            self._waiting.append("")
        if self._waiting:
            return self._wake() + self.feed(chunk)
        if isinstance(chunk, Chunk):
            return self._feed_chunk(chunk)
        if isinstance(chunk, str):
            return self.feed(str.__str__(chunk))
        if isinstance(chunk, (bytes, bytearray, memoryview)):
            return self._feed_bytes(bytes(chunk))
        raise Misuse(f"cannot stream {type(chunk).__name__}", remedy="give text, UTF-8 bytes, or a Chunk")

    def close(
        self,
        *,
        finish_reason: str | None = None,
        usage: Mapping[str, int] | None = None,
        model: str | None = None,
    ) -> Admission[T]:
        """Say that no more comes; return the verdict on the whole delivery. Closing twice gives the same one.

        Shape: the admission holds the units handed out and those that were held back.
        Errors: raises nothing on account of what the producer wrote.
        """
        if self._admission is None:
            self._out = 0 if self._provisional else self._many
            self._waiting.append("")
            self._wake()
            self._tell(finish_reason, usage, model)
            self._admission = self._closed()
            self._eager, self._asleep = True, False  # the next chunk is looked at, and refused
        return self._admission

    @property
    def admission(self) -> Admission[T]:
        """The verdict, once the stream is closed.

        Errors: Misuse before.
        """
        if self._admission is None:
            raise Misuse("the stream is not closed", remedy="iterate to its end, or call close()")
        return self._admission

    # ------------------------------------------------------------------ pulling

    def __iter__(self) -> Iterator[Admitted[T] | Provisional[T]]:
        """Yield units as they are decided, then close, then yield what was held back."""
        if self._chunks is None or not isinstance(self._chunks, Iterable):
            raise Misuse("there are no chunks to iterate over", remedy="write contract.stream(chunks), or use feed()")
        for chunk in self._chunks:
            yield from self.feed(chunk)
        yield from self._held_back()

    async def __aiter__(self) -> AsyncIterator[Admitted[T] | Provisional[T]]:
        """Yield units as they are decided, then close, then yield what was held back."""
        if not isinstance(self._chunks, AsyncIterable):
            raise Misuse("the chunks are not asynchronous", remedy="iterate with for, or give an async iterable")
        async for chunk in self._chunks:
            for unit in self.feed(chunk):
                yield unit
        for unit in self._held_back():
            yield unit

    def _held_back(self) -> tuple[Admitted[T], ...]:
        admission = self.close()
        held, self._out = admission.units[self._out - admission.released :], len(admission.units) + admission.released
        return held

    # ------------------------------------------------------------------ what comes

    def _wake(self) -> tuple[Admitted[T] | Provisional[T], ...]:
        """Look at all text that waits."""
        if self._admission is not None:
            raise Misuse("the stream is closed", remedy="make a new one with contract.stream()")
        if self._half:  # what came last is no byte: the character stays broken, where it broke off
            self._half = False
            self._waiting.insert(-1, self._decoder.decode(b"", True))
        text = "".join(self._waiting)
        self._waiting.clear()
        return self._feed_text(text)

    def _feed_bytes(self, chunk: bytes) -> tuple[Admitted[T] | Provisional[T], ...]:
        self._half = False
        self._waiting.append(self._decoder.decode(chunk))
        units = self._wake()
        self._half = bool(self._decoder.getstate()[0])
        self._eager = self._eager or self._half
        return units

    def _feed_text(self, text: str) -> tuple[Admitted[T] | Provisional[T], ...]:
        if self._calls:
            self._late.append(text)
            return ()
        if not self._fits(text):
            return ()
        if not self._forgets:
            self._text.append(text)
        if not self._reads:
            return ()
        units = self._region.units
        reads = units.feed(text) if units is not None else self._region.feed(text)
        units = units or self._region.units
        if units is not None:
            self._eager, self._asleep = units.eager, units.over
        return self._passed(reads) if reads else ()

    @property
    def _is_too_large(self) -> bool:
        return self._bytes > self._terms.limits.max_bytes

    def _fits(self, text: str) -> bool:
        """Count the bytes of what comes; past the limit nothing more is read or kept."""
        self._bytes += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        self._reads = self._reads and not self._is_too_large
        return not self._is_too_large

    def _feed_chunk(self, chunk: Chunk) -> tuple[Admitted[T] | Provisional[T], ...]:
        self._tell(chunk.finish_reason, chunk.usage, chunk.model)
        units: tuple[Admitted[T] | Provisional[T], ...] = ()
        if chunk.text:
            units = self._feed_text(chunk.text)
        if chunk.call is None:
            return units
        return units + self._feed_call(chunk)

    def _tell(self, finish_reason: str | None, usage: Mapping[str, int] | None, model: str | None) -> None:
        """Keep what the provider told; a refusal that was told is not undone by what is told after it."""
        told = self._told
        if finish_reason is not None and stop_of(told.finish_reason) not in _REFUSING:
            told = replace(told, finish_reason=finish_reason)
        if usage:
            told = replace(told, usage={**told.usage, **usage})
        if model is not None and told.model is None:
            told = replace(told, model=model)
        self._told = told

    # ------------------------------------------------------------------ tool calls

    def _feed_call(self, chunk: Chunk) -> tuple[Admitted[T] | Provisional[T], ...]:
        number = chunk.call
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= len(self._calls):
            raise Misuse(
                f"call {number!r} cannot come now", remedy=f"number the calls from 0; {len(self._calls)} is next"
            )
        if not self._calls and not self._forgets:
            self._retain = True  # arguments are short: nothing of them need be forgotten
        if not self._calls and self._reads and not self._text_is_taken():
            self._turn = 0
        if number == len(self._calls):
            self._calls.append(_Call())
            self._bytes += 1  # the line end that parts its arguments from what stands before
        call = self._calls[number]
        if call.done and chunk.arguments:
            self._late.append(chunk.arguments)  # it was said to be whole, and places behind it are given out
            return ()
        call.name = call.name or chunk.name
        call.id = call.id or chunk.id
        call.done = call.done or chunk.done
        if chunk.arguments and self._fits(chunk.arguments):
            call.parts.append(chunk.arguments)
            call.unread.append(chunk.arguments)
        if not self._reads or self._turn is None:
            return ()
        if self._late and not self._many:
            self._turn = None  # places would move: judged at close
            return ()
        return self._take_turns()

    def _text_is_taken(self) -> bool:
        """Say whether the text before the first call holds the payload that is meant; then no call counts."""
        text = "".join(self._text)
        if self._many or "{" not in text:
            return bool(self._many)
        region = Region(text, 1 if text.startswith("\ufeff") else 0, len(text))
        return first_taken(self._terms, [read_region(region, self._terms, self._context)]) is not None

    def _take_turns(self) -> tuple[Admitted[T] | Provisional[T], ...]:
        """Read the calls in their order, each as far as its arguments are there."""
        units: tuple[Admitted[T] | Provisional[T], ...] = ()
        while self._turn is not None and self._turn < len(self._calls):
            call = self._calls[self._turn]
            if not call.name and not call.done:
                break  # its tool is not known yet
            new = "".join(call.unread)
            call.unread.clear()
            if call.reading is None and call.name in tool_names(self._terms):
                base = sum(map(len, self._text)) + 1
                base += sum(len(before.arguments) + 1 for before in self._calls[: self._turn])
                call.reading = RegionStream(self._terms, self._context, base)
            if call.reading is not None:
                units += self._of_call(call, call.reading.feed(new))
            if not call.done:
                break
            units += self._of_call(call, self._whole_call(call)[call.units :])
            self._turn += 1
        return units

    def _of_call(self, call: _Call, reads: list[Read]) -> tuple[Admitted[T] | Provisional[T], ...]:
        call.units += len(reads)
        return self._passed(reads)

    def _whole_call(self, call: _Call) -> list[Read]:
        """Read all units of a call whose arguments are all there."""
        body = Delivery(text="".join(self._text), tool_calls=self._tool_calls()).body
        start = sum(map(len, self._text)) + 1
        start += sum(len(before.arguments) + 1 for before in self._calls[: self._calls.index(call)])
        region = Region(body, start, start + len(call.arguments), tool=call.name)
        reads = []
        for framed in read_region(region, self._terms, self._context).frames:
            refused_pieces(framed, self._terms)
            for piece in framed.pieces:
                assert piece.outcome is not None  # ``refused_pieces`` gave every piece one
                span = framed.region.span(piece.start, piece.end)
                reads.append(Read(None, piece.outcome, span, body[slice(*span)], ""))
        return reads

    def _tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(call.name, call.arguments, call.id) for call in self._calls)

    # ------------------------------------------------------------------ units

    def _passed(self, reads: list[Read]) -> tuple[Admitted[T] | Provisional[T], ...]:
        """Put units through the guards that look at one unit at a time; return those that passed."""
        out: list[Admitted[T] | Provisional[T]] = []
        limit = self._terms.limits.max_items
        for value, outcome, span, raw, before in reads:
            if outcome is None and self._plain and self._many < limit and (self._retain or self._is_forgotten(before)):
                out.append(sound_unit(self._terms, value, self._index, span, raw))
                if self._retain:
                    self._handed.append(value)
                self._index = self._after_last = self._index + 1
                self._many += 1
                continue
            unit = _unit_of(outcome or Outcome(value), span, raw, self._index)
            self._index += 1
            if self._provisional:
                if unit.reason is None:
                    out.append(Provisional(unit.outcome.value, unit.index, span, raw))
                continue
            if not self._retain:
                self._forget(unit, raw, before)
            self._guard(unit)
            if unit.reason is None:
                out.append(self._hand_out(unit))
            else:
                self._all_sound = False
                self._refused(unit)
        return tuple(out)

    def _guard(self, unit: Unit) -> None:
        terms = self._terms
        if unit.outcome.problems or unit.outcome.edits:
            explain(terms, unit)
        if unit.reason is None and (terms.checks or self._refuse_all):
            check_unit(terms, unit, refuse_all=self._refuse_all)
        if unit.reason is None and terms.unique:
            claimed = self._identities.claim(unit.outcome.value, unit.index)
            if claimed is not None:
                unit.reason = Reason.CONFLICT
                told = f"{claimed[0]} is claimed by unit {claimed[1]} too"
                unit.tell(CONFLICT.finding(told, path=unit_path(terms, unit.index), span=unit.span))
        if unit.reason is None and self._many >= terms.limits.max_items:
            unit.reason = Reason.OVER_LIMIT
            told = f"more than {terms.limits.max_items} sound units"
            unit.tell(OVER_LIMIT.finding(told, path=unit_path(terms, unit.index), span=unit.span))

    def _hand_out(self, unit: Unit) -> Admitted[T]:
        self._many += 1
        self._after_last = unit.index + 1
        if unit.findings or unit.outcome.edits:
            self._all_sound = False
            self._tally.noted = self._tally.noted or refuses(unit.findings)
        if self._retain:
            self._handed.append(unit.outcome.value)
        return admitted_of(unit, self._terms, _text_of(unit))

    # ------------------------------------------------------------------ what is not kept

    def _forget(self, unit: Unit, raw: str, before: str) -> None:
        """Keep the text of the first sound units and all before them; tell what no unit claims after that."""
        if not self._forgets:
            if unit.outcome.reason is None:  # from here on the payload is taken, whatever follows
                self._forgets = True
                self._text = ["".join(self._text)[: unit.span.end]]
                self._kept = unit.index + _KEPT_UNITS
            return
        if unit.index < self._kept and unit.outcome.reason is None:
            self._text += (before, raw)
            return
        self._kept = min(self._kept, unit.index)
        self._stray(before, unit.span.start - len(before))
        mark = None if unit.outcome.text or unit.reason is None else RE_CLOSE_THINK.search(raw)
        if mark is not None and not self._marked:
            self._marked = True
            place = Span(unit.span.start + mark.start(), unit.span.start + mark.end())
            self._tally.findings.append(reasoning_late(place))

    def _is_forgotten(self, before: str) -> bool:
        """Say whether nothing need be kept of a unit, nor told of what stands before it."""
        return self._forgets and self._index >= self._kept and before.strip() in ("", ",")

    def _stray(self, gap: str, base: int) -> None:
        stray, findings = stray_text(self._terms, gap, base)
        room = self._terms.limits.max_quarantined
        self._tally.unclaimed += stray[: max(0, room - len(self._tally.unclaimed))]
        self._tally.findings += findings[: max(0, room - len(self._tally.findings))]

    def _refused(self, unit: Unit) -> None:
        if not self._retain and len(self._tally.quarantined) < self._terms.limits.max_quarantined:
            self._tally.quarantined.append(quarantined_of(unit, _text_of(unit)))

    # ------------------------------------------------------------------ the end

    def _closed(self) -> Admission[T]:
        text = "".join(self._text)
        calls = self._tool_calls()
        late = "".join(self._late)
        if late and self._many and late.strip():
            calls = (*calls, ToolCall("", late))  # units of calls are out: their places must not move
        elif not self._many:
            text += late
        delivery = replace(self._told, text=text, tool_calls=calls)
        units = self._region.units
        if self._forgets and units is not None:
            return self._forgotten(delivery)
        if self._is_too_large or delivery.stop in _REFUSING:
            if self._many and not self._provisional:
                out = (self._many, self._after_last)
                return admit_stopped(self._terms, delivery, self._references, out, self._bytes, self._events)
            if self._is_too_large:
                return admit_too_large(self._terms, delivery, self._bytes, self._events)
            return admit_streamed(self._terms, delivery, self._references, None, self._events)
        known = None
        if units is not None and units.over and units.is_regular and self._all_sound and self._many == self._index:
            known = (self._handed, units.end)
        return admit_streamed(self._terms, delivery, self._references, known, self._events)

    def _forgotten(self, delivery: Delivery) -> Admission[T]:
        """Judge a stream whose units were not kept: what is left of its text, and the tally."""
        units, tally = self._region.units, self._tally
        assert units is not None
        reads, done, tail = units.finish()
        stopped = self._is_too_large or delivery.stop in _REFUSING
        passed = () if stopped else self._passed(reads)
        last = [unit for unit in passed if isinstance(unit, Admitted)]
        kept = "".join(self._text)
        if reads and not stopped and reads[-1].outcome and reads[-1].outcome.reason is Reason.TRUNCATED:
            tally.cut_inside = self._index - 1
        if self._is_too_large:
            tally.findings += [too_large(self._terms, self._bytes), stopped_late(self._out)]
        gap = units.text[units.ended : done.end]
        self._stray(gap, units.base + units.ended)
        tally.seen, tally.released, tally.cut = self._index, self._out, done.cut
        tally.findings += [
            note_told(code, code.title, span) for code, span in [*units.notes, *done.notes] if span.start >= len(kept)
        ]
        closing = "]" if done.closed and units.bracketed else ""
        dropped = (len(kept), units.base + done.end - len(kept) - len(closing))
        left = replace(delivery, text=kept + closing + tail)
        return admit_forgotten(self._terms, left, self._references, tally, (last, dropped), self._events)


def _unit_of(outcome: Outcome, span: Span, raw: str, index: int) -> Unit:
    """Make a unit of what a stream has read; its own text is the region that its places count in."""
    region = Region(raw, 0, len(raw), OffsetMap([(0, span.start)]))
    piece = Piece(Kind.SOUND, 0, len(raw), outcome)
    framed = Framed(Form.LIST, region, 0, len(raw), [piece], None, True, False, False)
    return Unit(framed, piece, outcome, index, reason=outcome.reason)


def _text_of(unit: Unit) -> Callable[[Span], str]:
    """Return what gives the text at a place in the delivery, near a unit."""
    region = unit.framed.region
    base = region.source(0)
    return lambda span: region.text[span.start - base : span.end - base]


def _require_forgettable(terms: Terms[Any], *, retain: bool, early: bool, provisional: bool) -> None:
    """Refuse to forget what a rule of the contract still needs."""
    if retain:
        return
    release = release_of(terms)
    if not early:
        raise Misuse(f"nothing can be forgotten before the delivery is closed: {release}", remedy=release.remedy)
    if terms.list_rules is not None:
        raise Misuse("the rules on the list as a whole need all its units", remedy="stream with retain=True")
    if provisional:
        raise Misuse("units that are handed out early are not provisional", remedy="leave provisional out")
