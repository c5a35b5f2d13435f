"""The oracle: what a reader made of a damaged report, against what was written.

It knows the truth, so it needs no rule of the reader's: an admitted unit is equal to a unit that was
written and not yet counted, or it is fabricated. The one excuse is damage wholly inside one scalar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from damage.kind import Damaged
from damage.report import Report, canonical

__all__ = ["Reading", "Score", "judge"]


@dataclass(frozen=True)
class Reading:
    """What a reader gave back for one delivery."""

    values: tuple[dict[str, Any], ...]
    told: bool
    """Whether the reader said, in any way, that something is wrong: a finding, a flag, an exception."""
    raised: str = ""


@dataclass
class Score:
    """Counts over one or more deliveries; ``+=`` adds two."""

    documents: int = 0
    written: int = 0
    untouched: int = 0
    recalled: int = 0
    recoverable: int = 0
    recovered: int = 0
    fabricated: int = 0
    undecidable: int = 0
    silent: int = 0
    raised: int = 0
    misses: list[str] = field(default_factory=list)

    def __iadd__(self, other: Score) -> Score:
        for name in (
            "documents", "written", "untouched", "recalled", "recoverable", "recovered", "fabricated", "undecidable",
            "silent", "raised",
        ):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.misses += other.misses
        return self

    @property
    def recall(self) -> float:
        """Untouched units admitted equal, percent; 100 when there are none."""
        return 100.0 * self.recalled / self.untouched if self.untouched else 100.0


def _leaves(value: Any, path: str = "") -> Iterable[tuple[str, str]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{path}.{key}")
    else:
        yield path, canonical(value)


def differs_in_one_leaf(value: dict[str, Any], original: dict[str, Any]) -> bool:
    """Say whether two units differ in exactly one scalar."""
    here, there = dict(_leaves(value)), dict(_leaves(original))
    return here.keys() == there.keys() and sum(here[path] != there[path] for path in here) == 1


def judge(report: Report, damaged: Damaged, reading: Reading) -> Score:
    """Score one reading.

    Shape: *recall* counts untouched units admitted equal. *Fabricated* counts admitted units that equal no
        unit that was written, a second admission of one unit included. *Undecidable* counts those that
        differ from a unit of ``damaged.undecidable`` in one scalar only. *Silent* is 1 when a written unit
        is missing or altered and the reader told nothing.
    """
    truth = report.truth
    written = Counter(canonical(unit) for unit in truth)
    equal: Counter[str] = Counter()
    excused = set(damaged.undecidable)
    score = Score(documents=1, written=len(truth), raised=bool(reading.raised))
    silent_alteration = False
    for value in reading.values:
        text = canonical(value)
        if equal[text] < written[text]:
            equal[text] += 1
            continue
        silent_alteration = True
        index = next((at for at in sorted(excused) if differs_in_one_leaf(value, truth[at])), None)
        if index is None:
            score.fabricated += 1
            score.misses.append(f"{damaged.kind}: fabricated {text} [{damaged.note}]")
        else:
            excused.discard(index)
            score.undecidable += 1
            silent_alteration = False
    missing = {index for index, unit in enumerate(truth) if not equal[canonical(unit)]}
    read_as_undecidable = set(damaged.undecidable) - excused
    for index in damaged.untouched:
        score.untouched += 1
        score.recalled += index not in missing
        if index in missing:
            score.misses.append(f"{damaged.kind}: unit {index} stands undamaged but was not admitted [{damaged.note}]")
    score.recoverable = len(damaged.recoverable)
    score.recovered = sum(index not in missing for index in damaged.recoverable)
    if (missing - read_as_undecidable - set(damaged.gone) or silent_alteration) and not reading.told:
        score.silent = 1
        score.misses.append(f"{damaged.kind}: silent loss [{damaged.note}]")
    return score
