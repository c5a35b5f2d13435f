"""Read one region: every frame in it, its units and its envelope, sound or not.

Here ``frame``, ``document``, ``scan``, ``repair`` and ``validate`` are joined for one stretch of text. What
comes out are readings, not yet a verdict: which frame is meant, and what units mean to each other, is for
``admit`` and ``guard``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pratique.boundary.admission import Edit
from pratique.boundary.diagnosis import diagnose, json_error
from pratique.boundary.document import cut_out_list, find_list, holds_only, next_after, walk_tail
from pratique.boundary.frame import (
    RE_CLOSE_THINK,
    Brackets,
    Form,
    Opening,
    Reasoning,
    Region,
    at_line_start,
    decoded_region,
    find_opening,
    skip_space,
    span_at,
    stands_alone,
)
from pratique.boundary.grammar import RE_STRING, grammar_of
from pratique.boundary.repair import Mended, Offsets, Replacement, draft_of, mend_text, rewrite, unwrap
from pratique.boundary.scan import NEAR_CHARS, Kind, Piece, scan_list, walk_brackets
from pratique.boundary.unit import UnitReader, fill_text, led_back
from pratique.boundary.validate import (
    CHOICE,
    Outcome,
    Problem,
    Reader,
    elements,
    locate,
)
from pratique.errors import Code, Reason
from pratique.show import show
from pratique.terms import Locality, Terms
from pratique.text import Span

__all__ = ["Envelope", "Framed", "RegionReading", "read_region"]

UNKNOWN_TOOL = Code(
    "frame.unknown_tool", "a call of a tool that the contract does not have",
    "What it would have done is not known here; its arguments are kept.", "call one of the contract's tools",
    '[{"name": "delete_all", "arguments": {}}]', '[{"name": "park", "arguments": {}}]', Reason.SCHEMA,
)  # fmt: skip
TAG_FROM_TOOL = Code(
    "frame.tag_from_tool", "the tag of the unit was taken from the name of the tool that was called",
    "The producer said which variant it means by calling that tool.", "nothing to do",
)  # fmt: skip
NO_LIST = Code(
    "frame.no_list", "the document has no list where the contract wants one",
    "There is an envelope, but nothing in it to admit.", "send the list, empty if there is nothing to say",
    '{"summary": "x"}', '{"summary": "x", "recommendations": []}',
)  # fmt: skip
WRAPPED = Code(
    "frame.wrapped", "the payload stood under a wrapper key",
    "Whatever the key says, the payload inside it is whole.", "nothing to do",
    '{"result": {"recommendations": []}}', '{"recommendations": []}',
)  # fmt: skip
ENCODED = Code(
    "frame.encoded", "the payload was a JSON string that wholly encodes it",
    "It was decoded once; spans lead back to the text as it came.", "nothing to do",
    '"{\\"recommendations\\": []}"', '{"recommendations": []}',
)  # fmt: skip
SINGLE = Code(
    "frame.single", "a single object stood where a list is due",
    "It is one whole unit of the contract.", "nothing to do",
    '{"recommendations": {"rank": 1}}', '{"recommendations": [{"rank": 1}]}',
)  # fmt: skip
ENVELOPE_BROKEN = Code(
    "envelope.malformed", "the document around the list is not JSON, and no lossless edit makes it so",
    "The envelope is lost; the units are judged on their own and stay.", "send the document whole",
    '{"summary": "x" "recommendations": []', '{"summary": "x", "recommendations": []}',
)  # fmt: skip
ENVELOPE_CUT = Code(
    "envelope.truncated", "the document around the list was cut off",
    "What stood after the cut cannot be known; the units before it stay.", "ask for the whole document",
    '{"summary": "x", "recommendations": [{"rank": 1}', '{"summary": "x", "recommendations": [{"rank": 1}]}',
)  # fmt: skip
ENVELOPE_INVALID = Code(
    "envelope.invalid", "the document around the list breaks the contract's envelope",
    "The envelope is lost; the units are judged on their own and stay.", "send what the envelope asks for",
    '{"summary": 5, "recommendations": []}', '{"summary": "x", "recommendations": []}',
)  # fmt: skip
ENVELOPE_UNDECLARED = Code(
    "envelope.undeclared", "the document has members beside the list, and the contract declares no envelope",
    "What nobody declared nobody reads; ignoring it silently would be a loss.",
    "declare an envelope, or ask for the bare list", '{"mood": "ok", "recommendations": []}',
    '{"recommendations": []}',
)  # fmt: skip


@dataclass(slots=True)
class Envelope:
    """What became of the document around the list."""

    value: Any = None
    valid: bool = False
    torn: bool = False
    """It is not JSON: cut off, or damaged past lossless repair."""
    problems: list[tuple[Problem, Span | None]] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """Its places in the frame's text."""


