"""``pratique quarantine export``: records for another program, a spreadsheet, a test suite."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from unit.cli.room import Room

NDJSON = ("--format", "ndjson")


def test_ndjson_has_one_record_a_line(kept: Room) -> None:
    ran = kept.quarantine("export", *NDJSON, "--out", "refused.ndjson")
    assert (ran.code, ran.out) == (0, 'wrote 3 records to "refused.ndjson" as ndjson\n')
    records = [json.loads(line) for line in kept.folder.joinpath("refused.ndjson").read_text().splitlines()]
    assert [record["id"] for record in records] == kept.ids()


def test_csv_has_a_head_and_one_record_a_row(kept: Room) -> None:
    assert kept.quarantine("export", "--format", "csv", "--out", "refused.csv").code == 0
    rows = list(csv.DictReader(io.StringIO(kept.folder.joinpath("refused.csv").read_text())))
    assert [row["id"] for row in rows] == kept.ids()
    assert [row["reason"] for row in rows] == ["schema", "schema", "truncated"]


def test_a_pytest_file_runs_and_passes_against_the_contract_it_came_from(kept: Room) -> None:
    ran = kept.quarantine("export", "--format", "pytest", "--contract", "shop:triage", "--out", "test_refused.py")
    assert ran.code == 0
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_refused.py"],
        cwd=kept.folder,
        env={**os.environ, "PYTHONPATH": str(kept.folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_a_pytest_file_carries_the_allow_lists(room: Room) -> None:
    room.folder.joinpath("ids").write_text("a\n")
    room.keep("tasks", contract="tasks", options=("--references", "workstream=ids"))
    told = ("export", "--format", "pytest", "--contract", "shop:tasks", "--out", "test_refused.py")
    assert room.quarantine(*told).code == 2
    assert room.quarantine(*told, "--references", "workstream=ids").code == 0
    assert "REFERENCES = {'workstream': ['a']}" in room.folder.joinpath("test_refused.py").read_text()


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (("--reason", "truncated"), 1),
        (("--text", "nowhere"), 0),
        (("--status", "discarded"), 1),
        (("--status", "all"), 3),
    ],
)
def test_filters_say_which(kept: Room, where: tuple[str, ...], count: int) -> None:
    kept.quarantine("discard", kept.ids()[0], "--reason", "a test")
    ran = kept.quarantine("export", *NDJSON, "--out", "-", *where)
    assert ran.code == 0
    assert len(ran.out.splitlines()) == count


def test_records_may_be_named(kept: Room) -> None:
    first, _, third = kept.ids()
    ran = kept.quarantine("export", third, first[:12], *NDJSON, "--out", "-")
    assert {json.loads(line)["id"] for line in ran.out.splitlines()} == {first, third}


def test_what_a_spreadsheet_would_run_is_defused(room: Room) -> None:
    room.folder.joinpath("formula").write_text("=cmd|' /C calc'!A1")
    room.keep("formula")
    ran = room.quarantine("export", "--format", "csv", "--out", "-")
    (row,) = csv.DictReader(io.StringIO(ran.out))
    assert row["raw"].startswith("'=cmd")


def test_a_path_that_exists_is_refused_and_left_alone(kept: Room) -> None:
    kept.folder.joinpath("out").write_text("old")
    ran = kept.quarantine("export", *NDJSON, "--out", "out")
    assert (ran.code, ran.out) == (2, "")
    assert '"out" exists; nothing was written' in ran.err
    assert "--overwrite" in ran.err
    assert kept.folder.joinpath("out").read_text() == "old"
    assert kept.quarantine("export", *NDJSON, "--out", "out", "--overwrite").code == 0
    assert len(kept.folder.joinpath("out").read_text().splitlines()) == 3


def test_a_link_that_leads_nowhere_exists_too(kept: Room) -> None:
    kept.folder.joinpath("link").symlink_to("nowhere")
    assert kept.quarantine("export", *NDJSON, "--out", "link").code == 2
    assert not kept.folder.joinpath("nowhere").exists()


def test_the_quarantine_file_is_never_written_over(kept: Room) -> None:
    for name in ("./quarantine.db", "quarantine.db-wal", "quarantine.db-shm"):
        ran = kept.quarantine("export", *NDJSON, "--out", name, "--overwrite")
        assert (ran.code, ran.out) == (2, "")
        assert "would write over the quarantine file" in ran.err
        assert len(kept.ids()) == 3


def test_an_export_leaves_no_temporary_file(kept: Room) -> None:
    before = kept.files()
    kept.quarantine("export", *NDJSON, "--out", "out")
    assert kept.files() - before == {"out"}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--out", "x"), "--format"),
        ((*NDJSON,), "--out"),
        (("--format", "xml", "--out", "x"), 'Invalid value "xml" for --format'),
        (("--format", "pytest", "--out", "x"), "write --contract MODULE:NAME"),
        (("--format", "pytest", "--out", "x", "--contract", "shop:nope"), "has no"),
        (("--format", "pytest", "--out", "x", "--contract", "shop:triage", "--text", "nowhere"), "no record"),
        ((*NDJSON, "--out", "x", "--contract", "shop:triage"), "belong to --format pytest"),
        ((*NDJSON, "--out", "no/such/x"), "does not exist"),
        ((*NDJSON, "--out", "."), "exists"),
        ((*NDJSON, "--out", ".", "--overwrite"), "is a folder"),
        ((*NDJSON, "--out", "x", "u-ffff"), "no record begins with"),
        ((*NDJSON, "--out", "x", "u-1", "--reason", "schema"), "both records and filters"),
        ((*NDJSON, "--out", "x", "--group", "q1-none"), "no group begins with"),
    ],
)
def test_a_wrong_call_writes_nothing(kept: Room, argv: tuple[str, ...], message: str) -> None:
    before = kept.files()
    ran = kept.quarantine("export", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err
    assert kept.files() == before
