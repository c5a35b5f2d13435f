"""Exit codes: what a verdict means to a shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pratique.boundary.admission import Status
from pratique.cli.app import USAGE_ERROR
from pratique.cli.check import FailOn

__all__ = ["exit_code", "worst"]

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
_FROM_MILD_TO_BAD = (0, 3, 4, 1, USAGE_ERROR)


def exit_code(status: Status, fail_on: FailOn) -> int:
    """Return the exit code of one verdict."""
    return _CODES[status] if status in _FAILING[fail_on] else 0


def worst(codes: Iterable[int]) -> int:
    """Return the exit code of several deliveries: that of the worst; 0 for none."""
    return max(codes, key=_FROM_MILD_TO_BAD.index, default=0)
