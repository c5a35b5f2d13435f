"""What is kept of a stream that forgets: the text around its units, what it refused, and counts.

The text up to the first sound units stays, since it shows what the frame around them is; of what follows only
what is wrong with it stays, within the contract's limits.
"""

from __future__ import annotations

from typing import Any

from pratique.boundary.account import quarantined_of, stray_text
from pratique.boundary.admit import Tally
from pratique.boundary.frame import RE_CLOSE_THINK
from pratique.boundary.gate import text_of
from pratique.boundary.guard import refuses
from pratique.boundary.judge import note_told, reasoning_late
from pratique.boundary.list_stream import ListStream, Read
from pratique.boundary.scan import ListScan
from pratique.boundary.validate import Outcome
from pratique.boundary.verdict import Unit
from pratique.errors import Reason
from pratique.terms import Terms
from pratique.text import Span

__all__ = ["Remains"]

KEPT_UNITS = 2
"""Units from the first sound one on whose text is kept in any case."""


class Remains:
    """Keep what a stream must remember of the units it hands out."""

    def __init__(self, terms: Terms[Any]) -> None:
        self.text: str | None = None
        """The text to the end of the first sound units; None before the first one, while all text is kept."""
        self.tally = Tally()
        self._terms = terms
        self._first = ""
        """The text of the first sound unit, while it is the only one that is kept."""
        self._kept = 0
        """The index of the first unit whose text need not be kept."""
        self._marked = False

    def is_over(self, index: int, before: str) -> bool:
        """Say whether nothing need be kept of a unit, nor told of what stands before it."""
        return self.text is not None and index >= self._kept and before.strip() in ("", ",")

    def take(self, unit: Unit, read: Read, text: list[str]) -> None:
        """Keep what is needed of a unit; ``text`` is all that came, and is given up with the first sound unit."""
        sound = unit.outcome.reason is None
        if self.text is None:
            if sound:  # from here on the payload is taken, whatever follows
                self.text = "".join(text)[: unit.span.end]
                text.clear()
                self._kept = unit.index + KEPT_UNITS
                self._first = read.raw
            return
        if unit.index < self._kept and sound:
            self.text += read.before + read.raw
            self._first = ""
            return
        self._kept = min(self._kept, unit.index)
        self._stray(read.before, unit.span.start - len(read.before))
        mark = None if sound or unit.outcome.text else RE_CLOSE_THINK.search(read.raw)
        if mark is not None and not self._marked:
            self._marked = True
            place = Span(unit.span.start + mark.start(), unit.span.start + mark.end())
            self.tally.findings.append(reasoning_late(place))

    def refuse(self, unit: Unit) -> None:
        """Keep a unit that was refused."""
        if len(self.tally.quarantined) < self._terms.limits.max_quarantined:
            self.tally.quarantined.append(quarantined_of(unit, text_of(unit)))

    def close(self, units: ListStream, done: ListScan[Outcome], last: Read | None, index: int) -> tuple[str, int]:
        """Tell what stands behind the last unit; return the text without the units that were dropped, and their size.

        Shape: ``last`` is the unit that only the end decided, at ``index``; ``done`` is how the list ended.
        """
        assert self.text is not None  # a stream without a sound unit keeps its text and is judged in one piece
        tally, kept = self.tally, len(self.text)
        if last is not None and last.outcome is not None and last.outcome.reason is Reason.TRUNCATED:
            tally.cut_inside = index
        end = units.ended  # what stands between lines and what follows them says where the lines end
        if units.bracketed:
            end = done.end
            self._stray(units.text[units.ended : end], units.base + units.ended)
        tally.cut = done.cut
        notes = [*units.notes, *done.notes]
        tally.findings += [note_told(code, code.title, span) for code, span in notes if span.start >= kept]
        for code, many in units.notes_not_kept.items():
            self._leave_out(many, refusing=refuses([note_told(code, code.title, Span(0, 0))]))
        closing = "]" if done.closed and units.bracketed else ""
        if not units.bracketed and self._first:  # one unit alone is another frame than several lines are
            closing = f"\n{self._first}"
        return self.text + closing + units.text[end:], units.base + end - kept - len(closing)

    def _stray(self, gap: str, base: int) -> None:
        tally, limit = self.tally, self._terms.limits.max_quarantined
        stray, findings = stray_text(self._terms, gap, base)
        room, more = max(0, limit - len(tally.unclaimed)), max(0, limit - len(tally.findings))
        tally.unclaimed += stray[:room]
        tally.findings += findings[:more]
        self._leave_out(len(stray[room:]) + len(findings[more:]), refusing=refuses(findings[more:]))

    def _leave_out(self, many: int, *, refusing: bool) -> None:
        """Count what is not kept: it is told, though not what it was."""
        self.tally.not_kept += many
        self.tally.lost_refusing = self.tally.lost_refusing or refusing
