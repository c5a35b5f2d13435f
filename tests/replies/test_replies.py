"""Forty real replies of small models, each with the verdict that a person gave after reading it.

The verdicts follow the rules, not the code. ``quarantined`` lists the reasons in the order of the units;
``quarantined_among`` stands where the rules leave open into how many units a reply falls apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from examples.portfolio import portfolio, references_of

from pratique import Producer

FILES = sorted(Path(__file__).parent.glob("*.json"))
CASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}

each_reply = pytest.mark.parametrize("name", CASES)


def judge(name: str, producer: Producer = Producer.MODEL) -> dict[str, Any]:
    case = CASES[name]
    admission = portfolio.admit(
        case["raw"],
        references=references_of(case["workstreams"]),
        finish_reason=case["finish_reason"],
        producer=producer,
    )
    return {
        "status": admission.status.value,
        "truncated": admission.truncated,
        "admitted": [[item.rank, item.workstream_id] for item in admission.values],
        "quarantined": [unit.reason.value for unit in admission.quarantined],
    }


@each_reply
def test_a_real_reply_gets_the_verdict_that_a_reader_gave(name: str) -> None:
    """Status, truncation, admitted units and reasons are those in the case."""
    verdict = dict(CASES[name]["verdict"])
    assert verdict.pop("why")
    found = judge(name)
    if "quarantined_among" in verdict:
        among = verdict.pop("quarantined_among")
        assert set(found.pop("quarantined")) <= set(among)
    assert found == verdict


@each_reply
def test_the_verdict_on_a_real_reply_does_not_depend_on_who_delivers(name: str) -> None:
    """Model, agent and person pass the same gate."""
    assert judge(name, Producer.MODEL) == judge(name, Producer.AGENT) == judge(name, Producer.PERSON)


@each_reply
def test_every_character_of_a_real_reply_is_accounted_for(name: str) -> None:
    """The claims cover the reply without gap or overlap."""
    case = CASES[name]
    admission = portfolio.admit(
        case["raw"], references=references_of(case["workstreams"]), finish_reason=case["finish_reason"]
    )
    at = 0
    for claim in admission.account():
        assert claim.span.start == at
        at = claim.span.end
    assert at == len(case["raw"])


@each_reply
def test_what_was_admitted_of_a_real_reply_stands_in_it(name: str) -> None:
    """Each admitted value is what strict JSON reads at the unit's own place: nothing is invented."""
    case = CASES[name]
    admission = portfolio.admit(
        case["raw"], references=references_of(case["workstreams"]), finish_reason=case["finish_reason"]
    )
    for unit in admission.units:
        assert not unit.edits
        assert json.loads(case["raw"][unit.span.start : unit.span.end]) == unit.value.model_dump()


def test_the_selection_covers_what_real_replies_do() -> None:
    """At least 25 replies, from four models, with every status but empty and refused, and six reasons."""
    assert len(CASES) >= 25
    assert len({case["model"] for case in CASES.values()}) == 4
    assert {case["verdict"]["status"] for case in CASES.values()} == {"clean", "partial", "lost"}
    verdicts = [case["verdict"] for case in CASES.values()]
    reasons = {reason for verdict in verdicts for reason in verdict.get("quarantined", ["ambiguous"])}
    assert reasons == {"malformed", "duplicate_key", "truncated", "schema", "allow_list", "ambiguous"}
