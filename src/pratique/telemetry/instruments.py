"""The Prometheus metrics: their names, what they say, their labels and buckets.

A counter cannot fall, and a correction can: a call that was assumed at its ceiling is charged less once its bill turns
up. So what is spent is two counters, what was charged first and what later corrections took back or added, and each is
true of what it says, for ``rate`` too. A gauge would be simpler, and start at nothing with each process.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pratique.errors import Misuse

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

__all__ = ["Instruments", "instruments_on"]

RATIO_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0)
"""What was used, of what was held. Above 1 is an overrun; far below it, ceilings keep others from calling."""

DURATION_BUCKETS = tuple(0.01 * 2**step for step in range(17))
"""Seconds: those of ``gen_ai.client.inference.duration``, 0.01 to 81.92, and on to the ten minutes after which clients
give up."""

_ASKED = ("provider", "model")


@dataclass(frozen=True, slots=True)
class Instruments:
    """All metrics of one sink.

    Units: as each name ends. Dollars are doubles here, and sums of doubles are not exact (0.1 + 0.2 is
        0.30000000000000004): the ledger is exact, this shows where it goes.
    """

    precharges: Counter
    reserved: Gauge
    spent_dollars: Counter
    spent_tokens: Counter
    corrected_dollars: Counter
    corrected_tokens: Counter
    ceiling_ratio: Histogram
    assumed: Counter
    overruns: Counter
    conflicts: Counter
    tokens: Counter
    reasoning: Counter
    calls: Counter
    duration: Histogram
    deliveries: Counter
    units: Counter
    given_up: Counter


def instruments_on(registry: CollectorRegistry | None) -> Instruments:
    """Make all metrics, and register them: all or none. None is the package's own registry.

    Errors: Misuse without the package prometheus-client, and when the registry has one of the names.
    """
    try:
        from prometheus_client import REGISTRY
    except ImportError as error:
        raise Misuse(
            "metrics need the package prometheus-client, which is not installed",
            remedy="pip install 'pratique[prometheus]'",
        ) from error
    made = _made()
    target = REGISTRY if registry is None else registry
    done: list[Counter | Gauge | Histogram] = []
    for metric in (getattr(made, each.name) for each in fields(made)):
        try:
            target.register(metric)
        except ValueError as error:
            for registered in done:
                target.unregister(registered)
            raise Misuse(
                f"the registry has these metrics already: {error}", remedy="make one PrometheusSink a registry"
            ) from error
        done.append(metric)
    return made


def _made() -> Instruments:
    from prometheus_client import Counter, Gauge, Histogram

    def counter(name: str, says: str, *labels: str) -> Counter:
        return Counter(name, says, labels, registry=None)

    return Instruments(
        precharges=counter(
            "llm_budget_precharges_total", "Calls that asked for a hold: reserved, or exceeded.", *_ASKED, "outcome"
        ),
        reserved=Gauge(
            "llm_budget_reserved_usd", "Ceilings of the holds that this process saw made and not yet ended.", _ASKED,
            registry=None, multiprocess_mode="livesum",
        ),
        spent_dollars=counter(
            "llm_budget_spent_usd_total", "Dollars as first charged; net of corrections is what was paid.", *_ASKED
        ),
        spent_tokens=counter("llm_budget_spent_tokens_total", "Tokens as first charged.", *_ASKED),
        corrected_dollars=counter(
            "llm_budget_corrections_usd_total", "Dollars that later bills took back (down) or added (up).",
            *_ASKED, "direction",
        ),
        corrected_tokens=counter(
            "llm_budget_corrections_tokens_total", "Tokens that later bills took back (down) or added (up).",
            *_ASKED, "direction",
        ),
        ceiling_ratio=Histogram(
            "llm_budget_ceiling_ratio", "What a call used, of its ceiling.", (*_ASKED, "axis"),
            registry=None, buckets=RATIO_BUCKETS,
        ),
        assumed=counter(
            "llm_budget_orphans_assumed_total", "Calls charged at their ceiling because nobody could say.", *_ASKED
        ),
        overruns=counter("llm_budget_overruns_total", "Bills above their ceiling.", *_ASKED),
        conflicts=counter("llm_budget_conflicts_total", "Second bills that differ from the first.", *_ASKED),
        tokens=counter(
            "llm_budget_tokens_total", "Tokens by type, as replies tell; no token is of two types.", *_ASKED, "type"
        ),
        reasoning=counter("llm_budget_reasoning_tokens_total", "Tokens of the output that were reasoning.", *_ASKED),
        calls=counter("llm_calls_total", "Calls that ended: returned, or failed.", *_ASKED, "outcome"),
        duration=Histogram(
            "llm_call_duration_seconds", "From the request to its end.", (*_ASKED, "outcome"),
            registry=None, buckets=DURATION_BUCKETS,
        ),
        deliveries=counter("llm_deliveries_total", "Deliveries that were judged.", "status"),
        units=counter("llm_units_total", "Units of deliveries: admitted, or quarantined.", "outcome"),
        given_up=counter(
            "llm_telemetry_given_up_total", "Open holds and calls that were forgotten, to keep within max_open.", "what"
        ),
    )  # fmt: skip
