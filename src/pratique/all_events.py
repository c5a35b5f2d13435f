"""Every event that the library tells, as one closed union; each is declared in its own room.

A log that was written by this version is read with it, typed. Adding an event, or a field of one, changes its
fingerprint, which a test pins: readers of old logs are thought of when it is.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from blake3 import blake3

from pratique.audit.events import (
    AuditAbandoned,
    AuditClockWentBack,
    AuditIntent,
    AuditOutcome,
    AuditRecovered,
    AuditUnreadable,
)
from pratique.boundary.events import DeliveryJudged
from pratique.budget.amount import Amount, amount_of
from pratique.budget.costs import LlmCallCost, SandboxRunCost
from pratique.budget.events import (
    BudgetAssumed,
    BudgetCapOverridden,
    BudgetDispatched,
    BudgetEscrowed,
    BudgetExceededEvent,
    BudgetOpened,
    BudgetOverrun,
    BudgetPrecharged,
    BudgetReconcileConflict,
    BudgetReconciled,
    BudgetReturned,
    BudgetVoided,
)
from pratique.errors import Misuse
from pratique.leaf.events import LeafFailed, LeafInvoked, LeafKeyLoaded, LeafReturned

__all__ = ["EVENTS", "AnyEvent", "event_of", "fingerprint", "told_fields"]

AnyEvent = (
    AuditAbandoned
    | AuditClockWentBack
    | AuditIntent
    | AuditOutcome
    | AuditRecovered
    | AuditUnreadable
    | BudgetAssumed
    | BudgetCapOverridden
    | BudgetDispatched
    | BudgetEscrowed
    | BudgetExceededEvent
    | BudgetOpened
    | BudgetOverrun
    | BudgetPrecharged
    | BudgetReconcileConflict
    | BudgetReconciled
    | BudgetReturned
    | BudgetVoided
    | DeliveryJudged
    | LeafFailed
    | LeafInvoked
    | LeafKeyLoaded
    | LeafReturned
    | LlmCallCost
    | SandboxRunCost
)
"""Any of them; match it with ``assert_never`` at the end."""

EVENTS: Mapping[str, type[AnyEvent]] = types.MappingProxyType({kind.name: kind for kind in get_args(AnyEvent)})
"""Name -> event."""

_HINTS: Mapping[str, dict[str, Any]] = {name: get_type_hints(kind) for name, kind in EVENTS.items()}


def told_fields(kind: type[Any]) -> dict[str, str]:
    """Return what an event's record holds: JSON key -> type, in order."""
    hints = _HINTS[kind.name]
    told: dict[str, str] = {}
    for field in fields(kind):
        hint = hints[field.name]
        if hint is Amount:
            told |= {f"{field.name}_tokens": "int", f"{field.name}_dollars": "str"}
        else:
            told[field.name] = _written(hint) + ("" if field.default is MISSING else " = null")
    return told


def event_of(record: Mapping[str, Any]) -> AnyEvent | None:
    """Read an event of its record, as a log or an outbox has it; None: it is none of this library's.

    Shape: what a record says beside the event (its time, where it is from, what a later version added) is left out.
    Errors: Misuse when the record lacks what its event has.
    """
    kind = EVENTS.get(record.get("event", ""))
    if kind is None:
        return None
    hints = _HINTS[kind.name]
    told: dict[str, Any] = {}
    try:
        for field in fields(kind):
            if hints[field.name] is Amount:
                told[field.name] = amount_of(record[f"{field.name}_tokens"], record[f"{field.name}_dollars"])
            elif field.default is MISSING or field.name in record:
                told[field.name] = record[field.name]
    except KeyError as error:
        raise Misuse(f"a record of {kind.name} has no {error.args[0]}", remedy="it is of another version") from error
    return kind(**told)


def fingerprint() -> str:
    """Return the digest of all names, keys and types."""
    lines = [f"{name} {told_fields(kind)}" for name, kind in sorted(EVENTS.items())]
    return "b3:" + blake3("\n".join(lines).encode()).hexdigest(length=16)


def _written(hint: Any) -> str:
    """Write a type the same in every version of Python."""
    if get_origin(hint) in (Union, types.UnionType):
        return " | ".join(_written(part) for part in get_args(hint))
    if hint is type(None):
        return "null"
    arguments = get_args(hint)
    if isinstance(hint, type) and not arguments:
        return hint.__name__
    name = getattr(get_origin(hint), "__name__", str(get_origin(hint)).rpartition(".")[2])
    return f"{name}[{', '.join(_written(part) if not isinstance(part, str) else repr(part) for part in arguments)}]"
