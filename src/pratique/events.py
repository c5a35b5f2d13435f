"""The event-sink protocol: where rooms tell what happened, if the caller asked to be told.

Each room declares its own events as frozen dataclasses; a sink takes any of them. Nothing in the library
prints or logs on its own.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["Event", "EventSink"]


class Event(Protocol):
    """What a sink accepts: a named record of plain JSON values."""

    @property
    def name(self) -> str:
        """Stable name of the event, ``room.verb``."""

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""


class EventSink(Protocol):
    """Take events in the order in which they happened."""

    def emit(self, event: Event) -> None:
        """Record one event; what it raises reaches the caller."""
