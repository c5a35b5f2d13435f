"""Law: a lost stretch of 30 to 120 characters makes nothing up and costs hardly any unit it does not touch."""

from __future__ import annotations

import pytest

from damage.laws import broken_laws
from damage.oracle import Score, judge
from damage.readers import contract_for, read_off
from damage.report import Style
from damage.sweeps import lost_stretches, small_reports

MIN_RECALL = 99.5
"""Percent. A stretch lost from inside one string into the next leaves the string state unknown."""


@pytest.mark.slow
@pytest.mark.parametrize("style", tuple(Style))
def test_a_stretch_lost_at_every_place(style: Style) -> None:
    """A seeded length at every place: no unit differs from what was written, scalars apart."""
    report = next(report for report in small_reports() if report.style is style)
    score, broken = Score(), []
    for case in lost_stretches(report, seed=len(style)):
        admission = contract_for(case).admit(case.text)
        score += judge(report, case, read_off(admission))
        broken += [f"{case.note}: {law}" for law in broken_laws(admission)]
    assert score.fabricated == 0, "\n".join(m for m in score.misses if "fabricated" in m)
    assert score.silent == 0, "\n".join(m for m in score.misses if "silent" in m)
    assert score.recall >= MIN_RECALL, f"{score.recall}\n" + "\n".join(score.misses[:8])
    assert not broken, broken[:5]
