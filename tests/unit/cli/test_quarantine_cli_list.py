"""``pratique quarantine list``: groups of what is open, or records, filtered and page by page."""

from __future__ import annotations

import pytest

from unit.cli.room import Room


def test_the_default_is_groups_of_what_is_open_the_largest_first(kept: Room) -> None:
    ran = kept.quarantine("list")
    assert ran.code == 0
    first, second = kept.groups()
    assert (first["count"], first["reason"], first["code"], first["path"]) == (
        2, "schema", "validate.type", "$.items[*].rank",
    )  # fmt: skip
    assert (second["count"], second["reason"]) == (1, "truncated")
    assert ran.out.index(first["fingerprint"]) < ran.out.index(second["fingerprint"])
    assert f"{first['fingerprint']}  2 open, oldest " in ran.out
    assert "validate.type at $.items[*].rank of triage" in ran.out
    assert "expected int, got str" in ran.out
    assert '{"rank": "3", "why": "third"}' in ran.out


def test_units_are_listed_one_by_one_in_the_order_in_which_they_came(kept: Room) -> None:
    ran = kept.quarantine("list", "--units")
    places = [ran.out.index(id[:10]) for id in kept.ids()]
    assert len(places) == 3
    assert places == sorted(places)
    assert "\n3 records\n" in ran.out


def test_the_commands_that_are_told_can_be_typed(kept: Room) -> None:
    """Every line that ends in a command runs as it stands."""
    told = [line.partition(": ")[2] for line in kept.quarantine("list").out.splitlines() if ": pratique " in line]
    assert len(told) == 2
    for command in told:
        assert kept(*command.split()[1:]).code == 0


def test_a_group_lists_its_own_records(kept: Room) -> None:
    group = kept.groups()[0]["fingerprint"]
    assert kept.ids("--group", group) == kept.ids("--reason", "schema")
    assert kept.ids("--group", group[:5]) == kept.ids("--reason", "schema")


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        (("--reason", "truncated"), 1),
        (("--contract-name", "triage"), 3),
        (("--contract-name", "other"), 0),
        (("--contract-version", "1"), 3),
        (("--contract-version", "2"), 0),
        (("--producer", "model"), 3),
        (("--producer", "person"), 0),
        (("--model", "nobody"), 0),
        (("--run-id", "r1"), 3),
        (("--run-id", "r2"), 0),
        (("--since", "1h"), 3),
        (("--until", "1h"), 0),
        (("--since", "2100-01-01"), 0),
        (("--until", "2100-01-01T00:00"), 3),
        (("--text", "second"), 1),
        (("--text", "Second"), 0),
        (("--reason", "schema", "--text", "third"), 1),
    ],
)
def test_each_filter_narrows_the_list(kept: Room, filters: tuple[str, ...], count: int) -> None:
    assert len(kept.ids(*filters)) == count
    assert sum(group["count"] for group in kept.groups(*filters)) == count


def test_a_delivery_lists_its_own_records(kept: Room) -> None:
    delivery = kept.records("--reason", "truncated")[0]["delivery"]
    assert len(kept.ids("--delivery", delivery)) == 1


def test_the_status_says_which_are_meant(kept: Room) -> None:
    first, second, _ = kept.ids()
    kept.quarantine("discard", first, "--reason", "a test")
    kept.quarantine("snooze", second, "--until", "7d")
    counts = {
        status: len(kept.quarantine("list", "--units", "--json", "--status", status).told["records"])
        for status in ("open", "snoozed", "admitted", "discarded", "all")
    }
    assert counts == {"open": 1, "snoozed": 1, "admitted": 0, "discarded": 1, "all": 3}
    assert "2 (0 open)" in kept.quarantine("list", "--status", "all").out


def test_pages_follow_each_other_without_a_gap(kept: Room) -> None:
    found: list[str] = []
    after: tuple[str, ...] = ()
    for _ in range(10):
        page = kept.quarantine("list", "--units", "--json", "--limit", "1", *after).told
        found += [record["id"] for record in page["records"]]
        if page["next"] is None:
            break
        after = ("--after", page["next"])
    assert found == kept.ids()


