"""Law: the same rigour for every producer. Model, agent and person get the same verdict."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from damage.kinds import KINDS
from damage.report import CONTRACT, make_report
from damage.strategies import deliveries
from pratique import Producer


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_of_damage_is_judged_alike(name: str) -> None:
    """One delivery, three producers, one verdict."""
    for seed in range(3):
        rng = Random(f"{name} {seed}")
        text = KINDS[name](make_report(rng), rng).text
        verdicts = [CONTRACT.admit(text, producer=producer).to_dict() for producer in Producer]
        assert verdicts[0] == verdicts[1] == verdicts[2]


@settings(max_examples=100, deadline=None)
@given(deliveries())
def test_any_text_is_judged_alike(text: str) -> None:
    """Whatever it is."""
    verdicts = [CONTRACT.admit(text, producer=producer).to_dict() for producer in Producer]
    assert verdicts[0] == verdicts[1] == verdicts[2]
