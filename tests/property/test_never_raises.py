"""Law: no producer content raises anything, under any contract, and the general laws hold for all of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.contracts import CONTRACTS
from damage.laws import broken_laws
from damage.strategies import deliveries, hostile_text, json_like, json_objects, json_text
from pratique import Delivery, ToolCall

NAMES = sorted(CONTRACTS)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(text=json_like() | deliveries())
def test_no_text_raises(name: str, text: str) -> None:
    """Text, JSON-like or not, with any contract."""
    assert not broken_laws(CONTRACTS[name].admit(text))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(written=json_text(json_objects() | st.lists(json_objects(3), max_size=4)))
def test_no_sound_json_raises(name: str, written: tuple[str, object]) -> None:
    """Sound JSON that is no unit of the contract."""
    assert not broken_laws(CONTRACTS[name].admit(written[0]))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_raise(raw: bytes) -> None:
    """Any bytes."""
    for name in ("report", "list", "one", "batch"):
        assert not broken_laws(CONTRACTS[name].admit(raw))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=80))
def test_no_character_raises(text: str) -> None:
    """Any code points, lone surrogates too, alone and inside a unit's string."""
    unit = f'[{{"rank": 1, "action": "park", "why": "{text}"}}]'
    for source in (text, unit, json.dumps(unit)):
        assert not broken_laws(CONTRACTS["list"].admit(source))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(hostile_text(20) | st.sampled_from(["triage", "Item"]), deliveries()), max_size=3),
    deliveries(),
    st.none() | hostile_text(20) | st.sampled_from(["stop", "length", "content_filter", "weird"]),
)
def test_no_delivery_raises(calls: list[tuple[str, str]], text: str, finish_reason: str | None) -> None:
    """Text and tool calls and a finish reason of any kind."""
    delivery = Delivery(
        text=text, tool_calls=tuple(ToolCall(name, raw) for name, raw in calls), finish_reason=finish_reason
    )
    for name in ("report", "list", "one", "batch"):
        assert not broken_laws(CONTRACTS[name].admit(delivery))
