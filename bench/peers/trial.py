"""One trial: a peer, and the documents it is put before; what it made of them, judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from statistics import median
from typing import Any

from pydantic import ValidationError

from bench.peers.process import Fate, Reply
from damage.hostile import TRAPS
from damage.kind import Damaged
from damage.kinds import KINDS
from damage.oracle import Reading, Score, judge
from damage.report import Report, Style, Unit, canonical, make_report

__all__ = [
    "GROUPS",
    "Case",
    "Large",
    "Tally",
    "Trap",
    "cases",
    "distinct",
    "group_of",
    "large_reports",
    "reading_of",
    "traps",
    "units_in",
]

GROUPS = {
    "forms": "sound, in another form",
    "edits": "a lossless edit mends it",
    "breaks": "syntax broken",
    "cuts": "cut off",
    "values": "values against the contract",
    "decoys": "units that are no part of the answer",
}
"""The classes of damage, by the module under ``tests/damage/kinds`` that makes them."""
DOCUMENT_STYLES = (Style.COMPACT, Style.SPACED, Style.PRETTY)
"""Reports are one JSON document, which every peer is made for; the kinds about lines make lines themselves."""
HOSTILE_CHARS = 50_000
"""Characters of a hostile delivery: enough that what grows faster than the text shows, and a careless
reader that is linear still answers."""
LARGE_UNITS = 1_000
BROKEN_EVERY = 33
"""In the large broken report one unit in so many lacks a comma: 3 %."""


@dataclass(frozen=True)
class Case:
    """One damaged report with its truth."""

    kind: str
    report: Report
    damaged: Damaged


@dataclass(frozen=True)
class Trap:
    """One hostile delivery; ``least`` units stand undamaged around the trap."""

    name: str
    text: str
    least: int


@dataclass(frozen=True)
class Large:
    """One report of ``LARGE_UNITS`` units, for speed; ``whole`` of them stand undamaged."""

    name: str
    text: str
    whole: int


@dataclass
class Tally:
    """What one peer made of everything it was asked."""

    name: str
    package: str = ""
    call: str = ""
    version: str = ""
    reason: str = ""
    """Why it did not run; empty when it did."""
    kinds: dict[str, Score] = field(default_factory=dict)
    accepted: int = 0
    silent_but_for_the_log: int = 0
    """Documents with a loss of which only a log told that must be asked for."""
    false_alarms: int = 0
    """Documents of which something was told although every unit came back and nothing else did."""
    raised: dict[str, int] = field(default_factory=dict)
    """Exceptions by name."""
    hung: int = 0
    died: int = 0
    bytes: int = 0
    seconds: float = 0.0
    rates: list[float] = field(default_factory=list)
    """For each answered document of the damage suite, MB/s."""
    hostile: dict[str, str] = field(default_factory=dict)
    """What became of each trap: answered, raised, hung, died."""
    hostile_kept: int = 0
    """Of the units that stand undamaged around the traps, how many came back."""
    large: dict[str, tuple[float, int, int]] = field(default_factory=dict)
    """For each large report MB/s (0: hung, died or raised), the units accepted, and how many stand undamaged."""

    def add(self, case: Case, reply: Reply) -> None:
        """Judge one reply and count it."""
        unlogged = reading_of(reply)
        reading = replace(unlogged, told=unlogged.told or reply.logged)
        score = judge(case.report, case.damaged, reading)
        self.silent_but_for_the_log += judge(case.report, case.damaged, unlogged).silent - score.silent
        self.kinds.setdefault(case.kind, Score())
        self.kinds[case.kind] += score
        self.accepted += len(reading.values)
        raw = case.damaged.text
        if reply.fate is Fate.ANSWERED:
            size = len(raw if isinstance(raw, bytes) else raw.encode("utf-8", "replace"))
            self.bytes += size
            self.seconds += reply.seconds
            if reply.seconds:
                self.rates.append(round(size / reply.seconds / 1e6, 4))
        self.hung += reply.fate is Fate.HUNG
        self.died += reply.fate is Fate.DIED
        if reply.raised:
            self.raised[reply.raised] = self.raised.get(reply.raised, 0) + 1
        expected = len(case.report.units) - len(case.damaged.gone)
        all_back = score.fabricated == 0 and len(reading.values) == expected
        self.false_alarms += reading.told and all_back

    def total(self, group: str = "") -> Score:
        """Sum the scores, of one group or of all."""
        score = Score()
        for kind, part in self.kinds.items():
            if group in ("", group_of(kind)):
                score += part
        return score

    @property
    def ran(self) -> bool:
        """Whether there is anything to tell."""
        return not self.reason

    @property
    def fabrication(self) -> float:
        """Units that nobody wrote, percent of the units that were accepted."""
        return 100.0 * self.total().fabricated / self.accepted if self.accepted else 0.0

    @property
    def guessed_right(self) -> int:
        """Units given back equal beyond the undamaged and those that a lossless edit gives: a guess, and right."""
        score = self.total()
        return self.accepted - score.recalled - score.recovered - score.fabricated - score.undecidable

    @property
    def typical_mb_s(self) -> float:
        """The median document of the damage suite, in 10**6 bytes by processor time; unanswered ones left out."""
        return median(self.rates) if self.rates else 0.0

    @property
    def overall_mb_s(self) -> float:
        """All bytes of the damage suite by all the processor time: one document that takes long weighs here."""
        return self.bytes / self.seconds / 1e6 if self.seconds else 0.0


def group_of(kind: str) -> str:
    """Return the class of damage that a kind belongs to."""
    return KINDS[kind].__module__.rpartition(".")[2]


def cases(per_kind: int, seed: int) -> Iterator[Case]:
    """Make the damaged reports: the same for the same seed."""
    for kind, make in KINDS.items():
        for number in range(per_kind):
            rng = Random(f"survival {seed} {kind} {number}")
            report = make_report(rng, style=rng.choice(DOCUMENT_STYLES))
            yield Case(kind, report, make(report, rng))


def traps() -> Iterator[Trap]:
    """Make the hostile deliveries, each about ``HOSTILE_CHARS`` long."""
    for name, trap in TRAPS.items():
        growth = (len(trap.make(60)) - len(trap.make(20))) / 40
        yield Trap(name, trap.make(max(20, round(HOSTILE_CHARS / growth))), trap.least)


def large_reports(seed: int) -> list[Large]:
    """Make the reports that speed is measured on: sound, 3 % of the units broken, cut off."""
    report = make_report(Random(f"survival {seed} large"), units=LARGE_UNITS, style=Style.PRETTY)
    texts = report.unit_texts
    broken = list(range(BROKEN_EVERY // 2, LARGE_UNITS, BROKEN_EVERY))
    for at in broken:
        texts[at] = texts[at].replace('",\n      "why"', '"\n      "why"', 1)
    cut = report.spans[LARGE_UNITS * 8 // 10]
    return [
        Large("sound", report.text, LARGE_UNITS),
        Large("3 % broken", report.join(texts), LARGE_UNITS - len(broken)),
        Large("cut at 80 %", report.text[: (cut.start + cut.end) // 2], LARGE_UNITS * 8 // 10),
    ]


def reading_of(reply: Reply) -> Reading:
    """Validate what a peer gave back, unit by unit, as its caller should; a refused unit counts as told.

    Not checked: the envelope; a peer that lost it is not marked down.
    """
    kept: list[dict[str, Any]] = []
    # Neither an object nor a list, and no exception: a caller cannot miss that.
    told = reply.told or not isinstance(reply.value, (dict, list))
    for item in units_in(reply.value):
        try:
            text = json.dumps(item, allow_nan=False)
            kept.append(Unit.model_validate_json(text, strict=True, extra="forbid").model_dump())
        except (ValidationError, ValueError, TypeError, RecursionError):
            told = True
    return Reading(tuple(kept), told=told, raised=reply.raised)


def units_in(value: Any) -> Iterator[Any]:
    """Find what may be a unit in whatever a peer gives back.

    Shape: a report, a list of reports, a list of units, one unit, or any of these under other keys. What
        stands in a list of units is a unit, or is refused as one; envelopes beside it are passed over.
    """
    if isinstance(value, list):
        for part in value:
            envelope = isinstance(part, dict) and {"recommendations", "summary", "complete"} & part.keys()
            if envelope or isinstance(part, list):
                yield from units_in(part)
            else:
                yield part
    elif isinstance(value, dict):
        if "recommendations" in value:
            inner = value["recommendations"]
            yield from units_in(inner) if isinstance(inner, (list, dict)) else [inner]
        elif "rank" in value or "candidate" in value:
            yield value
        else:
            for part in value.values():
                if isinstance(part, (dict, list)):
                    yield from units_in(part)


def distinct(reading: Reading) -> int:
    """Count the units that were accepted, each once."""
    return len({canonical(unit) for unit in reading.values})
