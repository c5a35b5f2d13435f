"""``pratique audit show``: the records of a log, one a line."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from pratique.audit.chain import Broken, Record, read_chain
from pratique.cli.app import complain
from pratique.cli.audited.verifying import BROKEN
from pratique.errors import Misuse
from pratique.show import escape, show

__all__ = ["run_show"]


def run_show(log: str, *, events: tuple[str, ...], last: int | None, as_json: bool) -> int:
    """Print the records that are asked for, as far as the chain holds; return the exit code.

    Errors: Misuse for a file that is not there, and a count that is none.
    """
    if last is not None and last < 1:
        raise Misuse(f"--last cannot be {last}", remedy="give a number of at least 1")
    broken: list[Broken] = []
    lines = (_json(record) if as_json else _line(record) for record in _wanted(log, events, broken))
    for line in lines if last is None else deque(lines, maxlen=last):
        print(line)
    if not broken:
        return 0
    complain(f"{show(log)}: {broken[0]}", "what stands above holds; behind that line nothing is shown")
    return BROKEN


def _wanted(log: str, events: tuple[str, ...], broken: list[Broken]) -> Iterator[Record]:
    try:
        with open(log, "rb") as file:
            for part in read_chain(file):
                if isinstance(part, Record) and _is_wanted(str(part.event.get("event", "")), events):
                    yield part
    except Broken as fault:
        broken.append(fault)
    except OSError as error:
        raise Misuse(f"{show(log)}: {error.strerror}", remedy="name the log's file") from error


def _is_wanted(name: str, events: Iterable[str]) -> bool:
    patterns = tuple(events)
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def _json(record: Record) -> str:
    return json.dumps({"seq": record.seq, "hash": record.hash, **record.event})


def _line(record: Record) -> str:
    told = dict(record.event)
    name = told.pop("event", "")
    return f"{record.seq:>6}  {escape(str(name)):<24}" + "".join(
        f"  {escape(key)}={_value(each)}" for key, each in told.items()
    )


def _value(value: object) -> str:
    return show(value, max_chars=60) if isinstance(value, str) and (not value or " " in value) else escape(str(value))
