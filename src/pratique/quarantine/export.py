"""Take records out of the quarantine: NDJSON for machines, CSV for a spreadsheet, a pytest file for a suite.

An export is whole or not there: it is written beside its place and renamed. A path that exists is refused
unless the caller says otherwise.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pratique.errors import Misuse, Outage
from pratique.quarantine.pytest_case import pytest_case
from pratique.quarantine.record import Detail
from pratique.quarantine.sqlite import SqliteQuarantine
from pratique.quarantine.store import DeliveryState, Filter, QuarantineStore
from pratique.quarantine.where import Where, meant
from pratique.show import escape, show

__all__ = ["Format", "export", "export_lines", "is_store_file", "write_whole"]

_CSV_COLUMNS = (
    "id", "state", "contract", "version", "reason", "code", "path", "message", "regressed", "fingerprint", "kept_at",
    "producer", "model", "run_id", "attempt", "finish_reason", "delivery", "index", "span_start", "span_end", "raw",
    "draft",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula, wide forms too.

Source: OWASP, CSV injection.
"""

_SPLITTING = re.compile(r"""([;|]["\s]*)(?=[=+\-@＝＋－＠])""")
"""Where a reader that splits at ``;`` or ``|`` would see the beginning of a formula inside a cell. A quote that
does not stand at the beginning of a cell quotes nothing, so ``QUOTE_ALL`` alone does not hold it together; the
third such separator, the tab, is escaped."""
_STORE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""A SQLite file, and what SQLite keeps beside it."""


class Format(StrEnum):
    """Say what an export is for."""

    NDJSON = "ndjson"
    """One JSON object a record, with everything but the text of its delivery."""
    CSV = "csv"
    """One row a record; formulas are defused, control characters escaped."""
    PYTEST = "pytest"
    """A test file: each record's delivery is refused for the same reason as when it came."""


def export(
    store: QuarantineStore,
    path: str | os.PathLike[str],
    *,
    format: Format | str = Format.NDJSON,
    where: Where | None = None,
    contract: str | None = None,
    references: Mapping[str, Iterable[str]] | None = None,
    overwrite: bool = False,
) -> int:
    """Write records to a file; return how many lines it has.

    Shape: as ``export_lines``.
        A link is followed, and the mode of an old file kept; a pipe or a device is written to as it is.
    Errors: Misuse when the path exists and ``overwrite`` was not said, or is a folder, or the store itself; Outage
        when the disk fails: nothing is left behind then, and a file that was there before still is.
    """
    target = _require_place(store, path, overwrite=overwrite)
    lines = export_lines(store, format, where=where, contract=contract, references=references)
    many = 0

    def pieces() -> Iterator[bytes]:
        nonlocal many
        for line in lines:
            yield f"{line}\n".encode()
            many += 1

    try:
        write_whole(target, pieces(), overwrite=overwrite)
    except FileExistsError as error:
        raise _exists(target) from error
    except OSError as error:
        reason = show(error.strerror or str(error))
        raise Outage(f"{show(str(target), max_chars=300)} cannot be written: {reason}; choose another place") from error
    return many


def export_lines(
    store: QuarantineStore,
    format: Format | str,
    *,
    where: Where | None = None,
    contract: str | None = None,
    references: Mapping[str, Iterable[str]] | None = None,
) -> Iterator[str]:
    """Return an export line by line, without line ends.

    Shape: ``where`` as for ``replay``, all states; None: every record. ``contract`` (``module:name``) and
        ``references`` are written into a pytest file, which imports the one and passes the other.
    Errors: Misuse for an unknown format, or for a pytest file without a contract or without a record.
    """
    try:
        chosen = Format(format)
    except ValueError as error:
        raise Misuse(f"no format is called {show(format)}", remedy="use " + ", ".join(Format)) from error
    details = _details(store, Filter() if where is None else where)
    if chosen is Format.PYTEST:
        return pytest_case(details, contract=contract, references=references)
    return _RENDERED[chosen](details)


