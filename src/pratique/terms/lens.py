"""The lens protocol: a reversible rewrite between a contract's own shape and the one a producer was asked for.

A provider's schema dialect cannot say everything that a contract can: a map becomes a list of pairs, an
absent field a null. ``dialects`` makes such lenses; the boundary leads what came back through one, unit by
unit, before the unit is judged.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["Change", "Fault", "Lens"]


class Change(NamedTuple):
    """Put ``after`` where ``text[start:end]`` was. Units: offsets are code points."""

    start: int
    end: int
    after: str
    edit: str = ""
    """The code of the edit that this is, where more is done than the shape asks for; empty: none."""


class Fault(NamedTuple):
    """What stands at ``text[start:end]`` has the marks of the producer's shape, and is not that shape.

    Left as it is, it could pass for a value of the contract that nobody wrote.
    """

    start: int
    end: int
    message: str
    loc: tuple[str | int, ...] = ()
    """The keys that lead there, as the producer wrote them."""


class Lens(Protocol):
    """Lead the text of one unit from a producer's shape back to the contract's."""

    def changes(self, text: str) -> list[Change] | Fault | None:
        """Return what has to change in ``text``, in order and without overlap; None when it is no JSON.

        What does not have the producer's shape stays as it was written: the contract judges it.

        Limits: linear in ``text``.
        Errors: raises nothing on account of the text.
        """
