"""Join the steps and give the verdict. The only maker of ``Admitted``.

1. look at what the provider told: a reason that is not known, or a refusal, ends it here;
2. read every region (text, or each call's arguments) into frames;
3. choose the frame that is meant, by rank alone; two of the top rank are ambiguous;
4. guard: checks, uniqueness, order, count;
5. account for every character.

What the caller still owes: to look at ``review_required``, and to check what an admitted unit says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from blake3 import blake3

from pratique.boundary.account import make_account, rest_of, unclaimed_findings
from pratique.boundary.admission import (
    _KEY,
    Account,
    Admission,
    OnDemand,
    Status,
    Truncation,
)
from pratique.boundary.choose import AMBIGUOUS, choose
from pratique.boundary.delivery import DECLINED, FINISH_FAILED, FINISH_UNKNOWN, TOO_LARGE, Delivery, Stop
from pratique.boundary.explain import checked, explain, json_path, unit_path
from pratique.boundary.fast import read_fast
from pratique.boundary.frame import Form, Region, regions_of
from pratique.boundary.grammar import grammar_of
from pratique.boundary.guard import (
    CONFLICT,
    ORDER_FAILED,
    OVER_LIMIT,
    conflicts,
    in_declared_order,
    refuses,
    run_checks,
)
from pratique.boundary.read import (
    NO_LIST,
    Framed,
    RegionReading,
    read_region,
    refused_pieces,
    tool_names,
    unknown_tool,
)
from pratique.boundary.scan import ELIDED, NOT_CLOSED, Kind, Piece
from pratique.boundary.validate import Outcome, Reader
from pratique.boundary.verdict import Unit, Verdict
from pratique.errors import Code, Effect, Reason
from pratique.events import EventSink
from pratique.show import show
from pratique.terms import REFERENCES, Locality, Terms
from pratique.text import Span

__all__ = ["DeliveryJudged", "admit"]

T = TypeVar("T")

NO_PAYLOAD = Code(
    "frame.no_payload", "nothing in the delivery claims to be payload",
    "There may be prose, reasoning, or JSON of another shape; none of it is a unit of this contract.",
    "look at what came; ask for the payload alone", "I cannot rank these.", '[{"rank": 1}]',
)  # fmt: skip
TOO_MANY = Code(
    "frame.too_many",
    "too many broken payloads in one delivery",
    "Each broken payload may cost a look at all that follows; past a bound the rest is told, not read.",
    "look at what came: this is no report with a slip in it",
)
REASONING_LATE = Code(
    "frame.reasoning_late", "a closing reasoning mark stands after the payload that was taken",
    'With frames="first" the first payload is taken as it comes; what was taken may have been a draft.',
    'ask the provider to keep reasoning apart, or leave frames="first" out',
    '[{"rank": 1}] </think>', '<think>draft</think> [{"rank": 1}]',
)  # fmt: skip
TRUNCATED = Code(
    "delivery.truncated", "the delivery was cut off",
    "What came before the cut is sound, but what is missing cannot be known, even when the text parses.",
    "raise max_tokens, ask for fewer units, or ask for the rest; never repeat at the same limit",
)  # fmt: skip
BATCH_LOST = Code(
    "guard.batch_lost", "the unit is sound, but its batch is not whole",
    "The batch is applied as a whole or not at all.", "correct the other units and send the batch again",
    reason=Reason.BATCH,
)  # fmt: skip
NO_ALLOW_LIST = Code(
    "guard.reference_unchecked", "a reference is declared, but no allow-list came with the call",
    "An inert check looks like a passed one; so it is told, every time.",
    "pass references={…} to admit(), or --references NAME=FILE to pratique check",
)  # fmt: skip
ENVELOPE_MISSING = Code(
    "envelope.missing", "the contract's envelope is not there",
    "The units came without the document around them.", "send the whole document, or make the envelope optional",
    '[{"rank": 1}]', '{"summary": "x", "recommendations": [{"rank": 1}]}',
)  # fmt: skip
ENVELOPE_SEVERAL = Code(
    "envelope.several",
    "several payloads were taken, each with an envelope of its own",
    "An admission has one envelope; the others are not given, and that is told.",
    'admit the payloads one by one, or choose with frames="first" or "last"',
)
MANY_FOR_ONE = Code(
    "guard.more_than_one", "several units where exactly one is due",
    "Which one is meant cannot be known.", "send one", reason=Reason.AMBIGUOUS,
)  # fmt: skip

MAX_CLAIMANTS = 5
"""Other claimants of one identity that a finding names."""


@dataclass(frozen=True, slots=True)
class DeliveryJudged:
    """The boundary's event: one delivery was judged."""

    contract: str
    version: str
    fingerprint: str
    producer: str
    model: str | None
    digest: str
    """BLAKE3 of the delivery's body in UTF-8."""
    status: str
    truncated: bool
    counts: Mapping[str, int]

    @property
    def name(self) -> str:
        """The event's stable name."""
        return "boundary.delivery_judged"

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "contract": self.contract, "version": self.version, "fingerprint": self.fingerprint,
            "producer": self.producer, "model": self.model, "digest": self.digest, "status": self.status,
            "truncated": self.truncated, "counts": dict(self.counts),
        }  # fmt: skip


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
    if events is not None:
        events.emit(_event(terms, delivery, admission))
    return admission


