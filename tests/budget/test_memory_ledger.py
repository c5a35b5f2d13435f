"""The ledger of one process keeps the protocol, under threads too."""

from __future__ import annotations

import os
import threading

import pytest
from hypothesis import settings

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps, TokenRefused
from pratique.budget.ledger import Ledger
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.errors import Misuse
from pratique.testing.ledger import CALL, LedgerConformance, LedgerMachine

THREADS = 16
CALLS = 400
CEILING = Amount(7, 11)


class MemoryMachine(LedgerMachine):
    """Every step in any order."""

    def new_ledger(self) -> Ledger:
        """Make one without events."""
        return MemoryLedger()


TestMemoryMachine = MemoryMachine.TestCase
TestMemoryMachine.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


class TestMemoryLedger(LedgerConformance):
    """The kit."""

    def new_ledger(self) -> Ledger:
        """Make one without events."""
        return MemoryLedger()


def test_no_thread_overspends_and_nothing_is_lost() -> None:
    """More calls than the cap takes, from many threads: what is admitted fits, to the last token."""
    ledger = MemoryLedger()
    cap = Amount(CEILING.tokens * 1_000, CEILING.picos * 1_000)
    ledger.open("b", Caps(total=cap, per_call_tokens=CEILING.tokens))
    refused: list[str] = []

    def work(thread: int) -> None:
        for call in range(CALLS):
            id = f"{thread}-{call}"
            try:
                ledger.hold("b", id, CEILING, CALL)
            except BudgetExceeded:
                refused.append(id)
                continue
            ledger.dispatch(id, CEILING, "d")
            if call % 3:
                ledger.settle(id, CEILING)
            else:
                ledger.assume(id)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shown = ledger.snapshot("b")
    assert shown.reserved == NOTHING
    assert shown.spent == cap
    assert len(refused) == THREADS * CALLS - 1_000


def test_one_token_is_used_by_one_thread_alone() -> None:
    """Of many that race to redeem it, one wins."""
    ledger = MemoryLedger()
    ledger.open("b", Caps(total=Amount(100, 100), per_call_tokens=100))
    ledger.hold("b", "t", CEILING, CALL)
    barrier = threading.Barrier(THREADS)
    won: list[int] = []

    def race(number: int) -> None:
        barrier.wait()
        try:
            ledger.dispatch("t", CEILING, "d")
        except TokenRefused:
            return
        won.append(number)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_has_no_second_purse() -> None:
    """A copy of the memory would let both spend what is left."""
    ledger = MemoryLedger()
    ledger.open("b", Caps(total=Amount(100, 100), per_call_tokens=100))
    child = os.fork()
    if child == 0:  # pragma: no cover - it ends here
        try:
            ledger.hold("b", "t", CEILING, CALL)
        except Misuse:
            os._exit(7)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
