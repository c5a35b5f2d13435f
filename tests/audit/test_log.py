"""The log is appended by one writer, survives a cut, and shows what was done to it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pratique.audit import AuditLog, Head, verify
from pratique.audit.chain import Chain, header_of, payload_of
from pratique.budget.amount import Amount
from pratique.budget.events import BudgetVoided
from pratique.errors import Misuse, Outage

EVENTS = 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of some events."""
    file = tmp_path / "audit.log"
    with AuditLog(file) as log:
        for number in range(EVENTS):
            log.append({"event": "test.step", "number": number})
    return file


def test_what_is_appended_is_verified_and_read_again(path: Path) -> None:
    """And a second writer goes on where the first one ended."""
    with AuditLog(path) as log:
        log.emit(BudgetVoided(budget="b", token="t", provider="p", model="m", price="b3:0", ceiling=Amount(1, 2)))
        head = log.head
    found = verify(path, head=head)
    assert found.is_sound
    assert found.head == head
    assert head.size == EVENTS + 1
    last = json.loads(path.read_bytes().splitlines()[-1].split(b" ", 2)[2])
    assert last == {
        "event": "budget.voided", "budget": "b", "token": "t", "provider": "p", "model": "m", "price": "b3:0",
        "ceiling_tokens": 1, "ceiling_dollars": "0.000000000002", "at": last["at"],
    }  # fmt: skip
    assert len(last["at"]) == len("2026-11-22T10:00:00.000+00:00")
    assert oct(path.stat().st_mode & 0o777) == "0o600"


def lines_of(path: Path) -> list[bytes]:
    """Return the lines with their ends."""
    return path.read_bytes().splitlines(keepends=True)


