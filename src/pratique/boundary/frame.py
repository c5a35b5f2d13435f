"""Find what claims to be payload: the places in a delivery where a report, a list or a unit begins.

A frame is a claim, not a verdict. Prose, reasoning and quoted examples are full of things that look like
units; so a frame starts only outside other frames and outside reasoning, a bare unit counts only when it
is all there is, and no frame is preferred by its place: which one is meant is decided by rank, and two of
the same rank are ambiguous. Where a frame ends only ``scan`` can tell: a closing fence may stand inside a
string.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter

from pratique.boundary.document import find_list, has_member
from pratique.boundary.grammar import RE_SCALAR, RE_SPACE, RE_STRING, SCALAR, STRING, Grammar, key_of, repeat
from pratique.limits import MAX_KEY_CHARS, MAX_SEPARATOR_CHARS, MAX_WRAPPERS
from pratique.terms import Locality, Terms
from pratique.text import OffsetMap, Span, decode_json_string

__all__ = ["Brackets", "Form", "Opening", "Reasoning", "Region", "find_opening", "regions_of", "span_at"]


class Form(Enum):
    """Say what a frame claims to be."""

    REPORT = "report"
    """An object that holds the list."""
    LIST = "list"
    """A bare list."""
    LINES = "lines"
    """Units one after another: NDJSON or concatenated, perhaps with an envelope line before them."""
    UNIT = "unit"
    """One object."""
    CALLS = "calls"
    """A list of tool calls written as text."""
    TEXT = "text"
    """A string that wholly encodes one of the others."""
    OTHER = "other"
    """JSON of something else: passed over as a whole."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of text in which frames are looked for.

    Units: offsets into ``text``; ``back`` leads them to the delivery's body.
    """

    text: str
    start: int
    stop: int
    back: OffsetMap | None = None
    tool: str | None = None
    """The tool that was called with this text as its arguments."""

    def source(self, offset: int) -> int:
        """Return an offset of this text as an offset of the delivery's body."""
        return offset if self.back is None else self.back.source(offset)

    def span(self, start: int, end: int) -> Span:
        """Return a span of this text as a span of the delivery's body."""
        return Span(self.source(start), self.source(end))


@dataclass(frozen=True, slots=True)
class Opening:
    """The place where a frame begins, and what it claims to be."""

    form: Form
    start: int
    """Where the frame's own text begins: its bracket or quote."""
    inner: int
    """Where its payload begins: after wrapper keys, if there are any."""
    wrappers: tuple[str, ...] = ()
    end: int = -1
    """Where it ends, when that is already known."""


# White space, also as the escapes of an encoded text.
_BLANK = repeat(r"\s|\\[nrt]")
_OPENED = repeat(rf"[\[{{]{_BLANK}", "?")
_THINK = r"<\s*+(/?+)\s*+(think|thinking|thought|reasoning|reflection|scratchpad)\s*+>"
RE_CLOSE_THINK = re.compile(r"<\s*+/\s*+(?:think|thinking|thought|reasoning|reflection|scratchpad)\s*+>", re.I)
RE_MARK = re.compile(
    rf"(?P<think>{_THINK})|(?P<object>\{{(?=\s*+[\"'}}]))|(?P<list>\[(?=\s*+(?:[{{\]/\[]|{SCALAR}\s*+[,\]])))"
    rf"|(?P<text>\"(?={_BLANK}[\[{{]{_BLANK}{_OPENED}(?:\\\"|[\]}}])))",
    re.IGNORECASE,
)
RE_FIRST_KEY = re.compile(rf"\{{\s*+([\"'])((?:[^\"'\\\n]|\\.){{0,{MAX_KEY_CHARS}}}?)\1\s*+:\s*+")
_RE_NEXT_LINE = re.compile(r"[ \t]*+,?+[ \t]*+\r?+\n\s*+(?=\{)")
_RE_NEXT_OBJECT = re.compile(r"\s*+,\s*+(?=\{)")
_RE_EMPTY_LIST = re.compile(r"\[\s*+\]")
_RE_EMPTY_OBJECT = re.compile(r"\{\s*+\}")
_RE_FENCE_BEFORE = re.compile(r"(?:```|~~~)[ \t]*+[A-Za-z0-9_+.-]*+[ \t]*+\r?+\n?+\s*+\Z")
_RE_NOTHING_AFTER = re.compile(r"[\s,;]*+(?:\Z|```|~~~)")
_CALL_KEYS = frozenset({"name", "function", "tool", "tool_name", "recipient_name"})
_ARGUMENT_KEYS = frozenset({"arguments", "input", "parameters", "args"})
_RE_ARGUMENTS = re.compile(r"[\"'](?:arguments|input|parameters|args)[\"']\s*+:")

