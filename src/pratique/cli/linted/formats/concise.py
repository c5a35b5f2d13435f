"""One line a finding, then the summary: for editors, and for grep."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.cli.linted.report import STYLES, Linted
from pratique.cli.terminal import Terminal
from pratique.lint.finding import LintFinding
from pratique.show import escape

__all__ = ["render"]


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield ``file:line:column: CODE level: message at subject#pointer``."""
    for finding in linted.shown:
        head = terminal.paint(f"{finding.code} {finding.level.value}", STYLES[finding.level])
        yield f"{_where(finding)}{head}: {finding.message} at {finding.place}"
    yield linted.summary


def _where(finding: LintFinding) -> str:
    location = finding.location
    if location is None:
        return ""
    position = location.lines.position(location.span.start)
    return f"{escape(location.file)}:{position.line}:{position.column}: "
