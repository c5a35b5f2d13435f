"""The report for people: each finding with its source line, what to do, and the summary."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.cli.excerpt import excerpt
from pratique.cli.linted.report import STYLES, Linted
from pratique.cli.terminal import Terminal
from pratique.lint.finding import LintFinding
from pratique.show import escape

__all__ = ["render"]


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield the findings, the ignored ones when they are asked for, and the summary."""
    for finding in linted.shown:
        yield from _finding(finding, terminal)
        yield ""
    for finding in linted.report.ignored if linted.shows_ignored else ():
        yield f"{terminal.paint('ignored', 'strong')} {finding.code} at {finding.place}: {escape(finding.ignored)}"
    yield linted.summary
    for note in linted.notes:
        yield f"  {terminal.paint('=', 'frame')} {escape(note)}"


def _finding(finding: LintFinding, terminal: Terminal) -> Iterator[str]:
    head = f"{finding.code} {finding.level.value} {finding.rule}"
    target = f" [{finding.target}]" if finding.target else ""
    yield f"{terminal.paint(head, STYLES[finding.level])}{target}: {finding.message}"
    location = finding.location
    gutter, where = 1, ""
    if location is not None:
        position = location.lines.position(location.span.start)
        gutter = len(str(position.line))
        where = f"{escape(location.file)}:{position.line}:{position.column}  "
    yield f"{' ' * gutter}{terminal.paint('-->', 'frame')} {where}{finding.place}"
    if location is not None and location.lines.text:
        shown = excerpt(location.lines, location.span, max_cells=terminal.max_cells - gutter - 3)
        bar = terminal.paint("|", "frame")
        yield f"{' ' * gutter} {bar}"
        yield f"{terminal.paint(f'{shown.line:>{gutter}}', 'frame')} {bar} {shown.source}".rstrip()
        yield f"{' ' * gutter} {bar} {terminal.paint(shown.marker, STYLES[finding.level])}"
    yield f"{' ' * gutter} {terminal.paint('=', 'frame')} {terminal.paint('help:', 'strong')} {finding.help}"
    if finding.fix is not None:
        yield f"{' ' * gutter} {terminal.paint('=', 'frame')} {terminal.paint('fix:', 'strong')} {finding.fix.title}"
