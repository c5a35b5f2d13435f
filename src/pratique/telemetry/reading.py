"""What a sink is given, as an event of this library and its time: the event itself, or its record from a log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pratique.all_events import EVENTS, AnyEvent, event_of
from pratique.errors import Misuse
from pratique.events import Event, record_of
from pratique.show import show

__all__ = ["nanos_of", "typed"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def typed(event: Event) -> AnyEvent | None:
    """Return an event as one of this library's; None: it is an application's own.

    Errors: Misuse when it has a name of this library and lacks what that tells.
    """
    kind = EVENTS.get(event.name)
    if kind is None:
        return None
    return event if isinstance(event, kind) else event_of(record_of(event))


def nanos_of(record: Mapping[str, Any]) -> int | None:
    """Return when a record was written, by its ``at``; None: it does not say.

    Units: nanoseconds since 1970, UTC.
    Errors: Misuse for what is no time.
    """
    at = record.get("at")
    if at is None:
        return None
    try:
        read = datetime.fromisoformat(at)
    except (TypeError, ValueError) as error:
        raise Misuse(f"a record's time cannot be {show(at)}", remedy="give it in ISO 8601, or leave at out") from error
    whole = (read if read.tzinfo else read.replace(tzinfo=UTC)) - _EPOCH
    return whole // timedelta(microseconds=1) * 1_000
