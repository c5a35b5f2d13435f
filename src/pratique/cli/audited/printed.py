"""A record as ``pratique audit`` prints it, and which ones are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase

from pratique.audit.chain import Record
from pratique.show import escape, show

__all__ = ["is_wanted", "printed"]


def is_wanted(record: Record, events: Iterable[str]) -> bool:
    """Say whether a record's event has one of the names; a name may hold ``*``, and no name stands for all."""
    patterns, name = tuple(events), str(record.event.get("event", ""))
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def printed(record: Record, *, as_json: bool) -> str:
    """Return the line of a record: one JSON object, or text that no terminal obeys."""
    if as_json:
        return json.dumps({"seq": record.seq, "hash": record.hash, **record.event})
    told = dict(record.event)
    name = told.pop("event", "")
    return f"{record.seq:>6}  {escape(str(name)):<24}" + "".join(
        f"  {escape(key)}={_value(each)}" for key, each in told.items()
    )


def _value(value: object) -> str:
    return show(value, max_chars=60) if isinstance(value, str) and (not value or " " in value) else escape(str(value))
