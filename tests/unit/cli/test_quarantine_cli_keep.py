"""``pratique check --quarantine``: what was refused is kept, once, and the summary says so."""

from __future__ import annotations

import json
import os
import sqlite3

import pytest

from unit.cli.room import Room


def test_without_the_option_nothing_is_written(room: Room) -> None:
    before = room.files()
    assert room("check", "types", "--contract", "shop:triage").code == 3
    assert room.files() == before


def test_what_was_refused_is_kept_and_the_summary_says_how_much_and_where(room: Room) -> None:
    ran = room.keep("types", "cut")
    assert ran.code == 3
    assert ran.out.splitlines()[-1] == (
        'quarantine: kept 3 records in "quarantine.db"; look at them: pratique quarantine list'
    )
    assert [record["reason"] for record in room.records()] == ["schema", "schema", "truncated"]


def test_the_command_in_the_summary_names_another_file(room: Room) -> None:
    ran = room.keep("types", db="my refused.db")
    assert ran.out.endswith("pratique quarantine list --db 'my refused.db'\n")
    assert room.quarantine("list", "--db", "my refused.db").code == 0


def test_a_clean_delivery_keeps_nothing_and_makes_the_file_all_the_same(room: Room) -> None:
    ran = room.keep("clean")
    assert ran.code == 0
    assert ran.out.endswith('quarantine: kept 0 records in "quarantine.db"\n')
    assert room.records() == []


def test_a_delivery_without_a_unit_is_kept_as_a_whole(room: Room) -> None:
    assert room.keep("prose").code == 1
    (record,) = room.records()
    assert (record["index"], record["reason"]) == (None, "delivery")


def test_the_verdict_does_not_depend_on_keeping(room: Room) -> None:
    for name in ("clean", "types", "cut", "prose", "hostile"):
        plain = room("check", name, "--contract", "shop:triage", "--format", "json")
        kept = room.keep(name, options=("--format", "json"))
        assert (kept.code, kept.out) == (plain.code, plain.out)


@pytest.mark.parametrize("format", ["json", "ndjson", "sarif", "github", "junit"])
def test_a_format_for_machines_has_the_summary_on_standard_error(room: Room, format: str) -> None:
    ran = room.keep("types", options=("--format", format))
    assert "quarantine:" not in ran.out
    assert ran.err.startswith("quarantine: kept 2 records")


def test_run_and_attempt_are_kept_and_the_same_delivery_is_kept_once(room: Room) -> None:
    told = ("--run-id", "r7", "--attempt", "2")
    room.keep("types", options=told)
    again = room.keep("types", options=told)
    assert "kept 0 records" in again.out
    assert "(1 delivery of this run kept before)" in again.out
    assert [record["run_id"] for record in room.records()] == ["r7", "r7"]
    assert room.keep("types", options=("--run-id", "r7", "--attempt", "3")).out.count("kept 2 records") == 1
    assert len(room.records()) == 4


def test_a_delivery_that_is_there_already_is_told(room: Room) -> None:
    """Without a run and an attempt nobody knows whether it is the same one: it is kept again, and that is said."""
    assert "kept before" not in room.keep("types").out
    first = room.records()[0]["delivery"]
    told = room.keep("types").out.splitlines()
    assert told[-2].startswith("quarantine: kept 2 records in")
    assert told[-1] == (
        f"quarantine: 1 delivery kept before, as {first}, and now once more; "
        "name --run-id and --attempt to keep a delivery once"
    )
    room.folder.joinpath("longer").write_text(room.folder.joinpath("types").read_text() + " ")
    assert "kept before" not in room.keep("longer").out, "the same units in another delivery"
    for _ in range(2):
        again = room.keep("prose", "types", options=("--run-id", "r1")).out
    assert f"2 deliveries kept before, as {room.records('--reason', 'delivery')[0]['delivery']} and others" in again


def test_the_command_in_the_summary_leads_to_the_file_that_was_written(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where another file is the default, the usual name is named."""
    monkeypatch.setenv("PRATIQUE_QUARANTINE", "other.db")
    assert room.keep("types").out.endswith("pratique quarantine list --db quarantine.db\n")


def test_the_values_never_go_into_what_belongs_to_the_quarantine_file(room: Room) -> None:
    for name in ("quarantine.db-wal", "quarantine.db-shm"):
        ran = room.keep("types", options=("--emit", name))
        assert (ran.code, ran.out) == (2, "")
        assert "would write into" in ran.err


def test_what_a_limit_left_out_is_loud(room: Room) -> None:
    ran = room.keep("types", contract="few")
    assert "kept 1 record in" in ran.out
    assert "quarantine: 1 refused unit NOT kept, only counted" in ran.out
    assert "OVERFLOW: 1 refused unit not kept" in room.quarantine("stats").out


@pytest.mark.parametrize("option", ["--run-id", "--attempt"])
def test_a_run_without_a_quarantine_is_a_wrong_call(room: Room, option: str) -> None:
    ran = room("check", "types", "--contract", "shop:triage", option, "1")
    assert (ran.code, ran.out) == (2, "")
    assert "--quarantine" in ran.err


@pytest.mark.parametrize(
    ("db", "message"),
    [
        ("shop.py", "is no SQLite file"),
        (".", "is a folder"),
        ("no/such.db", "does not exist"),
        ("types", "would write into"),
    ],
)
def test_a_file_that_is_no_quarantine_is_told_before_anything_is_judged(room: Room, db: str, message: str) -> None:
    before = {name: room.folder.joinpath(name).read_bytes() for name in ("shop.py", "types")}
    ran = room.keep("types", db=db)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert {name: room.folder.joinpath(name).read_bytes() for name in before} == before


def test_the_values_and_the_quarantine_cannot_share_a_file(room: Room) -> None:
    ran = room.keep("types", db="one", options=("--emit", "one"))
    assert (ran.code, ran.out) == (2, "")
    assert "would write into" in ran.err


@pytest.mark.slow
def test_what_cannot_be_kept_is_told_and_then_nothing_is_handed_out(room: Room) -> None:
    """Another process holds the file for longer than anybody waits; the report is printed all the same."""
    room.keep("clean")
    other = sqlite3.connect(room.folder / "quarantine.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ran = room.keep("types", options=("--emit", "values.json"))
    other.execute("ROLLBACK")
    other.close()
    assert ran.code == 74
    assert "is locked by another process" in ran.err
    assert "nothing was lost" in ran.err
    assert "admitted 1 of 3 units" in ran.out
    assert not os.path.exists("values.json")
    assert room.keep("types", options=("--emit", "values.json")).code == 3
    assert json.loads(room.folder.joinpath("values.json").read_text()) == [{"rank": 1, "why": "first"}]
