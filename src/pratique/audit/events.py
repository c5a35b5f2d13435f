"""What the log tells of itself, and of acts that it announced."""

from __future__ import annotations

from dataclasses import dataclass

from pratique.events import Told

__all__ = [
    "AuditAbandoned",
    "AuditClockWentBack",
    "AuditIntent",
    "AuditOutcome",
    "AuditRecovered",
    "AuditUnreadable",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditIntent(Told):
    """Something is about to be done. What it is about stands beside it, as whoever announced it said."""

    name = "audit.intent"
    id: str
    act: str
    about: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOutcome(Told):
    """What became of it. ``error`` is the kind of what was raised; empty: it was done."""

    name = "audit.outcome"
    id: str
    act: str
    error: str
    took_ms: int
    """By a clock that never goes back."""
    found: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAbandoned(Told):
    """Its writer died between the two: it may have been done, or not, or half."""

    name = "audit.abandoned"
    id: str
    act: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecovered(Told):
    """A last line was cut off; it was set aside, whole. Units: bytes."""

    name = "audit.recovered"
    bytes: int
    blake3: str
    kept: str
    """The name of the file that has it, beside the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditClockWentBack(Told):
    """The writer's clock shows an earlier time than the record before this one: order is by place, not by time."""

    name = "audit.clock_went_back"
    by_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditUnreadable(Told):
    """What stood at a place of an outbox is no event: somebody else than its store wrote it. Units: bytes."""

    name = "audit.unreadable"
    bytes: int
    blake3: str
