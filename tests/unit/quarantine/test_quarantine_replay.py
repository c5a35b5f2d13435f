"""Replay judges a unit in its delivery: with its neighbours, with the edits of people, by the whole boundary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from pratique import Admission, Contract, Delivery, Finding, Limits, Misuse, Outage, Reference, ToolCall
from pratique.quarantine import (
    DeliveryState,
    Filter,
    Kept,
    MemoryQuarantine,
    Overlay,
    Resolution,
    Resolved,
    Verdict,
    readmit,
    replay,
)
from pratique.quarantine.placing import Blank, placed
from pratique.quarantine.rejudge import MAX_ROUNDS
from pratique.quarantine.replay import MAX_TRIES
from pratique.text import Span


class Item(BaseModel):
    """One unit."""

    rank: int
    why: str = ""


class Size(BaseModel):
    """A unit of another kind."""

    size: int


class WideItem(BaseModel):
    """The same, later."""

    rank: int | str
    why: str = ""


ITEMS = Contract.items(Item, name="items", unique=["rank"])
FIRST = Contract.items(Item, name="items", frames="first")
WIDE = Contract.items(WideItem, name="items", version="2", unique=["rank"])


def kept_of(store: MemoryQuarantine, source: str | Delivery, contract: Contract[Any] = ITEMS) -> Kept:
    """Keep what a contract refuses; something is."""
    kept = store.keep(contract.admit(source))
    assert kept is not None
    return kept


def units(*ranks: object) -> str:
    """Write a list of units."""
    return "[" + ", ".join(f'{{"rank": {rank}}}' for rank in ranks) + "]"


# ---------------------------------------------------------------------- neighbours


def test_a_discarded_claimant_claims_nothing() -> None:
    """Two units claim one identity; a person says which one is forged, and the other passes."""
    store = MemoryQuarantine()
    kept = kept_of(store, units(1, 2, 2))
    assert replay(store, ITEMS, where=Filter()).counts["admitted"] == 0
    store.resolve(kept.ids[0], Resolution.discarded("forged"))
    assert [value.rank for value in replay(store, ITEMS, where=Filter(), dry_run=False).values] == [2]


def test_a_discarded_payload_does_not_compete() -> None:
    """Of two payloads, one was an example; a person discards its units, and the other is meant."""
    store = MemoryQuarantine()
    kept = kept_of(store, f"```json\n{units(1, 2)}\n```\nor\n```json\n{units(3, 4)}\n```")
    store.resolve_all([(id, Resolution.discarded("an example")) for id in kept.ids[:2]])
    assert [value.rank for value in replay(store, ITEMS, where=Filter(), dry_run=False).values] == [3, 4]


def test_an_edit_that_was_admitted_keeps_its_claim() -> None:
    """A later edit cannot claim the same identity."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', '"y"', 1))
    assert readmit(store, kept.ids[0], '{"rank": 7}', ITEMS, author="ann").values
    told = readmit(store, kept.ids[1], '{"rank": 7}', ITEMS, author="bo")
    assert told.outcomes[0].after == "conflict"
    assert readmit(store, kept.ids[1], '{"rank": 8}', ITEMS, author="bo").values


def test_two_edits_of_one_delivery_are_judged_together() -> None:
    """Longer and shorter than what they stand for; the places of the others move with them."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', 1, '"yyyyyyyyyyyy"', '"z"', 2, 2))
    store.edit(kept.ids[0], '{"rank": 10, "why": "much longer than before"}', author="ann")
    store.edit(kept.ids[1], '\n {"rank":11} ', author="ann")
    told = replay(store, ITEMS, where=Filter(), dry_run=False)
    assert [value.rank for value in told.values] == [10, 11]
    assert told.reasons == {("conflict", "conflict"): 2, ("schema", "schema"): 1}


@pytest.mark.parametrize(
    "edit",
    ['{"rank": 5}, {"rank": 6}', '{"rank": 5', '{"rank": 5, "why": "', '{"rank": 5}]}', "prose", "/*", '{"rank": 5} x'],
)
def test_an_edit_is_one_unit(edit: str) -> None:
    """What holds more, or opens what it does not close, stays; its neighbours are judged without it."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', '"y"', 1))
    store.edit(kept.ids[0], edit, author="ann")
    store.edit(kept.ids[1], '{"rank": 9}', author="ann")
    told = replay(store, ITEMS, where=Filter(), dry_run=False)
    assert [outcome.verdict for outcome in told.outcomes] == [Verdict.STAYS, Verdict.ADMITTED]
    assert told.outcomes[0].findings[0].code == "quarantine.edit_is_one_unit"


