"""``pratique audit tail``: the last records of a log, then new ones as they come."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable

from pratique.audit.chain import Broken, Record
from pratique.audit.follow import Follower
from pratique.cli.app import complain
from pratique.cli.audited.printed import is_wanted, printed
from pratique.cli.audited.verifying import BROKEN
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["run_tail"]

POLL_S = 0.25
"""Pause between two looks at a log that is followed, seconds: people do not notice it, and a disk neither."""


def run_tail(
    log: str,
    *,
    last: int,
    follow: bool,
    events: tuple[str, ...],
    as_json: bool,
    pause: Callable[[float], object] = time.sleep,
) -> int:
    """Print the last records that are asked for, then new ones until somebody interrupts; return the exit code.

    Errors: Misuse for a file that is not there, and a count that is none; KeyboardInterrupt, which ends the following.
    """
    if last < 0:
        raise Misuse(f"-n cannot be {last}", remedy="give 0 or more")
    follower = Follower(log)
    records: deque[Record] = deque(maxlen=min(last, sys.maxsize))
    try:
        records.extend(record for record in follower.read() if is_wanted(record, events))
    except Broken as broken:
        _print(printed(record, as_json=as_json) for record in records)
        return _complain(log, broken)
    _print(printed(record, as_json=as_json) for record in records)
    if not follow:
        return 0
    try:
        while True:
            pause(POLL_S)
            _print(printed(record, as_json=as_json) for record in follower.read() if is_wanted(record, events))
    except Broken as broken:
        return _complain(log, broken)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()


def _complain(log: str, broken: Broken) -> int:
    complain(f"{show(log)}: {broken}", "what stands above holds; behind that line nothing is shown")
    return BROKEN
