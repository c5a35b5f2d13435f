"""Every fixed case gets the verdict that was judged by hand, whoever delivers it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

import pratique.contract  # noqa: F401  # fills CODES
from corpus.cases import CASES, Case
from corpus.contracts import CONTRACTS
from damage.laws import broken_laws
from pratique import Admission, Producer
from pratique.boundary.repair import EDITS
from pratique.errors import CODES

MIN_CASES = 80
ROOMS = ("delivery.", "frame.", "scan.", "repair.", "validate.", "guard.", "admit.", "envelope.", "check.")
"""Rooms of the boundary: every code of theirs has a case. Later rooms bring corpora of their own."""


def _plain(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else value


def _codes(admission: Admission[Any]) -> set[str]:
    made = {edit.code for unit in admission.units for edit in unit.edits}
    made |= {edit.code for edit in admission.envelope_edits}
    return made | {finding.code for finding in admission.all_findings}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict_is_as_judged_by_hand(case: Case) -> None:
    """Status, truncation, values, quarantine, edits, envelope and codes."""
    admission = case.admit(CONTRACTS[case.contract])
    verdict = case.verdict
    told = "\n".join([repr(admission), *(str(finding) for finding in admission.all_findings)])
    values = [_plain(value) for value in admission.values]
    assert json.dumps(values) == json.dumps(verdict["admitted"]), told
    got = [(unit.reason.value, {finding.code for finding in unit.findings}) for unit in admission.quarantined]
    expected = verdict.get("quarantined", [[reason, []] for reason, _ in got])
    assert [reason for reason, _ in got] == [reason for reason, _ in expected], told
    for (_, codes), (reason, wanted) in zip(got, expected, strict=True):
        assert set(wanted) <= codes, (reason, told)
    assert admission.status.value == verdict["status"], told
    assert admission.truncated is verdict.get("truncated", admission.truncated), told
    edits = {edit.code for unit in admission.units for edit in unit.edits}
    edits |= {edit.code for edit in admission.envelope_edits}
    assert sorted(edits) == verdict.get("edits", []), told
    codes = _codes(admission)
    assert set(verdict.get("findings", ())) <= codes, told
    assert not set(verdict.get("absent", ())) & codes, told
    if "envelope" in verdict:
        assert _plain(admission.envelope) == verdict["envelope"], told
    if "unclaimed" in verdict:
        assert [stretch.text.strip() for stretch in admission.unclaimed] == verdict["unclaimed"], told
    assert not broken_laws(admission)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_producer_gets_the_same_verdict(case: Case) -> None:
    """Model, agent and person deliver the same: the admissions are equal."""
    verdicts = [case.admit(CONTRACTS[case.contract], producer).to_dict() for producer in Producer]
    assert verdicts[0] == verdicts[1] == verdicts[2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_says_where_it_comes_from_and_why(case: Case) -> None:
    """A verdict without a reason cannot be judged again."""
    assert case.source
    assert case.why.endswith(".")
    assert case.contract in CONTRACTS


def test_the_corpus_is_large_enough() -> None:
    """There are enough cases, of both sides."""
    assert len(CASES) >= MIN_CASES
    admitted = sum(case.must_admit for case in CASES)
    assert min(admitted, len(CASES) - admitted) >= MIN_CASES // 4


def _reached() -> set[str]:
    return set().union(*(_codes(case.admit(CONTRACTS[case.contract])) for case in CASES))


def test_every_code_is_reached() -> None:
    """Each code of the boundary, finding or edit, is the outcome of at least one case."""
    declared = {code for code in CODES if code.startswith(ROOMS)}
    assert declared - _reached() == set()


def test_every_case_names_codes_that_exist() -> None:
    """No case waits for a code that nobody declares (a contract's own checks name theirs freely)."""
    named = {code for case in CASES for _, codes in case.verdict.get("quarantined", ()) for code in codes}
    named |= {code for case in CASES for code in (*case.verdict.get("findings", ()), *case.verdict.get("absent", ()))}
    named |= {code for case in CASES for code in case.verdict.get("edits", ())}
    assert {code for code in named if not code.startswith("check.")} <= set(CODES)


@pytest.mark.parametrize("code", sorted(EDITS))
def test_every_edit_has_a_case_that_must_not_be_edited(code: str) -> None:
    """Beside the case that needs the edit stands the nearest one that must not get it."""
    name = code.removeprefix("repair.")
    assert any(case.name == f"edits/{name}" and code in case.verdict["edits"] for case in CASES)
    near = [case for case in CASES if case.name.startswith(f"edits/{name}_not")]
    assert near
    assert all(code not in case.verdict.get("edits", ()) for case in near)