def _details(store: QuarantineStore, where: Where) -> Iterator[Detail]:
    """Read the records that are meant, each delivery once as long as they come together."""
    state: DeliveryState | None = None
    by_id: dict[str, Detail] = {}
    for id, delivery in meant(store, where):
        if state is None or state.delivery.id != delivery:
            state = store.delivery_state(delivery)
            by_id = {detail.record.id: detail for detail in state.details}
        yield by_id[id]


def _ndjson(details: Iterable[Detail]) -> Iterator[str]:
    for detail in details:
        told = detail.to_dict()
        delivery = detail.delivery.to_dict()
        told["delivery"] = {name: said for name, said in delivery.items() if name not in ("text", "tool_calls")}
        yield json.dumps(told, ensure_ascii=True, separators=(",", ":"), default=str)


def _csv(details: Iterable[Detail]) -> Iterator[str]:
    yield _row(_CSV_COLUMNS)
    for detail in details:
        record, delivery = detail.record, detail.delivery
        yield _row((
            record.id, record.state, record.contract, record.version, record.reason, record.code, record.path,
            record.message, record.regressed, record.fingerprint, _moment(record.kept_at), record.producer,
            record.model, record.run_id, delivery.attempt, delivery.finish_reason, delivery.id, record.index,
            record.span.start, record.span.end, detail.raw, detail.draft,
        ))  # fmt: skip


def _row(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="", quoting=csv.QUOTE_ALL).writerow([_cell(cell) for cell in cells])
    return line.getvalue()


def _cell(cell: object) -> object:
    """Write text so that no spreadsheet runs it, whatever it splits at, and no character hides."""
    if not isinstance(cell, str):
        return cell
    return _SPLITTING.sub(r"\1'", escape(f"'{cell}" if cell.startswith(_FORMULA) else cell))


_RENDERED: Mapping[Format, Callable[[Iterable[Detail]], Iterator[str]]] = {Format.NDJSON: _ndjson, Format.CSV: _csv}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


# -------------------------------------------------------------------------- the file


def write_whole(path: str | os.PathLike[str], pieces: Iterable[bytes], *, overwrite: bool) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Shape: written beside its place, synced, renamed. A link is followed, and the mode of an old file kept. What
        is no regular file (a pipe, a device) is written to as it is: a rename would replace it.
    Errors: FileExistsError when it is there and ``overwrite`` was not said, OSError, ValueError for a name that is
        none; a regular file is then as it was. The caller knows the remedy.
    """
    mode = _mode(path)
    if overwrite and mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as through:
            through.writelines(pieces)
        return
    target = os.path.realpath(path) if overwrite else os.path.abspath(path)
    beside = os.path.join(os.path.dirname(target), f".pratique-{secrets.token_hex(8)}.tmp")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if overwrite and mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        _put(beside, target, overwrite=overwrite)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


def is_store_file(path: str | os.PathLike[str], store: str | os.PathLike[str]) -> bool:
    """Tell whether a name leads to a store's file, or to what SQLite keeps beside it."""
    target, own = os.path.realpath(path), os.path.realpath(store)
    return any(target == name or _is_same(target, name) for name in (own + suffix for suffix in _STORE_SUFFIXES))


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _mode(path: str | os.PathLike[str]) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _put(beside: str, target: str, *, overwrite: bool) -> None:
    """Rename; a target that somebody made meanwhile is not replaced, unless that was said."""
    if overwrite:
        os.replace(beside, target)
        return
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        os.replace(beside, target)
    except BaseException:
        os.unlink(target)
        raise


def _require_place(store: QuarantineStore, path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    target = Path(path).absolute()
    if target.is_dir():
        raise Misuse(f"{show(str(path))} is a folder", remedy="name a file in it")
    if not target.parent.is_dir():
        raise Misuse(f"the folder of {show(str(path))} does not exist", remedy="make the folder first")
    if isinstance(store, SqliteQuarantine) and is_store_file(target, store._file.path):
        raise Misuse(f"{show(str(path), max_chars=300)} belongs to the store itself", remedy="name another file")
    if os.path.lexists(target) and not overwrite:
        raise _exists(target)
    return target


def _exists(target: Path) -> Misuse:
    return Misuse(f"{show(str(target), max_chars=300)} exists", remedy="name another file, or say overwrite=True")
