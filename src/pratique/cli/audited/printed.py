"""A record as ``pratique audit`` prints it, and which ones are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from pratique.audit.chain import Record
from pratique.show import escape, show

__all__ = ["is_wanted", "printed", "told_of"]


def is_wanted(record: Record, events: Iterable[str]) -> bool:
    """Say whether a record's event has one of the names; a name may hold ``*``, and no name stands for all."""
    patterns = tuple(events)
    if not patterns:
        return True
    name = str(told_of(record).get("event", ""))
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def told_of(record: Record) -> dict[str, Any]:
    """Return what a record tells; what is no JSON, or too deep, as text. ``AuditLog`` writes no such thing."""
    try:
        event: Any = record.event
    except (ValueError, RecursionError):
        event = None
    if isinstance(event, dict):
        return event
    return {"event": "(unreadable)", "raw": record.payload.decode("ascii", "backslashreplace")}


def printed(record: Record, *, as_json: bool) -> str:
    """Return the line of a record: one JSON object, or text that no terminal obeys."""
    told = told_of(record)
    if as_json:
        return json.dumps({**told, "seq": record.seq, "hash": record.hash})
    name = told.pop("event", "")
    return f"{record.seq:>6}  {escape(str(name)):<24}" + "".join(
        f"  {escape(key)}={_value(each)}" for key, each in told.items()
    )


def _value(value: object) -> str:
    return show(value, max_chars=60) if isinstance(value, str) and (not value or " " in value) else escape(str(value))
