"""Telemetry: OpenTelemetry spans and Prometheus metrics of what happens, as sinks that may be left out.

Never the ledger, never the log: what was spent is asked of the ledger, what happened of the audit log. Nothing of a
prompt, a reply, or of what is for audit only is told. ``Tee`` gives events to the log first.
"""

from pratique.telemetry.metrics import PrometheusSink
from pratique.telemetry.spans import OpenTelemetrySink
from pratique.telemetry.tee import Tee, TelemetryFailed, TelemetrySink

__all__ = ["OpenTelemetrySink", "PrometheusSink", "Tee", "TelemetryFailed", "TelemetrySink"]
