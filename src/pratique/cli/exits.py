"""Exit codes: what a verdict, and what became of the quarantine, means to a shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pratique.boundary.admission import Status
from pratique.cli.app import FAILED_OUTSIDE, USAGE_ERROR
from pratique.cli.check import FailOn

__all__ = ["ALREADY_RESOLVED", "STILL_REFUSED", "exit_code", "worst"]

STILL_REFUSED = 3
"""A unit that was judged again is still refused; as ``partial`` is of a delivery."""
ALREADY_RESOLVED = 5
"""A record was resolved before; a second resolution is refused."""

_CODES: Mapping[Status, int] = {
    Status.CLEAN: 0,
    Status.PARTIAL: 3,
    Status.EMPTY: 3,
    Status.LOST: 1,
    Status.REFUSED: 4,
}
_FAILING: Mapping[FailOn, frozenset[Status]] = {
    "partial": frozenset({Status.PARTIAL, Status.EMPTY, Status.LOST, Status.REFUSED}),
    "lost": frozenset({Status.LOST, Status.REFUSED}),
    "never": frozenset(),
}
_FROM_MILD_TO_BAD = (0, 3, 4, 1, USAGE_ERROR, FAILED_OUTSIDE)


def exit_code(status: Status, fail_on: FailOn) -> int:
    """Return the exit code of one verdict."""
    return _CODES[status] if status in _FAILING[fail_on] else 0


def worst(codes: Iterable[int]) -> int:
    """Return the exit code of several deliveries: that of the worst; 0 for none."""
    return max(codes, key=_FROM_MILD_TO_BAD.index, default=0)
