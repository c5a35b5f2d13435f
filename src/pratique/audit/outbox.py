"""The outbox: events that a store wrote in the transaction of their step, waiting for the log.

A step and its event are true together or not at all. The log is another file with one writer; whoever writes it carries
over what the outbox has, in order (``carry``), and the log itself knows how far it came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from pratique.audit.chain import MAX_PAYLOAD_BYTES, payload_of
from pratique.errors import Misuse
from pratique.events import Event, record_of

__all__ = ["OWN", "Outbox", "Posted", "event_of_text", "event_text", "require_event"]

OWN = frozenset({"at", "hash", "outbox", "seq"})
"""What a log says of a record itself."""


class Posted(NamedTuple):
    """One event, at its place.

    Shape: ``at`` is the store's time, UTC, ISO 8601; ``event`` is JSON text of one object.
    """

    seq: int
    at: str
    event: str


class Outbox(Protocol):
    """What a store with an outbox has beside its steps."""

    @property
    def id(self) -> str:
        """Which store this is: 32 hex digits."""

    def posted(self, after: int = 0, *, at_most: int = 1_000) -> Sequence[Posted]:
        """Return what happened behind a place, in order; nothing comes to be later before what was returned."""


def event_text(event: Event) -> str:
    """Write an event as the outbox keeps it. Errors: Misuse for what is no event, or too long for a log."""
    return require_event(record_of(event)).decode("ascii")


def require_event(record: Mapping[str, object]) -> bytes:
    """Write a record as a log has it, but for its time. Errors: Misuse for what is none."""
    if not isinstance(record, Mapping) or not isinstance(record.get("event"), str) or record.keys() & OWN:
        raise Misuse(
            f"an event names itself under event, and leaves {', '.join(sorted(OWN))} to the log",
            remedy='write {"event": "room.what_happened", …}',
        )
    try:
        payload = payload_of(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise Misuse(f"an event is no JSON: {error}", remedy="give plain JSON values, money as text") from error
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise Misuse(
            f"an event has {len(payload):,} bytes, and a record {MAX_PAYLOAD_BYTES:,} at most",
            remedy="keep what is large elsewhere, and tell its digest",
        )
    return payload


def event_of_text(text: str) -> bytes | None:
    """Write what an outbox has as a log has it, but for its time: ASCII, without spaces; None: it is no event."""
    try:
        return require_event(json.loads(text))
    except (ValueError, RecursionError, Misuse):
        return None
