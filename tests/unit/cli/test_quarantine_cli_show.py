"""``pratique quarantine show``: one record with its provenance, its findings in place, texts and decisions."""

from __future__ import annotations

import pytest

from pratique.cli.quarantined.details import group_told
from pratique.quarantine import MemoryQuarantine
from unit.cli.room import DELIVERIES, Room


def test_a_record_is_shown_with_where_it_is_from_and_why_it_was_refused(kept: Room) -> None:
    record = kept.records()[0]
    ran = kept.quarantine("show", record["id"])
    assert ran.code == 0
    assert ran.out.startswith(f"{record['id']}: unit 1, schema, open\n")
    for told in (
        "contract   triage version 1 (b3:",
        "producer   model, run r1",
        "stopped    finish reason not told",
        f"delivery   {record['delivery']}: partial, admitted 1 of 3",
        "digest     b3:",
        f"group      {record['fingerprint']}: 2 open, 2 ever",
        "= help: send the value bare",
        "raw text (30 bytes):",
    ):
        assert told in ran.out


def test_the_mark_stands_under_the_exact_place(kept: Room) -> None:
    """In the whole delivery, with line and column."""
    record = kept.records()[0]
    lines = kept.quarantine("show", record["id"]).out.splitlines()
    at = lines.index(f" --> {record['delivery']}:2:11  $.items[1].rank")
    assert lines[at + 2 : at + 4] == ['2 |  {"rank": "2", "why": "second"},', "  |           ^^^"]


def test_the_beginning_of_an_id_is_enough_with_or_without_its_letter(kept: Room) -> None:
    id = kept.ids()[0]
    for said in (id, id[:12], id[2:12]):
        assert kept.quarantine("show", said).out.startswith(id)


def test_json_has_all_that_is_kept(kept: Room) -> None:
    told = kept.quarantine("show", kept.ids()[0], "--json").told
    assert told["raw"] == '{"rank": "2", "why": "second"}'
    assert told["delivery"]["text"] == DELIVERIES["types"]
    assert [finding["code"] for finding in told["findings"]] == ["validate.type"]


def test_a_draft_is_shown_as_what_it_is(kept: Room) -> None:
    (id,) = kept.ids("--reason", "truncated")
    assert 'draft, not admitted:\n  {"rank": 2, "why": "sec"}\n' in kept.quarantine("show", id).out


def test_a_whole_delivery_is_shown_too(room: Room) -> None:
    room.keep("prose")
    (id,) = room.ids()
    ran = room.quarantine("show", id)
    assert ran.out.startswith(f"{id}: the whole delivery, delivery, open\n")
    assert "  There is nothing to report.\n" in ran.out


def test_a_unit_of_a_delivery_that_is_too_large_to_keep_is_shown_in_its_own_text(room: Room) -> None:
    room.folder.joinpath("shop.py").write_text(
        room.folder.joinpath("shop.py").read_text()
        + '\nsmall = Contract.items(Item, at="items", limits=Limits(max_kept_delivery_bytes=60))\n'
    )
    room.keep("types", contract="small")
    id = room.ids()[1]
    ran = room.quarantine("show", id)
    assert "bytes, of which 60 were kept, " in ran.out
    assert f" --> {id}:1:10  $.items[2].rank" in ran.out
    assert '\n1 | {"rank": "3", "why": "third"}\n  |          ^^^\n' in ran.out


def test_the_next_commands_are_those_that_make_sense(kept: Room) -> None:
    first = kept.ids()[0]
    whole = kept.quarantine("show", first).out
    told = [word for word in ("replay", "edit", "discard", "snooze") if f"quarantine {word} {first}" in whole]
    assert told == ["replay", "edit", "discard", "snooze"]
    kept.quarantine("discard", first, "--reason", "a test")
    assert "pratique quarantine discard" not in kept.quarantine("show", first).out


def test_a_resolution_is_shown_with_who_and_why(kept: Room) -> None:
    first, second, _ = kept.ids()
    kept.quarantine("discard", first, "--reason", "a test", "--author", "anna", "--note", "asked twice")
    ran = kept.quarantine("show", first)
    assert ran.out.startswith(f"{first}: unit 1, schema, discarded\n")
    assert 'discarded by "anna", ' in ran.out
    assert ': "a test", note "asked twice"' in ran.out
    kept.quarantine("snooze", second, "--until", "2100-01-01", "--until-count", "5", "--author", "bert")
    ran = kept.quarantine("show", second)
    assert 'snoozed by "bert"' in ran.out
    assert "  until 2100-01-01 00:00:00 UTC, or the group has grown by 5\n" in ran.out


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("u-ffffffffffffffff", "no record begins with"),
        ("zz", '"zz"'),
        ("", 'no record begins with ""'),
        ("q1-0123", '"q1-0123" is a group, not a record'),
        ("d-0123", '"d-0123" is a delivery, not a record'),
        ("\x1b[31m", "\\x1b"),
    ],
)
def test_an_id_that_is_none_is_a_wrong_call(kept: Room, id: str, message: str) -> None:
    ran = kept.quarantine("show", id)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err
    assert "\x1b" not in ran.err


def test_a_beginning_that_fits_several_names_them(kept: Room) -> None:
    ran = kept.quarantine("show", "u-")
    assert (ran.code, ran.out) == (2, "")
    assert '3 records begin with "u-"' in ran.err
    assert [id for id in kept.ids() if id not in ran.err] == []


def test_what_the_producer_wrote_cannot_reach_the_terminal(room: Room) -> None:
    room.keep("hostile")
    (id,) = room.ids()
    for options in ((), ("--json",)):
        ran = room.quarantine("show", id, *options)
        assert "owned" in ran.out
        assert not set(ran.out) & set("\x1b\x07\u202e")


def test_a_long_text_is_cut_and_the_rest_is_counted(room: Room) -> None:
    room.folder.joinpath("long").write_text('{"items": [{"rank": "2", "why": "' + "x" * 10_000 + '"}]}')
    room.keep("long")
    ran = room.quarantine("show", room.ids()[0])
    assert f"more characters; all of it: pratique quarantine show {room.ids()[0]} --json)\n" in ran.out
    assert max(map(len, ran.out.splitlines())) < 5_000


def test_a_text_of_many_lines_is_cut_and_the_rest_is_counted(room: Room) -> None:
    room.folder.joinpath("tall").write_text("prose\n" * 400)
    room.keep("tall", db="my.db")
    (id,) = room.ids("--db", "my.db")
    ran = room.quarantine("show", id, "--db", "my.db")
    told = f"  … (301 more lines, 1,801 more characters; all of it: pratique quarantine show {id} --json --db my.db)\n"
    assert told in ran.out
    assert ran.out.count("  prose\n") == 100


def test_a_group_that_was_purged_meanwhile_is_told_as_one() -> None:
    assert group_told("q1-000000000000", MemoryQuarantine()) == "purged, this record too, while it was read"
