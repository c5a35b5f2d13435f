"""Judge kept units again by the contract of today, and hand out what passes: once, whatever happens.

A dry run (the default) writes nothing. A real run writes, for each delivery in one transaction, that its
units are admitted, with their values; only then it hands them to the caller. Whoever dies between the two
finds the values again with ``store.delivered(replay_id)``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from pydantic_core import to_jsonable_python

from pratique.boundary.admission import Admitted
from pratique.contract import Contract, allow_lists
from pratique.errors import Code, Misuse
from pratique.quarantine.record import DELIVERY, State
from pratique.quarantine.rejudge import Rejudged, rejudged
from pratique.quarantine.replayed import Outcome, Readmitted, Replayed, Verdict
from pratique.quarantine.resolution import AlreadyResolved, Passage, Resolution, require_note
from pratique.quarantine.store import NoRecord, QuarantineStore, StoreChanged
from pratique.quarantine.where import Where, meant
from pratique.show import show

__all__ = ["readmit", "replay"]

T = TypeVar("T")

BUSY = Code(
    "quarantine.busy", "others decided on the records of this delivery all the time",
    "A verdict counts only if nothing changed between reading and writing.", "replay it again",
)  # fmt: skip

MAX_TRIES = 20
"""Times that one delivery is judged again because somebody else decided on its records meanwhile."""


def replay(
    store: QuarantineStore,
    contract: Contract[T],
    *,
    where: Where,
    references: Mapping[str, Iterable[str]] | None = None,
    dry_run: bool = True,
    author: str = "",
    note: str = "",
    replay_id: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Replayed[T]:
    """Judge kept records again, each in its delivery; admit what passes, unless it is a dry run.

    Shape: of a filter or a group, the open records are meant; the newest edit of a record is what is judged.
        ``replay_id`` names a real run, so that its values are found again; the same name goes on with it.
        ``progress`` is told how many records of how many are done.
    Limits: a delivery is admitted at most ten times, however many of its records are judged.
    Errors: Misuse when an allow-list is missing that the contract declares, or is none, or a record does not
        exist; what the store raises. What was written until then stands, and ``store.delivered`` has it: a note
        on whatever ends a real run says so. A record that was purged meanwhile ends nothing.
    Not checked: whether what an admitted unit says is true.
    """
    require_note("author", author)
    require_note("note", note)
    return _replayed(
        store, contract, where, _todays_lists(contract, references), {}, dry_run=dry_run, author=author, note=note,
        replay_id=replay_id, progress=progress,
    )  # fmt: skip


def readmit(
    store: QuarantineStore,
    id: str,
    text: str,
    contract: Contract[T],
    *,
    author: str,
    note: str = "",
    references: Mapping[str, Iterable[str]] | None = None,
    replay_id: str | None = None,
) -> Replayed[T]:
    """Lay an edit over one record and judge it again, in its delivery, by the whole boundary.

    Shape: the edit is kept whatever the verdict; a record that is refused again stays open. This edit is judged
        and no other: when somebody laid a newer one meanwhile, the record stays (quarantine.edited_since).
    Errors: as ``store.edit`` and ``replay``.
    """
    known = _todays_lists(contract, references)  # before anything is written
    _require_replay_id(replay_id)
    overlay = store.edit(id, text, author=author, note=note)
    return _replayed(
        store, contract, id, known, {id: overlay.number}, dry_run=False, author=author, note=note,
        replay_id=replay_id, progress=None,
    )  # fmt: skip


def _replayed(
    store: QuarantineStore,
    contract: Contract[T],
    where: Where,
    references: Mapping[str, frozenset[str]],
    pinned: Mapping[str, int],
    *,
    dry_run: bool,
    author: str,
    note: str,
    replay_id: str | None,
    progress: Callable[[int, int], None] | None,
) -> Replayed[T]:
    """Judge delivery after delivery; whatever ends it says where to find what was handed out until then."""
    _require_replay_id(replay_id)
    chosen = _chosen(store, where)
    run = None
    if not dry_run:
        run = store.start_replay(
            id=replay_id, contract=contract.name, version=contract.version,
            contract_fingerprint=contract.fingerprint, author=author, note=note,
        )  # fmt: skip
    outcomes: list[Outcome] = []
    admitted: list[Readmitted[T]] = []
    total = sum(map(len, chosen.values()))
    try:
        for delivery, ids in chosen.items():
            judged = _judged(store, contract, references, delivery, ids, pinned, run=run, author=author, note=note)
            outcomes += judged.outcomes
            if run is not None:
                admitted += [Readmitted(record=id, units=units) for id, units in judged.admitted.items()]
            if progress is not None:
                progress(min(len(outcomes), total), total)
    except BaseException as error:
        if run is not None:  # it may have struck between writing and handing out: tell it also when nothing came
            error.add_note(f"what was admitted until then: store.delivered({show(run)})")
        raise
    return Replayed(
        id=run, dry_run=dry_run, contract=contract.name, version=contract.version,
        contract_fingerprint=contract.fingerprint, outcomes=tuple(outcomes), admitted=tuple(admitted),
    )  # fmt: skip


def _judged(
    store: QuarantineStore,
    contract: Contract[T],
    references: Mapping[str, frozenset[str]],
    delivery: str,
    ids: Iterable[str],
    pinned: Mapping[str, int],
    *,
    run: str | None,
    author: str,
    note: str,
) -> Rejudged[T]:
    """Judge one delivery, and write it down in a real run; again when somebody else was faster."""
    for _ in range(MAX_TRIES):
        try:
            state = store.delivery_state(delivery)
        except NoRecord:  # settled and purged by others since it was chosen: nothing is left to decide
            return Rejudged(tuple(_gone(id, delivery) for id in ids), {})
        judged = rejudged(state, contract, references, ids, pinned=pinned)
        if run is None or not judged.admitted:
            return judged
        decided = [
            (
                outcome.record,
                Resolution.admitted(
                    _passage(run, contract, outcome, judged.admitted[outcome.record]), author=author, note=note
                ),
            )
            for outcome in judged.outcomes
            if outcome.verdict is Verdict.ADMITTED
        ]
        try:
            store.resolve_all(decided, revisions={delivery: state.revision})
        except (StoreChanged, AlreadyResolved):
            continue
        return judged
    finding = BUSY.finding(f"judged {MAX_TRIES} times, and never at a moment of rest")
    return Rejudged(
        tuple(
            replace(outcome, verdict=Verdict.STAYS, after=None, findings=(finding,))
            if outcome.verdict is Verdict.ADMITTED
            else outcome
            for outcome in judged.outcomes
        ),
        {},
    )


def _chosen(store: QuarantineStore, where: Where) -> dict[str, list[str]]:
    """Return the records that are meant, by their delivery, in the order in which they came."""
    chosen: dict[str, list[str]] = {}
    for id, delivery in meant(store, where, status=State.OPEN):
        chosen.setdefault(delivery, []).append(id)
    return chosen


def _gone(id: str, delivery: str) -> Outcome:
    """Say that a record is there no more."""
    return Outcome(record=id, delivery=delivery, before="", verdict=Verdict.RESOLVED, after=None, findings=())


def _require_replay_id(id: str | None) -> None:
    """Refuse a name that names nothing, or fills a screen."""
    if id is None:
        return
    require_note("replay_id", id)
    if not id.strip():
        raise Misuse("replay_id must name the run", remedy='write replay_id="after-version-2", or leave it out')


def _todays_lists(contract: Contract[T], references: Mapping[str, Iterable[str]] | None) -> dict[str, frozenset[str]]:
    """Read today's allow-lists; without them, what was refused for one would pass unchecked."""
    known = allow_lists(contract.terms, references)
    missing = sorted(contract.terms.declared_references - known.keys())
    if missing:
        raise Misuse(
            f"the contract {show(contract.name)} declares a reference {show(missing[0])}, and no allow-list came",
            remedy=f"give references={{{missing[0]!r}: [...]}}, the names that exist today",
        )
    return known


def _passage(run: str, contract: Contract[T], outcome: Outcome, units: tuple[Admitted[T], ...]) -> Passage:
    """Say how a record passed, with its value as JSON; what JSON has no form for is kept as its text."""
    values = [
        to_jsonable_python(unit.value, bytes_mode="base64", inf_nan_mode="strings", fallback=repr) for unit in units
    ]
    value = values if outcome.before == DELIVERY else values[0]
    return Passage(
        replay=run, contract=contract.name, version=contract.version, contract_fingerprint=contract.fingerprint,
        overlay=outcome.overlay, values_json=json.dumps(value, separators=(",", ":")),
    )  # fmt: skip
