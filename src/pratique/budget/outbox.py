"""The outbox: events that a ledger wrote in the transaction of their step, waiting for the log.

A step and its event are true together or not at all (I6). The log is another file with one writer; whoever writes it
carries over what the outbox has, in order, and the log itself knows how far it came (``audit.relay``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from pratique.events import Event, record_of

__all__ = ["Outbox", "Posted", "event_text"]


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class Posted(NamedTuple):
    """One event, at its place.

    Shape: ``at`` is the ledger's time, UTC, ISO 8601; ``event`` is JSON text.
    """

    seq: int
    at: str
    event: str


class Outbox(Protocol):
    """What a ledger with an outbox has beside the steps."""

    @property
    def id(self) -> str:
        """Which ledger this is."""

    def posted(self, after: int = 0, *, at_most: int = 1_000) -> Sequence[Posted]:
        """Return what happened behind a place, in order; nothing will come to be before what was returned."""


def event_text(event: Event) -> str:
    """Write an event as the outbox keeps it."""
    return _ENCODER.encode(record_of(event))