def test_an_edit_that_is_refused_is_refused_for_its_own_reason() -> None:
    """One unit, but not a sound one: the boundary's own words, not that it is no unit."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', 1))
    for edit, reason in (('{"rnk": 5}', "schema"), ("{}", "schema"), ('{"rank": 5 "x"}', "malformed")):
        told = readmit(store, kept.ids[0], edit, ITEMS, author="ann")
        assert (told.outcomes[0].verdict, told.outcomes[0].after) == (Verdict.REFUSED, reason)


def test_no_unit_takes_the_place_of_one_that_was_handed_out() -> None:
    """The two best were handed out; the third, edited to be the best, would push the second one out."""
    best_two = Contract.items(Item, name="items", order_by="rank", limits=Limits(max_items=2))
    store = MemoryQuarantine()
    kept = kept_of(store, units(5, 6, 7), best_two)
    told = readmit(store, kept.ids[0], '{"rank": 1}', best_two, author="ann")
    assert told.values == ()
    assert told.outcomes[0].findings[0].code == "quarantine.displaces"
    three = Contract.items(Item, name="items", order_by="rank", limits=Limits(max_items=3))
    assert [value.rank for value in replay(store, three, where=kept.ids, dry_run=False).values] == [1]


def test_a_first_claimant_does_not_come_late() -> None:
    """With ``keep="first"`` an edit further up would win against a unit that was handed out."""
    first = Contract.items(Item, name="items", unique=["rank"], keep="first")
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', 2), first)
    told = readmit(store, kept.ids[0], '{"rank": 2}', first, author="ann")
    assert told.outcomes[0].findings[0].code == "quarantine.displaces"


def test_a_refused_edit_changes_nothing_for_its_neighbour() -> None:
    """Two claim rank 1; the edit that would let go of it is refused, so the conflict stands, however it is asked."""
    store = MemoryQuarantine()
    kept = kept_of(store, units(1, 1))
    assert readmit(store, kept.ids[1], '{"rank": 7, "why": 0}', ITEMS, author="ann").outcomes[0].after == "schema"
    for where in (kept.ids[0], kept.ids, Filter()):
        told = replay(store, ITEMS, where=where, dry_run=False)
        assert (told.outcomes[0].verdict, told.outcomes[0].after) == (Verdict.REFUSED, "conflict")
        assert told.values == ()


def test_a_verdict_does_not_depend_on_what_else_is_chosen() -> None:
    """Two edits claim rank 7, and a third unit has it: each is refused alone as it is together."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', '"y"', '"z"', 1))
    store.edit(kept.ids[0], '{"rank": 7}', author="ann")
    store.edit(kept.ids[1], '{"rank": 7}', author="bo")
    store.edit(kept.ids[2], '{"rank": 8}', author="cy")
    together = replay(store, ITEMS, where=kept.ids)
    assert [outcome.verdict for outcome in together.outcomes] == [Verdict.REFUSED, Verdict.REFUSED, Verdict.ADMITTED]
    for id, outcome in zip(kept.ids, together.outcomes, strict=True):
        assert replay(store, ITEMS, where=id).outcomes == (outcome,)


def test_a_chain_of_edits_that_need_each_other_ends() -> None:
    """Each takes the rank that the next one lets go of; the last is refused, and none passes on its account."""
    store = MemoryQuarantine()
    many = 3 * MAX_ROUNDS
    kept = kept_of(store, units(*(rank for rank in range(many) for _ in (0, 1)), 1_000, 1_000))
    for at in range(many):
        store.edit(kept.ids[2 * at], f'{{"rank": {at + 1 if at < many - 1 else 1_000}}}', author="ann")
    told = replay(store, ITEMS, where=Filter(), dry_run=False)
    assert told.values == ()


# ---------------------------------------------------------------------- what was handed out, and does not pass today


class Place(BaseModel):
    """A unit with an identity, that names something."""

    rank: int
    owner: Annotated[str, Reference("person")]


def test_what_was_handed_out_keeps_its_identity_when_it_does_not_pass_today() -> None:
    """Its name is gone from the allow-list; an edit must not take its rank."""
    places = Contract.items(Place, name="places", unique=["rank"])
    text = '[{"rank": 1, "owner": "a"}, {"rank": "2", "owner": "b"}]'
    store = MemoryQuarantine()
    kept = store.keep(places.admit(text, references={"person": ["a", "b"]}))
    assert kept is not None
    edit = '{"rank": 1, "owner": "b"}'
    told = readmit(store, kept.ids[0], edit, places, author="ann", references={"person": ["b"]})
    assert told.values == ()
    assert told.outcomes[0].findings[0].code == "quarantine.not_comparable"
    again = replay(store, places, where=kept.ids[0], references={"person": ["a", "b"]})
    assert again.outcomes[0].after == "conflict"


