"""Workflow commands: annotations at the place, in a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.cli.formats.github import command
from pratique.cli.linted.report import Linted
from pratique.cli.terminal import Terminal
from pratique.lint.finding import LintFinding
from pratique.lint.rule import Level
from pratique.show import escape

__all__ = ["render"]

_LEVELS = {Level.ERROR: "error", Level.WARN: "warning", Level.INFO: "notice"}


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield one command a finding, and the summary as a plain line."""
    del terminal
    for finding in linted.shown:
        text = f"{finding.message} at {finding.place}; {finding.help}"
        yield command(_LEVELS[finding.level], {**_region(finding), "title": f"{finding.code} {finding.rule}"}, text)
    yield f"pratique: {linted.summary}"


def _region(finding: LintFinding) -> dict[str, object]:
    location = finding.location
    if location is None:
        return {}
    start = location.lines.position(location.span.start)
    end = location.lines.position(max(location.span.start, location.span.end - 1))
    return {
        "file": escape(location.file), "line": start.line, "endLine": end.line, "col": start.column,
        "endColumn": end.column,
    }  # fmt: skip
