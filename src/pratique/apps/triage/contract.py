"""The contract of the daily triage report: a summary and at most seven ranked recommendations.

The order of the keys is part of what a producer is told, and each place has a reason: ``rank`` comes first
because it is required and unique, so that a reader who lost its place finds the next item by it; ``why``
comes last because it is required, so that an item that was cut off cannot pass for a whole one (with an
optional key at the end it can); ``confidence`` and ``wsjf``, the two optional keys, stand between them.
A report whose keys come in another order is admitted all the same.

``wsjf.score`` can be computed from its neighbours, so the producer's own figure is never used: it is
recomputed, a difference is a note, and the report is ordered by the recomputed score.

Refuses: booleans, negative and non-finite components, a job size of 0 or less, an unknown action.
Neighbours: ``pratique.contract`` judges; what to do with the admitted recommendations is the app's matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BaseModel, Field

from pratique.contract import Contract
from pratique.errors import Code, Finding, Misuse
from pratique.limits import Limits
from pratique.show import show
from pratique.terms import Reference, note

__all__ = [
    "ACTIONS",
    "SCALE",
    "Recommendation",
    "RrOe",
    "TriageSummary",
    "Wsjf",
    "triage",
    "triage_contract",
    "wsjf_score",
]

SCALE = (1, 2, 3, 5, 8, 13, 20)
"""Modified Fibonacci: what a component is estimated on. Source: SAFe, WSJF."""

MAX_RECOMMENDATIONS = 7
"""Items kept of one report: the cap that source 004 sets in prompt and schema."""

MAX_WHY_CHARS = 600
"""One reason, characters: two or three sentences."""

MAX_SUMMARY_CHARS = 2_000
"""The summary, characters: one screen."""

SCORE_TOLERANCE = 0.05 + 1e-9
"""Difference between given and recomputed score that rounding to one decimal explains. The surplus is for
5.25 written as 5.2: in binary that differs by a little more than 0.05."""

SCORE_TOLERANCE_SHARE = 0.01
"""The same for large scores, as a share of the larger one; the wider of the two counts."""

RrOe: TypeAlias = Literal["sum", "max"]
"""How risk reduction and opportunity enablement, two numbers here, become SAFe's one number RR|OE."""

Action: TypeAlias = Literal[
    "work-next", "needs-human", "revisit", "park", "needs-consistency-sync", "close-out", "split"
]

ACTIONS: tuple[str, ...] = get_args(Action)
"""What may be recommended; money, law, secrets and reputation call for ``needs-human``."""

Confidence: TypeAlias = Literal["high", "medium", "low"]

SCORE_MISMATCH = Code(
    "triage.score_mismatch",
    "the given WSJF score does not follow from its components",
    "A score that can be computed invites inconsistency; the report is ordered by the recomputed one.",
    "leave the score to the reader of the report, or compute it as (value + time + RR|OE) / job size",
    refused='"score": 9.0 beside 8 + 5 + (3 + 2) over 3',
    passes='"score": 6.0 beside the same components',
)
OFF_SCALE = Code(
    "triage.off_scale",
    "a WSJF component is not on the modified Fibonacci scale",
    "An estimate between the steps claims a precision that nobody has; it is used as it was written.",
    "use 1, 2, 3, 5, 8, 13 or 20",
    refused='"job_size": 4',
    passes='"job_size": 5',
)
NO_CONFIDENCE = Code(
    "triage.no_confidence",
    "a scored recommendation says nothing of its confidence",
    "The scores are estimates; without a label a guess and a measurement look alike in the report.",
    'add "confidence": "high", "medium" or "low"',
    refused='an item with "wsjf" and no "confidence"',
    passes='the same item with "confidence": "low"',
)

Component: TypeAlias = Annotated[float, Field(ge=0)]


class Wsjf(BaseModel):
    """The estimate behind one recommendation, each component explicit so that it can be audited."""

    score: Annotated[float, Field(ge=0, description="(value + time + RR|OE) / job size")]
    strategic_value: Component
    time_criticality: Component
    risk_reduction: Component
    opportunity_enablement: Component
    job_size: Annotated[float, Field(gt=0)]