def test_the_command_for_the_next_page_is_told_with_its_filters(kept: Room) -> None:
    ran = kept.quarantine("list", "--units", "--limit", "1", "--run-id", "r1")
    assert "1 record of 3" in ran.out
    (line,) = [line for line in ran.out.splitlines() if line.startswith("more: pratique ")]
    following = kept(*line.removeprefix("more: pratique ").split())
    assert kept.ids()[1][:10] in following.out
    assert kept.ids()[0][:10] not in following.out


def test_groups_beyond_the_limit_are_told(kept: Room) -> None:
    ran = kept.quarantine("list", "--limit", "1")
    assert "more groups: pratique quarantine list --limit 10\n" in ran.out
    assert kept.quarantine("list", "--limit", "1", "--json").told["more"] is True
    assert kept.quarantine("list", "--limit", "2", "--json").told["more"] is False


def test_a_group_that_came_back_is_marked(room: Room) -> None:
    room.keep("cut")
    room.quarantine("discard", *room.ids(), "--reason", "a test")
    assert "REGRESSED" not in room.quarantine("list", "--status", "all").out
    room.keep("cut")
    assert "REGRESSED" in room.quarantine("list").out
    assert "1 open of 2 ever" in room.quarantine("list").out
    assert "REGRESSED" in room.quarantine("list", "--units").out
    assert "its group was wholly resolved" in room.quarantine("show", room.ids()[1]).out


def test_an_empty_quarantine_says_so(room: Room) -> None:
    room.keep("clean")
    for options in ((), ("--units",)):
        ran = room.quarantine("list", *options)
        assert (ran.code, ran.out) == (0, "the quarantine is empty\n")


def test_nothing_open_is_not_an_empty_quarantine(kept: Room) -> None:
    kept.quarantine("discard", *kept.ids(), "--reason", "a test")
    assert kept.quarantine("list").out.startswith("nothing is open; 3 records in all")
    assert kept.quarantine("list", "--run-id", "r9").out.startswith("no record is meant by that; 3 records in all")


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (("--reason", "bad"), 'no reason is called "bad"'),
        (("--producer", "cat"), 'no producer is called "cat"'),
        (("--status", "gone"), 'Invalid value "gone" for --status'),
        (("--group", "q1-none"), 'no group begins with "q1-none"'),
        (("--group", ""), 'no group begins with ""'),
        (("--since", "yesterday"), "is no time"),
        (("--limit", "0"), "--limit must be from 1 to 1,000"),
        (("--limit", "1001"), "--limit must be from 1 to 1,000"),
        (("--after", "nonsense"), "nonsense"),
        (("stray",), "stray"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_a_wrong_call(kept: Room, filters: tuple[str, ...], message: str) -> None:
    ran = kept.quarantine("list", *filters)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err


def test_what_the_producer_wrote_cannot_reach_the_terminal(room: Room) -> None:
    room.keep("hostile")
    for options in ((), ("--units",), ("--json",), ("--units", "--json")):
        ran = room.quarantine("list", *options)
        assert "owned" in ran.out
        assert not set(ran.out) & set("\x1b\x07\u202e")


def test_no_line_is_wider_than_the_terminal(room: Room) -> None:
    """Of a terminal that is not there: 120 cells."""
    room.folder.joinpath("wide").write_text('{"items": [{"rank": "' + "語" * 900 + '", "why": "x"}]}', encoding="utf-8")
    room.keep("wide")
    from pratique.show import width

    for options in ((), ("--units",)):
        assert max(map(width, room.quarantine("list", *options).out.splitlines())) <= 120


def test_colour_is_for_terminals_and_can_be_forced(kept: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in kept.quarantine("list").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in kept.quarantine("list").out
    assert "\x1b" not in kept.quarantine("list", "--no-color").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in kept.quarantine("list").out
