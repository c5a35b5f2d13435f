"""The frozen terms of a contract: all that decides what is accepted, and nothing else.

``Contract`` (the facade) builds them; every later room reads them: the boundary to judge, the dialects to
tell a provider, the linter to warn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pratique.errors import Effect, Finding
from pratique.limits import Limits
from pratique.terms.shape import Shape

__all__ = ["Check", "Frames", "Keep", "Locality", "Terms", "note", "refuse"]

T = TypeVar("T")

Check: TypeAlias = Callable[[Any], Iterable[Finding]]
"""A contract's own rule on one unit: returns findings, ``refuse`` ones cost the unit."""

Frames: TypeAlias = Literal["only", "first", "last", "all"]
Keep: TypeAlias = Literal["none", "first"]


class Locality(StrEnum):
    """Say what one bad unit costs."""

    ONE = "one"
    """There is only one unit."""
    ITEM = "item"
    """Itself."""
    BATCH = "batch"
    """The whole batch: also when the delivery is truncated or lost a unit."""


@dataclass(frozen=True, slots=True, eq=False)
class Terms(Generic[T]):
    """Hold what a contract accepts.

    Shape: ``at`` is the path of keys to the list of units inside the envelope; empty for a bare list.
    """

    name: str
    version: str
    locality: Locality
    unit: Shape[T]
    at: tuple[str, ...]
    envelope: Shape[Any] | None
    limits: Limits
    unique: tuple[tuple[str, ...], ...]
    """Each entry names fields whose values together must not come twice."""
    order_by: str | Callable[[Any], Any] | None
    checks: tuple[Check, ...]
    refusal: Any
    """The variant by which a producer declines in-band; None when there is none."""
    edits: frozenset[str]
    """Codes of the edits that are switched on."""
    frames: Frames
    """What to do with several payloads of the same rank; ``only`` refuses them as ambiguous."""
    keep: Keep
    """Which claimant of an identity stays; ``none`` quarantines all of them."""
    list_rules: Callable[[list[Any]], Iterable[Finding]] | None
    """What is said of the list of admitted units as a whole; costs no unit."""
    references: Literal["partial", "refuse"]
    """What a declared reference without an allow-list does to the admission."""
    fingerprint: str
    tool: str = ""
    """The name under which the whole contract is offered as one tool; empty: its own name."""

    @property
    def declared_references(self) -> frozenset[str]:
        """Names of all references that the unit declares."""
        return self.unit.references

    @property
    def tool_name(self) -> str:
        """The name under which a producer may call the whole contract as one tool."""
        return self.tool or self.name

    def is_tool(self, name: str) -> bool:
        """Say whether the contract has a tool of that name: for a variant, or for the whole."""
        return self.unit.tag_of(name) is not None or self.is_whole_tool(name)

    def is_whole_tool(self, name: str) -> bool:
        """Say whether a tool of that name takes the whole delivery; a variant's tool goes before."""
        return self.unit.tag_of(name) is None and name in (self.tool_name, *self.at[-1:])


def refuse(message: str, *, path: str = "", code: str = "check.failed", help: str = "") -> Finding:
    """Make the finding with which a check refuses a unit.

    Shape: ``path`` is relative to the unit, ``wsjf.score`` or ``["wsjf"]["score"]``.
    """
    return Finding(code, message, path, None, Effect.REFUSE, help)


def note(message: str, *, path: str = "", code: str = "check.noted", help: str = "") -> Finding:
    """Make the finding with which a check tells something and lets the unit pass."""
    return Finding(code, message, path, None, Effect.NOTE, help)
