"""Sound reports with a known truth, rendered in several styles, with the span of every unit.

The contract is the daily triage report in small: an envelope, a list of units, a nested object last.
Every field is required and every unit is longer than 120 characters, so that a gap of at most 120
characters outside one scalar can never leave a unit that still fits the contract.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pratique import Contract, Limits, Span

__all__ = [
    "BARE",
    "BY_LINES",
    "CONTRACT",
    "WITH_ENVELOPE",
    "Envelope",
    "Report",
    "Style",
    "Unit",
    "Wsjf",
    "canonical",
    "contract_of",
    "make_report",
]

ACTIONS = ("work-next", "needs-human", "revisit", "park", "close-out")
MIN_UNIT_CHARS = 121


class Wsjf(BaseModel):
    """The nested object of a unit."""

    score: float
    value: int
    criticality: int
    size: Annotated[int, Field(ge=1)]


class Unit(BaseModel):
    """One recommendation."""

    rank: Annotated[int, Field(ge=1)]
    candidate: str
    action: Literal["work-next", "needs-human", "revisit", "park", "close-out"]
    why: Annotated[str, Field(max_length=1_000)]
    blocked: bool
    owner: str | None
    wsjf: Wsjf


class Envelope(BaseModel):
    """What stands around the list: one key before it, one behind it."""

    summary: str
    complete: bool


CONTRACT = Contract.items(Unit, at="recommendations", envelope=Envelope, name="triage", limits=Limits(max_items=100))


class Style(StrEnum):
    """Say how a report is written."""

    COMPACT = "compact"
    SPACED = "spaced"
    PRETTY = "pretty"
    NDJSON = "ndjson"
    """One object a line, the envelope first."""
    LIST = "list"
    """No envelope: a bare list, one unit a line."""
    LINES = "lines"
    """No envelope, no brackets: one unit a line."""


WITH_ENVELOPE = (Style.COMPACT, Style.SPACED, Style.PRETTY, Style.NDJSON)
BY_LINES = (Style.NDJSON, Style.LINES)
"""Styles in which nothing tells how many units there were to be."""
BARE = Contract.items(Unit, name="triage", limits=Limits(max_items=100))


def contract_of(style: Style) -> Contract[Unit]:
    """Return the contract under which a sound report of this style is clean."""
    return CONTRACT if style in WITH_ENVELOPE else BARE


def canonical(unit: dict[str, Any]) -> str:
    """Return the one text of a unit's value: what two readings are compared by; 1, 1.0 and true differ."""
    return json.dumps(unit, sort_keys=True, ensure_ascii=True)


