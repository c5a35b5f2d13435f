"""Judge a delivery while it is still coming: units go out as soon as nothing that follows can change them.

The verdict is the one that the whole delivery would get in one piece, and what was handed out is a part of
it. Where a rule of the contract needs the whole delivery, units wait for ``close`` (``release`` names it).

What the caller still owes: to close the stream, and to look at its admission; a unit that was handed out
says nothing about those that were lost.
"""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from blake3 import blake3

from pratique.boundary.admission import Admission, Admitted, Provisional
from pratique.boundary.admit import (
    admit_forgotten,
    admit_stopped,
    admit_streamed,
    admit_too_large,
    stopped_late,
    too_large,
)
from pratique.boundary.call_stream import CallStreams
from pratique.boundary.choose import first_taken
from pratique.boundary.chunk import Chunk
from pratique.boundary.delivery import REFUSING, Delivery, ToolCall, stop_of
from pratique.boundary.frame import Region
from pratique.boundary.gate import Gate
from pratique.boundary.list_stream import ListStream, Read
from pratique.boundary.read import read_region
from pratique.boundary.region_stream import RegionStream
from pratique.boundary.release import release_of
from pratique.boundary.remains import Remains
from pratique.errors import Misuse
from pratique.events import EventSink
from pratique.terms import REFERENCES, Terms

__all__ = ["Stream"]

T = TypeVar("T")

