"""A whole run on a disk: a ledger in SQLite, an audit log, and telemetry that is told once the log has it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pratique.all_events import event_of
from pratique.audit import AuditLog, carry, verify
from pratique.budget import LlmInvocationGuard, SqliteLedger, Usage
from pratique.budget.price import Price
from pratique.budget.request import request_of
from pratique.telemetry import Tee, TelemetryFailed
from telemetry.samples import Counted, Traced, invoked, returned
from telemetry.test_tee import Failing

PRICE = Price(provider="p", model="m", input=Decimal(3), output=Decimal(15))
REQUEST = request_of(b"x" * 952, provider="p", model="m", max_tokens=100, price=PRICE)
SECRET = "the patient's name"


def records(path: Path) -> list[dict[str, Any]]:
    """Return what a log holds."""
    return [json.loads(line.split(b" ", 2)[2]) for line in path.read_bytes().splitlines()[1:]]


def spend(ledger: SqliteLedger, tee: Tee) -> None:
    """Make one call that is billed, and one that is lost and whose bill comes late."""
    guard = LlmInvocationGuard("wf", ledger=ledger)
    with guard.hold(REQUEST) as token:
        token.redeem(REQUEST)
        tee.emit(invoked(token.id, prompt=SECRET))
        tee.emit(returned(token.id, reply=SECRET))
        guard.reconcile(token, Usage(input=500, output=80))
    with guard.hold(REQUEST) as lost:
        lost.redeem(REQUEST)
    guard.reconcile(lost, Usage(input=500, output=80))


def test_what_the_log_has_telemetry_is_told_and_the_log_has_more(tmp_path: Path) -> None:
    """The prompt stands in the log, because it was asked for, and nowhere else; each record is told once."""
    path = tmp_path / "audit.log"
    traced, counted = Traced(), Counted()
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(path) as log:
        tee = Tee(log, traced.sink, counted.sink)
        spend(ledger, tee)
        carried = carry(ledger, log, also=tee.take)
        assert carry(ledger, log, also=tee.take) == 0
        spent = ledger.snapshot("wf").spent
    assert verify(path).is_sound
    assert tee.failures == (0, 0)
    told = records(path)
    assert len(told) == carried + 2
    assert SECRET in path.read_text(encoding="utf-8")
    assert SECRET not in traced.text
    assert SECRET not in counted.text
    assert [span.name for span in traced.spans] == ["chat m", "hold m", "hold m", "hold m"]
    costs = [
        Decimal(str((span.attributes or {})["pratique.cost.dollars"]))
        for span in traced.spans
        if "pratique.cost.dollars" in (span.attributes or {})
    ]
    assert sum(costs) == spent.dollars  # decimal text adds up exactly
    net = Decimal(str(counted.value("llm_budget_spent_usd_total"))) - Decimal(
        str(counted.value("llm_budget_corrections_usd_total", direction="down"))
    )
    assert float(net) == pytest.approx(float(spent.dollars))
    assert counted.value("llm_budget_reserved_usd") == 0.0


def test_spans_of_what_was_carried_have_the_ledger_s_time(tmp_path: Path) -> None:
    """Not that of the carrying."""
    traced = Traced(clock=lambda: 0)
    taken: list[dict[str, Any]] = []

    def also(record: dict[str, Any]) -> None:
        taken.append(record)
        traced.sink.take(record)

    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(tmp_path / "audit.log") as log:
        guard = LlmInvocationGuard("wf", ledger=ledger)
        guard.release(guard.precharge(REQUEST))
        carry(ledger, log, also=also)
    (span,) = traced.spans
    assert span.start_time is not None
    assert span.start_time > 1_700_000_000 * 10**9
    assert all(event_of(record) is not None for record in taken)


def test_telemetry_that_fails_loses_no_record(tmp_path: Path) -> None:
    """All are carried; the failures are counted, and told once."""
    path = tmp_path / "audit.log"
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(path) as log:
        tee = Tee(log, Failing(OSError("no collector")))
        with pytest.warns(TelemetryFailed):
            spend(ledger, tee)
        carried = carry(ledger, log, also=tee.take)  # a second warning would be an error
    assert len(records(path)) == carried + 2
    assert tee.failures == (carried + 2,)
