"""One run's report as the formats see it: what is shown, what is hidden, and the summary in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pratique.cli.terminal import Terminal
from pratique.lint.finding import LintFinding, Report
from pratique.lint.rule import Level

__all__ = ["STYLES", "Linted", "Render", "counted"]

STYLES = {Level.ERROR: "refuse", Level.WARN: "strong", Level.INFO: "note"}
"""How a level is painted."""


@dataclass(frozen=True)
class Linted:
    """Join a report with what the caller wants to see of it."""

    report: Report
    level: Level
    """The mildest that is shown."""
    looked_at_limits: bool
    """Whether an endpoint was named."""
    shows_ignored: bool = False

    @cached_property
    def shown(self) -> tuple[LintFinding, ...]:
        """The findings to show."""
        return self.report.at_least(self.level)

    @property
    def summary(self) -> str:
        """What was linted and found, in one line."""
        counts = self.report.counts
        found = [counted(counts[level], level.value) for level in (Level.ERROR, Level.WARN) if counts[level]]
        infos = counts[Level.INFO]
        found += [f"{infos:,} info" + ("" if self.level is Level.INFO else " (--level info)")] if infos else []
        ignored = len(self.report.ignored)
        told = f"{counted(len(self.report.subjects), 'subject')}: {', '.join(found) or 'nothing found'}"
        return told + (f"; {ignored} ignored" if ignored else "")

    @property
    def notes(self) -> Iterator[str]:
        """Yield what else people want to know behind the summary."""
        for ignore in self.report.unused:
            yield f"ignore matches nothing: {ignore}"
        if not self.looked_at_limits:
            yield "limits of providers were not looked at; name one with --target, or all"

    @cached_property
    def by_rule(self) -> tuple[tuple[str, str, Level, int], ...]:
        """Code, name, worst level and count of each rule that fired, the most frequent first."""
        counts = Counter(finding.code for finding in self.shown)
        first = {finding.code: finding for finding in sorted(self.shown, key=lambda each: -each.level.rank)}
        return tuple((code, first[code].rule, first[code].level, count) for code, count in counts.most_common())


Render: TypeAlias = Callable[[Linted, Terminal], Iterator[str]]
"""What a format is: from a report to its lines."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
