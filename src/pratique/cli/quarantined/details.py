"""``pratique quarantine show``: one record with all that is kept of it, and what can be done with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pratique.cli.excerpt import excerpt
from pratique.cli.moments import now, stamp, when
from pratique.cli.quarantined.database import open_db, record_of
from pratique.cli.quarantined.shown import block, command, counted, fit, thing
from pratique.cli.terminal import Terminal, terminal_of
from pratique.errors import Finding
from pratique.quarantine.record import Detail, Overlay, State
from pratique.quarantine.resolution import Kind, Resolved
from pratique.quarantine.store import Filter, QuarantineStore
from pratique.show import escape, show
from pratique.text import Lines, Span

__all__ = ["group_told", "run_show"]

MAX_SHOWN_FINDINGS = 20
"""Findings shown of one record; the rest is counted."""

MAX_SHOWN_EDITS = 5
"""Edits shown of one record; the rest is counted."""

_COLUMN = 11
"""Cells of the labels on the left."""


class Source(NamedTuple):
    """The text in which a record's findings have their places."""

    name: str
    lines: Lines
    start: int
    """Offset, in the delivery's body, at which this text begins."""

    def find(self, span: Span | None) -> Span | None:
        """Return a span of the body as a span of this text; None when it is not in it."""
        if span is None or span.start < self.start or span.end - self.start > len(self.lines.text):
            return None
        return Span(span.start - self.start, span.end - self.start)


def run_show(said: str, *, db: str | None, as_json: bool, no_color: bool) -> int:
    """Print one record; return the exit code.

    Errors: Misuse when there is no such record, or several.
    """
    terminal = terminal_of(sys.stdout, no_color=no_color)
    with open_db(db) as store:
        detail = store.show(record_of(store, said, db=db))
        if as_json:
            print(json.dumps(detail.to_dict(), indent=2))
            return 0
        for line in _page(detail, store, db, terminal):
            print(line)
    return 0


def _page(detail: Detail, store: QuarantineStore, db: str | None, terminal: Terminal) -> Iterator[str]:
    record, today = detail.record, now()
    head = f"{terminal.paint(record.id, 'strong')}: {thing(record.index)}"
    state = terminal.paint(record.state.value, "good" if record.state is State.ADMITTED else "refuse")
    yield f"{head}, {terminal.paint(escape(record.reason), 'refuse')}, {state}"
    for label, said in _provenance(detail, store, today):
        yield f"  {label:<{_COLUMN}}{fit(said, max(terminal.max_cells - _COLUMN - 2, 20))}"
    yield ""
    source = _source_of(detail)
    for finding in detail.findings[:MAX_SHOWN_FINDINGS]:
        yield from _finding(finding, source, terminal)
        yield ""
    if len(detail.findings) > MAX_SHOWN_FINDINGS:
        yield f"{len(detail.findings) - MAX_SHOWN_FINDINGS:,} more findings; --json has them"
        yield ""
    whole = f"all of it: {command('show', record.id, '--json', db=db)}"
    yield from _texts(detail, whole, terminal)
    for overlay in detail.overlays:
        yield from _overlay(overlay, whole, today, terminal)
    for resolved in detail.resolutions:
        yield from _resolved(resolved, whole, today, terminal)
    yield terminal.paint("next:", "strong")
    yield from (f"  {line}" for line in _next(detail, db))


def _provenance(detail: Detail, store: QuarantineStore, today: float) -> Iterator[tuple[str, str]]:
    record, came = detail.record, detail.delivery
    yield "contract", f"{came.contract} version {came.version} ({came.contract_fingerprint})"
    run = (f", run {came.run_id}" if came.run_id else "") + (
        f", attempt {came.attempt}" if came.attempt is not None else ""
    )
    yield "producer", f"{came.producer.value}{f' {came.model}' if came.model else ''}{run}"
    usage = ", ".join(f"{name} {count:,}" for name, count in sorted(came.usage.items()))
    yield "stopped", f"finish reason {came.finish_reason or 'not told'}{f'; {usage}' if usage else ''}"
    if came.prompt_digest:
        yield "prompt", came.prompt_digest
    cut = ", truncated" if came.truncated else ""
    not_kept = f", {came.not_kept:,} of the rest not kept" if came.not_kept else ""
    yield "delivery", f"{came.id}: {came.status}{cut}, admitted {came.admitted:,} of {came.seen:,}{not_kept}"
    size = counted(came.size_bytes, "byte")
    part = "" if came.whole else f", of which {len(came.body.encode('utf-8', 'surrogatepass')):,} were kept"
    yield "kept", f"{size}{part}, {when(came.kept_at, today)}"
    yield "digest", came.digest
    yield "group", f"{record.fingerprint}: {group_told(record.fingerprint, store)}"
    if record.regressed:
        yield "regressed", "its group was wholly resolved when it came"


def group_told(fingerprint: str, store: QuarantineStore) -> str:
    """Say how large a group is; another process may have purged it since its record was read."""
    groups = store.groups(Filter(fingerprint=fingerprint))
    if not groups:
        return "purged, this record too, while it was read"
    (group,) = groups
    return f"{group.open:,} open, {group.ever:,} ever"


# ---------------------------------------------------------------------- findings, with their places


