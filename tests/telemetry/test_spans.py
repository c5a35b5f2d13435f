"""One span a call, with what it cost; bounded, thread-safe, and never the ledger."""

from __future__ import annotations

import sys
import threading
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated

import pytest
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode
from typing_extensions import TypedDict

from pratique import AuditOnly, Contract, Delivery
from pratique.boundary.events import judged
from pratique.budget.caps import caps_of
from pratique.budget.events import BudgetAssumed, BudgetDispatched, BudgetExceededEvent, BudgetOverrun, BudgetVoided
from pratique.budget.guard import LlmInvocationGuard
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.price import Price, Usage
from pratique.budget.request import request_of
from pratique.errors import Misuse
from pratique.events import Told, record_of
from pratique.telemetry import OpenTelemetrySink
from pratique.telemetry.names import SCHEMA_URL
from telemetry.samples import CALL, ONE, SAMPLES, Traced, cost, failed, held, invoked, returned, settled

PRICE = Price(provider="p", model="m", input=Decimal(3), output=Decimal(15))
SECOND = 1_000_000_000


class Number(TypedDict):
    """A unit with something for people alone."""

    a: int
    why: Annotated[str, AuditOnly()]


def nanos(at: datetime) -> int:
    """Return a whole second in nanoseconds."""
    return int(at.timestamp()) * SECOND


def test_a_call_is_one_span_of_a_client_in_the_words_of_the_conventions() -> None:
    """The input tokens hold the cached ones, the finish reasons are a list, the provider has its settled name."""
    traced = Traced(clock=lambda: 5 * SECOND)
    traced.sink.emit(invoked(provider="google"))
    traced.sink.emit(returned(provider="google"))
    (span,) = traced.spans
    assert (span.name, span.kind, span.status.status_code) == ("chat m", SpanKind.CLIENT, StatusCode.UNSET)
    assert (span.start_time, span.end_time) == (5 * SECOND, 5 * SECOND + 1_500_000_000)
    assert traced.one == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gen_ai",
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 100,
        "gen_ai.response.id": "r1",
        "gen_ai.response.model": "m-2",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 327,
        "gen_ai.usage.cache_read.input_tokens": 20,
        "gen_ai.usage.cache_write.input_tokens": 300,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.reasoning.output_tokens": 15,
        "pratique.budget.name": "wf",
        "pratique.budget.token": "t",
    }


def test_what_was_not_told_is_left_out() -> None:
    """No finish reason is none, not an empty one."""
    traced = Traced()
    traced.sink.emit(invoked())
    traced.sink.emit(returned(response_id=None, finish_reason=None, reasoning_tokens=None))
    told = {"gen_ai.response.id", "gen_ai.response.finish_reasons", "gen_ai.usage.reasoning.output_tokens"}
    assert not told & traced.one.keys()
    assert None not in traced.one.values()


def test_a_call_that_failed_is_a_span_that_failed() -> None:
    """With the kind of its error, and no usage."""
    traced = Traced()
    traced.sink.emit(invoked())
    traced.sink.emit(failed())
    (span,) = traced.spans
    assert span.status.status_code is StatusCode.ERROR
    assert traced.one["error.type"] == "TimeoutError"
    assert not [name for name in traced.one if name.startswith("gen_ai.usage")]


def test_a_whole_run_of_a_guard_is_one_span_with_its_ceiling_and_its_cost() -> None:
    """The bill comes after the reply and stands on the same span; money is decimal text."""
    traced = Traced()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(traced.sink))
    request = request_of(b"x" * 952, provider="p", model="m", max_tokens=100, price=PRICE)
    with guard.hold(request) as token:
        token.redeem(request)
        traced.sink.emit(invoked(token.id))
        traced.sink.emit(returned(token.id))
        assert not traced.spans  # the bill is still to come
        guard.reconcile(token, Usage(input=500, output=80))
    (span,) = traced.spans
    assert (span.name, span.kind) == ("chat m", SpanKind.CLIENT)
    told = traced.one
    assert (told["pratique.budget.ceiling.tokens"], told["pratique.budget.ceiling.dollars"]) == (3_100, "0.0105")
    assert (told["pratique.budget.actual.tokens"], told["pratique.budget.actual.dollars"]) == (580, "0.0027")
    assert (told["pratique.cost.dollars"], told["pratique.cost.basis"]) == ("0.0027", "reported")
    assert (told["pratique.budget.outcome"], told["pratique.budget.late"]) == ("reconciled", False)
    assert told["pratique.budget.price"] == PRICE.digest
    assert not any(isinstance(value, float) for value in told.values())


