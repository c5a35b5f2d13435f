"""Judge one unit alone: when only the head of its delivery was kept, or to see whether an edit is one unit.

Alone there is no list, no envelope and no other unit, so a reason that comes from those (``conflict``,
``over_limit``, ``ambiguous``, ``truncated``, ``batch``) cannot be judged again: such a unit stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pratique.boundary.admission import Admitted, Quarantined
from pratique.boundary.delivery import Delivery
from pratique.boundary.scan import walk_brackets
from pratique.contract import Contract
from pratique.errors import Code, Effect, Finding, Reason
from pratique.quarantine.record import Detail, KeptDelivery
from pratique.quarantine.replayed import Outcome, Verdict
from pratique.terms import Locality
from pratique.text import Span

__all__ = [
    "EDIT_IS_ONE",
    "Judged",
    "admitted_as",
    "is_one_unit",
    "judged_alone",
    "refused_as",
    "resolved_before",
    "stays",
]

T = TypeVar("T")

Judged = tuple[Outcome, tuple[Admitted[T], ...]]
"""What became of one record, and its units when it was admitted."""

NOT_WHOLE = Code(
    "quarantine.not_whole", "only the head of the delivery was kept",
    "What a unit is refused for because of the others cannot be judged again without them.",
    "send the delivery again, or raise limits.max_kept_delivery_bytes for the next one",
)  # fmt: skip
JUDGED_ALONE = Code(
    "quarantine.judged_alone", "the unit was judged alone, since only the head of its delivery was kept",
    "Uniqueness, order and count were not checked against the other units.", "check them where it goes",
)  # fmt: skip
EDIT_IS_ONE = Code(
    "quarantine.edit_is_one_unit", "an edit is one unit",
    "An edit that holds several units, or opens what it does not close, would change what others wrote.",
    "edit the text of this unit alone: one whole JSON object", '{"rank": 1}, {"rank": 2}', '{"rank": 1}',
)  # fmt: skip

_ALONE = frozenset({Reason.MALFORMED, Reason.SCHEMA, Reason.GUARDRAIL, Reason.ALLOW_LIST, Reason.CHECK,
                    Reason.DUPLICATE_KEY})  # fmt: skip
"""Reasons that a unit can have by itself."""


def judged_alone(
    detail: Detail, kept: KeptDelivery, contract: Contract[T], references: Mapping[str, frozenset[str]]
) -> Judged[T]:
    """Judge one record of a delivery of which only the head was kept."""
    if detail.record.reason not in _ALONE or contract.terms.locality is Locality.BATCH:
        return stays(detail, NOT_WHOLE.finding(f"refused for {detail.record.reason}, which needs the whole delivery"))
    text = detail.raw if detail.overlay is None else detail.overlay.text
    if detail.overlay is None and not detail.whole:
        return stays(detail, NOT_WHOLE.finding("of this unit, too, only the head was kept"))
    if detail.overlay is not None and contract.terms.unique:
        return stays(detail, NOT_WHOLE.finding("the edit may claim what another unit of the delivery has"))
    found = _units_of(text, contract, references, kept.finish_reason)
    if len(found) != 1 or found[0].span != _bare(text):
        return stays(detail, (EDIT_IS_ONE if detail.overlay else NOT_WHOLE).finding("alone, it is not one unit"))
    unit = found[0]
    if isinstance(unit, Quarantined):
        return refused_as(detail, unit.reason.value, unit.findings)
    note = JUDGED_ALONE.finding("no other unit was looked at", effect=Effect.NOTE)
    return admitted_as(detail, (unit,), (*unit.findings, note))


def is_one_unit(text: str, contract: Contract[Any], references: Mapping[str, frozenset[str]]) -> bool:
    """Say whether an edit may be laid over a unit: one whole unit, sound or not, and nothing beside it."""
    place = _bare(text)
    found = _units_of(text, contract, references, None)
    if not found:  # an object without one known key is a unit only where a list says so
        walk = walk_brackets(text, place.start, place.end)
        return text[place.start : place.start + 1] == "{" and (walk.why, walk.end) == ("balanced", place.end)
    if len(found) != 1 or found[0].span != place:
        return False
    return not (isinstance(found[0], Quarantined) and found[0].reason is Reason.TRUNCATED)


def admitted_as(detail: Detail, units: tuple[Admitted[T], ...], findings: tuple[Finding, ...]) -> Judged[T]:
    """Say that a record passed."""
    return _outcome(detail, Verdict.ADMITTED, None, findings), units


def refused_as(detail: Detail, reason: str, findings: tuple[Finding, ...]) -> Judged[T]:
    """Say that the boundary refused a record again."""
    return _outcome(detail, Verdict.REFUSED, reason, findings), ()


def stays(detail: Detail, *findings: Finding) -> Judged[T]:
    """Say that a record could not be judged."""
    return _outcome(detail, Verdict.STAYS, None, findings), ()


def resolved_before(detail: Detail) -> Judged[T]:
    """Say that a record is not open."""
    return _outcome(detail, Verdict.RESOLVED, None, ()), ()


def _outcome(detail: Detail, verdict: Verdict, after: str | None, findings: tuple[Finding, ...]) -> Outcome:
    return Outcome(
        record=detail.record.id, delivery=detail.delivery.id, before=detail.record.reason, verdict=verdict,
        after=after, findings=findings, overlay=detail.overlay.number if detail.overlay else None,
    )  # fmt: skip


def _units_of(
    text: str, contract: Contract[T], references: Mapping[str, frozenset[str]], finish_reason: str | None
) -> tuple[Admitted[T] | Quarantined, ...]:
    """Return the units of a text in which nothing but one unit should stand."""
    terms = replace(
        contract.terms, at=(), envelope=None, list_rules=None, locality=Locality.ITEM, unique=(), order_by=None
    )
    admission = Contract(terms).admit(Delivery(text=text, finish_reason=finish_reason), references=references)
    return (*admission.units, *admission.quarantined)


def _bare(text: str) -> Span:
    bare = text.strip()
    start = text.find(bare)
    return Span(start, start + len(bare))
