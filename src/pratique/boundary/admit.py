"""Join the steps and give the verdict. The only maker of ``Admitted``.

1. look at what the provider told: a reason that is not known, or a refusal, ends it here;
2. read every region (text, or each call's arguments) into frames;
3. choose the frame that is meant, by rank alone; two of the top rank are ambiguous;
4. guard: checks, uniqueness, order, count;
5. account for every character.

What the caller still owes: to look at ``review_required``, and to check what an admitted unit says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from blake3 import blake3

from pratique.boundary.admission import (
    _KEY,
    Account,
    Admission,
    Admitted,
    Claim,
    Edit,
    OnDemand,
    Quarantined,
    Status,
    Truncation,
    Unclaimed,
)
from pratique.boundary.delivery import DECLINED, FINISH_FAILED, FINISH_UNKNOWN, TOO_LARGE, Delivery, Stop
from pratique.boundary.fast import read_fast
from pratique.boundary.frame import Form, Region, regions_of, span_at
from pratique.boundary.grammar import COMMENT, ELLIPSIS, Grammar, grammar_of, repeat
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
    draft_for,
    read_region,
    refused_pieces,
    tool_names,
    unknown_tool,
)
from pratique.boundary.repair import after_of, as_edited
from pratique.boundary.scan import ELIDED, NOT_CLOSED, Kind, Piece
from pratique.boundary.validate import EXTRA, Outcome, Problem, Reader, key_place, locate, written_loc
from pratique.errors import Code, Effect, Finding, Reason, in_order
from pratique.events import EventSink
from pratique.limits import MAX_SEPARATOR_CHARS
from pratique.show import show
from pratique.terms import REFERENCES, Locality, Terms
from pratique.text import Span

__all__ = ["DeliveryJudged", "admit"]

T = TypeVar("T")

AMBIGUOUS = Code(
    "frame.ambiguous", "several payloads of the same rank, and no way to tell which one is meant",
    "The first may be a draft or an example, the last may be injected; neither rule is safe.",
    'ask for one payload, or choose with frames="first", "last" or "all"', reason=Reason.AMBIGUOUS,
)  # fmt: skip
REPEATED = Code(
    "frame.repeated",
    "the same payload came more than once",
    "Identical payloads cannot contradict each other; they count as one.",
    "nothing to do",
)
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
UNCLAIMED_KEY = Code(
    "frame.unclaimed_unit", "text that belongs to nothing holds a key of the unit",
    "It may be the rest of a damaged unit, or a quoted example; nothing of it was admitted.",
    "look at the unclaimed text",
)  # fmt: skip
REASONING_UNIT = Code(
    "frame.reasoning_unit", "the reasoning holds something that looks like a unit",
    "Drafts in reasoning are not what the producer delivers; nothing of it was admitted.", "nothing to do",
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

_INFO_STRING = repeat(r"[A-Za-z0-9_+-]++(?=\s|\Z)", "?")
_RE_BLANK = re.compile(repeat(rf"[\s,\ufeff]++|(?:```|~~~)[ \t]*+{_INFO_STRING}"))
_RE_SIMPLE_GAP = re.compile(r"[\s,]*+")
_SEPARATOR = rf"[\s,\[\]{{}}\ufeff]++|{COMMENT}|{ELLIPSIS}|```[A-Za-z0-9_+-]*+"
_RE_SEPARATORS = re.compile(repeat(_SEPARATOR), re.DOTALL)
_RE_OTHER = re.compile(r"[^\s,\[\]{}]++" + repeat(r"[ \t]++[^\s,\[\]{}]++"))

MAX_CLAIMANTS = 5
"""Other claimants of one identity that a finding names."""

SNIPPET_CHARS = 200
"""Characters of an edit's text that are kept on each side."""


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


