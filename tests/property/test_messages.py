"""Law: what is printed is safe, and findings come in order of place, then code."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.contracts import CONTRACTS
from damage.laws import message_breaks, order_breaks
from damage.report import CONTRACT
from damage.strategies import deliveries

NASTY = ("\x1b[2J", "\x00", "\x07", "\r", "\u202e", "\u2066", "\u200b", "\ufeff", "\x9b31m", "\u2028", "\U000e0041")


@settings(max_examples=300, deadline=None)
@given(deliveries())
def test_findings_are_in_order_and_safe(text: str) -> None:
    """Of any delivery."""
    admission = CONTRACT.admit(text)
    assert not order_breaks(admission)
    assert not message_breaks(admission)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(("rank", "action", "extra key")),
    st.lists(st.sampled_from((*NASTY, "word", '"', "\\")), min_size=1, max_size=8).map("".join),
    st.booleans(),
)
def test_a_nasty_value_reaches_no_message_raw(field: str, nasty: str, as_key: bool) -> None:
    """Control characters, overrides and invisible marks in values and in keys are shown escaped.

    The text is injected where a message quotes it: a value out of vocabulary, an unknown key.
    """
    unit = {"rank": 1, "action": "park", "why": "x"}
    unit |= {nasty: 1} if as_key else {field: nasty}
    for name in ("list", "report", "tagged", "unique", "referenced"):
        admission = CONTRACTS[name].admit(json.dumps([unit, unit]))
        assert admission.all_findings
        assert not message_breaks(admission)
