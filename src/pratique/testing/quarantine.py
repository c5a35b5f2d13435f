"""The conformance kit of a quarantine store: what every store must do, as tests that anybody can run on their own.

Subclass ``QuarantineConformance`` in a test file of yours, make the store, and let pytest collect it::

    class TestMyStore(QuarantineConformance):
        def make_store(self, **options):
            return MyStore(**options)

The kit uses plain ``assert`` and needs no test library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pratique.boundary.delivery import Delivery, Producer, ToolCall
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.limits import Limits
from pratique.quarantine import (
    DELIVERY,
    AlreadyResolved,
    Filter,
    QuarantineStore,
    Resolution,
    Retention,
    State,
    StoreChanged,
    readmit,
    replay,
)
from pratique.quarantine.caps import MAX_PURGED_AT_ONCE
from pratique.quarantine.intake import MAX_FIELD_CHARS, MAX_IDS, MAX_USAGES
from pratique.testing.clock import FakeClock

__all__ = ["QuarantineConformance"]


class _Advice(BaseModel):
    """One unit."""

    rank: Annotated[int, Field(ge=1)]
    action: Literal["work-next", "park"]


class _Notes(BaseModel):
    """A unit that one mistake can be made in many times."""

    notes: list[str]


class _WideAdvice(BaseModel):
    """The same unit, of a contract that was opened later."""

    rank: int | str
    action: str


_NARROW = Contract.items(_Advice, name="advice", unique=["rank"])
_WIDE = Contract.items(_WideAdvice, name="advice", version="2")
_LINES = Contract.items(_Advice, name="advice", frames="first")
_BATCH = Contract.batch(_Advice, name="steps")
_WIDE_BATCH = Contract.batch(_WideAdvice, name="steps", version="2")

_SOUND = '{"rank": 1, "action": "park"}'
_BAD_RANK = '{"rank": "x", "action": "park"}'
_BAD_ACTION = '{"rank": 2, "action": "dance"}'
_TWO_BAD = f"[{_SOUND}, {_BAD_RANK}, {_BAD_ACTION}]"


@contextmanager
def _refused(kind: type[Exception]) -> Iterator[list[Exception]]:
    """Expect an error of this kind; it is in the list afterwards."""
    caught: list[Exception] = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
    assert caught, f"{kind.__name__} was not raised"


class QuarantineConformance:
    """Hold a quarantine store to the protocol. Every method is one claim."""

    def make_store(
        self, *, clock: Callable[[], float], retention: Retention | None = None, limits: Limits | None = None
    ) -> QuarantineStore:
        """Make an empty store; the subclass says how, and who closes it."""
        raise NotImplementedError

    def _store(self, **options: Any) -> QuarantineStore:
        return self.make_store(**{"clock": FakeClock(), **options})

    # -- keeping

    def test_nothing_refused_is_nothing_kept(self) -> None:
        """A clean and an empty delivery leave no trace."""
        store = self._store()
        assert store.keep(_NARROW.admit(f"[{_SOUND}]")) is None
        assert store.keep(_NARROW.admit("[]")) is None
        assert store.stats().deliveries == 0

    def test_every_refused_unit_is_kept_with_its_place_and_reason(self) -> None:
        """Raw text, span, reason and findings come back as the boundary told them."""
        store = self._store()
        admission = _NARROW.admit(_TWO_BAD)
        kept = store.keep(admission, run_id="run", attempt=2, prompt_digest="b3:00")
        assert kept is not None
        assert len(kept.ids) == 2
        for id, unit in zip(kept.ids, admission.quarantined, strict=True):
            detail = store.show(id)
            assert (detail.raw, detail.record.span, detail.record.index) == (unit.raw, unit.span, unit.index)
            assert (detail.record.reason, detail.findings, detail.draft) == (unit.reason, unit.findings, unit.draft)
            assert (detail.delivery.text, detail.delivery.run_id, detail.delivery.attempt) == (_TWO_BAD, "run", 2)
            assert detail.record.state is State.OPEN

    def test_a_delivery_without_a_unit_is_kept_too(self) -> None:
        """Prose, a refusal, a cut: one record stands for the whole delivery."""
        store = self._store()
        for text, reason in (("I cannot.", None), ("", "refusal"), ("[", "length")):
            kept = store.keep(_NARROW.admit(text, finish_reason=reason))
            assert kept is not None
            assert len(kept.ids) == 1
            record = store.show(kept.ids[0]).record
            assert (record.index, record.reason) == (None, DELIVERY)

    def test_any_text_survives_exactly(self) -> None:
        """NUL, half a surrogate pair, bytes that are no UTF-8, in every field."""
        store = self._store()
        odd = 'a\0b\ud800c\udcff"'
        delivery = Delivery(
            text=f'[{{"rank": "{odd}"}}]', tool_calls=(ToolCall(odd, "{\0", odd),), finish_reason=odd, model=odd
        )
        kept = store.keep(_NARROW.admit(delivery), run_id=odd, attempt=1, prompt_digest=odd)
        assert kept is not None
        assert kept.delivery is not None
        back = store.delivery(kept.delivery)
        assert back.delivery == delivery
        assert (back.run_id, back.prompt_digest) == (odd, odd)
        assert store.list(Filter(model=odd, run_id=odd)).records

    def test_a_large_delivery_is_kept_in_part_and_says_so(self) -> None:
        """The head, the full size, the digest of all of it, and a flag."""
        store = self._store(limits=Limits(max_kept_delivery_bytes=40))
        text = f"[{_BAD_ACTION}, {_BAD_RANK}]"
        kept = store.keep(_NARROW.admit(text))
        assert kept is not None
        assert kept.delivery is not None
        back = store.delivery(kept.delivery)
        assert (back.text, back.whole, back.size_bytes) == (text[:40], False, len(text))
        assert store.show(kept.ids[0]).raw == _BAD_ACTION

    def test_what_a_caller_tells_beside_the_text_is_bounded(self) -> None:
        """Ids and usage: so many, each so long; a count that is none is left out."""
        store = self._store()
        long = "x" * (MAX_FIELD_CHARS + 1)
        delivery = Delivery(
            text=f"[{_BAD_RANK}]", ids={long: long} | {f"id{at}": "i" for at in range(2 * MAX_IDS)},
            usage={"huge": 10**400, "tokens": 7} | {f"n{at}": at for at in range(2 * MAX_USAGES)},
        )  # fmt: skip
        kept = store.keep(_NARROW.admit(delivery))
        assert kept is not None
        assert kept.delivery is not None
        told = store.delivery(kept.delivery)
        assert (len(told.ids), len(told.usage)) == (MAX_IDS, MAX_USAGES - 1)
        assert told.ids[long[:-1] + "…"] == long[:-1] + "…"
        assert (told.usage["tokens"], "huge" in told.usage) == (7, False)

    def test_everything_kept_counts_as_bytes(self) -> None:
        """Findings, edits, ids and usage too: they can be larger than the text that they are about."""
        store = self._store()
        plain, told = (
            store.keep(_NARROW.admit(Delivery(text=f"[{_BAD_RANK}]", ids=ids))) for ids in ({}, {"trace": "t" * 1_000})
        )
        assert plain is not None
        assert plain.delivery is not None
        assert told is not None
        assert told.delivery is not None
        sizes = [store.delivery(id).kept_bytes for id in (plain.delivery, told.delivery)]
        assert sizes[1] - sizes[0] == len('"trace":""') + 1_000
        before = store.stats().kept_bytes
        many = Contract.items(_Notes, name="notes")
        kept = store.keep(many.admit('[{"notes": [' + ", ".join(["1"] * 200) + "]}]"))
        assert kept is not None
        messages = sum(len(finding.message) for finding in store.show(kept.ids[0]).findings)
        assert store.stats().kept_bytes - before > messages > 200

    def test_the_same_attempt_is_kept_once(self) -> None:
        """A second call with the same run and attempt writes nothing and returns the same."""
        store = self._store()
        admission = _NARROW.admit(_TWO_BAD)
        first = store.keep(admission, run_id="run", attempt=1)
        again = store.keep(admission, run_id="run", attempt=1)
        assert first is not None
        assert again is not None
        assert (again, first.again, again.again) == (first, False, True)
        assert store.keep(admission, run_id="run", attempt=2) != first
        assert store.keep(admission) != store.keep(admission)
        assert store.stats().deliveries == 4

    def test_streams_that_begin_alike_are_two_deliveries(self) -> None:
        """Neither kept its text; the same run and attempt; what is left of both looks the same."""
        store = self._store()
        kept = []
        for rank in (3, 4):
            stream = _LINES.stream(retain=False)
            stream.feed(f'{_SOUND}\n{_BAD_ACTION}\n{{"rank": {rank}, "action": "park"}}\n')
            kept.append(store.keep(stream.close(), run_id="run", attempt=1))
        first, second = kept
        assert first is not None
        assert second is not None
        assert first.delivery is not None
        assert not second.again
        assert first.delivery != second.delivery
        assert (store.delivery(first.delivery).whole, store.delivery(first.delivery).admitted) == (False, 2)
        told = replay(store, _WIDE, where=Filter(), dry_run=False)
        assert [value.action for value in told.values] == ["dance", "dance"], "no sound unit goes out again"

    def test_what_the_admission_did_not_keep_is_counted(self) -> None:
        """``max_quarantined`` is a loss that must be seen."""
        store = self._store()
        narrow = Contract.items(_Advice, name="advice", limits=Limits(max_quarantined=1))
        kept = store.keep(narrow.admit(_TWO_BAD))
        assert kept is not None
        assert kept.not_kept == 1
        assert [(one.cause, one.units) for one in store.stats().overflow] == [("max_quarantined", 1)]

    # -- caps and retention

    def test_a_full_store_counts_what_it_does_not_keep(self) -> None:
        """Open records are never pushed out; the overflow says by contract, reason and cause what is missing."""
        clock = FakeClock()
        store = self._store(clock=clock, retention=Retention(max_units=1))
        first = store.keep(_NARROW.admit(_TWO_BAD))
        clock.move(5)
        second = store.keep(_NARROW.admit(_TWO_BAD))
        assert first is not None
        assert second is not None
        assert (len(first.ids), first.not_kept) == (1, 1)
        assert (second.delivery, second.ids, second.not_kept) == (None, (), 2)
        stats = store.stats()
        assert (stats.units, sum(one.units for one in stats.overflow)) == (1, 3)
        assert {(one.contract, one.reason, one.cause) for one in stats.overflow} == {("advice", "schema", "max_units")}
        assert (stats.overflow[0].first_at, stats.overflow[0].last_at) == (clock.now - 5, clock.now)

    def test_a_full_store_makes_room_from_what_is_finally_resolved(self) -> None:
        """The longest settled delivery goes first, whole."""
        clock = FakeClock()
        store = self._store(clock=clock, retention=Retention(max_units=2, min_settled_s=60))
        first = store.keep(_NARROW.admit(_TWO_BAD))
        assert first is not None
        store.resolve(first.ids[0], Resolution.discarded("seen"))
        blocked = store.keep(_NARROW.admit(_TWO_BAD))
        assert blocked is not None
        assert blocked.delivery is None
        store.resolve(first.ids[1], Resolution.discarded("seen"))
        clock.move(60)
        second = store.keep(_NARROW.admit(_TWO_BAD))
        assert second is not None
        assert len(second.ids) == 2
        assert store.stats().purged_units == 2
        with _refused(Misuse):
            store.show(first.ids[0])

    def test_what_was_just_settled_makes_no_room(self) -> None:
        """A replay's values can be found again for a while, however full the store is."""
        clock = FakeClock()
        store = self._store(clock=clock, retention=Retention(max_units=1, min_settled_s=60))
        store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        told = replay(store, _WIDE, where=Filter(), dry_run=False)
        assert told.id is not None
        clock.move(59)
        new = store.keep(_NARROW.admit(f"[{_BAD_ACTION}]"))
        assert new is not None
        assert (new.delivery, new.not_kept) == (None, 1)
        assert [(one.cause, one.units) for one in store.stats().overflow] == [("max_units", 1)]
        assert len(store.delivered(told.id)) == 1
        clock.move(1)
        late = store.keep(_NARROW.admit(f"[{_BAD_ACTION}]"))
        assert late is not None
        assert len(late.ids) == 1

    def test_one_keep_purges_only_so_much(self) -> None:
        """Others wait for it; what is left goes with the next one, or with ``purge``."""
        clock = FakeClock()
        store = self._store(clock=clock, retention=Retention(max_age_s=10))
        for _ in range(2 * MAX_PURGED_AT_ONCE + 5):
            kept = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
            assert kept is not None
            store.resolve(kept.ids[0], Resolution.discarded("seen"))
        clock.move(10)
        store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert store.stats().purged_units == MAX_PURGED_AT_ONCE
        assert store.purge().deliveries == MAX_PURGED_AT_ONCE + 5
        assert store.stats().units == 1

    def test_what_can_never_fit_pushes_nothing_out(self) -> None:
        """A delivery larger than the whole store is counted, and the settled ones stay."""
        store = self._store(retention=Retention(max_bytes=400))
        kept = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert kept is not None
        store.resolve(kept.ids[0], Resolution.discarded("seen"))
        large = store.keep(_NARROW.admit('[{"rank": "' + "x" * 500 + '"}]'))
        assert large is not None
        assert large.delivery is None
        assert store.show(kept.ids[0]).record.state is State.DISCARDED

    def test_the_byte_cap_counts_text(self) -> None:
        """A delivery that does not fit is counted under its cause."""
        store = self._store(retention=Retention(max_bytes=10))
        kept = store.keep(_NARROW.admit(_TWO_BAD))
        assert kept is not None
        assert kept.delivery is None
        assert [(one.cause, one.units) for one in store.stats().overflow] == [("max_bytes", 2)]

    def test_age_purges_only_what_is_finally_resolved(self) -> None:
        """An open or snoozed record stays however old it is."""
        clock = FakeClock()
        store = self._store(clock=clock, retention=Retention(max_age_s=10))
        kept = [store.keep(_NARROW.admit(f"[{_BAD_RANK}]")) for _ in range(3)]
        ids = [one.ids[0] for one in kept if one]
        store.resolve(ids[0], Resolution.discarded("seen"))
        store.resolve(ids[1], Resolution.snoozed(until=clock.now + 1))
        clock.move(9)
        assert store.purge().units == 0
        clock.move(2)
        purged = store.purge()
        assert (purged.deliveries, purged.units) == (1, 1)
        assert [record.id for record in store.list().records] == ids[1:]

    # -- reading

    def test_a_list_is_stable_while_others_are_kept(self) -> None:
        """Pages meet without gap or overlap, in the order of coming."""
        store = self._store()
        for _ in range(3):
            store.keep(_NARROW.admit(_TWO_BAD))
        page = store.list(limit=4)
        store.keep(_NARROW.admit(_TWO_BAD))
        rest = store.list(after=page.next, limit=4)
        ids = [record.id for record in (*page.records, *rest.records)]
        assert len(set(ids)) == 8
        assert rest.next is None
        assert ids == [record.id for record in store.list().records]

    def test_every_filter_means_what_it_says(self) -> None:
        """Each field alone finds the one record it should, and no other."""
        clock = FakeClock()
        store = self._store(clock=clock)
        store.keep(_NARROW.admit(f"[{_BAD_RANK}]"), run_id="a")
        clock.move(10)
        delivery = Delivery(text='[{"rank": 7, "rank": 7, "action": "park"}]', model="m", producer=Producer.PERSON)
        store.keep(Contract.items(_Advice, name="other", version="9").admit(delivery), run_id="b")
        first, second = store.list().records
        store.resolve(second.id, Resolution.discarded("seen"))
        for filter in (
            Filter(contract="other"), Filter(version="9"), Filter(reason="duplicate_key"), Filter(producer="person"),
            Filter(model="m"), Filter(run_id="b"), Filter(status="discarded"), Filter(fingerprint=second.fingerprint),
            Filter(delivery=second.delivery), Filter(since=clock.now), Filter(text='"rank": 7'),
        ):  # fmt: skip
            assert [record.id for record in store.list(filter).records] == [second.id], filter
            assert store.count(filter) == 1
        assert [record.id for record in store.list(Filter(until=clock.now)).records] == [first.id]
        assert store.list(Filter(text="%")).records == ()

    def test_groups_count_what_was_refused_alike(self) -> None:
        """Position and value do not part a group; another field does."""
        clock = FakeClock()
        store = self._store(clock=clock)
        store.keep(_NARROW.admit(f"[{_BAD_RANK}, {_BAD_ACTION}]"))
        clock.move(5)
        store.keep(_NARROW.admit(f'[{_SOUND}, {{"rank": "y", "action": "park"}}]'))
        groups = store.groups()
        assert [(group.count, group.path) for group in groups] == [(2, "$[*].rank"), (1, "$[*].action")]
        assert (groups[0].first_seen, groups[0].last_seen) == (clock.now - 5, clock.now)
        assert store.groups(Filter(text="dance"))[0].count == 1

    def test_ids_are_found_by_their_beginning(self) -> None:
        """With and without the mark in front."""
        store = self._store()
        kept = store.keep(_NARROW.admit(_TWO_BAD))
        assert kept is not None
        assert set(store.ids("")) == set(kept.ids)
        assert store.ids(kept.ids[0]) == (kept.ids[0],)
        assert store.ids(kept.ids[0][2:12]) == (kept.ids[0],)
        with _refused(Misuse):
            store.ids("u-%")

    def test_stats_tell_the_age_of_the_oldest_open_record(self) -> None:
        """A queue that nobody looks at shows."""
        clock = FakeClock()
        store = self._store(clock=clock)
        kept = store.keep(_NARROW.admit(_TWO_BAD))
        assert kept is not None
        clock.move(60)
        stats = store.stats()
        assert (stats.oldest_open_age_s, stats.by_reason, stats.by_state) == (60, {"schema": 2}, {"open": 2})
        store.resolve_all([(id, Resolution.discarded("seen")) for id in kept.ids])
        assert store.stats().oldest_open_age_s is None

    def test_what_is_not_there_is_said(self) -> None:
        """An unknown id, cursor, replay or page size is the caller's mistake."""
        store = self._store()
        for ask in (
            lambda: store.show("u-0000000000000000"), lambda: store.delivery("d-0"), lambda: store.list(after="x"),
            lambda: store.list(limit=0), lambda: store.delivered("r-0"), lambda: store.edit("u-0", "{}", author="a"),
            lambda: store.resolve("u-0", Resolution.discarded("x")), lambda: store.delivery_state("d-0"),
        ):  # fmt: skip
            with _refused(Misuse):
                ask()

    # -- deciding

    def test_a_record_is_resolved_at_most_once(self) -> None:
        """The second decision is refused, carries the first, and changes nothing."""
        store = self._store()
        kept = store.keep(_NARROW.admit(_TWO_BAD))
        assert kept is not None
        first = store.resolve(kept.ids[0], Resolution.discarded("noise", author="ann"))
        with _refused(AlreadyResolved) as caught:
            store.resolve_all([(kept.ids[1], Resolution.discarded("x")), (kept.ids[0], Resolution.discarded("y"))])
        assert isinstance(caught[0], AlreadyResolved)
        assert caught[0].first == first
        assert store.show(kept.ids[1]).record.state is State.OPEN, "all of them or none"
        with _refused(AlreadyResolved):
            store.resolve_all([(kept.ids[1], Resolution.discarded("x")), (kept.ids[1], Resolution.discarded("y"))])
        with _refused(AlreadyResolved):
            store.edit(kept.ids[0], _SOUND, author="ann")

    def test_a_snooze_runs_out_by_time(self) -> None:
        """Until then nobody decides; afterwards anybody may, in a new round."""
        clock = FakeClock()
        store = self._store(clock=clock)
        kept = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert kept is not None
        store.resolve(kept.ids[0], Resolution.snoozed(until=clock.now + 10))
        assert store.show(kept.ids[0]).record.state is State.SNOOZED
        with _refused(AlreadyResolved):
            store.resolve(kept.ids[0], Resolution.discarded("x"))
        clock.move(10)
        assert store.show(kept.ids[0]).record.state is State.OPEN
        assert store.resolve(kept.ids[0], Resolution.discarded("x")).round == 2

    def test_a_snooze_runs_out_when_its_group_grows(self) -> None:
        """By as many as it said, counted from the snooze."""
        store = self._store()
        kept = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert kept is not None
        store.resolve(kept.ids[0], Resolution.snoozed(grow_by=2))
        store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert store.show(kept.ids[0]).record.state is State.SNOOZED
        store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert store.show(kept.ids[0]).record.state is State.OPEN

    def test_a_group_that_comes_back_is_flagged(self) -> None:
        """Only when every record of it was finally resolved; until the new one is resolved too."""
        store = self._store()
        first = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        second = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert first is not None
        assert second is not None
        store.resolve(first.ids[0], Resolution.discarded("mended"))
        third = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert third is not None
        assert not store.groups()[0].regressed
        store.resolve_all([(one.ids[0], Resolution.discarded("mended")) for one in (second, third)])
        fourth = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert fourth is not None
        assert store.groups()[0].regressed
        assert store.show(fourth.ids[0]).record.regressed
        store.resolve(fourth.ids[0], Resolution.discarded("mended"))
        assert not store.groups()[0].regressed

    def test_an_edit_leaves_the_raw_text(self) -> None:
        """Edits are numbered, and the original stays."""
        store = self._store()
        kept = store.keep(_NARROW.admit(f"[{_BAD_RANK}]"))
        assert kept is not None
        for number, text in enumerate((_SOUND, "x\0y"), 1):
            assert store.edit(kept.ids[0], text, author="ann", note="why").number == number
        detail = store.show(kept.ids[0])
        assert detail.raw == _BAD_RANK
        assert [overlay.text for overlay in detail.overlays] == [_SOUND, "x\0y"]

    def test_a_verdict_on_what_has_changed_is_not_written(self) -> None:
        """Somebody else's edit of a sibling makes the revision another one."""
        store = self._store()
        kept = store.keep(_NARROW.admit(_TWO_BAD))
        assert kept is not None
        assert kept.delivery is not None
        state = store.delivery_state(kept.delivery)
        store.edit(kept.ids[1], _SOUND, author="ann")
        with _refused(StoreChanged):
            store.resolve_all([(kept.ids[0], Resolution.discarded("x"))], revisions={kept.delivery: state.revision})
        assert store.show(kept.ids[0]).record.state is State.OPEN

    # -- replay

    def test_a_dry_run_writes_nothing(self) -> None:
        """It says what would pass, what would not, and why."""
        store = self._store()
        store.keep(_NARROW.admit(f"[{_BAD_RANK}, {_SOUND[:-3]}"))
        before = (store.list(), store.stats(), store.replays())
        told = replay(store, _WIDE, where=Filter())
        assert (told.counts["admitted"], told.reasons) == (1, {("truncated", "truncated"): 1})
        assert told.admitted == ()
        assert (store.list(), store.stats(), store.replays()) == before

    def test_a_replay_hands_out_once(self) -> None:
        """What passed is resolved, its value is kept, and a second replay has nothing left."""
        store = self._store()
        store.keep(_NARROW.admit(_TWO_BAD))
        first = replay(store, _WIDE, where=Filter(), dry_run=False, author="ann")
        assert [value.model_dump() for value in first.values] == [
            {"rank": "x", "action": "park"}, {"rank": 2, "action": "dance"}
        ]  # fmt: skip
        assert first.id is not None
        told = [one.resolution.passage for one in store.delivered(first.id)]
        assert [one and one.values_json for one in told] == [
            '{"rank":"x","action":"park"}', '{"rank":2,"action":"dance"}'
        ]  # fmt: skip
        assert replay(store, _WIDE, where=Filter(), dry_run=False).values == ()
        assert store.replays()[-1].admitted == 2

    def test_an_edit_passes_the_whole_boundary(self) -> None:
        """It may be refused again, for the delivery's own reasons, and stays open then."""
        store = self._store()
        kept = store.keep(_NARROW.admit(_TWO_BAD))
        assert kept is not None
        taken = readmit(store, kept.ids[0], _SOUND, _NARROW, author="ann")
        assert (taken.values, taken.outcomes[0].after) == ((), "conflict")
        passed = readmit(store, kept.ids[0], '{"rank": 3, "action": "park"}', _NARROW, author="ann")
        assert [value.rank for value in passed.values] == [3]
        last = store.show(kept.ids[0]).resolutions[-1].resolution
        assert last.passage is not None
        assert (last.passage.overlay, last.author) == (2, "ann")

    def test_a_batch_goes_together_or_not_at_all(self) -> None:
        """One unit that is still refused holds all of them back."""
        store = self._store()
        kept = store.keep(_BATCH.admit(_TWO_BAD))
        assert kept is not None
        assert len(kept.ids) == 3
        half = readmit(store, kept.ids[1], '{"rank": 3, "action": "park"}', _BATCH, author="ann")
        assert half.values == ()
        assert {outcome.verdict.value for outcome in half.outcomes} == {"refused"}
        store.resolve(kept.ids[0], Resolution.snoozed(grow_by=1))
        apart = replay(store, _WIDE_BATCH, where=kept.ids[1], dry_run=False)
        assert apart.counts["stays"] == 2
        assert store.stats().by_state == {"open": 2, "snoozed": 1}
