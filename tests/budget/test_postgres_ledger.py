"""The ledger in PostgreSQL keeps the protocol on a real server, which itself holds the invariants."""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from budget.killing import run_with_kills
from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps, Escrow, TokenRefused
from pratique.budget.ledger import Ledger
from pratique.budget.ledgers.postgres import PostgresLedger
from pratique.errors import Misuse, Outage
from pratique.testing.ledger import CALL, LedgerConformance, LedgerMachine

CAPS = Caps(total=Amount(1_000, 1_000), per_call_tokens=400)
ONE = Amount(10, 10)


def fresh() -> str:
    """Name a schema that nobody has."""
    return f"s_{secrets.token_hex(6)}"


def test_any_steps_in_any_order(postgres: str) -> None:
    """The one state machine; whoever watches the log has seen each step."""
    made: list[PostgresLedger] = []

    class PostgresMachine(LedgerMachine):
        def new_ledger(self) -> Ledger:
            made.append(PostgresLedger(postgres, schema=fresh()))
            return made[-1]

        def teardown(self) -> None:
            assert made[-1].wrong_sums() == []
            self.require_same_events([json.loads(posted.event) for posted in made[-1].posted(at_most=10_000)])
            made[-1].close()

    run_state_machine_as_test(
        PostgresMachine, settings=settings(max_examples=15, stateful_step_count=25, deadline=None)
    )
    assert made


class TestPostgresLedger(LedgerConformance):
    """The kit."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres: str) -> Iterator[None]:
        self.postgres = postgres
        self.made: list[PostgresLedger] = []
        yield
        for ledger in self.made:
            ledger.close()

    def new_ledger(self) -> Ledger:
        """Make one in a schema of its own."""
        self.made.append(PostgresLedger(self.postgres, schema=fresh()))
        return self.made[-1]


@pytest.fixture
def ledger(postgres: str) -> Iterator[PostgresLedger]:
    """A ledger with one budget."""
    with PostgresLedger(postgres, schema=fresh()) as made:
        made.open("b", CAPS)
        yield made


INSERT = (
    "INSERT INTO holds (id, budget, ceiling_tokens, ceiling_picos, digest, provider, model, price, owner, state) VALUES"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE budgets SET spent_tokens = 1001",
        "UPDATE budgets SET reserved_picos = 1001",
        "UPDATE budgets SET reserved_tokens = -1",
        "UPDATE budgets SET lent_tokens = 1000 WHERE id = 'b'",
        "UPDATE budgets SET lent_tokens = 1 WHERE id = 'w'",
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
        "TRUNCATE outbox",
        f"{INSERT} ('fresh', 'b', 1, 1, 'd', '', '', '', '', 'held')",
        f"{INSERT} ('x', 'gone', 1, 1, 'd', '', '', '', '', 'held')",
        f"{INSERT} ('x', 'b', 1, 1, 'd', '', '', '', '', 'settled')",
        f"{INSERT} ('x', 'b', 990, 1, 'd', '', '', '', '', 'held')",
        f"{INSERT} ('x', 'w', 1, 1, 'd', '', '', '', '', 'held')",
    ],
)
def test_the_database_itself_refuses_what_breaks_an_invariant(
    statement: str, ledger: PostgresLedger, postgres: str
) -> None:
    """Whoever writes by hand: caps, states, ceilings and ids."""
    for id in ("fresh", "used"):
        ledger.hold("b", id, ONE, CALL)
    ledger.dispatch("used", ONE, "d")
    ledger.open("w", CAPS, escrow=Escrow(portfolio="b", chunk=ONE))
    before = ledger.budgets()
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"SET search_path = {ledger._link.schema}".encode())
        with pytest.raises(psycopg.IntegrityError):
            connection.execute(statement.encode())
    assert ledger.budgets() == before


def test_the_outbox_is_complete_up_to_what_was_read(ledger: PostgresLedger) -> None:
    """Places are given before rows are committed: no reader passes one that turns up later."""
    seen: list[int] = []
    ended = threading.Event()

    def write(number: int) -> None:
        budget = f"b{number}"
        ledger.open(budget, Caps(total=Amount(10**6, 10**6), per_call_tokens=400))
        for call in range(40):
            ledger.hold(budget, f"{number}-{call}", ONE, CALL)

    def read() -> None:
        while True:
            is_last = ended.is_set()
            seen.extend(posted.seq for posted in ledger.posted(seen[-1] if seen else 0))
            if is_last:
                return

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    reader = threading.Thread(target=read)
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    reader.join()
    assert seen == [posted.seq for posted in ledger.posted(at_most=10_000)]
    assert len(seen) == 1 + 4 * 41


def test_many_threads_open_and_spend_one_budget(postgres: str) -> None:
    """What is admitted fits to the last token, and two who open it at once do not trip over each other."""
    schema, refused = fresh(), []
    caps = Caps(total=Amount(ONE.tokens * 50, 10**6), per_call_tokens=400)

    def work(number: int) -> None:
        with PostgresLedger(postgres, schema=schema) as ledger:
            ledger.open("b", caps)
            for call in range(20):
                id = f"{number}-{call}"
                try:
                    ledger.hold("b", id, ONE, CALL)
                except BudgetExceeded:
                    refused.append(id)
                    continue
                ledger.dispatch(id, ONE, "d")
                (ledger.settle(id, ONE) if call % 2 else ledger.assume(id))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with PostgresLedger(postgres, schema=schema) as ledger:
        shown = ledger.snapshot("b")
        assert (shown.reserved, shown.spent.tokens, shown.left.tokens) == (NOTHING, 500, 0)
    assert len(refused) == 6 * 20 - 50


def test_a_fork_makes_connections_of_its_own(ledger: PostgresLedger) -> None:
    """And the token that both have is used by one of them; the parent's connection lives on."""
    ledger.hold("b", "t", ONE, CALL)
    child = os.fork()
    if child == 0:  # pragma: no cover - it ends here
        try:
            ledger.dispatch("t", ONE, "d")
            os._exit(0)
        except BaseException:  # noqa: BLE001  # a child must not run the rest of the suite
            os._exit(9)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    with pytest.raises(TokenRefused):
        ledger.dispatch("t", ONE, "d")


