"""Law: admitting is pure. The same delivery gives the same verdict, and nothing handed in is changed."""

from __future__ import annotations

import copy
from random import Random

import pytest
from hypothesis import given, settings

from damage.kinds import KINDS
from damage.report import CONTRACT, make_report
from damage.strategies import deliveries
from pratique import Delivery, ToolCall


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_second_verdict_equals_the_first(name: str) -> None:
    """Another delivery in between leaves no trace."""
    rng = Random(name)
    text = KINDS[name](make_report(rng), rng).text
    other = make_report(rng).text
    first = CONTRACT.admit(text).to_dict()
    CONTRACT.admit(other[: len(other) // 2])
    assert CONTRACT.admit(text).to_dict() == first


@settings(max_examples=100, deadline=None)
@given(deliveries(), deliveries())
def test_a_delivery_is_not_changed(text: str, arguments: str) -> None:
    """Text, calls, usage and ids are as they were; the admission holds the very delivery it was given."""
    usage = {"output_tokens": 7}
    delivery = Delivery(text=text, tool_calls=(ToolCall("triage", arguments),), usage=usage, ids={"run": "1"})
    before = copy.deepcopy(delivery)
    admission = CONTRACT.admit(delivery)
    admission.to_dict()
    assert delivery == before
    assert usage == {"output_tokens": 7}
    assert admission.delivery == before


@settings(max_examples=60, deadline=None)
@given(deliveries())
def test_asking_again_gives_the_same_objects(text: str) -> None:
    """What is made on demand is made once."""
    admission = CONTRACT.admit(text)
    assert admission.units is admission.units
    assert admission.account() is admission.account()
    assert admission.to_dict() == admission.to_dict()
