"""The quarantine file that a command means, and the records and groups that it means in there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pratique.cli.moments import moment_of, now
from pratique.cli.quarantined.options import Filters, StatusName
from pratique.cli.quarantined.shown import command
from pratique.errors import Misuse
from pratique.limits import Limits
from pratique.quarantine.sqlite import SqliteQuarantine
from pratique.quarantine.store import MAX_GROUPS, Filter, QuarantineStore
from pratique.show import show

__all__ = ["DEFAULT_DB", "filter_of", "group_of", "open_db", "record_of", "records_of"]

DEFAULT_DB = "quarantine.db"
"""Looked for in the current directory when no file was named."""

MAX_LIKE = 5
"""Ids told when a beginning fits several."""


@contextmanager
def open_db(name: str | None, *, limits: Limits | None = None) -> Iterator[SqliteQuarantine]:
    """Open the quarantine file that is meant, and close it behind the command.

    Limits: a contract's, where one judges; they bound an edit.
    Errors: Misuse when none was named or it is not there: to look at a file does not make one.
    """
    path = name or DEFAULT_DB
    if not os.path.exists(path):
        make = f"pratique check FILE --contract MODULE:NAME --quarantine {shlex.quote(path)} makes one"
        if name:
            raise Misuse(f"there is no quarantine file {show(name, max_chars=200)}", remedy=f"mend --db; {make}")
        raise Misuse(
            f"no quarantine file was named, and there is no {DEFAULT_DB} here",
            remedy=f"write --db PATH or set PRATIQUE_QUARANTINE; {make}",
        )
    store = SqliteQuarantine(path, limits=limits)
    try:
        yield store
    finally:
        store.close()


def record_of(store: QuarantineStore, said: str, *, db: str | None) -> str:
    """Return the id of the one record that begins so.

    Errors: Misuse when none does, or several, or when it names something else.
    """
    if said.startswith("q"):
        raise Misuse(f"{show(said)} is a group, not a record", remedy=command("list", "--group", said, db=db))
    if said.startswith("d-"):
        raise Misuse(f"{show(said)} is a delivery, not a record", remedy=command("list", "--delivery", said, db=db))
    found = store.ids(said, limit=MAX_LIKE + 1) if said.strip() else ()
    if said in found:
        return said
    if not found:
        shows = command("list", "--units", "--status", "all", db=db)
        raise Misuse(f"no record begins with {show(said)}", remedy=f"{shows} shows the ids")
    if len(found) > 1:
        raise Misuse(f"{_several(found)} records begin with {show(said)}", remedy=_like(found))
    return found[0]


def records_of(store: QuarantineStore, said: Sequence[str], *, db: str | None) -> tuple[str, ...]:
    """Return the ids of the records that are named, each once, in the order in which they were."""
    return tuple(dict.fromkeys(record_of(store, one, db=db) for one in said))


def group_of(store: QuarantineStore, said: str, *, db: str | None) -> str:
    """Return the id of the one group that begins so.

    Errors: Misuse when none does, or several.
    """
    if store.count(Filter(fingerprint=said)):
        return said
    found = [
        group.fingerprint for group in store.groups(limit=MAX_GROUPS) if said and group.fingerprint.startswith(said)
    ]
    if not found:
        shows = command("list", "--status", "all", db=db)
        raise Misuse(f"no group begins with {show(said)}", remedy=f"{shows} shows the groups")
    if len(found) > 1:
        raise Misuse(f"{_several(found)} groups begin with {show(said)}", remedy=_like(found))
    return found[0]


def filter_of(
    store: QuarantineStore, filters: Filters | None, *, db: str | None, status: StatusName = "open"
) -> Filter:
    """Read the filters of a call.

    Errors: Misuse for a group, a reason, a producer or a time that is none.
    """
    said = filters or Filters()
    today = now()
    return Filter(
        contract=said.contract_name,
        version=said.contract_version,
        reason=said.reason,
        producer=said.producer,
        model=said.model,
        run_id=said.run_id,
        status=None if status == "all" else status,
        fingerprint=None if said.group is None else group_of(store, said.group, db=db),
        delivery=said.delivery,
        since=None if said.since is None else moment_of(said.since, now=today, ahead=False, option="--since"),
        until=None if said.until is None else moment_of(said.until, now=today, ahead=False, option="--until"),
        text=said.text,
    )


def _several(found: Sequence[str]) -> str:
    return str(len(found)) if len(found) <= MAX_LIKE else f"more than {MAX_LIKE}"


def _like(found: Sequence[str]) -> str:
    more = ", …" if len(found) > MAX_LIKE else ""
    return "write more of it: " + ", ".join(found[:MAX_LIKE]) + more
