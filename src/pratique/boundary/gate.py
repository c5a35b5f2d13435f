"""Put the units of a stream through the guards, one by one: checks, identities, the count.

``guard`` compares all units of a delivery at once; here a unit is decided when it comes, which is the same
where the contract releases early (``release``). Neighbours: ``list_stream`` reads units, ``stream`` asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pratique.boundary.account import admitted_of, sound_unit
from pratique.boundary.admission import Admitted
from pratique.boundary.explain import explain, unit_path
from pratique.boundary.frame import Form, Region
from pratique.boundary.guard import CONFLICT, OVER_LIMIT, Identities, refuses
from pratique.boundary.judge import check_unit
from pratique.boundary.list_stream import Read
from pratique.boundary.read import Framed
from pratique.boundary.scan import Kind, Piece
from pratique.boundary.validate import Outcome
from pratique.boundary.verdict import Unit
from pratique.errors import Reason
from pratique.terms import Terms
from pratique.text import OffsetMap, Span

__all__ = ["Gate", "text_of"]

T = TypeVar("T")


class Gate(Generic[T]):
    """Decide units in the order in which they come, and count them."""

    def __init__(self, terms: Terms[T], references: Mapping[str, frozenset[str]], *, keeps: bool) -> None:
        unchecked = bool(terms.declared_references - references.keys())
        self.seen = 0
        self.admitted = 0
        self.after_last = 0
        """The index after the last unit that was admitted."""
        self.all_clean = not unchecked
        """No unit so far was edited, refused, or has a finding."""
        self.noted = False
        """A unit that was admitted has a finding that costs the delivery its ``clean``."""
        self.values: list[Any] = []
        self.keeps = keeps
        """Whether the values that were admitted are kept."""
        self._terms = terms
        self._identities = Identities(terms)
        self._refuse_all = unchecked and terms.references == "refuse"
        self._lone = not (terms.checks or terms.unique or self._refuse_all)

    @property
    def is_open(self) -> bool:
        """Whether a unit in which nothing is wrong by itself is admitted without another look."""
        return self._lone and self.admitted < self._terms.limits.max_items

    def admit_sound(self, read: Read) -> Admitted[T]:
        """Admit a unit in which nothing is wrong, while the gate is open."""
        unit = sound_unit(self._terms, read.value, self.seen, read.span, read.raw)
        if self.keeps:
            self.values.append(read.value)
        self.admitted += 1
        self.seen = self.after_last = self.seen + 1
        return unit

    def unit_of(self, read: Read) -> Unit:
        """Make a unit of what a stream has read; its own text is the region that its places count in."""
        outcome = read.outcome or Outcome(read.value)
        size = len(read.raw)
        region = Region(read.raw, 0, size, OffsetMap([(0, read.span.start)]))
        piece = Piece(Kind.SOUND, 0, size, outcome)
        framed = Framed(Form.LIST, region, 0, size, [piece], None, True, False, False)
        self.seen += 1
        return Unit(framed, piece, outcome, self.seen - 1, reason=outcome.reason)

    def admit(self, unit: Unit) -> Admitted[T] | None:
        """Put a unit through the guards; None when one of them refuses it, and the unit then says why."""
        if unit.outcome.problems or unit.outcome.edits:
            explain(self._terms, unit)
        self._guard(unit)
        if unit.reason is not None:
            self.all_clean = False
            return None
        self.admitted += 1
        self.after_last = unit.index + 1
        if unit.findings or unit.outcome.edits:
            self.all_clean = False
            self.noted = self.noted or refuses(unit.findings)
        if self.keeps:
            self.values.append(unit.outcome.value)
        return admitted_of(unit, self._terms, text_of(unit))

    def _guard(self, unit: Unit) -> None:
        terms = self._terms
        if unit.reason is None and (terms.checks or self._refuse_all):
            check_unit(terms, unit, refuse_all=self._refuse_all)
        if unit.reason is None and terms.unique:
            claimed = self._identities.claim(unit.outcome.value, unit.index)
            if claimed is not None:
                unit.reason = Reason.CONFLICT
                told = f"{claimed[0]} is claimed by unit {claimed[1]} too"
                unit.tell(CONFLICT.finding(told, path=unit_path(terms, unit.index), span=unit.span))
        if unit.reason is None and self.admitted >= terms.limits.max_items:
            unit.reason = Reason.OVER_LIMIT
            told = f"more than {terms.limits.max_items} sound units"
            unit.tell(OVER_LIMIT.finding(told, path=unit_path(terms, unit.index), span=unit.span))


def text_of(unit: Unit) -> Callable[[Span], str]:
    """Return what gives the text at a place in the delivery, inside a unit."""
    region = unit.framed.region
    base = region.source(0)
    return lambda span: region.text[span.start - base : span.end - base]