def rewritten(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Write the log anew with other lines."""
    path.write_bytes(b"".join(change(lines_of(path))))


def forged(lines: list[bytes], at: int) -> list[bytes]:
    """Change one record and hash all that follow anew: what whoever can write the file can do, without a key."""
    log = lines[0].split()[1].decode()
    chain = Chain(log)
    made = [header_of(log)]
    for number, line in enumerate(lines[1:]):
        event = json.loads(line.split(b" ", 2)[2])
        event = {**event, "number": 999} if number == at else event
        payload = payload_of(event)
        made.append(chain.add(payload))
    return made


def emptied(lines: list[bytes]) -> list[bytes]:
    """Begin a new log under another id."""
    return [header_of("0" * 32), *lines[:0]]


ATTACKS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], bool]] = {
    "edit a record": (lambda lines: [*lines[:3], lines[3].replace(b":2,", b":7,"), *lines[4:]], True),
    "delete one in the middle": (lambda lines: [*lines[:3], *lines[4:]], True),
    "swap two": (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], True),
    "insert one again": (lambda lines: [*lines[:4], *lines[3:]], True),
    "put a record of another place there": (lambda lines: [*lines[:3], lines[6], *lines[4:]], True),
    "cut off the end": (lambda lines: lines[:-3], False),
    "erase everything": (lambda lines: lines[:1], False),
    "begin a new log": (emptied, False),
    "go back to an old copy": (lambda lines: lines[:5], False),
    "change one and hash the rest anew": (lambda lines: forged(lines, 2), False),
}
"""Attack -> what it does to the lines, and whether the chain alone shows it. A head held elsewhere shows all."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_found_or_honestly_not(attack: str, path: Path) -> None:
    """Without a head kept elsewhere, what is not excluded is said; with one, everything is found."""
    head = verify(path).head
    assert head is not None
    change, is_shown = ATTACKS[attack]
    rewritten(path, change)
    alone = verify(path)
    assert alone.is_sound is not is_shown
    if not is_shown:
        assert any("no head was given" in each for each in alone.not_proved)
    assert not verify(path, head=head).is_sound


def test_records_behind_a_head_are_said_to_be_unproved(path: Path) -> None:
    """Whoever can write the file can cut them off."""
    head = verify(path).head
    with AuditLog(path) as log:
        log.append({"event": "test.later"})
    found = verify(path, head=head)
    assert found.is_sound
    assert found.not_proved[0].startswith("that none of the 1 records behind that head")


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200))
def test_a_torn_last_write_is_set_aside_and_told(cut: int) -> None:
    """At every place; the records before it stand."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "audit.log"
        with AuditLog(file) as log:
            log.append({"event": "one"})
            whole = file.stat().st_size
            log.append({"event": "two", "text": "x" * 200})
        content = file.read_bytes()
        file.write_bytes(content[: min(whole + cut, len(content) - 1)])
        torn = verify(file)
        assert torn.is_sound
        assert torn.torn_bytes > 0
        with AuditLog(file) as log:
            assert log.head.size == 2
        (aside,) = Path(folder).glob("audit.log.torn-*")
        assert content[whole:].startswith(aside.read_bytes())
        assert b"audit.recovered" in file.read_bytes()
        assert verify(file).is_sound


def test_a_broken_log_is_not_written_on(path: Path) -> None:
    """It is left as it is."""
    rewritten(path, ATTACKS["edit a record"][0])
    before = path.read_bytes()
    with pytest.raises(Misuse, match="broken at line 4"):
        AuditLog(path)
    assert path.read_bytes() == before


def test_one_writer_at_a_time(path: Path, tmp_path: Path) -> None:
    """A second one is told, a link is not followed, a fork does not write."""
    with AuditLog(path) as log:
        with pytest.raises(Misuse, match="another process"):
            AuditLog(path)
        child = os.fork()
        if child == 0:  # pragma: no cover - it ends here
            try:
                log.append({"event": "x"})
            except Misuse:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
    link = tmp_path / "link.log"
    link.symlink_to(path)
    with pytest.raises(Misuse, match="cannot be opened"):
        AuditLog(link)
    with pytest.raises(Misuse, match="is closed"):
        log.append({"event": "x"})


@pytest.mark.parametrize(
    "wrong", [{"event": "x", "x": float("nan")}, {"event": "x", "x": {1, 2}}, {"event": "x", "x": b"bytes"}]
)
def test_what_is_no_json_is_refused_and_nothing_is_written(wrong: dict[str, Any], path: Path) -> None:
    """The chain goes on behind it."""
    with AuditLog(path) as log:
        with pytest.raises(Misuse, match="no JSON"):
            log.append(wrong)
        log.append({"event": "next"})
    assert verify(path).is_sound


@pytest.mark.parametrize(
    "wrong", [{}, {"x": 1}, {"event": 1}, {"event": "x", "at": "now"}, {"event": "x", "outbox": {}}]
)
def test_what_does_not_name_itself_or_speaks_for_the_log_is_refused(wrong: dict[str, Any], path: Path) -> None:
    """The time, and where a record is from, are the log's word."""
    with AuditLog(path) as log:
        with pytest.raises(Misuse, match="names itself under event"):
            log.append_all([{"event": "x"}, wrong])
        assert log.head.size == EVENTS


def test_a_clock_that_goes_back_is_told_once(tmp_path: Path) -> None:
    """Over a new opening, too; the order of records is their place."""
    noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    times = iter([noon, noon + timedelta(seconds=1)])
    with AuditLog(tmp_path / "audit.log", clock=lambda: next(times)) as log:
        log.append({"event": "x"})
        log.append({"event": "x"})
    times = iter([noon - timedelta(seconds=2), noon - timedelta(seconds=1)])
    with AuditLog(tmp_path / "audit.log", clock=lambda: next(times)) as log:
        log.append({"event": "x"})
        log.append({"event": "x"})
    events = [json.loads(line.split(b" ", 2)[2]) for line in lines_of(tmp_path / "audit.log")[1:]]
    assert [event["event"] for event in events] == ["x", "x", "audit.clock_went_back", "x", "x"]
    assert events[2]["by_ms"] == 3_000
    assert verify(tmp_path / "audit.log").is_sound


def test_text_that_a_terminal_would_obey_is_stored_as_escapes(path: Path) -> None:
    """And a line end in a value is no line end of the log."""
    with AuditLog(path) as log:
        log.append({"event": "x", "text": "\x1b[31m\u202e\n9 0 {}\n"})
    assert path.read_bytes().isascii()
    assert b"\x1b" not in path.read_bytes()
    assert verify(path).is_sound


