"""One assertion for a test suite: what a project asks of models lints clean, but for what it ignores for a reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pratique.lint.face import lint
from pratique.lint.finding import Ignore, Report
from pratique.lint.rule import Level
from pratique.lint.thresholds import Thresholds

__all__ = ["require_lint_clean"]


def require_lint_clean(
    *linted: Any,
    target: str | Sequence[str] = (),
    level: Level | str = Level.ERROR,
    thresholds: Thresholds | None = None,
    same_behaviour: Iterable[Sequence[str]] = (),
    ignore: Iterable[Ignore] = (),
) -> Report:
    """Require that nothing at or above a level is found, and that every ignore still matches something.

    Shape: as ``pratique.lint.lint``; returns its report.
    Errors: AssertionError with every finding and every ignore that matches nothing, one a line; Misuse as ``lint``.
    """
    report = lint(*linted, target=target, thresholds=thresholds, same_behaviour=same_behaviour, ignore=ignore)
    told = [str(finding) for finding in report.at_least(Level(level))]
    told += [f"ignore matches nothing: {each}" for each in report.unused]
    if told:
        raise AssertionError("\n".join([f"{len(told)} to mend, or to ignore for a reason:", *told]))
    return report