class Recommendation(BaseModel):
    """One recommendation: what to do about one workstream, and why."""

    rank: Annotated[int, Field(ge=1)]
    candidate: Annotated[str, Field(min_length=1, max_length=100), Reference("workstream")]
    action: Action
    confidence: Confidence | None = None
    wsjf: Wsjf | None = None
    why: Annotated[str, Field(min_length=1, max_length=MAX_WHY_CHARS)]


class TriageSummary(BaseModel):
    """What stands around the recommendations."""

    summary: Annotated[str, Field(min_length=1, max_length=MAX_SUMMARY_CHARS)]


# SAFe has one number for RR|OE. Adding our two gives it double weight against the other columns, which is
# what the reports of source 004 do; the larger of the two stays closer to SAFe.
_RR_OE: Mapping[RrOe, Callable[[float, float], float]] = {"sum": lambda rr, oe: rr + oe, "max": max}

_COMPONENTS = tuple(name for name in Wsjf.model_fields if name != "score")


def wsjf_score(wsjf: Wsjf, *, rr_oe: RrOe = "sum") -> float:
    """Compute the score from its components: cost of delay over job size.

    Units: none; the components are relative. Infinite when the components are absurdly large.
    Source: SAFe, WSJF: (user-business value + time criticality + RR|OE) / job size.
    """
    combined = _RR_OE[rr_oe](wsjf.risk_reduction, wsjf.opportunity_enablement)
    return (wsjf.strategic_value + wsjf.time_criticality + combined) / wsjf.job_size


def triage_contract(*, rr_oe: RrOe = "sum", max_items: int = MAX_RECOMMENDATIONS) -> Contract[Recommendation]:
    """Make the contract of the daily report.

    Shape: ``rr_oe`` names how two numbers become RR|OE; it is in the contract's version, and so in every
        admission: ``1+rr_oe=sum``.
    Errors: Misuse when ``rr_oe`` is neither.
    """
    if rr_oe not in _RR_OE:
        raise Misuse(f"rr_oe cannot be {rr_oe!r}", remedy='use "sum" or "max"')
    rule = _WsjfRule(rr_oe)
    return Contract.items(
        Recommendation,
        at="recommendations",
        envelope=TriageSummary,
        name="daily-triage",
        version=f"1+rr_oe={rr_oe}",
        limits=Limits(max_items=max_items),
        unique=("rank", "candidate"),
        order_by=rule.place,
        checks=[rule.check],
    )


@dataclass(frozen=True, slots=True)
class _WsjfRule:
    """The WSJF rule under one choice of RR|OE; a fingerprint knows it by name, so the version says it too."""

    rr_oe: RrOe

    def place(self, item: Recommendation) -> tuple[bool, float, int, str]:
        """Sort by recomputed score, highest first; then rank, then candidate; unscored items last."""
        if item.wsjf is None:
            return True, 0.0, item.rank, item.candidate
        return False, -wsjf_score(item.wsjf, rr_oe=self.rr_oe), item.rank, item.candidate

    def check(self, item: Recommendation) -> Iterator[Finding]:
        """Note what is odd about an estimate; nothing here costs the item."""
        if item.wsjf is None:
            return
        if item.confidence is None:
            yield note("no confidence beside wsjf", path="", code=NO_CONFIDENCE.id, help=NO_CONFIDENCE.help)
        for name in _COMPONENTS:
            value: float = getattr(item.wsjf, name)
            if value not in SCALE:
                message = f"{value:g} is not on the scale"
                yield note(message, path=f"wsjf.{name}", code=OFF_SCALE.id, help=OFF_SCALE.help)
        computed = wsjf_score(item.wsjf, rr_oe=self.rr_oe)
        # An infinite score is close to nothing finite, so it is always told.
        given = item.wsjf.score
        if not math.isclose(given, computed, rel_tol=SCORE_TOLERANCE_SHARE, abs_tol=SCORE_TOLERANCE):
            yield note(
                f"given {show(given)}, computed {computed:.4g} with rr_oe={self.rr_oe}",
                path="wsjf.score",
                code=SCORE_MISMATCH.id,
                help=SCORE_MISMATCH.help,
            )


triage = triage_contract()
"""The contract of the daily report as source 004 has it: RR|OE is the sum, seven items are kept."""
