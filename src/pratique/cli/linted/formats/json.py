"""One JSON object: the findings that are shown, what was ignored, and the counts of all levels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pratique.cli.linted.report import Linted
from pratique.cli.terminal import Terminal

__all__ = ["render", "summed"]


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield one line."""
    del terminal
    findings = [finding.to_dict() for finding in linted.shown]
    ignored = [finding.to_dict() for finding in linted.report.ignored]
    yield json.dumps({**summed(linted), "findings": findings, "ignored": ignored})


def summed(linted: Linted) -> dict[str, Any]:
    """Return what is told of a run as a whole."""
    return {
        "subjects": len(linted.report.subjects),
        "counts": {level.value: count for level, count in linted.report.counts.items()},
        "ignored_count": len(linted.report.ignored),
        "unused_ignores": [str(ignore) for ignore in linted.report.unused],
        "level": linted.level.value,
    }