@dataclass(slots=True)
class Framed:
    """One frame, read. Units: offsets into the region's text."""

    form: Form
    region: Region
    start: int
    end: int
    pieces: list[Piece[Outcome]]
    envelope: Envelope | None
    closed: bool
    cut: bool
    """The text ends inside the frame."""
    alone: bool
    """It is all there is, or all of a fence."""
    notes: list[tuple[Code, str, Span]] = field(default_factory=list)
    ambiguous: bool = False
    """It holds two lists under one key."""
    copies: list[Span] = field(default_factory=list)
    """Where the same payload stands again, in the delivery's body."""
    shells: list[tuple[int, int]] = field(default_factory=list)
    """What was opened to get at the payload: wrapper keys, a call's name, a string's quotes."""

    @property
    def count(self) -> int:
        """How many units stand in it."""
        return len(self.pieces)

    @property
    def is_candidate(self) -> bool:
        """Whether it may be what is meant: a single object counts only when it is all there is."""
        return self.form is not Form.OTHER and (self.form is not Form.UNIT or self.alone)

    @property
    def is_taken(self) -> bool:
        """Whether ``frames="first"`` takes it: a sound unit stands in it."""
        return self.has_sound_before(self.region.stop)

    def has_sound_before(self, place: int) -> bool:
        """Say whether a sound unit ends before a place."""
        return any(
            piece.end <= place and piece.outcome is not None and piece.outcome.reason is None for piece in self.pieces
        )


@dataclass(slots=True)
class RegionReading:
    """All frames of one region, and the reasoning outside them."""

    region: Region
    frames: list[Framed]
    reasoning: list[Span]
    cut: bool
    """The region's text ends inside something that looked like a payload."""
    late_marks: list[Span] = field(default_factory=list)
    """Closing reasoning marks after a payload that was taken already."""
    given_up_at: int | None = None
    """Where no more frames were looked for, because too many before were broken."""


def read_region(region: Region, terms: Terms[Any], context: Mapping[str, Any]) -> RegionReading:
    """Find and read every frame of one region: of text, or of one call's arguments.

    A call is a unit even when its tool is not known, or no payload is found in it.

    Limits: linear in the region.
    Errors: raises nothing on account of the text.
    """
    tool = region.tool
    if tool is not None and not terms.is_tool(tool):
        return RegionReading(region, [_whole_call(region, unknown_tool(tool))], [], False)
    reading = _RegionReader(region, terms, context).read()
    if tool is not None and not reading.frames:
        reading.frames.append(_whole_call(region, None))
    return reading


def _whole_call(region: Region, outcome: Outcome | None) -> Framed:
    """Keep a call's arguments as one unit in which nothing was read."""
    piece = Piece(Kind.SOUND if outcome else Kind.BROKEN, region.start, region.stop, outcome)
    return Framed(Form.CALLS, region, region.start, region.stop, [piece], None, True, False, True)


MAX_DISCARDED = 8
"""Broken frames with a closing reasoning mark in them that are read before all such text is skipped."""

MAX_TORN_FRAMES = 64
"""Broken frames in one region after which no more are looked for: each may be followed to the end of the text."""

_RE_OPEN_END = re.compile(r"[\[{]\s*+(?:\{\s*+)?+(?:[\"'][^\"'\n]{0,80}+[\"']?+\s*+:?+\s*+)?+\Z")
_RE_KEYED = re.compile(r'\{\s*+"(?:[^"\\\n]|\\.){0,200}+"\s*+:')


