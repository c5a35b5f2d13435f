"""How much of an intake fits into a store. Pure: every store counts alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pratique.quarantine.intake import Intake
from pratique.quarantine.store import Retention

__all__ = ["MAX_PURGED_AT_ONCE", "NOT_TOLD", "Fit", "fit"]

MAX_PURGED_AT_ONCE = 100
"""Deliveries purged in one transaction: with a thousand units each it stays about a second, so that other
processes, which wait for the lock, do not give up (``busy_timeout_s``); the next ``keep`` goes on."""

NOT_TOLD = "not_told"
"""The reason of units that the admission itself did not keep: it counts them, and tells no more."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Say how many units of an intake fit, and which cap is full when not all do."""

    units: int
    cause: str = ""
    is_hopeless: bool = False
    """It would not fit into an empty store either: purging others for it would help nobody."""

    def overflow(self, intake: Intake) -> Mapping[tuple[str, str], int]:
        """Count what is not kept: (reason, cause) -> units."""
        lost: Counter[tuple[str, str]] = Counter((unit.reason, self.cause) for unit in intake.units[self.units :])
        if intake.delivery.not_kept:
            lost[NOT_TOLD, "max_quarantined"] += intake.delivery.not_kept
        return lost


def fit(intake: Intake, retention: Retention, *, units: int, kept_bytes: int) -> Fit:
    """Fit an intake into what a store that holds so much already has left.

    Shape: a delivery is kept with as many of its units as fit, in their order; with none, it is not kept.
    """
    if retention.max_bytes < intake.delivery.kept_bytes + intake.units[0].kept_bytes:
        return Fit(0, "max_bytes", is_hopeless=True)
    room = retention.max_bytes - kept_bytes - intake.delivery.kept_bytes
    if room < 0:
        return Fit(0, "max_bytes")
    for number, unit in enumerate(intake.units):
        if units + number >= retention.max_units:
            return Fit(number, "max_units")
        room -= unit.kept_bytes
        if room < 0:
            return Fit(number, "max_bytes")
    return Fit(len(intake.units))
