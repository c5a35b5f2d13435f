"""Account for every character of a delivery, and freeze its units.

Each stretch belongs to the envelope, a unit, a separator, or is unclaimed; none is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pratique.boundary.admission import _KEY, Account, Admitted, Claim, Edit, Quarantined, Unclaimed
from pratique.boundary.frame import span_at
from pratique.boundary.grammar import COMMENT, ELLIPSIS, Grammar, grammar_of, repeat
from pratique.boundary.read import draft_for
from pratique.boundary.repair import after_of
from pratique.boundary.verdict import Unit, Verdict
from pratique.errors import Code, Effect, Finding, in_order
from pratique.limits import MAX_SEPARATOR_CHARS
from pratique.show import show
from pratique.terms import Terms
from pratique.text import Span

__all__ = ["admitted_of", "make_account", "quarantined_of", "rest_of", "sound_unit", "stray_text", "unclaimed_findings"]

UNCLAIMED_KEY = Code(
    "frame.unclaimed_unit", "text that belongs to nothing holds a key of the unit",
    "It may be the rest of a damaged unit, or a quoted example; nothing of it was admitted.",
    "look at the unclaimed text",
)  # fmt: skip
REASONING_UNIT = Code(
    "frame.reasoning_unit", "the reasoning holds something that looks like a unit",
    "Drafts in reasoning are not what the producer delivers; nothing of it was admitted.", "nothing to do",
)  # fmt: skip

_INFO_STRING = repeat(r"[A-Za-z0-9_+-]++(?=\s|\Z)", "?")
_RE_BLANK = re.compile(repeat(rf"[\s,\ufeff]++|(?:```|~~~)[ \t]*+{_INFO_STRING}"))
_RE_SIMPLE_GAP = re.compile(r"[\s,]*+")
_SEPARATOR = rf"[\s,\[\]{{}}\ufeff]++|{COMMENT}|{ELLIPSIS}|```[A-Za-z0-9_+-]*+"
_RE_SEPARATORS = re.compile(repeat(_SEPARATOR), re.DOTALL)
_RE_OTHER = re.compile(r"[^\s,\[\]{}]++" + repeat(r"[ \t]++[^\s,\[\]{}]++"))

SNIPPET_CHARS = 200
"""Characters of an edit's text that are kept on each side."""


def make_account(terms: Terms[Any], verdict: Verdict) -> Account:
    """Make the parts of an admission that need every span."""
    kept_ids = {id(unit) for unit in verdict.kept}
    refused = [unit for unit in verdict.units if id(unit) not in kept_ids]
    body = verdict.body

    def text_of(span: Span) -> str:
        return body[span.start : span.end]

    return Account(
        units=tuple(admitted_of(unit, terms, text_of) for unit in verdict.kept),
        quarantined=tuple(quarantined_of(unit, text_of) for unit in refused[: terms.limits.max_quarantined]),
        findings=in_order(verdict.findings),
        unclaimed=tuple(
            Unclaimed(claim.span, text_of(claim.span))
            for claim in verdict.rest if claim.owner == "unclaimed"
        ),
        claims=tuple(_claims(verdict, kept_ids)),
        envelope_edits=tuple(verdict.envelope_edits),
    )  # fmt: skip


def admitted_of(unit: Unit, terms: Terms[Any], text_of: Callable[[Span], str]) -> Admitted[Any]:
    """Freeze a unit that passed; ``text_of`` gives the delivery's text at a span."""
    span = unit.span
    return Admitted(
        value=unit.outcome.value, index=unit.index, span=span, raw=text_of(span),
        edits=_edits(unit, text_of), defaulted=terms.unit.defaulted(unit.outcome.value),
        findings=in_order(unit.findings), key=_KEY,
    )  # fmt: skip


def sound_unit(terms: Terms[Any], value: Any, index: int, span: Span, raw: str) -> Admitted[Any]:
    """Freeze a unit in which nothing had to be edited and nothing was found."""
    return Admitted(value, index, span, raw, (), terms.unit.defaulted(value), (), _KEY)


def _edits(unit: Unit, text_of: Callable[[Span], str]) -> tuple[Edit, ...]:
    region, base = unit.framed.region, unit.piece.start
    edits = []
    for change in unit.outcome.edits:
        span = region.span(base + change.start, base + change.end)
        before = text_of(span)[:SNIPPET_CHARS]
        edits.append(Edit(change.code, span, before, after_of(change, before)[:SNIPPET_CHARS]))
    return tuple(sorted(edits, key=lambda edit: (edit.span, edit.code)))


def quarantined_of(unit: Unit, text_of: Callable[[Span], str]) -> Quarantined:
    """Freeze a unit that was refused, with its draft."""
    span = unit.span
    raw = text_of(span)
    assert unit.reason is not None
    return Quarantined(
        unit.index, unit.reason, in_order(unit.findings), raw, span, draft_for(raw, unit.reason), _edits(unit, text_of)
    )


def rest_of(verdict: Verdict) -> list[Claim]:
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


def _places(units: list[Unit]) -> list[tuple[int, int]]:
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


def _claims(verdict: Verdict, kept_ids: set[int]) -> list[Claim]:
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


def stray_text(terms: Terms[Any], gap: str, base: int) -> tuple[list[Unclaimed], list[Finding]]:
    """Find what belongs to nothing between two units of a stream; ``gap`` begins at ``base`` in the delivery."""
    stray: list[Unclaimed] = []
    findings: list[Finding] = []
    if _RE_SIMPLE_GAP.fullmatch(gap):
        return stray, findings
    loose_key = grammar_of(terms).loose_key
    for span, separates in _split(gap, Span(0, len(gap))):
        if separates:
            continue
        place = Span(base + span.start, base + span.end)
        stray.append(Unclaimed(place, gap[slice(*span)]))
        found = loose_key.search(gap, *span)
        if found is not None:
            findings.append(_unclaimed_key(found, Span(base + found.start(), base + found.end())))
    return stray, findings


def _unclaimed_key(found: re.Match[str], place: Span) -> Finding:
    return UNCLAIMED_KEY.finding(f"{show(found[0])} stands outside every unit", span=place)


def unclaimed_findings(grammar: Grammar, verdict: Verdict) -> list[Finding]:
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
                findings.append(_unclaimed_key(found, place))
                break
            findings.append(
                REASONING_UNIT.finding("a unit's key stands in the reasoning", span=place, effect=Effect.NOTE)
            )
            found = grammar.loose_key.search(verdict.body, max(found.end(), reasoning[1]), claim.span.end)
    return findings