def admit_walking(terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]]) -> Admission[T]:
    """Judge one delivery unit by unit, never by the fast path, which must give the same verdict."""
    return _admit_walking(terms, delivery, references, _before_reading(terms, delivery))


def _admit_walking(
    terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]], verdict: Verdict
) -> Admission[T]:
    if not verdict.stopped:
        context = {REFERENCES: references}
        _judge(terms, delivery, references, _read(terms, delivery, verdict.body, context), verdict)
    return _frozen(terms, delivery, verdict)


def _before_reading(terms: Terms[Any], delivery: Delivery) -> Verdict:
    """Look at what was told, and at the size, before anything is read."""
    body = delivery.body
    verdict = Verdict(body)
    stop = delivery.stop
    if stop in (Stop.DECLINED, Stop.FAILED, Stop.UNKNOWN):
        code = {Stop.DECLINED: DECLINED, Stop.FAILED: FINISH_FAILED, Stop.UNKNOWN: FINISH_UNKNOWN}[stop]
        verdict.findings.append(code.finding(f"finish reason {show(delivery.finish_reason)}"))
        verdict.stopped = True
    size = len(body)
    if size > terms.limits.max_bytes // 4:
        size = len(body.encode("utf-8", "surrogatepass"))
    if size > terms.limits.max_bytes:
        verdict.findings.append(TOO_LARGE.finding(f"{size:,} bytes; the limit is {terms.limits.max_bytes:,}"))
        verdict.stopped = True
    return verdict


def _read(terms: Terms[Any], delivery: Delivery, body: str, context: Mapping[str, Any]) -> list[RegionReading]:
    arguments: list[tuple[str, Span]] = []
    at = len(delivery.text) + 1
    for call in delivery.tool_calls:
        arguments.append((call.name, Span(at, at + len(call.arguments))))
        at += len(call.arguments) + 1
    readings = []
    for region in regions_of(body, tuple(arguments)):
        if region.tool is not None and not (region.tool in terms.unit.tags or region.tool in tool_names(terms)):
            piece = Piece(Kind.SOUND, region.start, region.stop, unknown_tool(region.tool))
            framed = Framed(
                Form.CALLS, region, region.start, region.stop, [piece], None, True, False, True,
            )  # fmt: skip
            readings.append(RegionReading(region, [framed], [], False))
            continue
        reading = read_region(region, terms, context)
        if region.tool is not None and not reading.frames:
            reading.frames.append(_unread_call(region))
        readings.append(reading)
    return readings


def _unread_call(region: Region) -> Framed:
    """Keep a call's arguments in which no payload was found: a call is a unit even when it is broken."""
    piece: Piece[Outcome] = Piece(Kind.BROKEN, region.start, region.stop, None)
    return Framed(
        Form.CALLS, region, region.start, region.stop, [piece], None, True, False, True,
    )  # fmt: skip


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
    if terms.list_rules is not None and terms.list_rules(reading.values):
        return None
    values = reading.values
    if terms.checks and any(run_checks(terms, value) for value in values):
        return None
    if terms.unique and conflicts(terms, values):
        return None
    if terms.order_by is not None:
        order, without = in_declared_order(terms, values)
        if without:
            return None
        values = [values[index] for index in order]

    def account() -> Account:
        verdict = _before_reading(terms, delivery)
        context = {REFERENCES: references}
        _judge(terms, delivery, references, _read(terms, delivery, body, context), verdict)
        return make_account(terms, verdict)

    return Admission(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint, delivery=delivery,
        values=tuple(values), envelope=reading.envelope, status=Status.CLEAN, truncation=None, seen=len(values),
        on_demand=OnDemand(account), key=_KEY,
    )  # fmt: skip


# -------------------------------------------------------------------------- judging


