"""A provider that bills before it answers, workers that call it, and SIGKILL at random moments."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps
from pratique.budget.ledgers.postgres import PostgresLedger
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.budget.sweep import sweep
from pratique.testing.ledger import CALL

CAP = 20_000
CEILING = Amount(100, 100)
RUN_S = 6.0
WORKERS = 3


def opened(where: str) -> SqliteLedger | PostgresLedger:
    """Open a ledger in this process: ``sqlite PATH`` or ``postgres CONNINFO``."""
    kind, _, place = where.partition(" ")
    return SqliteLedger(place) if kind == "sqlite" else PostgresLedger(place)


def _work(where: str, bills: str, seed: int) -> None:
    """Call until the cap is reached: hold, dispatch, be billed, answer, settle."""
    rng = random.Random(seed)
    ledger = opened(where)
    number = 0
    while True:
        id = f"{os.getpid()}-{seed}-{number}"
        number += 1
        try:
            ledger.hold("b", id, CEILING, CALL, owner=str(seed))
        except BudgetExceeded:
            return
        ledger.dispatch(id, CEILING, "d")
        bill = rng.randint(1, CEILING.tokens)
        with open(bills, "a", encoding="ascii") as billed:  # the provider's own book: one short line, appended whole
            billed.write(f"{bill}\n")
        time.sleep(rng.random() * 0.002)
        ledger.settle(id, Amount(bill, bill))


def run_with_kills(where: str, bills: Path) -> None:
    """Let workers call and kill them; then sweep, and compare the ledger with what the provider billed."""
    with opened(where) as ledger:
        ledger.open("b", Caps(total=Amount(CAP, CAP), per_call_tokens=100))
        context = multiprocessing.get_context("spawn")
        rng = random.Random(7)
        running: list[Any] = []
        kills = seed = 0
        ends = time.monotonic() + RUN_S
        while time.monotonic() < ends and ledger.snapshot("b").left.tokens >= CEILING.tokens:
            while len(running) < WORKERS:
                process = context.Process(target=_work, args=(where, str(bills), seed))
                process.start()
                running.append(process)
                seed += 1
            time.sleep(rng.uniform(0.1, 0.4))
            victim = running.pop(rng.randrange(len(running)))
            if victim.is_alive():
                os.kill(victim.pid, signal.SIGKILL)
                kills += 1
            victim.join()
        for process in running:
            process.kill()
            process.join()
        orphans = ledger.open_holds("b")
        swept = sweep(ledger, "b", older_than_s=0)
        billed = sum(map(int, bills.read_text("ascii").split())) if bills.exists() else 0
        shown = ledger.snapshot("b")
        assert kills > 0
        assert billed > 0
        assert len(swept.voided) + len(swept.assumed) == len(orphans)
        assert shown.reserved == NOTHING
        assert billed <= shown.spent.tokens <= CAP
