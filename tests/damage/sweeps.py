"""Sweeps over small reports: every cut, every lost character, inserted characters, lost stretches.

Each case says which units it touches and whether it is one of those that no reader can see
(``tokens.scalar_hit_by_loss``); the oracle judges it like any other damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from damage.kind import Damaged
from damage.report import BY_LINES, WITH_ENVELOPE, Report, Style, make_report
from damage.tokens import Token, scalar_hit_by_insertion, scalar_hit_by_loss, tokens

__all__ = ["cuts", "insertions", "lost_characters", "lost_stretches", "small_reports"]

MAX_FIXTURE_CHARS = 2_000
INSERTED = "\"{}[]:,\\'0a -.\n/#…"


def small_reports() -> list[Report]:
    """Return reports of at most 2,000 characters, one a style, full of what upsets a tolerant parser."""
    reports = []
    for number, style in enumerate(Style):
        rng = Random(f"sweep {number}")
        for units in range(8, 2, -1):
            report = make_report(rng, units=units, style=style)
            if len(report.text) <= MAX_FIXTURE_CHARS:
                break
        assert len(report.text) <= MAX_FIXTURE_CHARS
        reports.append(report)
    return reports


def _beside(report: Report, start: int, end: int) -> tuple[int, ...]:
    """Return the units that a change of ``text[start:end]`` does not touch."""
    return tuple(index for index, span in enumerate(report.spans) if end <= span.start or span.end <= start)


def _holding(report: Report, start: int, end: int) -> tuple[int, ...]:
    """Return the unit that wholly holds ``text[start:end]``."""
    return tuple(index for index, span in enumerate(report.spans) if span.start <= start and end <= span.end)


def _in_list_key(report: Report, start: int, end: int) -> bool:
    """Say whether the damage lies wholly within the letters of the list's own key.

    Then the list stands under another name, and another name may be another list (``rejected``): no
    undamaged unit can be told to belong to the report, so none is owed. Its quotes are marks like any other.
    """
    key = report.text.find('"recommendations"')
    return key >= 0 and key + 1 <= start and end <= key + len('"recommendations"') - 1


def _note(text: str, start: int, end: int) -> str:
    return f"{start}:{end} …{text[max(0, start - 20) : start]}⟦{text[start:end]}⟧{text[end : end + 20]}…"


def cuts(report: Report) -> Iterator[Damaged]:
    """Cut the report at every character."""
    text = report.text
    for at in range(len(text) + 1):
        complete = tuple(index for index, span in enumerate(report.spans) if span.end <= at)
        # of lines, nothing tells how many there were to be
        gone = [index for index, span in enumerate(report.spans) if span.start >= at]
        yield Damaged(
            text=text[:at],
            kind="cut",
            untouched=complete,
            gone=tuple(gone) if report.style in BY_LINES else (),
            bare=report.style not in WITH_ENVELOPE,
            note=_note(text, at, at),
        )


def _loss(report: Report, start: int, end: int, of: list[Token], name: str) -> Damaged:
    text = report.text
    hidden = scalar_hit_by_loss(text, start, end, of)
    return Damaged(
        text=text[:start] + text[end:],
        kind=name,
        untouched=() if _in_list_key(report, start, end) else _beside(report, start, end),
        undecidable=_holding(report, start, end) if hidden else (),
        bare=report.style not in WITH_ENVELOPE,
        note=_note(text, start, end),
    )


def lost_characters(report: Report) -> Iterator[Damaged]:
    """Lose every single character."""
    of = tokens(report.text)
    for at in range(len(report.text)):
        yield _loss(report, at, at + 1, of, "lost character")


def lost_stretches(report: Report, *, seed: int = 0) -> Iterator[Damaged]:
    """Lose 30 to 120 characters at every place; the length is drawn anew for each."""
    rng = Random(seed)
    of = tokens(report.text)
    for start in range(len(report.text) - 30):
        end = min(len(report.text), start + rng.randint(30, 120))
        yield _loss(report, start, end, of, "lost stretch")


def insertions(report: Report, *, seed: int = 0) -> Iterator[Damaged]:
    """Insert one character at every place; which one is drawn anew for each."""
    rng = Random(seed)
    text = report.text
    of = tokens(text)
    for at in range(len(text) + 1):
        char = rng.choice(INSERTED)
        hidden = scalar_hit_by_insertion(at, of)
        yield Damaged(
            text=text[:at] + char + text[at:],
            kind="inserted character",
            # at the very border of a unit it stands between units
            untouched=()
            if _in_list_key(report, at, at)
            else tuple(i for i, span in enumerate(report.spans) if not span.start < at < span.end),
            undecidable=_holding(report, at, at) if hidden else (),
            bare=report.style not in WITH_ENVELOPE,
            note=f"{at} {char!r} …{text[max(0, at - 20) : at]}⟦⟧{text[at : at + 20]}…",
        )
