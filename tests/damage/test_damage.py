"""The boundary against every kind of damage: undamaged units in, nothing made up, no loss silent."""

from __future__ import annotations

from random import Random

import pytest

from damage.kind import Damaged
from damage.kinds import KINDS
from damage.laws import broken_laws
from damage.oracle import Score, judge
from damage.readers import boundary, contract_for
from damage.report import Report, make_report

ROUNDS = 24
# Two payloads of the same rank admit nothing, so what stands in them is not "untouched".
RECOVERS = (
    "trailing_commas", "doubled_comma", "comments_in_units", "python_words", "python_document", "python_unit",
    "double_encoded", "nested_as_string", "list_as_string", "letter_case", "missing_comma", "extra_close",
)  # fmt: skip


def _made(name: str) -> list[tuple[Report, Damaged]]:
    made = []
    for seed in range(ROUNDS):
        rng = Random(f"{name} {seed}")
        report = make_report(rng)
        made.append((report, KINDS[name](report, rng)))
    return made


def _score(name: str) -> Score:
    score = Score()
    for report, damaged in _made(name):
        score += judge(report, damaged, boundary(damaged))
    return score


@pytest.mark.parametrize("name", sorted(KINDS))
def test_undamaged_units_are_admitted(name: str) -> None:
    """Every unit that stands undamaged in the text is admitted, and equal to what was written."""
    score = _score(name)
    assert score.recalled == score.untouched, "\n".join(score.misses[:5])


@pytest.mark.parametrize("name", sorted(KINDS))
def test_nothing_is_made_up(name: str) -> None:
    """No admitted unit differs from what was written, damage wholly inside one scalar apart."""
    score = _score(name)
    assert score.fabricated == 0, "\n".join(score.misses[:5])
    assert score.raised == 0


@pytest.mark.parametrize("name", sorted(KINDS))
def test_no_loss_is_silent(name: str) -> None:
    """Where a written unit is missing, the admission is not clean and a refusing finding says so."""
    score = _score(name)
    assert score.silent == 0, "\n".join(score.misses[:5])


@pytest.mark.parametrize("name", RECOVERS)
def test_lossless_edits_give_most_units_back(name: str) -> None:
    """Where one place only fits, the edit is made: most such units come back, all of them equal."""
    score = _score(name)
    assert score.recoverable > 0
    assert score.recovered >= 0.5 * score.recoverable, f"{score.recovered} of {score.recoverable}"


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_the_rules_fix_is_so(name: str) -> None:
    """Status, truncation, reasons and edits are what the rules leave no choice about."""
    for seed, (_, damaged) in enumerate(_made(name)):
        expect = damaged.expect
        admission = contract_for(damaged).admit(damaged.text)
        where = f"{name} {seed} [{damaged.note}]: {admission!r} {[str(f) for f in admission.all_findings[:4]]}"
        if expect.status is not None:
            assert admission.status.value in expect.status, where
        if expect.truncated is not None:
            assert admission.truncated is expect.truncated, where
        if expect.admitted is not None:
            assert len(admission.values) == expect.admitted, where
        if expect.reasons is not None:
            assert {unit.reason.value for unit in admission.quarantined} <= expect.reasons, where
            assert admission.quarantined, where
        if expect.edits is False:
            assert not any(unit.edits for unit in admission.units), where
            assert not admission.envelope_edits, where


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_general_laws_hold(name: str) -> None:
    """Accounting is total, every loss has a finding, findings are in order, messages are safe to print."""
    for seed, (_, damaged) in enumerate(_made(name)):
        assert not broken_laws(contract_for(damaged).admit(damaged.text)), (name, seed, damaged.note)