def test_what_was_handed_out_keeps_its_place_under_the_cap() -> None:
    """Two of two went out; they do not pass today, and two more would make four."""
    places = Contract.items(Place, name="places", order_by="rank", limits=Limits(max_items=2))
    text = "[" + ", ".join(f'{{"rank": {rank}, "owner": "{owner}"}}' for rank, owner in enumerate("aabb")) + "]"
    admission = places.admit(text, references={"person": ["a", "b"]})
    store = MemoryQuarantine()
    store.keep(admission)
    assert [unit.reason for unit in admission.quarantined] == ["over_limit"] * 2
    told = replay(store, places, where=Filter(), dry_run=False, references={"person": ["b"]})
    assert told.values == ()
    assert {outcome.findings[0].code for outcome in told.outcomes} == {"quarantine.not_comparable"}


def test_what_was_handed_out_keeps_its_identity_when_it_is_not_seen_today() -> None:
    """A contract that reads the last block alone does not see the first."""
    blocks = Contract.items(Item, name="items", frames="all", unique=["rank"])
    last = Contract.items(Item, name="items", version="2", frames="last", unique=["rank"])
    store = MemoryQuarantine()
    kept = kept_of(store, f"```json\n{units(1)}\n```\nand\n```json\n{units(2.5)}\n```", blocks)
    told = readmit(store, kept.ids[0], '{"rank": 1}', last, author="ann")
    assert told.values == ()
    assert told.outcomes[0].findings[0].code == "quarantine.not_comparable"


# ---------------------------------------------------------------------- batches


def test_discarding_one_unit_of_a_batch_does_not_let_the_rest_through() -> None:
    """A batch without one of its commands is another batch."""
    steps = Contract.batch(Item, name="steps")
    store = MemoryQuarantine()
    kept = kept_of(store, units(1, '"x"', 3), steps)
    store.resolve(kept.ids[1], Resolution.discarded("wrong"))
    told = replay(store, steps, where=Filter(), dry_run=False)
    assert told.values == ()
    assert {outcome.findings[0].code for outcome in told.outcomes} == {"quarantine.batch_apart"}


# ---------------------------------------------------------------------- streams that forgot


def streamed(text: str, contract: Contract[Any]) -> Admission[Any]:
    """Stream a text without keeping it."""
    stream = contract.stream(retain=False)
    for at in range(0, len(text), 7):
        stream.feed(text[at : at + 7])
    return stream.close()


def test_a_stream_that_forgot_is_kept_with_the_figures_of_all_that_came() -> None:
    """Digest, size and counts are those of the whole text, and what is kept of it is not taken for that."""
    text = units(1, '"x"', 2, '"y"')
    store = MemoryQuarantine()
    kept = store.keep(streamed(text, FIRST))
    assert kept is not None
    assert kept.delivery is not None
    told, whole = store.delivery(kept.delivery), FIRST.admit(text)
    assert (told.digest, told.size_bytes) == (whole.body_digest, len(text))
    assert (told.seen, told.admitted, told.whole) == (4, 2, False)


def test_what_a_stream_handed_out_and_forgot_is_not_handed_out_again() -> None:
    """Whether a unit was refused, or only the delivery as a whole."""
    for text in (units(1, '"x"', 2), f"{units(1, 2)[:-1]},", '{"rank": 1}\n{"rank": 2}\n{"rank'):
        store = MemoryQuarantine()
        assert store.keep(streamed(text, FIRST)) is not None
        told = replay(store, Contract.items(WideItem, name="items", frames="first"), where=Filter(), dry_run=False)
        assert [value.rank for value in told.values] == (["x"] if "x" in text else [])


def test_a_place_outside_the_kept_text_is_not_blanked() -> None:
    """Spans count in what came; what is not there stays out."""
    today = placed(Delivery(text="[1, 2]"), [Blank(Span(4, 5), False), Blank(Span(90, 99), False)], [])
    assert today.delivery.text == "[1   ]"


# ---------------------------------------------------------------------- tool calls


class Park(BaseModel):
    """A tool."""

    rank: int


