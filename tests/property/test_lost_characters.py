"""Law: one lost character costs at most the units it touches, and makes nothing up."""

from __future__ import annotations

import pytest

from damage.laws import broken_laws
from damage.oracle import Score, judge
from damage.readers import contract_for, read_off
from damage.report import Style
from damage.sweeps import lost_characters, small_reports


@pytest.mark.slow
@pytest.mark.parametrize("style", tuple(Style))
def test_every_single_character_lost(style: Style) -> None:
    """Each of the others stays; what is not the original is only what stands sound in one scalar."""
    report = next(report for report in small_reports() if report.style is style)
    score, broken = Score(), []
    for case in lost_characters(report):
        admission = contract_for(case).admit(case.text)
        score += judge(report, case, read_off(admission))
        broken += [f"{case.note}: {law}" for law in broken_laws(admission)]
    assert score.fabricated == 0, "\n".join(score.misses[:8])
    assert score.recalled == score.untouched, "\n".join(score.misses[:8])
    assert score.silent == 0, "\n".join(score.misses[:8])
    assert not broken, broken[:5]
