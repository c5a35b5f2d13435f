"""Judge what was read: which frame is meant, what each unit is worth beside the others, what is to be told.

What comes out is a verdict; ``admit`` freezes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pratique.boundary.account import rest_of, unclaimed_findings
from pratique.boundary.admission import Truncation
from pratique.boundary.choose import AMBIGUOUS, choose
from pratique.boundary.delivery import Delivery, Stop
from pratique.boundary.explain import checked, explain, json_path, unit_path
from pratique.boundary.frame import Form, regions_of
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
from pratique.boundary.read import NO_LIST, RegionReading, read_region, refused_pieces
from pratique.boundary.scan import ELIDED, NOT_CLOSED
from pratique.boundary.validate import Reader
from pratique.boundary.verdict import Unit, Verdict
from pratique.errors import Code, Effect, Finding, Reason
from pratique.show import show
from pratique.terms import Locality, Terms
from pratique.text import Span

__all__ = ["TRUNCATED", "check_unit", "cut_told", "judge", "note_told", "read_delivery", "reasoning_late"]

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


def read_delivery(terms: Terms[Any], delivery: Delivery, body: str, context: Mapping[str, Any]) -> list[RegionReading]:
    arguments: list[tuple[str, Span]] = []
    at = len(delivery.text) + 1
    for call in delivery.tool_calls:
        arguments.append((call.name, Span(at, at + len(call.arguments))))
        at += len(call.arguments) + 1
    return [read_region(region, terms, context) for region in regions_of(body, tuple(arguments))]


def judge(
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


def reasoning_late(place: Span) -> Finding:
    """Tell that reasoning ends after a payload that was taken."""
    return REASONING_LATE.finding("reasoning ends after the payload that was taken", span=place)


def note_told(code: Code, message: str, span: Span) -> Finding:
    """Turn a note on a frame into a finding; some of them cost the delivery its ``clean``."""
    refusing = code in (ELIDED, NOT_CLOSED, NO_LIST)
    return code.finding(message, span=span, effect=Effect.REFUSE if refusing else Effect.NOTE)


def _frames_told(terms: Terms[Any], verdict: Verdict) -> None:
    """Tell what the chosen frames' forms and envelopes cost."""
    for framed in verdict.chosen:
        for code, message, span in framed.notes:
            verdict.findings.append(note_told(code, message, framed.region.span(span.start, span.end)))
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
    verdict.truncation = Truncation(len(verdict.body), inside, told, seen)
    verdict.findings.append(cut_told(verdict.truncation, delivery.finish_reason))


def cut_told(cut: Truncation, finish_reason: str | None) -> Finding:
    """Tell of a truncation: where, and how it is known."""
    ways = ((f"finish reason {show(finish_reason)}", cut.told), ("the text ends inside a value", cut.seen))
    how = " and ".join(way for way, so in ways if so)
    place = Span(max(0, cut.offset - 1), cut.offset) if cut.offset else None
    return TRUNCATED.finding(f"cut off at character {cut.offset:,}: {how}", path=cut.inside or "$", span=place)


def check_unit(terms: Terms[Any], unit: Unit, *, refuse_all: bool) -> None:
    """Run the contract's own checks on a unit; ``refuse_all``: it refuses without an allow-list, and none came."""
    found = run_checks(terms, unit.outcome.value)
    unit.findings = [*unit.findings, *(checked(finding, terms, unit) for finding in found)]
    if refuses(found):
        unit.reason = Reason.CHECK
    elif refuse_all:
        unit.reason = Reason.ALLOW_LIST
        told = "the contract refuses without an allow-list"
        unit.tell(NO_ALLOW_LIST.finding(told, path=unit_path(terms, unit.index), span=unit.span))


def _guard(terms: Terms[Any], verdict: Verdict, *, refuse_all: bool) -> None:
    """Run the guards that compare units: checks, uniqueness, order and count, batch."""
    alive = [unit for unit in verdict.units if unit.reason is None]
    for unit in alive if terms.checks or refuse_all else ():
        check_unit(terms, unit, refuse_all=refuse_all)
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
