"""The ledger in a file keeps the protocol, across processes, forks and kills; the database itself holds invariants."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from budget.killing import run_with_kills
from pratique.budget import book
from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps, Escrow, Hold, ReconcileConflict, TokenRefused
from pratique.budget.guard import LlmInvocationGuard
from pratique.budget.ledger import Ledger
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.budget.price import Price
from pratique.budget.request import request_of
from pratique.errors import Misuse, Outage
from pratique.testing.ledger import CALL, LedgerConformance, LedgerMachine

CAPS = Caps(total=Amount(1_000, 1_000), per_call_tokens=400)
ONE = Amount(10, 10)


class SqliteMachine(LedgerMachine):
    """Every step in any order."""

    def new_ledger(self) -> Ledger:
        """Make one in a folder of its own."""
        self.folder = tempfile.TemporaryDirectory()
        self.file = SqliteLedger(Path(self.folder.name) / "ledger.db")
        return self.file

    def teardown(self) -> None:
        """Close it, and look that it adds up, and told what the book tells."""
        assert self.file.wrong_sums() == []
        self.require_same_events(told(self.file))
        self.file.close()
        self.folder.cleanup()


def told(ledger: SqliteLedger) -> list[dict[str, Any]]:
    """Return what the outbox has."""
    return [json.loads(posted.event) for posted in ledger.posted(at_most=100_000)]


TestSqliteMachine = SqliteMachine.TestCase
TestSqliteMachine.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)


class TestSqliteLedger(LedgerConformance):
    """The kit."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "ledger.db"

    def new_ledger(self) -> Ledger:
        """Make one in a file of its own."""
        return SqliteLedger(self.path)


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    """A ledger with one budget."""
    with SqliteLedger(tmp_path / "ledger.db") as made:
        made.open("b", CAPS)
        yield made


def test_what_one_process_holds_another_one_sees(tmp_path: Path, ledger: SqliteLedger) -> None:
    """Two guards of a workflow share its caps, through the file."""
    ledger.hold("b", "t", ONE, CALL)
    with SqliteLedger(tmp_path / "ledger.db") as other:
        other.open("b", CAPS)
        assert other.snapshot("b").reserved == ONE
        other.dispatch("t", ONE, "d")
    with pytest.raises(TokenRefused):
        ledger.dispatch("t", ONE, "d")


def test_every_step_has_its_event_in_the_same_file(ledger: SqliteLedger) -> None:
    """In order, and none for what changed nothing or was refused."""
    ledger.hold("b", "t", ONE, CALL)
    ledger.dispatch("t", ONE, "d")
    ledger.assume("t")
    ledger.assume("t")
    ledger.settle("t", Amount(5, 5))
    ledger.settle("t", Amount(5, 5))
    with pytest.raises(BudgetExceeded):
        ledger.hold("b", "u", Amount(401, 1), CALL)
    with pytest.raises(ReconcileConflict):
        ledger.settle("t", Amount(6, 5))
    events = told(ledger)
    assert [event["event"] for event in events] == [
        "budget.opened", "budget.precharged", "budget.dispatched", "budget.assumed", "cost.llm.call",
        "budget.reconciled", "cost.llm.call", "budget.exceeded", "budget.reconcile_conflict",
    ]  # fmt: skip
    assert [(cost["basis"], cost["quantity"], cost["dollars"]) for cost in events if "basis" in cost] == [
        ("assumed", 10, "0.00000000001"), ("corrected", -5, "-0.000000000005"),
    ]  # fmt: skip
    assert all(event["price"] == CALL.price for event in events if "token" in event)


