"""Join the steps and give the verdict. The only maker of ``Admitted``.

1. look at what the provider told: a reason that is not known, or a refusal, ends it here;
2. read every region (text, or each call's arguments) into frames;
3. choose the frame that is meant, by rank alone; two of the top rank are ambiguous;
4. guard: checks, uniqueness, order, count;
5. account for every character.

What the caller still owes: to look at ``review_required``, and to check what an admitted unit says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pratique.boundary.account import make_account, rest_of
from pratique.boundary.admission import (
    _KEY,
    Account,
    Admission,
    Admitted,
    OnDemand,
    Quarantined,
    Status,
    Truncation,
    Unclaimed,
)
from pratique.boundary.delivery import DECLINED, FINISH_FAILED, FINISH_UNKNOWN, REFUSING, TOO_LARGE, Delivery, Stop
from pratique.boundary.events import judged
from pratique.boundary.explain import unit_path
from pratique.boundary.fast import FastReading, read_fast
from pratique.boundary.guard import (
    conflicts,
    in_declared_order,
    refuses,
    run_checks,
)
from pratique.boundary.judge import TRUNCATED, cut_told, judge, read_delivery
from pratique.boundary.verdict import Verdict
from pratique.errors import Code, Effect, Finding, in_order
from pratique.events import EventSink
from pratique.show import show
from pratique.terms import REFERENCES, Terms
from pratique.text import Span

__all__ = [
    "Tally",
    "admit",
    "admit_forgotten",
    "admit_stopped",
    "admit_streamed",
    "admit_too_large",
    "stopped_late",
    "too_large",
]

T = TypeVar("T")

NOT_KEPT = Code(
    "stream.not_kept",
    "more findings between units than a stream that forgets may keep",
    "What is kept must not grow with the text; that something was left out is told, with the count.",
    "stream with retain=True to see them all, or look at the first ones: they are most often alike",
)
STOPPED_LATE = Code(
    "stream.stopped_late",
    "the delivery was refused as a whole, after units of it were handed out",
    "What a stream has handed out cannot be taken back; nothing after it was admitted.",
    'where that must not happen, use a contract that waits for the whole delivery: leave frames="first" out',
)


def admit(
    terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]], events: EventSink | None
) -> Admission[T]:
    """Judge one delivery.

    Errors: raises nothing on account of what the producer wrote.
    """
    verdict = _before_reading(terms, delivery)
    admission = None if verdict.stopped else _admit_fast(terms, delivery, references, verdict.body)
    if admission is None:
        admission = _admit_walking(terms, delivery, references, verdict)
    return _told(terms, delivery, admission, events)


def admit_walking(terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]]) -> Admission[T]:
    """Judge one delivery unit by unit, never by the fast path, which must give the same verdict."""
    return _admit_walking(terms, delivery, references, _before_reading(terms, delivery))


def _admit_walking(
    terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]], verdict: Verdict
) -> Admission[T]:
    if not verdict.stopped:
        context = {REFERENCES: references}
        judge(terms, delivery, references, read_delivery(terms, delivery, verdict.body, context), verdict)
    return _frozen(terms, delivery, verdict)


def _before_reading(terms: Terms[Any], delivery: Delivery) -> Verdict:
    """Look at what was told, and at the size, before anything is read."""
    body = delivery.body
    verdict = Verdict(body)
    stop = delivery.stop
    if stop in REFUSING:
        code = {Stop.DECLINED: DECLINED, Stop.FAILED: FINISH_FAILED, Stop.UNKNOWN: FINISH_UNKNOWN}[stop]
        verdict.findings.append(code.finding(f"finish reason {show(delivery.finish_reason)}"))
        verdict.stopped = True
    size = len(body)
    if size > terms.limits.max_bytes // 4:
        size = len(body.encode("utf-8", "surrogatepass"))
    if size > terms.limits.max_bytes:
        verdict.findings.append(too_large(terms, size))
        verdict.stopped = True
    return verdict


def too_large(terms: Terms[Any], size: int) -> Finding:
    """Tell of a delivery over the limit; ``size`` in bytes."""
    return TOO_LARGE.finding(f"{size:,} bytes; the limit is {terms.limits.max_bytes:,}")


# -------------------------------------------------------------------------- the fast path


def _admit_fast(
    terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]], body: str
) -> Admission[T] | None:
    """Give the verdict on a delivery in which nothing is wrong; None when anything at all is."""
    if delivery.tool_calls or delivery.stop is Stop.TRUNCATED or terms.declared_references - references.keys():
        return None
    reading = read_fast(body, terms, {REFERENCES: references})
    if reading is None or len(reading.values) > terms.limits.max_items:
        return None
    values = reading.values
    if terms.checks and any(run_checks(terms, value) for value in values):
        return None
    if terms.unique and conflicts(terms, values):
        return None
    return _all_sound(terms, delivery, references, reading)


def admit_streamed(
    terms: Terms[T],
    delivery: Delivery,
    references: Mapping[str, frozenset[str]],
    known: tuple[list[Any], int] | None,
    events: EventSink | None,
) -> Admission[T]:
    """Judge a delivery that a stream has read; ``known`` when nothing was wrong with any unit of it.

    Shape: ``known`` is the values that were handed out, and where their list ended.
    """
    admission: Admission[T] | None = None
    if known is not None and delivery.stop is not Stop.TRUNCATED:
        reading = read_fast(delivery.text, terms, {REFERENCES: references}, known)
        admission = _all_sound(terms, delivery, references, reading) if reading is not None else None
    if admission is None:
        return admit(terms, delivery, references, events)
    return _told(terms, delivery, admission, events)


def _all_sound(
    terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]], reading: FastReading
) -> Admission[T] | None:
    """Admit all values of a reading; None when the rules on the list as a whole say something."""
    values = reading.values
    if terms.list_rules is not None and terms.list_rules(values):
        return None
    if terms.order_by is not None:
        order, without = in_declared_order(terms, values)
        if without:
            return None
        values = [values[index] for index in order]

    def account() -> Account:
        verdict = _before_reading(terms, delivery)
        context = {REFERENCES: references}
        judge(terms, delivery, references, read_delivery(terms, delivery, verdict.body, context), verdict)
        return make_account(terms, verdict)

    return Admission(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint, delivery=delivery,
        values=tuple(values), envelope=reading.envelope, status=Status.CLEAN, truncation=None, seen=len(values),
        on_demand=OnDemand(account), key=_KEY,
    )  # fmt: skip


def admit_stopped(
    terms: Terms[T],
    delivery: Delivery,
    references: Mapping[str, frozenset[str]],
    handed_out: tuple[int, int],
    size: int,
    events: EventSink | None,
) -> Admission[T]:
    """Judge a stream that was refused as a whole after units of it were handed out: they stay, nothing more comes.

    Shape: ``handed_out`` is how many units, and the index after the last of them; ``size`` is all bytes that
        came, also those that were not kept.
    """
    many, stop = handed_out
    verdict = _before_reading(terms, delivery)
    if size > terms.limits.max_bytes:
        verdict.findings.append(too_large(terms, size))
    readings = read_delivery(terms, delivery, verdict.body, {REFERENCES: references})
    judge(terms, delivery, references, readings, verdict)
    verdict.stopped = False
    verdict.units = [unit for unit in verdict.units if unit.index < stop]
    verdict.kept = verdict.kept[:many]
    verdict.findings.append(stopped_late(many))
    verdict.rest = rest_of(verdict)
    admission = _frozen(terms, delivery, verdict)
    return _told(terms, delivery, admission, events)


# -------------------------------------------------------------------------- freezing


def _status(terms: Terms[Any], verdict: Verdict, delivery: Delivery) -> Status:
    if delivery.stop is Stop.DECLINED:
        return Status.REFUSED
    values = [unit.outcome.value for unit in verdict.kept]
    if terms.refusal is not None and any(isinstance(value, terms.refusal) for value in values):
        return Status.REFUSED
    lost = len(verdict.kept) < len(verdict.units)
    refused = refuses(verdict.findings) or any(refuses(unit.findings) for unit in verdict.kept if unit.findings)
    if not values:
        well_formed = verdict.chosen and not lost and not refused and verdict.truncation is None
        return Status.EMPTY if well_formed else Status.LOST
    return Status.PARTIAL if lost or refused or verdict.truncation is not None else Status.CLEAN


def _frozen(terms: Terms[T], delivery: Delivery, verdict: Verdict) -> Admission[T]:
    if verdict.stopped:
        verdict.rest = rest_of(verdict)
    return Admission(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint, delivery=delivery,
        values=tuple(unit.outcome.value for unit in verdict.kept), envelope=verdict.envelope,
        status=_status(terms, verdict, delivery), truncation=verdict.truncation,
        seen=len(verdict.units), on_demand=OnDemand(lambda: make_account(terms, verdict)), key=_KEY,
    )  # fmt: skip


def _told(terms: Terms[T], delivery: Delivery, admission: Admission[T], events: EventSink | None) -> Admission[T]:
    """Tell the caller's sink of a verdict, and return it."""
    if events is not None:
        events.emit(judged(terms, delivery, admission))
    return admission


