"""The contract of the daily report: what it admits, what it notes, in what order, and how it counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import pytest

from pratique import Contract, Misuse, Status
from pratique.apps.triage import Recommendation, RrOe, Wsjf, triage, triage_contract, wsjf_score

KNOWN = frozenset(f"ws-{number}" for number in range(1, 30))
SUMMARY = "One thing first, one thing never."


def wsjf(value: float, time: float, risk: float, opportunity: float, size: float, score: float) -> dict[str, float]:
    return {
        "score": score,
        "strategic_value": value,
        "time_criticality": time,
        "risk_reduction": risk,
        "opportunity_enablement": opportunity,
        "job_size": size,
    }


SOUND = wsjf(8, 5, 3, 2, 3, 6.0)


def item(rank: int, estimate: Mapping[str, Any] | None = None, /, **changed: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"rank": rank, "candidate": f"ws-{rank}", "action": "work-next"}
    if estimate is not None:
        given |= {"confidence": "medium", "wsjf": dict(estimate)}
    return given | {"why": "It is due."} | changed


def admit(*items: dict[str, Any], contract: Contract[Recommendation] = triage) -> Any:
    report = {"summary": SUMMARY, "recommendations": list(items)}
    return contract.admit(json.dumps(report), references={"workstream": KNOWN})


def ranks(admission: Any) -> list[int]:
    return [value.rank for value in admission.values]


def codes(admission: Any) -> list[str]:
    return [finding.code for unit in admission.units for finding in unit.findings]


# ---------------------------------------------------------------------- what passes


def test_a_sound_report_is_clean() -> None:
    """Summary and items pass without a finding."""
    admission = admit(item(1, SOUND), item(2))
    assert admission.status is Status.CLEAN
    assert admission.envelope.summary == SUMMARY
    assert ranks(admission) == [1, 2]
    assert codes(admission) == []


def test_the_keys_of_an_item_may_come_in_any_order() -> None:
    """A report from before the order was decided is admitted as it is."""
    backwards = dict(reversed(item(1, SOUND).items()))
    assert next(iter(backwards)) == "why"
    assert admit(backwards).status is Status.CLEAN


def test_the_order_told_to_a_producer_begins_with_the_rank_and_ends_with_a_required_key() -> None:
    """A reader that lost its place finds the next item by its rank; a cut item cannot pass for whole."""
    schema = triage.terms.unit.schema
    keys = list(schema["properties"])
    assert keys[0] == "rank"
    assert keys[-1] == "why"
    assert {"rank", "why"} <= set(schema["required"])


@pytest.mark.parametrize(
    "action", ["work-next", "needs-human", "revisit", "park", "needs-consistency-sync", "close-out", "split"]
)
def test_each_word_of_the_vocabulary_passes(action: str) -> None:
    """All seven actions are admitted."""
    assert admit(item(1, action=action)).status is Status.CLEAN


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "changed",
    [
        {"rank": 0},
        {"rank": True},
        {"rank": "1"},
        {"action": "delete"},
        {"why": ""},
        {"why": "x" * 601},
        {"confidence": "0.8"},
        {"note": "one key more"},
        {"candidate": ""},
        {"wsjf": "6.0"},
    ],
)
def test_an_item_that_breaks_the_schema_costs_itself_alone(changed: dict[str, Any]) -> None:
    """The neighbour is admitted; the item is quarantined as schema."""
    admission = admit(item(1, **changed), item(2))
    assert ranks(admission) == [2]
    assert [unit.reason.value for unit in admission.quarantined] == ["schema"]


@pytest.mark.parametrize("missing", ["rank", "candidate", "action", "why"])
def test_each_required_key_is_required(missing: str) -> None:
    """An item without it is quarantined."""
    lacking = item(1)
    del lacking[missing]
    assert [unit.reason.value for unit in admit(lacking, item(2)).quarantined] == ["schema"]


@pytest.mark.parametrize("field", list(SOUND))
@pytest.mark.parametrize("written", ["true", "-1", '"5"', "null", "NaN", "Infinity", "1e400"])
def test_no_component_is_a_boolean_negative_text_or_not_finite(field: str, written: str) -> None:
    """Each of the six numbers refuses what is no finite number of at least 0, and costs its item alone."""
    text = json.dumps({"summary": SUMMARY, "recommendations": [item(1, SOUND | {field: "HERE"}), item(2)]})
    admission = triage.admit(text.replace('"HERE"', written), references={"workstream": KNOWN})
    assert ranks(admission) == [2]
    assert len(admission.quarantined) == 1


@pytest.mark.parametrize("size", [0, 0.0, -0.0, -3])
def test_a_job_size_of_zero_or_less_is_refused(size: float) -> None:
    """Nothing is divided by it."""
    assert ranks(admit(item(1, SOUND | {"job_size": size}), item(2))) == [2]


@pytest.mark.parametrize("field", list(SOUND))
def test_an_estimate_has_all_its_components(field: str) -> None:
    """A score that cannot be recomputed cannot be audited."""
    lacking = {name: value for name, value in SOUND.items() if name != field}
    assert ranks(admit(item(1, lacking), item(2))) == [2]


def test_a_candidate_that_does_not_exist_is_refused() -> None:
    """The allow-list comes with the call."""
    admission = admit(item(1, candidate="ws-99"), item(2))
    assert [unit.reason.value for unit in admission.quarantined] == ["allow_list"]


@pytest.mark.parametrize("second", [{"rank": 1}, {"candidate": "ws-1"}])
def test_two_claims_to_one_rank_or_candidate_quarantine_both(second: dict[str, Any]) -> None:
    """Which of the two was meant cannot be told."""
    admission = admit(item(1), item(2, **second), item(3))
    assert ranks(admission) == [3]
    assert [unit.reason.value for unit in admission.quarantined] == ["conflict", "conflict"]


def test_a_report_without_its_summary_is_not_clean_but_keeps_its_items() -> None:
    """The envelope is lost on its own."""
    admission = triage.admit(json.dumps({"recommendations": [item(1)]}), references={"workstream": KNOWN})
    assert admission.status is Status.PARTIAL
    assert ranks(admission) == [1]
    assert admission.envelope is None


# ---------------------------------------------------------------------- score and order


def test_safe_worked_by_hand() -> None:
    """Three features on SAFe's scale, each column with a 1; cost of delay over job size.

    A: (13 + 8 + 1) / 5 = 4.4   B: (1 + 1 + 13) / 1 = 15   C: (8 + 20 + 3) / 13 = 31 / 13
    Source: the formula and the scale are SAFe's (framework.scaledagile.com/wsjf); the features are ours.
    """
    a, b, c = wsjf(13, 8, 1, 0, 5, 4.4), wsjf(1, 1, 13, 0, 1, 15), wsjf(8, 20, 3, 0, 13, 2.38)
    scores = [wsjf_score(Wsjf(**estimate)) for estimate in (a, b, c)]
    assert scores == [4.4, 15.0, 31 / 13]
    assert ranks(admit(item(1, a), item(2, b), item(3, c))) == [2, 1, 3]


def test_the_sum_gives_risk_and_opportunity_double_weight_and_the_maximum_does_not() -> None:
    """sum: (8 + 5 + 3 + 2) / 3 = 6; max: (8 + 5 + 3) / 3 = 16 / 3."""
    estimate = Wsjf(**SOUND)
    assert wsjf_score(estimate) == wsjf_score(estimate, rr_oe="sum") == 6.0
    assert wsjf_score(estimate, rr_oe="max") == 16 / 3


def test_the_choice_of_rr_oe_shows_in_the_version_and_the_fingerprint() -> None:
    """Two contracts that judge differently never look the same."""
    by_max = triage_contract(rr_oe="max")
    assert triage.version == "1+rr_oe=sum"
    assert by_max.version == "1+rr_oe=max"
    assert triage.fingerprint != by_max.fingerprint
    assert triage.fingerprint == triage_contract(rr_oe="sum").fingerprint


def test_the_choice_of_rr_oe_can_change_the_order() -> None:
    """Item 1 is (1 + 1 + 5 + 5) / 1 = 12 by sum and 7 by max; item 2 is (8 + 1 + 1 + 0) / 1 = 10 and 10."""
    first, second = wsjf(1, 1, 5, 5, 1, 12), wsjf(8, 1, 1, 0, 1, 10)
    assert ranks(admit(item(1, first), item(2, second))) == [1, 2]
    assert ranks(admit(item(1, first), item(2, second), contract=triage_contract(rr_oe="max"))) == [2, 1]


def test_another_word_for_rr_oe_is_misuse() -> None:
    """The caller is told the two that exist."""
    with pytest.raises(Misuse, match=r'use "sum" or "max"'):
        triage_contract(rr_oe=cast(RrOe, "mean"))


@pytest.mark.parametrize(
    ("given", "noted"),
    [(6.0, False), (6.05, False), (6.06, False), (6.07, True), (5.9, True), (0, True), (60, True)],
)
def test_a_score_that_does_not_follow_is_a_note_and_costs_nothing(given: float, noted: bool) -> None:
    """Computed 6.0: 1 % of it, 0.06, is wider than 0.05."""
    admission = admit(item(1, SOUND | {"score": given}))
    assert admission.status is Status.CLEAN
    assert (codes(admission) == ["triage.score_mismatch"]) is noted


def test_a_small_score_has_the_fixed_tolerance() -> None:
    """Computed 0.5: 0.05, which is included, is wider than 1 % of it."""
    small = wsjf(1, 1, 1, 1, 8, 0.5)
    assert codes(admit(item(1, small | {"score": 0.55}))) == []
    assert codes(admit(item(1, small | {"score": 0.56}))) == ["triage.score_mismatch"]


def test_the_note_on_a_score_says_both_figures_and_the_choice() -> None:
    """A reader can check it without the report."""
    (unit,) = admit(item(1, SOUND | {"score": 9})).units
    (finding,) = unit.findings
    assert finding.message == "given 9.0, computed 6 with rr_oe=sum"
    assert finding.path == "$.recommendations[0].wsjf.score"


def test_the_report_is_ordered_by_the_recomputed_score_not_by_the_given_one() -> None:
    """A producer cannot rank an item up by writing a large score."""
    admission = admit(item(1, SOUND | {"score": 6}), item(2, wsjf(1, 1, 1, 1, 8, 99)))
    assert ranks(admission) == [1, 2]
    assert codes(admission) == ["triage.score_mismatch"]


def test_ties_go_by_rank_and_items_without_an_estimate_come_last() -> None:
    """Equal scores: the lower rank first; no score: after all that have one, by rank."""
    low = wsjf(1, 1, 1, 1, 20, 0.2)
    admission = admit(item(4), item(3, SOUND), item(2), item(5, low), item(1, SOUND))
    assert ranks(admission) == [1, 3, 5, 2, 4]


def test_of_nine_items_the_best_seven_are_kept() -> None:
    """The cap takes the lowest scores, wherever they stand, and loses nothing else."""
    sizes = {1: 20, 2: 1, 3: 2, 4: 3, 5: 13, 6: 5, 7: 8, 8: 1, 9: 2}
    items = [item(rank, wsjf(1, 1, 1, 1, size, round(4 / size, 2))) for rank, size in sizes.items()]
    admission = admit(*items)
    assert ranks(admission) == [2, 8, 3, 9, 4, 6, 7]
    assert [json.loads(unit.raw)["rank"] for unit in admission.quarantined] == [1, 5]
    assert {unit.reason.value for unit in admission.quarantined} == {"over_limit"}
    assert admission.status is Status.PARTIAL
    assert len(triage_contract(max_items=9).admit(
        json.dumps({"summary": SUMMARY, "recommendations": items}), references={"workstream": KNOWN}
    ).values) == 9  # fmt: skip


def test_a_component_between_the_steps_is_a_note_for_each_field() -> None:
    """4 and 6 are not on the modified Fibonacci scale; the score is computed from them all the same."""
    admission = admit(item(1, wsjf(4, 5, 6, 2, 1, 17)))
    (unit,) = admission.units
    assert [finding.code for finding in unit.findings] == ["triage.off_scale", "triage.off_scale"]
    assert [finding.path for finding in unit.findings] == [
        "$.recommendations[0].wsjf.strategic_value",
        "$.recommendations[0].wsjf.risk_reduction",
    ]
    assert admission.status is Status.CLEAN


def test_an_estimate_without_a_confidence_is_a_note() -> None:
    """Each scored item is asked to say how sure it is."""
    unsure = item(1, SOUND)
    del unsure["confidence"]
    assert codes(admit(unsure)) == ["triage.no_confidence"]
    assert codes(admit(item(1))) == []


def test_absurd_components_are_noted_and_raise_nothing() -> None:
    """Sums and quotients that overflow are infinite, sort first, and are no agreement with any score."""
    absurd = wsjf(1e308, 1e308, 1, 1, 1e-308, 1e308)
    admission = admit(item(2, SOUND), item(1, absurd))
    assert ranks(admission) == [1, 2]
    assert "triage.score_mismatch" in codes(admission)
