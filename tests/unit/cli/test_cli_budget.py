"""``pratique budget``, and what ``pratique audit`` makes of a ledger: carry, cost."""

from __future__ import annotations

import json
import os
import pty
from decimal import Decimal
from pathlib import Path

import pytest

from pratique.audit import AuditLog
from pratique.budget import Amount, LlmInvocationGuard, Price, SqliteLedger, Usage, escrow_of, request_of
from pratique.cli import main
from pratique.cli.audited import carrying
from pratique.cli.moments import length_of
from pratique.errors import Misuse

PRICE = Price(provider="acme", model="m-1", input=Decimal(3), output=Decimal(15))
REQUEST = request_of(b"x" * 952, provider="acme", model="m-1", max_tokens=1_000, price=PRICE)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A portfolio and a workflow with a settled call, one on its way, and one that was never sent."""
    monkeypatch.chdir(tmp_path)
    assert main(["budget", "open", "ledger.db", "team", "--max-dollars", "50", "--max-tokens", "5000000"]) == 0
    with SqliteLedger("ledger.db") as opened:
        ids = iter(("t1", "t2", "t3"))
        guard = LlmInvocationGuard(
            "wf", ledger=opened, escrow=escrow_of("team"), owner="worker-1", ids=lambda: next(ids)
        )
        token = guard.precharge(REQUEST)
        token.redeem(REQUEST)
        guard.reconcile(token, Usage(input=500, output=300))
        guard.precharge(REQUEST).redeem(REQUEST)
        guard.precharge(REQUEST)
    return "ledger.db"


def out(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what was printed since."""
    return capsys.readouterr().out


