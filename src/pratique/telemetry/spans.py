"""OpenTelemetry: a span for each call, with what it cost, and one for each verdict. A sink, never the ledger.

It refuses nothing and loses what it must: a process that is killed takes its open spans along, and what an exporter
could not send, the SDK tells its own logger alone. What was spent is asked of the ledger, what happened of the audit
log.
"""

from __future__ import annotations

import threading
import time
import types
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, assert_never

from pratique import __version__
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
from pratique.errors import Misuse
from pratique.events import Event
from pratique.leaf.events import LeafFailed, LeafInvoked, LeafKeyLoaded, LeafReturned
from pratique.telemetry import names
from pratique.telemetry.bounded import MAX_OPEN
from pratique.telemetry.calls import OpenCalls
from pratique.telemetry.drawing import Drawn, drawn_alone, drawn_call
from pratique.telemetry.reading import nanos_of, typed

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer

__all__ = ["NO_SPAN", "OpenTelemetrySink"]

_OF_THE_LOG = "the audit log tells it of itself; what an act was about may hold anything"
_OF_A_BUDGET = "bookkeeping of a budget, of no call: the ledger shows it"

NO_SPAN: Mapping[type[AnyEvent], str] = types.MappingProxyType(
    {
        AuditAbandoned: _OF_THE_LOG,
        AuditClockWentBack: _OF_THE_LOG,
        AuditIntent: _OF_THE_LOG,
        AuditOutcome: _OF_THE_LOG,
        AuditRecovered: _OF_THE_LOG,
        AuditUnreadable: _OF_THE_LOG,
        BudgetEscrowed: _OF_A_BUDGET,
        BudgetOpened: _OF_A_BUDGET,
        BudgetReturned: _OF_A_BUDGET,
        LeafKeyLoaded: "which key is used, and whence, is nobody's business but the log's",
    }
)
"""Events that make no span -> why not."""


class OpenTelemetrySink:
    """Write spans through a tracer: one a call, from ``leaf.invoked`` to its end, with its hold and its cost.

    Shape: ``emit`` takes events as they happen, as an ``EventSink``: their spans stand where the current span is.
        ``take`` takes records that a log has, for ``carry(…, also=sink.take)``: at their own time, each in a trace of
        its own. Give it every event once: by the one way or by the other.
    Units: ``clock`` tells nanoseconds since 1970, UTC.
    Limits: ``max_open`` calls are kept in mind; beyond it the oldest is written as it stands, marked
        ``pratique.budget.unfinished`` if it had no end, and counted in ``given_up``. Texts are cut at
        ``MAX_TEXT_CHARS``.
    Errors: Misuse without the package opentelemetry-api, and for a record that is none. What a span processor raises
        reaches the caller: ``Tee`` keeps it from there.
    Not checked: that spans arrive anywhere.
    """

    def __init__(
        self,
        tracer: Tracer | None = None,
        *,
        max_open: int = MAX_OPEN,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        try:
            from opentelemetry import context, trace
        except ImportError as error:
            raise Misuse(
                "spans need the package opentelemetry-api, which is not installed",
                remedy="pip install 'pratique[otel]', and opentelemetry-sdk with an exporter where the program starts",
            ) from error
        self._trace, self._context = trace, context
        self._tracer = tracer or trace.get_tracer("pratique", __version__, schema_url=names.SCHEMA_URL)
        self._clock = clock
        self._calls = OpenCalls(max_open)
        self._mutex = threading.Lock()

    @property
    def given_up(self) -> int:
        """How many calls were written before their last word came, to keep within ``max_open``."""
        return self._calls.given_up

    def emit(self, event: Event) -> None:
        """Tell one event, now. An application's own is left alone."""
        known = typed(event)
        if known is not None:
            self._tell(known, self._clock(), self._context.get_current())

    def take(self, record: Mapping[str, Any]) -> None:
        """Tell one record of a log, at its own time. An application's own is left alone."""
        known = event_of(record)
        if known is not None:
            at = nanos_of(record)
            self._tell(known, self._clock() if at is None else at, self._context.Context())

    def flush(self) -> None:
        """Write the calls that are open, as they stand: before a program ends. What comes later stands alone."""
        with self._mutex:
            calls = self._calls.take_all()
        self._write((drawn_call(call), call.context) for call in calls)

    def _tell(self, event: AnyEvent, at: int, context: Context) -> None:
        match event:
            case (
                LeafInvoked() | LeafReturned() | LeafFailed() | LlmCallCost() | BudgetPrecharged() | BudgetDispatched()
                | BudgetReconciled() | BudgetAssumed() | BudgetVoided() | BudgetOverrun() | BudgetExceededEvent()
                | BudgetReconcileConflict()
            ):  # fmt: skip
                with self._mutex:
                    calls = self._calls.take(event, at, context)
                self._write((drawn_call(call), call.context) for call in calls)
            case DeliveryJudged() | BudgetCapOverridden() | SandboxRunCost():
                self._write([(drawn_alone(event, at), context)])
            case (
                AuditAbandoned() | AuditClockWentBack() | AuditIntent() | AuditOutcome() | AuditRecovered()
                    | AuditUnreadable()
                | BudgetEscrowed() | BudgetOpened() | BudgetReturned() | LeafKeyLoaded()
            ):  # fmt: skip
                assert type(event) in NO_SPAN, "tests/telemetry/test_events.py"
            case _:
                assert_never(event)

    def _write(self, spans: Iterable[tuple[Drawn, Any]]) -> None:
        """Write spans that nobody else holds any more: outside the lock, because an exporter may be slow."""
        for drawn, context in spans:
            kind = self._trace.SpanKind.CLIENT if drawn.is_call else self._trace.SpanKind.INTERNAL
            span = self._tracer.start_span(
                drawn.name, context, kind, attributes=drawn.attributes, start_time=drawn.begins
            )
            if drawn.is_failed:
                span.set_status(self._trace.Status(self._trace.StatusCode.ERROR))
            span.end(end_time=max(drawn.begins, drawn.ends))
