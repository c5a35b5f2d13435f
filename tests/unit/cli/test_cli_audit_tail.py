"""``pratique audit tail``: the last records, then new ones until somebody interrupts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pratique.audit import AuditLog
from pratique.cli import main
from pratique.cli.audited.tailing import run_tail


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of twelve events of two kinds, in the current directory."""
    monkeypatch.chdir(tmp_path)
    with AuditLog("audit.log") as made:
        for number in range(12):
            made.append({"event": "test.odd" if number % 2 else "test.even", "text": "\x1b[31m"})
    return tmp_path / "audit.log"


def seqs(out: str) -> list[int]:
    """Return the numbers of the records that were printed."""
    return [int(line.split()[0]) for line in out.splitlines()]


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], list(range(2, 12))),
        (["-n", "3"], [9, 10, 11]),
        (["-n", "0"], []),
        (["--last", "99999999999999999999"], list(range(12))),
        (["-n", "2", "--event", "*.odd"], [9, 11]),
        (["--event", "other"], []),
    ],
)
def test_the_last_records_are_shown(words: list[str], shown: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    """As ``show`` prints them; without a number, ten."""
    assert main(["audit", "tail", "audit.log", *words]) == 0
    out = capsys.readouterr().out
    assert seqs(out) == shown
    assert "\x1b" not in out


@pytest.mark.usefixtures("log")
def test_json_is_one_object_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    """With its hash."""
    assert main(["audit", "tail", "audit.log", "-n", "2", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["seq"], each["event"], len(each["hash"])) for each in told] == [
        (10, "test.even", 64), (11, "test.odd", 64),
    ]  # fmt: skip


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("words", "told"), [(["gone.log"], "No such file"), (["audit.log", "-n", "-1"], "-n cannot be -1")]
)
def test_a_wrong_call_says_what_to_write(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the remedy."""
    assert main(["audit", "tail", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert told in printed.err
    assert "= help: " in printed.err


def test_a_log_that_was_changed_is_shown_as_far_as_it_holds(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And is not followed."""
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:6], *lines[7:]]))
    assert main(["audit", "tail", "audit.log", "-n", "2", "--follow"]) == 1
    printed = capsys.readouterr()
    assert seqs(printed.out) == [3, 4]
    assert "line 7: record 6 does not follow from the 5 before it" in printed.err


def followed(steps: list[Callable[[], object]], *, events: tuple[str, ...] = ()) -> int:
    """Follow the log; between two looks the next step happens, and after the last one somebody interrupts."""
    todo = iter(steps)

    def pause(_: float) -> None:
        step = next(todo, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    return run_tail("audit.log", last=1, follow=True, events=events, as_json=False, pause=pause)


def appended(*names: str) -> Callable[[], object]:
    """Return a step that appends events."""

    def step() -> None:
        with AuditLog("audit.log") as log:
            for name in names:
                log.append({"event": name})

    return step


@pytest.mark.usefixtures("log")
def test_new_records_are_shown_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    """Only those that are asked for, until somebody interrupts."""
    with pytest.raises(KeyboardInterrupt):
        followed([appended("test.odd"), lambda: None, appended("test.even", "test.odd")], events=("*.odd",))
    assert seqs(capsys.readouterr().out) == [11, 12, 14]


def test_a_torn_line_is_shown_when_it_is_whole(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In however many parts it comes."""
    before = log.read_bytes()
    appended("test.late")()
    whole = log.read_bytes()
    log.write_bytes(before)
    cuts = (len(before) + 1, len(before) + 40, len(whole) - 1, len(whole))
    with pytest.raises(KeyboardInterrupt):
        followed([lambda cut=cut: log.write_bytes(whole[:cut]) for cut in cuts])  # type: ignore[misc]  # bound now
    assert seqs(capsys.readouterr().out) == [11, 12]


def test_a_torn_line_that_is_set_aside_is_not_shown(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The record that tells of it is."""
    with pytest.raises(KeyboardInterrupt):
        followed([lambda: log.write_bytes(log.read_bytes() + b"12 torn"), appended("test.next")])
    out = capsys.readouterr().out
    assert seqs(out) == [11, 12, 13]
    assert "audit.recovered" in out
    assert "torn-12" in out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda log: log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1])), "shorter than it was"),
        (lambda log: log.rename(log.with_name("moved")), "the log is gone"),
        (lambda log: log.write_bytes(log.read_bytes() + b"no record\n"), "line 14: this is no record"),
    ],
)
def test_what_was_done_to_a_log_that_is_followed_is_told(
    change: Callable[[Path], object], told: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1."""
    assert followed([lambda: change(log)]) == 1
    printed = capsys.readouterr()
    assert seqs(printed.out) == [11]
    assert told in printed.err


def test_an_interrupt_ends_it_cleanly(log: Path) -> None:
    """A process of its own: each record is there when it was written, no traceback, and the exit code of shells."""
    command = [sys.executable, "-m", "pratique", "audit", "tail", str(log), "-n", "1", "--follow"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    assert seqs(process.stdout.readline()) == [11]
    appended("test.next")()
    assert seqs(process.stdout.readline()) == [12]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (out, err, process.returncode) == ("", "", 130)
