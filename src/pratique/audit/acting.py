"""Intent, act, outcome: what is done stands in the log before it is done, and what became of it after."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from pratique.audit.checkpoints import CheckpointOutage
from pratique.audit.events import AuditIntent, AuditOutcome
from pratique.audit.log import AuditLog
from pratique.audit.outbox import require_event
from pratique.errors import Misuse, Outage
from pratique.events import record_of
from pratique.show import show

__all__ = ["acting"]


@contextmanager
def acting(
    log: AuditLog,
    act: str,
    about: Mapping[str, object] | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
    ids: Callable[[], str] = lambda: secrets.token_hex(8),
) -> Iterator[dict[str, object]]:
    """Announce an act, let the block do it, and record what became of it.

    Shape: ``with acting(log, "sandbox.run", {"program": "ls"}) as found: found["exit"] = run()``; what the block puts
        into ``found`` stands in the outcome. What the block raises is recorded by its kind, and goes on. Who dies
        inside leaves an intent without an outcome; the next writer tells that it was abandoned.
    Errors: Outage when the log cannot be written: before the act, and then it must not be done; or after it. Misuse for
        a result that is no JSON: the act is recorded as done with that error. What the block raises goes first.
    """
    id, begun = ids(), clock()
    found: dict[str, object] = {}

    def ended(error: str, found: Mapping[str, object]) -> None:
        took_ms = int((clock() - begun) * 1_000)
        log.append(record_of(AuditOutcome(id=id, act=act, error=error, took_ms=took_ms, found=dict(found))))

    try:
        log.append(record_of(AuditIntent(id=id, act=act, about=dict(about or {}))))
    except CheckpointOutage:  # the intent is in the log, and nothing was done
        with suppress(CheckpointOutage):
            ended("CheckpointOutage", {})
        raise
    try:
        yield found
    except BaseException as raised:
        try:
            ended(type(raised).__name__, found if _is_event(found) else {})
        except (Misuse, Outage) as untold:
            raised.add_note(f"the outcome of {show(act)} could not be recorded: {untold}")
        raise
    if _is_event(found):
        ended("", found)
    else:
        ended("Misuse", {})
        raise Misuse(f"what {show(act)} found is no JSON", remedy="put plain JSON values into it; the act was done")


def _is_event(found: Mapping[str, object]) -> bool:
    """Say whether a result can stand in a record."""
    try:
        require_event({"event": "audit.outcome", "found": found})
    except Misuse:
        return False
    return True
