"""Judge the records of one kept delivery again, in their delivery, by the contract of today. Pure.

1. put the delivery together as it stands: the edits of all open records, chosen or not, and those that were
   admitted in their places, discarded units blanked;
2. admit the whole of it, once, whatever the number of records;
3. find each record's unit by its place; take edits that are refused out again, and admit it anew, so that they
   change nothing for their neighbours;
4. refuse what would take the place of a unit that was handed out before, or might;
5. a batch goes together or not at all.

What the caller still owes: to write the verdict down, at the revision it was judged at, before anything is
handed out. ``replay`` does. A delivery of which only the head was kept is judged by ``alone``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pratique.boundary.admission import Admitted, Quarantined, Status
from pratique.contract import Contract
from pratique.errors import Code, Effect, Finding, Reason
from pratique.quarantine.alone import (
    EDIT_IS_ONE,
    Judged,
    admitted_as,
    is_one_unit,
    judged_alone,
    refused_as,
    resolved_before,
    stays,
)
from pratique.quarantine.placing import Blank, Laid, placed
from pratique.quarantine.record import DELIVERY, Detail, State
from pratique.quarantine.replayed import Outcome, Verdict
from pratique.quarantine.store import DeliveryState
from pratique.terms import Locality
from pratique.text import Span

__all__ = ["Rejudged", "rejudged"]

T = TypeVar("T")

NOT_SEEN = Code(
    "quarantine.not_seen", "the contract sees no unit where this one stood",
    "A contract that reads the delivery in another way may see other units; which one this is cannot be known.",
    "admit the delivery anew under that contract, and discard this record",
)  # fmt: skip
DISPLACES = Code(
    "quarantine.displaces", "the unit would take the place of one that was handed out before",
    "What was handed out is never taken back; both together would break the contract's count or uniqueness.",
    "correct the unit, or discard it",
)  # fmt: skip
DELIVERED = Code(
    "quarantine.delivered", "the units of this delivery were handed out when it came",
    "The record stands for what else was wrong with the delivery; there is no unit to admit.",
    "look at the findings, then discard the record",
)  # fmt: skip
NOT_COMPARABLE = Code(
    "quarantine.not_comparable", "the unit cannot be compared with units that were handed out before",
    "A unit that was handed out, and that the contract of today refuses or does not see, still has its identity "
    "and its place under the cap; the contract would not know.",
    "admit the delivery anew under that contract, and discard this record",
)  # fmt: skip
EDITED_SINCE = Code(
    "quarantine.edited_since", "somebody else edited the unit meanwhile",
    "Whoever edits a unit answers for that edit, not for one that came later and was never looked at.",
    "look at the newest edit, then replay the record, or edit it again",
)  # fmt: skip
BATCH_APART = Code(
    "quarantine.batch_apart", "the units of the batch cannot all be resolved together",
    "The batch is applied as a whole or not at all.",
    "wait until no unit of it is snoozed; when one was discarded, discard the others and send the batch again",
)  # fmt: skip

_COMPARED = frozenset({Reason.CONFLICT, Reason.OVER_LIMIT, Reason.AMBIGUOUS, Reason.BATCH})
"""Reasons that a unit can have because of another one."""

MAX_TOLD = 3
"""Findings on the delivery that are told with a record whose unit is not seen: enough to say why."""

MAX_ROUNDS = 8
"""Times that refused edits are taken out of one delivery: each may have held up another one, seldom a third."""


@dataclass(frozen=True, slots=True)
class Rejudged(Generic[T]):
    """The verdict on the chosen records of one delivery, at one revision."""

    outcomes: tuple[Outcome, ...]
    """In the order of the records."""
    admitted: Mapping[str, tuple[Admitted[T], ...]]
    """Record -> its unit; a record of a whole delivery may have several, or none."""


def rejudged(
    state: DeliveryState,
    contract: Contract[T],
    references: Mapping[str, frozenset[str]],
    chosen: Iterable[str],
    *,
    pinned: Mapping[str, int] | None = None,
) -> Rejudged[T]:
    """Judge these records of a delivery again.

    Shape: under a batch contract, all open records of the delivery come along. A verdict does not depend on
        what else is chosen. ``pinned`` maps a record to the number of the edit that is meant, and no newer one.
    Limits: at most MAX_ROUNDS + 2 admissions of the delivery, whatever the number of records.
    """
    wanted, meant = set(chosen), pinned or {}
    is_batch = contract.terms.locality is Locality.BATCH
    asked = [d for d in state.details if d.record.id in wanted or (is_batch and d.record.state is State.OPEN)]
    open_ones = [detail for detail in asked if detail.record.state is State.OPEN]
    judged: list[Judged[T]] = [resolved_before(d) for d in asked if d.record.state is not State.OPEN]
    if not state.delivery.whole:
        judged += [
            stays(detail, _edited_since(detail, meant))
            if _is_stale(detail, meant)
            else judged_alone(detail, state.delivery, contract, references)
            for detail in open_ones
        ]
    else:
        judged += [_whole_delivery(d, contract, references) for d in open_ones if d.record.index is None]
        if any(detail.record.index is not None for detail in open_ones):
            judged += _units(state, contract, references, meant)
    told = {outcome.record: (outcome, units) for outcome, units in judged}
    return Rejudged(
        outcomes=tuple(told[detail.record.id][0] for detail in asked),
        admitted={
            detail.record.id: told[detail.record.id][1]
            for detail in asked
            if told[detail.record.id][0].verdict is Verdict.ADMITTED
        },
    )


# -------------------------------------------------------------------------- units, in their delivery


@dataclass(frozen=True, slots=True)
class _Look(Generic[T]):
    """What the contract sees in the delivery, put together in one way."""

    by_record: Mapping[str, Admitted[T] | Quarantined]
    delivered: Mapping[Span, Admitted[T] | Quarantined | None]
    """What it says today of units that were handed out before, by their place when they came."""
    admitted: int
    findings: tuple[Finding, ...]
    """Those on the delivery that refuse."""


def _units(
    state: DeliveryState, contract: Contract[T], references: Mapping[str, frozenset[str]], pinned: Mapping[str, int]
) -> list[Judged[T]]:
    """Judge all open units of a delivery together, chosen or not."""
    asked = [d for d in state.details if d.record.state is State.OPEN and d.record.index is not None]
    out: dict[str, Judged[T]] = {}  # edits that do not stand, and the verdict on each
    for detail in asked:
        if _is_stale(detail, pinned):
            out[detail.record.id] = stays(detail, _edited_since(detail, pinned))
        elif detail.overlay and not is_one_unit(detail.overlay.text, contract, references):
            out[detail.record.id] = stays(detail, EDIT_IS_ONE.finding("the edit is not exactly one unit"))
    look = _look(state, contract, references, asked, without=out)
    for taken_out in range(MAX_ROUNDS):
        edits = [detail for detail in asked if detail.overlay and detail.record.id not in out]
        refused = _refused_edits(edits, look)
        if not refused:
            break
        if taken_out == MAX_ROUNDS - 1:  # a long chain of edits that need each other: none stands
            refused = {d.record.id: stays(d, NOT_COMPARABLE.finding("edits here need each other")) for d in edits}
        out |= refused
        look = _look(state, contract, references, asked, without=out)
    judged = [out[detail.record.id] if detail.record.id in out else _verdict(detail, look) for detail in asked]
    passed = [detail for detail, (outcome, _) in zip(asked, judged, strict=True) if outcome.verdict is Verdict.ADMITTED]
    if not passed:
        return judged
    finding = (
        _displaced(state, contract, references, look, passed)
        or _incomparable(contract, look, passed)
        or _torn_batch(state, contract, look, passed)
    )
    if finding is None:
        return judged
    names = {detail.record.id for detail in passed}
    return [
        stays(detail, finding) if detail.record.id in names else one for detail, one in zip(asked, judged, strict=True)
    ]


def _is_stale(detail: Detail, pinned: Mapping[str, int]) -> bool:
    """Say whether another edit is meant than the newest one."""
    newest = detail.overlay.number if detail.overlay else 0
    return pinned.get(detail.record.id, newest) != newest


def _edited_since(detail: Detail, pinned: Mapping[str, int]) -> Finding:
    newest = detail.overlay.number if detail.overlay else 0
    return EDITED_SINCE.finding(f"edit {pinned[detail.record.id]} was meant, and edit {newest} is the newest")


def _refused_edits(edits: Sequence[Detail], look: _Look[T]) -> dict[str, Judged[T]]:
    """Return the edits that do not pass, with their verdicts: first those that are no unit where they stand.

    Such an edit may have swallowed its neighbours, which look refused then.
    """
    misplaced = [detail for detail in edits if detail.record.id not in look.by_record]
    if misplaced:
        finding = EDIT_IS_ONE.finding("the edit is not exactly one unit where it stands")
        return {detail.record.id: stays(detail, finding) for detail in misplaced}
    judged = {detail.record.id: _verdict(detail, look) for detail in edits}
    return {id: one for id, one in judged.items() if one[0].verdict is not Verdict.ADMITTED}


def _look(
    state: DeliveryState,
    contract: Contract[T],
    references: Mapping[str, frozenset[str]],
    asked: Sequence[Detail],
    *,
    without: Iterable[str] = (),
    blanked: Iterable[str] = (),
) -> _Look[T]:
    """Put the delivery together and admit it; ``without`` these edits, with these records ``blanked``."""
    wanted = {detail.record.id for detail in asked} - set(without)
    gone = set(blanked)
    blanks: list[Blank] = []
    edits: dict[str, Laid] = {}
    for detail in state.details:
        record = detail.record
        if record.index is None:
            continue
        if record.state is State.DISCARDED or record.id in gone:
            blanks.append(Blank(record.span, record.reason == Reason.AMBIGUOUS))
        elif (text := _text_today(detail, is_asked=record.id in wanted)) is not None:
            edits[record.id] = Laid(record.span, text)
    today = placed(state.delivery.delivery, blanks, list(edits.values()))

    def span_of(detail: Detail) -> Span:
        laid = edits.get(detail.record.id)
        return today.span(detail.record.span) if laid is None else today.laid_span(laid)

    admission = contract.admit(today.delivery, references=references)
    seen: dict[Span, Admitted[T] | Quarantined] = {unit.span: unit for unit in admission.quarantined}
    seen |= {unit.span: unit for unit in admission.units}
    handed_out = {detail.record.span: span_of(detail) for detail in state.details if _was_delivered(detail)}
    handed_out |= {span: today.span(span) for span in state.delivery.admitted_spans}
    delivered = {span: seen.pop(now, None) for span, now in handed_out.items()}
    found = {d.record.id: unit for d in asked if (unit := seen.pop(span_of(d), None)) is not None}
    refusing = tuple(finding for finding in admission.findings if finding.effect is Effect.REFUSE)
    return _Look(found, delivered, len(admission.values), refusing)


def _text_today(detail: Detail, *, is_asked: bool) -> str | None:
    """Return the edit that stands in for the raw text: the one that was admitted, or the one to be judged."""
    if is_asked:
        return detail.overlay.text if detail.overlay else None
    passage = detail.resolutions[-1].resolution.passage if detail.resolutions else None
    if passage is None or passage.overlay is None:
        return None
    return detail.overlays[passage.overlay - 1].text


def _was_delivered(detail: Detail) -> bool:
    return detail.record.state is State.ADMITTED and detail.record.index is not None


def _verdict(detail: Detail, look: _Look[T]) -> Judged[T]:
    unit = look.by_record.get(detail.record.id)
    if unit is None:
        return stays(detail, NOT_SEEN.finding("no unit at its place"), *look.findings[:MAX_TOLD])
    if isinstance(unit, Quarantined):
        return refused_as(detail, unit.reason.value, unit.findings)
    return admitted_as(detail, (unit,), unit.findings)


def _displaced(
    state: DeliveryState,
    contract: Contract[T],
    references: Mapping[str, frozenset[str]],
    look: _Look[T],
    passed: Sequence[Detail],
) -> Finding | None:
    """Find a unit that was handed out, and that the contract would now refuse because of the ones that passed.

    Problem: the best seven of a report were handed out; the eighth, edited to be the best, is admitted in the
    place of the seventh, which is out already. What fails: looking at the eighth alone. What we do: see
    whether the seventh would be admitted if the eighth were not there. What remains: units beyond the
    delivery, which no contract compares.
    """
    lost = [span for span, unit in look.delivered.items() if _is_refused_by_comparison(unit)]
    if not lost:
        return None
    others = _look(state, contract, references, (), blanked=[detail.record.id for detail in passed])
    taken = [span for span in lost if not _is_refused_by_comparison(others.delivered.get(span))]
    if not taken:
        return None
    return DISPLACES.finding(f"{len(taken):,} units that were handed out would be refused today because of it")


def _incomparable(contract: Contract[Any], look: _Look[Any], passed: Sequence[Detail]) -> Finding | None:
    """Find units that were handed out, and of which the contract of today takes no notice.

    Problem: rank 1 was handed out; the name it holds is gone from today's allow-list, so that the contract refuses
    it, and does not count its rank. What fails: another unit, edited to rank 1, passes. What we do: where units
    are compared at all, nothing passes beside such a unit.
    """
    ignored = sum(1 for unit in look.delivered.values() if not isinstance(unit, Admitted))
    terms = contract.terms
    most = 1 if terms.locality is Locality.ONE else terms.limits.max_items
    if not ignored or (not terms.unique and len(look.delivered) + len(passed) <= most):
        return None
    return NOT_COMPARABLE.finding(f"{ignored:,} units that were handed out do not pass today, or are not seen")


def _is_refused_by_comparison(unit: Admitted[Any] | Quarantined | None) -> bool:
    return isinstance(unit, Quarantined) and unit.reason in _COMPARED


def _torn_batch(
    state: DeliveryState, contract: Contract[Any], look: _Look[Any], passed: Sequence[Detail]
) -> Finding | None:
    """Find out whether a batch would be torn apart."""
    if contract.terms.locality is not Locality.BATCH:
        return None
    states = Counter(detail.record.state for detail in state.details)
    left = states[State.OPEN] + states[State.SNOOZED] - len(passed)
    more = look.admitted - len(passed)
    gone = states[State.DISCARDED]
    if not left and not more and not gone and not state.delivery.not_kept:
        return None
    return BATCH_APART.finding(
        f"of the batch, {left:,} units stay, {gone:,} were discarded, {more:,} have no open record, "
        f"{state.delivery.not_kept:,} were not kept"
    )


# -------------------------------------------------------------------------- a delivery as a whole


def _whole_delivery(detail: Detail, contract: Contract[T], references: Mapping[str, frozenset[str]]) -> Judged[T]:
    """Judge a record that stands for a whole delivery: it passes when nothing at all is refused today."""
    kept = detail.delivery
    if kept.admitted:
        return stays(detail, DELIVERED.finding(f"{kept.admitted:,} units were handed out"))
    admission = contract.admit(kept.delivery, references=references)
    if admission.status in (Status.CLEAN, Status.EMPTY):
        return admitted_as(detail, admission.units, admission.findings)
    reason = admission.quarantined[0].reason.value if admission.quarantined else DELIVERY
    return refused_as(detail, reason, admission.refusing_findings)
