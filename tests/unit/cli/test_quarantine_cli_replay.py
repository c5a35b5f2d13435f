"""``pratique quarantine replay`` and ``delivered``: a dry run first, then once and never again."""

from __future__ import annotations

import io
import json
import signal
import sys
from pathlib import Path

import pytest

from pratique.cli.load import load_contract
from pratique.cli.quarantined.emitting import emission
from pratique.cli.quarantined.handing import hand_out
from pratique.cli.quarantined.progress import progress_on
from pratique.quarantine import Filter, SqliteQuarantine, replay
from unit.cli.room import Room

LOOSE = ("--contract", "shop:loose")
STRICT = ("--contract", "shop:triage")


def lines_of(file: Path) -> list[object]:
    """Read NDJSON."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_the_default_is_a_dry_run_that_says_what_would_happen_and_writes_nothing(kept: Room) -> None:
    before = [kept.quarantine("show", id, "--json").told for id in kept.ids()]
    ran = kept.quarantine("replay", *LOOSE)
    assert ran.code == 3
    first, *rest = ran.out.splitlines()
    assert first == "would admit 2 of 3 records, still refuse 1, by triage version 2"
    assert rest[:2] == ["  2  schema -> admitted", "  1  truncated -> truncated"]
    assert rest[-1] == ("nothing was written; to do it: pratique quarantine replay --contract shop:loose --apply")
    assert [kept.quarantine("show", id, "--json").told for id in kept.ids()] == before
    assert kept.quarantine("delivered", "--json").told == {"replays": []}


def test_the_command_that_is_told_does_it(kept: Room) -> None:
    line = kept.quarantine("replay", "--reason", "schema", "--since", "1h", *LOOSE).out.splitlines()[-1]
    assert kept(*line.partition(": pratique ")[2].split()).code == 0
    assert kept.states() == ["admitted", "admitted", "open"]


def test_apply_resolves_what_passes_and_leaves_the_rest_open(kept: Room) -> None:
    ran = kept.quarantine("replay", *LOOSE, "--apply", "--author", "anna", "--note", "ranks may be text")
    assert ran.code == 3
    assert ran.out.startswith("admitted 2 of 3 records, still refused 1, by triage version 2\n")
    assert kept.states() == ["admitted", "admitted", "open"]
    shown = kept.quarantine("show", kept.ids()[0]).out
    assert 'admitted by "anna", ' in shown
    assert "its raw text passed triage version 2 in replay r-" in shown
    assert '    {"rank":"2","why":"second"}\n' in shown


def test_the_same_contract_refuses_for_the_same_reasons(kept: Room) -> None:
    ran = kept.quarantine("replay", *STRICT)
    assert ran.code == 3
    assert "  2  schema -> schema\n  1  truncated -> truncated\n" in ran.out
    assert ran.out.endswith("\nnothing was written\n")


def test_a_reason_that_changed_is_told(kept: Room) -> None:
    """The narrow contract refuses long text; the contract of the tasks knows no such field."""
    kept.folder.joinpath("long").write_text('{"items": [{"rank": 1, "why": "much too long"}]}')
    kept.keep("long", contract="narrow", db="narrow.db")
    ran = kept.quarantine("replay", "--db", "narrow.db", *STRICT)
    assert (ran.code, ran.out.splitlines()[1]) == (0, "  1  guardrail -> admitted")
    told = ("--contract", "shop:tasks", "--contract-name", "triage", "--references", "workstream=clean")
    ran = kept.quarantine("replay", "--db", "narrow.db", *told)
    assert (ran.code, ran.out.splitlines()[1]) == (3, "  1  guardrail -> schema")


def test_records_are_named_by_id_or_by_group_or_by_filter(kept: Room) -> None:
    first, second, third = kept.ids()
    group = kept.records()[0]["fingerprint"]
    for where, meant in (
        ((first[:12], third), [first, third]),
        (("--group", group[:7]), [first, second]),
        (("--text", "third"), [second]),
        (("--run-id", "r1"), [first, second, third]),
    ):
        told = kept.quarantine("replay", *where, *LOOSE, "--json").told
        assert [outcome["record"] for outcome in told["outcomes"]] == meant


def test_without_a_filter_only_the_contracts_own_records_are_meant(kept: Room) -> None:
    kept.folder.joinpath("ids").write_text("a\n")
    kept.keep("tasks", contract="tasks", options=("--references", "workstream=ids"))
    told = kept.quarantine("replay", *LOOSE, "--json").told
    assert len(told["outcomes"]) == 3
    assert kept.states() == ["open"] * 4


def test_the_allow_lists_are_those_of_today(room: Room) -> None:
    room.folder.joinpath("ids").write_text("a\n")
    room.keep("tasks", contract="tasks", options=("--references", "workstream=ids"))
    (record,) = room.records()
    assert record["reason"] == "allow_list"
    call = ("replay", "--contract", "shop:tasks", "--references", "workstream=ids")
    assert room.quarantine(*call).code == 3
    room.folder.joinpath("ids").write_text("a\nb\n")
    ran = room.quarantine(*call)
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith(
        "pratique quarantine replay --contract shop:tasks --references workstream=ids --apply"
    )


def test_the_values_are_handed_out_once_as_one_json_value_a_line(kept: Room) -> None:
    assert kept.quarantine("replay", *LOOSE, "--apply", "--emit", "out.ndjson").code == 3
    assert lines_of(kept.folder / "out.ndjson") == [{"rank": "2", "why": "second"}, {"rank": "3", "why": "third"}]
    assert kept.quarantine("replay", *LOOSE, "--apply", "--emit", "again.ndjson").code == 3
    assert lines_of(kept.folder / "again.ndjson") == []


def test_values_on_standard_output_send_the_report_to_standard_error(kept: Room) -> None:
    ran = kept.quarantine("replay", *LOOSE, "--apply", "--emit", "-")
    assert [json.loads(line)["rank"] for line in ran.out.splitlines()] == ["2", "3"]
    assert ran.err.startswith("admitted 2 of 3 records")


def test_a_file_that_exists_is_refused_before_anything_is_resolved(kept: Room) -> None:
    kept.folder.joinpath("out.ndjson").write_text("old\n")
    ran = kept.quarantine("replay", *LOOSE, "--apply", "--emit", "out.ndjson")
    assert (ran.code, ran.out) == (2, "")
    assert '--emit "out.ndjson": the file exists' in ran.err
    assert kept.folder.joinpath("out.ndjson").read_text() == "old\n"
    assert kept.states() == ["open", "open", "open"]


def test_a_file_that_cannot_be_made_is_refused_before_anything_is_resolved(kept: Room) -> None:
    ran = kept.quarantine("replay", *LOOSE, "--apply", "--emit", "no/such/out.ndjson")
    assert (ran.code, ran.out) == (2, "")
    assert kept.states() == ["open", "open", "open"]


def test_a_call_that_fails_leaves_no_empty_file(kept: Room) -> None:
    before = kept.files()
    assert kept.quarantine("replay", "u-ffff", *LOOSE, "--apply", "--emit", "out.ndjson").code == 2
    assert kept.files() == before


def test_values_that_cannot_be_written_any_more_are_in_the_store(
    kept: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder went away between the resolution and the writing: the answer says how to get them."""
    folder = kept.folder / "gone"
    folder.mkdir()
    with SqliteQuarantine("quarantine.db") as store:
        place = emission("gone/out.ndjson")
        replayed = replay(store, load_contract("shop:loose"), where=Filter(), dry_run=False)
        folder.rmdir()
        assert hand_out(replayed, place, db=None) == 74
    told = capsys.readouterr().err
    assert "what was admitted is in the quarantine file" in told
    command = told.partition("take it from there: pratique ")[2].split("\n")[0]
    assert len(kept(*command.split()).out.splitlines()) == 2


