"""Carry a store's events into the log: each one once, in order, whatever dies in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pratique.audit.log import AuditLog
from pratique.audit.outbox import Outbox, event_of_text
from pratique.errors import Misuse

__all__ = ["BATCH", "carry"]

BATCH = 1_000
"""Events that are written and flushed to the disk at once: their steps are done, so that none of them waits."""


def carry(outbox: Outbox, log: AuditLog, *, also: Callable[[dict[str, Any]], None] | None = None) -> int:
    """Append to a log what an outbox has and the log has not; return how many events that were.

    How far the log is, the log itself tells; so that nothing is told twice or left out when this is cut short.
    ``also`` is given each record once it is on the disk, for telemetry: what is cut short there is not told again.
    Limits: BATCH events in memory.
    Errors: Misuse when the store forgot what the log has from it: it was put back from an old copy, or changed; Outage
        as the store, and as the log.
    """
    carried = 0
    store, after = outbox.id, log.carried_of(outbox.id)
    if after is not None:
        last = outbox.posted(after - 1, at_most=1)
        if not last or last[0].seq != after or not log.has_carried(store, last[0]):
            raise Misuse(
                f"the log has event {after:,} of the ledger {store}, and the ledger has not, or has another one",
                remedy="it was put back from an old copy, or changed, and does not know all that was spent: find out "
                "what happened; go on with a new ledger, and caps for what is left",
            )
    while posted := outbox.posted(after or 0, at_most=BATCH):
        log.take_over(store, posted)
        for each in posted if also is not None else ():
            event = event_of_text(each.event)
            if also is not None and event is not None:
                also({**json.loads(event), "at": each.at})
        carried += len(posted)
        after = posted[-1].seq
    return carried
