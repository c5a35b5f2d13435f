"""Say in a few words how many values of a kind a finding is about, and which."""

from __future__ import annotations

from collections.abc import Sequence

from pratique.lint.view import Spot
from pratique.show import show

__all__ = ["counted"]

_MOST_NAMED = 3
"""Paths that a message names, at most: the first are enough to begin with, and the line stays short."""


def counted(found: Sequence[Spot], kind: str) -> str:
    """Return ``a text (title)``, or ``5 texts (title, body, tags[] and 2 more)``."""
    paths = list(dict.fromkeys(show(spot.path)[1:-1] for spot in found))
    more = len(paths) - _MOST_NAMED
    told = ", ".join(paths[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return f"{len(found):,} {kind}s ({told})" if len(found) > 1 else f"a {kind} ({told})"