SIGNALS = """
import os, signal
from pydantic import BaseModel
from pratique import Contract

class Loose(BaseModel):
    rank: int | str
    why: str

def stop(unit):
    if unit.why == "stop":
        raise KeyboardInterrupt
    if unit.why == "term":
        os.kill(os.getpid(), signal.SIGTERM)
    return ()

triage = Contract.items(Loose, at="items", name="triage", version="9", checks=[stop])
"""


@pytest.fixture
def halted(room: Room, request: pytest.FixtureRequest) -> Room:
    """Keep two deliveries: the first passes, and while the second is judged something happens."""
    room.folder.joinpath("signals.py").write_text(SIGNALS)
    for name, why in (("one", "first"), ("two", request.param)):
        room.folder.joinpath(name).write_text(f'{{"items": [{{"rank": "{name}", "why": "{why}"}}]}}')
    room.keep("one", "two", db="my.db")
    return room


BROKEN = ("replay", "--db", "my.db", "--contract", "signals:triage", "--apply")


@pytest.mark.parametrize("halted", ["stop", "term"], indirect=True)
def test_what_was_admitted_before_an_interruption_is_handed_out_all_the_same(halted: Room) -> None:
    """Ctrl-C, or SIGTERM: the second record stays open, and the answer names the command for the first."""
    before = signal.getsignal(signal.SIGTERM)
    ran = halted.quarantine(*BROKEN, "--emit", "out.ndjson")
    assert (ran.code, ran.out) == (130, "")
    assert signal.getsignal(signal.SIGTERM) is before
    assert lines_of(halted.folder / "out.ndjson") == [{"rank": "one", "why": "first"}]
    told, _, again = ran.err.partition(": pratique ")
    assert told == "pratique: broken off; 1 record admitted until then, its values at any time"
    assert again.endswith(" --db my.db\n")
    assert halted(*again.split()).out == halted.folder.joinpath("out.ndjson").read_text()
    assert [r["state"] for r in halted.records("--db", "my.db")] == ["admitted", "open"]


