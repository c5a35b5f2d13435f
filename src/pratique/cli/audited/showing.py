"""``pratique audit show``: the records of a log, one a line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from pratique.audit.chain import Broken, Record
from pratique.audit.reading import read_log
from pratique.cli.app import complain
from pratique.cli.audited.printed import is_wanted, printed
from pratique.cli.audited.verifying import BROKEN
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["run_show"]


def run_show(log: str, *, events: tuple[str, ...], last: int | None, as_json: bool) -> int:
    """Print the records that are asked for, as far as the chain holds; return the exit code.

    Errors: Misuse for a file that is not there, and a count that is none.
    """
    if last is not None and last < 1:
        raise Misuse(f"--last cannot be {last}", remedy="give a number of at least 1")
    broken: list[Broken] = []
    records = _wanted(log, events, broken)
    for record in records if last is None else deque(records, maxlen=last):
        print(printed(record, as_json=as_json))
    if not broken:
        return 0
    complain(f"{show(log)}: {broken[0]}", "what stands above holds; behind that line nothing is shown")
    return BROKEN


def _wanted(log: str, events: tuple[str, ...], broken: list[Broken]) -> Iterator[Record]:
    try:
        yield from (record for record in read_log(log) if is_wanted(record, events))
    except Broken as fault:
        broken.append(fault)
