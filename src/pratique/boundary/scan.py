"""Walk a list of units and tell where each begins and ends, also when some of them are broken.

A sound unit is found by its own brackets. After a break nothing is certain, the string state least of
all, so the walk looks for the next place where a unit of this list can begin, and what it finds there
counts only if the text after it looks like this list too. It never crosses the list's end, calls nothing
recursively, and looks at no character more than a bounded number of times.

Neighbours: ``frame`` and ``document`` say where a list begins; ``validate`` and ``repair`` judge, through ``read``
and ``mend``; this file only knows places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from pratique.boundary.grammar import (
    RE_COMMENT,
    RE_ELLIPSIS,
    RE_SCALAR,
    RE_SOUND,
    RE_SOUND_PYTHON,
    RE_SPACE,
    RE_STRUCTURE,
    RE_STRUCTURE_PYTHON,
    SINGLE,
    STRING,
    Grammar,
    space_before,
)
from pratique.errors import Code, Reason
from pratique.text import Span

__all__ = ["Kind", "ListScan", "Piece", "Scanner", "Walk", "scan_list", "walk_brackets"]

S = TypeVar("S")

BROKEN = Code(
    "scan.malformed",
    "the unit is not JSON, and no lossless edit makes it so",
    "Anything that would make it parse would have to guess what was meant.",
    "look at the draft, if there is one; correct the unit and replay it",
    '{"rank": 2, "why": "a "quoted" word"}',
    '{"rank": 2, "why": "a \\"quoted\\" word"}',
    Reason.MALFORMED,
)
CUT = Code(
    "scan.truncated",
    "the text ends inside this unit",
    "What is missing cannot be known; a closed tail would be admitted as if the producer had written it.",
    "raise max_tokens or ask for fewer units; a retry at the same limit ends at the same place",
    '{"rank": 2, "why": "unbl',
    '{"rank": 2, "why": "unblocks two"}',
    Reason.TRUNCATED,
)
ELIDED = Code(
    "scan.elided",
    "a comment or an ellipsis stands where a unit or a member could",
    "The producer may have left something out there; such a delivery is never clean.",
    "ask for all units, without placeholders",
    '[{"rank": 1, …}, ...]',
    '[{"rank": 1, …}]',
)
SEPARATOR_MISSING = Code(
    "scan.separator_missing",
    "no comma stands between two units",
    "Both units are whole, so nothing is lost; worth knowing when it happens often.",
    "nothing to do",
    '[{"rank": 1} {"rank": 2}]',
    '[{"rank": 1}, {"rank": 2}]',
)
SEPARATOR_DOUBLED = Code(
    "scan.separator_surplus",
    "a surplus comma stands before, between or after units",
    "Nothing is lost.",
    "nothing to do",
    '[{"rank": 1},, {"rank": 2},]',
    '[{"rank": 1}, {"rank": 2}]',
)
STRAY_CLOSER = Code(
    "scan.stray_closer",
    "a surplus closing bracket stands between units",
    "The next unit begins right after it, so the list goes on; nothing is lost.",
    "nothing to do",
    '[{"rank": 1}}, {"rank": 2}]',
    '[{"rank": 1}, {"rank": 2}]',
)
NOT_CLOSED = Code(
    "scan.list_not_closed",
    "the list's closing bracket is missing, but what follows the list is there",
    "No unit is lost by it; the document around the list is not sound.",
    "nothing to do for the units",
    '{"items": [{"rank": 1}, "summary": "x"}',
    '{"items": [{"rank": 1}], "summary": "x"}',
)

_RE_STRING = re.compile(rf"{STRING}|{SINGLE}", re.DOTALL)
_RE_CLOSERS = re.compile(r"[}\]\s]*+,?+\s*+")
_RE_ITEM_END = re.compile(r"\s*+[,\]]")
_RE_UNIT_END = re.compile(r"\s*+(?:,|\]|\}|\{|\Z|```|//|/\*|\#|…|\.\.\.)")
_RE_FENCE_LINE = re.compile(r"\n[ \t]*+```")
_RE_BLANK_LINE = re.compile(r"\n\s*+\n")

MIN_WINDOW_CHARS = 1_024
"""How far a unit's own brackets are followed before the next unit start is looked for."""