class _RegionReader:
    """The state of reading one region."""

    def __init__(self, region: Region, terms: Terms[Any], context: Mapping[str, Any]) -> None:
        self.region = region
        self.terms = terms
        self.context = context
        self.grammar = grammar_of(terms)
        self.units = UnitReader(terms, context, region.text)
        self.brackets = Brackets(region.text, region.stop)
        self.reasoning = Reasoning(region.start, region.stop)
        self.late_marks: list[Span] = []
        self.last_close: int | None = None

    # ------------------------------------------------------------------ frames

    def read(self) -> RegionReading:
        """Read frame after frame; each is looked for only after the end of the one before."""
        region = self.region
        if region.tool is not None and self.terms.unit.tag_of(region.tool) is not None:
            return RegionReading(region, [self._tool_unit(region.tool)], [], False)
        frames: list[Framed] = []
        at = region.start
        cut = False
        discarded = torn = 0
        while at < region.stop and torn <= MAX_TORN_FRAMES:
            opening: Opening | None = None
            for found in find_opening(region, at, self.terms, self.grammar, self.brackets):
                if isinstance(found, tuple):
                    self.reasoning.mark(found[0], found[1], closing=found[2])
                    at = found[1]
                    if self.reasoning.open:
                        break
                    continue
                opening = found
                break
            if self.reasoning.open:  # nothing inside is read as payload until it closes
                closing = RE_CLOSE_THINK.search(region.text, at, region.stop)
                if closing is None:
                    break
                self.reasoning.mark(*closing.span(), closing=True)
                at = closing.end()
                continue
            if opening is None:
                break
            read = self._frames_at(opening)
            broken = any(framed.cut or not framed.closed for framed in read) or any(
                piece.outcome is None for framed in read for piece in framed.pieces
            )
            closing = self._closing_inside(opening, read) if broken or not read else None
            if closing is not None and self._takes(read, closing.start()):
                self.late_marks.append(Span(*closing.span()))
            elif closing is not None:
                discarded += 1
                if discarded > MAX_DISCARDED:  # all before the last mark is reasoning; do not read it bit by bit
                    for mark in RE_CLOSE_THINK.finditer(region.text, closing.start(), region.stop):
                        self.reasoning.mark(*mark.span(), closing=True)
                        at = mark.end()
                    continue
                self.reasoning.mark(*closing.span(), closing=True)
                at = closing.end()
                continue
            frames += [framed for framed in read if framed.form is not Form.OTHER]
            torn += broken or not read
            cut = any(framed.cut for framed in read)
            end = max((framed.end for framed in read), default=opening.end)
            at = max(end, opening.end, opening.start + 1)
            if self._takes(read, region.stop):
                self.reasoning.begin_at(at)
        opened = _RE_OPEN_END.search(region.text, at, region.stop)
        if opened is not None and not frames and not self.terms.at:
            frames.append(self._opened(opened.start()))
        cut = cut or opened is not None or self._open_object(at)
        reasoning = self.reasoning.spans()
        outside = [
            framed for framed in frames if framed.region is not region or span_at(reasoning, framed.start) is None
        ]
        self.late_marks += self.reasoning.late
        return RegionReading(region, outside, reasoning, cut, self.late_marks, at if torn > MAX_TORN_FRAMES else None)

    def _takes(self, read: list[Framed], place: int) -> bool:
        """Say whether a frame is taken before ``place``, so that a later reasoning mark cannot undo it."""
        if self.terms.frames != "first" or self.terms.locality is not Locality.ITEM:
            return False
        return any(framed.is_candidate and framed.has_sound_before(place) for framed in read)

    def _opened(self, start: int) -> Framed:
        """Keep a first unit of which not even a key is there."""
        region = self.region
        begin = region.text.find("{", start, region.stop)
        alone = stands_alone(region, start, region.stop, self.reasoning.closed)
        framed = Framed(Form.UNIT, region, start, region.stop, [], None, False, True, alone)
        if begin >= 0:
            framed.pieces.append(Piece(Kind.CUT, begin, region.stop, None))
        return framed

    def _open_object(self, at: int) -> bool:
        """Say whether the text ends inside an object of another shape."""
        opened = _RE_KEYED.search(self.region.text, at, self.region.stop)
        if opened is None or self.brackets.end(opened.start()) is not None:
            return False
        return walk_brackets(self.region.text, opened.start(), self.region.stop).why in ("open", "string")

    def _closing_inside(self, opening: Opening, read: list[Framed]) -> re.Match[str] | None:
        """Find a closing reasoning mark in a frame that broke: then the frame was part of the reasoning."""
        end = max((framed.end for framed in read if framed.region is self.region), default=opening.end)
        sound = [(piece.start, piece.end) for framed in read for piece in framed.pieces if piece.outcome is not None]
        for found in RE_CLOSE_THINK.finditer(self.region.text, opening.start, max(end, opening.start)):
            if span_at(sound, found.start()) is None:
                return found
        return None

    def _frames_at(self, opening: Opening) -> list[Framed]:
        form = opening.form
        if form is Form.TEXT:
            return self._text_frames(opening)
        if form is Form.CALLS:
            return self._calls(opening)
        framed: Framed | None
        if form is Form.REPORT:
            framed = self._report(opening)
        elif form is Form.LIST:
            framed = self._list(opening)
        else:
            framed = self._units(opening)
        if framed is None:
            return []
        if opening.wrappers:
            self._close_wrappers(framed, opening)
        framed.alone = framed.alone or stands_alone(self.region, framed.start, framed.end, self.reasoning.closed)
        return [framed]

    def _close_wrappers(self, framed: Framed, opening: Opening) -> None:
        text, stop = self.region.text, self.region.stop
        at = framed.end
        for _ in opening.wrappers:
            after = skip_space(text, at, stop)
            if text[after : after + 1] != "}":
                framed.cut = framed.cut or after >= stop
                framed.closed = False
                if not framed.cut and framed.form is not Form.REPORT:
                    framed.form = Form.OTHER  # more than one member: no wrapper, but a document of another shape
                break
            at = after + 1
        framed.shells += [(opening.start, opening.inner), (framed.end, at)]
        framed.start, framed.end = opening.start, at
        names = " › ".join(show(name) for name in opening.wrappers)
        framed.notes.append((WRAPPED, f"the payload stands under {names}", Span(opening.start, opening.inner)))

    def _text_frames(self, opening: Opening) -> list[Framed]:
        inner = decoded_region(self.region, opening)
        if inner is None:
            return []
        reading = _RegionReader(inner, self.terms, self.context).read()
        closed = self.region.text[opening.end - 1] == '"' and opening.end - 1 > opening.start
        for framed in reading.frames:
            framed.alone = framed.alone or len(reading.frames) == 1
            if not closed and framed.end >= inner.stop:
                framed.cut = True
            framed.notes.append(
                (ENCODED, "the payload is a JSON string that encodes it", Span(framed.start, framed.start))
            )
        # The frame's own place in this region, so that the search goes on after it.
        own = Framed(Form.OTHER, self.region, opening.start, opening.end, [], None, True, not closed, False)
        return [*reading.frames, own]

    # ------------------------------------------------------------------ lists

    def _scan(self, start: int, *, bracketed: bool, framed: Framed) -> None:
        """Read a list of units into a frame, piece by piece."""
        region = self.region
        scan = scan_list(
            region.text,
            start,
            region.stop,
            self.grammar,
            bracketed=bracketed,
            read=self.units.read,
            mend=self.units.mend,
            read_run=self.units.read_run,
            ends=self.brackets.end,
        )
        framed.pieces += scan.pieces
        framed.end = scan.end
        framed.closed = scan.closed
        framed.cut = scan.cut
        framed.notes += [(code, code.title, span) for code, span in scan.notes]

    def _list(self, opening: Opening) -> Framed:
        framed = Framed(Form.LIST, self.region, opening.start, opening.inner, [], None, True, False, False)
        self._scan(opening.inner + 1, bracketed=True, framed=framed)
        return framed

    def _units(self, opening: Opening) -> Framed | None:
        """Read units that stand one after another, or the only one."""
        region, start = self.region, opening.inner
        framed = Framed(Form.UNIT, region, start, start, [], None, True, False, False)
        if self.terms.locality is Locality.ONE:
            self._one(framed, start)
            return framed
        if opening.wrappers or not at_line_start(region.text, start, region.start):
            end = self.brackets.end(start)
            if end is None:
                end = region.stop
                framed.cut = start > self._last_close()
                framed.closed = not framed.cut
            if opening.wrappers or stands_alone(region, start, end, self.reasoning.closed):
                self._one(framed, start)
                return framed
            framed.form, framed.end = Form.OTHER, end if not framed.cut else start + 1
            return framed
        self._scan(start, bracketed=False, framed=framed)
        if framed.count > 1:
            framed.form = Form.LINES
        return framed

    def _last_close(self) -> int:
        """Return where the region's last closing brace stands; looked for once."""
        if self.last_close is None:
            self.last_close = self.region.text.rfind("}", self.region.start, self.region.stop)
        return self.last_close

    def _one(self, framed: Framed, start: int) -> None:
        """Read the single unit at ``start``."""
        region = self.region
        text, stop = region.text, region.stop
        found = self.grammar.balanced.match(text, start, stop)
        end = found.end() if found else self._one_end(start)
        outcome = self.units.read(start, end) if end is not None else None
        if end is not None and outcome is None:
            outcome = self.units.mend(start, end)
        if end is None:
            fence = text.find("\n```", start, stop)
            tail = fence if fence >= 0 else stop
            tail = start + len(text[start:tail].rstrip())
            outcome = self.units.mend(start, tail)
            end = tail
            framed.cut = outcome is None and fence < 0 and walk_brackets(text, start, stop).why in ("open", "string")
            framed.closed = not framed.cut
        kind = Kind.SOUND if outcome is not None else Kind.CUT if framed.cut else Kind.BROKEN
        framed.pieces.append(Piece(kind, start, max(end, start + 1), outcome))
        framed.end = max(end, start + 1)

    def _one_end(self, start: int) -> int | None:
        """Return where the single unit closes, stray brackets in it passed over."""
        walk = walk_brackets(self.region.text, start, self.region.stop, stray=self.grammar.own_key_next)
        return walk.end if walk.why == "balanced" else None

    # ------------------------------------------------------------------ documents

    def _report(self, opening: Opening) -> Framed:
        region, start = self.region, opening.inner
        text, stop = region.text, region.stop
        terms, grammar = self.terms, self.grammar
        framed = Framed(Form.REPORT, region, start, start, [], None, True, False, False)
        place = find_list(text, start, stop, grammar, terms.at, self.brackets.end)
        if place.value == "none":
            if place.sound:
                return self._envelope_line(framed, start, place.end)
            return self._torn_head(framed, start)
        if place.value == "cut":
            framed.end, framed.cut, framed.closed = stop, True, False
            framed.envelope = self._cut_envelope(start, stop, stop)
            return framed
        if place.value == "list":
            self._scan(place.start, bracketed=True, framed=framed)
        elif place.value == "object":
            self._scan(place.start, bracketed=False, framed=framed)
            if framed.count == 1 and framed.closed:
                framed.notes.append((SINGLE, SINGLE.title, Span(place.start, place.start + 1)))
        elif place.value == "string" and self._encoded_list(framed, place.start):
            pass
        elif not self._is_json(start):
            return self._torn_head(framed, start)
        else:
            framed.notes.append((NO_LIST, NO_LIST.title, Span(place.key_start, place.start)))
            framed.end = place.start
            value = re.compile(r"[^\s,}\]]*+").match(text, place.start, stop)
            framed.end = value.end() if value else place.start
        list_end = framed.end
        opened = place.start - 1 if place.value == "list" else place.start
        if framed.cut:
            framed.envelope = self._cut_envelope(start, place.key_start, list_end)
            framed.end = stop
            return framed
        tail = walk_tail(text, list_end, stop, grammar, terms.at)
        framed.end = tail.end
        framed.cut = tail.cut
        framed.ambiguous = tail.again
        framed.closed = framed.closed and not tail.cut
        framed.envelope = self._envelope(start, opened, list_end, tail.end)
        return framed

    def _is_json(self, start: int) -> bool:
        """Say whether the object at ``start`` is JSON as it stands: then nothing in it is torn."""
        end = self.brackets.end(start)
        return end is not None and json_error(self.region.text[start:end]) is None

    def _encoded_list(self, framed: Framed, start: int) -> bool:
        """Read a list that was written as a string."""
        text, stop = self.region.text, self.region.stop
        string = RE_STRING.match(text, start, stop)
        end = string.end() if string else stop
        inner = decoded_region(self.region, Opening(Form.TEXT, start, start, end=end))
        framed.end = end
        framed.cut = string is None
        if inner is None or not inner.text.lstrip().startswith("["):
            return False
        reader = _RegionReader(inner, self.terms, self.context)
        at = skip_space(inner.text, 0, inner.stop)
        within = Framed(Form.LIST, inner, at, at, [], None, True, False, False)
        reader._scan(at + 1, bracketed=True, framed=within)
        framed.pieces += [
            Piece(piece.kind, inner.source(piece.start), inner.source(piece.end), _moved(piece, inner))
            for piece in within.pieces
        ]
        framed.cut = framed.cut or within.cut
        framed.notes.append((ENCODED, "the list is a JSON string that encodes it", Span(start, start + 1)))
        return True

    def _envelope_line(self, framed: Framed, start: int, end: int) -> Framed:
        """Read an envelope without a list: the first line of NDJSON, or a document that has none."""
        region = self.region
        after = next_after(region.text, end, region.stop)
        framed.envelope = self._envelope(start, end - 1, end - 1, end)
        line = region.text.find("\n", after, region.stop)
        near = min(region.stop if line < 0 or region.text[after : after + 1] == "{" else line, after + NEAR_CHARS)
        begun = _RE_OPEN_END.match(region.text, after, region.stop) is not None
        if begun or self.grammar.unit_key.search(region.text, after, near):
            framed.form = Form.LINES
            self._scan(after, bracketed=False, framed=framed)
            return framed
        framed.notes.append((NO_LIST, NO_LIST.title, Span(start, end)))
        framed.end = end
        return framed

    def _torn_head(self, framed: Framed, start: int) -> Framed:
        """Read a document whose head is torn up to within its first unit: look for the units alone."""
        region = self.region
        border = self.grammar.border.search(region.text, start + 1, region.stop)
        if border is None:
            walk = walk_brackets(region.text, start, region.stop)
            framed.end = region.stop
            framed.cut = walk.why in ("open", "string")
            framed.closed = False
            framed.envelope = self._cut_envelope(start, region.stop, region.stop)
            return framed
        head = start + len(region.text[start : border.start()].rstrip().rstrip(",").rstrip())
        framed.pieces.append(Piece(Kind.BROKEN, start, max(head, start + 1), None))
        within = Framed(Form.REPORT, region, start, start, [], None, True, False, False)
        self._scan(border.start(), bracketed=True, framed=within)
        framed.pieces += within.pieces
        framed.notes += within.notes
        framed.closed, framed.cut = within.closed, within.cut
        tail = walk_tail(region.text, within.end, region.stop, self.grammar, self.terms.at)
        framed.end = tail.end if not within.cut else region.stop
        framed.cut = framed.cut or tail.cut
        framed.envelope = Envelope(
            torn=True,
            problems=[(Problem(ENVELOPE_BROKEN, ENVELOPE_BROKEN.title, ()), Span(start, head))],
            spans=[(within.end, framed.end)],
        )
        return framed

    def _envelope(self, start: int, open_at: int, list_end: int, end: int) -> Envelope:
        """Judge the document around the list by its own text.

        An empty list is put in the list's place first: what is then no JSON was damaged outside the list,
        also right beside it. Only then is the list's member cut out, and the rest is the envelope.
        """
        text = self.region.text
        reading = Envelope(spans=[(start, open_at), (list_end, end)])
        emptied = text[start:open_at] + ("[]" if open_at < list_end else "") + text[list_end:end]
        back = Offsets([(0, start), (open_at - start, open_at), (open_at - start + 2, list_end)])
        if open_at == list_end:
            back = Offsets([(0, start)])
        if json_error(emptied) is not None:
            mended = next(
                (
                    candidate
                    for candidate in mend_text(emptied, self.grammar, self.terms.edits, self.terms.limits.max_edits)
                    if json_error(candidate.text) is None
                ),
                None,
            )
            if mended is None:
                cause = diagnose(emptied, self.terms.limits, cut=False).problems[0]
                problem = Problem(ENVELOPE_BROKEN, f"{cause.code.id}: {cause.message}", ())
                at = back.source(cause.place[0] if cause.place else 0)
                reading.problems.append((problem, self.region.span(at, min(end, at + 1))))
                reading.torn = True
                return reading
            reading.edits = [self._envelope_edit(change, back) for change in mended.replacements]
            emptied, back = mended.text, mended.back.through(back)
        place = find_list(emptied, 0, len(emptied), self.grammar, self.terms.at)
        if place.value == "list":
            around = cut_out_list(emptied, 0, place.key_start, place.start + 1, len(emptied))
            emptied = around.text
            head = around.head_chars
            back = Offsets([(0, 0), (head, head), (head, around.tail_start)]).through(back)
        return self._judged_envelope(reading, emptied, back, Span(start, open_at))

    def _envelope_edit(self, change: Replacement, back: Offsets) -> Edit:
        start = back.source(change.start)
        end = max(start, back.source(change.end)) if change.end > change.start else start
        return Edit(change.code, self.region.span(start, end), self.region.text[start:end], change.after)

    def _judged_envelope(self, reading: Envelope, text: str, back: Offsets, head: Span) -> Envelope:
        """Validate the envelope's text, which is JSON by now."""
        shape = self.terms.envelope
        if shape is None:
            reading.valid = holds_only(text, self.terms.at)
            if not reading.valid:
                problem = Problem(ENVELOPE_UNDECLARED, ENVELOPE_UNDECLARED.title, ())
                reading.problems.append((problem, self.region.span(*head)))
            return reading
        led = None if shape.lens is None else led_back(rewrite(text, []), shape.lens, self.terms.edits)
        if isinstance(led, Mended):
            reading.edits += [self._envelope_edit(change, back) for change in led.replacements]
            text, back = led.text, led.back.through(back)
        reader = Reader(shape, self.terms.limits, self.context, text)
        outcome = led if isinstance(led, Outcome) else reader.read(text)
        if outcome is not None and outcome.reason is not None and outcome is not led:
            outcome = self.units.mended_values(outcome, reader, shape) or outcome
        if outcome is None:
            cause = diagnose(text, self.terms.limits, cut=False).problems[0]
            problem = Problem(ENVELOPE_BROKEN, f"{cause.code.id}: {cause.message}", ())
            reading.problems.append((problem, self.region.span(head.start, min(head.end, head.start + 1))))
            return reading
        reading.edits += [self._envelope_edit(change, back) for change in outcome.edits]
        if outcome.reason is None:
            reading.value, reading.valid = outcome.value, True
            return reading
        for problem in outcome.problems:
            begin, stop = problem.place or locate(outcome.text, problem.loc)
            way = back if outcome.back is None else outcome.back.through(back)
            first, last = way.span(begin, stop)
            span = self.region.span(first, max(last, min(first + 1, self.region.stop)))
            told = Problem(ENVELOPE_INVALID, f"{problem.code.id}: {problem.message}", problem.loc)
            reading.problems.append((told, span))
        return reading

    def _list_open(self, key_start: int, list_end: int) -> int:
        """Return where the list's own member stops being the envelope's: after its key."""
        found = self.grammar.list_key.match(self.region.text, key_start, list_end) if self.grammar.list_key else None
        return found.start("open") if found else key_start

    def _cut_envelope(self, start: int, key_start: int, list_end: int) -> Envelope:
        """Keep the place of an envelope whose document was cut off: it is lost, not read halfway."""
        end = self._list_open(key_start, list_end)
        problem = Problem(ENVELOPE_CUT, ENVELOPE_CUT.title, ())
        told: list[tuple[Problem, Span | None]] = (
            [(problem, self.region.span(start, min(end, start + 1)))] if self.terms.envelope is not None else []
        )
        return Envelope(torn=True, problems=told, spans=[(start, end)])

    # ------------------------------------------------------------------ tools

    def _tool_unit(self, tool: str) -> Framed:
        """Read a call's arguments as one unit of the variant that the tool stands for."""
        region = self.region
        start = skip_space(region.text, region.start, region.stop)
        stop = start + len(region.text[start : region.stop].rstrip())
        framed = Framed(Form.UNIT, region, start, stop, [], None, True, False, True)
        outcome = self._tagged(start, stop, tool)
        cut = outcome is None and walk_brackets(region.text, start, stop).why in ("open", "string")
        framed.cut, framed.closed = cut, not cut
        kind = Kind.SOUND if outcome is not None else Kind.CUT if cut else Kind.BROKEN
        framed.pieces.append(Piece(kind, start, max(stop, start), outcome))
        return framed

    def _tagged(self, start: int, stop: int, tool: str) -> Outcome | None:
        """Judge a call's arguments; the tag that they leave out is taken from the tool.

        A lens looks at the tag, so there it comes first; without a lens the arguments are first read as they are.
        """
        units, lens = self.units, self.terms.unit.lens
        for written in self._call_readings(self.region.text[start:stop], tool):
            owed = self._tag_owed(written.text, tool)
            tagged = written.then([owed]) if isinstance(owed, Replacement) else written
            outcome = units.judge(written if lens is None else tagged)
            if outcome is None:
                continue
            if isinstance(owed, Problem):
                return Outcome(
                    reason=Reason.SCHEMA, problems=[owed], edits=written.replacements, text=written.text,
                    back=written.back,
                )  # fmt: skip
            if owed is not None and lens is None and outcome.reason is not None:
                outcome = units.judge(tagged) or outcome
            return outcome
        return None

    def _call_readings(self, text: str, tool: str) -> Iterator[Mended]:
        """Yield a call's arguments out of a key around them, as they are written and after lossless edits."""
        opened = rewrite(text, [])
        if "repair.unwrapped" in self.terms.edits:
            opened = opened.then(unwrap(text, tool, self.terms.unit.keys))
        yield opened
        for edited in self.units.edited(opened.text):
            yield edited.over(opened)

    def _tag_owed(self, text: str, tool: str) -> Replacement | Problem | None:
        """Say how the tag of a call's arguments is put right: not at all when it is there, or by no edit."""
        shape = self.terms.unit
        tag = shape.tag_of(tool)
        assert tag is not None  # the caller asked whether the tool stands for a variant
        key = shape.tags[tag]
        place = locate(text, (key,))
        if place == locate(text, ()):
            if not text.startswith("{"):
                return None
            comma = "" if not text[1:].strip().strip("}").strip() else ", "
            return Replacement(TAG_FROM_TOOL.id, 1, 1, f"{_quoted(key)}: {_quoted(tag)}{comma}", 1)
        given = text[slice(*place)]
        if given == _quoted(tag):
            return None
        said = given[1:-1] if given.startswith('"') else given
        spellings = shape.choices.get(said.casefold(), frozenset())
        if "repair.case_restored" in self.terms.edits and spellings == frozenset({tag}) and said != given:
            return Replacement("repair.case_restored", *place, _quoted(tag), place[1])
        return Problem(CHOICE, f"the tool called is {show(tool)}, the tag says {show(said)}", (key,))

    def _calls(self, opening: Opening) -> list[Framed]:
        """Read tool calls that were written as text: each call's arguments are a region of their own."""
        text, start = self.region.text, opening.inner
        end = self.brackets.end(start)
        if end is None:
            return []
        calls = elements(text, start, end) if text[start] == "[" else [(start, end)]
        frames = [framed for begin, stop in calls for framed in self._call(text[begin:stop], begin)]
        own = Framed(Form.OTHER, self.region, opening.start, end, [], None, True, False, False)
        for framed in frames:
            framed.form, framed.alone = Form.CALLS, True
        if frames and frames[0].region.back is self.region.back:
            frames[0].shells.append((opening.start, end))
        return [*frames, own]

    def _call(self, call: str, offset: int) -> list[Framed]:
        whole = locate(call, ())
        name_at = next(
            (found for loc in (("name",), ("function", "name"), ("tool",), ("tool_name",), ("function",))
             if (found := locate(call, loc)) != whole and call[found[0]] == '"'), None,
        )  # fmt: skip
        arguments = next(
            (found for loc in (("arguments",), ("function", "arguments"), ("input",), ("parameters",), ("args",))
             if (found := locate(call, loc)) not in (whole, locate(call, loc[:-1]))), None,
        )  # fmt: skip
        name = call[name_at[0] + 1 : name_at[1] - 1] if name_at else ""
        if arguments is None:
            return [self._unknown_call(offset, offset + len(call), name)]
        begin, stop = offset + arguments[0], offset + arguments[1]
        region: Region | None = Region(self.region.text, begin, stop, self.region.back, name)
        if self.region.text[begin] == '"':
            decoded = decoded_region(
                Region(self.region.text, begin, stop, self.region.back, name),
                Opening(Form.TEXT, begin, begin, end=stop),
            )
            region = decoded
        known = self.terms.is_tool(name)
        if region is None or not known:
            return [self._unknown_call(offset, offset + len(call), name, known=known)]
        return _RegionReader(region, self.terms, self.context).read().frames

    def _unknown_call(self, start: int, end: int, name: str, *, known: bool = False) -> Framed:
        outcome = unknown_tool(name) if not known else None
        piece = Piece(Kind.SOUND if outcome else Kind.BROKEN, start, end, outcome)
        return Framed(Form.CALLS, self.region, start, end, [piece], None, True, False, True)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def unknown_tool(name: str) -> Outcome:
    """Make the outcome of a call of a tool that the contract does not have."""
    return Outcome(reason=Reason.SCHEMA, problems=[Problem(UNKNOWN_TOOL, f"no tool is called {show(name)}", ())])


