"""Run the rules over subjects, and sort out what is ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from pratique.dialects.nodes.constraint import pointer_of
from pratique.dialects.nodes.matching import schema_fault
from pratique.errors import Misuse
from pratique.lint.book import rule_of, rules
from pratique.lint.finding import Ignore, LintFinding, Report, finding_of, in_order
from pratique.lint.rule import Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.show import show
from pratique.terms.schema_document import Document, Place

__all__ = ["lint_subjects"]

MAX_STRANGE_PATTERNS = 20
"""Patterns of one schema that the judge cannot read, after which it is no longer asked about the rest."""

_NO_PATTERN = 'is not a "regex"'
"""How the judge tells of a pattern."""


def lint_subjects(
    subjects: Iterable[Subject],
    *,
    settings: Settings | None = None,
    ignore: Iterable[Ignore] = (),
    only: Iterable[str] = (),
    progress: Callable[[Subject], None] | None = None,
) -> Report:
    """Run the rules over subjects.

    Shape: ``only`` names rules by code or name, all of them by default; ``progress`` is called before each subject.
    Limits: linear in the schemas; unions are compared arm by arm.
    Errors: Misuse for a rule that there is not. A schema that cannot be read is a finding, LS000, which costs only
        itself.
    """
    settings = settings or Settings()
    chosen = [rule_of(code) for code in only] or list(rules())
    linted: list[Subject] = []
    findings: list[LintFinding] = []
    for subject in subjects:
        if progress is not None:
            progress(subject)
        linted.append(subject)
        findings += sorted(_lint_one(subject, chosen, settings), key=in_order)
        for part in subject.parts:
            part.forget()
    return _sorted_out(tuple(linted), findings, tuple(ignore))


def _lint_one(subject: Subject, chosen: Iterable[Rule], settings: Settings) -> Iterator[LintFinding]:
    try:
        for part in subject.parts:
            _require_readable(subject, part)
    except RecursionError:
        remark = Remark(subject.main, (), "the schema is nested too deep to be read", "describe a flatter value")
        yield finding_of(subject, rule_of("LS000"), remark)
        return
    except Misuse as misuse:
        unreadable = rule_of("LS000")
        remark = Remark(subject.main, (), misuse.message, misuse.remedy)
        yield finding_of(subject, unreadable, remark)
        return
    for rule in chosen:
        for remark in dict.fromkeys(rule.check(subject, settings)):
            yield finding_of(subject, rule, remark)


def _require_readable(subject: Subject, part: Part) -> None:
    """Read a part. Errors: Misuse for what is no schema, refers to nothing, or multiplies itself."""
    fault = None if subject.kind is Kind.CONTRACT else _fault(part.schema)  # a contract's was judged before
    if fault is not None:
        raise Misuse(
            f"it is no JSON Schema, at {show(pointer_of(fault[0]) or '/')}: {fault[1]}",
            remedy="correct it by the metaschema of draft 2020-12",
        )
    try:
        _ = part.view.spots
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # no schema, and its judge is not installed
        raise Misuse(
            f"the schema cannot be read: {type(error).__name__}", remedy="pip install 'pratique[schema]' tells where"
        ) from error


def _fault(schema: dict[str, Any]) -> tuple[Place, str] | None:
    """Return where a schema is none; a pattern that the judge cannot read is passed over: another engine may."""
    fault = schema_fault(schema)
    if fault is None or not fault[1].endswith(_NO_PATTERN):
        return fault
    rest = deepcopy(schema)
    for _ in range(MAX_STRANGE_PATTERNS):
        if fault is None or not fault[1].endswith(_NO_PATTERN):
            return fault
        *outer, last = fault[0]
        del Document(rest)[tuple(outer)][last]
        fault = schema_fault(rest)
    return None


def _sorted_out(subjects: tuple[Subject, ...], findings: list[LintFinding], ignores: tuple[Ignore, ...]) -> Report:
    for ignore in ignores:
        rule_of(ignore.code)
    kept: list[LintFinding] = []
    ignored: list[LintFinding] = []
    used: set[int] = set()
    for finding in findings:
        reasons = [(index, each) for index, each in enumerate(ignores) if each.matches(finding)]
        used.update(index for index, _ in reasons)
        if reasons:
            ignored.append(replace(finding, ignored=reasons[0][1].reason))
        else:
            kept.append(finding)
    unused = tuple(each for index, each in enumerate(ignores) if index not in used)
    return Report(subjects, tuple(kept), tuple(ignored), unused)
