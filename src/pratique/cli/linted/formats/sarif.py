"""SARIF 2.1.0, for code scanning and editors; what is ignored is there as suppressed, with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pratique.cli.formats.sarif import log, region, uri
from pratique.cli.linted.report import Linted
from pratique.cli.terminal import Terminal
from pratique.lint.book import rule_of
from pratique.lint.finding import LintFinding
from pratique.lint.rule import Level, Rule

__all__ = ["render"]

_LEVELS = {Level.ERROR: "error", Level.WARN: "warning", Level.INFO: "note"}


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield one log with one run over all subjects."""
    del terminal
    findings = [*linted.shown, *linted.report.ignored]
    codes = list(dict.fromkeys(finding.code for finding in findings))
    files = dict.fromkeys(finding.location.file for finding in findings if finding.location is not None)
    yield log(
        [_rule(rule_of(code)) for code in codes],
        [_result(finding, codes.index(finding.code)) for finding in findings],
        [{"location": {"uri": uri(file)}} for file in files],
    )


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
    }


def _result(finding: LintFinding, index: int) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.place}]}
    if finding.location is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": uri(finding.location.file)},
            "region": region(finding.location.lines, finding.location.span),
        }
    result = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.level],
        "message": {"text": f"{finding.message}; {finding.help}"},
        "locations": [location],
        "properties": {"subject": finding.subject, "pointer": finding.pointer, "target": finding.target or None},
    }
    if finding.ignored:
        result["suppressions"] = [{"kind": "external", "justification": finding.ignored}]
    return result
