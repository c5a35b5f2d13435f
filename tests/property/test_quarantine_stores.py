"""Law: the store in memory and the store in a file are the same store. One machine drives both, and they agree."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule
from pydantic import BaseModel, Field

from pratique import Contract, Delivery, Limits, Misuse, Producer, ToolCall
from pratique.quarantine import (
    Filter,
    MemoryQuarantine,
    QuarantineStore,
    Resolution,
    Retention,
    SqliteQuarantine,
    State,
    replay,
)
from pratique.testing import FakeClock


class Advice(BaseModel):
    """One unit."""

    rank: Annotated[int, Field(ge=1)]
    action: Literal["work-next", "park"]


class WideAdvice(BaseModel):
    """The same, later."""

    rank: int | str
    action: str


LIMITS = Limits(max_kept_delivery_bytes=220, max_snippet_chars=20, max_quarantined=4, max_items=3)
NARROW = Contract.items(Advice, name="advice", unique=["rank"], order_by="rank", limits=LIMITS)
WIDE = Contract.items(WideAdvice, name="advice", version="2", limits=LIMITS)
BATCH = Contract.batch(Advice, name="steps", limits=LIMITS)
CONTRACTS = (NARROW, WIDE, BATCH)

UNITS = (
    '{"rank": 1, "action": "park"}', '{"rank": 2, "action": "work-next"}', '{"rank": 2, "action": "park"}',
    '{"rank": "x", "action": "park"}', '{"rank": 3, "action": "dance"}', '{"rank": 0, "action": "a\0b"}',
    '{"rank": 4, "action": "park" "z"}', '{"rank": 5, "action": "\ud800"}', '{"rank": 6, "rank": 6}',
    '{"rank": 7, "action": "park"', "{}",
)  # fmt: skip
EDITS = (
    *UNITS,
    '{"rank": 8, "action": "park"}, {"rank": 9, "action": "park"}',
    "no unit",
    ' {"rank": 9, "action": "park"}\n',
)

lists = st.lists(st.sampled_from(UNITS), max_size=6).map(lambda units: "[" + ", ".join(units) + "]")
calls = st.lists(st.sampled_from(UNITS), min_size=1, max_size=3).map(
    lambda units: tuple(ToolCall(name, unit) for name, unit in zip(("advice", "steps", "Advice"), units, strict=False))
)
deliveries = st.builds(
    Delivery, text=st.one_of(lists, st.sampled_from(["", "I cannot.", "[]", '[{"rank": 1', *UNITS])),
    tool_calls=st.one_of(st.just(()), st.just(()), calls),
    finish_reason=st.sampled_from([None, None, "stop", "length", "refusal", "odd\0"]),
    producer=st.sampled_from(list(Producer)), model=st.sampled_from([None, "m", "odd\ud800"]),
)  # fmt: skip
filters = st.builds(
    Filter, contract=st.sampled_from([None, None, "advice"]), version=st.sampled_from([None, None, "2"]),
    reason=st.sampled_from([None, None, "schema", "conflict", "delivery"]),
    status=st.sampled_from([None, None, *State]), producer=st.sampled_from([None, None, "agent"]),
    model=st.sampled_from([None, None, "m", "odd\ud800"]), run_id=st.sampled_from([None, None, "run-1"]),
    text=st.sampled_from([None, None, "park", "\0", "\ud800", "expected"]),
    since=st.sampled_from([None, 1_000_050.0]), until=st.sampled_from([None, 1_000_050.0]),
)  # fmt: skip


class Stores(RuleBasedStateMachine):
    """Do the same to both, and look at everything that can be seen."""

    records = Bundle("records")

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.folder = tempfile.TemporaryDirectory()
        options: dict[str, Any] = {
            "clock": self.clock, "limits": LIMITS,
            "retention": Retention(max_units=12, max_bytes=9_000, max_age_s=100, min_settled_s=1),
        }  # fmt: skip
        self.memory = MemoryQuarantine(**options)
        self.file = SqliteQuarantine(Path(self.folder.name) / "quarantine.db", **options)

    def teardown(self) -> None:
        """Give the file back."""
        self.file.close()
        self.folder.cleanup()

    def both(self, ask: Callable[[QuarantineStore], Any]) -> Any:
        """Ask both; they answer alike, or refuse alike."""
        answers = [answered(ask, store) for store in (self.memory, self.file)]
        assert answers[0] == answers[1]
        return answers[0]

    @rule(
        target=records, delivery=deliveries, contract=st.sampled_from(CONTRACTS), run=st.sampled_from([None, "run-1"]),
        attempt=st.sampled_from([None, 1, 2]),
    )  # fmt: skip
    def keep(self, delivery: Delivery, contract: Contract[Any], run: str | None, attempt: int | None) -> Any:
        """Keep what a contract refuses."""
        kept = self.both(lambda store: store.keep(contract.admit(delivery), run_id=run, attempt=attempt))
        return multiple(*(kept.ids if kept else ()))

    @rule(id=records, reason=st.sampled_from(["noise", "odd\0\ud800"]))
    def discard(self, id: str, reason: str) -> None:
        """Give a record up."""
        self.both(lambda store: store.resolve(id, Resolution.discarded(reason, author="ann")))

    @rule(id=records, after_s=st.sampled_from([None, 5.0, 50.0]), grow_by=st.sampled_from([1, 2]))
    def snooze(self, id: str, after_s: float | None, grow_by: int) -> None:
        """Set a record aside."""
        until = None if after_s is None else self.clock.now + after_s
        self.both(lambda store: store.resolve(id, Resolution.snoozed(until=until, grow_by=grow_by)))

    @rule(ids=st.lists(records, min_size=1, max_size=3))
    def discard_together(self, ids: list[str]) -> None:
        """All of them or none."""
        self.both(lambda store: store.resolve_all([(id, Resolution.discarded("noise")) for id in ids]))

    @rule(id=records, text=st.sampled_from(EDITS))
    def edit(self, id: str, text: str) -> None:
        """Lay a text over a record."""
        self.both(lambda store: store.edit(id, text, author="ann", note="n"))

    @rule(filter=filters, contract=st.sampled_from(CONTRACTS), dry_run=st.booleans())
    def replay_some(self, filter: Filter, contract: Contract[Any], dry_run: bool) -> None:
        """Judge records again, and hand out what passes."""
        self.both(lambda store: told_of(replay(store, contract, where=filter, dry_run=dry_run)))

    @rule(id=records, contract=st.sampled_from(CONTRACTS))
    def replay_one(self, id: str, contract: Contract[Any]) -> None:
        """Judge one record again, under a name that goes on."""
        self.both(
            lambda store: told_of(
                replay(store, contract, where=id, dry_run=False, replay_id=f"named \0{contract.name}{contract.version}")
            )
        )

    @rule(id=consumes(records))
    def ask_for_what_may_be_gone(self, id: str) -> None:
        """A record that retention took away is refused alike."""
        self.both(lambda store: store.show(id))

    @rule(seconds=st.sampled_from([1.0, 40.0, 101.0, -20.0]))
    def time_passes(self, seconds: float) -> None:
        """Or a clock is set back."""
        self.clock.move(seconds)

    @rule()
    def purge(self) -> None:
        """Take away what is old and settled."""
        self.both(lambda store: store.purge())

    @rule(filter=filters, limit=st.integers(1, 5))
    def look(self, filter: Filter, limit: int) -> None:
        """Filter, count, group, page."""
        page = self.both(lambda store: store.list(filter, limit=limit))
        if page.next is not None:
            self.both(lambda store: store.list(filter, after=page.next, limit=limit))
        self.both(lambda store: store.count(filter))
        self.both(lambda store: store.groups(filter))

    @invariant()
    def everything_looks_alike(self) -> None:
        """Records, groups, deliveries, replays, figures."""
        page = self.both(lambda store: store.list(limit=1_000))
        for record in page.records:
            self.both(lambda store, id=record.id: store.show(id))  # type: ignore[misc]  # a lambda's default
        self.both(lambda store: store.groups())
        self.both(lambda store: replace(store.stats(), file_bytes=None))
        self.both(lambda store: store.deliveries(limit=1_000))
        for run in self.both(lambda store: store.replays()):
            self.both(lambda store, id=run.id: store.delivered(id))  # type: ignore[misc]  # a lambda's default

    @precondition(lambda self: self.memory.stats().deliveries)
    @invariant()
    def nothing_is_lost_silently(self) -> None:
        """Every refused unit has a record, or is in its delivery's count of those that have none."""
        for kept in self.file.deliveries(limit=1_000).deliveries:
            mine = self.file.count(Filter(delivery=kept.id))
            refused = kept.seen - kept.admitted
            assert mine + kept.not_kept == (refused or 1)


def answered(ask: Callable[[QuarantineStore], Any], store: QuarantineStore) -> Any:
    """Return the answer, or what the caller is told that is wrong."""
    try:
        return ask(store)
    except Misuse as error:
        return (type(error), str(error))


def told_of(replayed: Any) -> tuple[Any, ...]:
    """Return what can be compared of a replay: admitted units are made anew each time."""
    units = [(one.record, [unit.to_dict() for unit in one.units]) for one in replayed.admitted]
    return replayed.to_dict(), units


TestStores = Stores.TestCase
TestStores.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