def test_a_call_that_nobody_settled_says_that_its_cost_is_assumed() -> None:
    """And a bill that comes late is a span of its own, with the same token, and the difference."""
    traced = Traced()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(traced.sink))
    request = request_of(b"", provider="p", model="m", max_tokens=100, price=PRICE)
    with guard.hold(request) as token:
        token.redeem(request)
        traced.sink.emit(invoked(token.id))
        traced.sink.emit(failed(token.id))
    assert (traced.one["pratique.budget.outcome"], traced.one["pratique.cost.basis"]) == ("assumed", "assumed")
    guard.reconcile(token, Usage(input=1, output=1))
    call, late = traced.spans
    assert (late.name, late.kind) == ("hold m", SpanKind.INTERNAL)
    told = dict(late.attributes or {})
    assert told["pratique.budget.late"] is True
    assert told["pratique.cost.basis"] == "corrected"
    assert str(told["pratique.cost.dollars"]).startswith("-0.00")
    assert told["pratique.budget.token"] == dict(call.attributes or {})["pratique.budget.token"]
    assert not [name for name in told if name.startswith("gen_ai")]


def test_a_hold_without_a_leaf_is_a_span_of_its_own_that_nobody_counts_as_a_call() -> None:
    """Backends take whatever has a ``gen_ai`` attribute for a call, and would add it up twice."""
    ticks = iter(range(SECOND, 99 * SECOND, SECOND))
    traced = Traced(clock=lambda: next(ticks))
    for event in (held(), BudgetDispatched(**CALL), settled(), BudgetOverrun(**CALL, over=ONE), cost()):
        traced.sink.emit(event)
    (span,) = traced.spans
    assert (span.name, span.kind, span.start_time, span.end_time) == (
        "hold m", SpanKind.INTERNAL, SECOND, 5 * SECOND,
    )  # fmt: skip
    assert not [name for name in traced.one if name.startswith("gen_ai")]
    assert traced.one["pratique.budget.over.dollars"] == "1.00"
    assert "pratique.budget.unfinished" not in traced.one


@pytest.mark.parametrize(
    ("events", "outcome"),
    [
        ([held(), BudgetVoided(**CALL, ceiling=ONE)], "voided"),
        ([BudgetExceededEvent(**CALL, axis="dollars", ceiling=ONE)], "exceeded"),
        ([held(), BudgetDispatched(**CALL), BudgetAssumed(**CALL, charged=ONE), cost(basis="assumed")], "assumed"),
    ],
)
def test_a_hold_that_ends_otherwise_says_how(events: list[Told], outcome: str) -> None:
    """Given back, refused, or charged at its ceiling."""
    traced = Traced()
    for event in events:
        traced.sink.emit(event)
    assert traced.one["pratique.budget.outcome"] == outcome


def test_the_ledger_may_be_told_of_later_than_the_leaf() -> None:
    """A leaf tells at once, an outbox is carried: then each has its span, and the token joins them."""
    traced = Traced()
    traced.sink.emit(invoked())
    traced.sink.emit(returned())
    for event in (held(), BudgetDispatched(**CALL), settled(), cost()):
        traced.sink.take({**record_of(event), "at": "2026-11-22T09:00:00.250+00:00"})
    call, hold = traced.spans
    assert [call.name, hold.name] == ["chat m", "hold m"]
    assert hold.start_time == nanos(datetime(2026, 11, 22, 9, tzinfo=UTC)) + 250_000_000
    assert "pratique.cost.dollars" not in dict(call.attributes or {})
    assert dict(hold.attributes or {})["pratique.cost.dollars"] == "0.25"


def test_an_event_that_happens_stands_where_the_current_span_is_and_a_record_does_not() -> None:
    """What was carried happened elsewhere."""
    traced = Traced()
    with traced.tracer.start_as_current_span("request") as outer:
        traced.sink.emit(invoked())
        traced.sink.take(record_of(invoked("u")))
    with traced.tracer.start_as_current_span("other"):
        traced.sink.emit(returned())
        traced.sink.take(record_of(returned("u")))
    spans = {str(dict(span.attributes or {}).get("pratique.budget.token")): span for span in traced.spans}
    parent = spans["t"].parent
    assert parent is not None
    assert parent.span_id == outer.get_span_context().span_id
    assert spans["u"].parent is None


