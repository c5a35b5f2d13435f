"""The event-sink protocol: where rooms tell what happened, if the caller asked to be told.

Each room declares its own events as frozen dataclasses; a sink takes any of them. Nothing in the library
prints or logs on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

__all__ = ["Event", "EventSink", "Told", "names_of", "record_of"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event whose fields are plain JSON values: what a room's events are made of."""

    name: ClassVar[str]

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {name: getattr(self, name) for name in names_of(self)}


def names_of(event: Any) -> tuple[str, ...]:
    """Return the names of what an event tells, in order. Looked up once a class."""
    kind = type(event)
    found = _NAMES.get(kind)
    if found is None:
        found = _NAMES[kind] = tuple(field.name for field in fields(kind))
    return found


_NAMES: dict[type[Any], tuple[str, ...]] = {}


def record_of(event: Event) -> dict[str, object]:
    """Write an event as one record: its name, then what it tells."""
    return {"event": event.name, **event.to_dict()}