def _judge(
    terms: Terms[Any],
    delivery: Delivery,
    references: Mapping[str, frozenset[str]],
    readings: list[RegionReading],
    verdict: Verdict,
) -> None:
    """Choose, guard, and find out all that is to be told."""
    verdict.reasoning = [span for reading in readings for span in _body_spans(reading)]
    chosen = choose(terms, readings, verdict)
    if chosen:
        verdict.chosen = chosen
    for framed in chosen:
        refused_pieces(framed, terms)
        verdict.units += [Unit(framed, piece, piece.outcome) for piece in framed.pieces if piece.outcome]
    for index, unit in enumerate(verdict.units):
        unit.index = index
        if unit.framed.ambiguous and terms.frames != "first":
            unit.reason = Reason.AMBIGUOUS
            unit.tell(AMBIGUOUS.finding("the list's key comes twice", span=unit.span))
        if unit.reason is None:
            unit.reason = unit.outcome.reason
        if unit.outcome.problems or unit.outcome.edits:
            explain(terms, unit)
    for framed in chosen:
        if framed.ambiguous and terms.frames == "first":
            place = framed.region.span(framed.start, framed.end)
            verdict.findings.append(
                AMBIGUOUS.finding("the list's key comes twice; the first list is taken", span=place)
            )
    for reading in readings:
        for mark in reading.late_marks:
            place = reading.region.span(mark.start, mark.end)
            verdict.findings.append(
                REASONING_LATE.finding("reasoning ends after the payload that was taken", span=place)
            )
        if reading.given_up_at is not None:
            place = reading.region.span(reading.given_up_at, reading.given_up_at)
            verdict.findings.append(TOO_MANY.finding("no more payloads are looked for from here on", span=place))
    if not verdict.chosen:
        verdict.findings.append(NO_PAYLOAD.finding("no payload of this contract was found"))
    _frames_told(terms, verdict)
    _truncation(delivery, readings, verdict, terms)
    unchecked = sorted(terms.declared_references - references.keys())
    for name in unchecked:
        verdict.findings.append(NO_ALLOW_LIST.finding(f"no allow-list for {show(name)} came with the call"))
    _guard(terms, verdict, refuse_all=bool(unchecked) and terms.references == "refuse")
    verdict.rest = rest_of(verdict)
    verdict.findings += unclaimed_findings(grammar_of(terms), verdict)
    _whole_or_nothing(terms, verdict)


def _body_spans(reading: RegionReading) -> list[Span]:
    return [reading.region.span(span.start, span.end) for span in reading.reasoning]


def _frames_told(terms: Terms[Any], verdict: Verdict) -> None:
    """Tell what the chosen frames' forms and envelopes cost."""
    for framed in verdict.chosen:
        for code, message, span in framed.notes:
            refusing = code in (ELIDED, NOT_CLOSED, NO_LIST)
            verdict.findings.append(
                code.finding(message, span=framed.region.span(span.start, span.end),
                             effect=Effect.REFUSE if refusing else Effect.NOTE)
            )  # fmt: skip
        envelope = framed.envelope
        if envelope is not None:
            verdict.envelope_edits += envelope.edits
            verdict.envelope_spans += [framed.region.span(start, end) for start, end in envelope.spans if end > start]
            for problem, place in envelope.problems:
                verdict.findings.append(
                    problem.code.finding(problem.message, path="$" + json_path(problem.loc), span=place)
                )
            if envelope.valid and verdict.has_envelope:
                verdict.findings.append(ENVELOPE_SEVERAL.finding("only the first envelope is kept"))
            elif envelope.valid:
                verdict.envelope = envelope.value
                verdict.has_envelope = True
        elif terms.envelope is not None and framed.form not in (Form.CALLS,):
            outcome = Reader(terms.envelope, terms.limits, {}, "{}").read("{}")
            if outcome is not None and outcome.reason is None:
                verdict.envelope = outcome.value
            else:
                verdict.findings.append(ENVELOPE_MISSING.finding("the units came without their envelope"))
    if len(verdict.chosen) > 1 and terms.frames == "only" and any(u.reason is Reason.AMBIGUOUS for u in verdict.units):
        verdict.envelope = None


def _truncation(delivery: Delivery, readings: list[RegionReading], verdict: Verdict, terms: Terms[Any]) -> None:
    told = delivery.stop is Stop.TRUNCATED
    cut = [framed for framed in verdict.chosen if framed.cut]
    seen = (
        bool(cut)
        or (not verdict.chosen and any(reading.cut for reading in readings))
        or bool(readings and readings[-1].cut)
    )
    if not (told or seen):
        return
    inside = ""
    last = verdict.units[-1] if verdict.units else None
    if last is not None and last.reason is Reason.TRUNCATED:
        inside = unit_path(terms, last.index)
    elif cut:
        inside = "$"
    offset = len(verdict.body)
    verdict.truncation = Truncation(offset, inside, told, seen)
    how = " and ".join(
        part for part, so in (
            (f"finish reason {show(delivery.finish_reason)}", told), ("the text ends inside a value", seen)
        ) if so
    )  # fmt: skip
    verdict.findings.append(
        TRUNCATED.finding(
            f"cut off at character {offset:,}: {how}",
            path=inside or "$",
            span=Span(max(0, offset - 1), offset) if offset else None,
        )
    )


