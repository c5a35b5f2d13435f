"""Intent, act, outcome: what is done stands in the log before it is done, and what became of it after."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from pratique.audit.events import AuditIntent, AuditOutcome
from pratique.audit.log import AuditLog
from pratique.events import record_of

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
    Errors: Outage when the log cannot be written: before the act, and then it must not be done; or after it.
    """
    id, begun = ids(), clock()
    log.append(record_of(AuditIntent(id=id, act=act, about=dict(about or {}))))
    found: dict[str, object] = {}
    error = ""
    try:
        yield found
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        took_ms = int((clock() - begun) * 1_000)
        log.append(record_of(AuditOutcome(id=id, act=act, error=error, took_ms=took_ms, found=found)))