CALLS = Contract.items(Park, name="park", unique=["rank"])


def called(*arguments: str, text: str = "so:") -> Delivery:
    """Deliver tool calls."""
    return Delivery(
        text=text, tool_calls=tuple(ToolCall("park", argument, str(at)) for at, argument in enumerate(arguments))
    )


def test_a_discarded_call_is_gone_and_the_others_keep_their_places() -> None:
    """Also when an edit before them is longer than what it stands for."""
    store = MemoryQuarantine()
    kept = kept_of(store, called('{"rank": "x"}', '{"rank": 4}', '{"rank": 4}', '{"rank": "z"}', '{"rank": 1}'), CALLS)
    assert [store.show(id).record.reason for id in kept.ids] == ["schema", "conflict", "conflict", "schema"]
    store.resolve(kept.ids[1], Resolution.discarded("twice"))
    store.edit(kept.ids[0], '{"rank": 1000000}', author="ann")
    store.edit(kept.ids[3], '{"rank":2}', author="ann")
    told = replay(store, CALLS, where=Filter(), dry_run=False)
    assert [value.rank for value in told.values] == [1000000, 4, 2]


# ---------------------------------------------------------------------- what cannot be judged again


def test_a_unit_is_judged_alone_when_only_the_head_was_kept() -> None:
    """Only for a reason that it can have by itself; the others stay, and say why."""
    store = MemoryQuarantine(limits=Limits(max_kept_delivery_bytes=60))
    kept = kept_of(store, units('"x"', 2, 2, f'"{"long" * 30}"'))
    told = replay(store, WIDE, where=Filter(), dry_run=False)
    assert [outcome.verdict for outcome in told.outcomes] == [Verdict.ADMITTED, *3 * [Verdict.STAYS]]
    assert told.outcomes[0].findings[-1].code == "quarantine.judged_alone"
    assert {outcome.findings[0].code for outcome in told.outcomes[1:]} == {"quarantine.not_whole"}
    plain = Contract.items(Item, name="items")
    mended = readmit(store, kept.ids[3], '{"rank": 3}', plain, author="ann")
    assert [value.rank for value in mended.values] == [3]


def test_an_edit_alone_claims_no_identity() -> None:
    """Rank 1 was handed out; of its delivery only the head was kept, so nobody could see that."""
    store = MemoryQuarantine(limits=Limits(max_kept_delivery_bytes=30))
    kept = kept_of(store, units(1, '"x"', 5))
    told = readmit(store, kept.ids[0], '{"rank": 1}', ITEMS, author="ann")
    assert told.values == ()
    assert told.outcomes[0].findings[0].code == "quarantine.not_whole"


def test_a_unit_that_the_contract_no_longer_sees_stays() -> None:
    """A contract that reads the delivery in another way cannot say which unit this was."""
    store = MemoryQuarantine()
    kept_of(store, units('"x"'))
    told = replay(store, Contract.items(Size, name="items"), where=Filter(), dry_run=False)
    assert told.outcomes[0].verdict is Verdict.STAYS
    assert [finding.code for finding in told.outcomes[0].findings] == ["quarantine.not_seen", "frame.no_payload"]


def test_a_whole_delivery_passes_when_nothing_of_it_is_refused() -> None:
    """It had no unit for the contract that it came to, and has two for the one of today."""
    store = MemoryQuarantine()
    kept = kept_of(store, units(1, 2), Contract.items(Size, name="items"))
    assert store.show(kept.ids[0]).record.index is None
    told = replay(store, ITEMS, where=kept.ids[0], dry_run=False)
    assert [value.rank for value in told.values] == [1, 2]
    assert told.id is not None
    passage = store.delivered(told.id)[0].resolution.passage
    assert passage is not None
    assert passage.values_json == '[{"rank":1,"why":""},{"rank":2,"why":""}]'


def test_a_delivery_whose_units_were_handed_out_is_not_handed_out_again() -> None:
    """It was cut after its last unit; all units were sound and are with the caller."""
    store = MemoryQuarantine()
    admission = ITEMS.admit(units(1, 2), finish_reason="length")
    assert len(admission.values) == 2
    store.keep(admission)
    told = replay(store, ITEMS, where=Filter(), dry_run=False)
    assert told.values == ()
    assert told.outcomes[0].findings[0].code == "quarantine.delivered"


# ---------------------------------------------------------------------- allow-lists


class Task(BaseModel):
    """A unit that names something."""

    owner: Annotated[str, Reference("person")]


TASKS = Contract.items(Task, name="tasks")


