"""What is reserved, spent and called, counted; bounded, thread-safe, and never the ledger."""

from __future__ import annotations

import sys
import threading
from decimal import Decimal

import pytest
from prometheus_client import CollectorRegistry, Counter, generate_latest

from pratique.budget.amount import NOTHING, amount_of
from pratique.budget.book import BudgetExceeded, ReconcileConflict
from pratique.budget.caps import caps_of
from pratique.budget.events import BudgetAssumed, BudgetReconciled, BudgetVoided
from pratique.budget.guard import LlmInvocationGuard
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.price import Price, Usage
from pratique.budget.request import request_of
from pratique.errors import Misuse
from pratique.telemetry import PrometheusSink
from pratique.telemetry.instruments import DURATION_BUCKETS
from telemetry.samples import CALL, ONE, SAMPLES, Counted, cost, failed, held, invoked, returned, settled

PRICE = Price(provider="p", model="m", input=Decimal(3), output=Decimal(15))
REQUEST = request_of(b"x" * 952, provider="p", model="m", max_tokens=100, price=PRICE)


def test_a_whole_run_of_a_guard_is_counted() -> None:
    """What was reserved is free again, what was spent is what the ledger says."""
    counted = Counted()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(counted.sink))
    with guard.hold(REQUEST) as token:
        assert counted.value("llm_budget_reserved_usd") == 0.0105
        token.redeem(REQUEST)
        counted.sink.emit(invoked(token.id))
        counted.sink.emit(returned(token.id))
        guard.reconcile(token, Usage(input=500, output=80))
    assert counted.value("llm_budget_reserved_usd") == 0.0
    assert counted.value("llm_budget_precharges_total", outcome="reserved") == 1.0
    assert counted.value("llm_budget_spent_usd_total") == 0.0027
    assert counted.value("llm_budget_spent_tokens_total") == 580.0
    assert counted.value("llm_budget_corrections_usd_total", direction="down") is None
    assert counted.value("llm_budget_ceiling_ratio_sum", axis="dollars") == 27 / 105
    assert counted.value("llm_budget_ceiling_ratio_sum", axis="tokens") == 580 / 3_100
    assert counted.value("llm_calls_total", outcome="returned") == 1.0
    assert counted.value("llm_call_duration_seconds_sum", outcome="returned") == 1.5


def test_no_token_is_of_two_types() -> None:
    """So that their sum is all of them; reasoning, a part of the output, is counted apart."""
    counted = Counted()
    counted.sink.emit(invoked())
    counted.sink.emit(returned())
    kinds = {"input": 7.0, "cache_read": 20.0, "cache_write": 300.0, "output": 40.0}
    assert {kind: counted.value("llm_budget_tokens_total", type=kind) for kind in kinds} == kinds
    assert counted.value("llm_budget_reasoning_tokens_total") == 15.0


def test_a_late_bill_is_a_correction_because_a_counter_cannot_fall() -> None:
    """What was spent stays as it was first charged; net of corrections it is what the ledger says."""
    counted = Counted()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(counted.sink))
    with guard.hold(REQUEST) as token:
        token.redeem(REQUEST)
    assert counted.value("llm_budget_orphans_assumed_total") == 1.0
    assert counted.value("llm_budget_spent_usd_total") == 0.0105
    guard.reconcile(token, Usage(input=500, output=80))
    assert counted.value("llm_budget_spent_usd_total") == 0.0105
    assert counted.value("llm_budget_corrections_usd_total", direction="down") == 0.0078
    assert counted.value("llm_budget_corrections_tokens_total", direction="down") == 3_100.0 - 580.0
    assert counted.value("llm_budget_corrections_usd_total", direction="up") is None
    assert counted.value("llm_budget_ceiling_ratio_count", axis="dollars") is None  # the hold had ended
    net = 0.0105 - 0.0078
    assert net == pytest.approx(float(guard.running_total().spent.dollars))


def test_a_late_bill_above_its_ceiling_is_a_correction_upwards() -> None:
    """And an overrun."""
    counted = Counted()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(counted.sink))
    with guard.hold(REQUEST) as token:
        token.redeem(REQUEST)
    guard.reconcile(token, Usage(input=500, output=5_000))
    assert counted.value("llm_budget_overruns_total") == 1.0
    assert counted.value("llm_budget_corrections_usd_total", direction="up") == 0.0765 - 0.0105