MAX_ASKED_LEVELS = 64
"""Levels below an outermost bracket whose ends are remembered: nobody asks about what stands deeper."""

CLASSIFY_CHARS = 600
"""How far into an object a known key is looked for when its first key is unknown."""


def regions_of(body: str, arguments: tuple[tuple[str, Span], ...]) -> list[Region]:
    """Cut a delivery's body into the stretches that are read on their own: its text, each call's arguments."""
    text_stop = arguments[0][1].start - 1 if arguments else len(body)
    regions = [Region(body, 1 if body.startswith("\ufeff") else 0, text_stop)]
    regions += [Region(body, span.start, span.end, tool=name) for name, span in arguments]
    return regions


class Reasoning:
    """The reasoning of one region, put together from its marks as they are found.

    A lone closing mark makes all before it reasoning; an opening mark without its closing makes all after it
    reasoning.
    """

    __slots__ = ("_since", "_start", "_stop", "_taken", "closed", "late")

    def __init__(self, start: int, stop: int) -> None:
        self._start = start
        self._stop = stop
        self._since: int | None = None
        self._taken = False
        self.closed: list[Span] = []
        self.late: list[Span] = []
        """Lone closing marks after a payload that was taken."""

    def begin_at(self, place: int) -> None:
        """Keep what stands before ``place`` from becoming reasoning: a payload there was taken."""
        self._start = place
        self._taken = True

    def mark(self, start: int, end: int, *, closing: bool) -> None:
        """Take the next mark, in order."""
        if not closing:
            self._since = start if self._since is None else self._since
            return
        if self._taken and self._since is None:
            self.late.append(Span(start, end))
        since = self._since if self._since is not None else start if self.closed else self._start
        self.closed.append(Span(since, end))
        self._since = None

    @property
    def open(self) -> bool:
        """Whether reasoning was opened and not closed."""
        return self._since is not None

    def spans(self) -> list[Span]:
        """Return all stretches of reasoning, in order."""
        return self.closed if self._since is None else [*self.closed, Span(self._since, self._stop)]


