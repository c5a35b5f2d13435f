"""What a ledger's outbox has reaches the log once, in order, whatever dies in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pratique.audit import AuditLog, carry, verify
from pratique.audit.outbox import Posted
from pratique.budget.amount import Amount
from pratique.budget.book import Caps
from pratique.budget.events import BudgetOpened
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.errors import Misuse, Outage
from pratique.testing.ledger import CALL

CAPS = Caps(total=Amount(10**9, 10**9), per_call_tokens=400)
ONE = Amount(10, 10)


def carried(path: Path) -> list[tuple[int, str]]:
    """Return the places and names of what was carried into a log."""
    events = [json.loads(line.split(b" ", 2)[2]) for line in path.read_bytes().splitlines()[1:]]
    return [(event["outbox"]["seq"], event["event"]) for event in events if "outbox" in event]


def call(ledger: SqliteLedger, id: str) -> None:
    """Make one call."""
    ledger.hold("b", id, ONE, CALL)
    ledger.dispatch(id, ONE, "d")
    ledger.settle(id, ONE)


def test_what_happened_stands_in_the_log_as_it_was_told(tmp_path: Path) -> None:
    """With the ledger's time, its place there, and where it is from; between records of others."""
    path = tmp_path / "audit.log"
    seen: list[dict[str, Any]] = []
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(path) as log:
        ledger.open("b", CAPS)
        assert carry(ledger, log, also=seen.append) == 1
        log.append({"event": "other"})
        call(ledger, "t")
        assert carry(ledger, log, also=seen.append) == 4
        assert carry(ledger, log) == 0
        store = ledger.id
    names = ["budget.opened", "budget.precharged", "budget.dispatched", "budget.reconciled", "cost.llm.call"]
    assert carried(path) == list(enumerate(names, 1))
    assert [event["event"] for event in seen] == names
    last = json.loads(path.read_bytes().splitlines()[-1].split(b" ", 2)[2])
    assert last["outbox"] == {"store": store, "seq": 5}
    assert last["dollars"] == "0.00000000001"
    assert verify(path).is_sound


def test_two_ledgers_share_a_log(tmp_path: Path) -> None:
    """Each is carried on from where it was, in a new process, too."""
    path = tmp_path / "audit.log"
    for _ in range(2):
        for name in ("one", "two"):
            with SqliteLedger(tmp_path / f"{name}.db") as ledger, AuditLog(path) as log:
                ledger.open("b", CAPS)
                call(ledger, f"t{time.monotonic_ns()}")
                carry(ledger, log)
    places = [place for place, _ in carried(path)]
    assert sorted(places) == sorted([*range(1, 10), *range(1, 10)])


def test_any_event_goes_through_the_outbox_for_who_may_not_write_the_log(tmp_path: Path) -> None:
    """Many processes share one log by way of the ledger's file."""
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(tmp_path / "audit.log") as log:
        ledger.emit(BudgetOpened(budget="x", cap=ONE, per_call_tokens=1, portfolio=""))
        assert carry(ledger, log) == 1
    assert carried(tmp_path / "audit.log") == [(1, "budget.opened")]


def test_a_ledger_that_was_put_back_is_found(tmp_path: Path) -> None:
    """It forgot what was spent since: the log has what it has not."""
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.open("b", CAPS)
        call(ledger, "a")
    shutil.copy(tmp_path / "ledger.db", tmp_path / "old.db")
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(tmp_path / "audit.log") as log:
        call(ledger, "b")
        carry(ledger, log)
    with SqliteLedger(tmp_path / "old.db") as old, AuditLog(tmp_path / "audit.log") as log:
        with pytest.raises(Misuse, match="put back from an old copy"):
            carry(old, log)
        call(old, "c")  # as many events as before, and others
        call(old, "d")
        with pytest.raises(Misuse, match="put back from an old copy"):
            carry(old, log)


def test_a_log_that_cannot_be_written_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next writer carries on with what is missing; a torn batch is set aside and told again."""
    path = tmp_path / "audit.log"
    real = os.write
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.open("b", CAPS)
        for number in range(20):
            call(ledger, f"t{number}")
        log = AuditLog(path)
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", lambda descriptor, lines: real(descriptor, lines[: len(lines) // 2]))
            with pytest.raises(Outage, match="No space left"):
                carry(ledger, log)
        with AuditLog(path) as log:
            assert 0 < carry(ledger, log) < 81
    assert [place for place, _ in carried(path)] == list(range(1, 82))
    assert verify(path).is_sound


CARRIER = """
import sys
from pratique.audit import AuditLog, carry
from pratique.budget import SqliteLedger
with SqliteLedger(sys.argv[1]) as ledger, AuditLog(sys.argv[2]) as log:
    print("ready", flush=True)
    while True:
        carry(ledger, log)