def test_refusals_and_conflicts_are_counted() -> None:
    """A call that does not fit, and a second bill."""
    counted = Counted()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(counted.sink), caps=caps_of(max_dollars="0.02"))
    token = guard.precharge(REQUEST)
    with pytest.raises(BudgetExceeded):
        guard.precharge(REQUEST)
    token.redeem(REQUEST)
    guard.reconcile(token, Usage(input=1))
    with pytest.raises(ReconcileConflict):
        guard.reconcile(token, Usage(input=2))
    assert counted.value("llm_budget_precharges_total", outcome="exceeded") == 1.0
    assert counted.value("llm_budget_conflicts_total") == 1.0


def test_what_is_reserved_comes_back_to_nothing_where_doubles_would_not() -> None:
    """0.1 + 0.2 - 0.1 - 0.2 is not 0 in doubles; what was spent in tenths is not exact, and says so."""
    assert 0.1 + 0.2 - 0.1 - 0.2 != 0
    counted = Counted()
    for token, dollars in (("a", "0.1"), ("b", "0.2")):
        counted.sink.emit(held(token, dollars))
    assert counted.value("llm_budget_reserved_usd") == 0.3
    for token, dollars in (("a", "0.1"), ("b", "0.2")):
        counted.sink.emit(settled(token, dollars))
        counted.sink.emit(cost(token, dollars))
    assert counted.value("llm_budget_reserved_usd") == 0.0
    assert counted.value("llm_budget_spent_usd_total") == 0.30000000000000004


def test_every_end_of_a_hold_frees_what_it_reserved_once() -> None:
    """And the end of one that was never seen frees nothing."""
    counted = Counted()
    ends = [settled("a"), BudgetAssumed(**(CALL | {"token": "b"}), charged=ONE),
            BudgetVoided(**(CALL | {"token": "c"}), ceiling=ONE)]  # fmt: skip
    for token in "abc":
        counted.sink.emit(held(token))
    for left, end in zip((2.0, 1.0, 0.0), ends, strict=True):
        counted.sink.emit(end)
        counted.sink.emit(end)
        assert counted.value("llm_budget_reserved_usd") == left
    counted.sink.emit(settled("never seen"))
    assert counted.value("llm_budget_reserved_usd") == 0.0
    assert counted.value("llm_budget_ceiling_ratio_count", axis="dollars") == 1.0


def test_what_costs_nothing_has_no_ratio_of_dollars() -> None:
    """Nothing of nothing is no number."""
    counted = Counted()
    counted.sink.emit(held("t", "0"))
    counted.sink.emit(BudgetReconciled(**CALL, actual=amount_of(10, 0), late=False))
    assert counted.value("llm_budget_ceiling_ratio_count", axis="tokens") == 1.0
    assert counted.value("llm_budget_ceiling_ratio_count", axis="dollars") is None


def test_a_ratio_of_one_is_within_and_more_is_beyond() -> None:
    """The bucket that ends at 1 is the border of an overrun."""
    counted = Counted()
    for token, dollars in (("a", "1.00"), ("b", "1.000000000001"), ("c", "1.01")):
        counted.sink.emit(held(token))
        counted.sink.emit(settled(token, dollars))
    assert counted.value("llm_budget_ceiling_ratio_bucket", axis="dollars", le="1.0") == 1.0
    assert counted.value("llm_budget_ceiling_ratio_bucket", axis="dollars", le="1.5") == 3.0


def test_a_failed_call_is_counted_under_the_model_that_was_asked_for() -> None:
    """One whose request was not heard is another's: what a reply calls its model could be anything."""
    counted = Counted()
    counted.sink.emit(invoked())
    counted.sink.emit(failed(model="whatever"))
    counted.sink.emit(returned("never heard"))
    assert counted.value("llm_calls_total", outcome="failed") == 1.0
    assert counted.value("llm_calls_total", provider="other", model="other", outcome="returned") == 1.0
    assert "whatever" not in counted.text
    assert "m-2" not in counted.text