def stopped_late(many: int) -> Finding:
    """Tell that a delivery was refused as a whole after ``many`` units went out."""
    return STOPPED_LATE.finding(f"{many:,} units were handed out before")


def admit_too_large(terms: Terms[T], delivery: Delivery, size: int, events: EventSink | None) -> Admission[T]:
    """Refuse a stream of which more came than may be read, before a unit of it was handed out."""
    verdict = Verdict(delivery.body, findings=[too_large(terms, size)], stopped=True)
    admission = _frozen(terms, delivery, verdict)
    return _told(terms, delivery, admission, events)


@dataclass(slots=True)
class Tally:
    """Count what a stream handed out and did not keep, and keep what it refused, within limits."""

    seen: int = 0
    released: int = 0
    noted: bool = False
    """A unit that was handed out has a finding that costs the delivery its ``clean``."""
    quarantined: list[Quarantined] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unclaimed: list[Unclaimed] = field(default_factory=list)
    not_kept: int = 0
    """Findings and unclaimed stretches over the limits."""
    lost_refusing: bool = False
    """One of those that were not kept costs the delivery its ``clean``."""
    cut: bool = False
    """The text ends inside the list."""
    cut_inside: int | None = None
    """The index of the last unit, if the text ends inside it."""


def admit_forgotten(
    terms: Terms[T],
    delivery: Delivery,
    references: Mapping[str, frozenset[str]],
    tally: Tally,
    left: tuple[list[Admitted[T]], tuple[int, int]],
    measured: tuple[str, int],
    events: EventSink | None,
) -> Admission[T]:
    """Judge a stream whose units were not kept: the document around them, and the tally of the units.

    Shape: the delivery's text without the units after the second; ``left`` is the units that only the end
        decided, and where the units that were dropped stood and how many characters they were; ``measured`` is the
        digest and the size of all that came.
    """
    units, (at, many) = left
    verdict = _before_reading(terms, delivery)
    if verdict.stopped:
        verdict.findings.append(stopped_late(tally.released))
    judge(terms, delivery, references, read_delivery(terms, delivery, verdict.body, {REFERENCES: references}), verdict)

    def moved(span: Span) -> Span:
        return Span(*(place + many if place >= at else place for place in span))

    findings = [
        replace(told, span=moved(told.span)) if told.span else told
        for told in verdict.findings
        if told.code != TRUNCATED.id
    ]
    findings += [told for told in tally.findings if told not in findings]
    if tally.not_kept:
        effect = Effect.REFUSE if tally.lost_refusing else Effect.NOTE
        findings.append(NOT_KEPT.finding(f"{tally.not_kept:,} more were told and not kept", effect=effect))
    unclaimed = [
        Unclaimed(moved(claim.span), verdict.body[slice(*claim.span)])
        for claim in verdict.rest
        if claim.owner == "unclaimed"
    ]
    unclaimed = sorted([*unclaimed, *tally.unclaimed])
    cut = verdict.truncation
    if cut is None and tally.cut:
        cut = Truncation(len(verdict.body), "", delivery.stop is Stop.TRUNCATED, True)
    if cut is not None:
        inside = cut.inside if tally.cut_inside is None else unit_path(terms, tally.cut_inside)
        cut = replace(cut, offset=cut.offset + many, inside=inside)
        findings.append(cut_told(cut, delivery.finish_reason))
    admitted = tally.released + len(units)
    sound = admitted == tally.seen and not refuses(findings) and not tally.noted and cut is None
    status = Status.CLEAN if sound else Status.PARTIAL if admitted else Status.LOST
    account = Account(tuple(units), tuple(tally.quarantined), in_order(findings), tuple(unclaimed), (), ())
    admission: Admission[T] = Admission(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint, delivery=delivery,
        values=tuple(unit.value for unit in units), envelope=verdict.envelope, status=status,
        truncation=cut, seen=tally.seen, on_demand=OnDemand(account), key=_KEY, released=tally.released,
        measured=measured,
    )  # fmt: skip
    return _told(terms, delivery, admission, events)