def _guard(terms: Terms[Any], verdict: Verdict, *, refuse_all: bool) -> None:
    """Run the guards that compare units: checks, uniqueness, order and count, batch."""
    alive = [unit for unit in verdict.units if unit.reason is None]
    for unit in alive if terms.checks or refuse_all else ():
        found = run_checks(terms, unit.outcome.value)
        unit.findings = [*unit.findings, *(checked(finding, terms, unit) for finding in found)]
        if refuses(found):
            unit.reason = Reason.CHECK
        elif refuse_all:
            unit.reason = Reason.ALLOW_LIST
            unit.tell(
                NO_ALLOW_LIST.finding(
                    "the contract refuses without an allow-list", path=unit_path(terms, unit.index), span=unit.span
                )
            )
    alive = [unit for unit in alive if unit.reason is None]
    claimed = conflicts(terms, [unit.outcome.value for unit in alive]) if terms.unique else {}
    for index, (named, claimants) in claimed.items():
        unit = alive[index]
        near = [alive[other].index for other in claimants[: MAX_CLAIMANTS + 1]]
        others = _others(near, unit.index, len(claimants))
        unit.reason = Reason.CONFLICT
        unit.tell(
            CONFLICT.finding(
                f"{named} is claimed by unit {others} too", path=unit_path(terms, unit.index), span=unit.span
            )
        )
    alive = [unit for unit in alive if unit.reason is None]
    order, without = in_declared_order(terms, [unit.outcome.value for unit in alive] if terms.order_by else alive)
    for index in without:
        alive[index].reason = Reason.CHECK
        alive[index].tell(
            ORDER_FAILED.finding(
                "the contract's order gives this unit no place",
                path=unit_path(terms, alive[index].index),
                span=alive[index].span,
            )
        )
    limit = 1 if terms.locality is Locality.ONE else terms.limits.max_items
    for index in order[limit:]:
        unit = alive[index]
        many = terms.locality is Locality.ONE
        unit.reason = Reason.AMBIGUOUS if many else Reason.OVER_LIMIT
        code = MANY_FOR_ONE if many else OVER_LIMIT
        unit.tell(code.finding(
            "one unit is due" if many else f"{len(order)} sound units; the limit is {limit}",
            path=unit_path(terms, unit.index), span=unit.span,
        ))  # fmt: skip
    if terms.locality is Locality.ONE and len(order) > 1:
        for index in order[:1]:
            alive[index].reason = Reason.AMBIGUOUS
            alive[index].tell(MANY_FOR_ONE.finding("one unit is due", path="$", span=alive[index].span))
    verdict.kept = [alive[index] for index in order[:limit] if alive[index].reason is None]
    if terms.list_rules is not None and verdict.chosen:
        told = terms.list_rules([unit.outcome.value for unit in verdict.kept])
        where = "$" + json_path(terms.at)
        verdict.findings += [replace(finding, path=where + finding.path) for finding in told]


def _whole_or_nothing(terms: Terms[Any], verdict: Verdict) -> None:
    """Give up a batch of which anything at all was lost or is in doubt."""
    if terms.locality is not Locality.BATCH:
        return
    lost = len(verdict.kept) < len(verdict.units) or verdict.truncation is not None
    if not lost and not refuses(verdict.findings) and not any(refuses(unit.findings) for unit in verdict.kept):
        return
    for unit in verdict.kept:
        unit.reason = Reason.BATCH
        unit.tell(
            BATCH_LOST.finding(
                "another unit of the batch, or the delivery itself, is not sound",
                path=unit_path(terms, unit.index),
                span=unit.span,
            )
        )
    verdict.kept = []


def _others(claimants: Sequence[int], own: int, many: int) -> str:
    """Name some other claimants of an identity, and count the rest."""
    named = [str(other) for other in claimants if other != own][:MAX_CLAIMANTS]
    more = many - 1 - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more > 0 else "")


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


def _event(terms: Terms[Any], delivery: Delivery, admission: Admission[Any]) -> DeliveryJudged:
    return DeliveryJudged(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint,
        producer=delivery.producer.value, model=delivery.model,
        digest="b3:" + blake3(delivery.body.encode("utf-8", "surrogatepass")).hexdigest(),
        status=admission.status.value, truncated=admission.truncated, counts=admission.counts,
    )  # fmt: skip