MIN_BATCH = 4
"""Units in a row for which one call is cheaper than one call each."""

MAX_BATCH = 64
"""Units read in one call: a broken one among them costs reading those before it again."""

MAX_NOISE_CHARS = 16
"""Stray characters after a unit, on its own line, that do not end a run of units; they stay unclaimed."""

NEAR_CHARS = 600
"""How far into a broken object a key of the unit is looked for."""

MAX_LEARNED = 8
"""Different separators learned from one list: more than that is no style but noise."""

MAX_TRIED = 8
"""Unit starts that are tested token by token after one break; later ones by their white space alone."""


class Kind(Enum):
    """Say what a piece of a list is."""

    SOUND = "sound"
    """``read`` accepted it as JSON; whether it is admitted is for others to say."""
    BROKEN = "broken"
    CUT = "cut"
    """The text ends inside it."""


@dataclass(slots=True)
class Piece(Generic[S]):
    """One unit of a list, sound or not. Units: offsets into the frame's text."""

    kind: Kind
    start: int
    end: int
    outcome: S | None


class Walk(NamedTuple):
    """Where a walk over brackets ended, and why: ``balanced``, ``mismatch``, ``open`` or ``string``."""

    end: int
    why: str
    stack: str


@dataclass(slots=True)
class ListScan(Generic[S]):
    """All pieces of one list, in order. Units: offsets into the frame's text."""

    pieces: list[Piece[S]]
    end: int
    """Just after the list, its closing bracket included."""
    closed: bool
    """Whether the list came to its own end; if not, the text was cut or its bracket is lost."""
    cut: bool
    """Whether the text ends inside the list."""
    notes: list[tuple[Code, Span]]


def walk_brackets(
    text: str, start: int, stop: int, *, python: bool = False, stray: re.Pattern[str] | None = None
) -> Walk:
    """Follow brackets from ``start`` to their balance, a mismatch, or the end; no recursion.

    A mismatching bracket that ``stray`` matches behind is passed over.

    Shape: ``stack`` is the open brackets, outermost first, when the walk ended.
    """
    stack: list[str] = []
    at = start
    for found in (RE_STRUCTURE_PYTHON if python else RE_STRUCTURE).finditer(text, start, stop):
        char = found[0][0]
        if char in "{[":
            stack.append(char)
        elif char in "}]":
            if not stack or stack[-1] != ("{" if char == "}" else "["):
                if stack and stray is not None and stray.match(text, found.end(), stop):
                    continue
                return Walk(found.start(), "mismatch", "".join(stack))
            stack.pop()
            if not stack:
                return Walk(found.end(), "balanced", "")
        at = found.end()
    return Walk(stop, "string" if text.find('"', at, stop) >= 0 else "open", "".join(stack))


