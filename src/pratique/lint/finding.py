"""What the linter tells: findings, which of them are ignored and why, and the report of one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from pratique.dialects.nodes.constraint import pointer_of
from pratique.errors import Misuse
from pratique.lint.origin import Location
from pratique.lint.rule import Fix, Level, Remark, Rule
from pratique.lint.subject import Subject
from pratique.show import escape, show
from pratique.terms.schema_document import Place

__all__ = ["Ignore", "LintFinding", "Report"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Tell one thing that a rule found.

    Shape: ``pointer`` is a JSON Pointer into the schema of ``part``. All text is safe to print: names come from other
        people's schemas.
    """

    code: str
    rule: str
    level: Level
    subject: str
    part: str
    pointer: str
    message: str
    help: str
    target: str = ""
    """The endpoint it is about; empty: it is about none alone."""
    location: Location | None = None
    fix: Fix | None = None
    ignored: str = ""
    """The reason why it is ignored; empty: it is not."""

    @property
    def place(self) -> str:
        """The subject and the pointer, as an ``Ignore`` matches them: ``tools/create#/properties/id``."""
        part = "" if self.part in ("schema", "unit") else f"{self.part}"
        return f"{self.subject}#{part}{self.pointer}"

    def __str__(self) -> str:
        return f"{self.code} {self.level}: {self.message} at {self.place}; {self.help}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values. Units: ``line`` and ``column`` count from 1; ``span`` in code points."""
        where: dict[str, Any] = {"file": None, "line": None, "column": None, "span": None}
        if self.location is not None:
            position = self.location.lines.position(self.location.span.start)
            where = {
                "file": self.location.file, "line": position.line, "column": position.column,
                "span": list(self.location.span),
            }  # fmt: skip
        return {
            "code": self.code, "rule": self.rule, "level": self.level.value, "subject": self.subject,
            "part": self.part, "pointer": self.pointer, "message": self.message, "help": self.help,
            "target": self.target or None, **where, "ignored": self.ignored or None,
            "fix": None if self.fix is None else {"schema": self.fix.schema, "python": self.fix.python},
        }  # fmt: skip


def finding_of(subject: Subject, rule: Rule, remark: Remark) -> LintFinding:
    """Make the finding of what a rule remarked."""
    return LintFinding(
        code=rule.code,
        rule=rule.name,
        level=remark.level or rule.level,
        subject=escape(subject.name),
        part=remark.part.name,
        pointer=escape(pointer_of(remark.place)),
        message=escape(remark.message),
        help=escape(remark.help or rule.help),
        target=remark.target,
        location=subject.origin.locate(remark.part.name, remark.place),
        fix=remark.fix,
    )


@dataclass(frozen=True, slots=True)
class Ignore:
    """Leave findings of one rule out, at some places, for a reason.

    Shape: ``code`` is one rule's; ``path`` is a pattern (``*``, ``?``, ``[…]``) for ``LintFinding.place``, the subject,
        ``#`` and the pointer: ``tools/create_*#/properties/*``. ``*`` alone: everywhere.
    Errors: Misuse without a reason: who reads it later cannot tell a decision from an excuse.
    """

    code: str
    path: str
    reason: str

    def __post_init__(self) -> None:
        for name in ("code", "path", "reason"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise Misuse(
                    f"an ignore needs a {name}, and has {show(getattr(self, name))}",
                    remedy='write Ignore("LS022", "tools/search#*", "the upstream API has these fields")',
                )

    def matches(self, finding: LintFinding) -> bool:
        """Say whether it is about a finding."""
        return self.code == finding.code and fnmatchcase(finding.place, self.path)

    def __str__(self) -> str:
        return f"{self.code} at {self.path}: {self.reason}"


@dataclass(frozen=True)
class Report:
    """Hold what one run found."""

    subjects: tuple[Subject, ...]
    findings: tuple[LintFinding, ...]
    """In the order of subjects; in one subject the worst level first, then by place."""
    ignored: tuple[LintFinding, ...] = ()
    unused: tuple[Ignore, ...] = ()
    """Ignores that matched nothing: they are out of date, or their path is wrong."""

    @cached_property
    def counts(self) -> Mapping[Level, int]:
        """Level -> findings, ignored ones not counted."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in Level}

    def at_least(self, level: Level) -> tuple[LintFinding, ...]:
        """Return the findings of a level and of all that are worse."""
        return tuple(finding for finding in self.findings if finding.level.rank <= level.rank)

    def of(self, subject: Subject) -> tuple[LintFinding, ...]:
        """Return the findings about one subject."""
        name = escape(subject.name)
        return tuple(finding for finding in self.findings if finding.subject == name)


def in_order(finding: LintFinding) -> tuple[int, str, Place, str, str]:
    """Return what sorts the findings of one subject."""
    place = tuple(finding.pointer.split("/"))
    return (finding.level.rank, (finding.part != "unit" and finding.part) or "", place, finding.code, finding.message)
