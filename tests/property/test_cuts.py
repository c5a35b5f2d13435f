"""Law: a cut at any character costs only what it hits, is told, and a later cut never gives less."""

from __future__ import annotations

from functools import cache

import pytest

from damage.kind import Damaged
from damage.laws import broken_laws
from damage.oracle import Score, judge
from damage.readers import contract_for, read_off
from damage.report import BY_LINES, Report, Style, Unit, contract_of
from damage.sweeps import cuts, small_reports
from pratique import Admission, Status

STYLES = tuple(Style)


@cache
def _swept(style: Style) -> tuple[Report, list[tuple[Damaged, Admission[Unit]]]]:
    report = next(report for report in small_reports() if report.style is style)
    return report, [(case, contract_for(case).admit(case.text)) for case in cuts(report)]


@pytest.mark.parametrize("style", STYLES)
def test_every_complete_unit_is_admitted_and_nothing_is_made_up(style: Style) -> None:
    """Cut at every character: complete units come equal, the tail never does, and no loss is silent."""
    report, swept = _swept(style)
    score = Score()
    for case, admission in swept:
        score += judge(report, case, read_off(admission))
    assert score.recalled == score.untouched, "\n".join(score.misses[:5])
    assert score.fabricated == 0, "\n".join(score.misses[:5])
    assert score.silent == 0, "\n".join(score.misses[:5])


@pytest.mark.parametrize("style", STYLES)
def test_the_admitted_count_never_falls(style: Style) -> None:
    """As the cut moves right, never fewer units are admitted."""
    _, swept = _swept(style)
    counts = [len(admission.values) for _, admission in swept]
    falls = [(at, counts[at - 1], counts[at]) for at in range(1, len(counts)) if counts[at] < counts[at - 1]]
    assert not falls, (falls[:3], swept[falls[0][0]][0].note)


@pytest.mark.parametrize("style", STYLES)
def test_a_text_that_ends_inside_a_value_is_truncated(style: Style) -> None:
    """The flag is set exactly where the text ends inside a value; the finish reason says nothing here."""
    report, swept = _swept(style)
    whole = len(report.text.rstrip())
    for at, (case, admission) in enumerate(swept):
        if style in BY_LINES:
            line = report.text[:at].rpartition("\n")[2]
            inside = bool(line) and f"{line}\n" not in report.text
        else:
            inside = 0 < at < whole
        assert admission.truncated is inside, case.note
        if inside:
            assert admission.truncation is not None
            assert admission.truncation.seen, case.note
            assert not admission.truncation.told
            assert admission.truncation.offset <= at


@pytest.mark.parametrize("style", STYLES)
def test_the_general_laws_hold_at_every_cut(style: Style) -> None:
    """Accounting is total, losses have findings, findings are in order, messages are safe."""
    _, swept = _swept(style)
    for case, admission in swept:
        assert not broken_laws(admission), case.note


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("finish_reason", ["length", "MAX_TOKENS", "step_limit"])
def test_a_told_cut_is_truncated_even_when_the_text_is_whole(style: Style, finish_reason: str) -> None:
    """A provider that says it stopped early is believed, although the text parses."""
    report, _ = _swept(style)
    admission = contract_of(style).admit(report.text, finish_reason=finish_reason)
    assert admission.truncation is not None
    assert admission.truncation.told
    assert not admission.truncation.seen
    assert admission.status is Status.PARTIAL
    assert len(admission.values) == len(report.units)


@pytest.mark.parametrize("style", STYLES)
def test_a_cut_in_a_unit_puts_the_tail_in_quarantine(style: Style) -> None:
    """The unit that the cut hit is quarantined as truncated, with the raw text it has."""
    report, swept = _swept(style)
    for at, (case, admission) in enumerate(swept):
        hit = [index for index, span in enumerate(report.spans) if span.start + 1 < at < span.end]
        if not hit:
            continue
        assert [unit.reason.value for unit in admission.quarantined] == ["truncated"], case.note
        start = report.spans[hit[0]].start
        assert admission.quarantined[0].raw == report.text[start:at].rstrip(), case.note