@dataclass(slots=True)
class Scanner(Generic[S]):
    """The state of one walk."""

    text: str
    start: int
    stop: int
    grammar: Grammar
    bracketed: bool
    """Whether ``[`` opened the list; else it is a run of objects, one a line or concatenated."""
    read: Callable[[int, int], S | None]
    mend: Callable[[int, int], S | None]
    read_run: Callable[[list[tuple[int, int]]], list[S | None]]
    ends: Callable[[int], int | None]
    """Where the bracket at a place closes, remembered: for nesting too deep for a pattern."""
    pieces: list[Piece[S]] = field(default_factory=list)
    notes: list[tuple[Code, Span]] = field(default_factory=list)
    learned: list[str] = field(default_factory=list)
    largest: int = 0
    wary: bool = False
    """A break was seen and no sound unit since: follow brackets only as far as the next unit start."""
    balance: tuple[int, int | None] = (-1, None)
    """Where the unit at a place closes: the last one that was followed."""
    sound: tuple[int, int] = (-1, -1)
    """The last stretch of sound tokens that was looked at."""
    batch: int = MAX_BATCH
    """Units taken at once; smaller after a batch that held a broken one."""
    ahead: list[tuple[int, int]] = field(default_factory=list)
    """Units found behind one that was broken, not yet read."""
    ahead_end: int = 0
    run: int | None = None
    """Index of the first piece found after a break that left the string state unknown."""
    border_from: int = -1
    border_at: int = -1
    to_end: bool = False
    """A decision hung on where the text ends: in a longer text it could have been another."""

    # ------------------------------------------------------------------ the walk

    def scan(self) -> ListScan[S]:
        """Walk from the first unit to the list's end."""
        self.begin()
        at = self.start
        while True:
            done, at = self.step(at)
            if done is not None:
                return done

    def begin(self) -> None:
        """Learn how the list separates its units from what stands before the first one."""
        first = RE_SPACE.match(self.text, self.start, self.stop)
        if first and self._is_unit_start(first.end()):
            self.learned.append(first[0])

    def step(self, at: int) -> tuple[ListScan[S] | None, int]:
        """Take the next unit or units, or whatever stands there; say where to go on, or that the list is over."""
        text, stop = self.text, self.stop
        at, commas = self.separators(at)
        if at >= stop:
            self._settle_run(at, at_end=True)
            return self._done(stop, closed=not self.bracketed, cut=self.bracketed), stop
        char = text[at]
        if char == "{":
            swept = self._sweep(at) if self.bracketed and not self.wary else at
            if swept > at:
                return None, swept
            end = self.sound_unit(at)
            if end is not None:
                return None, end
            if not self.bracketed and not self._claims_unit(at):
                self._settle_run(at, at_end=True)
                return self._done(at, closed=True, cut=False), at
            return None, self._broken(at)
        if char in "]}":
            after = self._closer(at)
            if after is not None:
                return None, after
            self._surplus(commas)
            if char == "]" and self.bracketed:
                return self._done(at + 1, closed=True, cut=False), at + 1
            if self.bracketed:
                self.notes.append((NOT_CLOSED, Span(at, at + 1)))
            return self._done(at, closed=True, cut=False), at
        if text.startswith("```", at):
            self._settle_run(at, at_end=True)
            if self.bracketed:
                self.notes.append((NOT_CLOSED, Span(at, at + 3)))
            return self._done(at, closed=not self.bracketed, cut=False), at
        if char == "[" and self._is_other_list(at):
            self._settle_run(at, at_end=True)
            end = self.pieces[-1].end if self.pieces else self.start
            self.notes.append((NOT_CLOSED, Span(end, at)))
            return self._done(end, closed=False, cut=False), end
        if self._is_foreign(at) and self._settle_run(at, at_end=True):
            end = self.pieces[-1].end if self.pieces else self.start
            self.notes.append((NOT_CLOSED, Span(end, at)))
            return self._done(end, closed=True, cut=False), end
        after = self._other(at)
        return (None, after) if after is not None else (self._done(at, closed=True, cut=False), at)

    def _done(self, end: int, *, closed: bool, cut: bool) -> ListScan[S]:
        cut = cut or any(piece.kind is Kind.CUT for piece in self.pieces[-1:])
        return ListScan(self.pieces, end, closed and not cut, cut, self.notes)

    def separators(self, at: int) -> tuple[int, int]:
        """Skip white space, commas, comments and ellipses; return the place and the number of commas."""
        text, stop = self.text, self.stop
        begin, commas = at, 0
        while at < stop:
            char = text[at]
            if char.isspace() or char == "\ufeff":
                found = RE_SPACE.match(text, at, stop)
                at = max(at + 1, found.end() if found else at)
            elif char == ",":
                commas += 1
                at += 1
            elif char in "/#":
                comment = RE_COMMENT.match(text, at, stop)
                if comment is None:
                    break
                self.notes.append((ELIDED, Span(*comment.span())))
                at = comment.end()
            elif char in ".…":
                dots = RE_ELLIPSIS.match(text, at, stop)
                if dots is None:
                    break
                self.notes.append((ELIDED, Span(*dots.span())))
                at = dots.end()
            else:
                break
        if at < stop and text[at] == "{" and self.bracketed:
            if self.pieces and not commas and self.pieces[-1].kind is not Kind.BROKEN:
                self.notes.append((SEPARATOR_MISSING, Span(begin, at)))
            elif commas > (1 if self.pieces else 0):
                self.notes.append((SEPARATOR_DOUBLED, Span(begin, at)))
        return at, commas

    def _surplus(self, commas: int) -> None:
        """Note commas before the list's end."""
        if commas and self.bracketed:
            end = self.pieces[-1].end if self.pieces else self.start
            self.notes.append((SEPARATOR_DOUBLED, Span(end, end + 1)))

    # ------------------------------------------------------------------ sound units

    def _sweep(self, at: int) -> int:
        """Take as many units as stand in a row behind single commas, and read them in one call.

        Returns where the first unit begins that was not taken: the last one, or one that is not sound.
        """
        text, stop = self.text, self.stop
        python = self._python(at)
        item = (self.grammar.item_python if python else self.grammar.item).match
        window = max(MIN_WINDOW_CHARS, 4 * self.largest)
        begin = at
        spans = self.ahead if self.ahead and self.ahead[0][0] == at else []
        if spans:
            at = self.ahead_end
        while len(spans) < self.batch:
            found = item(text, at, at + window)
            if found is None or found.end() > stop:
                break
            spans.append((at, found.end(1)))
            at = found.end()
        self.ahead = []
        if len(spans) < MIN_BATCH:
            return begin
        outcomes = self.read_run(spans)
        taken = len(outcomes)
        if taken < len(spans) or None in outcomes[-1:]:
            self.batch = max(MIN_BATCH, self.batch // 4)
        else:
            self.batch = min(MAX_BATCH, self.batch * 2)
        if not taken:
            return begin
        self.ahead, self.ahead_end = spans[taken:], at
        sound = self.pieces
        gap: str | None = None
        for (start, end), outcome in zip(spans, outcomes, strict=False):
            if outcome is None:
                self.balance = (start, end)
                return self._broken(start, in_vain=True)
            if sound and sound[-1].kind is Kind.SOUND:
                between = text[sound[-1].end : start]
                if between != gap:
                    gap = between
                    self._learn(space_before(text, sound[-1].end, start))
            sound.append(Piece(Kind.SOUND, start, end, outcome))
            if end - start > self.largest:
                self.largest = end - start
        return spans[taken - 1][1]

    def _learn(self, space: str) -> None:
        """Remember how this list separates its units."""
        if space not in self.learned and len(self.learned) < MAX_LEARNED:
            self.learned.append(space)
            self.border_from = -1

    def _python(self, at: int) -> bool:
        found = RE_SPACE.match(self.text, at + 1, self.stop)
        after = found.end() if found else at + 1
        return after < self.stop and self.text[after] == "'"

    def _matched(self, at: int, limit: int, *, deep: bool = True) -> int | None:
        """Return where the brackets that open at ``at`` close, if that is before ``limit``."""
        text = self.text
        pattern = self.grammar.balanced_python if self._python(at) else self.grammar.balanced
        found = pattern.match(text, at, limit)
        if found is not None:
            return found.end()
        if not deep or text.count("{", at, limit) + text.count("[", at, limit) <= self.grammar.levels:
            return None
        if self._python(at):
            walk = walk_brackets(text, at, limit, python=True)
            return walk.end if walk.why == "balanced" else None
        end = self.ends(at)
        return end if end is not None and end <= limit else None

    def _balanced(self, at: int) -> int | None:
        """Return where the unit at ``at`` closes by its own brackets.

        Problem: a lost quote makes the brackets of all that follows look open, and following them from
        every broken unit to the end of the text is quadratic. So they are followed over a window, then
        to the next unit start, and to the end only if there is none.
        """
        if self.balance[0] == at:
            return self.balance[1]
        end = self._follow(at)
        self.balance = (at, end)
        return end

    def _follow(self, at: int) -> int | None:
        stop = self.stop
        if not self.wary:
            window = min(stop, at + max(MIN_WINDOW_CHARS, 4 * self.largest))
            end = self._matched(at, window, deep=window == stop)
            self.to_end = self.to_end or (end is None and window == stop)
            if end is not None or window == stop:
                return end
        border = self._border(at)
        end = self._matched(at, stop if border is None else border[0])
        self.to_end = self.to_end or (end is None and border is None)
        return end

    def sound_unit(self, at: int) -> int | None:
        """Take the unit at ``at`` if it closes and is JSON as it is written; return where it ends."""
        end = self._balanced(at)
        if end is None:
            return None
        outcome = self.read(at, end)
        if outcome is None:
            return None
        self.add(Kind.SOUND, at, end, outcome)
        self.wary = False
        return end

    def add(self, kind: Kind, start: int, end: int, outcome: S | None) -> None:
        if kind is Kind.SOUND:
            self.largest = max(self.largest, end - start)
            if self.pieces and self.pieces[-1].kind is Kind.SOUND:
                self._learn(space_before(self.text, self.pieces[-1].end, start))
        self.pieces.append(Piece(kind, start, end, outcome))

    def _is_unit_start(self, at: int) -> bool:
        return self.grammar.unit_start.match(self.text, at, self.stop) is not None

    def _claims_unit(self, at: int) -> bool:
        """Say whether a broken object looks like a unit: it has a key of one, or the text ends inside it."""
        limit = min(self.stop, at + NEAR_CHARS)
        if self.grammar.unit_key.search(self.text, at, limit) is not None:
            return True
        self.to_end = self.to_end or limit == self.stop
        return limit == self.stop and walk_brackets(self.text, at, limit).why in ("open", "string")

    # ------------------------------------------------------------------ what is not a unit

    def _closer(self, at: int) -> int | None:
        """Pass a stray closing bracket; None when it closes the list."""
        text, stop = self.text, self.stop
        found = _RE_CLOSERS.match(text, at, stop)
        after = found.end() if found else at + 1
        if after < stop and text[after] == "{" and self._is_unit_start(after):
            between = text[at:after].rstrip().rstrip(",").rstrip()
            self.notes.append((STRAY_CLOSER, Span(at, at + len(between))))
            return at + len(between)
        if not self._settle_run(at, at_end=False):
            return self._broken(at, since=self.pieces.pop().start)
        return None

    def _is_other_list(self, at: int) -> bool:
        """Say whether another list of units opens here, at a line's beginning."""
        first = RE_SPACE.match(self.text, at + 1, self.stop)
        begins = self._at_line(space_before(self.text, self.start, at))
        return self.bracketed and begins and first is not None and self._is_unit_start(first.end())

    def _is_foreign(self, at: int) -> bool:
        """Say whether the envelope goes on here: the list's own bracket is missing."""
        return self.bracketed and self.grammar.foreign_key.match(self.text, at, self.stop) is not None

    def _other(self, at: int) -> int | None:
        """Pass what is no object: a scalar item, a broken unit without its brace, or text that ends a run."""
        text, stop = self.text, self.stop
        if self.bracketed:
            end: int | None = None
            if text[at] == "[":
                end = self._matched(at, min(stop, at + MIN_WINDOW_CHARS))
            else:
                scalar = RE_SCALAR.match(text, at, stop)
                end = scalar.end() if scalar else None
            if end is not None and _RE_ITEM_END.match(text, end, stop):
                outcome = self.read(at, end)
                if outcome is not None and self.run is None:
                    self.add(Kind.SOUND, at, end, outcome)
                    return end
            return self._broken(at)
        border = self._border(at)
        line = text.find("\n", at, stop)
        self.to_end = self.to_end or border is None or line < 0
        if self.grammar.unit_key.search(text, at, stop if line < 0 else line) is not None:
            return self._broken(at)
        if border is not None and self._is_noise(at, border[0]):
            return border[0]
        self._settle_run(at, at_end=True)
        return None

    def _is_noise(self, at: int, place: int) -> bool:
        """Say whether the text up to the next unit is a slip at a line's end, not prose of its own."""
        text = self.text
        begin = self.pieces[-1].end if self.pieces else at
        return place - at <= MAX_NOISE_CHARS and not self._at_line(text[begin:at]) and "```" not in text[at:place]

    # ------------------------------------------------------------------ after a break

    def _broken(self, at: int, since: int | None = None, *, in_vain: bool = False) -> int:
        """Set a broken unit aside and return where the walk goes on.

        ``since`` is where the broken text began, when a run found after an earlier break was taken back;
        ``in_vain`` says that the unit, up to its own closing bracket, was mended in vain already.
        """
        text = self.text
        if since is None and not self._settle_run(at, at_end=False):
            since = self.pieces.pop().start
        start = at if since is None else since
        own = self._balanced(at) if since is None and text[at] == "{" else None
        if own is not None and not self.may_end_at(at, own):
            own = None
        if own is not None and not in_vain and self._mended(start, own):
            return own
        border = self._border(at)
        self.to_end = self.to_end or border is None
        over = self._list_over(at, border[0]) if border is not None and not border[1] else None
        if over is not None:
            border = None
        if border is not None:
            next_start, certain = border
            end = start + len(text[start:next_start].rstrip().rstrip(",").rstrip())
            if own is not None and own < end and not text[own:end].strip(" \t\r\n,]}"):
                end = own
            if end != own and since is None and self._mended(start, end):
                return end
            self._set_aside(Kind.BROKEN, start, end)
            if not certain:
                self.run = len(self.pieces)
            return end if end == own else next_start
        if own is not None:
            self._set_aside(Kind.BROKEN, start, own)
            return own
        end, cut = self._last(at) if over is None else self._last_before(at, over)
        body_end = start + len(text[start:end].rstrip())
        if not cut and since is None and self._mended(start, body_end):
            return end
        self._set_aside(Kind.CUT if cut else Kind.BROKEN, start, max(start + 1, body_end))
        return max(end, at + 1)

    def _list_over(self, at: int, place: int) -> int | None:
        """Return where the list ends for certain between a break and a unit start: then the start is another's."""
        fence = _RE_FENCE_LINE.search(self.text, at, place)
        if fence is not None:
            return fence.start()
        over = self.grammar.list_over.search(self.text, at, place) if self.bracketed else None
        return over.start() if over else None

    def _last_before(self, at: int, over: int) -> tuple[int, bool]:
        """Find where a broken last unit ends, when the list is over at a known place: (place, not cut)."""
        ends = self.grammar.list_end.search(self.text, at, over)
        return (ends.start() if ends else over), False

    def _mended(self, start: int, end: int) -> bool:
        outcome = self.mend(start, end)
        if outcome is None:
            return False
        self.add(Kind.SOUND, start, end, outcome)
        return True

    def _set_aside(self, kind: Kind, start: int, end: int) -> None:
        self.wary = True
        self.add(kind, start, end, None)

    def _border(self, at: int) -> tuple[int, bool] | None:
        """Find the next place after ``at`` where a unit of this list can begin.

        Shape: (place, certain); certain when all tokens up to it are sound, so that the place is known to
        stand outside any string. Otherwise a closer or a comma and the list's own white space must stand
        before it, and what is found there is admitted only if its right border is legal.
        """
        grammar, text, stop = self.grammar, self.text, self.stop
        sound = RE_SOUND_PYTHON if self._python(at) else RE_SOUND
        reached: int | None = at
        tried = 0
        search_from = at + 1
        while tried < MAX_TRIED and reached is not None:
            found = grammar.border.search(text, search_from, stop)
            if found is None:
                return None
            place = found.start()
            tried += 1
            match = sound.match(text, reached, place)
            passed = match.end() if match else reached
            space = space_before(text, at, place)
            before = text[place - len(space) - 1] if place - len(space) > at else ""
            if passed == place:
                separated = (before and before in "}],") or (not self.bracketed and self._at_line(space))
                if separated and (grammar.resync_anywhere or (self._at_line(space) and space in self.learned)):
                    return place, True
                reached = place
            else:
                reached = passed if text[passed] in "\"'" else None
                if self._is_border(space, before):
                    return place, False
            search_from = place + 1
        return self._spaced_border(search_from)

    def _at_line(self, space: str) -> bool:
        return "\n" in space or "\r" in space

    def _is_border(self, space: str, before: str) -> bool:
        if self._at_line(space) and (space in self.learned or not self.bracketed):
            return True
        return bool(before) and before in "}]," and self._same_space(space)

    def _same_space(self, space: str) -> bool:
        """Say whether ``space`` is how this list separates its units; where nothing was learned yet, it may be."""
        if not self.learned:
            return self.grammar.resync_anywhere
        if space in self.learned:
            return self.grammar.resync_anywhere or self._at_line(space)
        inline = not any(self._at_line(known) for known in self.learned)
        return self.grammar.resync_anywhere and inline and len(space) <= 2 and not self._at_line(space)

    def _spaced_border(self, since: int) -> tuple[int, bool] | None:
        """Find the next unit start that stands behind the list's own separator; found once for all askers."""
        if self.border_from <= since and self.border_from >= 0 and (self.border_at < 0 or self.border_at >= since):
            return None if self.border_at < 0 else (self.border_at, False)
        grammar, text, stop = self.grammar, self.text, self.stop
        self.border_from, self.border_at = since, -1
        for found in grammar.border.finditer(text, since, stop):
            place = found.start()
            space = space_before(text, since - 1, place)
            before = text[place - len(space) - 1] if place - len(space) >= since else ""
            if self._is_border(space, before):
                self.border_at = place
                return place, False
        return None

    def may_end_at(self, at: int, end: int) -> bool:
        """Say whether the unit at ``at`` may end here: a separator, a unit, the list's end or a fence follows."""
        found = _RE_UNIT_END.match(self.text, end, self.stop)
        self.to_end = self.to_end or (found is not None and found.end() == self.stop)
        return found is not None and _RE_FENCE_LINE.search(self.text, at, end) is None

    def _sound_reach(self, at: int, python: bool) -> int:
        """Return how far the tokens are sound from ``at``; a stretch once found sound is not read again."""
        since, reach = self.sound
        if not (since <= at <= reach):
            found = (RE_SOUND_PYTHON if python else RE_SOUND).match(self.text, at, self.stop)
            reach = found.end() if found else at
            self.sound = (at, reach)
        return reach

    def _last(self, at: int) -> tuple[int, bool]:
        """Find where a broken last unit ends: (place, whether the text was cut inside it)."""
        text, stop, grammar = self.text, self.stop, self.grammar
        self.to_end = True
        python = self._python(at)
        reach = self._sound_reach(at, python)
        walk = walk_brackets(text, at, reach, python=python, stray=grammar.own_key_next)
        if walk.why == "balanced":
            return walk.end, False
        if walk.why == "mismatch" and "[" not in walk.stack:
            lost_opener = not walk.stack and text[at] != "{" and text[walk.end] == "}"
            return walk.end + lost_opener, False
        if reach >= stop:
            return stop, True
        fence = _RE_FENCE_LINE.search(text, reach, stop)
        if fence is not None:  # a raw line end cannot stand in a string: the fence is one
            ends = grammar.list_end.search(text, reach, fence.start()) if self.bracketed else None
            return (ends.start() if ends else fence.start()), False
        if text[reach : reach + 1] in ('"', "'") and _RE_STRING.match(text, reach, stop) is None:
            return stop, True  # a string that never closes: the text ends inside it
        if not self.bracketed:
            gap = _RE_BLANK_LINE.search(text, reach, stop)
            if gap is not None:
                return gap.start(), False
            return stop, not text[:stop].rstrip().endswith(("}", "},"))
        over = grammar.list_end.search(text, reach, stop)
        return (over.start(), False) if over else (stop, True)

    def _settle_run(self, at: int, *, at_end: bool) -> bool:
        """Judge the run of units found after a break by its right border; take it back when illegal."""
        run = self.run
        if run is None or run >= len(self.pieces):
            self.run = None if at_end else self.run
            return True
        text, stop = self.text, self.stop
        legal = at_end or at >= stop
        if not legal:
            char = text[at]
            if char == "{":
                legal = self._is_unit_start(at)
            elif char == "]" and self.bracketed:
                legal = self.grammar.list_end.match(text, at, stop) is not None
            elif not self.bracketed:
                legal = "\n" in space_before(text, self.start, at)
        self.run = None
        if legal:
            return True
        del self.pieces[run:]
        return False


def scan_list(
    text: str,
    start: int,
    stop: int,
    grammar: Grammar,
    *,
    bracketed: bool,
    read: Callable[[int, int], S | None],
    mend: Callable[[int, int], S | None],
    read_run: Callable[[list[tuple[int, int]]], list[S | None]],
    ends: Callable[[int], int | None],
) -> ListScan[S]:
    """Walk a list of units from just after its opening.

    Shape: ``read(start, end)`` returns an outcome, or None when that text is no JSON; ``mend`` the same
        after lossless edits; ``read_run`` reads many at once and returns the outcomes of those before the
        first in doubt; a last None says that this unit was read and mended in vain.
    Units: offsets are code points into ``text``.
    Limits: linear in ``stop - start``.
    Errors: notes; raises nothing.
    """
    return Scanner(text, start, stop, grammar, bracketed, read, mend, read_run, ends).scan()
