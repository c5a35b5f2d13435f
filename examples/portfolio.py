"""A contract for ranked recommendations on a portfolio of workstreams.

Small models were asked for seven of them in three forms: a bare JSON array, an object with a
``recommendations`` list and a ``summary``, and NDJSON. One contract judges all three: where the list stands
and what stands around it is found by the boundary, and ``summary`` is optional because only one form has it.

    $ pratique check examples/replies/fenced_array.txt --contract examples.portfolio:portfolio

The prompts say that ranks are 1 to 7; they do not say that a workstream may come only once. So ``rank`` is
the identity of an item here, and ``workstream_id`` is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pratique import Contract, Limits, Reference

__all__ = ["WORKSTREAMS", "Envelope", "Recommendation", "portfolio", "references_of"]

WORKSTREAMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "software": ("WS-101", "WS-102", "WS-103", "WS-104", "WS-105", "WS-106", "WS-107", "WS-108"),
        "logistics": ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"),
        "wind": ("GRN-1", "GRN-2", "GRN-3", "GRN-4", "GRN-5", "GRN-6", "GRN-7"),
    }
)
"""The workstreams that exist, by the name of their set; each prompt listed one set."""


class Recommendation(BaseModel):
    """One recommendation, keys in the order in which the prompts name them."""

    rank: Annotated[int, Field(ge=1, le=7)]
    workstream_id: Annotated[str, Reference("workstream")]
    action: Literal["invest", "pause", "reassign", "monitor"]
    title: Annotated[str, Field(min_length=1, max_length=200)]
    rationale: Annotated[str, Field(min_length=1, max_length=1_000)]
    confidence: Annotated[float, Field(ge=0, le=1)]


class Envelope(BaseModel):
    """What may stand around the list."""

    summary: Annotated[str, Field(max_length=2_000)] | None = None


portfolio = Contract.items(
    Recommendation,
    at="recommendations",
    envelope=Envelope,
    name="portfolio",
    limits=Limits(max_items=7),
    unique=("rank",),
    order_by="rank",
)


def references_of(workstreams: str) -> dict[str, tuple[str, ...]]:
    """Return the allow-lists for one of the ``WORKSTREAMS`` sets, as ``portfolio.admit`` takes them."""
    return {"workstream": WORKSTREAMS[workstreams]}