def test_a_full_disk_stops_the_log_and_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a line is written, then no more; the next opening sets it aside."""
    log = AuditLog(path)
    real = os.write

    def short(descriptor: int, line: bytes) -> int:
        return real(descriptor, line[:10])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", short)
        with pytest.raises(Outage, match="No space left on device"):
            log.append({"event": "x"})
    with pytest.raises(Misuse, match="is closed"):
        log.append({"event": "x"})
    assert verify(path).torn_bytes == 10
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing)
        with pytest.raises(Outage, match="Input/output error"):
            AuditLog(path)
    with AuditLog(path) as again:
        assert again.head.size == EVENTS + 1
    assert verify(path).is_sound


def failing(_: int) -> None:
    """Fail as a dying disk does."""
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize("content", [b"no log", b"", b"pratique-audit/1 xyz\n", b"\x00" * 100])
def test_what_is_no_log_is_told(content: bytes, tmp_path: Path) -> None:
    """An empty file is a new one to the writer, and none to who verifies."""
    file = tmp_path / "x.log"
    file.write_bytes(content)
    assert verify(file).fault == "line 1: this is no audit log"
    if content:
        with pytest.raises(Misuse, match="broken at line 1"):
            AuditLog(file)
    with pytest.raises(Misuse, match="there is no log"):
        verify(tmp_path / "gone.log")


def test_a_head_of_another_log_is_no_head_of_this_one(path: Path, tmp_path: Path) -> None:
    """Copies of one log share its head; another log never does."""
    with AuditLog(tmp_path / "other.log") as other:
        other.append({"event": "x"})
        assert not verify(path, head=other.head).is_sound
    copy = tmp_path / "copy.log"
    shutil.copy(path, copy)
    assert verify(copy, head=verify(path).head).is_sound
    found = verify(path).head
    assert isinstance(found, Head)


WRITER = """
import sys
from pratique.audit import AuditLog
log = AuditLog(sys.argv[1])
number = 0
while True:
    log.append({"event": "x", "number": number, "text": "y" * 3000})
    print(number, flush=True)
    number += 1
"""


@pytest.mark.slow
def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    """SIGKILL at random moments, over and over, on one log."""
    file = tmp_path / "audit.log"
    acknowledged = 0
    for pause_s in (0.12, 0.2, 0.07, 0.15):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "0\n"
        time.sleep(pause_s)
        os.kill(process.pid, signal.SIGKILL)
        told = process.stdout.read().split()
        process.stdout.close()
        process.wait()
        acknowledged += 1 + len([line for line in told if line.isdigit()]) - 1
        found = verify(file)
        assert found.is_sound
        assert found.head is not None
        assert found.head.size >= acknowledged


@pytest.mark.parametrize("failing_one", range(12))
def test_whichever_sync_fails_what_was_acknowledged_stays(
    failing_one: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new log, records, a torn end that is set aside, an act that was abandoned: each of their syncs once."""
    path = tmp_path / "audit.log"
    acknowledged: list[int] = []
    real, calls = os.fsync, iter(range(1_000))

    def once(descriptor: int) -> None:
        if next(calls) == failing_one:
            failing(descriptor)
        real(descriptor)

    def write(number: int) -> None:
        with AuditLog(path) as log:
            log.append({"event": "audit.intent", "id": f"i{number}", "act": "x", "about": {}})
            log.append({"event": "test.step", "number": number})
            acknowledged.append(number)

    failed = 0
    for number in range(4):
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", once)
            try:
                write(number)
            except Outage:
                failed += 1
        if path.exists() and number == 1:
            path.write_bytes(path.read_bytes() + b"7 torn")
    assert failed <= 1
    with AuditLog(path) as log:
        size = log.head.size
    assert verify(path).is_sound
    events = [json.loads(line.split(b" ", 2)[2]) for line in lines_of(path)[1:]]
    assert len(events) == size
    told = [event["number"] for event in events if event["event"] == "test.step"]
    assert set(acknowledged) <= set(told)
    assert len(told) == len(set(told))


