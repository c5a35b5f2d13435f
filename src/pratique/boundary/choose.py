"""Choose the frame that is meant: by rank alone, never by its place unless the contract says so.

A payload with a valid envelope beats one without, a list beats a bare unit; two different ones of the top
rank are ambiguous, and nothing is admitted.
"""

from __future__ import annotations

from typing import Any

from pratique.boundary.frame import Form
from pratique.boundary.read import Framed, RegionReading, refused_pieces
from pratique.boundary.verdict import Unit, Verdict
from pratique.errors import Code, Effect, Reason
from pratique.terms import Locality, Terms

__all__ = ["AMBIGUOUS", "choose", "first_taken"]

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


def first_taken(terms: Terms[Any], readings: list[RegionReading]) -> Framed | None:
    """Return the payload that ``frames="first"`` takes: the first in the text with a sound unit in it.

    Rank would need the rest of the delivery, and a stream has handed units out by then.
    """
    if terms.frames != "first" or terms.locality is not Locality.ITEM:
        return None
    for reading in readings:
        for framed in reading.frames if reading.region.tool is None else ():
            if _rank(framed, terms) is not None and framed.is_taken:
                return framed
    return None


def choose(terms: Terms[Any], readings: list[RegionReading], verdict: Verdict) -> list[Framed]:
    """Return the frames that are meant; report ambiguity."""
    first = first_taken(terms, readings)
    if first is not None:
        return [first]
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
                unit = Unit(framed, piece, piece.outcome, reason=Reason.AMBIGUOUS)
                unit.tell(AMBIGUOUS.finding("one of several payloads", span=unit.span))
                verdict.units.append(unit)
        verdict.chosen = top
        return []
    if terms.frames == "first":
        return top[:1]
    return top[-1:] if terms.frames == "last" else top
