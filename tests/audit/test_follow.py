"""A log is read while it is written: whole records only, each once, and what was shown stays where it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from audit.test_log import forged, lines_of
from pratique.audit import AuditLog, Broken
from pratique.audit import follow as follow_module
from pratique.audit.chain import Chain, Record, Tail, read_records
from pratique.audit.follow import Follower
from pratique.errors import Misuse


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of two records."""
    file = tmp_path / "audit.log"
    with AuditLog(file) as log:
        log.append({"event": "one"})
        log.append({"event": "two", "text": "x" * 100})
    return file


def names(follower: Follower) -> list[str]:
    """Return the events of what came since the last look."""
    return [record.event["event"] for record in follower.read()]


def test_each_record_comes_once_and_in_order(path: Path) -> None:
    """However many come between two looks."""
    follower = Follower(path)
    assert names(follower) == ["one", "two"]
    assert names(follower) == []
    with AuditLog(path) as log:
        for many in (1, 3):
            for number in range(many):
                log.append({"event": f"{many}.{number}"})
            assert names(follower) == [f"{many}.{number}" for number in range(many)]


def test_a_look_that_is_not_finished_is_taken_up_again(path: Path) -> None:
    """What was not handed out comes with the next one."""
    follower = Follower(path)
    assert next(iter(follower.read())).event["event"] == "one"
    assert names(follower) == ["two"]


def test_a_torn_line_is_waited_for_at_every_byte(path: Path) -> None:
    """It comes when it is whole, and not before."""
    content = path.read_bytes()
    start = len(b"".join(lines_of(path)[:2]))
    follower = Follower(path)
    for cut in range(start, len(content)):
        path.write_bytes(content[:cut])
        assert names(follower) == (["one"] if cut == start else [])
    path.write_bytes(content)
    assert names(follower) == ["two"]


def test_a_torn_line_that_is_set_aside_is_never_shown(path: Path) -> None:
    """The record that tells of it is, though bytes of the torn line were read before."""
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    follower = Follower(path)
    assert names(follower) == ["one"]
    with AuditLog(path) as log:
        log.append({"event": "next"})
    assert names(follower) == ["audit.recovered", "next"]


def test_a_line_that_is_written_over_while_it_is_read_is_looked_at_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the torn line and half of what took its place fit nothing; the second look does."""
    follower = Follower(path)
    names(follower)
    looks = 0

    def mixed(file: BinaryIO, chain: Chain, at: int) -> Iterator[Record | Tail]:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise Broken(4, "record 2 does not follow from the 2 before it")
        return read_records(file, chain, at)

    monkeypatch.setattr(follow_module, "read_records", mixed)
    with AuditLog(path) as log:
        log.append({"event": "next"})
    assert names(follower) == ["next"]
    assert looks == 2


def looked(follower: Follower) -> tuple[list[str], str]:
    """Return the events of one look, and what it says is wrong."""
    found: list[str] = []
    try:
        for record in follower.read():
            found.append(record.event["event"])
    except Broken as broken:
        return found, str(broken)
    return found, ""


def test_what_does_not_follow_is_told_and_what_came_before_is_handed_out(path: Path) -> None:
    """Also when all that follows was hashed anew."""
    follower = Follower(path)
    names(follower)
    with AuditLog(path) as log:
        log.append({"event": "three"})
        log.append({"event": "four"})
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:4], lines[4].replace(b"four", b"fore")]))
    assert looked(follower) == (["three"], "line 5: record 3 does not follow from the 3 before it")
    path.write_bytes(b"".join(forged(lines, 0)))
    found, told = looked(follower)
    assert (found, told[:7]) == ([], "line 5:")


def test_records_that_were_shown_and_are_gone_are_told(path: Path) -> None:
    """Cut off, replaced, removed."""
    follower = Follower(path)
    names(follower)
    lines = lines_of(path)
    path.write_bytes(b"".join(lines[:2]))
    assert looked(follower)[1].startswith("line 4: the file is shorter than it was")
    path.write_bytes(b"".join(lines))
    assert names(follower) == []
    fresh = path.with_name("fresh")
    fresh.write_bytes(b"".join(lines))
    os.replace(fresh, path)
    assert looked(follower) == ([], "line 4: another file stands there now")
    path.unlink()
    assert looked(follower) == ([], "line 4: the log is gone")


def test_what_is_no_log_is_told(tmp_path: Path) -> None:
    """From the first look on."""
    with pytest.raises(Misuse, match="No such file"):
        names(Follower(tmp_path / "gone"))
    with pytest.raises(Misuse, match="Is a directory"):
        names(Follower(tmp_path))
    file = tmp_path / "notes"
    file.write_text("notes", "utf-8")
    assert looked(Follower(file)) == ([], "line 1: this is no audit log")