@pytest.mark.parametrize("moment", ["before the sync", "after it"])
def test_a_signal_inside_of_a_write_closes_the_log_and_breaks_nothing(
    moment: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the disk only a new opening reads; the log goes on behind it."""
    real = os.fsync

    def interrupted(descriptor: int) -> None:
        if moment == "after it":
            real(descriptor)
        raise KeyboardInterrupt

    log = AuditLog(path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append({"event": "x"})
    with pytest.raises(Misuse, match="is closed"):
        log.append({"event": "y"})
    with AuditLog(path) as again:
        again.append({"event": "z"})
    assert verify(path).is_sound


def test_an_append_inside_of_an_append_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a signal handler would: it neither waits for itself for ever, nor writes into the middle."""
    log = AuditLog(path)
    real = os.fsync
    inner: list[str] = []

    def handling(descriptor: int) -> None:
        real(descriptor)
        try:
            log.append({"event": "inside"})
        except Misuse as error:
            inner.append(error.message)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", handling)
        log.append({"event": "outside"})
    assert len(inner) == 1
    assert "is inside of that" in inner[0]
    log.append({"event": "next"})
    log.close()
    assert verify(path).is_sound


@pytest.mark.parametrize("what", ["moved", "removed", "cut", "written"])
def test_a_file_that_somebody_else_touched_is_not_written_on(what: str, path: Path) -> None:
    """What was acknowledged must be found where the log is."""
    log = AuditLog(path)
    if what == "moved":
        path.rename(path.with_name("audit.log.1"))
    elif what == "removed":
        path.unlink()
    elif what == "cut":
        os.truncate(path, path.stat().st_size - 3)
    else:
        with open(path, "ab") as other:
            other.write(b"9 0 {}")
    with pytest.raises(Outage, match="moved, removed, cut or written by somebody else"):
        log.append({"event": "x"})
    with pytest.raises(Misuse, match="is closed"):
        log.append({"event": "x"})


def test_what_no_reader_could_read_is_not_written(path: Path) -> None:
    """A record that is too long, or nested too deep."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with AuditLog(path) as log:
        for wrong in ({"event": "x", "text": "y" * 17 * 1024 * 1024}, {"event": "x", "deep": deep}):
            with pytest.raises(Misuse):
                log.append(wrong)
        log.append({"event": "next"})
    assert verify(path).is_sound


def test_a_place_is_written_in_one_way(path: Path) -> None:
    """A zero before it is another record's bytes."""
    lines = lines_of(path)
    path.write_bytes(b"".join([lines[0], b"0" + lines[1], *lines[2:]]))
    assert not verify(path).is_sound


@pytest.mark.parametrize("length", [0, 1, 16, 17, 20, 48])
def test_a_new_log_whose_first_line_was_cut_off_is_begun_again(length: int, tmp_path: Path) -> None:
    """It held nothing."""
    file = tmp_path / "audit.log"
    file.write_bytes(header_of("a" * 32)[:length])
    with AuditLog(file) as log:
        log.append({"event": "x"})
    assert verify(file).is_sound
    assert (b"audit.recovered" in file.read_bytes()) is (length > 0)


def test_a_torn_line_that_was_set_aside_by_who_died_then_is_told_by_the_next_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between cutting it off and telling it; and nobody else can read it, nor lay a link in its way."""
    path.write_bytes(path.read_bytes() + b"9 torn")

    def dies(*_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(AuditLog, "append_all", dies)
        with pytest.raises(KeyboardInterrupt):
            AuditLog(path)
    assert b"audit.recovered" not in path.read_bytes()
    (aside,) = path.parent.glob("audit.log.torn-*")
    assert oct(aside.stat().st_mode & 0o777) == "0o600"
    for _ in range(2):
        with AuditLog(path) as log:
            assert log.head.size == EVENTS + 1
    assert path.read_bytes().count(b"audit.recovered") == 1


def test_a_child_of_a_fork_never_waits_for_its_parent_s_lock(path: Path) -> None:
    """Also when a thread of the parent was writing at that moment; and the lock ends with the parent's log."""
    log = AuditLog(path)
    with log._mutex:
        child = os.fork()
        if child == 0:  # pragma: no cover - it ends here
            try:
                log.append({"event": "x"})
            except Misuse:
                time.sleep(0.5)
                os._exit(7)
            os._exit(0)
    log.close()
    with AuditLog(path) as again:
        again.append({"event": "y"})
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
