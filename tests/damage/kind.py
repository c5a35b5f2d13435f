"""What one damaged report is: its text, what still stands in it, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from damage.report import Report

__all__ = ["KINDS", "Damaged", "Expect", "kind"]


@dataclass(frozen=True, kw_only=True)
class Expect:
    """What must come of one damaged report, where the rules leave no choice. None: no expectation."""

    status: frozenset[str] | None = None
    truncated: bool | None = None
    reasons: frozenset[str] | None = None
    """Quarantine reasons, of which every quarantined unit must have one."""
    admitted: int | None = None
    edits: bool | None = None
    """Whether any admitted unit, or the envelope, was edited."""


@dataclass(frozen=True, kw_only=True)
class Damaged:
    """One delivery with a known truth."""

    text: str | bytes
    kind: str
    untouched: tuple[int, ...]
    """Units that stand undamaged in the text and belong to the payload: a reader should admit them."""
    recoverable: tuple[int, ...] = ()
    """Units that only a lossless edit gives back: a reader may admit them, and equal, or refuse them."""
    undecidable: tuple[int, ...] = ()
    """Units damaged wholly inside one scalar, so that they are sound as they stand: counted apart."""
    gone: tuple[int, ...] = ()
    """Units of which the text holds no trace, in a form that does not show where it ends: no loss to tell."""
    bare: bool = False
    """No envelope came, and none was asked for: the delivery is put before the contract without one."""
    expect: Expect = Expect()
    note: str = ""
    """Where the damage is, for a reader of a failing test."""


Maker = Callable[[Report, Random], Damaged]

KINDS: dict[str, Maker] = {}


def kind(maker: Maker) -> Maker:
    """Register one kind of damage under its function's name."""
    name = maker.__name__
    assert name not in KINDS, f"kind {name} is declared twice"
    KINDS[name] = maker
    return maker
