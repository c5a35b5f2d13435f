"""The report for people: each finding with its source line and a mark at the place, then the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pratique.boundary.admission import Status
from pratique.cli.checked import Checked, Diagnostic
from pratique.cli.excerpt import excerpt, goes_on
from pratique.cli.terminal import Terminal
from pratique.errors import Effect
from pratique.show import escape, show, width
from pratique.text import Span

__all__ = ["render"]

MAX_SHOWN_EDITS = 5
"""Edits of one code shown in full; the rest is counted."""

MAX_SHOWN_STRAY = 5
"""Unclaimed stretches shown; the rest is counted."""


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield the report, file by file."""
    for number, checked in enumerate(judged):
        if number:
            yield ""
        yield from _file(checked, terminal)


def _file(checked: Checked, terminal: Terminal) -> Iterator[str]:
    edits: Counter[str] = Counter()
    for one in checked.diagnostics:
        edits[one.code] += one.is_edit
        if edits[one.code] <= MAX_SHOWN_EDITS:
            yield from _diagnostic(checked, one, terminal)
            yield ""
    for code, count in sorted(edits.items()):
        if count > MAX_SHOWN_EDITS:
            yield f"{terminal.paint(code, 'note')}: {count - MAX_SHOWN_EDITS} more edits of this kind"
            yield ""
    yield from _stray(checked, terminal)
    yield from _defaulted(checked, terminal)
    yield f"{checked.name}: {_verdict(checked, terminal)}"


def _diagnostic(checked: Checked, one: Diagnostic, terminal: Terminal) -> Iterator[str]:
    style = one.effect.value
    gutter = len(str(checked.lines.position(one.span.start).line)) if one.span else 1
    yield f"{terminal.paint(one.code, style)}: {one.message}"
    place = f"{checked.name}:{checked.place(one.span.start)}" if one.span else checked.name
    path = "" if one.is_edit else f"  {one.path}"
    yield f"{' ' * gutter}{terminal.paint('-->', 'frame')} {place}{path}"
    if one.span:
        yield from _source(checked, one.span, style, gutter, terminal)
    sign = f"{' ' * gutter} {terminal.paint('=', 'frame')} "
    if one.quarantined:
        yield f"{sign}{terminal.paint('quarantined:', 'strong')} {one.quarantined}"
    if one.draft:
        yield f"{sign}{terminal.paint('draft, not admitted:', 'strong')} {one.draft}"
    if one.help:
        yield f"{sign}{terminal.paint('help:', 'strong')} {one.help}"


def _source(checked: Checked, span: Span, style: str, gutter: int, terminal: Terminal) -> Iterator[str]:
    max_cells = terminal.max_cells - gutter - 3
    shown = excerpt(checked.lines, span, max_cells=max_cells)
    line = "".join(terminal.paint(text, "escape") if escaped else text for text, escaped in shown.pieces)
    below = ""
    if goes_on(checked.lines, span):
        below = f" to {checked.place(span.end - 1)}"
        if shown.indent + shown.mark + width(below) > max_cells:
            below = ""
    bar = terminal.paint("|", "frame")
    number = terminal.paint(f"{shown.line:>{gutter}}", "frame")
    yield f"{' ' * gutter} {bar}"
    yield f"{number} {bar} {line}".rstrip()
    yield f"{' ' * gutter} {bar} {' ' * shown.indent}{terminal.paint('^' * shown.mark + below, style)}"


def _stray(checked: Checked, terminal: Terminal) -> Iterator[str]:
    stray = checked.stray
    label = terminal.paint("unclaimed", "strong")
    for span, text in stray[:MAX_SHOWN_STRAY]:
        place = f"{checked.name}:{checked.place(span.start)}"
        yield f"{label}: {_chars(span)} characters at {place}: {show(text.strip(), max_chars=60)}"
    if len(stray) > MAX_SHOWN_STRAY:
        chars = sum(_chars(span) for span, _ in stray[MAX_SHOWN_STRAY:])
        yield f"{label}: {len(stray) - MAX_SHOWN_STRAY} more stretches, {chars} characters"
    if stray:
        yield ""


def _defaulted(checked: Checked, terminal: Terminal) -> Iterator[str]:
    fields = Counter(field for unit in checked.admission.units for field in unit.defaulted)
    if fields:
        told = ", ".join(f"{escape(field)} (in {count})" for field, count in sorted(fields.items()))
        label = terminal.paint("defaults", "strong")
        yield f"{label}: left out by the producer, filled by the contract: {told}"
        yield ""


def _chars(span: Span) -> int:
    return span.end - span.start


def _verdict(checked: Checked, terminal: Terminal) -> str:
    status, _, rest = checked.summary.partition(":")
    good = checked.admission.status is Status.CLEAN
    return f"{terminal.paint(status, 'good' if good else Effect.REFUSE.value)}:{rest}"