@dataclass(frozen=True)
class Report:
    """One sound report: its values, its text, and where each unit stands in it."""

    envelope: dict[str, Any]
    units: tuple[dict[str, Any], ...]
    style: Style
    ascii_only: bool = False

    def dump(self, value: Any) -> str:
        """Write one value in the report's style, without regard to where it stands."""
        if self.style is Style.PRETTY:
            return json.dumps(value, indent=2, ensure_ascii=self.ascii_only)
        tight = (",", ":") if self.style is Style.COMPACT else (", ", ": ")
        return json.dumps(value, separators=tight, ensure_ascii=self.ascii_only)

    def unit_text(self, unit: dict[str, Any]) -> str:
        """Write one unit as it stands in the list."""
        text = self.dump(unit)
        return text.replace("\n", "\n    ") if self.style is Style.PRETTY else text

    @property
    def separator(self) -> str:
        """What stands between two units."""
        return {
            Style.COMPACT: ",",
            Style.SPACED: ", ",
            Style.PRETTY: ",\n    ",
            Style.NDJSON: "\n",
            Style.LIST: ",\n",
            Style.LINES: "\n",
        }[self.style]

    @property
    def head(self) -> str:
        """What stands before the first unit."""
        summary, complete = self.dump(self.envelope["summary"]), self.dump(self.envelope["complete"])
        return {
            Style.COMPACT: f'{{"summary":{summary},"recommendations":[',
            Style.SPACED: f'{{"summary": {summary}, "recommendations": [',
            Style.PRETTY: f'{{\n  "summary": {summary},\n  "recommendations": [\n    ',
            Style.NDJSON: f'{{"summary": {summary}, "complete": {complete}}}\n',
            Style.LIST: "[\n",
            Style.LINES: "",
        }[self.style]

    @property
    def foot(self) -> str:
        """What stands behind the last unit."""
        complete = self.dump(self.envelope["complete"])
        return {
            Style.COMPACT: f'],"complete":{complete}}}',
            Style.SPACED: f'], "complete": {complete}}}',
            Style.PRETTY: f'\n  ],\n  "complete": {complete}\n}}',
            Style.NDJSON: "\n",
            Style.LIST: "\n]",
            Style.LINES: "\n",
        }[self.style]

    def join(self, units: list[str], *, separator: str | None = None, head: str | None = None) -> str:
        """Write the report with these texts in place of its units."""
        between = self.separator if separator is None else separator
        return (self.head if head is None else head) + between.join(units) + self.foot

    @property
    def unit_texts(self) -> list[str]:
        """The units as they stand in the text."""
        return [self.unit_text(unit) for unit in self.units]

    @property
    def text(self) -> str:
        """The whole report."""
        return self.join(self.unit_texts)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where each unit stands in ``text``."""
        at = len(self.head)
        spans = []
        for text in self.unit_texts:
            spans.append(Span(at, at + len(text)))
            at += len(text) + len(self.separator)
        return tuple(spans)

    @property
    def truth(self) -> tuple[dict[str, Any], ...]:
        """The units as the contract's own types hold them."""
        return tuple(Unit.model_validate(unit).model_dump() for unit in self.units)

    def restyled(self, style: Style) -> Report:
        """Return the same report in another style."""
        return replace(self, style=style)


# Every one has upset a tolerant parser: quotes, braces and separators in a string, words that look like
# literals, comments or reasoning marks, characters beyond ASCII and beyond the first plane.
_PHRASES = (
    "the queue moved and nothing blocks it",
    'they call it "the long one", twice',
    "see {braces} and [brackets], and ,} or ,] too",
    'a backslash \\ and a path C:\\new\\table "quoted"',
    "first line\nsecond line\tand a tab",
    "https://example.test//a/b#c is not a comment",
    "/* nor is this */ // nor this # nor that",
    "it's the owner's call, isn't it",
    "None of it is True or False, and NaN is no word",
    "café, naïve, Größe, 東京, Ω and 🚢🚢 in port",
    "```json is how a fence starts",
    '}, {\n "rank" is how a unit starts',
    "and so on ... until … the end",
    'an even \\\\ and an odd \\" run of backslashes',
)
_NAMES = ("ops", "data platform", "search", "O'Brien", "Zoë", "billing & tax")


def make_unit(rank: int, rng: Random) -> dict[str, Any]:
    """Make one sound unit, longer than any gap of the sweeps."""
    phrases = rng.sample(_PHRASES, rng.randint(2, 3))
    value, criticality, size = rng.choice((1, 2, 3, 5, 8)), rng.choice((1, 2, 3, 5, 8)), rng.choice((1, 2, 13, 20))
    unit = {
        "rank": rank,
        "candidate": f"ws-{rng.getrandbits(32):08x}",
        "action": rng.choice(ACTIONS),
        "why": "; ".join(phrases),
        "blocked": rng.random() < 0.5,
        "owner": rng.choice((None, *_NAMES)),
        "wsjf": {
            "score": round((value + criticality) / size, 2),
            "value": value,
            "criticality": criticality,
            "size": size,
        },
    }
    assert len(json.dumps(unit, separators=(",", ":"), ensure_ascii=False)) >= MIN_UNIT_CHARS
    return unit


def make_report(rng: Random, *, units: int | None = None, style: Style | None = None) -> Report:
    """Make one sound report of 4 to 9 units."""
    count = units if units is not None else rng.randint(4, 9)
    return Report(
        envelope={"summary": rng.choice(_PHRASES), "complete": rng.random() < 0.5},
        units=tuple(make_unit(rank, rng) for rank in range(1, count + 1)),
        style=style or rng.choice(WITH_ENVELOPE),
        ascii_only=rng.random() < 0.3,
    )