def test_replay_needs_the_allow_lists_of_today() -> None:
    """Without them, what was refused for one would pass unchecked; nothing is written either."""
    store = MemoryQuarantine()
    kept = store.keep(TASKS.admit('[{"owner": "cy"}]', references={"person": ["ann"]}))
    assert kept is not None
    with pytest.raises(Misuse, match=r"no allow-list came; give references={'person'"):
        replay(store, TASKS, where=Filter(), dry_run=False)
    with pytest.raises(Misuse, match="no allow-list came"):
        readmit(store, kept.ids[0], '{"owner": "ann"}', TASKS, author="ann")
    assert store.show(kept.ids[0]).overlays == ()
    assert store.replays() == ()
    assert replay(store, TASKS, where=Filter(), references={"person": ["ann"]}).counts["refused"] == 1
    assert replay(store, TASKS, where=Filter(), references={"person": ["ann", "cy"]}).counts["admitted"] == 1


def test_an_allow_list_is_read_as_the_boundary_reads_it() -> None:
    """A text is no list of names: each of its letters would be one."""
    store = MemoryQuarantine()
    store.keep(TASKS.admit('[{"owner": "a"}]', references={"person": ["ann"]}))
    with pytest.raises(Misuse, match="allow-list of 'person' must be a set of names"):
        replay(store, TASKS, where=Filter(), references={"person": "ann"})
    with pytest.raises(Misuse, match="no field of tasks is a Reference"):
        replay(store, TASKS, where=Filter(), references={"person": ["ann"], "place": ["here"]})


# ---------------------------------------------------------------------- work, and others at work


def test_a_thousand_units_of_one_delivery_are_judged_together() -> None:
    """A check counts how often it is asked: a few times a unit, not once for each other unit."""
    asked = 0

    def count(_: WideItem) -> Sequence[Finding]:
        nonlocal asked
        asked += 1
        return ()

    store = MemoryQuarantine()
    kept = kept_of(store, units(*(f'"x{at}"' for at in range(1_000))))
    for at, id in enumerate(kept.ids):
        store.edit(id, f'{{"rank": {at}}}', author="ann")
    counted = Contract.items(WideItem, name="items", checks=[count])
    told = replay(store, counted, where=Filter(), dry_run=False)
    assert len(told.values) == 1_000
    assert asked <= 5 * 1_000


class Busy(MemoryQuarantine):
    """A store on which somebody else edits a sibling just before each write."""

    times = 0
    sibling = ""

    def resolve_all(
        self, resolutions: Sequence[tuple[str, Resolution]], *, revisions: Mapping[str, int] | None = None
    ) -> tuple[Resolved, ...]:
        """Be late."""
        if self.times:
            self.times -= 1
            self.edit(self.sibling, '{"rank": 3}', author="somebody else")
        return super().resolve_all(resolutions, revisions=revisions)


@pytest.mark.parametrize(("times", "passes"), [(0, True), (1, True), (MAX_TRIES - 1, True), (MAX_TRIES, False)])
def test_a_verdict_counts_only_if_nothing_changed_meanwhile(times: int, passes: bool) -> None:
    """Otherwise the delivery is judged again, and after a while the unit stays, with a finding."""
    store = Busy()
    kept = kept_of(store, units('"x"', '"y"'))
    store.sibling, store.times = kept.ids[1], times
    told = replay(store, WIDE, where=kept.ids[0], dry_run=False)
    assert bool(told.values) is passes
    assert store.count(Filter(status="admitted")) == passes
    if not passes:
        assert told.outcomes[0].findings[0].code == "quarantine.busy"


class Overtaken(MemoryQuarantine):
    """A store on which somebody else lays a newer edit just after each one."""

    def edit(self, id: str, text: str, *, author: str, note: str = "") -> Overlay:
        """Be overtaken."""
        overlay = super().edit(id, text, author=author, note=note)
        super().edit(id, '{"rank": 777}', author="bo")
        return overlay


@pytest.mark.parametrize("limits", [Limits(), Limits(max_kept_delivery_bytes=20)])
def test_readmit_judges_its_own_edit_alone(limits: Limits) -> None:
    """A newer edit by somebody else is not admitted in the first one's name."""
    store = Overtaken(limits=limits)
    kept = kept_of(store, units('"x"', '"y"'), Contract.items(Item, name="items"))
    told = readmit(store, kept.ids[0], '{"rank": 5}', Contract.items(Item, name="items"), author="ann")
    assert told.values == ()
    assert told.outcomes[0].verdict is Verdict.STAYS
    assert [finding.code for finding in told.outcomes[0].findings] == ["quarantine.edited_since"]
    assert "edit 1 was meant, and edit 2 is the newest" in told.outcomes[0].findings[0].message