def test_a_reply_whose_request_was_not_heard_begins_as_long_ago_as_it_took() -> None:
    """The sink was made after it was sent, or gave it up."""
    traced = Traced(clock=lambda: 9 * SECOND)
    traced.sink.emit(returned())
    traced.sink.emit(failed("u"))
    one, other = traced.spans
    assert (one.name, one.start_time, one.end_time) == ("chat", 7_500_000_000, 9 * SECOND)
    assert (other.name, other.status.status_code) == ("chat m", StatusCode.ERROR)


def test_a_verdict_is_a_moment_with_its_status_and_counts() -> None:
    """Never what was for audit only, though the event has it."""
    contract = Contract.items(Number, name="numbers")
    delivery = Delivery(text='[{"a": 1, "why": "s3cr3t"}, {"a": "x", "why": ""}]')
    event = judged(contract.terms, delivery, contract.admit(delivery))
    assert "s3cr3t" in repr(event)
    traced = Traced()
    traced.sink.emit(event)
    assert "s3cr3t" not in traced.text
    (span,) = traced.spans
    assert (span.name, span.kind, span.start_time) == ("judge numbers", SpanKind.INTERNAL, span.end_time)
    told = traced.one
    assert (told["pratique.delivery.status"], told["pratique.delivery.truncated"]) == ("partial", False)
    assert told["pratique.delivery.units.admitted"] == 1
    assert told["pratique.delivery.units.schema"] == 1


def test_calls_that_never_return_do_not_pile_up() -> None:
    """The oldest is written as it stands and counted; what comes after all stands alone."""
    traced = Traced(max_open=3)
    for number in range(10):
        traced.sink.emit(invoked(f"t{number}"))
    assert (len(traced.spans), traced.sink.given_up) == (7, 7)
    assert all(dict(span.attributes or {})["pratique.budget.unfinished"] is True for span in traced.spans)
    traced.sink.emit(returned("t0"))
    traced.sink.flush()
    assert (len(traced.spans), traced.sink.given_up) == (7 + 1 + 3, 8)
    traced.sink.flush()
    assert len(traced.spans) == 11


def test_holds_and_unbilled_calls_do_not_pile_up_either() -> None:
    """A call that returned and waits for its bill is written without it, and is not unfinished."""
    traced = Traced(max_open=1)
    traced.sink.emit(held("a"))
    traced.sink.emit(invoked("a"))
    traced.sink.emit(returned("a"))
    traced.sink.emit(held("b"))
    traced.sink.emit(held("c"))
    first, second = traced.spans
    assert [first.name, second.name] == ["chat m", "hold m"]
    assert "pratique.budget.unfinished" not in dict(first.attributes or {})
    assert dict(second.attributes or {})["pratique.budget.unfinished"] is True


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "9"])
def test_a_limit_that_is_none_is_refused(wrong: int) -> None:
    """Nothing is open without a bound."""
    with pytest.raises(Misuse, match="max_open must be a whole number"):
        Traced(max_open=wrong)