@dataclass(slots=True)
class _Unit:
    """One unit on its way through the guards."""

    framed: Framed
    piece: Piece[Outcome]
    outcome: Outcome
    index: int = 0
    findings: Sequence[Finding] = ()
    reason: Reason | None = None

    def tell(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings = [*self.findings, finding]

    @property
    def span(self) -> Span:
        return self.framed.region.span(self.piece.start, self.piece.end)


@dataclass(slots=True)
class _Verdict:
    """All that was found out, before it is frozen."""

    body: str
    findings: list[Finding] = field(default_factory=list)
    units: list[_Unit] = field(default_factory=list)
    kept: list[_Unit] = field(default_factory=list)
    chosen: list[Framed] = field(default_factory=list)
    envelope: Any = None
    envelope_edits: list[Edit] = field(default_factory=list)
    envelope_spans: list[Span] = field(default_factory=list)
    reasoning: list[Span] = field(default_factory=list)
    has_envelope: bool = False
    truncation: Truncation | None = None
    rest: list[Claim] = field(default_factory=list)
    """Who owns what is no unit."""
    stopped: bool = False
    """Nothing was read: the provider's word, or the size, ended it."""


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
    terms: Terms[T], delivery: Delivery, references: Mapping[str, frozenset[str]], verdict: _Verdict
) -> Admission[T]:
    if not verdict.stopped:
        context = {REFERENCES: references}
        _judge(terms, delivery, references, _read(terms, delivery, verdict.body, context), verdict)
    return _frozen(terms, delivery, verdict)


def _before_reading(terms: Terms[Any], delivery: Delivery) -> _Verdict:
    """Look at what was told, and at the size, before anything is read."""
    body = delivery.body
    verdict = _Verdict(body)
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


# -------------------------------------------------------------------------- choosing


def _rank(framed: Framed, terms: Terms[Any]) -> int | None:
    """Rank a frame: 0 with a valid envelope, 1 a list without, 2 a bare unit; None: no candidate."""
    if terms.locality is Locality.ONE:
        return 1 if framed.form in (Form.UNIT, Form.CALLS, Form.LINES) else 2 if framed.form is Form.LIST else None
    if framed.envelope is not None and framed.envelope.valid and framed.form in (Form.REPORT, Form.LINES):
        return 0
    if framed.form is Form.UNIT:
        return 2 if framed.alone else None
    return 1


def _is_torn_report(framed: Framed) -> bool:
    """Say whether a frame is a report with units in it whose document is damaged, not merely invalid."""
    return framed.form is Form.REPORT and framed.count > 0 and framed.envelope is not None and framed.envelope.torn


def _same(frames: list[Framed]) -> bool:
    """Say whether all frames hold the same text, white space apart."""
    texts = {"".join(f.region.text[f.start : f.end].split()) for f in frames}
    return len(texts) == 1


def _choose(terms: Terms[Any], readings: list[RegionReading], verdict: _Verdict) -> list[Framed]:
    """Return the frames that are meant; report ambiguity."""
    called = [framed for reading in readings if reading.region.tool for framed in reading.frames]
    if called:
        return called
    frames = [framed for reading in readings for framed in reading.frames]
    written = [framed for framed in frames if framed.form is Form.CALLS]
    if written and len(written) == len(frames):
        return written
    ranked = [(rank, framed) for framed in frames if (rank := _rank(framed, terms)) is not None]
    if not ranked:
        return []
    if any(rank == 0 for rank, _ in ranked):  # a report that was cut or torn may be the one that is meant
        ranked = [(0 if _is_torn_report(framed) else rank, framed) for rank, framed in ranked]
    best = min(rank for rank, _ in ranked)
    top = [framed for rank, framed in ranked if rank == best]
    if len(top) > 1 and terms.frames == "only":
        if _same(top):
            for copy in top[1:]:
                top[0].copies.append(copy.region.span(copy.start, copy.end))
                span = copy.region.span(copy.start, copy.end)
                verdict.findings.append(REPEATED.finding("the same payload again", span=span, effect=Effect.NOTE))
            return top[:1]
        verdict.findings.append(
            AMBIGUOUS.finding(f"{len(top)} payloads compete", span=top[1].region.span(top[1].start, top[1].end))
        )
        for framed in top:
            refused_pieces(framed, terms)
            for piece in framed.pieces:
                assert piece.outcome is not None  # ``refused_pieces`` gave every piece one
                unit = _Unit(framed, piece, piece.outcome, reason=Reason.AMBIGUOUS)
                unit.tell(AMBIGUOUS.finding("one of several payloads", span=unit.span))
                verdict.units.append(unit)
        verdict.chosen = top
        return []
    if terms.frames == "first":
        return top[:1]
    return top[-1:] if terms.frames == "last" else top


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
        return _account(terms, verdict)

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
    verdict: _Verdict,
) -> None:
    """Choose, guard, and find out all that is to be told."""
    verdict.reasoning = [span for reading in readings for span in _body_spans(reading)]
    chosen = _choose(terms, readings, verdict)
    if chosen:
        verdict.chosen = chosen
    for framed in chosen:
        refused_pieces(framed, terms)
        verdict.units += [_Unit(framed, piece, piece.outcome) for piece in framed.pieces if piece.outcome]
    for index, unit in enumerate(verdict.units):
        unit.index = index
        if unit.framed.ambiguous:
            unit.reason = Reason.AMBIGUOUS
            unit.tell(AMBIGUOUS.finding("the list's key comes twice", span=unit.span))
        if unit.reason is None:
            unit.reason = unit.outcome.reason
        if unit.outcome.problems or unit.outcome.edits:
            _explain(terms, unit)
    for reading in readings:
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
    verdict.rest = _rest(verdict)
    verdict.findings += _unclaimed_findings(grammar_of(terms), verdict)
    _whole_or_nothing(terms, verdict)