@pytest.mark.parametrize("halted", ["stop"], indirect=True)
def test_an_interruption_hands_out_on_standard_output_too(halted: Room) -> None:
    ran = halted.quarantine(*BROKEN, "--emit", "-")
    assert (ran.code, ran.out) == (130, '{"rank":"one","why":"first"}\n')
    assert "broken off; 1 record admitted" in ran.err


@pytest.mark.parametrize("halted", ["stop"], indirect=True)
def test_an_interruption_before_anything_was_admitted_leaves_no_file(halted: Room) -> None:
    before = halted.files()
    (last,) = halted.ids("--db", "my.db", "--text", "two")
    ran = halted.quarantine("replay", last, *BROKEN[1:], "--emit", "out.ndjson")
    assert (ran.code, ran.out, ran.err) == (130, "", "")
    assert halted.files() == before


@pytest.mark.slow
def test_what_was_admitted_before_an_outage_is_handed_out_all_the_same(room: Room) -> None:
    """Another process takes the file while the second record is judged, for longer than anybody waits."""
    held = "sqlite3.connect('quarantine.db', isolation_level=None)"
    source = SIGNALS.replace("raise KeyboardInterrupt", "HELD.in_transaction or HELD.execute('BEGIN IMMEDIATE')")
    source = source.replace("def stop", f"import sqlite3\nHELD = {held}\n\ndef stop")
    room.folder.joinpath("holding.py").write_text(source)
    for name, why in (("one", "first"), ("two", "stop")):
        room.folder.joinpath(name).write_text(f'{{"items": [{{"rank": "{name}", "why": "{why}"}}]}}')
    room.keep("one", "two")
    ran = room.quarantine("replay", "--contract", "holding:triage", "--apply", "--emit", "out.ndjson")
    sys.modules.pop("holding").HELD.close()
    assert (ran.code, ran.out) == (74, "")
    assert lines_of(room.folder / "out.ndjson") == [{"rank": "one", "why": "first"}]
    assert (
        "broken off; 1 record admitted until then, its values at any time: pratique quarantine delivered r-" in ran.err
    )
    assert "is locked by another process" in ran.err
    assert room.states() == ["admitted", "open"]