def test_the_models_that_have_series_are_bounded() -> None:
    """The rest is one series."""
    counted = Counted(max_models=2)
    for number in range(50):
        counted.sink.emit(invoked(f"t{number}", model=f"m{number}"))
        counted.sink.emit(returned(f"t{number}"))
    series = [line for line in counted.text.splitlines() if line.startswith("llm_calls_total")]
    assert len(series) == 3
    assert counted.value("llm_calls_total", provider="other", model="other", outcome="returned") == 48.0
    with pytest.raises(Misuse, match="max_models must be"):
        Counted(max_models=0)


def test_holds_and_calls_that_never_end_do_not_pile_up() -> None:
    """The oldest are forgotten, and that is counted where it is looked at; the gauge is of what is kept."""
    counted = Counted(max_open=3)
    for number in range(10):
        counted.sink.emit(held(f"t{number}", "1.00"))
        counted.sink.emit(invoked(f"t{number}"))
    assert counted.value("llm_telemetry_given_up_total", what="hold") == 7.0
    assert counted.value("llm_telemetry_given_up_total", what="call") == 7.0
    assert counted.value("llm_budget_reserved_usd") == 3.0
    for number in range(10):
        counted.sink.emit(settled(f"t{number}"))
    assert counted.value("llm_budget_reserved_usd") == 0.0
    assert counted.value("llm_budget_ceiling_ratio_count", axis="dollars") == 3.0


def test_verdicts_are_counted_by_status() -> None:
    """And their units."""
    counted = Counted()
    counted.sink.emit(SAMPLES["boundary.delivery_judged"])
    assert counted.value("llm_deliveries_total", status="partial") == 1.0
    assert counted.value("llm_units_total", outcome="admitted") == 2.0
    assert counted.value("llm_units_total", outcome="quarantined") == 1.0


def test_many_threads_lose_no_count() -> None:
    """Threads of one guard, on one sink."""
    counted = Counted()
    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(counted.sink), caps=caps_of(max_dollars=100, max_tokens=10**9))
    threads, calls = 8, 50
    barrier = threading.Barrier(threads)

    def run() -> None:
        barrier.wait()
        for _ in range(calls):
            with guard.hold(REQUEST) as token:
                token.redeem(REQUEST)
                counted.sink.emit(invoked(token.id))
                counted.sink.emit(returned(token.id))
                guard.reconcile(token, Usage(input=500, output=80))

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    total = threads * calls
    assert guard.running_total().reserved == NOTHING
    assert counted.value("llm_budget_reserved_usd") == 0.0
    assert counted.value("llm_budget_spent_tokens_total") == 580.0 * total
    assert counted.value("llm_budget_spent_usd_total") == pytest.approx(0.0027 * total)
    assert counted.value("llm_calls_total", outcome="returned") == total
    assert counted.value("llm_budget_ceiling_ratio_count", axis="tokens") == total


def test_a_registry_has_all_metrics_or_none() -> None:
    """A second sink on it is refused, and so is one whose names are taken; nothing half is left behind."""
    counted = Counted()
    with pytest.raises(Misuse, match="make one PrometheusSink a registry"):
        PrometheusSink(counted.registry)
    taken = CollectorRegistry()
    Counter("llm_units_total", "Somebody else's.", registry=taken)
    with pytest.raises(Misuse, match="llm_units"):
        PrometheusSink(taken)
    assert b"llm_budget" not in generate_latest(taken)


def test_the_package_s_own_registry_is_the_default() -> None:
    """What ``start_http_server`` shows."""
    from prometheus_client import REGISTRY

    sink = PrometheusSink()
    with pytest.raises(Misuse):
        PrometheusSink()
    for metric in (getattr(sink._on, name) for name in sink._on.__slots__):
        REGISTRY.unregister(metric)


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the sink is made."""
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(Misuse, match=r"pip install 'pratique\[prometheus\]'"):
        PrometheusSink(CollectorRegistry())


def test_the_buckets_of_a_duration_begin_as_the_conventions_say() -> None:
    """0.01 to 81.92, and on."""
    assert [round(bound, 2) for bound in DURATION_BUCKETS[:14]] == [
        0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ]  # fmt: skip
    assert DURATION_BUCKETS[-1] > 600
