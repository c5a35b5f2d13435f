"""One event of every kind, and what reads what the sinks made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry, generate_latest

from pratique.all_events import AnyEvent
from pratique.audit.events import (
    AuditAbandoned,
    AuditClockWentBack,
    AuditIntent,
    AuditOutcome,
    AuditRecovered,
    AuditUnreadable,
)
from pratique.boundary.events import DeliveryJudged
from pratique.budget.amount import Amount, amount_of
from pratique.budget.costs import LlmCallCost, SandboxRunCost
from pratique.budget.events import (
    BudgetAssumed,
    BudgetCapOverridden,
    BudgetDispatched,
    BudgetEscrowed,
    BudgetExceededEvent,
    BudgetOpened,
    BudgetOverrun,
    BudgetPrecharged,
    BudgetReconcileConflict,
    BudgetReconciled,
    BudgetReturned,
    BudgetVoided,
)
from pratique.leaf.events import LeafFailed, LeafInvoked, LeafKeyLoaded, LeafReturned
from pratique.telemetry import OpenTelemetrySink, PrometheusSink

CALL: dict[str, Any] = {"budget": "wf", "token": "t", "provider": "p", "model": "m", "price": "b3:0"}
ONE = Amount(10, 10**12)


def invoked(token: str = "t", **more: Any) -> LeafInvoked:
    """Tell that a call is on its way."""
    told: dict[str, Any] = {
        "budget": "wf", "provider": "p", "model": "m", "max_tokens": 100, "request_digest": "d", "prompt_digest": "d",
    }  # fmt: skip
    return LeafInvoked(token=token, **(told | more))


def returned(token: str = "t", **more: Any) -> LeafReturned:
    """Tell that a reply came."""
    told: dict[str, Any] = {
        "provider": "p", "model": "m-2", "response_id": "r1", "finish_reason": "stop", "reply_digest": "d",
        "input_tokens": 7, "cache_read_tokens": 20, "cache_write_tokens": 300, "output_tokens": 40,
        "reasoning_tokens": 15, "took_ms": 1_500,
    }  # fmt: skip
    return LeafReturned(token=token, **(told | more))


def failed(token: str = "t", **more: Any) -> LeafFailed:
    """Tell that none came."""
    told: dict[str, Any] = {"provider": "p", "model": "m", "error": "TimeoutError", "took_ms": 20}
    return LeafFailed(token=token, **(told | more))


def held(token: str = "t", dollars: str = "1.00", **more: Any) -> BudgetPrecharged:
    """Tell that a ceiling is held."""
    ceiling = amount_of(1_000, dollars)
    return BudgetPrecharged(**(CALL | {"token": token} | more), ceiling=ceiling, digest="d", owner="host-7")


def settled(token: str = "t", dollars: str = "0.25", *, late: bool = False, **more: Any) -> BudgetReconciled:
    """Tell that a bill came."""
    return BudgetReconciled(**(CALL | {"token": token} | more), actual=amount_of(500, dollars), late=late)


def cost(token: str = "t", dollars: str = "0.25", quantity: int = 500, basis: Any = "reported") -> LlmCallCost:
    """Tell what a call cost."""
    return LlmCallCost(
        budget="wf", id=token, seller="p", item="m", quantity=quantity, unit="token", dollars=dollars, basis=basis,
        price="b3:0",
    )  # fmt: skip


SAMPLES: dict[str, AnyEvent] = {
    event.name: event
    for event in (
        AuditAbandoned(id="i", act="a"),
        AuditClockWentBack(by_ms=1),
        AuditIntent(id="i", act="a", about={"to": "b"}),
        AuditOutcome(id="i", act="a", error="", took_ms=1, found={"in": "b"}),
        AuditRecovered(bytes=1, blake3="b3:0", kept="torn"),
        AuditUnreadable(bytes=1, blake3="b3:0"),
        BudgetAssumed(**CALL, charged=ONE),
        BudgetCapOverridden(budget="wf", by="ann", reason="long", before=ONE, after=ONE, per_call_tokens=9),
        BudgetDispatched(**CALL),
        BudgetEscrowed(budget="wf", portfolio="all", taken=ONE),
        BudgetExceededEvent(**CALL, axis="tokens", ceiling=ONE),
        BudgetOpened(budget="wf", cap=ONE, per_call_tokens=9, portfolio=""),
        BudgetOverrun(**CALL, over=ONE),
        held(),
        BudgetReconcileConflict(**CALL, settled=ONE, told=ONE),
        settled(),
        BudgetReturned(budget="wf", portfolio="all", returned=ONE),
        BudgetVoided(**CALL, ceiling=ONE),
        DeliveryJudged(
            contract="advice", version="1", fingerprint="b3:0", producer="model", model="m", digest="b3:0",
            status="partial", truncated=False,
            counts={"seen": 3, "admitted": 2, "quarantined": 1, "not_kept": 0, "schema": 1}, audit_only=[],
        ),
        failed(),
        invoked(),
        LeafKeyLoaded(provider="p", source="keyring"),
        returned(),
        cost(),
        SandboxRunCost(
            budget="wf", id="r", seller="here", item="pytest", quantity=5, unit="ms", dollars="0.00", basis="measured"
        ),
    )
}  # fmt: skip


class Traced:
    """A sink for spans, with the real SDK behind it."""

    def __init__(self, **more: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("test")
        self.sink = OpenTelemetrySink(self.tracer, **more)

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """What was exported, in order."""
        return self.exporter.get_finished_spans()

    @property
    def one(self) -> dict[str, Any]:
        """The attributes of the one span that was exported."""
        (span,) = self.spans
        return dict(span.attributes or {})

    @property
    def text(self) -> str:
        """All that was exported, as an exporter writes it."""
        return "\n".join(span.to_json() for span in self.spans)


class Counted:
    """A sink for metrics, with a registry of its own."""

    def __init__(self, **more: Any) -> None:
        self.registry = CollectorRegistry()
        self.sink = PrometheusSink(self.registry, **more)

    def value(self, name: str, **labels: str) -> float | None:
        """Return one sample, of the provider p and its model m if it has these labels; None: there is none."""
        asked = {"provider": "p", "model": "m"}
        found = self.registry.get_sample_value(name, asked | labels)
        return self.registry.get_sample_value(name, labels) if found is None else found

    @property
    def text(self) -> str:
        """All that is scraped, but for when each series began."""
        lines = generate_latest(self.registry).decode().splitlines()
        return "\n".join(line for line in lines if "_created" not in line)


def nested(text: str) -> dict[str, object]:
    """Put a text where a value that may hold anything holds it."""
    return {text: [text, {"value": text}]}