INSERT = (
    "INSERT INTO holds (id, budget, ceiling_tokens, ceiling_picos, digest, provider, model, price, owner, state, "
    "held_at, moved_at)"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE budgets SET spent_tokens = 1001",
        "UPDATE budgets SET reserved_picos = 1001",
        "UPDATE budgets SET reserved_tokens = -1",
        "UPDATE holds SET state = 'held' WHERE id = 'used'",
        "UPDATE holds SET state = 'voided' WHERE id = 'used'",
        "UPDATE holds SET state = 'settled' WHERE id = 'fresh'",
        "UPDATE holds SET state = 'assumed' WHERE id = 'used'",
        "UPDATE holds SET ceiling_tokens = 1",
        "UPDATE holds SET digest = 'x'",
        "UPDATE holds SET charged_tokens = 3 WHERE id = 'fresh'",
        "DELETE FROM holds",
        "DELETE FROM outbox",
        "UPDATE outbox SET event = '{}'",
        "UPDATE holds SET ended = 1 WHERE id = 'used'",
        f"{INSERT} VALUES ('fresh', 'b', 1, 1, 'd', '', '', '', '', 'held', '', '')",
        f"{INSERT} VALUES ('x', 'gone', 1, 1, 'd', '', '', '', '', 'held', '', '')",
        f"{INSERT} VALUES ('x', 'b', 1, 1, 'd', '', '', '', '', 'settled', '', '')",
        f"{INSERT} VALUES ('x', 'b', 990, 1, 'd', '', '', '', '', 'held', '', '')",
        f"{INSERT} VALUES ('x', 'w', 1, 1, 'd', '', '', '', '', 'held', '', '')",
        "UPDATE budgets SET lent_tokens = 1000 WHERE id = 'b'",
        "UPDATE budgets SET lent_tokens = 1 WHERE id = 'w'",
        "UPDATE holds SET owner = 'x'",
        "UPDATE budgets SET cap_tokens = 1.5",
    ],
)
def test_the_database_itself_refuses_what_breaks_an_invariant(statement: str, tmp_path: Path) -> None:
    """Whoever writes by hand: caps, states, ceilings and ids."""
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.open("b", CAPS)
        for id in ("fresh", "used"):
            ledger.hold("b", id, ONE, CALL)
        ledger.dispatch("used", ONE, "d")
        ledger.open("w", CAPS, escrow=Escrow(portfolio="b", chunk=ONE))
    connection = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    with pytest.raises((sqlite3.IntegrityError, sqlite3.OperationalError)):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE budgets SET spent_tokens = spent_tokens - 1 WHERE id = 'b'", "spent, and its rows add up to 10"),
        ("UPDATE budgets SET reserved_picos = 0 WHERE id = 'w'", '"w" says 0 pico-dollars reserved'),
        ("UPDATE budgets SET lent_tokens = 0 WHERE id = 'p'", '"p" says 0 tokens lent'),
    ],
)
def test_a_sum_that_somebody_edited_is_found(statement: str, said: str, tmp_path: Path) -> None:
    """Constraints let a smaller sum pass; adding up anew does not."""
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.open("b", CAPS)
        ledger.open("p", CAPS)
        ledger.open("w", CAPS, escrow=Escrow(portfolio="p", chunk=ONE))
        ledger.hold("w", "w", ONE, CALL)
        ledger.hold("b", "t", ONE, CALL)
        ledger.dispatch("t", ONE, "d")
        ledger.assume("t")
        assert ledger.wrong_sums() == []
    connection = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    connection.execute(statement)
    connection.close()
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        (wrong,) = ledger.wrong_sums()
        assert said in wrong


def test_a_fork_opens_the_file_anew(ledger: SqliteLedger) -> None:
    """And the token that both have is used by one of them."""
    ledger.hold("b", "t", ONE, CALL)
    child = os.fork()
    if child == 0:  # pragma: no cover - it ends here
        try:
            ledger.dispatch("t", ONE, "d")
            os._exit(0)
        except TokenRefused:
            os._exit(7)
        except BaseException:  # noqa: BLE001  # a child must not run the rest of the suite
            os._exit(9)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    with pytest.raises(TokenRefused):
        ledger.dispatch("t", ONE, "d")


def test_what_a_child_does_is_there_after_its_parent_closed(tmp_path: Path) -> None:
    """The parent's close must not take the log away from under it."""
    parent = SqliteLedger(tmp_path / "ledger.db")
    parent.open("b", CAPS)
    parent.hold("b", "before", ONE, CALL)
    ready, begin = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - it ends here
        try:
            parent.hold("b", "first", ONE, CALL)
            os.write(ready[1], b"1")
            os.read(begin[0], 1)
            for number in range(20):
                parent.hold("b", f"c{number}", ONE, CALL)
                parent.dispatch(f"c{number}", ONE, "d")
            os._exit(0)
        except BaseException:  # noqa: BLE001  # a child must not run the rest of the suite
            os._exit(9)
    os.read(ready[0], 1)
    parent.close()
    os.write(begin[1], b"1")
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    with SqliteLedger(tmp_path / "ledger.db") as after:
        assert after.snapshot("b").reserved == Amount(220, 220)
        assert after.wrong_sums() == []
    for descriptor in (*ready, *begin):
        os.close(descriptor)


