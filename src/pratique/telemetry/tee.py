"""The log first, then telemetry: what the log has not got, nobody is told, and telemetry that fails stops nobody.

The two fail in opposite ways on purpose. A log that cannot be written stops what was about to be done: there must be no
deed without its record. A span processor that raises, or a bug in a library of metrics, is not worth a call: it is
counted, told once, and gone over.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from pratique.errors import Misuse
from pratique.events import Event, EventSink
from pratique.show import show

__all__ = ["Tee", "TelemetryFailed", "TelemetrySink"]


class TelemetrySink(Protocol):
    """Take what happened, as an event or as the record that a log has of it."""

    def emit(self, event: Event) -> None:
        """Tell one event."""

    def take(self, record: Mapping[str, Any]) -> None:
        """Tell one record."""


class TelemetryFailed(RuntimeWarning):
    """Tell that a telemetry sink failed; the rest of its failures is counted."""


class Tee:
    """Give events to the log, then to telemetry.

    Shape: ``emit`` is an ``EventSink``: the log has the event before telemetry is told. ``take`` is for
        ``carry(…, also=tee.take)``, which has written the log itself: telemetry alone is told. ``on_failure`` is called
        with the sink and what it raised, each time; None: a ``TelemetryFailed`` warning at a sink's first failure.
    Errors: what the log raises reaches the caller, and telemetry is not told then; so does what ``on_failure`` raises.
        What a telemetry sink raises reaches nobody else: it is counted in ``failures``. KeyboardInterrupt and its like
        are no failures of a sink and are not held.
    """

    def __init__(
        self,
        log: EventSink,
        *telemetry: TelemetrySink,
        on_failure: Callable[[TelemetrySink, Exception], None] | None = None,
    ) -> None:
        for sink in telemetry:
            if not hasattr(sink, "emit") or not hasattr(sink, "take"):
                raise Misuse(
                    f"{type(sink).__name__} is no telemetry sink", remedy="give it emit(event) and take(record)"
                )
        self._log = log
        self._telemetry = telemetry
        self._on_failure = on_failure
        self._failures = [0] * len(telemetry)
        self._mutex = threading.Lock()

    @property
    def failures(self) -> tuple[int, ...]:
        """How often each telemetry sink failed, in the order in which they were given."""
        with self._mutex:
            return tuple(self._failures)

    def emit(self, event: Event) -> None:
        """Append one event to the log, then tell it."""
        self._log.emit(event)
        for place, sink in enumerate(self._telemetry):
            self._try(place, partial(sink.emit, event))

    def take(self, record: Mapping[str, Any]) -> None:
        """Tell one record that the log has."""
        for place, sink in enumerate(self._telemetry):
            self._try(place, partial(sink.take, record))

    def _try(self, place: int, tell: Callable[[], None]) -> None:
        try:
            tell()
        except Exception as error:  # noqa: BLE001  # caller's code: an exporter may raise what it likes, and stops nobody
            self._failed(place, error)

    def _failed(self, place: int, error: Exception) -> None:
        with self._mutex:
            self._failures[place] += 1
            is_first = self._failures[place] == 1
        sink = self._telemetry[place]
        if self._on_failure is not None:
            self._on_failure(sink, error)
        elif is_first:
            _warn(sink, error)


def _warn(sink: TelemetrySink, error: Exception) -> None:
    """Warn of a sink. Where warnings are made errors, it stays counted: telemetry stops nobody, there neither."""
    try:
        warnings.warn(
            f"{type(sink).__name__} failed: {type(error).__name__}: {show(str(error))}; what it tells may be "
            "incomplete, and its further failures are counted, not told",
            TelemetryFailed,
            stacklevel=5,
        )
    except TelemetryFailed:
        pass
