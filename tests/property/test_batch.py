"""Law: a batch is all or nothing. What was cut off or lost a unit admits nothing."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from damage.kinds import KINDS
from damage.laws import broken_laws
from damage.oracle import Reading, judge
from damage.readers import contract_for
from damage.report import BARE, CONTRACT, WITH_ENVELOPE, Envelope, Style, Unit, make_report
from damage.strategies import mangled
from damage.sweeps import cuts, lost_characters, small_reports
from pratique import Contract, Limits, Status

LIMITS = Limits(max_items=100)
BATCH = Contract.batch(Unit, at="recommendations", envelope=Envelope, name="triage", limits=LIMITS)
BARE_BATCH = Contract.batch(Unit, name="triage", limits=LIMITS)


def _batch(style: Style) -> Contract[Unit]:
    return BATCH if style in WITH_ENVELOPE else BARE_BATCH


@pytest.mark.parametrize("style", tuple(Style))
def test_a_cut_batch_admits_nothing(style: Style) -> None:
    """At every character at which the text ends inside a value."""
    report = next(report for report in small_reports() if report.style is style)
    for case in cuts(report):
        admission = _batch(style).admit(case.text)
        if admission.truncated:
            assert not admission.values, case.note
            assert admission.status is Status.LOST, case.note
        assert not broken_laws(admission), case.note


@pytest.mark.parametrize("finish_reason", ["length", "max_tokens", "step_limit"])
def test_a_batch_that_is_told_to_be_cut_admits_nothing(finish_reason: str) -> None:
    """Although all of it parses."""
    for style in Style:
        report = make_report(Random(1), style=style)
        admission = _batch(style).admit(report.text, finish_reason=finish_reason)
        assert not admission.values
        assert {unit.reason.value for unit in admission.quarantined} == {"batch"}
        assert len(admission.quarantined) == len(report.units)


@pytest.mark.slow
@pytest.mark.parametrize("style", tuple(Style))
def test_a_damaged_batch_is_whole_or_nothing(style: Style) -> None:
    """Every single character lost: all units as written, or none of them."""
    report = next(report for report in small_reports() if report.style is style)
    for case in lost_characters(report):
        admission = _batch(style).admit(case.text)
        assert len(admission.values) in (0, len(report.units)), case.note
        values = tuple(value.model_dump() for value in admission.values)
        score = judge(report, case, Reading(values, told=True))
        assert score.fabricated == 0, score.misses[:3]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_batch_with_one_bad_unit_admits_nothing(name: str) -> None:
    """Where the same text costs an items contract a unit, it costs a batch all of them."""
    for seed in range(6):
        rng = Random(f"{name} {seed}")
        damaged = KINDS[name](make_report(rng), rng)
        batch = (BARE_BATCH if damaged.bare else BATCH).admit(damaged.text)
        items = contract_for(damaged).admit(damaged.text)
        if items.counts["quarantined"] or items.truncated:
            assert not batch.values, (name, seed)
        elif batch.values:
            assert batch.values == items.values, (name, seed)
            assert batch.status is Status.CLEAN, (name, seed)


@settings(max_examples=200, deadline=None)
@given(mangled())
def test_any_mangled_batch_is_whole_or_nothing(text: str) -> None:
    """A batch never admits what an items contract would not, nor a part of it."""
    for one_by_one, together in ((CONTRACT, BATCH), (BARE, BARE_BATCH)):
        items, batch = one_by_one.admit(text), together.admit(text)
        assert batch.values in ((), items.values)
        assert not batch.values or batch.status is Status.CLEAN
        if items.counts["quarantined"] or items.truncated:
            assert not batch.values
