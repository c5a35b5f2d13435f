"""A step that fails at any moment has happened, with its events, or has not: nothing in between."""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps, Escrow, TokenRefused
from pratique.budget.ledgers.postgres import PostgresLedger
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.budget.sweep import sweep
from pratique.errors import Outage
from pratique.testing.ledger import CALL

CAPS = Caps(total=Amount(1_000, 1_000), per_call_tokens=400)
WIDER = Caps(total=Amount(2_000, 2_000), per_call_tokens=400)
ONE = Amount(10, 10)
ESCROW = Escrow(portfolio="p", chunk=Amount(50, 50))

STEPS: dict[str, Callable[[SqliteLedger], object]] = {
    "open": lambda ledger: ledger.open("new", CAPS),
    "open under a portfolio": lambda ledger: ledger.open("new", CAPS, escrow=ESCROW),
    "hold": lambda ledger: ledger.hold("b", "new", ONE, CALL),
    "hold what needs a chunk": lambda ledger: ledger.hold("w", "new", Amount(60, 60), CALL),
    "hold what does not fit": lambda ledger: ledger.hold("b", "new", Amount(399, 2_000), CALL),
    "dispatch": lambda ledger: ledger.dispatch("held", ONE, "d"),
    "settle": lambda ledger: ledger.settle("used", ONE),
    "settle above the ceiling": lambda ledger: ledger.settle("used of w", Amount(90, 5)),
    "settle late": lambda ledger: ledger.settle("assumed", Amount(3, 3)),
    "void": lambda ledger: ledger.void("held"),
    "assume": lambda ledger: ledger.assume("used"),
    "give back": lambda ledger: ledger.give_back("w"),
    "override": lambda ledger: ledger.override("b", WIDER, by="operator", reason="test"),
}


def prepared(path: Path) -> SqliteLedger:
    """Make a ledger with a hold of each kind."""
    ledger = SqliteLedger(path, durable=False)
    ledger.open("b", CAPS)
    ledger.open("p", CAPS)
    ledger.open("w", CAPS, escrow=ESCROW)
    ledger.open("filler", CAPS)
    for budget, id in (("b", "held"), ("b", "used"), ("b", "assumed"), ("w", "used of w")):
        ledger.hold(budget, id, ONE, CALL)
        if id != "held":
            ledger.dispatch(id, ONE, "d")
    ledger.assume("assumed")
    return ledger


def state_of(ledger: SqliteLedger) -> tuple[Any, ...]:
    """Return all that a ledger shows; and see that it adds up."""
    assert ledger.wrong_sums() == []
    budgets = ledger.budgets()
    holds = [
        (hold.id, hold.state, hold.charged) for budget in budgets for hold in ledger.open_holds(budget.budget)
    ]  # fmt: skip
    return tuple(budgets), tuple(holds), tuple(posted.event for posted in ledger.posted(at_most=10_000))


def attempt(step: Callable[[SqliteLedger], object], ledger: SqliteLedger) -> bool:
    """Make a step; say whether it came to its end, be that a refusal."""
    try:
        step(ledger)
    except Outage:
        return False
    except BudgetExceeded:
        pass
    return True


