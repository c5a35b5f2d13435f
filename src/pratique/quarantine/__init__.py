"""The quarantine: what was refused is kept, grouped, looked at, decided on, and judged again."""

from pratique.quarantine.memory import MemoryQuarantine
from pratique.quarantine.record import DELIVERY, Detail, Kept, KeptDelivery, Overlay, Record, State
from pratique.quarantine.replay import readmit, replay
from pratique.quarantine.replayed import Outcome, Readmitted, Replayed, Verdict
from pratique.quarantine.resolution import AlreadyResolved, Kind, Passage, ReplayRun, Resolution, Resolved
from pratique.quarantine.sqlite import SqliteQuarantine
from pratique.quarantine.store import (
    DeliveryPage,
    DeliveryState,
    Filter,
    Group,
    NoRecord,
    Overflow,
    Page,
    Purged,
    QuarantineStore,
    Retention,
    Stats,
    StoreChanged,
)

__all__ = [
    "DELIVERY",
    "AlreadyResolved",
    "DeliveryPage",
    "DeliveryState",
    "Detail",
    "Filter",
    "Group",
    "Kept",
    "KeptDelivery",
    "Kind",
    "MemoryQuarantine",
    "NoRecord",
    "Outcome",
    "Overflow",
    "Overlay",
    "Page",
    "Passage",
    "Purged",
    "QuarantineStore",
    "Readmitted",
    "Record",
    "ReplayRun",
    "Replayed",
    "Resolution",
    "Resolved",
    "Retention",
    "SqliteQuarantine",
    "State",
    "Stats",
    "StoreChanged",
    "Verdict",
    "readmit",
    "replay",
]
