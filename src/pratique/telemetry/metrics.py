"""Prometheus: what is reserved, spent and called, counted as it is told. A sink, never the ledger.

It refuses nothing. What was spent is asked of the ledger, which is exact and knows what was before this process.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from pratique.all_events import AnyEvent, event_of
from pratique.audit.events import (
    AuditAbandoned,
    AuditClockWentBack,
    AuditIntent,
    AuditOutcome,
    AuditRecovered,
    AuditUnreadable,
)
from pratique.boundary.events import DeliveryJudged
from pratique.budget.amount import Amount
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
from pratique.budget.money import PICOS_PER_DOLLAR
from pratique.events import Event
from pratique.leaf.events import LeafFailed, LeafInvoked, LeafKeyLoaded, LeafReturned
from pratique.telemetry.attributes import HoldTold, plain
from pratique.telemetry.bounded import MAX_OPEN, Bounded
from pratique.telemetry.instruments import instruments_on
from pratique.telemetry.labels import MAX_MODELS, OTHER, Asked, Models
from pratique.telemetry.reading import typed

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

__all__ = ["NO_METRIC", "PrometheusSink"]

_OF_THE_LOG = "the audit log tells it of itself"
_OF_A_BUDGET = "it tells of one budget, and no budget is a label: the ledger shows it"

NO_METRIC: Mapping[type[AnyEvent], str] = types.MappingProxyType(
    {
        AuditAbandoned: _OF_THE_LOG,
        AuditClockWentBack: _OF_THE_LOG,
        AuditIntent: _OF_THE_LOG,
        AuditOutcome: _OF_THE_LOG,
        AuditRecovered: _OF_THE_LOG,
        AuditUnreadable: _OF_THE_LOG,
        BudgetCapOverridden: _OF_A_BUDGET,
        BudgetDispatched: "it moves no money: a hold stays reserved until it ends",
        BudgetEscrowed: _OF_A_BUDGET,
        BudgetOpened: _OF_A_BUDGET,
        BudgetReturned: _OF_A_BUDGET,
        LeafKeyLoaded: "no call",
        SandboxRunCost: "no call to a model, and what ran has any name",
    }
)
"""Events that move no metric -> why not."""


class _Held(NamedTuple):
    asked: Asked
    ceiling: Amount


class PrometheusSink:
    """Count what is told, in the metrics of one registry.

    Shape: ``emit`` takes events as they happen, as an ``EventSink``; ``take`` takes records that a log has, for
        ``carry(…, also=sink.take)``. Give it every event once: by the one way or by the other. Labels are provider,
        model and outcome.
    Limits: ``max_open`` holds and as many calls are kept in mind; beyond it the oldest is forgotten, and counted in
        ``llm_telemetry_given_up_total``: then ``reserved`` is too low, and one ratio is missing. ``max_models`` pairs
        of provider and model have series of their own.
    Errors: Misuse without the package prometheus-client, for a registry that has such metrics already, and for a record
        that is none.
    Not checked: anything against the ledger. Dollars are doubles, and their sums are not exact; what is reserved is
        summed exactly and rounded once.
    """

    def __init__(
        self, registry: CollectorRegistry | None = None, *, max_open: int = MAX_OPEN, max_models: int = MAX_MODELS
    ) -> None:
        self._models = Models(max_models)
        self._holds: Bounded[_Held] = Bounded(max_open)
        self._calls: Bounded[Asked] = Bounded(max_open)
        self._reserved: dict[Asked, int] = {}
        """In pico-dollars: whole numbers come back to 0, sums of doubles do not."""
        self._on = instruments_on(registry)
        self._mutex = threading.Lock()

    def emit(self, event: Event) -> None:
        """Count one event. An application's own is left alone."""
        self._count(typed(event))

    def take(self, record: Mapping[str, Any]) -> None:
        """Count one record of a log. An application's own is left alone."""
        self._count(event_of(record))

    def _count(self, event: AnyEvent | None) -> None:
        with self._mutex:
            match event:
                case BudgetPrecharged() | BudgetExceededEvent():
                    self._asked_for(event)
                case BudgetReconciled() | BudgetAssumed() | BudgetVoided():
                    self._ended(event)
                case BudgetOverrun():
                    self._on.overruns.labels(*self._labels(event)).inc()
                case BudgetReconcileConflict():
                    self._on.conflicts.labels(*self._labels(event)).inc()
                case LlmCallCost():
                    self._paid(event)
                case LeafInvoked():
                    if self._calls.keep(event.token, self._labels(event)) is not None:
                        self._on.given_up.labels("call").inc()
                case LeafReturned() | LeafFailed():
                    self._returned(event)
                case DeliveryJudged():
                    self._judged(event)
                case (
                    AuditAbandoned() | AuditClockWentBack() | AuditIntent() | AuditOutcome() | AuditRecovered()
                    | AuditUnreadable()
                    | BudgetCapOverridden() | BudgetDispatched() | BudgetEscrowed() | BudgetOpened() | BudgetReturned()
                    | LeafKeyLoaded() | SandboxRunCost()
                ):  # fmt: skip
                    assert type(event) in NO_METRIC, "tests/telemetry/test_events.py"
                case None:
                    pass
                case _:
                    assert_never(event)

    def _labels(self, event: HoldTold | LeafInvoked) -> Asked:
        """Return the labels of what tells whom it asked."""
        return self._models.labels(event.provider, event.model)

    def _asked_for(self, event: BudgetPrecharged | BudgetExceededEvent) -> None:
        """Count a call that asked for a hold; keep in mind what is reserved for it."""
        asked = self._labels(event)
        is_held = isinstance(event, BudgetPrecharged)
        self._on.precharges.labels(*asked, "reserved" if is_held else "exceeded").inc()
        if not is_held:
            return
        gone = self._holds.keep(event.token, _Held(asked, event.ceiling))
        if gone is not None:
            self._on.given_up.labels("hold").inc()
            self._reserve(gone.asked, -gone.ceiling.picos)
        self._reserve(asked, event.ceiling.picos)

    def _ended(self, event: BudgetReconciled | BudgetAssumed | BudgetVoided) -> None:
        """Count the end of a hold, and how much of it was used; of a late bill, the hold ended before."""
        if isinstance(event, BudgetAssumed):
            self._on.assumed.labels(*self._labels(event)).inc()
        held = self._holds.end(event.token)
        if held is None:
            return
        self._reserve(held.asked, -held.ceiling.picos)
        if isinstance(event, BudgetReconciled):
            actual, ceiling = event.actual, held.ceiling
            for axis, used, of in (
                ("tokens", actual.tokens, ceiling.tokens),
                ("dollars", actual.picos, ceiling.picos),
            ):
                if of:
                    self._on.ceiling_ratio.labels(*held.asked, axis).observe(used / of)

    def _reserve(self, asked: Asked, picos: int) -> None:
        now = self._reserved[asked] = self._reserved.get(asked, 0) + picos
        self._on.reserved.labels(*asked).set(now / PICOS_PER_DOLLAR)

    def _paid(self, event: LlmCallCost) -> None:
        """Count a charge, or what a later bill changed of one."""
        asked = self._models.labels(event.seller, event.item)
        for change, spent, corrected in (
            (float(Decimal(event.dollars)), self._on.spent_dollars, self._on.corrected_dollars),
            (event.quantity, self._on.spent_tokens, self._on.corrected_tokens),
        ):
            if event.basis == "corrected" or change < 0:
                corrected.labels(*asked, "down" if change < 0 else "up").inc(abs(change))
            else:
                spent.labels(*asked).inc(change)

    def _returned(self, event: LeafReturned | LeafFailed) -> None:
        """Count a call that ended, under the model that was asked for, whatever the reply calls it."""
        asked = self._calls.end(event.token) or OTHER
        outcome = "returned" if isinstance(event, LeafReturned) else "failed"
        self._on.calls.labels(*asked, outcome).inc()
        self._on.duration.labels(*asked, outcome).observe(event.took_ms / 1_000)
        if not isinstance(event, LeafReturned):
            return
        for kind, count in (
            ("input", event.input_tokens),
            ("cache_read", event.cache_read_tokens),
            ("cache_write", event.cache_write_tokens),
            ("output", event.output_tokens),
        ):
            self._on.tokens.labels(*asked, kind).inc(count)
        if event.reasoning_tokens is not None:
            self._on.reasoning.labels(*asked).inc(event.reasoning_tokens)

    def _judged(self, event: DeliveryJudged) -> None:
        self._on.deliveries.labels(plain(event.status)).inc()
        for outcome in ("admitted", "quarantined"):
            self._on.units.labels(outcome).inc(event.counts.get(outcome, 0))