def span_at(spans: Sequence[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """Return the one of several spans, in order, that holds ``offset``."""
    at = bisect_right(spans, offset, key=itemgetter(0)) - 1
    return spans[at] if at >= 0 and offset < spans[at][1] else None


class Brackets:
    """Where the brackets of free text close, found in one walk for all askers.

    Walking from every opening bracket on its own would be quadratic for ``{"a":{"a":{"a":…``.
    """

    __slots__ = ("_ends", "_stop", "_text", "_walked")

    def __init__(self, text: str, stop: int) -> None:
        self._text = text
        self._stop = stop
        self._ends: dict[int, int] = {}
        self._walked = -1

    def end(self, start: int) -> int | None:
        """Return where the bracket at ``start`` closes, or None."""
        if start > self._walked:
            self._walk(start)
        return self._ends.get(start)

    def _walk(self, start: int) -> None:
        stack = array("q")  # one number an open bracket: they may be as many as there are characters
        text = self._text
        at = start
        for found in _RE_BRACKET.finditer(text, start, self._stop):
            char = found[0][0]
            at = found.end()
            if char in "{[":
                stack.append(found.start())
            elif char in "}]":
                if not stack or (text[stack[-1]] == "{") != (char == "}"):
                    break
                opened = stack.pop()
                if len(stack) < MAX_ASKED_LEVELS:
                    self._ends[opened] = at
                if not stack:
                    break
        self._walked = max(self._walked, at - 1)


_RE_BRACKET = re.compile(rf"{STRING}|[{{}}\[\]]", re.DOTALL)


def find_opening(
    region: Region, at: int, terms: Terms[object], grammar: Grammar, brackets: Brackets
) -> Iterator[Opening | tuple[int, int, bool]]:
    """Yield the next openings and reasoning marks from ``at`` on, one by one.

    The caller stops after an opening it takes and asks again from where that frame ended.
    """
    text, stop = region.text, region.stop
    while True:
        found = RE_MARK.search(text, at, stop)
        if found is None:
            return
        if found["think"]:
            yield found.start(), found.end(), bool(found[2])
            at = found.end()
            continue
        opening = _classify(region, found, terms, grammar, brackets)
        if opening is None:
            at = found.start() + 1
            continue
        if opening.form is Form.OTHER:
            at = opening.end
            continue
        yield opening
        at = max(opening.end, found.start() + 1)


def _classify(
    region: Region, found: re.Match[str], terms: Terms[object], grammar: Grammar, brackets: Brackets
) -> Opening | None:
    """Say what begins at a mark; None when it is nothing."""
    text, start, stop = region.text, found.start(), region.stop
    if found["text"]:
        string = RE_STRING.match(text, start, stop)
        end = string.end() if string else stop
        return Opening(Form.TEXT, start, start, end=end) if _begins_alone(region, start) else None
    if found["list"]:
        return _list_at(region, start, grammar, brackets)
    return _object_at(region, start, terms, grammar, brackets, ())


def _list_at(region: Region, start: int, grammar: Grammar, brackets: Brackets) -> Opening | None:
    text, stop = region.text, region.stop
    empty = _RE_EMPTY_LIST.match(text, start, stop)
    if empty is not None:
        return Opening(Form.LIST, start, start, end=empty.end()) if _stands_alone(region, start, empty.end()) else None
    listed = Opening(Form.LIST, start, start)
    first = skip_space(text, start + 1, stop)
    if text[first : first + 1] == "{":
        key = RE_FIRST_KEY.match(text, first, stop)
        name = key_of(key[2]) if key is not None else None
        if name is not None and name not in grammar.unit_keys:
            near = min(stop, start + CLASSIFY_CHARS)
            if name in _CALL_KEYS | {"id", "type"} and _RE_ARGUMENTS.search(text, start, near):
                return Opening(Form.CALLS, start, start)
            if name in grammar.envelope_keys:
                return None
        if _has_unit_key(region, first, grammar) or grammar.bare_start.match(text, first, stop):
            return listed
    if _second_is_unit(region, first, grammar, brackets):
        return listed
    if not _begins_alone(region, start):
        return None
    keyed = grammar.unit_key.search(text, start, min(stop, start + CLASSIFY_CHARS)) is not None
    return listed if keyed or _RE_EMPTY_OBJECT.match(text, first, stop) else None


def _second_is_unit(region: Region, first: int, grammar: Grammar, brackets: Brackets) -> bool:
    """Say whether a list goes on with a unit after a first element that is none."""
    text, stop = region.text, region.stop
    scalar = RE_SCALAR.match(text, first, stop)
    end = scalar.end() if scalar else brackets.end(first)
    if end is None:
        return False
    second = _RE_NEXT_OBJECT.match(text, end, stop)
    return second is not None and _has_unit_key(region, second.end(), grammar)


def _has_unit_key(region: Region, start: int, grammar: Grammar) -> bool:
    """Say whether the object at ``start`` has a key of the unit before anything nested."""
    text = region.text
    if grammar.unit_start.match(text, start, region.stop):
        return True
    limit = min(region.stop, start + CLASSIFY_CHARS)
    for bracket in "{}":
        place = text.find(bracket, start + 1, limit)
        limit = place if place >= 0 else limit
    return grammar.unit_key.search(text, start, limit) is not None


def _object_at(
    region: Region,
    start: int,
    terms: Terms[object],
    grammar: Grammar,
    brackets: Brackets,
    wrappers: tuple[str, ...],
) -> Opening | None:
    text, stop = region.text, region.stop
    frame_start = start
    key = RE_FIRST_KEY.match(text, start, stop)
    first = key_of(key[2]) if key else ""
    at = terms.at
    if at and (first == at[0] or (first in grammar.envelope_keys and first not in grammar.unit_keys)):
        return Opening(Form.REPORT, frame_start, start, wrappers)
    if at and first in grammar.envelope_keys and grammar.list_key is not None:
        end = brackets.end(start)
        listed = grammar.list_key.search(text, start, stop if end is None else end)
        return Opening(Form.REPORT if listed else Form.UNIT, frame_start, start, wrappers)
    if at and not wrappers and at[0] not in terms.unit.all_keys and key is not None:
        place = find_list(text, start, stop, grammar, at, brackets.end, torn=False)
        if place.sound and place.value not in ("none", "cut"):
            return Opening(Form.REPORT, frame_start, start, wrappers)
    if first in grammar.unit_keys or _has_unit_key(region, start, grammar):
        return Opening(Form.UNIT, frame_start, start, wrappers)
    if key is None and _RE_EMPTY_OBJECT.match(text, start, stop) and _begins_alone(region, start):
        return Opening(Form.UNIT, start, start)
    empty = _RE_EMPTY_OBJECT.match(text, start, stop) if key is None else None
    if empty is not None and not wrappers and _leads_lines(region, start, empty.end(), terms, grammar):
        return Opening(Form.UNIT, start, start)
    if key is None:
        return None  # a brace in prose, or an object whose first key is damaged
    called = first in _CALL_KEYS or first in ("id", "type")
    if called and _RE_ARGUMENTS.search(text, start, min(stop, start + CLASSIFY_CHARS)):
        return Opening(Form.CALLS, frame_start, start, wrappers)
    end = brackets.end(start)  # asked before what is inside is walked: brackets are asked from left to right
    if len(wrappers) < MAX_WRAPPERS:
        inside = _wrapped(region, key, terms, grammar, brackets, wrappers)
        if inside is not None:
            return Opening(inside.form, frame_start, inside.inner, inside.wrappers, inside.end)
    if not wrappers and _begins_alone(region, start) and has_member(text, start, stop, grammar, brackets.end):
        return Opening(Form.UNIT, frame_start, start)
    if not wrappers and end is not None and _leads_lines(region, start, end, terms, grammar):
        return Opening(Form.UNIT, frame_start, start)
    if end is not None and at and grammar.list_key is not None and grammar.list_key.search(text, start, end):
        return Opening(Form.REPORT, frame_start, start, wrappers)
    if end is not None and not wrappers and terms.locality is Locality.ONE and _stands_alone(region, start, end):
        return Opening(Form.UNIT, frame_start, start)
    return Opening(Form.OTHER, start, start, end=end) if end is not None else None


def _leads_lines(region: Region, start: int, end: int, terms: Terms[object], grammar: Grammar) -> bool:
    """Say whether an object that is no unit stands on a line before a unit: then it is the first of the lines."""
    if terms.locality is Locality.ONE or not at_line_start(region.text, start, region.start):
        return False
    after = _RE_NEXT_LINE.match(region.text, end, region.stop)
    return after is not None and _has_unit_key(region, after.end(), grammar)


def _wrapped(
    region: Region,
    key: re.Match[str],
    terms: Terms[object],
    grammar: Grammar,
    brackets: Brackets,
    wrappers: tuple[str, ...],
) -> Opening | None:
    """Look behind one unknown key for a payload."""
    text, inner = region.text, key.end()
    char = text[inner : inner + 1]
    names = (*wrappers, key_of(key[2]))
    if char == "[":
        found = _list_at(region, inner, grammar, brackets)
    elif char == "{":
        found = _object_at(region, inner, terms, grammar, brackets, names)
    else:
        return None
    if found is None or found.form in (Form.OTHER, Form.CALLS):
        return None
    return Opening(found.form, found.start, found.inner, found.wrappers or names, -1)


def _begins_alone(region: Region, start: int) -> bool:
    """Say whether nothing but a fence's opening stands before a frame."""
    before = region.text[max(region.start, start - MAX_SEPARATOR_CHARS) : start]
    blank = start - MAX_SEPARATOR_CHARS <= region.start and not before.strip()
    return blank or _RE_FENCE_BEFORE.search(before) is not None


def _stands_alone(region: Region, start: int, end: int) -> bool:
    """Say whether a frame is the whole delivery, or the whole of a fence."""
    if not _begins_alone(region, start):
        return False
    return _RE_NOTHING_AFTER.match(region.text, end, region.stop) is not None


def stands_alone(region: Region, start: int, end: int, reasoning: Sequence[Span]) -> bool:
    """Say whether a frame is all there is, reasoning before it apart."""
    last = reasoning[-1] if reasoning else None
    if last is not None and last.end <= start and not region.text[last.end : start].strip():
        return _RE_NOTHING_AFTER.match(region.text, end, region.stop) is not None
    return _stands_alone(region, start, end)


def at_line_start(text: str, start: int, region_start: int) -> bool:
    """Say whether only white space stands between ``start`` and its line's beginning."""
    window = max(region_start, start - MAX_SEPARATOR_CHARS)
    before = text[window:start].rstrip(" \t\ufeff")
    return before.endswith(("\n", "\r")) or (not before and window == region_start)


def decoded_region(region: Region, opening: Opening) -> Region | None:
    """Decode a string frame into a region of its own; a cut string is decoded as far as it goes."""
    text = region.text
    closed = text[opening.end - 1] == '"' and opening.end - 1 > opening.start
    body_end = opening.end - 1 if closed else opening.end
    decoded = decode_json_string(text, opening.start + 1, body_end)
    if decoded is None and not closed:
        slash = text.rfind("\\", opening.start + 1, body_end)
        decoded = decode_json_string(text, opening.start + 1, slash) if slash > 0 else None
    if decoded is None:
        return None
    inner, back = decoded
    if region.back is not None:
        return None  # encoded twice: no longer a slip
    return Region(inner, 0, len(inner), back, region.tool)


def skip_space(text: str, at: int, stop: int) -> int:
    """Return the next place that is not white space."""
    found = RE_SPACE.match(text, at, stop)
    return found.end() if found else at
