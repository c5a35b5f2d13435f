"""Law: an edit that is switched off is not made; the unit that needs it is refused instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.cases import CASES, Case
from corpus.contracts import CONTRACTS
from pratique import Contract
from pratique.boundary.repair import EDITS

EDITED = [case for case in CASES if set(case.verdict.get("edits", ())) & EDITS.keys()]


def _without(case: Case, codes: frozenset[str]) -> Contract[object]:
    contract = CONTRACTS[case.contract]
    return Contract(replace(contract.terms, edits=contract.terms.edits - codes))


def test_every_edit_has_a_case() -> None:
    """Each edit is needed by a case of the corpus."""
    assert {code for case in EDITED for code in case.verdict["edits"]} >= set(EDITS)


@pytest.mark.parametrize("case", EDITED, ids=lambda case: case.name)
def test_without_its_edit_the_case_is_refused(case: Case) -> None:
    """Switch off all edits of the case: fewer units come, and the loss is told."""
    admission = case.admit(_without(case, frozenset(case.verdict["edits"])))
    if case.name.startswith("envelope/"):
        assert admission.envelope is None, case.name
    else:
        assert len(admission.values) < len(case.verdict["admitted"]), case.name
    assert admission.refusing_findings
    assert not any(unit.edits for unit in admission.units)


@pytest.mark.parametrize("case", EDITED, ids=lambda case: case.name)
def test_each_edit_is_switched_on_its_own(case: Case) -> None:
    """Switch off one edit of the case: that one is not made."""
    for code in case.verdict["edits"]:
        admission = case.admit(_without(case, frozenset({code})))
        made = {edit.code for unit in admission.units for edit in unit.edits}
        assert code not in made | {edit.code for edit in admission.envelope_edits}, case.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_edit_is_made_when_all_are_off(case: Case) -> None:
    """With all edits off no case is edited, and nothing is admitted that was not admitted with them."""
    admission = case.admit(_without(case, frozenset(EDITS)))
    made = {edit.code for unit in admission.units for edit in unit.edits}
    assert not made & EDITS.keys()
    assert not admission.envelope_edits
    allowed = case.admit(CONTRACTS[case.contract])
    assert len(admission.values) <= len(allowed.values)