class Purged(MemoryQuarantine):
    """A store that loses one delivery to somebody else's purge between choosing and judging."""

    lost = ""

    def delivery_state(self, id: str) -> DeliveryState:
        """Be late."""
        if id == self.lost:
            self.resolve_all([(entry.id, Resolution.discarded("seen")) for entry in self._homes[id].entries])
            self._purge(self._settled(float("inf")))
        return super().delivery_state(id)


def test_what_was_purged_meanwhile_ends_nothing() -> None:
    """It counts as resolved, and the others are judged."""
    store = Purged()
    kept = [kept_of(store, units(f'"{name}"')) for name in "xyz"]
    store.lost = str(kept[1].delivery)
    told = replay(store, WIDE, where=Filter(), dry_run=False)
    assert [value.rank for value in told.values] == ["x", "z"]
    assert told.counts == {"admitted": 2, "refused": 0, "stays": 0, "resolved": 1}


class Failing(MemoryQuarantine):
    """A store whose disk fills up."""

    left = 1

    def resolve_all(
        self, resolutions: Sequence[tuple[str, Resolution]], *, revisions: Mapping[str, int] | None = None
    ) -> tuple[Resolved, ...]:
        """Write so often, and no more."""
        if not self.left:
            raise Outage("the disk is full")
        self.left -= 1
        return super().resolve_all(resolutions, revisions=revisions)


def test_what_ends_a_replay_says_where_the_values_are() -> None:
    """They were written, and the caller never got them."""
    store = Failing()
    for name in "xyz":
        kept_of(store, units(f'"{name}"'))
    with pytest.raises(Outage, match="the disk is full") as caught:
        replay(store, WIDE, where=Filter(), dry_run=False, replay_id="night")
    assert caught.value.__notes__ == ['what was admitted until then: store.delivered("night")']
    assert [one.resolution.passage and one.resolution.passage.values_json for one in store.delivered("night")] == [
        '{"rank":"x","why":""}'
    ]


def test_an_interrupted_replay_says_where_the_values_are() -> None:
    """Whatever interrupts it."""
    store = MemoryQuarantine()
    kept_of(store, units('"x"'))

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        replay(store, WIDE, where=Filter(), dry_run=False, progress=interrupt)
    assert caught.value.__notes__ == [f'what was admitted until then: store.delivered("{store.replays()[0].id}")']
    assert len(store.delivered(store.replays()[0].id)) == 1


@pytest.mark.parametrize("id", ["", "  ", "x" * 4_001, 5])
def test_a_replay_has_a_name_that_can_be_read(id: object) -> None:
    """Refused before anything is written."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"'))
    with pytest.raises(Misuse, match="replay_id"):
        replay(store, WIDE, where=Filter(), dry_run=False, replay_id=id)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(Misuse, match="replay_id"):
        readmit(store, kept.ids[0], "{}", WIDE, author="ann", replay_id=id)  # type: ignore[arg-type]  # the same
    assert (store.replays(), store.show(kept.ids[0]).overlays) == ((), ())


def test_progress_is_told() -> None:
    """Records done, of how many."""
    store = MemoryQuarantine()
    for _ in range(3):
        kept_of(store, units('"x"', '"y"'))
    told: list[tuple[int, int]] = []
    replay(store, ITEMS, where=Filter(), progress=lambda done, of: told.append((done, of)))
    assert told == [(2, 6), (4, 6), (6, 6)]


def test_where_takes_a_filter_a_group_an_id_or_several() -> None:
    """Of a filter or a group, the open records; of ids, exactly those."""
    store = MemoryQuarantine()
    kept = kept_of(store, units('"x"', '"y"', "1.5"))
    group = store.show(kept.ids[0]).record.fingerprint
    store.resolve(kept.ids[1], Resolution.discarded("noise"))
    for where, many in ((Filter(), 2), (group, 1), (kept.ids[0], 1), (kept.ids, 3), (Filter(status="discarded"), 1)):
        assert len(replay(store, WIDE, where=where).outcomes) == many
    assert replay(store, WIDE, where=kept.ids).outcomes[1].verdict is Verdict.RESOLVED
    with pytest.raises(Misuse, match="no record or delivery has the id"):
        replay(store, WIDE, where="u-nothing")
