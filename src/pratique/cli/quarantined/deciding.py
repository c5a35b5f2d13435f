"""``pratique quarantine discard`` and ``snooze``: decide on records, all that were named or none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pratique.cli.app import complain
from pratique.cli.exits import ALREADY_RESOLVED
from pratique.cli.moments import moment_of, now, stamp, when
from pratique.cli.quarantined.author import author_of
from pratique.cli.quarantined.database import group_of, open_db, records_of
from pratique.cli.quarantined.shown import SHORT_ID_CHARS, command, counted
from pratique.errors import Misuse
from pratique.quarantine.resolution import MAX_GROW_BY, AlreadyResolved, Kind, Resolution, Resolved
from pratique.quarantine.store import Filter, QuarantineStore
from pratique.quarantine.where import meant
from pratique.show import escape, show

__all__ = ["Chosen", "refuse_second", "run_discard", "run_snooze"]

MAX_TOLD = 20
"""Records named in the answer; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The records that one call decides on, and who decides."""

    ids: tuple[str, ...] = ()
    group: str | None = None
    author: str | None = None
    note: str = ""
    db: str | None = None
    json: bool = False


def run_discard(chosen: Chosen, reason: str) -> int:
    """Give records up; return the exit code.

    Errors: Misuse when the call is wrong; a record that was resolved before is told, and nothing is written.
    """
    return _decide(chosen, lambda author: Resolution.discarded(reason, author=author, note=chosen.note))


def run_snooze(chosen: Chosen, *, until: str | None, until_count: int | None) -> int:
    """Set records aside until a time, or until their group has grown; return the exit code.

    Errors: as ``run_discard``.
    """
    if until is None and until_count is None:
        raise Misuse("a snooze needs an end", remedy="write --until 7d, or a date, or --until-count N, or both")
    if until_count is not None and not 1 <= until_count <= MAX_GROW_BY:
        said = show(str(until_count), max_chars=40)
        raise Misuse(
            f"--until-count must be from 1 to {MAX_GROW_BY:,}, not {said}", remedy="write --until TIME instead"
        )
    end = None if until is None else moment_of(until, now=now(), ahead=True, option="--until")
    return _decide(
        chosen,
        lambda author: Resolution.snoozed(until=end, grow_by=until_count, author=author, note=chosen.note),
    )


def refuse_second(error: AlreadyResolved, said: str) -> int:
    """Tell who resolved a record before, and when; return the exit code."""
    first = error.first
    who = f" by {show(first.resolution.author)}" if first.resolution.author else ""
    why = f": {show(first.resolution.reason)}" if first.resolution.reason else ""
    message = f"{first.record} was {first.resolution.kind.value} already{who}, {when(first.at, now())}{why}"
    complain(f"{message}; {said}", _remedy(first))
    return ALREADY_RESOLVED


def _remedy(first: Resolved) -> str:
    if first.resolution.kind is not Kind.SNOOZED:
        return "a resolution stands, and there is no second; leave the record out"
    until = first.resolution.until
    ends = f"it is open again at {stamp(until)}" if until is not None else "it is open again when its group has grown"
    return f"{ends}; leave the record out until then"


def _decide(chosen: Chosen, make: Callable[[str], Resolution]) -> int:
    if bool(chosen.ids) == (chosen.group is not None):
        raise Misuse(
            "both records and a group were named" if chosen.ids else "no record was named",
            remedy="write ID..., or --group GROUP for all open records of a group",
        )
    resolution = make(author_of(chosen.author))
    with open_db(chosen.db) as store:
        ids = _ids(store, chosen)
        try:
            resolved = store.resolve_all([(id, resolution) for id in ids])
        except AlreadyResolved as error:
            return refuse_second(error, "nothing was written" if len(ids) == 1 else "none of the records was changed")
    _tell(chosen, resolution, resolved)
    return 0


def _ids(store: QuarantineStore, chosen: Chosen) -> Sequence[str]:
    if chosen.group is None:
        return records_of(store, chosen.ids, db=chosen.db)
    where = Filter(fingerprint=group_of(store, chosen.group, db=chosen.db), status="open")
    return [id for id, _ in meant(store, where)]


def _tell(chosen: Chosen, resolution: Resolution, resolved: Sequence[Resolved]) -> None:
    if chosen.json:
        print(json.dumps({"resolved": [one.to_dict() for one in resolved]}, indent=2))
        return
    done = resolution.kind.value
    if not resolved:
        print(f"no record of that group is open; nothing was {done}")
        return
    named = ", ".join(one.record[:SHORT_ID_CHARS] for one in resolved[:MAX_TOLD])
    more = f", and {len(resolved) - MAX_TOLD:,} more" if len(resolved) > MAX_TOLD else ""
    print(f"{done} {counted(len(resolved), 'record')}: {escape(named)}{more}")
    if resolution.until is not None:
        print(f"open again at {stamp(resolution.until)}")
    if resolution.grow_by is not None:
        also = "or when" if resolution.until is not None else "open again when"
        many = "1 more unit has" if resolution.grow_by == 1 else f"{resolution.grow_by:,} more units have"
        print(f"{also} {many} come to the group")
    print(f"what is left: {command('list', db=chosen.db)}")