MAX_WAITING = 1_024
"""Chunks in which nothing can end that may wait before their size is counted."""


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
        self._bytes = 0
        self._late: list[str] = []
        """Text that came after a call began, or after it was said to be whole."""
        self._region = RegionStream(terms, self._context, 0)
        self._calls: CallStreams | None = None
        self._gate = Gate(terms, references, keeps=retain)
        self._remains = None if retain else Remains(terms)
        """What is kept of units that are not; None when all is kept."""
        self._hash = blake3()
        self._hashed_bytes = 0
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
            self._out = 0 if self._provisional else self._gate.admitted
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
        if not self._fits(text):
            return ()
        if self._calls is not None:
            self._late.append(text)
            return ()
        if self._remains is not None:
            self._measure(text)
        if self._remains is None or self._remains.text is None:
            self._text.append(text)
        if not self._reads:
            return ()
        units = self._region.units
        reads = units.feed(text) if units is not None else self._region.feed(text)
        units = units or self._region.units
        if units is not None:
            self._eager, self._asleep = units.eager, units.over
        return self._passed(reads) if reads else ()

    def _measure(self, text: str) -> None:
        """Take text that may be forgotten into the digest of the whole."""
        raw = text.encode("utf-8", "surrogatepass")
        self._hash.update(raw)
        self._hashed_bytes += len(raw)

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
        if finish_reason is not None and stop_of(told.finish_reason) not in REFUSING:
            told = replace(told, finish_reason=finish_reason)
        if usage:
            told = replace(told, usage={**told.usage, **usage})
        if model is not None and told.model is None:
            told = replace(told, model=model)
        self._told = told

    # ------------------------------------------------------------------ tool calls

    def _feed_call(self, chunk: Chunk) -> tuple[Admitted[T] | Provisional[T], ...]:
        if self._calls is None:
            if self._remains is not None and self._remains.text is None:
                self._remains = None  # arguments are short: nothing of them need be forgotten
                self._gate.keeps = True
            reads = self._reads and not self._text_is_taken()
            self._calls = CallStreams(self._terms, self._context, sum(map(len, self._text)) + 1, reads=reads)
        calls = self._calls
        if chunk.call == len(calls):
            self._bytes += 1  # the line end that parts its arguments from what stands before
        if not self._fits(chunk.arguments):
            return ()
        if not calls.take(chunk):
            self._late.append(chunk.arguments)  # places behind that call may be given out
            return ()
        calls.reads = calls.reads and self._reads and not (self._late and not self._gate.admitted)
        units: tuple[Admitted[T] | Provisional[T], ...] = ()
        for decided in calls.units():
            units += self._passed(decided)
        return units

    def _text_is_taken(self) -> bool:
        """Say whether the text before the first call holds the payload that is meant; then no call counts."""
        text = "".join(self._text)
        if self._gate.admitted or "{" not in text:
            return bool(self._gate.admitted)
        region = Region(text, 1 if text.startswith("\ufeff") else 0, len(text))
        return first_taken(self._terms, [read_region(region, self._terms, self._context)]) is not None

    # ------------------------------------------------------------------ units

    def _passed(self, reads: list[Read]) -> tuple[Admitted[T] | Provisional[T], ...]:
        """Put units through the guards that look at one unit at a time; return those that passed."""
        out: list[Admitted[T] | Provisional[T]] = []
        gate, remains = self._gate, self._remains
        for read in reads:
            plain = read.outcome is None and not self._provisional and gate.is_open
            if plain and (remains is None or remains.is_over(gate.seen, read.before)):
                out.append(gate.admit_sound(read))
                continue
            unit = gate.unit_of(read)
            if self._provisional:
                if unit.reason is None:
                    out.append(Provisional(unit.outcome.value, unit.index, read.span, read.raw))
                continue
            if remains is not None:
                remains.take(unit, read, self._text)
            admitted = gate.admit(unit)
            if admitted is not None:
                out.append(admitted)
            elif remains is not None:
                remains.refuse(unit)
        return tuple(out)

    # ------------------------------------------------------------------ the end

    def _closed(self) -> Admission[T]:
        delivery, gate, units = self._whole_delivery(), self._gate, self._region.units
        if self._remains is not None and self._remains.text is not None and units is not None:
            return self._forgotten(delivery, self._remains, units)
        if self._is_too_large or delivery.stop in REFUSING:
            if gate.admitted and not self._provisional:
                out = (gate.admitted, gate.after_last)
                return admit_stopped(self._terms, delivery, self._references, out, self._bytes, self._events)
            if self._is_too_large:
                return admit_too_large(self._terms, delivery, self._bytes, self._events)
        known = None
        sound = units is not None and units.over and units.is_regular and gate.all_clean
        if units is not None and sound and gate.admitted == gate.seen:
            known = (gate.values, units.end)
        return admit_streamed(self._terms, delivery, self._references, known, self._events)

    def _whole_delivery(self) -> Delivery:
        """Put together what came; text that came late moves no unit that was handed out."""
        text, late = "".join(self._text), "".join(self._late)
        calls = self._calls.calls() if self._calls is not None else ()
        if late.strip() and self._gate.admitted:
            calls = (*calls, ToolCall("", late))
        elif not self._gate.admitted:
            text += late
        return replace(self._told, text=text, tool_calls=calls)

    def _forgotten(self, delivery: Delivery, remains: Remains, units: ListStream) -> Admission[T]:
        """Judge a stream whose units were not kept: what remains of it, and the tally."""
        stopped = self._is_too_large or delivery.stop in REFUSING
        reads, done = units.finish()
        passed = () if stopped else self._passed(reads)
        last = [unit for unit in passed if isinstance(unit, Admitted)]
        text, dropped = remains.close(units, done, reads[-1] if reads and not stopped else None, self._gate.seen - 1)
        tally = remains.tally
        tally.seen, tally.released, tally.noted = self._gate.seen, self._out, self._gate.noted
        if self._is_too_large:
            tally.findings += [too_large(self._terms, self._bytes), stopped_late(self._out)]
        left = (last, (len(remains.text or ""), dropped))
        for call in delivery.tool_calls:
            self._measure("\n" + call.arguments)
        measured = ("b3:" + self._hash.hexdigest(), max(self._hashed_bytes, self._bytes))
        return admit_forgotten(
            self._terms, replace(delivery, text=text), self._references, tally, left, measured, self._events
        )


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