"""


@pytest.mark.slow
def test_whenever_the_carrier_is_killed_each_event_is_told_once(tmp_path: Path) -> None:
    """SIGKILL, over and over, while the ledger is used."""
    path = tmp_path / "audit.log"
    number = 0
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.open("b", CAPS)
        for pause_s in (0.05, 0.02, 0.1, 0.04):
            process = subprocess.Popen(
                [sys.executable, "-c", CARRIER, str(tmp_path / "ledger.db"), str(path)], stdout=subprocess.PIPE
            )
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            ends = time.monotonic() + pause_s
            while time.monotonic() < ends:
                call(ledger, f"t{number}")
                number += 1
            process.kill()
            process.wait()
            process.stdout.close()
        with AuditLog(path) as log:
            carry(ledger, log)
    assert number > 0
    assert [place for place, _ in carried(path)] == list(range(1, 4 * number + 2))
    assert verify(path).is_sound


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_in_an_event_speaks_for_an_outbox_or_for_the_clock(key: str, text: str) -> None:
    """What a producer wrote into an event is text there, also when it looks like the end of a record."""
    told = f'{text},"at":"2099-01-01T00:00:00.000+00:00","outbox":{{"store":"{"a" * 32}","seq":7}}}}'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.log"
        with AuditLog(path) as log:
            log.append({"event": "x", f"k{key}": told})
            log.append({"event": "x", "nested": {"a": 1, "k": {"store": "a" * 32, "seq": 7}}})
        with AuditLog(path) as log:
            assert log.carried_of("a" * 32) is None
            log.take_over("a" * 32, [Posted(1, "2026-11-22T10:00:00.000+00:00", '{"event":"y"}')])
            assert log.carried_of("a" * 32) == 1
            log.append({"event": "z"})
        assert b"clock_went_back" not in path.read_bytes()


AT = "2026-11-22T10:00:00.000+00:00"


def test_any_name_reaches_the_log(tmp_path: Path) -> None:
    """A database writes JSON in UTF-8, the log in ASCII."""
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(tmp_path / "audit.log") as log:
        for budget in ("büro", "😀", 'quo"te', "back\\slash", "line\nend", "\x1b[31m"):
            ledger.open(budget, CAPS)
            ledger.hold(budget, f"t {budget}", ONE, CALL)
        assert carry(ledger, log) == 12
    assert (tmp_path / "audit.log").read_bytes().isascii()
    assert verify(tmp_path / "audit.log").is_sound


@pytest.mark.parametrize(
    ("at", "event"),
    [
        ("2026\n", '{"event":"x"}'), ("now", "[1]"), ("", ""), ("x", "}{"), ("x", '{"event":'), ("x", '"text"'),
        ('","event":"budget.voided","z":"', '{"event":"x"}'), (AT, '{"event":"x","at":1}'),
        (AT, '{"event":"x","outbox":{}}'), (AT, "[" * 100_000),
        (AT, '{"event":"x","f":NaN}'),
    ],
)  # fmt: skip
def test_who_may_write_the_ledger_may_not_write_the_log(at: str, event: str, tmp_path: Path) -> None:
    """What is no event is told as that, at its place, and costs nothing else."""
    path = tmp_path / "audit.log"
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.open("b", CAPS)
        with ledger._file.write() as connection:
            connection.execute("INSERT INTO outbox (at, event) VALUES (?, ?)", (at, event))
        ledger.open("c", CAPS)
        for _ in range(2):
            with AuditLog(path) as log:
                carry(ledger, log)
    assert carried(path) == [(1, "budget.opened"), (2, "audit.unreadable"), (3, "budget.opened")]
    assert verify(path).is_sound


def test_json_that_is_written_otherwise_is_the_same_event(tmp_path: Path) -> None:
    """Spaces and line ends between its parts are no part of it."""
    path = tmp_path / "audit.log"
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(path) as log:
        with ledger._file.write() as connection:
            connection.execute(
                "INSERT INTO outbox (at, event) VALUES ('2026-11-22T10:00:00.000+00:00', ?)", ('{\n "event": "x"\n}',)
            )
        carry(ledger, log)
    assert carried(path) == [(1, "x")]
    assert len(path.read_bytes().splitlines()) == 2


def test_a_ledger_that_was_replaced_is_not_read_for_ever(tmp_path: Path) -> None:
    """Whoever carries on is told."""
    with SqliteLedger(tmp_path / "ledger.db") as ledger, AuditLog(tmp_path / "audit.log") as log:
        ledger.open("b", CAPS)
        (tmp_path / "ledger.db").rename(tmp_path / "other.db")
        with pytest.raises(Outage, match="deleted or replaced"):
            carry(ledger, log)
