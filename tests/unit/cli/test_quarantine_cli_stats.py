"""``pratique quarantine stats``: how much, why, since when, and what did not fit."""

from __future__ import annotations

import pytest

from unit.cli.room import Room


def test_the_figures_are_told_by_state_reason_contract_and_status(kept: Room) -> None:
    first, second, _ = kept.ids()
    kept.quarantine("discard", first, "--reason", "a test")
    kept.quarantine("snooze", second, "--until", "7d")
    ran = kept.quarantine("stats")
    assert ran.code == 0
    assert "3 records of 2 deliveries: 1 open, 1 snoozed, 0 admitted, 1 discarded\n" in ran.out
    assert "the oldest open one is " in ran.out
    assert "open, by reason:\n  1  truncated\n" in ran.out
    assert "open, by contract:\n  1  triage\n" in ran.out
    assert "all, by reason:\n  2  schema\n  1  truncated\n" in ran.out
    assert "deliveries, by status:\n  2  partial\n" in ran.out
    assert "OVERFLOW" not in ran.out


def test_json_has_the_same_figures(kept: Room) -> None:
    told = kept.quarantine("stats", "--json").told
    assert (told["units"], told["deliveries"], told["by_state"]["open"]) == (3, 2, 3)
    assert told["open_by_reason"] == {"schema": 2, "truncated": 1}
    assert told["overflow"] == []
    assert told["file_bytes"] > 0


def test_an_empty_quarantine_has_figures_too(room: Room) -> None:
    room.keep("clean")
    ran = room.quarantine("stats")
    assert ran.code == 0
    assert ran.out.startswith("0 records of 0 deliveries: 0 open")
    assert "oldest" not in ran.out


def test_overflow_comes_first_and_says_what_to_do(room: Room) -> None:
    room.keep("types", contract="few")
    ran = room.quarantine("stats")
    assert ran.out.startswith(
        "OVERFLOW: 1 refused unit not kept, only counted\n  1 not_told of triage: max_quarantined was full"
    )
    assert "resolve what is open" in ran.out
    (overflow,) = room.quarantine("stats", "--json").told["overflow"]
    assert (overflow["units"], overflow["cause"]) == (1, "max_quarantined")


def test_overflow_is_red_where_there_is_colour(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.keep("types", contract="few")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert room.quarantine("stats").out.startswith("\x1b[1;31mOVERFLOW")


def test_groups_that_came_back_are_counted(room: Room) -> None:
    room.keep("cut")
    room.quarantine("discard", *room.ids(), "--reason", "a test")
    room.keep("cut")
    assert "1 group came back after being resolved\n" in room.quarantine("stats").out
