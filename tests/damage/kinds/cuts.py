"""Deliveries that were cut off: what was complete is admitted, the tail is not, and the cut is told."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from damage.kind import Damaged, Expect, kind
from damage.report import Report, Style
from damage.tokens import tokens

_CUT = Expect(status=frozenset({"partial", "lost"}), truncated=True)


def _cut(report: Report, at: int, name: str) -> Damaged:
    complete = tuple(index for index, span in enumerate(report.spans) if span.end <= at)
    return Damaged(
        text=report.text[:at], kind=name, untouched=complete, expect=_CUT, note=report.text[max(0, at - 30) : at]
    )


def _inside(report: Report, rng: Random, places: Iterable[int]) -> int:
    """Choose a place inside the list, not in the first unit if there is a choice."""
    choices = list(places)
    later = [at for at in choices if at > report.spans[0].end]
    return rng.choice(later or choices)


def _document(report: Report, rng: Random) -> Report:
    return report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))


@kind
def cut_anywhere(report: Report, rng: Random) -> Damaged:
    """Cut at any character of a document."""
    shown = _document(report, rng)
    return _cut(shown, rng.randrange(1, len(shown.text) - 1), "cut_anywhere")


@kind
def cut_in_string(report: Report, rng: Random) -> Damaged:
    """Cut inside a string value."""
    shown = _document(report, rng)
    strings = [token for token in tokens(shown.text) if token.kind == "string" and not token.is_key]
    wide = [token for token in strings if token.end - token.start > 3]
    return _cut(shown, _inside(shown, rng, (rng.randrange(t.start + 2, t.end) for t in wide)), "cut_in_string")


@kind
def cut_in_number(report: Report, rng: Random) -> Damaged:
    """Cut inside or right behind a number: what is left may look like a whole one."""
    shown = _document(report, rng)
    numbers = [token for token in tokens(shown.text) if token.kind == "number"]
    return _cut(shown, _inside(shown, rng, (rng.randrange(t.start, t.end) + 1 for t in numbers)), "cut_in_number")


@kind
def cut_in_word(report: Report, rng: Random) -> Damaged:
    """Cut inside true, false or null."""
    shown = _document(report, rng)
    words = [token for token in tokens(shown.text) if token.kind == "word"]
    return _cut(shown, _inside(shown, rng, (rng.randrange(t.start + 1, t.end) for t in words)), "cut_in_word")


@kind
def cut_in_key(report: Report, rng: Random) -> Damaged:
    """Cut inside a key."""
    shown = _document(report, rng)
    keys = [token for token in tokens(shown.text) if token.is_key]
    return _cut(shown, _inside(shown, rng, (rng.randrange(t.start + 1, t.end) for t in keys)), "cut_in_key")


@kind
def cut_behind_mark(report: Report, rng: Random) -> Damaged:
    """Cut right behind a colon, comma, brace or bracket."""
    shown = _document(report, rng)
    marks = [token for token in tokens(shown.text) if token.kind == "mark"][:-1]
    return _cut(shown, _inside(shown, rng, (t.end for t in marks)), "cut_behind_mark")


@kind
def cut_between_units(report: Report, rng: Random) -> Damaged:
    """Cut right behind a unit: every unit that was begun is whole, the list is not."""
    shown = _document(report, rng)
    at = shown.spans[rng.randrange(len(shown.units))].end
    return _cut(shown, at, "cut_between_units")


@kind
def cut_in_fence(report: Report, rng: Random) -> Damaged:
    """Cut inside a fence, which then never closes, or is closed behind the cut by somebody else."""
    shown = _document(report, rng)
    inner = _cut(shown, rng.randrange(1, len(shown.text) - 1), "cut_in_fence")
    assert isinstance(inner.text, str)
    return Damaged(
        text="```json\n" + inner.text, kind="cut_in_fence", untouched=inner.untouched, expect=_CUT, note=inner.note
    )


@kind
def cut_line(report: Report, rng: Random) -> Damaged:
    """Cut inside a line of a report of one unit a line."""
    shown = report.restyled(Style.NDJSON)
    span = rng.choice(shown.spans)
    return _cut(shown, rng.randrange(span.start + 1, span.end), "cut_line")


@kind
def cut_in_character(report: Report, rng: Random) -> Damaged:
    """Bytes cut inside a character."""
    index = rng.randrange(len(report.units))
    units = [dict(unit) for unit in report.units]
    units[index]["candidate"] = "京都"
    shown = Report(report.envelope, tuple(units), Style.SPACED)
    encoded = shown.text.encode()
    at = encoded.index("京都".encode()) + rng.choice((1, 2))
    return Damaged(
        text=encoded[:at],
        kind="cut_in_character",
        untouched=tuple(range(index)),
        expect=_CUT,
    )


@kind
def told_but_not_seen(report: Report, rng: Random) -> Damaged:
    """Lines that end where a unit ends: the text alone cannot show a cut."""
    shown = report.restyled(Style.NDJSON)
    end = shown.spans[rng.randrange(len(shown.units))].end
    complete = tuple(index for index, span in enumerate(shown.spans) if span.end <= end)
    gone = tuple(range(len(complete), len(shown.units)))
    return Damaged(text=shown.text[:end], kind="told_but_not_seen", untouched=complete, gone=gone)
