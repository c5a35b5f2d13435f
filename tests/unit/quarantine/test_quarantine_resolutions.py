"""Decisions that decide nothing are refused before anything is written, and errors show no raw text."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from pratique import Contract, Misuse
from pratique.quarantine import (
    AlreadyResolved,
    Filter,
    Kind,
    MemoryQuarantine,
    Resolution,
    readmit,
    replay,
)
from pratique.testing import FakeClock


class Item(BaseModel):
    """One unit."""

    rank: int


ITEMS = Contract.items(Item, name="items")


HUGE = pytest.param(10**5_000, id="huge")
"""A number that Python itself refuses to print."""


def test_a_discard_without_a_reason_is_refused() -> None:
    """Nobody could tell later why."""
    with pytest.raises(Misuse, match="a discard needs a reason"):
        Resolution.discarded("  ")


def test_a_snooze_without_an_end_is_refused() -> None:
    """It would be a discard without a reason."""
    with pytest.raises(Misuse, match="a snooze needs an end"):
        Resolution.snoozed()


@pytest.mark.parametrize("until", [float("nan"), float("inf"), HUGE, "tomorrow", True, [1]])
def test_a_snooze_ends_at_a_time(until: object) -> None:
    """A time that never comes, or is none, would take the record out of sight for good."""
    with pytest.raises(Misuse, match=r"until must be a time in seconds since 1970, not .*; write until=time"):
        Resolution.snoozed(until=until)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("grow_by", [0, -1, 10**9 + 1, 2**63, HUGE, 1.5, "3", True])
def test_a_snooze_waits_for_so_many_units(grow_by: object) -> None:
    """A whole number that a column holds and a group can reach."""
    with pytest.raises(Misuse, match=r"grow_by must be a whole number from 1 to 1,000,000,000, not .*; say how many"):
        Resolution.snoozed(grow_by=grow_by)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("time", [float("nan"), HUGE, "7d", True])
def test_a_filter_takes_times(time: object) -> None:
    """Text beside a number would compare as larger in the one store, and fail in the other."""
    for name in ("since", "until"):
        with pytest.raises(Misuse, match=f"{name} must be a time in seconds since 1970"):
            Filter(**{name: time})  # type: ignore[arg-type]  # wrong on purpose


def test_nobody_admits_by_hand() -> None:
    """Only what passed the boundary is admitted."""
    with pytest.raises(Misuse, match="only what passed the boundary is admitted; call replay"):
        Resolution(kind=Kind.ADMITTED)


def test_a_note_is_bounded() -> None:
    """A row stays readable."""
    with pytest.raises(Misuse, match="note has 4,001 characters"):
        Resolution.discarded("x", note="n" * 4_001)


def test_an_edit_needs_an_author_and_a_text() -> None:
    """And is not larger than what may be kept."""
    store = MemoryQuarantine()
    kept = store.keep(ITEMS.admit('[{"rank": "x"}]'))
    assert kept is not None
    for text, author, told in (
        ("{}", " ", "needs an author"),
        (" ", "ann", "needs a text"),
        ("x" * 2**21, "ann", "larger"),
    ):
        with pytest.raises(Misuse, match=told):
            store.edit(kept.ids[0], text, author=author)
    assert store.show(kept.ids[0]).overlays == ()


def test_a_record_of_a_whole_delivery_cannot_be_edited() -> None:
    """There is no unit; the remedy says what to do instead."""
    store = MemoryQuarantine()
    kept = store.keep(ITEMS.admit("I cannot."))
    assert kept is not None
    with pytest.raises(Misuse, match=r'contract.admit\(text, producer="person"\)'):
        readmit(store, kept.ids[0], '[{"rank": 1}]', ITEMS, author="ann")


def test_an_error_shows_who_decided_escaped() -> None:
    """Authors and reasons are text that somebody typed."""
    store = MemoryQuarantine(clock=FakeClock())
    kept = store.keep(ITEMS.admit('[{"rank": "x"}]'))
    assert kept is not None
    store.resolve(kept.ids[0], Resolution.discarded("\x1b[2J", author="ann\u202e"))
    with pytest.raises(AlreadyResolved) as caught:
        store.resolve(kept.ids[0], Resolution.discarded("x"))
    assert "\x1b" not in str(caught.value)
    assert '"ann\\u202e"' in str(caught.value)


@pytest.mark.parametrize("field", ["reason", "status", "producer"])
def test_a_filter_knows_its_words(field: str) -> None:
    """A slip finds nothing, and would look like an empty quarantine."""
    with pytest.raises(Misuse, match=f'no {field} is called "opne"; use one of: '):
        Filter(**{field: "opne"})  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("run", [{"run_id": 7}, {"attempt": True}, {"attempt": "1"}, {"prompt_digest": "x" * 5_000}])
def test_what_cannot_name_a_run_is_refused(run: dict[str, object]) -> None:
    """Before anything is kept."""
    store = MemoryQuarantine()
    with pytest.raises(Misuse, match=r"must be|leave"):
        store.keep(ITEMS.admit("x"), **run)  # type: ignore[arg-type]  # wrong on purpose
    assert store.stats().deliveries == 0


def test_a_named_replay_goes_on_with_the_same_contract_only() -> None:
    """Values of two contracts under one name could not be told apart."""
    store = MemoryQuarantine()
    store.keep(ITEMS.admit('[{"rank": "x"}]'))
    other = Contract.items(Item, name="items", version="2")
    replay(store, ITEMS, where=Filter(), dry_run=False, replay_id="night")
    with pytest.raises(Misuse, match="ran against"):
        replay(store, other, where=Filter(), dry_run=False, replay_id="night")
