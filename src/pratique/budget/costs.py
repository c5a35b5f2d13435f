"""What something cost, in one vocabulary, whatever was bought: model calls, sandbox runs.

A cost is a change: a later correction tells the difference, with its sign, so that a sum over all of them is what was
paid, at any moment. ``pratique audit cost`` adds them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pratique.budget.amount import Amount
from pratique.budget.money import written_dollars
from pratique.events import Told

__all__ = ["Basis", "CostEvent", "LlmCallCost", "SandboxRunCost", "llm_call_cost"]

Basis = Literal["reported", "assumed", "corrected", "measured"]
"""What a cost rests on: the seller's word, a ceiling because nobody can say, a later word, our own meter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEvent(Told):
    """What all costs tell.

    Units: ``dollars`` as decimal text, signed; ``quantity`` whole, signed, in ``unit``.
    """

    budget: str
    """Who pays."""
    id: str
    """Of what was bought: a token's id, a run's id."""
    seller: str
    item: str
    quantity: int
    unit: str
    dollars: str
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmCallCost(CostEvent):
    """One model call: the seller is the provider, the item is the model, the unit is a token."""

    name = "cost.llm.call"
    price: str
    """The digest of the rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxRunCost(CostEvent):
    """One run of a confined process: the item is what ran, the unit is a millisecond of CPU."""

    name = "cost.sandbox.run"


def llm_call_cost(
    *, budget: str, token: str, provider: str, model: str, price: str, before: Amount, after: Amount, basis: Basis
) -> LlmCallCost:
    """Tell what a call costs now, as the change to what it cost before."""
    return LlmCallCost(
        budget=budget, id=token, seller=provider, item=model, quantity=after.tokens - before.tokens, unit="token",
        dollars=written_dollars(after.picos - before.picos), basis=basis, price=price,
    )  # fmt: skip
