"""Read a list of units while its text is still coming.

The walk is ``scan``'s own, taken a unit at a time. Between units nothing is in doubt: a unit that closes and
is JSON is decided by its last character. After a break much may hang on what follows; then the text is kept,
and the walk is tried on it whenever it has doubled, until it stands again where nothing that follows can
change what it found. Looking only at new text, and trying only at doublings, keeps the whole linear.

Neighbours: ``head`` says where the list begins; ``stream`` guards what comes out and joins the whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pratique.boundary.diagnosis import diagnose
from pratique.boundary.frame import Brackets
from pratique.boundary.grammar import MAX_COMMENT_CHARS, RE_SPACE, SINGLE, STRING, repeat
from pratique.boundary.scan import MAX_BATCH, MAX_LEARNED, MIN_WINDOW_CHARS, NEAR_CHARS, Kind, ListScan, Piece, Scanner
from pratique.boundary.unit import UnitReader
from pratique.boundary.validate import UNSOUND, Outcome
from pratique.errors import Code
from pratique.limits import MAX_SEPARATOR_CHARS
from pratique.terms import Terms
from pratique.text import Span

__all__ = ["ListStream", "Read"]

_RE_PLAIN = re.compile(r"[\s,]*+")
_RE_CLOSERS = re.compile(r"[}\]\s,]*+")
_PLAIN_JSON = r'[^"{}\[\]]*+'
_PLAIN_PYTHON = r"""[^"'{}\[\]]*+"""
_RE_BRACKET = re.compile(_PLAIN_JSON + repeat(STRING + _PLAIN_JSON) + r'(["{}\[\]])', re.DOTALL)
_RE_BRACKET_PYTHON = re.compile(
    _PLAIN_PYTHON + repeat(f"(?:{STRING}|{SINGLE}){_PLAIN_PYTHON}") + r"""(["'{}\[\]])""", re.DOTALL
)
_RE_IN_STRING = {
    quote: re.compile(rf"[^{quote}\\]*+" + repeat(rf"\\.[^{quote}\\]*+") + rf"([{quote}\\]?)", re.DOTALL)
    for quote in "\"'"
}
_CLOSERS = "}] \t\r\n,"
_BORDER_CHARS = 3
"""Characters after a unit that tell whether it may end there: a separator is at most three, an ellipsis or a fence."""

MAX_ATTEMPTS = 4
"""Looks at an open unit from its beginning, one each time a brace closes; cheaper than following few brackets."""

MAX_NOTES = 1_000
"""Notes on separators that one stream keeps; more are counted."""

MIN_BATCHED_CHARS = 65_536
"""Text held back from which on the walk takes many units at once: in less, a batch would reach too near its end."""


class Read(NamedTuple):
    """One unit as it was read. Units: offsets into the delivery's body."""

    value: Any
    """Its value, when nothing is wrong with it; None when there is an outcome."""
    outcome: Outcome | None
    """What became of it, when anything had to be edited, found or refused."""
    span: Span
    raw: str
    before: str
    """What stood between the unit before and this one."""


class _Balance:
    """Follow the brackets of one unit through its text, piece by piece, each character once."""

    __slots__ = ("_brackets", "_depth", "_escaped", "_quote")

    def __init__(self, *, python: bool) -> None:
        self._brackets = _RE_BRACKET_PYTHON if python else _RE_BRACKET
        self._depth = 0
        self._quote = ""
        self._escaped = False

    def end(self, text: str, at: int) -> int | None:
        """Return where the unit closes in the next piece of its text; None when it does not."""
        stop = len(text)
        if self._escaped and at < stop:
            at += 1
            self._escaped = False
        while at < stop:
            if self._quote:
                inside = _RE_IN_STRING[self._quote].match(text, at)
                assert inside is not None  # it matches the empty text
                at = inside.end()
                if inside[1] == self._quote:
                    self._quote = ""
                else:
                    self._escaped = inside[1] == "\\"
                continue
            found = self._brackets.match(text, at)
            if found is None:
                return None
            at = found.end()
            char = found[1]
            if char in "{[":
                self._depth += 1
            elif char in "}]":
                self._depth -= 1
                if self._depth <= 0:
                    return at
            else:
                self._quote = char
        return None


class ListStream:
    """Take the text of a list as it comes; give out units as soon as nothing can change them.

    Units: ``base`` is where ``text`` begins in the region that the stream reads.
    """

    def __init__(self, terms: Terms[Any], context: Mapping[str, Any], base: int, *, bracketed: bool) -> None:
        self.over = False
        """The list came to its end; what follows belongs to the document around it."""
        self.end = -1
        """Where it ended, in the region that the stream reads."""
        self.irregular = False
        """Something other than sound units and single commas stood in it."""
        self.base = base
        self.text = ""
        self.bracketed = bracketed
        self.notes: list[tuple[Code, Span]] = []
        """What is worth telling of the separators. Units: offsets into the region that the stream reads."""
        self.notes_not_kept: Counter[Code] = Counter()
        self._terms = terms
        self._units = UnitReader(terms, context, "")
        self._walk = self._walk_on("")
        self._begun = False
        self._at = 0
        """Where the separator before the next unit begins."""
        self._unit_at = 0
        """Where the unit begins that is open, or closed and not yet decided."""
        self._fresh: list[str] = []
        self._pending: list[str] = []
        """What was looked at but not yet joined to ``text``."""
        self._pending_chars = 0
        self._balance: _Balance | None = None
        """The brackets of the unit at ``_unit_at``, while it is open."""
        self._closed_at = 0
        """Where the unit at ``_unit_at`` closes by its own brackets, until it is decided."""
        self.eager = False
        """The next characters decide, whatever they are."""
        self._attempts = 0
        """How often the open unit was looked at from its beginning."""
        self._try_at: int | None = None
        """After a break: how long the text must be before the walk is tried again."""
        self._held_chars = 0
        self.ended = 0
        """Where the last unit that was given out ended."""
        self._looked = ""
        """The text that was looked over last."""

    # ------------------------------------------------------------------ text that comes

    def feed(self, text: str) -> list[Read]:
        """Take the next text; return the units that it decided, in order, refused ones too."""
        if self._is_plain and not self._fresh and "}" in text:
            self.text += text
            read: list[Read] = []
            if self._plain_units(read):
                return self._go_on(read)
            if read:
                self._trim()
            return read
        self._fresh.append(text)
        if self.over or not (self.eager or "}" in text):
            return []
        return self._go_on([])

    @property
    def _is_plain(self) -> bool:
        """Whether the walk stands between two units, and nothing is in doubt."""
        return self._begun and not (
            self.eager or self.over or self._balance or self._closed_at or self._pending or self._try_at is not None
        )

    def finish(self) -> tuple[list[Read], ListScan[Outcome]]:
        """Judge what is left, now that no more text comes.

        Shape: the units not given out yet, and how the list ended: its end counts in ``text``, its notes in the
            region.
        """
        self._join()
        walk = self._walk_on(self.text)
        base = len(walk.pieces)
        if not self._begun:
            walk.begin()
        self._units.look(self.text)
        done, at = None, self._at
        while done is None:
            done, at = walk.step(at)
        reads = [self._read_of(piece, self._outcome_of(piece)) for piece in done.pieces[base:]]
        done.notes = [(code, Span(self.base + start, self.base + end)) for code, (start, end) in done.notes]
        return reads, done

    @property
    def is_regular(self) -> bool:
        """Whether nothing but sound units and single commas stood in it so far."""
        return not self.irregular and not self.notes and not self._walk.notes

    def _take(self) -> str:
        """Return the text that nobody looked at yet; it is kept, unjoined."""
        if not self._fresh:
            return ""
        new = "".join(self._fresh)
        self._fresh.clear()
        self._pending.append(new)
        return new

    def _join(self) -> None:
        if self._pending or self._fresh:
            self.text = "".join([self.text, *self._pending, *self._fresh])
            self._pending.clear()
            self._fresh.clear()
            self._pending_chars = 0

    def _go_on(self, read: list[Read]) -> list[Read]:
        while not self.over:
            if self._try_at is not None:
                if not self._tried(read):
                    break
            elif self._balance is not None:
                if not self._unit_closed():
                    break
            elif self._closed_at:
                if self._walk.pieces and self._walk.pieces[-1].start == self._unit_at:
                    self._decided(read)
                elif not self._edited_unit(read):
                    break
            elif not (self._plain_units(read) and self._between()):
                break
        self._trim()
        return read

    def _outcome_of(self, piece: Piece[Outcome]) -> Outcome:
        """Return what became of a piece; the reason why, when it was no JSON."""
        text = self.text[piece.start : piece.end]
        return piece.outcome or diagnose(text, self._terms.limits, cut=piece.kind is Kind.CUT)

    def _trim(self) -> None:
        """Drop the text before the last decided unit's end."""
        if self._walk.notes:
            self._note(self._walk.notes)
            self._walk.notes = []
        pieces = self._walk.pieces
        keep = pieces[-1].end if pieces else 0
        if keep:
            last = pieces[-1]
            self.text = self.text[keep:]
            self.base += keep
            self._at -= keep
            self._unit_at -= keep
            self.ended -= keep
            self._held_chars -= keep
            if self._closed_at:
                self._closed_at -= keep
            if self._try_at is not None:
                self._try_at -= keep
            self._walk.pieces = [Piece(last.kind, last.start - keep, 0, None)]

    def _note(self, notes: list[tuple[Code, Span]]) -> None:
        """Keep notes with their places in the region, up to a bound: what is kept must not grow with the text."""
        room = max(0, MAX_NOTES - len(self.notes))
        self.notes += [(code, Span(self.base + start, self.base + end)) for code, (start, end) in notes[:room]]
        self.notes_not_kept.update(code for code, _ in notes[room:])

    # ------------------------------------------------------------------ where nothing is in doubt

    def _plain_units(self, read: list[Read]) -> bool:
        """Take the units that follow one another as they should; say whether something else must be looked at.

        An open unit is looked at from its beginning a few times; after that its brackets are followed.
        """
        if self.eager or not self._begun:
            return True
        self._join()
        text, walk = self.text, self._walk
        match, pieces, learned = walk.grammar.next_item.match, walk.pieces, walk.learned
        reader = self._units.reader
        base, ended, found = self.base, self.ended, match(text, self._at)
        if found is not None:
            self._look_over()
        while found is not None:
            first, comma, second, raw = found.groups()
            space = second if comma else first
            start, end = found.span(4)
            if (self.bracketed and not comma if pieces else comma) or len(space) > MAX_SEPARATOR_CHARS:
                return True
            largest = walk.largest
            if end - start > MIN_WINDOW_CHARS and end - start > 4 * largest:
                return True
            value = reader.sound(raw)
            if value is UNSOUND:
                return True
            if end - start > largest:
                walk.largest = end - start
            if space not in learned and pieces and pieces[-1].kind is Kind.SOUND and len(learned) < MAX_LEARNED:
                learned.append(space)
            pieces[:] = [Piece(Kind.SOUND, start, end, None)]
            read.append(Read(value, None, Span(base + start, base + end), raw, text[ended:start]))
            self._at = self.ended = ended = end
            self._attempts = 0
            found = match(text, end)
        self._attempts += 1
        if self._attempts > MAX_ATTEMPTS:
            return True
        plain = _RE_PLAIN.match(text, self._at)
        return plain is not None and text[plain.end() : plain.end() + 1] not in ("{", "")

    def _between(self) -> bool:
        """Pass the separator; say whether the next unit begins, or the list ends, for certain."""
        if self.eager:  # closing brackets stood last: only another character says what they close
            if not self._take().strip(_CLOSERS):
                return False
            self.eager = False
        self._join()
        text, walk = self.text, self._walk
        plain = _RE_PLAIN.match(text, self._at)
        place = plain.end() if plain else self._at
        if place >= len(text):
            return False
        char = text[place]
        if char == "{":
            first = RE_SPACE.match(text, place + 1)
            after = first.end() if first else place + 1
            if after >= len(text):
                return False
            if walk.text is not text:
                self._on(text)
            self._unit_at = place
            self._begin_unit(place, python=text[after] == "'")
            return True
        if char in "]}":
            return self._list_end(place)
        self._hold()
        return True

    def _begin_unit(self, place: int, *, python: bool) -> None:
        """Follow the brackets of the unit that begins at ``place`` as far as its text is there."""
        balance = _Balance(python=python)
        end = balance.end(self.text, place)
        if end is None:
            self._balance = balance
        else:
            self._closed(end)

    def _unit_closed(self) -> bool:
        """Follow the open unit's brackets through the new text; say whether it is closed now."""
        assert self._balance is not None
        before, new = self._pending_chars, self._take()
        end = self._balance.end(new, 0)
        self._pending_chars += len(new)
        if end is None:
            return False
        before += len(self.text)
        self._balance = None
        self._join()
        self._closed(before + end)
        return True

    def _closed(self, end: int) -> None:
        """Judge the unit that closes at ``end`` as it is written."""
        self._closed_at = end
        walk = self._walk
        if walk.text is not self.text:
            self._on(self.text)
        if not self._begun:
            self._begun = True
            walk.begin()
        self._look_over()
        noted = len(walk.notes)
        walk.separators(self._at)
        taken = walk.sound_unit(self._unit_at)
        if taken == end:
            return
        del walk.notes[noted:]
        if taken is not None:
            walk.pieces.pop()
            self._hold()

    def _look_over(self) -> None:
        """Look over the text once for what no validator tells of its units."""
        if self._looked is not self.text:
            self._looked = self.text
            self._units.look(self.text)

    def _on(self, text: str) -> None:
        """Set the walk on the text as it is now; what it remembers of places is forgotten."""
        walk = self._walk
        walk.text, walk.stop = text, len(text)
        walk.balance, walk.sound, walk.border_from, walk.ahead = (-1, None), (-1, -1), -1, []
        self._units.text = text

    def _decided(self, read: list[Read]) -> None:
        """Give out the unit that the walk took last."""
        piece = self._walk.pieces[-1]
        assert piece.outcome is not None  # the walk adds no sound unit without one
        self.irregular = self.irregular or bool(piece.outcome.reason or piece.outcome.edits)
        read.append(self._read_of(piece, piece.outcome))
        self._at = piece.end
        self._closed_at = 0

    def _read_of(self, piece: Piece[Outcome], outcome: Outcome) -> Read:
        """Return a piece with its text and its place, and what stood before it."""
        start, end, before = piece.start, piece.end, self.text[self.ended : piece.start]
        self.ended = end
        plain = not (outcome.reason or outcome.problems or outcome.edits or outcome.back)
        value, told = (outcome.value, None) if plain else (None, outcome)
        return Read(value, told, Span(self.base + start, self.base + end), self.text[start:end], before)

    def _edited_unit(self, read: list[Read]) -> bool:
        """Judge a closed unit that is no JSON after its edits, once it is known that it may end there."""
        self.eager = True
        new = self._take()
        if new and not new.strip():
            return False
        self._join()
        text, end, walk = self.text, self._closed_at, self._walk
        space = RE_SPACE.match(text, end)
        if len(text) - (space.end() if space else end) < _BORDER_CHARS:
            return False
        self.eager = False
        self._on(text)
        outcome = self._units.mend(self._unit_at, end) if walk.may_end_at(self._unit_at, end) else None
        if outcome is None:
            self._hold()
            return True
        walk.separators(self._at)
        walk.add(Kind.SOUND, self._unit_at, end, outcome)
        self._decided(read)
        return True

    def _list_end(self, place: int) -> bool:
        """Say whether the closing bracket at ``place`` ends the list: not if a unit begins right after it."""
        text = self.text
        closers = _RE_CLOSERS.match(text, place)
        after = closers.end() if closers else place
        if after - place > NEAR_CHARS:
            self._hold()
            return True
        if after >= len(text):
            self.eager = True
            return False
        if text[after] == "{":
            if self._walk.grammar.unit_start.match(text, after) is not None:
                self._hold()
                return True
            if len(text) - after < NEAR_CHARS and ":" not in text[after:]:
                self.eager = True
                return False
        self.over = True
        self.end = self.base + place + (text[place] == "]" and self.bracketed)
        return True

    # ------------------------------------------------------------------ after a break

    def _hold(self) -> None:
        """Keep the text from here on until the walk stands on sure ground again."""
        self.irregular = True
        self._closed_at = 0
        self.eager = True
        self._try_at = self._at + self._slack(self._walk.largest) + MIN_WINDOW_CHARS
        self._held_chars = len(self.text)

    def _slack(self, largest: int) -> int:
        """How far behind the text's end a place must lie for the walk not to have looked past the end."""
        return MAX_COMMENT_CHARS + NEAR_CHARS + max(MIN_WINDOW_CHARS, 4 * largest)

    def _tried(self, read: list[Read]) -> bool:
        """Try the walk on the text held back; give out what it decided, if it stands on sure ground."""
        assert self._try_at is not None
        self._held_chars += len(self._take())
        if self._held_chars < self._try_at:
            return False
        self._join()
        self._try_at = 2 * len(self.text)
        walk = self._walk_on(self.text)
        walk.batch = MAX_BATCH if len(self.text) > MIN_BATCHED_CHARS else 0
        base = len(walk.pieces)
        if not self._begun:
            walk.begin()
        at = self._at
        sure: tuple[int, int, int, list[str], int] | None = None
        size = len(self.text)
        done: ListScan[Outcome] | None = None
        self._look_over()
        while done is None and at <= size - self._slack(walk.largest):
            done, at = walk.step(at)
            if walk.to_end or done is not None:
                break
            standing = walk.run is None and not walk.wary and len(walk.pieces) > base
            if standing and at <= size - self._slack(walk.largest) and walk.pieces[-1].kind is Kind.SOUND:
                sure = (len(walk.pieces), len(walk.notes), at, list(walk.learned), walk.largest)
        if sure is None:
            return False
        many, noted, self._at, learned, largest = sure
        self._note(walk.notes[:noted])
        read += [self._read_of(piece, self._outcome_of(piece)) for piece in walk.pieces[base:many]]
        self._begun = True
        self._walk.pieces = walk.pieces[many - 1 : many]
        self._walk.learned, self._walk.largest = learned, largest
        self._try_at = None
        self.eager = False
        return True

    def _walk_on(self, text: str) -> Scanner[Outcome]:
        """Return a walk over ``text`` that knows what this one has learned."""
        units = self._units
        units.text = text
        brackets: list[tuple[str, Brackets]] = []

        def ends(at: int) -> int | None:
            if not brackets or brackets[0][0] is not walk.text:
                brackets[:] = [(walk.text, Brackets(walk.text, walk.stop))]
            return brackets[0][1].end(at)

        known = getattr(self, "_walk", None)
        walk: Scanner[Outcome] = Scanner(
            text, 0, len(text), units.grammar, self.bracketed, units.read, units.mend, units.read_run, ends
        )
        if known is not None:
            walk.pieces = [replace(piece) for piece in known.pieces]
            walk.learned, walk.largest = list(known.learned), known.largest
        return walk
