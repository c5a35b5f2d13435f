"""The quarantine file that a command means: named, by the environment, by default; and what is none."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

from unit.cli.room import Room

COMMANDS = {
    "list": ("list",),
    "units": ("list", "--units"),
    "show": ("show", "u-1"),
    "edit": ("edit", "u-1", "--text", "clean", "--contract", "shop:triage"),
    "replay": ("replay", "--contract", "shop:triage"),
    "delivered": ("delivered",),
    "discard": ("discard", "u-1", "--reason", "x"),
    "snooze": ("snooze", "u-1", "--until", "7d"),
    "export": ("export", "--format", "ndjson", "--out", "out.ndjson"),
    "stats": ("stats",),
}
EVERY = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


def require_refused(room: Room, *argv: str, message: str) -> None:
    """The call is refused, says why and what to do, and leaves every file as it was."""
    before = {
        name: room.folder.joinpath(name).read_bytes() for name in room.files() if room.folder.joinpath(name).is_file()
    }
    ran = room.quarantine(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err
    assert "Traceback" not in ran.err
    assert {
        name: room.folder.joinpath(name).read_bytes() for name in room.files() if room.folder.joinpath(name).is_file()
    } == before


@EVERY
def test_a_file_that_is_not_there_is_not_made(room: Room, command: tuple[str, ...]) -> None:
    require_refused(room, *command, message="no quarantine file was named, and there is no quarantine.db here")
    require_refused(room, *command, "--db", "gone.db", message='there is no quarantine file "gone.db"')


@EVERY
def test_a_file_that_is_no_store_is_left_alone(room: Room, command: tuple[str, ...]) -> None:
    require_refused(room, *command, "--db", "shop.py", message="is no SQLite file")
    require_refused(room, *command, "--db", ".", message="is a folder")
    other = sqlite3.connect(room.folder / "other.db")
    other.execute("CREATE TABLE mine (a)")
    other.commit()
    other.close()
    require_refused(room, *command, "--db", "other.db", message="is a SQLite file, but no quarantine")


@EVERY
def test_a_store_of_a_newer_version_is_left_alone(kept: Room, command: tuple[str, ...]) -> None:
    newer = sqlite3.connect(kept.folder / "quarantine.db")
    newer.execute("PRAGMA user_version = 99")
    newer.commit()
    newer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    newer.close()
    require_refused(kept, *command, message="was written by a newer pratique")


def test_the_file_is_named_by_the_option_then_the_environment_then_by_default(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.keep("cut")
    room.keep("types", db="two.db")
    room.keep("prose", db="three.db")
    assert len(room.ids()) == 1
    monkeypatch.setenv("PRATIQUE_QUARANTINE", "two.db")
    assert len(room.ids()) == 2
    assert [record["reason"] for record in room.records("--db", "three.db")] == ["delivery"]
    monkeypatch.setenv("PRATIQUE_QUARANTINE", "")
    assert len(room.ids()) == 1


def test_the_commands_that_are_told_name_the_file(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.keep("cut", db="my two.db")
    monkeypatch.setenv("PRATIQUE_QUARANTINE", "my two.db")
    assert "--db 'my two.db'" in room.quarantine("list").out
    assert room.quarantine("show", "u-").out.count("--db 'my two.db'") == 6


@pytest.mark.slow
def test_a_file_that_another_process_holds_is_not_the_callers_fault(kept: Room) -> None:
    """Reading goes on; the writer is told, with an exit code of its own."""
    id = kept.ids()[0]
    other = sqlite3.connect(kept.folder / "quarantine.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert kept.quarantine("list").code == 0
    ran = kept.quarantine("discard", id, "--reason", "x")
    other.execute("ROLLBACK")
    other.close()
    assert (ran.code, ran.out) == (74, "")
    assert "is locked by another process" in ran.err
    assert "Traceback" not in ran.err
    assert kept.states() == ["open", "open", "open"]


def test_the_overview_names_every_command(room: Room) -> None:
    ran = room.quarantine()
    assert ran.code == 0
    assert ran.out.startswith("Usage: pratique quarantine COMMAND\n")
    names = {name for name in COMMANDS if name != "units"}
    assert [name for name in sorted(names) if f"\n  {name} " not in ran.out] == []


@pytest.mark.parametrize("command", sorted({words[0] for words in COMMANDS.values()}))
def test_every_help_page_has_an_example_of_its_command(room: Room, command: str) -> None:
    ran = room.quarantine(command, "--help")
    assert ran.code == 0
    assert f"Example: pratique quarantine {command}" in ran.out


def test_an_unknown_command_is_a_wrong_call(room: Room) -> None:
    ran = room.quarantine("lst")
    assert (ran.code, ran.out) == (2, "")
    assert 'Unknown command "lst"' in ran.err


@pytest.mark.parametrize("words", [(), ("--help",), ("list", "--help"), ("replay", "--help")])
def test_no_help_page_waits_for_the_room(words: tuple[str, ...]) -> None:
    """A fresh process imports neither the store nor the validator to show one."""
    script = f"import sys\nfrom pratique.cli import main\nmain(['quarantine', *{words!r}])\nprint('|', *sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.rpartition("|")[2].split())
    assert "pratique.cli.quarantine" in imported
    assert not imported & {"sqlite3", "pydantic", "pydantic_core", "blake3", "pratique.quarantine", "pratique.contract"}


def commands_in(printed: str) -> list[str]:
    """Find every command of ours that was printed, up to the end of its line or clause."""
    return [tail.split("\n")[0] for tail in printed.split("pratique quarantine ")[1:]]


@pytest.mark.parametrize("db", ["quarantine.db", "my file.db"])
def test_every_command_that_is_printed_names_the_file_that_was_named(
    room: Room, monkeypatch: pytest.MonkeyPatch, db: str
) -> None:
    """Also the file that would be found without a name: the environment may name another one."""
    room.keep("types", "cut", db=db)
    monkeypatch.setenv("PRATIQUE_QUARANTINE", "other.db")
    id = room.ids("--db", db)[0]
    judge = ("--contract", "shop:loose")
    room.folder.joinpath("empty").write_text(" ")
    printed = [
        room.quarantine(*argv, "--db", db)
        for argv in (
            ("list", "--limit", "1"),
            ("list", "--units", "--limit", "1"),
            ("list", "--group", "q9"),
            ("show", id),
            ("show", "u-ffff"),
            ("show", "q1-52ab"),
            ("show", "d-52ab"),
            ("delivered", "r-ffff"),
            ("edit", id, "--text", "empty", *judge),
            ("replay", *judge),
            ("replay", *judge, "--apply"),
            ("delivered",),
            ("discard", room.ids("--db", db)[2], "--reason", "x"),
            ("list",),
        )
    ]
    named = "--db 'my file.db'" if " " in db else "--db quarantine.db"
    found = [one for ran in printed for one in commands_in(ran.out + ran.err)]
    assert len(found) >= 20
    assert [one for one in found if named not in one] == []


def test_the_file_that_is_not_there_is_named_in_the_command_that_makes_it(room: Room) -> None:
    told = "pratique check FILE --contract MODULE:NAME --quarantine 'my file.db' makes one"
    assert told in room.quarantine("list", "--db", "my file.db").err
