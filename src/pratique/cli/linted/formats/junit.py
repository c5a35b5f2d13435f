"""JUnit XML: one suite a subject, one test case a rule that fired there; a subject without findings is one case.

Subjects of one name (the same tool of two servers, say) are one suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement

from pratique.cli.formats.junit import document
from pratique.cli.linted.report import Linted
from pratique.cli.terminal import Terminal
from pratique.lint.finding import LintFinding
from pratique.show import escape

__all__ = ["render"]


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield one document. Findings milder than what is shown are not in it."""
    del terminal
    shown: dict[str, list[LintFinding]] = {escape(subject.name): [] for subject in linted.report.subjects}
    for finding in linted.shown:
        shown[finding.subject].append(finding)
    yield from document([_suite(name, findings) for name, findings in shown.items()])


def _suite(name: str, findings: Sequence[LintFinding]) -> Element:
    suite = Element("testsuite", name=name)
    by_code = {code: list(found) for code, found in groupby(sorted(findings, key=_code), key=_code)}
    for code, found in by_code.items():
        case = SubElement(suite, "testcase", name=f"{code} {found[0].rule}", classname=name)
        failure = SubElement(case, "failure", type=found[0].level.value, message=found[0].message)
        failure.text = "\n".join(str(finding) for finding in found)
    if not by_code:
        SubElement(suite, "testcase", name="lint", classname=name)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(by_code)))
    suite.set("errors", "0")
    suite.set("skipped", "0")
    return suite


def _code(finding: LintFinding) -> str:
    return finding.code
