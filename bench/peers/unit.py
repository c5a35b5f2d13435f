"""The unit and the report as a peer's user would declare them: strict and closed, as the contract is.

The peers' environments do not hold ``pratique``, so these stand here a second time; a test compares their
JSON Schema with that of ``tests/damage/report.py``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

__all__ = ["Report", "ReportDict", "Unit", "Wsjf"]

_CLOSED = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Wsjf(BaseModel):
    """The nested object of a unit."""

    model_config = _CLOSED

    score: float
    value: int
    criticality: int
    size: Annotated[int, Field(ge=1)]


class Unit(BaseModel):
    """One recommendation."""

    model_config = _CLOSED

    rank: Annotated[int, Field(ge=1)]
    candidate: str
    action: Literal["work-next", "needs-human", "revisit", "park", "close-out"]
    why: Annotated[str, Field(max_length=1_000)]
    blocked: bool
    owner: str | None
    wsjf: Wsjf


class Report(BaseModel):
    """The whole document; only the list is demanded, so that a lost envelope costs a peer no unit."""

    summary: str | None = None
    recommendations: list[Unit]
    complete: bool | None = None


class ReportDict(TypedDict, total=False):
    """The whole document, as peers want it that stream partial values out of a TypedDict only."""

    summary: str
    recommendations: list[Unit]
    complete: bool
