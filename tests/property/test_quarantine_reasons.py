"""Law: replayed under the contract that refused it, a unit is refused again, for the same reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from corpus.cases import CASES, Case
from corpus.contracts import CONTRACTS
from damage.report import BARE, CONTRACT, Envelope, Unit
from damage.strategies import deliveries
from pratique import Admission, Contract, Limits
from pratique.quarantine import Filter, Kept, MemoryQuarantine, Verdict, replay

BATCH = Contract.batch(Unit, at="recommendations", envelope=Envelope, name="triage")
STRICT = Contract.items(Unit, name="triage", unique=["rank", "candidate"], order_by="rank", limits=Limits(max_items=2))


def require_the_same(contract: Contract[Any], admission: Admission[Any], **options: Any) -> Kept | None:
    """Keep, replay for real, compare; nothing may pass, and nothing may change its reason."""
    store = MemoryQuarantine()
    kept = store.keep(admission)
    if kept is None:
        return None
    told = replay(store, contract, where=Filter(), dry_run=False, **options)
    assert not told.admitted
    assert len(told.outcomes) == len(kept.ids)
    for outcome in told.outcomes:
        stays = outcome.verdict is Verdict.STAYS  # only a delivery whose own units were handed out
        assert (stays and outcome.before == "delivery") or outcome.after == outcome.before, outcome
    assert store.count(Filter(status="open")) == len(kept.ids)
    return kept


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_corpus_case_keeps_its_reasons(case: Case) -> None:
    """Every malformation and every attack of the corpus, with the allow-lists it came with."""
    contract = CONTRACTS[case.contract]
    references = case.call.get("references")
    if contract.terms.declared_references - (references or {}).keys():
        return  # replay refuses to judge without today's allow-lists; a unit test holds that
    kept = require_the_same(contract, case.admit(contract), references=references)
    assert (kept is None) == (case.verdict["status"] in ("clean", "empty"))


@settings(max_examples=150, deadline=None)
@given(text=deliveries())
def test_any_delivery_keeps_its_reasons(text: str) -> None:
    """Whatever the text, whatever the contract: with an envelope, bare, unique and capped, or a batch."""
    for contract in (CONTRACT, BARE, STRICT, BATCH):
        require_the_same(contract, contract.admit(text))
        require_the_same(contract, contract.admit(text, finish_reason="length"))


@settings(max_examples=100, deadline=None)
@given(text=deliveries())
def test_a_wider_contract_admits_each_unit_once(text: str) -> None:
    """What the first contract handed out, and what the replays did, never overlap."""
    store = MemoryQuarantine()
    first = STRICT.admit(text)
    store.keep(first)
    wide = Contract.items(Unit, name="triage", version="2", limits=Limits(max_items=100))
    told = replay(store, wide, where=Filter(), dry_run=False)
    again = replay(store, wide, where=Filter(), dry_run=False)
    assert not again.admitted
    spans = [unit.span for unit in first.units] + [unit.span for one in told.admitted for unit in one.units]
    assert len(set(spans)) == len(spans)