def test_a_step_inside_of_a_step_is_refused(ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a signal handler's would be: it must not end the outer one."""
    real = book.require_fit
    inner: list[str] = []

    def interrupting(*given: Any) -> None:
        try:
            ledger.snapshot("b")
        except Misuse as error:
            inner.append(error.message)
        real(*given)

    ledger.open("w", CAPS, escrow=Escrow(portfolio="b", chunk=ONE))
    monkeypatch.setattr(book, "require_fit", interrupting)
    ledger.hold("w", "t", ONE, CALL)
    assert "in the middle of a step" in inner[0]
    assert ledger.snapshot("b").lent == ONE
    assert ledger.wrong_sums() == []


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"x"])
def test_a_file_that_is_no_ledger_is_not_touched(content: bytes, tmp_path: Path) -> None:
    """Told with the remedy."""
    file = tmp_path / "ledger.db"
    file.write_bytes(content)
    with pytest.raises(Misuse, match="no SQLite file"):
        SqliteLedger(file)
    assert file.read_bytes() == content


def test_a_newer_ledger_a_quarantine_and_a_folder_are_refused(tmp_path: Path) -> None:
    """Each with what to do."""
    from pratique.quarantine import SqliteQuarantine

    with SqliteLedger(tmp_path / "ledger.db"):
        pass
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Misuse, match="newer pratique"):
        SqliteLedger(tmp_path / "ledger.db")
    with SqliteQuarantine(tmp_path / "quarantine.db"):
        pass
    with pytest.raises(Misuse, match="but no ledger"):
        SqliteLedger(tmp_path / "quarantine.db")
    with pytest.raises(Misuse, match="is a folder"):
        SqliteLedger(tmp_path)


def test_a_clock_that_goes_back_sweeps_nothing_too_early(tmp_path: Path) -> None:
    """Ages come out too small, never too large; no sum depends on a clock."""
    noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    now = [noon]
    with SqliteLedger(tmp_path / "ledger.db", clock=lambda: now[0]) as ledger:
        ledger.open("b", CAPS)
        ledger.hold("b", "t", ONE, CALL)
        now[0] = noon - timedelta(hours=5)
        assert ledger.open_holds("b", older_than_s=1) == []
        assert ledger.open_holds("b")[0].age_s == 0
        ledger.dispatch("t", ONE, "d")
        now[0] = noon
        assert ledger.open_holds("b", older_than_s=5 * 3_600)[0].age_s == 5 * 3_600
        assert ledger.wrong_sums() == []


def test_a_total_is_shown_when_the_ledger_was_closed(tmp_path: Path) -> None:
    """It never raises."""
    ledger = SqliteLedger(tmp_path / "ledger.db")
    guard = LlmInvocationGuard("b", ledger=ledger, caps=CAPS)
    ledger.close()
    assert guard.running_total().is_stale


def test_a_full_disk_reserves_nothing(ledger: SqliteLedger) -> None:
    """SQLite's own page limit stands for the disk."""
    with ledger._file.write() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    ledger._file._open().execute(f"PRAGMA max_page_count = {pages}")
    held: list[Hold] = []

    def fill() -> None:
        while True:
            held.append(ledger.hold("b", f"t{len(held)}", NOTHING, CALL))

    with pytest.raises(Outage, match="no room"):
        fill()
    assert ledger.open_holds("b") == held
    assert len(told(ledger)) == 1 + len(held)


def test_a_total_is_shown_while_the_ledger_cannot_be_read_and_nothing_can_be_spent(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says that it is stale; a reservation fails."""
    guard = LlmInvocationGuard("b", ledger=ledger, caps=CAPS)
    ledger.hold("b", "t", ONE, CALL)
    assert not guard.running_total().is_stale

    def gone(*_: object, **__: object) -> Any:
        raise Outage("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(ledger, "snapshot", gone)
        patched.setattr(ledger, "hold", gone)
        shown = guard.running_total()
        assert (shown.is_stale, shown.reserved) == (True, ONE)
        price = Price(provider="p", model="m", input=Decimal(0), output=Decimal(0))
        request = request_of(b"", provider="p", model="m", max_tokens=1, price=price, overhead_tokens=0)
        with pytest.raises(Outage, match="the disk is gone"):
            guard.precharge(request)
    assert not guard.running_total().is_stale


@pytest.mark.slow
def test_whoever_is_killed_when_no_cent_is_overspent_and_none_is_forgotten(tmp_path: Path) -> None:
    """SIGKILL at random moments; what nobody settled is assumed at its ceiling."""
    run_with_kills(f"sqlite {tmp_path / 'ledger.db'}", tmp_path / "bills")