def test_a_file_that_somebody_made_meanwhile_is_left_alone(kept: Room, capsys: pytest.CaptureFixture[str]) -> None:
    """Between the look and the writing: the values are in the store, and the answer says how to get them."""
    with SqliteQuarantine("quarantine.db") as store:
        place = emission("out.ndjson")
        assert not kept.folder.joinpath("out.ndjson").exists()
        replayed = replay(store, load_contract("shop:loose"), where=Filter(), dry_run=False)
    kept.folder.joinpath("out.ndjson").write_text("mine")
    assert hand_out(replayed, place, db="quarantine.db") == 74
    assert kept.folder.joinpath("out.ndjson").read_text() == "mine"
    assert f"pratique quarantine delivered {replayed.id} --db quarantine.db\n" in capsys.readouterr().err


def test_values_are_those_that_the_replay_returned_whatever_became_of_them_in_the_store(kept: Room) -> None:
    """Another process may purge a record as soon as it is resolved; the counts and the values agree."""
    with SqliteQuarantine("quarantine.db") as store:
        replayed = replay(store, load_contract("shop:loose"), where=Filter(), dry_run=False)
    kept.folder.joinpath("quarantine.db").unlink()
    assert hand_out(replayed, emission("out.ndjson"), db=None) == 0
    assert len(lines_of(kept.folder / "out.ndjson")) == replayed.counts["admitted"] == 2


def test_a_second_replay_delivers_nothing_and_says_why(kept: Room) -> None:
    first, second, _ = kept.ids()
    kept.quarantine("replay", first, *LOOSE, "--apply")
    ran = kept.quarantine("replay", first, second, *LOOSE, "--apply")
    assert ran.code == 0
    assert ran.out.startswith("admitted 1 of 2 records, still refused 0, 1 not open any more, by triage version 2\n")


