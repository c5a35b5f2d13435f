"""``pratique quarantine export``: records as NDJSON, CSV or a pytest file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pratique.cli.files import STDIO
from pratique.cli.judging import Judging
from pratique.cli.quarantined.database import DEFAULT_DB, filter_of, open_db, records_of
from pratique.cli.quarantined.options import Filters, StatusName
from pratique.cli.quarantined.shown import counted
from pratique.errors import Misuse
from pratique.quarantine.export import export, export_lines, is_store_file
from pratique.quarantine.store import QuarantineStore
from pratique.quarantine.where import Where, meant
from pratique.show import show

__all__ = ["Exporting", "run_export"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporting:
    """One call of ``pratique quarantine export``, as written."""

    format: Literal["ndjson", "csv", "pytest"]
    out: str
    ids: tuple[str, ...] = ()
    filters: Filters
    status: StatusName = "open"
    overwrite: bool = False
    contract: str | None = None
    references: tuple[str, ...] = ()
    db: str | None = None


def run_export(call: Exporting) -> int:
    """Write records to a file, or to standard output; return the exit code.

    Errors: Misuse when the call is wrong, or the path exists; Outage when the disk fails. A file that was there
        is then as it was.
    """
    _require_sound(call)
    references = _references(call)
    with open_db(call.db) as store:
        where = _where(store, call)
        if call.out == STDIO:
            for line in export_lines(store, call.format, where=where, contract=call.contract, references=references):
                sys.stdout.write(line + "\n")
            return 0
        if is_store_file(call.out, call.db or DEFAULT_DB):
            raise Misuse(
                "--out would write over the quarantine file, or what belongs to it", remedy="name another file"
            )
        export(
            store,
            call.out,
            format=call.format,
            where=where,
            contract=call.contract,
            references=references,
            overwrite=call.overwrite,
        )
        many = sum(1 for _ in meant(store, where))
    print(f"wrote {counted(many, 'record')} to {show(call.out, max_chars=200)} as {call.format}")
    return 0


def _where(store: QuarantineStore, call: Exporting) -> Where:
    if call.ids:
        return records_of(store, call.ids, db=call.db)
    return filter_of(store, call.filters, status=call.status, db=call.db)


def _require_sound(call: Exporting) -> None:
    if call.ids and (call.filters != Filters() or call.status != "open"):
        raise Misuse("both records and filters were given", remedy="write ID..., or filters for all that fit")
    if call.format == "pytest" and call.contract is None:
        raise Misuse("a pytest file judges by a contract", remedy="write --contract MODULE:NAME")
    if call.format != "pytest" and (call.contract is not None or call.references):
        raise Misuse("--contract and --references belong to --format pytest", remedy="leave them out")
    if call.out != STDIO and not call.overwrite and os.path.lexists(call.out):
        raise Misuse(
            f"{show(call.out, max_chars=200)} exists; nothing was written",
            remedy="name another file, or add --overwrite",
        )


def _references(call: Exporting) -> Mapping[str, set[str]] | None:
    """Load what the test will load, so that it is known to run."""
    if call.format != "pytest":
        return None
    judging = Judging(contract=call.contract, references=call.references)
    return judging.lists_for(judging.load())
