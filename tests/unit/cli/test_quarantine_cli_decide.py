"""``pratique quarantine discard`` and ``snooze``: at most once, all that are named or none."""

from __future__ import annotations

import json

import pytest

from unit.cli.room import Room


def test_a_discard_is_kept_with_author_and_reason(kept: Room) -> None:
    first = kept.ids()[0]
    ran = kept.quarantine("discard", first[:12], "--reason", "a test", "--author", "anna", "--note", "asked twice")
    assert ran.code == 0
    assert ran.out.startswith(f"discarded 1 record: {first[:10]}\n")
    (resolution,) = kept.quarantine("show", first, "--json").told["resolutions"]
    assert (resolution["kind"], resolution["reason"], resolution["author"], resolution["note"]) == (
        "discarded", "a test", "anna", "asked twice",
    )  # fmt: skip
    assert kept.states() == ["discarded", "open", "open"]


def test_the_author_is_who_is_logged_in_when_not_told(kept: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "carla")
    kept.quarantine("discard", kept.ids()[0], "--reason", "a test")
    assert kept.quarantine("show", kept.ids()[0], "--json").told["resolutions"][0]["author"] == "carla"


def test_several_are_discarded_together_and_a_double_counts_once(kept: Room) -> None:
    first, second, _ = kept.ids()
    ran = kept.quarantine("discard", first, second, first[:12], "--reason", "a test", "--json")
    assert [one["record"] for one in ran.told["resolved"]] == [first, second]
    assert kept.states() == ["discarded", "discarded", "open"]


def test_a_group_is_discarded_with_its_open_records_only(kept: Room) -> None:
    first, second, _ = kept.ids()
    kept.quarantine("snooze", first, "--until", "7d")
    group = kept.records()[0]["fingerprint"]
    ran = kept.quarantine("discard", "--group", group[:6], "--reason", "a test")
    assert ran.out.startswith(f"discarded 1 record: {second[:10]}\n")
    assert kept.states() == ["snoozed", "discarded", "open"]
    again = kept.quarantine("discard", "--group", group, "--reason", "a test")
    assert (again.code, again.out) == (0, "no record of that group is open; nothing was discarded\n")


def test_a_group_of_more_than_one_page_is_discarded_whole(room: Room) -> None:
    units = [{"rank": str(number), "why": "x"} for number in range(1_000)]
    for name in ("one", "two"):
        room.folder.joinpath(name).write_text(json.dumps({"items": units}))
    room.keep("one", "two")
    (group,) = room.groups()
    assert group["count"] == 2_000
    ran = room.quarantine("discard", "--group", group["fingerprint"], "--reason", "a test")
    assert "discarded 2,000 records" in ran.out
    assert "and 1,980 more" in ran.out
    assert room.groups() == []


@pytest.mark.parametrize("second", [("discard", "--reason", "again"), ("snooze", "--until", "7d")])
def test_a_second_resolution_is_refused_and_tells_the_first(kept: Room, second: tuple[str, ...]) -> None:
    id = kept.ids()[0]
    kept.quarantine("discard", id, "--reason", "a test", "--author", "anna")
    before = kept.quarantine("show", id, "--json").told
    command, *options = second
    ran = kept.quarantine(command, id, *options, "--author", "bert")
    assert (ran.code, ran.out) == (5, "")
    assert f'{id} was discarded already by "anna", 2' in ran.err
    assert " UTC (" in ran.err
    assert ': "a test"; nothing was written' in ran.err
    assert kept.quarantine("show", id, "--json").told == before


def test_of_several_one_that_was_resolved_before_stops_them_all(kept: Room) -> None:
    first, second, third = kept.ids()
    kept.quarantine("discard", second, "--reason", "a test")
    ran = kept.quarantine("discard", first, second, third, "--reason", "again")
    assert ran.code == 5
    assert "none of the records was changed" in ran.err
    assert kept.states() == ["open", "discarded", "open"]


def test_a_snooze_says_when_it_ends(kept: Room) -> None:
    ran = kept.quarantine("snooze", kept.ids()[0], "--until", "2100-01-31T09:30", "--until-count", "2")
    assert ran.code == 0
    assert "open again at 2100-01-31 09:30:00 UTC\nor when 2 more units have come to the group\n" in ran.out
    second = kept.quarantine("discard", kept.ids()[0], "--reason", "again")
    assert second.code == 5
    assert "it is open again at 2100-01-31 09:30:00 UTC" in second.err


def test_a_snooze_ends_when_its_group_has_grown(room: Room) -> None:
    room.keep("cut")
    (id,) = room.ids()
    ran = room.quarantine("snooze", id, "--until-count", "1")
    assert "open again when 1 more unit has come to the group" in ran.out
    assert "open again when its group has grown" in room.quarantine("discard", id, "--reason", "x").err
    room.keep("cut")
    assert room.states() == ["open", "open"]
    assert room.quarantine("snooze", id, "--until", "7d").code == 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("discard", "--reason", "x"), "no record was named"),
        (("discard", "u-1"), "--reason"),
        (("discard", "ID", "--reason", "  "), "a discard needs a reason"),
        (("discard", "ID", "--group", "q1", "--reason", "x"), "both records and a group were named"),
        (("discard", "--group", "q1-none", "--reason", "x"), "no group begins with"),
        (("discard", "u-ffff", "--reason", "x"), "no record begins with"),
        (("discard", "ID", "--reason", "x" * 5_000), "the limit is 4,000"),
        (("snooze", "--until", "7d"), "no record was named"),
        (("snooze", "ID"), "a snooze needs an end"),
        (("snooze", "ID", "--until", "soon"), "is no time"),
        (("snooze", "ID", "--until", "2001-01-01"), "lies in the past"),
        (("snooze", "ID", "--until-count", "0"), "must be from 1 to 1,000,000,000"),
        (("snooze", "ID", "--until-count", "1" + "0" * 400), "must be from 1 to 1,000,000,000"),
        (("snooze", "u-ffff", "--until", "7d"), "no record begins with"),
    ],
)
def test_a_wrong_call_writes_nothing(kept: Room, argv: tuple[str, ...], message: str) -> None:
    words = [kept.ids()[0] if word == "ID" else word for word in argv]
    ran = kept.quarantine(*words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err
    assert kept.states() == ["open", "open", "open"]


def test_of_several_ids_one_that_is_none_stops_them_all(kept: Room) -> None:
    assert kept.quarantine("discard", kept.ids()[0], "u-ffff", "--reason", "x").code == 2
    assert kept.states() == ["open", "open", "open"]