def test_nothing_meant_is_no_error(kept: Room) -> None:
    for where in (("--run-id", "r9"), ("--text", "nowhere")):
        ran = kept.quarantine("replay", *where, *LOOSE, "--apply")
        assert (ran.code, ran.out) == (0, "no open record is meant by that; nothing was judged\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "no contract was given"),
        (("--contract", "shop:nope"), "has no"),
        (("--contract", "shop:triage", "--schema", "x"), "both a contract and a schema"),
        (("--contract", "shop:triage", "--at", "items"), "--at belongs to --schema"),
        (("--contract", "shop:tasks"), "write --references workstream=FILE"),
        (("--contract", "shop:triage", "--references", "x=clean"), "x"),
        (("--contract", "shop:triage", "u-ffff"), "no record begins with"),
        (("--contract", "shop:triage", "--group", "q1-none"), "no group begins with"),
        (("--contract", "shop:triage", "u-1", "--reason", "schema"), "both records and filters"),
        (("--contract", "shop:triage", "--emit", "out"), "without --apply nothing is"),
        (("--contract", "shop:triage", "--apply", "--emit", "-", "--json"), "both want standard output"),
        (("--contract", "shop:triage", "--reason", "bad"), "no reason is called"),
    ],
)
def test_a_wrong_call_judges_nothing(kept: Room, argv: tuple[str, ...], message: str) -> None:
    ran = kept.quarantine("replay", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err
    assert kept.states() == ["open", "open", "open"]


def test_a_schema_stands_in_for_a_contract(room: Room) -> None:
    unit = {"type": "object", "properties": {"rank": {"type": "integer"}}, "required": ["rank"]}
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": unit}}, "required": ["items"]}
    room.folder.joinpath("schema.json").write_text(json.dumps(schema))
    told = ("--schema", "schema.json", "--at", "items")
    room("check", "types", *told, "--quarantine", "quarantine.db")
    unit["properties"] = {"rank": {"type": ["integer", "string"]}}
    room.folder.joinpath("schema.json").write_text(json.dumps(schema))
    ran = room.quarantine("replay", *told)
    assert ran.code == 0
    assert ran.out.endswith("pratique quarantine replay --schema schema.json --at items --apply\n")


def test_what_the_producer_wrote_cannot_reach_the_terminal(room: Room) -> None:
    room.keep("hostile", "sly")
    for options in ((), ("--json",)):
        ran = room.quarantine("replay", *STRICT, *options)
        assert "owned" in ran.out
        assert not set(ran.out) & set("\x1b\x07\u202e")


# ------------------------------------------------------------------------------- delivered


def test_what_was_delivered_can_be_read_again(kept: Room) -> None:
    kept.quarantine("replay", *LOOSE, "--apply", "--author", "anna", "--note", "ranks may be text")
    listed = kept.quarantine("delivered")
    assert listed.code == 0
    assert 'by "anna": admitted 2 records by triage version 2, note "ranks may be text"\n' in listed.out
    (run,) = kept.quarantine("delivered", "--json").told["replays"]
    for said in (run["id"], run["id"][:6]):
        ran = kept.quarantine("delivered", said)
        assert [json.loads(line)["rank"] for line in ran.out.splitlines()] == ["2", "3"]
    told = kept.quarantine("delivered", run["id"], "--json").told
    assert [one["record"] for one in told["delivered"]] == kept.ids()[:2]


def test_a_whole_delivery_gives_each_of_its_values(room: Room) -> None:
    """It had nothing that the contract knew; the contract of today knows it."""
    room.folder.joinpath("foreign").write_text('{"rows": [{"alpha": 1}, {"alpha": 2}]}')
    room.keep("foreign")
    (record,) = room.records()
    assert record["index"] is None
    room.folder.joinpath("alphas.py").write_text(
        "from pydantic import BaseModel\nfrom pratique import Contract\n"
        "class Alpha(BaseModel):\n    alpha: int\n"
        "triage = Contract.items(Alpha, at='rows', name='triage', version='9')\n"
    )
    ran = room.quarantine("replay", "--contract", "alphas:triage", "--apply", "--emit", "out.ndjson")
    assert ran.out.startswith("admitted 1 of 1 record, still refused 0, by triage version 9\n  1  delivery -> admitted")
    values: list[object] = [{"alpha": 1}, {"alpha": 2}]
    assert lines_of(room.folder / "out.ndjson") == values
    (run,) = room.quarantine("delivered", "--json").told["replays"]
    assert [json.loads(line) for line in room.quarantine("delivered", run["id"]).out.splitlines()] == values


def test_nothing_was_delivered_before_anything_was_admitted(kept: Room) -> None:
    kept.quarantine("replay", *STRICT, "--apply")
    ran = kept.quarantine("delivered")
    assert (ran.code, ran.out) == (0, "no replay has admitted anything\n")


@pytest.mark.parametrize("said", ["r-ffff", "", "u-1"])
def test_a_replay_that_never_was_is_a_wrong_call(kept: Room, said: str) -> None:
    ran = kept.quarantine("delivered", said)
    assert (ran.code, ran.out) == (2, "")
    assert "\n  = help: " in ran.err


# -------------------------------------------------------------------------------- progress


class Watched(io.StringIO):
    """A stream that is a terminal, or none."""

    def __init__(self, *, tty: bool) -> None:
        super().__init__()
        self.tty = tty

    def isatty(self) -> bool:
        """Say whether it is one."""
        return self.tty


def test_progress_is_told_once_a_percent_and_gone_afterwards() -> None:
    stream = Watched(tty=True)
    with progress_on(stream, "judged") as tell:
        assert tell is not None
        for done in range(1_001):
            tell(done, 1_000)
    printed = stream.getvalue()
    assert printed.count("\r") == 102
    assert "\rjudged 10 of 1,000 (1%)" in printed
    assert printed.endswith("\r\x1b[K")


def test_nobody_is_told_where_nobody_watches() -> None:
    stream = Watched(tty=False)
    with progress_on(stream, "judged") as tell:
        assert tell is None
    assert stream.getvalue() == ""