def _body_spans(reading: RegionReading) -> list[Span]:
    return [reading.region.span(span.start, span.end) for span in reading.reasoning]


def _explain(terms: Terms[Any], unit: _Unit) -> None:
    """Turn a unit's problems into findings with places in the delivery."""
    outcome, piece, region = unit.outcome, unit.piece, unit.framed.region
    path = unit_path(terms, unit.index)
    for problem in outcome.problems:
        where = path + _json_path(written_loc(outcome.text, problem))
        span = _place(problem, outcome, piece, region)
        unit.tell(problem.code.finding(problem.message, path=where, span=span, effect=problem.effect))
    for change in outcome.edits:
        if change.code == "repair.ellipsis_deleted":
            span = region.span(piece.start + change.start, piece.start + change.end)
            unit.tell(ELIDED.finding("an ellipsis stands inside the unit", path=path, span=span, effect=Effect.REFUSE))


def unit_path(terms: Terms[Any], index: int) -> str:
    """Return the JSONPath of a unit by its place among the units seen."""
    if terms.locality is Locality.ONE:
        return "$"
    return "$" + _json_path(terms.at) + f"[{index}]"


def _json_path(loc: Iterable[str | int]) -> str:
    parts = []
    for part in loc:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        elif part.isidentifier():
            parts.append(f".{part}")
        else:
            parts.append(f"[{show(part)}]")
    return "".join(parts)


def _place(problem: Problem, outcome: Outcome, piece: Piece[Outcome], region: Region) -> Span:
    """Lead a problem back to the delivery's text."""
    if not outcome.text and outcome.reason is None:
        outcome.text = region.text[piece.start : piece.end]
        if outcome.edits:
            mended = as_edited(outcome.text, list(outcome.edits))
            outcome.text, outcome.back = mended.text, mended.back
    if problem.place is not None:
        start, end = problem.place
    elif problem.code is EXTRA:
        start, end = key_place(outcome.text, problem.loc)
    elif problem.kind == "missing" and outcome.text:
        start = locate(outcome.text, problem.loc)[0]
        end = start + 1
    elif outcome.text:
        start, end = locate(outcome.text, problem.loc)
    else:
        start, end = 0, piece.end - piece.start
    if outcome.back is not None and problem.place is None:
        start, end = outcome.back.source(start), outcome.back.source(max(start, end - 1)) + 1
    limit = piece.end - piece.start
    start = min(start, max(0, limit - 1))
    return region.span(piece.start + start, piece.start + max(min(end, limit), min(start + 1, limit)))


def _frames_told(terms: Terms[Any], verdict: _Verdict) -> None:
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
                    problem.code.finding(problem.message, path="$" + _json_path(problem.loc), span=place)
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


def _truncation(delivery: Delivery, readings: list[RegionReading], verdict: _Verdict, terms: Terms[Any]) -> None:
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


def _guard(terms: Terms[Any], verdict: _Verdict, *, refuse_all: bool) -> None:
    """Run the guards that compare units: checks, uniqueness, order and count, batch."""
    alive = [unit for unit in verdict.units if unit.reason is None]
    for unit in alive if terms.checks or refuse_all else ():
        found = run_checks(terms, unit.outcome.value)
        unit.findings = [*unit.findings, *(_checked(finding, terms, unit) for finding in found)]
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
        where = "$" + _json_path(terms.at)
        verdict.findings += [replace(finding, path=where + finding.path) for finding in told]


def _whole_or_nothing(terms: Terms[Any], verdict: _Verdict) -> None:
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


