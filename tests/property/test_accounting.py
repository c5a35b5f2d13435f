"""Law: the account is total. Every character of every delivery is claimed once, whatever it is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from damage.laws import account_breaks
from damage.report import CONTRACT, make_report
from damage.strategies import deliveries, json_like
from pratique import Delivery, ToolCall

CONTRACTS = (CONTRACT,)


@settings(max_examples=300, deadline=None)
@given(deliveries())
def test_the_account_of_a_mangled_report_is_total(text: str) -> None:
    """Reports with random damage."""
    assert not account_breaks(CONTRACT.admit(text))


@settings(max_examples=300, deadline=None)
@given(json_like())
def test_the_account_of_anything_json_like_is_total(text: str) -> None:
    """Random runs of JSON fragments."""
    assert not account_breaks(CONTRACT.admit(text))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_the_account_of_bytes_is_total(raw: bytes) -> None:
    """Any bytes, UTF-8 or not."""
    assert not account_breaks(CONTRACT.admit(raw))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["triage", "Unit", "other", ""]), deliveries()), max_size=4), deliveries())
def test_the_account_of_tool_calls_is_total(calls: list[tuple[str, str]], text: str) -> None:
    """A delivery of text and tool calls: the spans count in its body."""
    delivery = Delivery(text=text, tool_calls=tuple(ToolCall(name, arguments) for name, arguments in calls))
    assert not account_breaks(CONTRACT.admit(delivery))


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_sound_report_is_wholly_claimed(rng) -> None:  # type: ignore[no-untyped-def]  # hypothesis gives its own Random
    """Nothing of a clean delivery is unclaimed."""
    report = make_report(rng)
    admission = CONTRACT.admit(report.text)
    assert not account_breaks(admission)
    assert not admission.unclaimed
    assert [unit.span for unit in admission.units] == list(report.spans)
