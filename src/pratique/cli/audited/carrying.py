"""``pratique audit carry``: bring what ledgers have in their outboxes into the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

from pratique.audit.carry import carry
from pratique.audit.log import AuditLog
from pratique.audit.outbox import Outbox
from pratique.cli.ledgers import ledger_at
from pratique.errors import Misuse

__all__ = ["run_carry"]

POLL_S = 1.0
"""Pause between two rounds, seconds: what is spent stands in the ledger at once; the log may be as much behind."""


def run_carry(log: str, ledgers: list[str], *, follow: bool, pause: Callable[[float], object] = time.sleep) -> int:
    """Carry over what is new, once or until somebody interrupts; return the exit code.

    Errors: as ``carry``; KeyboardInterrupt, which ends the following.
    """
    if not ledgers:
        raise Misuse("no ledger was named", remedy="write pratique audit carry audit.log ledger.db")
    with ExitStack() as opened:
        sources: list[Outbox] = []
        for name in ledgers:
            ledger = ledger_at(name)
            opened.callback(ledger.close)
            sources.append(ledger)
        into = opened.enter_context(AuditLog(log))
        carried = sum(carry(source, into) for source in sources)
        print(f"{carried:,} events carried over; head: {into.head}", flush=True)
        while follow:
            pause(POLL_S)
            carried = sum(carry(source, into) for source in sources)
            if carried:
                print(f"{carried:,} events carried over; head: {into.head}", flush=True)
    return 0