@dataclass(frozen=True, slots=True)
class _Decoded:
    """Lead places in a unit of decoded text back to the unit as it was delivered."""

    then: Offsets | None
    inner: Region
    start: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place that a stretch of the text that was validated has in the unit."""
        first, last = self.then.span(start, end) if self.then else (start, end)
        place, base = self.inner.span(self.start + first, self.start + last), self.inner.source(self.start)
        return place.start - base, place.end - base


def _moved(piece: Piece[Outcome], inner: Region) -> Outcome | None:
    """Lead a unit found in decoded text, and its edits, back to the text it was decoded from."""
    outcome = piece.outcome
    if outcome is not None:
        fill_text(outcome, inner.text[piece.start : piece.end])
        outcome.back = _Decoded(outcome.back, inner, piece.start)
        base = inner.source(piece.start)
        outcome.edits = [
            Replacement(
                change.code, inner.source(piece.start + change.start) - base,
                inner.source(piece.start + change.end) - base, change.after, change.resume,
            )
            for change in outcome.edits
        ]  # fmt: skip
    return outcome


def refused_pieces(framed: Framed, terms: Terms[Any]) -> None:
    """Give every piece that has no outcome the reason why."""
    for piece in framed.pieces:
        if piece.outcome is None:
            text = framed.region.text[piece.start : piece.end]
            piece.outcome = diagnose(text, terms.limits, cut=piece.kind is Kind.CUT)


def draft_for(text: str, reason: Reason) -> str | None:
    """Make a draft of a unit that was no JSON."""
    return draft_of(text) if reason in (Reason.MALFORMED, Reason.TRUNCATED) else None