class Failing:
    """A connection whose statements fail: one of them, or all from that one on."""

    def __init__(self, connection: sqlite3.Connection, number: int, *, for_good: bool) -> None:
        self._connection, self._left, self._for_good = connection, number, for_good
        self.failed = 0

    def execute(self, statement: str, values: Any = ()) -> Any:
        """Run a statement, or fail before it."""
        self._left -= 1
        if self._left == -1 or (self._left < 0 and self._for_good):
            self.failed += 1
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error
        return self._connection.execute(statement, values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_fails_at_any_statement_has_not_happened(name: str, for_good: bool, tmp_path: Path) -> None:
    """Before each of its statements once, its COMMIT too; with a disk that recovers in time to roll back, or not."""
    with prepared(tmp_path / "whole.db") as whole:
        attempt(STEPS[name], whole)
        after = state_of(whole)
    with prepared(tmp_path / "cut.db") as ledger:
        before = state_of(ledger)
        assert before != after
        for number in range(100):
            real = ledger._file._open()
            failing = Failing(real, number, for_good=for_good)
            ledger._file._connection = failing  # type: ignore[assignment]
            came_through = attempt(STEPS[name], ledger)
            if ledger._file._connection is not None:  # else it was dropped
                ledger._file._connection = real
            if not failing.failed:
                break
            assert not came_through
            assert state_of(ledger) == before
        assert state_of(ledger) == after
    assert number > 0


def test_what_a_signal_left_open_is_rolled_back_by_the_next_step(tmp_path: Path) -> None:
    """Between BEGIN and what ends it; and a pragma that was cut off is set again."""
    with prepared(tmp_path / "ledger.db") as ledger:
        before = state_of(ledger)
        connection = ledger._file._open()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM ledger")
        ledger._file._is_durable = ledger._file._is_patient = None
        assert state_of(ledger) == before
        ledger.dispatch("held", ONE, "d")
        assert ledger.id


def test_a_signal_inside_of_a_step_leaves_no_half_connection(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is dropped, and the next step has a new one."""
    with PostgresLedger(postgres, schema=f"s_{secrets.token_hex(6)}") as ledger:
        ledger.open("b", CAPS)

        def interrupted(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr("pratique.budget.ledgers.rows.book.require_fit", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ledger.hold("b", "t", Amount(399, 2_000), CALL)
        ledger.hold("b", "t", ONE, CALL)
        assert ledger.snapshot("b").reserved == ONE


@pytest.mark.parametrize("name", STEPS)
def test_a_step_for_which_the_disk_has_no_room_has_not_happened(name: str, tmp_path: Path) -> None:
    """At each page that it needs once, inside of triggers too."""
    with prepared(tmp_path / "whole.db") as whole:
        attempt(STEPS[name], whole)
        after = state_of(whole)
    with prepared(tmp_path / "cut.db") as ledger:
        connection = ledger._file._open()
        while True:  # up to a page that is full, so that the next step needs one
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            ledger.hold("filler", f"filler {secrets.token_hex(100)}", NOTHING, CALL)
            if connection.execute("PRAGMA page_count").fetchone()[0] > pages:
                break
        before = state_of(ledger)
        for more in range(20):
            connection.execute(f"PRAGMA max_page_count = {pages + 1 + more}")
            if attempt(STEPS[name], ledger):
                break
            assert state_of(ledger) == before
        assert [one for one in state_of(ledger)[0] if one.budget != "filler"] == [
            one for one in after[0] if one.budget != "filler"
        ]


@pytest.mark.slow
def test_a_server_that_drops_connections_at_random_loses_and_adds_nothing(postgres: str) -> None:
    """Backends are terminated while threads call; what nobody can tell is swept, and the cap holds."""
    cap, ceiling = 5_000, Amount(100, 100)
    schema = f"s_{secrets.token_hex(6)}"
    billed: list[int] = []
    dropped = ended = 0
    ends = time.monotonic() + 4.0

    def work(number: int) -> None:
        nonlocal ended
        call = 0
        while time.monotonic() < ends:
            call += 1
            id = f"{number}-{call}"
            try:
                ledger.hold("b", id, ceiling, CALL)
                ledger.dispatch(id, ceiling, "d")
                billed.append(70)  # the provider's own book
                ledger.settle(id, Amount(70, 70))
            except Outage:
                ended += 1
            except TokenRefused:  # a dispatch of which nobody could tell, tried by nobody again
                pytest.fail("a token that was not used was refused")
            except BudgetExceeded:
                return

    with PostgresLedger(postgres, schema=schema) as ledger, psycopg.connect(postgres, autocommit=True) as other:
        ledger.open("b", Caps(total=Amount(cap, cap), per_call_tokens=100))
        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.01)
            cut = other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pratique' "
                "AND state = 'active' ORDER BY random() LIMIT 1"
            ).fetchall()
            dropped += len(cut)
        for thread in threads:
            thread.join()
    with PostgresLedger(postgres, schema=schema) as ledger:
        sweep(ledger, "b", older_than_s=0)
        shown = ledger.snapshot("b")
        assert ledger.wrong_sums() == []
    assert dropped > 0
    assert ended > 0
    assert shown.reserved == NOTHING
    assert sum(billed) <= shown.spent.tokens <= cap