def _source_of(detail: Detail) -> Source:
    """Take the whole delivery, or where that was not kept the unit alone."""
    came = detail.delivery
    if came.whole or detail.record.index is None:
        return Source(came.id, Lines(came.body), 0)
    return Source(detail.record.id, Lines(detail.raw), detail.record.span.start)


def _finding(finding: Finding, source: Source, terminal: Terminal) -> Iterator[str]:
    style = finding.effect.value
    yield f"{terminal.paint(escape(finding.code), style)}: {escape(finding.message)}"
    span = source.find(finding.span)
    gutter = 1
    if span is None:
        yield f" {terminal.paint('-->', 'frame')} {escape(finding.path)}"
    else:
        line, column = source.lines.position(span.start)
        gutter = len(str(line))
        yield f"{' ' * gutter}{terminal.paint('-->', 'frame')} {source.name}:{line}:{column}  {escape(finding.path)}"
        yield from _marked(source.lines, span, style, gutter, terminal)
    if finding.help:
        sign = terminal.paint("=", "frame")
        yield f"{' ' * gutter} {sign} {terminal.paint('help:', 'strong')} {escape(finding.help)}"


def _marked(lines: Lines, span: Span, style: str, gutter: int, terminal: Terminal) -> Iterator[str]:
    shown = excerpt(lines, span, max_cells=terminal.max_cells - gutter - 3)
    text = "".join(terminal.paint(piece, "escape") if escaped else piece for piece, escaped in shown.pieces)
    bar = terminal.paint("|", "frame")
    yield f"{' ' * gutter} {bar}"
    yield f"{terminal.paint(f'{shown.line:>{gutter}}', 'frame')} {bar} {text}".rstrip()
    yield f"{' ' * gutter} {bar} {' ' * shown.indent}{terminal.paint('^' * shown.mark, style)}"


# ---------------------------------------------------------------------- texts and decisions


def _texts(detail: Detail, whole: str, terminal: Terminal) -> Iterator[str]:
    part = "" if detail.whole else ", of which the head was kept"
    yield f"{terminal.paint('raw text', 'strong')} ({counted(detail.raw_bytes, 'byte')}{part}):"
    yield from block(detail.raw, whole=whole)
    yield ""
    if detail.draft is not None:
        yield terminal.paint("draft, not admitted:", "strong")
        yield from block(detail.draft, whole=whole)
        yield ""
    for edit in detail.edits[:MAX_SHOWN_EDITS]:
        yield f"{escape(edit.code)}: {show(edit.before, max_chars=40)} was read as {show(edit.after, max_chars=40)}"
    if len(detail.edits) > MAX_SHOWN_EDITS:
        yield f"{len(detail.edits) - MAX_SHOWN_EDITS:,} more edits; --json has them"
    if detail.edits:
        yield ""


def _overlay(overlay: Overlay, whole: str, today: float, terminal: Terminal) -> Iterator[str]:
    label = terminal.paint(f"edit {overlay.number}", "strong")
    yield f"{label} by {show(overlay.author)}, {when(overlay.at, today)}{_because(overlay.note)}:"
    yield from block(overlay.text, whole=whole)
    yield ""


def _resolved(resolved: Resolved, whole: str, today: float, terminal: Terminal) -> Iterator[str]:
    said, passage = resolved.resolution, resolved.resolution.passage
    who = f" by {show(said.author)}" if said.author else ""
    why = f": {show(said.reason, max_chars=400)}" if said.reason else ""
    yield f"{terminal.paint(said.kind.value, 'strong')}{who}, {when(resolved.at, today)}{why}{_because(said.note)}"
    if said.kind is Kind.SNOOZED:
        yield f"  until {_ends(resolved)}"
    if passage is not None:
        text = "its raw text" if passage.overlay is None else f"edit {passage.overlay}"
        contract = f"{escape(passage.contract)} version {escape(passage.version)}"
        yield f"  {text} passed {contract} in replay {escape(passage.replay)}, as:"
        yield from block(passage.values_json, indent="    ", whole=whole)
    yield ""


def _ends(resolved: Resolved) -> str:
    said = resolved.resolution
    ends = [stamp(said.until)] if said.until is not None else []
    if said.grow_by is not None:
        ends.append(f"the group has grown by {said.grow_by:,}")
    return ", or ".join(ends)


def _because(note: str) -> str:
    return f", note {show(note, max_chars=400)}" if note else ""


def _next(detail: Detail, db: str | None) -> Sequence[str]:
    """Return the commands that make sense for a record as it stands."""
    record = detail.record
    others = command("list", "--group", record.fingerprint, db=db)
    if record.state in (State.ADMITTED, State.DISCARDED):
        return (others,)
    whole = command("list", "--delivery", record.delivery, "--status", "all", "--units", db=db)
    if record.state is State.SNOOZED:
        return (others, whole)
    judge = ("--contract", "MODULE:NAME")
    edit = (command("edit", record.id, "--editor", *judge, "--note", "WHY", db=db),)
    return (
        command("replay", record.id, *judge, db=db),
        *(edit if record.index is not None else ()),
        command("discard", record.id, "--reason", "WHY", db=db),
        command("snooze", record.id, "--until", "7d", db=db),
        others,
        whole,
    )
