"""``pratique quarantine list``: what is in quarantine, by group or record by record."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pratique.cli.moments import age, now
from pratique.cli.quarantined.database import filter_of, open_db
from pratique.cli.quarantined.options import Filters, StatusName
from pratique.cli.quarantined.shown import SHORT_ID_CHARS, command, counted, fit, thing
from pratique.cli.terminal import Terminal, terminal_of
from pratique.errors import Misuse
from pratique.quarantine.record import Record
from pratique.quarantine.store import MAX_GROUPS, MAX_PAGE, Group, Page, QuarantineStore
from pratique.show import escape

__all__ = ["Listing", "run_list"]

MAX_LISTED = min(MAX_GROUPS, MAX_PAGE)
"""Groups or records of one call: what a store gives at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One call of ``pratique quarantine list``, as written."""

    filters: Filters
    status: StatusName = "open"
    units: bool = False
    limit: int = 20
    after: str | None = None
    db: str | None = None
    json: bool = False
    no_color: bool = False

    @property
    def of_units(self) -> bool:
        """Whether records are listed one by one, and not in groups."""
        return self.units or self.after is not None or self.filters.group is not None


def run_list(call: Listing) -> int:
    """Print groups, or records; return the exit code.

    Errors: Misuse when the call is wrong or the file is none.
    """
    if not 1 <= call.limit <= MAX_LISTED:
        raise Misuse(f"--limit must be from 1 to {MAX_LISTED:,}, not {call.limit}", remedy="list page by page: --after")
    terminal = terminal_of(sys.stdout, no_color=call.no_color)
    with open_db(call.db) as store:
        lines = _units(call, store, terminal) if call.of_units else _groups(call, store, terminal)
        for line in lines:
            print(line)
    return 0


# ---------------------------------------------------------------------- groups


def _groups(call: Listing, store: QuarantineStore, terminal: Terminal) -> Iterator[str]:
    meant = filter_of(store, call.filters, status=call.status, db=call.db)
    found = store.groups(meant, limit=min(call.limit + 1, MAX_GROUPS))
    groups, more = found[: call.limit], len(found) > call.limit
    if call.json:
        yield json.dumps({"groups": [group.to_dict() for group in groups], "more": more}, indent=2)
        return
    today = now()
    for group in groups:
        yield from _group(group, call.status, today, terminal)
        yield ""
    if not groups:
        yield from _nothing(call, store)
        return
    if more:
        yield _more_groups(call)
    yield f"records of a group: {command('list', '--group', groups[0].fingerprint, db=call.db)}"
    yield f"one record: {command('show', groups[0].sample[:SHORT_ID_CHARS], db=call.db)}"


def _more_groups(call: Listing) -> str:
    if call.limit == MAX_LISTED:
        return "there are more groups than one call lists; say more narrowly which are meant, or list --units"
    wider = ("--limit", str(min(10 * call.limit, MAX_LISTED)))
    status = ("--status", call.status) if call.status != "open" else ()
    return f"more groups: {command('list', *call.filters.words, *status, *wider, db=call.db)}"


def _group(group: Group, status: StatusName, today: float, terminal: Terminal) -> Iterator[str]:
    oldest = age(today - (group.first_seen if group.oldest_open is None else group.oldest_open))
    back = f"  {terminal.paint('REGRESSED', 'refuse')}" if group.regressed else ""
    count = f"{group.count:,} {status}" if status != "all" else f"{group.count:,} ({group.open:,} open)"
    ever = f" of {group.ever:,} ever" if group.ever > group.count else ""
    head = terminal.paint(escape(group.fingerprint), "strong")
    yield f"{head}  {count}{ever}, oldest {oldest}  {terminal.paint(escape(group.reason), 'refuse')}{back}"
    yield "  " + fit(f"{group.code} at {group.path} of {group.contract}", terminal.max_cells - 2)
    yield "  " + fit(group.message, terminal.max_cells - 2)
    yield f"  {terminal.paint(group.sample[:SHORT_ID_CHARS], 'frame')}  " + _sample(group.snippet, terminal)


def _nothing(call: Listing, store: QuarantineStore) -> Iterator[str]:
    everything = store.count()
    if not everything:
        yield "the quarantine is empty"
    elif call.filters == Filters() and call.status == "open":
        every = command("list", "--status", "all", db=call.db)
        yield f"nothing is open; {counted(everything, 'record')} in all: {every}"
    else:
        yield f"no record is meant by that; {counted(everything, 'record')} in all"


# ---------------------------------------------------------------------- records


def _units(call: Listing, store: QuarantineStore, terminal: Terminal) -> Iterator[str]:
    meant = filter_of(store, call.filters, status=call.status, db=call.db)
    page = store.list(meant, after=call.after, limit=call.limit)
    if call.json:
        yield json.dumps({"records": [record.to_dict() for record in page.records], "next": page.next}, indent=2)
        return
    today = now()
    for record in page.records:
        yield from _record(record, today, terminal)
    if not page.records:
        yield from _nothing(call, store)
        return
    yield ""
    if page.next is None and call.after is None:
        yield counted(len(page.records), "record")
    else:
        yield f"{counted(len(page.records), 'record')} of {store.count(meant):,}"
    if page.next is not None:
        yield f"more: {command('list', *_again(call, page), db=call.db)}"
    yield f"one record: {command('show', page.records[0].id[:SHORT_ID_CHARS], db=call.db)}"


def _record(record: Record, today: float, terminal: Terminal) -> Iterator[str]:
    back = f"  {terminal.paint('REGRESSED', 'refuse')}" if record.regressed else ""
    head = f"{terminal.paint(record.id[:SHORT_ID_CHARS], 'frame')}  {record.state.value}  {age(today - record.kept_at)}"
    what = f"{terminal.paint(escape(record.reason), 'refuse')}  {thing(record.index)} of {record.delivery}"
    yield f"{head}  {what}{back}"
    yield "  " + fit(f"{record.code} at {record.path}: {record.message}", terminal.max_cells - 2)
    yield "  " + fit(_one_line(record.snippet), terminal.max_cells - 2)


def _again(call: Listing, page: Page) -> Iterator[str]:
    """Yield the words that ask for the next page."""
    yield "--units"
    yield from call.filters.words
    if call.status != "open":
        yield from ("--status", call.status)
    yield from ("--limit", str(call.limit), "--after", str(page.next))


def _sample(snippet: str, terminal: Terminal) -> str:
    return fit(_one_line(snippet), terminal.max_cells - SHORT_ID_CHARS - 4)


def _one_line(snippet: str) -> str:
    """Join the beginning of a text into one line; a list shows no more of it."""
    return " ".join(snippet[:1_000].split()) or "(nothing was written)"