def test_many_threads_lose_no_call_and_mix_none_up() -> None:
    """Each call's words come from its own thread, all at once."""
    traced = Traced()
    threads, calls = 8, 50
    barrier = threading.Barrier(threads)

    def run(mine: int) -> None:
        barrier.wait()
        for number in range(calls):
            token = f"{mine}-{number}"
            for event in (
                held(token), BudgetDispatched(**(CALL | {"token": token})), invoked(token),
                returned(token, output_tokens=mine), settled(token), cost(token),
            ):  # fmt: skip
                traced.sink.emit(event)

    workers = [threading.Thread(target=run, args=(mine,)) for mine in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(traced.spans) == threads * calls
    for span in traced.spans:
        told = dict(span.attributes or {})
        assert str(told["pratique.budget.token"]).split("-")[0] == str(told["gen_ai.usage.output_tokens"])
        assert told["pratique.cost.dollars"] == "0.25"


def test_one_call_told_by_two_threads_is_one_span() -> None:
    """The leaf's thread and the one that reconciles; whichever is last writes it, once."""
    for _ in range(50):
        traced = Traced()
        for event in (held(), BudgetDispatched(**CALL), invoked()):
            traced.sink.emit(event)
        barrier = threading.Barrier(2)

        def tell(events: list[Told], traced: Traced = traced, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            for event in events:
                traced.sink.emit(event)

        workers = [threading.Thread(target=tell, args=(told,)) for told in ([returned()], [settled(), cost()])]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert {"gen_ai.usage.output_tokens", "pratique.cost.dollars"} <= traced.one.keys()


def test_an_exporter_may_tell_the_sink_something() -> None:
    """Nothing is exported under the sink's lock."""
    traced = Traced()

    class Telling:
        def on_start(self, *_: object, **__: object) -> None:
            """Do nothing."""

        def _on_ending(self, *_: object) -> None:
            """Do nothing."""

        def on_end(self, _: object) -> None:
            """Tell the sink of a call, once."""
            if len(traced.spans) == 1:
                traced.sink.emit(invoked("inner"))
                traced.sink.emit(returned("inner"))

    traced.provider.add_span_processor(Telling())  # type: ignore[arg-type]  # it has what a processor has
    traced.sink.emit(invoked())
    traced.sink.emit(returned())
    assert len(traced.spans) == 2


def test_what_is_not_sampled_is_not_written_and_what_is_not_set_up_does_nothing() -> None:
    """Without the SDK the API does nothing, and so does the sink."""
    traced = Traced()
    traced.provider.sampler = ALWAYS_OFF
    sink = OpenTelemetrySink(traced.provider.get_tracer("off"))
    bare = OpenTelemetrySink()
    for event in SAMPLES.values():
        sink.emit(event)
        bare.emit(event)
    bare.flush()
    assert not traced.spans


def test_an_application_s_own_event_is_left_alone() -> None:
    """And one that bears the library's name and is none is told."""

    class Mine:
        name = "app.done"

        def to_dict(self) -> dict[str, object]:
            """Tell nothing."""
            return {}

    class Copied(Mine):
        name = "leaf.failed"

        def to_dict(self) -> dict[str, object]:
            """Tell what a real one tells."""
            return failed().to_dict()

    traced = Traced()
    traced.sink.emit(Mine())
    traced.sink.take({"event": "app.done", "at": "2026-11-22"})
    traced.sink.take({})
    assert not traced.spans
    traced.sink.emit(Copied())
    assert traced.one["error.type"] == "TimeoutError"


def test_a_record_that_is_none_is_a_misuse() -> None:
    """Of another version, or with a time that is none; a time without a zone is UTC."""
    traced = Traced()
    with pytest.raises(Misuse, match="has no token"):
        traced.sink.take({"event": "leaf.failed"})
    for at in ("yesterday", 7):
        with pytest.raises(Misuse, match="a record's time cannot be"):
            traced.sink.take({**record_of(SAMPLES["cost.sandbox.run"]), "at": at})
    traced.sink.take({**record_of(SAMPLES["cost.sandbox.run"]), "at": "2026-11-22T09:00:00"})
    assert traced.spans[0].start_time == nanos(datetime(2026, 11, 22, 9, tzinfo=UTC))


def test_a_record_of_wrong_values_leaves_nothing_behind() -> None:
    """No call is opened for it, and none is given up for it."""
    traced = Traced(max_open=1)
    traced.sink.emit(invoked())
    with pytest.raises(TypeError):
        traced.sink.take({**record_of(invoked("u")), "model": 7})
    traced.sink.emit(returned())
    traced.sink.flush()
    assert traced.one["gen_ai.usage.output_tokens"] == 40


def test_the_tracer_says_which_names_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the schema's address, where no tracer is given."""
    asked: list[object] = []
    monkeypatch.setattr("opentelemetry.trace.get_tracer", lambda *args, **more: asked.append((args[0], more)))
    OpenTelemetrySink()
    assert asked == [("pratique", {"schema_url": SCHEMA_URL})]


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the sink is made, not at the first call."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(Misuse, match=r"pip install 'pratique\[otel\]'"):
        OpenTelemetrySink()


def test_caps_that_an_operator_set_are_told_without_who_and_why() -> None:
    """That stands in the log."""
    traced = Traced()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(traced.sink))
    guard.override(caps_of(max_tokens=300_000), by="ann@example.org", reason="a long run")
    assert traced.one == {
        "pratique.budget.name": "wf",
        "pratique.budget.before.tokens": 250_000,
        "pratique.budget.before.dollars": "1.50",
        "pratique.budget.after.tokens": 300_000,
        "pratique.budget.after.dollars": "1.50",
        "pratique.budget.per_call.tokens": 32_000,
    }
