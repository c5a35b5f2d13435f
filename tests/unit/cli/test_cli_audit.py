"""``pratique audit``: verify, head, show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pratique.audit import AuditLog
from pratique.cli import main


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of three events, in the current directory."""
    monkeypatch.chdir(tmp_path)
    with AuditLog("audit.log") as made:
        made.append({"event": "budget.opened", "budget": "wf", "cap_dollars": "1.50"})
        made.append({"event": "budget.precharged", "token": "t\x1b[31m"})
        made.append({"event": "leaf.returned", "text": "two words"})
    return tmp_path / "audit.log"


def test_a_sound_log_says_what_is_not_proved(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And with its head, what is."""
    assert main(["audit", "verify", "audit.log"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("audit.log: sound\n  proved:     3 records follow from each other")
    assert "not proved: no head was given" in out
    assert main(["audit", "head", "audit.log"]) == 0
    head = capsys.readouterr().out
    (log.parent / "head").write_text(head, encoding="utf-8")
    assert main(["audit", "verify", "audit.log", "--head", "head"]) == 0
    assert "the first 3 records are those of the head" in capsys.readouterr().out
    assert main(["audit", "verify", "audit.log", "--head", "head", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sound"] is True
    assert told["head"]["size"] == 3


def test_a_log_that_was_changed_is_told_and_its_head_is_not_printed(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, and what stands above the line is still shown."""
    log.write_bytes(log.read_bytes().replace(b"two words", b"two werds"))
    assert main(["audit", "verify", "audit.log"]) == 1
    assert "NOT what was written: line 4: record 2 does not follow" in capsys.readouterr().out
    assert main(["audit", "head", "audit.log"]) == 1
    assert capsys.readouterr().out == ""
    assert main(["audit", "show", "audit.log"]) == 1
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 2
    assert "behind that line nothing is shown" in printed.err


@pytest.mark.usefixtures("log")
def test_records_are_shown_safely_and_chosen_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """A name with a star stands for several; the last ones may be asked for."""
    assert main(["audit", "show", "audit.log"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert 'text="two words"' in out
    assert main(["audit", "show", "audit.log", "--event", "budget.*", "--last", "1"]) == 0
    assert capsys.readouterr().out.split()[:2] == ["1", "budget.precharged"]
    assert main(["audit", "show", "audit.log", "--json"]) == 0
    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [0, 1, 2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["verify", "gone.log"], "there is no log"),
        (["show", "gone.log"], "No such file"),
        (["head", "gone.log"], "there is no log"),
        (["verify", "audit.log", "--head", "audit.log"], "holds no head"),
        (["show", "audit.log", "--last", "0"], "--last cannot be 0"),
    ],
)
@pytest.mark.usefixtures("log")
def test_a_wrong_call_says_what_to_write(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the remedy."""
    assert main(["audit", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert told in printed.err
    assert "= help: " in printed.err