def test_budgets_are_shown_with_exact_money(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For people in columns, for machines as JSON."""
    out(capsys)
    assert main(["budget", "show", ledger]) == 0
    head, team, workflow = out(capsys).splitlines()
    assert head.split() == ["budget", "cap", "spent", "reserved", "lent", "left", "cap", "tokens", "left", "tokens"]
    assert team.split()[:6] == ["team", "$50.00", "$0.00", "$0.00", "$0.25", "$49.75"]
    assert workflow.split()[:4] == ["wf", "$1.50", "$0.006", "$0.048"]
    assert workflow.endswith("under team")
    assert main(["budget", "show", ledger, "--json"]) == 0
    told = json.loads(out(capsys))
    assert (told[1]["spent_dollars"], told[1]["spent_tokens"], told[1]["portfolio"]) == ("0.006", 800, "team")
    assert main(["budget", "check", ledger]) == 0
    assert "add up to what their rows say" in out(capsys)


def test_holds_are_shown_and_swept(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Dry first: what would be done, and that nothing was."""
    out(capsys)
    assert main(["budget", "holds", ledger]) == 0
    assert [line.split()[1:3] for line in out(capsys).splitlines()[1:]] == [["t2", "dispatched"], ["t3", "held"]]
    assert main(["budget", "holds", ledger, "wf", "--json"]) == 0
    assert {each["owner"] for each in json.loads(out(capsys))} == {"worker-1"}
    sweep = ["budget", "sweep", ledger, "wf"]
    assert main([*sweep, "--json"]) == 0
    assert json.loads(out(capsys)) == {"dry_run": False, "voided": [], "assumed": []}  # none is an hour old
    assert main([*sweep, "--owner", "worker-1", "--dry-run"]) == 0
    assert "would be charged at their ceilings: $0.024" in out(capsys)
    assert main([*sweep, "--owner", "worker-1", "--json"]) == 0
    assert json.loads(out(capsys)) == {"dry_run": False, "voided": ["t3"], "assumed": ["t2"]}
    assert main(["budget", "holds", ledger]) == 0
    assert out(capsys) == "nothing is reserved\n"
    assert main([*sweep, "--older-than", "soon"]) == 2
    assert length_of("10m", option="x") == 600
    with pytest.raises(Misuse, match="no length of time"):
        length_of("99999999w", option="x")


def test_an_override_wants_a_name_a_reason_and_a_yes(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And is told to the log with all three."""
    override = ["budget", "override", ledger, "wf", "--max-dollars", "3"]
    assert main([*override, "--by", "op", "--reason", "a long run"]) == 2
    assert "nobody said yes; nothing was changed" in capsys.readouterr().err
    assert main([*override, "--by", " ", "--reason", "x", "--yes"]) == 2
    assert main(["budget", "override", ledger, "wf", "--by", "op", "--reason", "x", "--yes"]) == 2
    assert "nothing would change" in capsys.readouterr().err
    assert main([*override, "--by", "op", "--reason", "a long run", "--yes"]) == 0
    assert '"wf": 250,000 tokens, $3.00, 32,000 tokens a call; left' in out(capsys)
    assert main(["budget", "override", ledger, "wf", "--max-tokens", "10", "--by", "o", "--reason", "x", "--yes"]) == 2
    assert "a cap cannot undo what is spent" in capsys.readouterr().err
    with SqliteLedger(ledger) as opened:
        told = json.loads(opened.posted(at_most=100)[-1].event)
    assert (told["event"], told["by"], told["reason"]) == ("budget.cap_overridden", "op", "a long run")


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 2), (b"\n", 2)])
def test_a_person_is_asked(
    answer: bytes, code: int, ledger: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a terminal; enter is no."""
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    with os.fdopen(theirs, encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        said = main(["budget", "override", ledger, "wf", "--max-dollars", "3", "--by", "op", "--reason", "x"])
    os.close(ours)
    assert said == code
    assert "set 250,000 tokens, $3.00 and 32,000 tokens a call? [y/N]" in capsys.readouterr().err


def test_what_a_ledger_tells_is_carried_and_added_up(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Once; costs by what is asked for, and what is only assumed apart."""
    assert main(["budget", "sweep", ledger, "wf", "--owner", "worker-1"]) == 0
    out(capsys)
    for expected in ("13 events", "0 events"):
        assert main(["audit", "carry", "audit.log", ledger]) == 0
        assert out(capsys).startswith(expected)
    assert main(["audit", "cost", "audit.log"]) == 0
    lines = out(capsys).splitlines()
    assert lines[1].split() == ["wf", "2", "4,800", "tokens", "$0.03", "$0.024"]
    assert lines[2].split() == ["all", "2", "4,800", "tokens", "$0.03", "$0.024"]
    with SqliteLedger(ledger) as opened:
        guard = LlmInvocationGuard("wf", ledger=opened, escrow=escrow_of("team"))
        opened.settle("t2", opened_amount(guard))
    assert main(["audit", "carry", "audit.log", ledger]) == 0
    out(capsys)
    assert main(["audit", "cost", "audit.log", "--by", "seller", "--by", "item", "--json"]) == 0
    told = json.loads(out(capsys))
    assert told["total"] == {"calls": 2, "quantities": {"token": 801}, "dollars": "0.006001", "assumed_dollars": "0.00"}
    assert told["groups"][0]["item"] == "m-1"
    assert main(["audit", "verify", "audit.log"]) == 0


def opened_amount(guard: LlmInvocationGuard) -> Amount:
    """A late bill of one token."""
    assert guard.running_total().spent.tokens
    return Amount(1, 1_000_000)


def test_costs_of_a_log_that_was_changed_count_as_far_as_it_holds(
    ledger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And it is said."""
    assert main(["audit", "carry", "audit.log", ledger]) == 0
    content = Path("audit.log").read_bytes()
    Path("audit.log").write_bytes(content.replace(b'"dollars":"0.006"', b'"dollars":"0.001"'))
    out(capsys)
    assert main(["audit", "cost", "audit.log"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "the log tells of no cost\n"
    assert "behind that line nothing was" in printed.err
    assert main(["audit", "cost", "gone.log"]) == 2


def test_carrying_goes_on_until_it_is_interrupted(
    ledger: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What comes meanwhile is carried too."""
    rounds = iter([None, None])

    def pause(_: float) -> None:
        if next(rounds, "end") == "end":
            raise KeyboardInterrupt
        with SqliteLedger(ledger) as opened:
            opened.give_back("wf")

    with pytest.raises(KeyboardInterrupt):
        carrying.run_carry("audit.log", [ledger], follow=True, pause=pause)
    assert [line.split(" events")[0] for line in out(capsys).splitlines()] == ["10", "1"]
    monkeypatch.undo()


def test_a_ledger_that_is_not_there_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only ``open`` makes one."""
    monkeypatch.chdir(tmp_path)
    for call in (["show", "x.db"], ["holds", "x.db"], ["check", "x.db"], ["sweep", "x.db", "b"]):
        assert main(["budget", *call]) == 2
        assert "there is no ledger" in capsys.readouterr().err
    assert main(["audit", "carry", "audit.log", "x.db"]) == 2
    assert list(tmp_path.iterdir()) == []
    assert main(["budget", "show", "postgresql://127.0.0.1:1/x#ledger"]) == 74


def test_a_stopped_budget_says_so_and_goes_on_at_an_operator_s_word(
    ledger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The breaker is closed without another cap."""
    with SqliteLedger(ledger) as opened:
        opened.settle("t2", Amount(10_000, 1))
    assert main(["budget", "show", ledger]) == 0
    assert "STOPPED: the call t2 used 6,000 tokens" in out(capsys)
    assert main(["budget", "override", ledger, "wf", "--by", "op", "--reason", "seen", "--yes", "--json"]) == 0
    assert json.loads(out(capsys))["tripped"] is None


def test_a_ledger_that_does_not_add_up_is_told(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1."""
    with SqliteLedger(ledger) as opened, opened._file.write() as connection:
        connection.execute("UPDATE budgets SET spent_tokens = 1 WHERE id = 'wf'")
    assert main(["budget", "check", ledger, "--json"]) == 1
    assert json.loads(out(capsys).splitlines()[-1])["wrong"]


def test_an_application_s_own_costs_are_not_counted_and_told(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not told as costs are: no sum is made of it, and no traceback."""
    with AuditLog("audit.log") as log:
        log.append({"event": "cost.lunch"})
        log.append({"event": "cost.x", "id": "1", "unit": "u", "dollars": "NaN", "basis": "b", "quantity": 1})
        log.append({"budget": "mine", "id": "1", "unit": "u", "dollars": "-0.50", "basis": "b", "quantity": 1,
                    "event": "cost.refund"})  # fmt: skip
    assert main(["audit", "carry", "audit.log", ledger]) == 0
    out(capsys)
    assert main(["audit", "cost", "audit.log"]) == 0
    printed = out(capsys)
    assert "2 events named cost.* are not told as costs are" in printed
    assert "$-0.50" in printed or "-$0.50" in printed
