"""One judged file as the formats see it: its verdict, its places, and all there is to tell, in order.

Everything a format prints of it has been escaped here or is escaped by the format: a contract's own
checks may put the producer's text into a message as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from pratique.boundary.admission import Admission, Edit
from pratique.cli.files import STDIO
from pratique.cli.terminal import Terminal
from pratique.errors import CODES, Effect, Finding, Reason
from pratique.show import escape
from pratique.text import Lines, Span

__all__ = ["Checked", "Diagnostic", "Render"]

MAX_EDIT_CHARS = 40
"""Characters of an edit's text that are quoted."""

MAX_DRAFT_CHARS = 80
"""Characters of a draft that are told; ``--format json`` has all of it."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to tell about a file: a finding, or an edit. All text is safe to print."""

    code: str
    message: str
    path: str
    span: Span | None
    effect: Effect
    help: str
    unit: int | None = None
    """Index of the unit it is about; None for the delivery and the envelope."""
    reason: Reason | None = None
    """Why that unit is in quarantine; None when it is not."""
    draft: str = ""
    """What a cleverer repair would have read; told once for a unit."""
    is_edit: bool = False

    @property
    def quarantined(self) -> str:
        """The reason and the unit, in words; empty when nothing was quarantined."""
        if self.reason is None or self.effect is not Effect.REFUSE:
            return ""
        return f"{self.reason.value} (unit {self.unit})"


class Checked:
    """Join a file's name, its verdict and the places in its text."""

    def __init__(self, file: str, admission: Admission[Any]) -> None:
        self.file = "<stdin>" if file == STDIO else file
        self.admission = admission
        self.lines = Lines(admission.delivery.body)

    @property
    def name(self) -> str:
        """The file's name, safe to print."""
        return escape(self.file)

    def place(self, offset: int) -> str:
        """Return ``line:column`` of an offset."""
        line, column = self.lines.position(min(offset, len(self.lines.text)))
        return f"{line}:{column}"

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings and edits, in order of place; those without a place come last."""
        return tuple(sorted(self._all(), key=_place))

    @cached_property
    def summary(self) -> str:
        """The verdict in one line, safe to print."""
        return "; ".join([self._admitted(), *self._lost(), *self._cut()])

    @property
    def stray(self) -> tuple[tuple[Span, str], ...]:
        """Unclaimed stretches that are more than white space."""
        return tuple((part.span, part.text) for part in self.admission.unclaimed if part.text.strip())

    def _all(self) -> Iterator[Diagnostic]:
        admission = self.admission
        for finding in admission.findings:
            yield _of_finding(finding)
        for edit in admission.envelope_edits:
            yield _of_edit(edit, None)
        for unit in admission.units:
            for finding in unit.findings:
                yield _of_finding(finding, span=unit.span, unit=unit.index)
            for edit in unit.edits:
                yield _of_edit(edit, unit.index)
        for lost in admission.quarantined:
            draft = lost.draft or ""
            for finding in lost.findings:
                yield _of_finding(finding, span=lost.span, unit=lost.index, reason=lost.reason, draft=draft)
                draft = ""

    def _admitted(self) -> str:
        counts = self.admission.counts
        units = "unit" if counts["seen"] == 1 else "units"
        return f"{self.admission.status.value}: admitted {counts['admitted']} of {counts['seen']} {units}"

    def _lost(self) -> Iterator[str]:
        counts = dict(self.admission.counts)
        lost, not_kept = counts.pop("quarantined"), counts.pop("not_kept")
        del counts["seen"], counts["admitted"]
        if lost:
            reasons = ", ".join(f"{reason} {count}" for reason, count in counts.items())
            beyond = f"; {not_kept} beyond the limit were not kept" if not_kept else ""
            yield f"quarantined {lost} ({reasons}{beyond})"

    def _cut(self) -> Iterator[str]:
        cut = self.admission.truncation
        if cut is not None:
            inside = f" inside {escape(cut.inside)}" if cut.inside else ""
            told = "" if cut.seen else ", as the finish reason says"
            yield f"truncated at {self.place(cut.offset)}{inside}{told}"


Render: TypeAlias = Callable[[Iterable[Checked], Terminal], Iterator[str]]
"""What a format is: from judged files to the lines of a report."""


def _place(one: Diagnostic) -> tuple[object, ...]:
    return (one.span is None, one.span or (), one.is_edit, one.code, one.path)


def _of_finding(
    finding: Finding,
    *,
    span: Span | None = None,
    unit: int | None = None,
    reason: Reason | None = None,
    draft: str = "",
) -> Diagnostic:
    return Diagnostic(
        code=escape(finding.code),
        message=escape(finding.message),
        path=escape(finding.path),
        span=finding.span or span,
        effect=finding.effect,
        help=escape(finding.help),
        unit=unit,
        reason=reason,
        draft=_brief(draft, MAX_DRAFT_CHARS),
    )


def _of_edit(edit: Edit, unit: int | None) -> Diagnostic:
    code = CODES.get(edit.code)
    before, after = _brief(edit.before, MAX_EDIT_CHARS), _brief(edit.after, MAX_EDIT_CHARS)
    rewrite = f"`{before}` was read as `{after}`" if before and after else f"`{before or after}`"
    return Diagnostic(
        code=edit.code,
        message=f"{code.title if code else 'the text was edited'}: {rewrite}",
        path="$",
        span=edit.span,
        effect=Effect.NOTE,
        help="",
        unit=unit,
        is_edit=True,
    )


def _brief(text: str, max_chars: int) -> str:
    """Return the beginning of a producer's text, safe to print; it may hold quotes of its own."""
    return escape(text[:max_chars]) + ("…" if len(text) > max_chars else "")
