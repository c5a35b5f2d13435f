"""What is known of a delivery while it is judged: its units on their way through the guards, and the rest.

Mutable, and never seen outside the boundary; ``account`` and ``admit`` freeze it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pratique.boundary.admission import Claim, Edit, Truncation
from pratique.boundary.read import Framed
from pratique.boundary.scan import Piece
from pratique.boundary.validate import Outcome
from pratique.errors import Finding, Reason
from pratique.text import Span

__all__ = ["Unit", "Verdict"]


@dataclass(slots=True)
class Unit:
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
class Verdict:
    """All that was found out, before it is frozen."""

    body: str
    findings: list[Finding] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    kept: list[Unit] = field(default_factory=list)
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
