"""The oracle can fail: every bad reader is caught by the count that is meant to catch it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from damage.kind import Damaged
from damage.kinds import KINDS
from damage.oracle import Reading, Score, differs_in_one_leaf, judge
from damage.readers import Reader, closing_reader, naive_scan, silent_scan
from damage.report import Report, make_report

ROUNDS = 40


def _score(reader: Reader, *names: str, rounds: int = ROUNDS) -> Score:
    score = Score()
    for name in names:
        for seed in range(rounds):
            rng = Random(f"{name} {seed}")
            report = make_report(rng)
            damaged = KINDS[name](report, rng)
            score += judge(report, damaged, reader(damaged))
    return score


def _report() -> tuple[Report, Damaged]:
    report = make_report(Random(7), units=5)
    return report, Damaged(text=report.text, kind="valid", untouched=tuple(range(5)))


def test_a_perfect_reading_scores_perfectly() -> None:
    """All units admitted and equal: full recall, nothing else."""
    report, damaged = _report()
    score = judge(report, damaged, Reading(report.truth, told=False))
    assert (score.recalled, score.fabricated, score.undecidable, score.silent) == (5, 0, 0, 0)


def test_closing_a_cut_tail_is_fabrication() -> None:
    """A reader that closes what was cut off makes up units and is caught."""
    assert _score(closing_reader, "cut_in_string", "cut_in_number", rounds=300).fabricated > 0


def test_taking_the_last_of_two_keys_is_fabrication() -> None:
    """A reader that lets the last of two equal keys win is caught."""
    assert _score(naive_scan, "duplicate_key").fabricated > 0


def test_taking_what_reasoning_holds_is_fabrication() -> None:
    """A reader that scans every brace admits drafts and decoys, and is caught."""
    assert _score(naive_scan, "decoy_comment").fabricated > 0
    assert _score(naive_scan, "reasoning").fabricated > 0


def test_never_telling_is_silence() -> None:
    """A reader that drops broken units without a word is caught."""
    assert _score(silent_scan, "missing_colon").silent > 0


def _reads_nothing(_damaged: Damaged) -> Reading:
    return Reading((), told=True)


def test_reading_nothing_has_no_recall() -> None:
    """A reader that admits nothing is safe and useless: recall says so."""
    score = _score(_reads_nothing, "valid", "missing_comma")
    assert score.untouched > 0
    assert score.recalled == 0
    assert score.fabricated == 0


def _altered(unit: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**unit, **changes}


@pytest.mark.parametrize(
    "changes",
    [{"rank": True}, {"rank": 99}, {"owner": ""}, {"why": "something else"}, {"wsjf": None}, {"extra": 1}],
    ids=["true for 1", "number", "empty", "text", "nested lost", "one more key"],
)
def test_an_altered_unit_is_fabricated(changes: dict[str, Any]) -> None:
    """Any difference at all, of type too, makes a unit fabricated and its original missing."""
    report, damaged = _report()
    values = (_altered(report.truth[0], **changes), *report.truth[1:])
    score = judge(report, damaged, Reading(values, told=False))
    assert (score.fabricated, score.recalled, score.silent) == (1, 4, 1)


def test_a_unit_admitted_twice_is_fabricated() -> None:
    """What was written once may be admitted once."""
    report, damaged = _report()
    assert judge(report, damaged, Reading((*report.truth, report.truth[2]), told=False)).fabricated == 1


def test_the_excuse_covers_one_scalar_of_the_damaged_unit_only() -> None:
    """An undecidable unit may differ in one scalar; two differences, or another unit, are fabricated."""
    report, _ = _report()
    damaged = Damaged(text=report.text, kind="hidden", untouched=(0, 1, 3, 4), undecidable=(2,))
    one = _altered(report.truth[2], why="cut")
    two = _altered(one, rank=77)
    other = _altered(report.truth[1], why="cut")
    rest = (*report.truth[:2], *report.truth[3:])
    assert judge(report, damaged, Reading((*rest, one), told=False)).fabricated == 0
    assert judge(report, damaged, Reading((*rest, one), told=False)).undecidable == 1
    assert judge(report, damaged, Reading((*rest, two), told=False)).fabricated == 1
    assert judge(report, damaged, Reading((*rest, other), told=False)).fabricated == 1
    assert judge(report, damaged, Reading((*rest, one, one), told=False)).fabricated == 1


def test_differing_in_one_leaf_looks_into_nested_objects() -> None:
    """One changed number in a nested object is one leaf; two are two."""
    unit = make_report(Random(3)).truth[0]
    once = _altered(unit, wsjf={**unit["wsjf"], "size": 99})
    twice = _altered(once, wsjf={**once["wsjf"], "value": 99})
    assert differs_in_one_leaf(once, unit)
    assert not differs_in_one_leaf(twice, unit)
    assert not differs_in_one_leaf(unit, unit)
