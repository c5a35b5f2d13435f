"""A span as it will be written: what is told of a call, or of something that is no call, with its beginning and end.

Nothing here knows OpenTelemetry; ``spans`` writes what is drawn.
"""

from __future__ import annotations

from typing import NamedTuple

from pratique.boundary.events import DeliveryJudged
from pratique.telemetry import names
from pratique.telemetry.attributes import Attributes, LoneTold, attributes_of, plain
from pratique.telemetry.calls import Call

__all__ = ["Drawn", "drawn_alone", "drawn_call"]


class Drawn(NamedTuple):
    """One span.

    Units: nanoseconds since 1970, UTC.
    """

    name: str
    begins: int
    ends: int
    attributes: Attributes
    is_call: bool = False
    """It tells of a call to a model: a client's span."""
    is_failed: bool = False


def drawn_call(call: Call) -> Drawn:
    """Draw a call as it stands: what the leaf told is a client's span; what only the ledger told is none.

    Shape: a call that was billed and never sent by a leaf that was heard has no attribute of the conventions: nobody
        shall count it twice.
    """
    attributes = dict(call.attributes)
    if call.ended is None and not call.is_over:
        attributes[names.BUDGET_UNFINISHED] = True
    if call.invoked is None:
        return Drawn(_named("hold", call.model), call.began, call.last, attributes)
    if call.model:
        attributes[names.REQUEST_MODEL] = plain(call.model)
    ends = max(call.invoked, call.last) if call.ended is None else call.ended
    return Drawn(_named(names.CHAT, call.model), call.invoked, ends, attributes, True, call.is_failed)


def drawn_alone(event: LoneTold, at: int) -> Drawn:
    """Draw what is told of no call: a moment."""
    name = _named("judge", event.contract) if isinstance(event, DeliveryJudged) else event.name
    return Drawn(name, at, at, attributes_of(event))


def _named(what: str, whom: str) -> str:
    return f"{what} {plain(whom)}" if whom else what