def test_a_connection_that_broke_is_told_and_the_next_step_has_a_new_one(ledger: PostgresLedger, postgres: str) -> None:
    """As when the server is started anew between two calls."""
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'pratique' AND pid <> pg_backend_pid()"
        )
    with pytest.raises(Outage, match="failed"):
        ledger.hold("b", "t", ONE, CALL)
    assert ledger.snapshot("b").reserved == NOTHING
    ledger.hold("b", "t", ONE, CALL)


def test_a_row_that_is_locked_for_too_long_is_an_outage(postgres: str) -> None:
    """Nothing is reserved, and it says what happened."""
    with PostgresLedger(postgres, schema=fresh(), lock_timeout_s=1) as ledger:
        ledger.open("b", CAPS)
        with psycopg.connect(postgres) as other:
            other.execute(f"SET search_path = {ledger._link.schema}".encode())
            other.execute("SELECT 1 FROM budgets FOR UPDATE")
            with pytest.raises(Outage, match="lock timeout"):
                ledger.hold("b", "t", ONE, CALL)
        assert ledger.snapshot("b").reserved == NOTHING


def test_other_tables_and_a_newer_ledger_are_not_touched(postgres: str) -> None:
    """Each with what to do."""
    with PostgresLedger(postgres, schema=fresh()) as ledger, psycopg.connect(postgres, autocommit=True) as other:
        schema = ledger._link.schema
        other.execute(f"UPDATE {schema}.ledger SET version = 99".encode())
        with pytest.raises(Misuse, match="newer pratique"):
            PostgresLedger(postgres, schema=schema)
        other.execute(f"DROP TABLE {schema}.ledger".encode())
        with pytest.raises(Misuse, match="holds other tables"):
            PostgresLedger(postgres, schema=schema)
        with pytest.raises(Outage, match="does not exist"):
            _ = ledger.id


@pytest.mark.parametrize("schema", ["", "a b", "x;y", 'x"', "Ä", "a" * 64])
def test_a_schema_has_a_plain_name(schema: str) -> None:
    """It is part of a statement."""
    with pytest.raises(Misuse, match="no name of a schema"):
        PostgresLedger("postgresql://", schema=schema)


@pytest.mark.parametrize(
    ("conninfo", "kind"),
    [
        ("s3cr3t", Misuse), ("postgresql://u:s3cr3t@[::1", Misuse), ("host=x password='s3cr3t", Misuse),
        ("postgresql://u:s3cr3t@127.0.0.1:1/db", Outage), ("host=/nowhere password=s3cr3t", Outage),
    ],
)  # fmt: skip
def test_a_server_that_is_not_there_is_told_without_the_password(conninfo: str, kind: type[Exception]) -> None:
    """Neither in the message nor in what caused it."""
    with pytest.raises(kind) as raised:
        PostgresLedger(conninfo)
    told: BaseException | None = raised.value
    while told is not None:
        assert "s3cr3t" not in f"{told} {told!r}"
        told = told.__cause__


def test_a_name_that_no_database_keeps_is_refused(ledger: PostgresLedger) -> None:
    """NUL, half a character, and a book."""
    for name in ("a\0b", "\ud800", "x" * 501):
        with pytest.raises(Misuse, match="a budget cannot be"):
            ledger.open(name, CAPS)
        with pytest.raises(Misuse, match="an owner cannot be"):
            ledger.hold("b", "t", ONE, CALL, owner=name)


def test_every_kind_of_error_of_psycopg_is_ours_or_a_bug() -> None:
    """A new kind in a new version fails here, so that somebody decides whose fault it is."""
    kinds = {kind.__name__ for kind in psycopg.Error.__subclasses__() if kind.__module__ == "psycopg"}
    assert kinds == {"InterfaceError", "DatabaseError"}
    kinds = {kind.__name__ for kind in psycopg.DatabaseError.__subclasses__() if kind.__module__ == "psycopg"}
    assert kinds == {
        "DataError", "OperationalError", "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError",
    }  # fmt: skip


def test_what_the_outbox_tells_is_timed_by_the_server(ledger: PostgresLedger) -> None:
    """UTC, ISO 8601, milliseconds; the event as it was told."""
    posted = ledger.posted()
    assert [json.loads(each.event)["event"] for each in posted] == ["budget.opened"]
    assert len(posted[0].at) == len("2026-11-22T10:00:00.000+00:00")
    assert posted[0].at.endswith("+00:00")


@pytest.mark.slow
def test_whoever_is_killed_when_no_cent_is_overspent_and_none_is_forgotten(postgres: str, tmp_path: Path) -> None:
    """SIGKILL at random moments; what nobody settled is assumed at its ceiling."""
    with psycopg.connect(postgres, autocommit=True) as other:
        name = f"d_{secrets.token_hex(6)}"
        other.execute(f"CREATE DATABASE {name}".encode())
    run_with_kills(f"postgres {postgres.replace('/postgres?', f'/{name}?')}", tmp_path / "bills")
