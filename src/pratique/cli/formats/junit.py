"""JUnit XML: one test case a unit, and one for the delivery as a whole.

Shape: a suite fails exactly when its file is not ``clean``. Text is escaped first, so that nothing is
left that XML cannot hold; characters beyond ASCII are written as references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pratique.boundary.admission import Quarantined, Status
from pratique.cli.checked import Checked
from pratique.cli.terminal import Terminal
from pratique.errors import Effect
from pratique.show import escape, show

__all__ = ["document", "render"]

MAX_RAW_CHARS = 1_000
"""Characters of a refused unit's raw text in a report; ``--format json`` has all of it."""


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield one document with one suite a file."""
    del terminal
    yield from document(map(_suite, judged))


def document(suites: Iterable[Element]) -> Iterator[str]:
    """Yield one document of some suites, with their sums."""
    root = Element("testsuites", name="pratique")
    root.extend(suites)
    for name in ("tests", "failures"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    indent(root)
    yield '<?xml version="1.0" encoding="us-ascii"?>'
    yield tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")


def _suite(checked: Checked) -> Element:
    suite = Element("testsuite", name=checked.name)
    sound = [(unit.index, None) for unit in checked.admission.units]
    lost = [(unit.index, unit) for unit in checked.admission.quarantined]
    suite.append(_delivery(checked, alone=not lost))
    for index, refused in sorted([*sound, *lost], key=lambda case: case[0]):
        case = SubElement(suite, "testcase", name=f"unit {index}", classname=_classname(checked))
        if refused is not None:
            _fail(case, refused.reason.value, *_told(checked, refused))
    SubElement(suite, "system-out").text = checked.summary
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", "0")
    return suite


def _delivery(checked: Checked, *, alone: bool) -> Element:
    """Make the case of the delivery: it fails for what is no unit's fault, and when no unit's case would."""
    admission = checked.admission
    case = Element("testcase", name="delivery", classname=_classname(checked))
    refusing = [finding for finding in admission.findings if finding.effect is Effect.REFUSE]
    lines = [escape(str(finding)) for finding in refusing]
    if lines or (alone and admission.status is not Status.CLEAN):
        _fail(case, admission.status.value, checked.summary, lines)
    return case


def _fail(case: Element, kind: str, message: str, lines: Iterable[str]) -> None:
    failure = SubElement(case, "failure", type=kind, message=message)
    failure.text = "\n".join(lines)


def _told(checked: Checked, lost: Quarantined) -> tuple[str, list[str]]:
    findings = [escape(str(finding)) for finding in lost.findings]
    place = f"{checked.name}:{checked.place(lost.span.start)}"
    message = findings[0] if findings else lost.reason.value
    raw = show(lost.raw, max_chars=MAX_RAW_CHARS)
    return message, [f"{place}: quarantined: {lost.reason.value}", *findings, f"raw: {raw}"]


def _classname(checked: Checked) -> str:
    return escape(checked.admission.contract)
