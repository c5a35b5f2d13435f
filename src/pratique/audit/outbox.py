"""The outbox: events that a store wrote in the transaction of their step, waiting for the log.

A step and its event are true together or not at all. The log is another file with one writer; whoever writes it carries
over what the outbox has, in order (``carry``), and the log itself knows how far it came.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from pratique.events import Event, record_of

__all__ = ["Outbox", "Posted", "compact", "event_text"]

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


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
    """Write an event as the outbox keeps it."""
    return _ENCODER.encode(record_of(event))


def compact(event: str) -> str:
    """Write JSON text of an event that a database made as all others are written: ASCII, without spaces."""
    return _ENCODER.encode(json.loads(event))
