"""Times as people write and read them: ``7d``, ``2026-01-31``, ``3d ago``. All in UTC."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from pratique.errors import Misuse
from pratique.show import show

__all__ = ["age", "length_of", "moment_of", "now", "stamp", "when"]

MAX_AHEAD_S = 100 * 365 * 86_400.0
"""A length of time, seconds: a century. More is a slip of the pen, and no calendar holds it."""

_UNITS_S = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
_LENGTH = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)


def now() -> float:
    """Return the time, seconds since 1970 UTC: the clock of these commands."""
    return time.time()


def moment_of(said: str, *, now: float, ahead: bool, option: str) -> float:
    """Read a length of time from now, or a date or time; return seconds since 1970 UTC.

    Shape: ``7d`` is seven days from now when ``ahead``, else seven days ago; a date begins at midnight, UTC.
    Errors: Misuse for anything else, and for a time that lies the wrong way or out of reach.
    """
    length = _LENGTH.fullmatch(said.strip())
    remedy = f"write {option} 7d (also s, m, h, w), or a date or time as 2026-01-31 or 2026-01-31T09:30"
    if length:
        seconds = float(length[1]) * _UNITS_S[length[2]]
        if seconds > MAX_AHEAD_S:
            raise Misuse(f"{option} {show(said)} is more than a hundred years", remedy=remedy)
        return now + seconds if ahead else now - seconds
    try:
        told = datetime.fromisoformat(said.strip())
        moment = (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise Misuse(f"{option} {show(said)} is no time", remedy=remedy) from error
    if ahead and moment <= now:
        raise Misuse(f"{option} {show(said)} lies in the past: it is {stamp(now)}", remedy=remedy)
    return moment


def length_of(said: str, *, option: str) -> int:
    """Read a length of time; return whole seconds. Errors: Misuse for anything else, and for more than a century."""
    length = _LENGTH.fullmatch(said.strip())
    seconds = int(length[1]) * _UNITS_S[length[2]] if length else 0
    if length is None or seconds > MAX_AHEAD_S:
        raise Misuse(f"{option} {show(said)} is no length of time", remedy=f"write {option} 1h (also s, m, d, w)")
    return seconds


def age(seconds: float) -> str:
    """Return a length of time in its largest whole unit, up to days: ``3d``."""
    seconds = max(0.0, seconds)
    for name in ("d", "h", "m"):
        if seconds >= _UNITS_S[name]:
            return f"{int(seconds // _UNITS_S[name]):,}{name}"
    return f"{int(seconds)}s"


def stamp(moment: float) -> str:
    """Return a time to the second: ``2026-01-31 09:30:00 UTC``."""
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{moment:.0f} seconds after 1970"


def when(moment: float, now: float) -> str:
    """Return a time, and how long ago that was when it was."""
    return f"{stamp(moment)} ({age(now - moment)} ago)" if moment <= now else stamp(moment)
