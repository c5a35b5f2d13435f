"""``pratique audit verify`` and ``head``: what a log proves, and the head to keep elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict

from pratique.audit.chain import Head
from pratique.audit.verify import Verification, verify
from pratique.cli.app import complain
from pratique.cli.files import read_text
from pratique.errors import Misuse
from pratique.show import escape, show

__all__ = ["BROKEN", "run_head", "run_verify"]

BROKEN = 1
"""Exit code when a log is not what was written."""

_HEAD = re.compile(r"\s*([0-9a-f]{32}) ([0-9]{1,19}) ([0-9a-f]{64})\s*")


def run_verify(log: str, *, head: str | None, as_json: bool) -> int:
    """Verify a log and print what was found; return the exit code.

    Errors: Misuse for a file that is not there, and a head that is none.
    """
    found = verify(log, head=None if head is None else _head_in(head))
    print(json.dumps(_told(found)) if as_json else "\n".join(_lines(log, found)))
    return 0 if found.is_sound else BROKEN


def run_head(log: str) -> int:
    """Print the head of a log that holds."""
    found = verify(log)
    if found.head is None or not found.is_sound:
        complain(f"{show(log)}: {found.fault}", "pratique audit verify says what still holds")
        return BROKEN
    print(found.head)
    return 0


def _head_in(name: str) -> Head:
    text = read_text(name, what="the head")
    found = _HEAD.fullmatch(text)
    if found is None:
        raise Misuse(f"{show(name)} holds no head", remedy="keep what pratique audit head LOG prints, one line")
    return Head(found[1], int(found[2]), found[3])


def _told(found: Verification) -> dict[str, object]:
    head = None if found.head is None else asdict(found.head)
    return {
        "sound": found.is_sound, "fault": found.fault or None, "head": head,
        "torn_bytes": found.torn_bytes, "proved": list(found.proved), "not_proved": list(found.not_proved),
    }  # fmt: skip


def _lines(log: str, found: Verification) -> Iterator[str]:
    yield f"{escape(log)}: {'sound' if found.is_sound else 'NOT what was written: ' + escape(found.fault)}"
    yield from (f"  proved:     {each}" for each in found.proved)
    yield from (f"  not proved: {each}" for each in found.not_proved)
    if found.torn_bytes:
        yield f"  a last write of {found.torn_bytes:,} bytes was cut off; the next writer sets it aside"
    if found.head is not None and found.is_sound:
        yield f"  head: {found.head}"
