"""The log first; telemetry that fails stops nobody, and is not gone over in silence."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping
from typing import Any

import pytest

from pratique.budget.guard import LlmInvocationGuard
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.errors import Misuse, Outage
from pratique.events import Event, record_of
from pratique.telemetry import Tee, TelemetryFailed, TelemetrySink
from telemetry.samples import SAMPLES, Counted, Traced, invoked, returned

EVENT = SAMPLES["leaf.failed"]


class Kept:
    """Keep the names of what is told, in a list that several share."""

    def __init__(self, seen: list[str], who: str) -> None:
        self.seen, self.who = seen, who

    def emit(self, event: Event) -> None:
        """Keep one."""
        self.seen.append(f"{self.who} {event.name}")

    def take(self, record: Mapping[str, Any]) -> None:
        """Keep one."""
        self.seen.append(f"{self.who} took {record['event']}")


class Failing:
    """Raise, whatever it is told."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def emit(self, _: Event) -> None:
        """Raise."""
        raise self.error

    def take(self, _: Mapping[str, Any]) -> None:
        """Raise."""
        raise self.error


def test_the_log_is_told_first_and_of_records_telemetry_alone() -> None:
    """``carry`` has written those itself."""
    seen: list[str] = []
    tee = Tee(Kept(seen, "log"), Kept(seen, "a"), Kept(seen, "b"))
    tee.emit(EVENT)
    tee.take(record_of(EVENT))
    assert seen == ["log leaf.failed", "a leaf.failed", "b leaf.failed", "a took leaf.failed", "b took leaf.failed"]


def test_what_the_log_has_not_got_nobody_is_told() -> None:
    """The log's failure reaches the caller: there is no deed without its record."""
    seen: list[str] = []
    tee = Tee(Failing(Outage("the disk is full")), Kept(seen, "a"))
    with pytest.raises(Outage, match="full"):
        tee.emit(EVENT)
    assert (seen, tee.failures) == ([], (0,))


def test_a_sink_that_fails_is_told_once_and_counted_each_time() -> None:
    """The caller goes on, and so do the other sinks."""
    seen: list[str] = []
    tee = Tee(Kept(seen, "log"), Failing(RuntimeError("no\nroute")), Kept(seen, "b"))
    with pytest.warns(TelemetryFailed, match=r'Failing failed: RuntimeError: "no\\nroute"') as told:
        tee.emit(EVENT)
    tee.emit(EVENT)  # a second warning would be an error
    tee.take(record_of(EVENT))
    assert [warning.filename for warning in told] == [__file__]
    assert tee.failures == (3, 0)
    assert seen == ["log leaf.failed", "b leaf.failed"] * 2 + ["b took leaf.failed"]


def test_where_warnings_are_errors_telemetry_stops_nobody_either() -> None:
    """It stays counted."""
    tee = Tee(Kept([], "log"), Failing(RuntimeError()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tee.emit(EVENT)
    assert tee.failures == (1,)


def test_a_caller_may_be_told_each_time_instead() -> None:
    """With the sink and the error; and may make it a failure of its own."""
    told: list[tuple[TelemetrySink, Exception]] = []
    error = RuntimeError()
    sink = Failing(error)
    tee = Tee(Kept([], "log"), sink, on_failure=lambda *failure: told.append(failure))
    tee.emit(EVENT)
    tee.emit(EVENT)
    assert told == [(sink, error)] * 2

    def strict(_: TelemetrySink, error: Exception) -> None:
        raise error

    with pytest.raises(RuntimeError):
        Tee(Kept([], "log"), sink, on_failure=strict).emit(EVENT)


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
def test_the_end_of_the_program_is_no_failure_of_a_sink(ending: type[BaseException]) -> None:
    """It goes through."""
    tee = Tee(Kept([], "log"), Failing(ending()))
    with pytest.raises(ending):
        tee.emit(EVENT)
    assert tee.failures == (0,)


def test_a_step_of_a_ledger_happens_though_telemetry_fails() -> None:
    """And does not where the log fails; ``tests/budget/test_guard.py`` has that."""
    seen: list[str] = []
    with pytest.warns(TelemetryFailed):
        guard = LlmInvocationGuard("wf", ledger=MemoryLedger(Tee(Kept(seen, "log"), Failing(OSError("down")))))
    assert guard.running_total().cap.tokens == 250_000
    assert seen == ["log budget.opened"]


def test_a_record_that_no_sink_can_read_stops_no_carrying() -> None:
    """Of another version: a Misuse to whoever gives it to a sink, a failure of telemetry here."""
    traced, counted = Traced(), Counted()
    tee = Tee(Kept([], "log"), traced.sink, counted.sink)
    with pytest.warns(TelemetryFailed, match="Misuse: .*has no token"):
        tee.take({"event": "leaf.failed"})
    assert tee.failures == (1, 1)


def test_a_span_processor_that_raises_stops_nobody() -> None:
    """The SDK holds what exporters raise, and lets through what processors do."""
    traced = Traced()

    class Broken:
        def on_start(self, *_: object, **__: object) -> None:
            """Do nothing."""

        def _on_ending(self, *_: object) -> None:
            """Do nothing."""

        def on_end(self, _: object) -> None:
            """Raise."""
            raise ValueError("a bug of a processor")

    traced.provider.add_span_processor(Broken())  # type: ignore[arg-type]  # it has what a processor has
    tee = Tee(Kept([], "log"), traced.sink)
    tee.emit(invoked())
    with pytest.warns(TelemetryFailed, match="a bug of a processor"):
        tee.emit(returned())
    assert tee.failures == (1,)


def emit_often(tee: Tee) -> None:
    """Tell the same a hundred times."""
    for _ in range(100):
        tee.emit(EVENT)


def test_many_threads_count_every_failure_and_warn_once() -> None:
    """One warning a sink."""
    tee = Tee(Kept([], "log"), Failing(RuntimeError()))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        workers = [threading.Thread(target=emit_often, args=(tee,)) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert tee.failures == (800,)
    assert len(told) == 1


def test_what_is_no_sink_is_refused_when_the_tee_is_made() -> None:
    """Not at the first record."""
    with pytest.raises(Misuse, match="list is no telemetry sink"):
        Tee(Kept([], "log"), [])  # type: ignore[arg-type]  # that is what is tested


def test_nobody_loads_telemetry_who_did_not_ask_for_it() -> None:
    """Neither the package nor the budget, nor telemetry itself before a sink is made."""
    program = (
        "import sys, pratique, pratique.budget, pratique.audit\n"
        "assert not [name for name in sys.modules if name.startswith('pratique.telemetry')]\n"
        "import pratique.telemetry\n"
        "assert not {'opentelemetry', 'prometheus_client'} & set(sys.modules)\n"
        "pratique.telemetry.PrometheusSink()\n"
        "assert 'prometheus_client' in sys.modules and 'opentelemetry' not in sys.modules\n"
        "pratique.telemetry.OpenTelemetrySink()\n"
        "assert 'opentelemetry.trace' in sys.modules and 'opentelemetry.sdk' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