def _checked(finding: Finding, terms: Terms[Any], unit: _Unit) -> Finding:
    """Give a check's finding its place in the delivery."""
    path = finding.path.removeprefix("$")
    if path and not path.startswith(("[", ".")):
        path = f".{path}"
    loc = tuple(part for part in path.replace("]", "").replace("[", ".").split(".") if part)
    parts: tuple[str | int, ...] = tuple(int(part) if part.isdigit() else part.strip("'\"") for part in loc)
    problem = Problem(CONFLICT, "", parts)
    span = _place(problem, unit.outcome, unit.piece, unit.framed.region)
    return Finding(
        finding.code, finding.message, unit_path(terms, unit.index) + path, span, finding.effect, finding.help
    )


# -------------------------------------------------------------------------- freezing


def _status(terms: Terms[Any], verdict: _Verdict, delivery: Delivery) -> Status:
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


def _account(terms: Terms[Any], verdict: _Verdict) -> Account:
    """Make the parts of an admission that need every span."""
    kept_ids = {id(unit) for unit in verdict.kept}
    refused = [unit for unit in verdict.units if id(unit) not in kept_ids]
    return Account(
        units=tuple(_admitted(unit, terms, verdict.body) for unit in verdict.kept),
        quarantined=tuple(_quarantined(unit, verdict.body) for unit in refused[: terms.limits.max_quarantined]),
        findings=in_order(verdict.findings),
        unclaimed=tuple(
            Unclaimed(claim.span, verdict.body[claim.span.start : claim.span.end])
            for claim in verdict.rest if claim.owner == "unclaimed"
        ),
        claims=tuple(_claims(verdict, kept_ids)),
        envelope_edits=tuple(verdict.envelope_edits),
    )  # fmt: skip


def _frozen(terms: Terms[T], delivery: Delivery, verdict: _Verdict) -> Admission[T]:
    if verdict.stopped:
        verdict.rest = _rest(verdict)
    return Admission(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint, delivery=delivery,
        values=tuple(unit.outcome.value for unit in verdict.kept), envelope=verdict.envelope,
        status=_status(terms, verdict, delivery), truncation=verdict.truncation,
        seen=len(verdict.units), on_demand=OnDemand(lambda: _account(terms, verdict)), key=_KEY,
    )  # fmt: skip


def _admitted(unit: _Unit, terms: Terms[Any], body: str) -> Admitted[Any]:
    span = unit.span
    return Admitted(
        value=unit.outcome.value, index=unit.index, span=span, raw=body[span.start : span.end],
        edits=_edits(unit, body), defaulted=terms.unit.defaulted(unit.outcome.value),
        findings=in_order(unit.findings), key=_KEY,
    )  # fmt: skip


def _edits(unit: _Unit, body: str) -> tuple[Edit, ...]:
    region, base = unit.framed.region, unit.piece.start
    edits = []
    for change in unit.outcome.edits:
        span = region.span(base + change.start, base + change.end)
        before = body[span.start : span.end][:SNIPPET_CHARS]
        edits.append(Edit(change.code, span, before, after_of(change, before)[:SNIPPET_CHARS]))
    return tuple(sorted(edits, key=lambda edit: (edit.span, edit.code)))


def _quarantined(unit: _Unit, body: str) -> Quarantined:
    span = unit.span
    raw = body[span.start : span.end]
    assert unit.reason is not None
    return Quarantined(
        unit.index, unit.reason, in_order(unit.findings), raw, span, draft_for(raw, unit.reason), _edits(unit, body)
    )


def _rest(verdict: _Verdict) -> list[Claim]:
    """Find the owner of every stretch that is no unit: envelope, what opens a payload, separators, nobody."""
    body = verdict.body
    frames = [framed.region.span(framed.start, framed.end) for framed in verdict.chosen]
    shells = [framed.region.span(start, end) for framed in verdict.chosen for start, end in framed.shells]
    for framed in verdict.chosen:
        region = framed.region
        if region.back is not None:
            shells.append(Span(max(0, region.source(0) - 1), min(len(body), region.source(region.stop) + 1)))
    gaps = _gaps(body, sorted(_places(verdict.units)))
    inside, outside = _cut(gaps, sorted(verdict.envelope_spans))
    rest = [Claim(span, "envelope") for span in inside]
    shells += [span for framed in verdict.chosen for span in framed.copies]
    opened, outside = _cut(outside, sorted(shells))
    rest += [Claim(span, "separator") for span in opened]
    framed_gaps, outside = _cut(outside, sorted(frames))
    for framed_gap in framed_gaps:
        rest += [Claim(span, "separator" if separates else "unclaimed") for span, separates in _split(body, framed_gap)]
    rest += [Claim(span, "separator" if _RE_BLANK.fullmatch(body, *span) else "unclaimed") for span in outside]
    return sorted(rest, key=lambda claim: claim.span)


