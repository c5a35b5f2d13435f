"""Law: the fast path is only faster. It gives the verdict of the walk unit by unit, or steps back."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.cases import CASES, Case
from corpus.contracts import CONTRACTS
from damage.kinds import KINDS
from damage.readers import contract_for
from damage.report import BARE, CONTRACT, Style, contract_of, make_report
from damage.strategies import deliveries, json_like
from pratique import Admission, Contract, Delivery, Producer
from pratique.boundary.admit import admit_walking


def _slowly(contract: Contract[Any], source: str | bytes | Delivery, **call: Any) -> Admission[Any]:
    references = {name: frozenset(known) for name, known in (call.get("references") or {}).items()}
    if isinstance(source, bytes):
        source = source.decode("utf-8", "surrogateescape")
    if isinstance(source, str):
        source = Delivery(text=source, finish_reason=call.get("finish_reason"), producer=Producer.MODEL)
    return admit_walking(contract.terms, source, references)


def _all(admission: Admission[Any]) -> tuple[Any, ...]:
    return admission.to_dict(), admission.account(), repr(admission.values), repr(admission)


@pytest.mark.parametrize("style", tuple(Style))
def test_sound_reports_get_one_verdict(style: Style) -> None:
    """Where the fast path answers: values, spans, envelope and account are those of the walk."""
    for seed in range(20):
        report = make_report(Random(seed), style=style)
        contract = contract_of(style)
        assert _all(contract.admit(report.text)) == _all(_slowly(contract, report.text))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_damaged_reports_get_one_verdict(name: str) -> None:
    """Where it must step back."""
    for seed in range(8):
        rng = Random(f"{name} {seed}")
        damaged = KINDS[name](make_report(rng), rng)
        contract = contract_for(damaged)
        assert _all(contract.admit(damaged.text)) == _all(_slowly(contract, damaged.text))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_corpus_gets_one_verdict(case: Case) -> None:
    """Every fixed case, with its own contract."""
    contract = CONTRACTS[case.contract]
    assert _all(case.admit(contract)) == _all(_slowly(contract, case.delivery(), **case.call))


@settings(max_examples=250, deadline=None)
@given(deliveries() | json_like())
def test_any_delivery_gets_one_verdict(text: str) -> None:
    """Mangled reports and fragments, under contracts with and without an envelope."""
    for contract in (CONTRACT, BARE, CONTRACTS["list"], CONTRACTS["unique"]):
        assert _all(contract.admit(text)) == _all(_slowly(contract, text))


KEYS = st.sampled_from(("a", "b\\\\", "r\\u0061nk", "", ":", '\\"', "a\\\\", '\\":', "rank", "c\\\\\\\\"))
BLANKS = st.sampled_from(("", "", " ", "\n", "\t "))


@st.composite
def _mapped(draw: st.DrawFn) -> str:
    """Write a unit that its contract takes, but for a key that may come twice somewhere."""
    inner = [f'"{draw(KEYS)}"{draw(BLANKS)}:{draw(st.integers(1, 3))}' for _ in range(draw(st.integers(0, 4)))]
    members = [f'"rank"{draw(BLANKS)}:1', f'"counts"{draw(BLANKS)}:{{{",".join(inner)}}}']
    again = draw(
        st.sampled_from(("", "", '"rank":2', '"r\\u0061nk":2', '"rank" :2', '"counts":{}', '"counts":{"a":1}'))
    )
    if again:
        members.insert(draw(st.integers(0, 2)), again)
    return "{" + ",".join(members) + "}"


@settings(max_examples=500, deadline=None)
@given(st.lists(_mapped(), min_size=1, max_size=3).map(lambda parts: f"[{','.join(parts)}]"))
def test_no_duplicate_key_hides_from_the_count(text: str) -> None:
    """Keys with escapes, backslashes, colons and white space: a key that comes twice is always found."""

    def no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise LookupError
        return dict(pairs)

    contract = CONTRACTS["mapped"]
    admission = contract.admit(text)
    assert _all(admission) == _all(_slowly(contract, text))
    for unit in admission.units:
        try:
            json.loads(unit.raw, object_pairs_hook=no_twice)
        except LookupError:
            pytest.fail(f"admitted with a key that comes twice: {unit.raw}")
        except ValueError:
            assert unit.edits
