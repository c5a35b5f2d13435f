"""What a replay admits reaches its caller, also when the replay breaks off in the middle.

What was admitted is in the store before it is handed out; so whatever fails, the answer names the command that
gives it again.
"""

from __future__ import annotations

import json
import secrets
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pydantic_core import to_jsonable_python

from pratique.cli.app import FAILED_OUTSIDE, complain
from pratique.cli.quarantined.deliveries import values_of
from pratique.cli.quarantined.emitting import Emission
from pratique.cli.quarantined.shown import command, counted
from pratique.errors import Misuse, Outage
from pratique.quarantine.replayed import Replayed
from pratique.quarantine.store import QuarantineStore

__all__ = ["hand_out", "handed_out", "new_replay_id", "stopped_gently"]


def new_replay_id() -> str:
    """Return an id for a replay, known before it begins; of the form that the stores give."""
    return f"r-{secrets.token_hex(6)}"


@contextmanager
def stopped_gently() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does, so that what was admitted is handed out; in the main thread, where signals come.

    Not checked: SIGKILL, which nobody sees. The store has everything then, too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def handed_out(store: QuarantineStore, replay: str | None, place: Emission, *, db: str | None) -> Iterator[None]:
    """Hand out what a replay has admitted, should it break off; None: it is a dry run, and admits nothing.

    Errors: whatever broke it off, afterwards.
    """
    try:
        yield
    except BaseException:
        if replay is not None:
            _rescue(store, replay, place, db=db)
        raise


def _rescue(store: QuarantineStore, replay: str, place: Emission, *, db: str | None) -> None:
    again = command("delivered", replay, db=db)
    try:
        many = len(store.delivered(replay))
    except Misuse:  # it had not begun
        return
    except Outage as error:
        complain(f"broken off, and {error}", f"what was admitted until then: {again}")
        return
    if not many:
        return
    told = f"broken off; {counted(many, 'record')} admitted until then"
    print(f"pratique: {told}, its values at any time: {again}", file=sys.stderr, flush=True)
    if place.is_written:
        return
    try:
        place.write(values_of(store, replay))
    except (Misuse, Outage) as error:
        _complain_of_place(error, again)


def hand_out(replayed: Replayed[Any], place: Emission, *, db: str | None) -> int:
    """Write what the replay itself returned where it belongs; return the exit code when that fails, else 0.

    Shape: not read from the store again: another process may purge it there as soon as it is resolved.
    """
    if place.name is None or replayed.id is None:
        return 0
    try:
        place.write(_lines(replayed))
    except Misuse as error:
        _complain_of_place(error, command("delivered", replayed.id, db=db))
        return FAILED_OUTSIDE
    return 0


def _complain_of_place(error: Misuse | Outage, again: str) -> None:
    why = error.message if isinstance(error, Misuse) else str(error)
    complain(f"{why}; what was admitted is in the quarantine file", f"take it from there: {again}")


def _lines(replayed: Replayed[Any]) -> Iterator[str]:
    """Yield each value as JSON, in the form in which the store keeps it."""
    for value in replayed.values:
        plain = to_jsonable_python(value, bytes_mode="base64", inf_nan_mode="strings", fallback=repr)
        yield json.dumps(plain, separators=(",", ":"))
