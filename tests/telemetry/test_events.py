"""Every event is told or left out for a reason, and of those that are told, only what is named leaves the house."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args

import pytest

from pratique.all_events import EVENTS
from pratique.events import record_of
from pratique.telemetry.attributes import MAX_TEXT_CHARS, HoldTold, attributes_of, plain
from pratique.telemetry.metrics import NO_METRIC
from pratique.telemetry.spans import NO_SPAN
from telemetry.samples import SAMPLES, Counted, Traced, held, invoked, nested, returned

SECRET = "s3cr3t-m4rk"


def test_there_is_a_sample_of_every_event() -> None:
    """A new event fails here, until somebody decides what telemetry makes of it."""
    assert set(SAMPLES) == set(EVENTS)


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("takes", [False, True])
def test_an_event_makes_a_span_or_is_left_out_for_a_reason(name: str, takes: bool) -> None:
    """As an event, and as a record."""
    traced = Traced()
    if takes:
        traced.sink.take({**record_of(SAMPLES[name]), "at": "2026-11-22T09:00:00.000+00:00"})
    else:
        traced.sink.emit(SAMPLES[name])
    traced.sink.flush()
    assert bool(traced.spans) is (EVENTS[name] not in NO_SPAN)
    assert NO_SPAN.get(EVENTS[name], "reason")


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("takes", [False, True])
def test_an_event_moves_a_metric_or_is_left_out_for_a_reason(name: str, takes: bool) -> None:
    """A hold must be known for its end to move what is reserved, and is."""
    counted = Counted()
    if name in ("budget.reconciled", "budget.voided"):
        counted.sink.emit(held())
    before = counted.text
    if takes:
        counted.sink.take(record_of(SAMPLES[name]))
    else:
        counted.sink.emit(SAMPLES[name])
    if name == "leaf.invoked":  # it is kept in mind for its end
        counted.sink.emit(returned())
    assert (counted.text != before) is (EVENTS[name] not in NO_METRIC)
    assert NO_METRIC.get(EVENTS[name], "reason")


TOLD_AS_SPANS = {
    *((kind.name, field) for kind in get_args(HoldTold) for field in ("budget", "token", "provider", "model", "price")),
    ("budget.exceeded", "axis"),
    ("budget.cap_overridden", "budget"),
    *(("cost.llm.call", field) for field in ("budget", "id", "seller", "item", "unit", "dollars", "basis", "price")),
    *(("cost.sandbox.run", field) for field in ("budget", "seller", "item", "unit", "dollars", "basis")),
    *(("leaf.invoked", field) for field in ("budget", "token", "provider", "model")),
    *(("leaf.returned", field) for field in ("token", "provider", "model", "response_id", "finish_reason")),
    *(("leaf.failed", field) for field in ("token", "provider", "model", "error")),
    *(
        ("boundary.delivery_judged", field)
        for field in ("contract", "version", "fingerprint", "producer", "status")
    ),
}  # fmt: skip
"""Texts that spans tell. No prompt, no reply, no digest of one, nothing for audit only, no person, no machine."""

TOLD_AS_METRICS = {
    *(
        (f"budget.{step}", label)
        for step in ("precharged", "exceeded", "assumed", "overrun", "reconcile_conflict")
        for label in ("provider", "model")
    ),
    ("cost.llm.call", "seller"),
    ("cost.llm.call", "item"),
    ("leaf.invoked", "provider"),
    ("leaf.invoked", "model"),
    ("boundary.delivery_judged", "status"),
}
"""Texts that become labels: never a workflow, a token or a budget, nor what a reply calls its model."""

TEXTS = [
    (name, field.name)
    for name, kind in EVENTS.items()
    for field in fields(kind)
    if any(word in str(field.type) for word in ("str", "object", "Basis"))
]


def marked(name: str, field: str) -> Any:
    """Return an event that holds the secret in one place."""
    was = getattr(SAMPLES[name], field)
    secret: Any = SECRET
    if field == "dollars":
        secret = "0.987654321"
    elif isinstance(was, dict):
        secret = nested(SECRET) | ({"admitted": 2} if field == "counts" else {})
    elif isinstance(was, list):
        secret = [{"unit": 0, "at": f"$.{SECRET}", "value": nested(SECRET)}]
    event: Any = replace(SAMPLES[name], **{field: secret})
    assert SECRET in repr(record_of(event)) or field == "dollars"
    return event


@pytest.mark.parametrize(("name", "field"), TEXTS)
def test_only_what_is_named_here_leaves_in_spans(name: str, field: str) -> None:
    """Each text of each event holds a secret in turn; where it comes out again is written above, and nowhere else."""
    traced = Traced()
    traced.sink.emit(marked(name, field))
    traced.sink.flush()
    found = "0.987654321" if field == "dollars" else SECRET
    assert (found in traced.text) is ((name, field) in TOLD_AS_SPANS)


@pytest.mark.parametrize(("name", "field"), TEXTS)
def test_only_what_is_named_here_leaves_in_metrics(name: str, field: str) -> None:
    """The same for labels."""
    counted = Counted()
    if name == "leaf.returned":
        counted.sink.emit(invoked())
    counted.sink.emit(marked(name, field))
    if name == "leaf.invoked":
        counted.sink.emit(returned(SECRET if field == "token" else "t"))
    assert (SECRET in counted.text) is ((name, field) in TOLD_AS_METRICS)


def test_the_places_that_matter_most_were_searched() -> None:
    """The texts of prompts and replies, and what is for people alone, are among those above."""
    searched = {
        ("leaf.invoked", "prompt"), ("leaf.returned", "reply"), ("boundary.delivery_judged", "audit_only"),
        ("audit.intent", "about"), ("audit.outcome", "found"), ("budget.cap_overridden", "reason"),
    }  # fmt: skip
    assert searched <= set(TEXTS)
    assert not searched & (TOLD_AS_SPANS | TOLD_AS_METRICS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("gpt-5", "gpt-5"),
        ("a\x1b[31m\nb\u202e", r"a\x1b[31m\nb\u202e"),
        ("\ud800", r"\ud800"),
        ("x" * (MAX_TEXT_CHARS + 1), "x" * MAX_TEXT_CHARS + "…"),
    ],
)
def test_what_a_provider_wrote_is_escaped_and_bounded(text: str, told: str) -> None:
    """One lone surrogate in a label would fail every scrape, in an attribute a whole batch of spans."""
    assert plain(text) == told
    assert attributes_of(returned(response_id=text))["gen_ai.response.id"] == told
    counted, traced = Counted(), Traced()
    counted.sink.emit(invoked(model=text))
    counted.sink.emit(returned())
    assert "llm_calls_total" in counted.text
    traced.sink.emit(invoked(model=text))
    traced.sink.emit(returned(model=text, finish_reason=text))
    traced.text.encode()