def _places(units: list[_Unit]) -> list[tuple[int, int]]:
    """Return the units' places in the body; as they are, where the text was not decoded."""
    return [(unit.piece.start, unit.piece.end) if unit.framed.region.back is None else unit.span for unit in units]


def _gaps(body: str, units: list[tuple[int, int]]) -> list[Span]:
    """Return what lies before, between and after units, plain separators between them left out."""
    gaps: list[Span] = []
    plain: set[str] = set()
    at = 0
    for start, end in units:
        if start > at:
            between = body[at:start] if at and start - at <= MAX_SEPARATOR_CHARS else ""
            if between not in plain:
                if between and _RE_SIMPLE_GAP.fullmatch(between):
                    plain.add(between)
                else:
                    gaps.append(Span(at, start))
        at = max(at, end)
    if at < len(body):
        gaps.append(Span(at, len(body)))
    return gaps


def _cut(spans: list[Span], taken: list[Span]) -> tuple[list[Span], list[Span]]:
    """Cut ``spans`` into what lies inside and outside ``taken``; both in order."""
    inside: list[Span] = []
    outside: list[Span] = []
    position = 0
    for span in spans:
        at = span.start
        while position < len(taken) and taken[position].end <= at:
            position += 1
        scan = position
        while scan < len(taken) and taken[scan].start < span.end:
            start, end = max(at, taken[scan].start), min(span.end, taken[scan].end)
            if start < end:
                if start > at:
                    outside.append(Span(at, start))
                inside.append(Span(start, end))
                at = end
            scan += 1
        if at < span.end:
            outside.append(Span(at, span.end))
    return inside, outside


def _claims(verdict: _Verdict, kept_ids: set[int]) -> list[Claim]:
    """Give every character of the body to exactly one owner, in order."""
    owned = [Claim(unit.span, "unit" if id(unit) in kept_ids else "quarantined", unit.index) for unit in verdict.units]
    claims: list[Claim] = []
    at = 0
    for claim in sorted([*owned, *verdict.rest], key=lambda claim: claim.span):
        if claim.span.start == claim.span.end:
            continue
        if claim.span.start > at:
            claims.append(Claim(Span(at, claim.span.start), "separator"))
        at = claim.span.end
        last = claims[-1] if claims else None
        if last and last.owner == claim.owner == "separator" and last.span.end == claim.span.start:
            claims[-1] = Claim(Span(last.span.start, claim.span.end), "separator")
        else:
            claims.append(claim)
    if at < len(verdict.body):
        claims.append(Claim(Span(at, len(verdict.body)), "separator"))
    return claims


def _split(body: str, gap: Span) -> list[tuple[Span, bool]]:
    """Tell separators from text that belongs to nothing, inside a frame and between its units."""
    parts: list[tuple[Span, bool]] = []
    at = gap.start
    while at < gap.end:
        found = _RE_SEPARATORS.match(body, at, gap.end)
        if found is not None and found.end() > at:
            parts.append((Span(at, found.end()), True))
            at = found.end()
            continue
        other = _RE_OTHER.match(body, at, gap.end)
        end = max(at + 1, other.end() if other else at + 1)
        parts.append((Span(at, end), False))
        at = end
    return parts


def _unclaimed_findings(grammar: Grammar, verdict: _Verdict) -> list[Finding]:
    """Tell of unclaimed text that holds a key of the unit."""
    findings: list[Finding] = []
    for claim in verdict.rest:
        if claim.owner != "unclaimed":
            continue
        found = grammar.loose_key.search(verdict.body, *claim.span)
        while found is not None:
            place = Span(*found.span())
            reasoning = span_at(verdict.reasoning, place.start)
            if reasoning is None:
                findings.append(UNCLAIMED_KEY.finding(f"{show(found[0])} stands outside every unit", span=place))
                break
            findings.append(
                REASONING_UNIT.finding("a unit's key stands in the reasoning", span=place, effect=Effect.NOTE)
            )
            found = grammar.loose_key.search(verdict.body, max(found.end(), reasoning[1]), claim.span.end)
    return findings


def _event(terms: Terms[Any], delivery: Delivery, admission: Admission[Any]) -> DeliveryJudged:
    return DeliveryJudged(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint,
        producer=delivery.producer.value, model=delivery.model,
        digest="b3:" + blake3(delivery.body.encode("utf-8", "surrogatepass")).hexdigest(),
        status=admission.status.value, truncated=admission.truncated, counts=admission.counts,
    )  # fmt: skip
