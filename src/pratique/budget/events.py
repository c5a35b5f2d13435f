"""What a budget tells: one frozen event a kind, in the vocabulary that costs of every origin share.

Money is told as decimal text: what reads JSON reads numbers as floats.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from pratique.budget.amount import Amount

__all__ = [
    "BudgetAssumed",
    "BudgetDispatched",
    "BudgetEvent",
    "BudgetOpened",
    "BudgetOverridden",
    "BudgetOverrun",
    "BudgetPrecharged",
    "BudgetReconciled",
    "BudgetVoided",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetEvent:
    """What all of them tell."""

    name: ClassVar[str]
    budget: str

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values: amounts as tokens and decimal dollars."""
        told: dict[str, object] = {"event": self.name}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Amount):
                told[f"{field.name}_tokens"] = value.tokens
                told[f"{field.name}_dollars"] = f"{value.dollars:f}"
            else:
                told[field.name] = value
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOpened(BudgetEvent):
    """A budget is there."""

    name = "budget.opened"
    cap: Amount
    per_call_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPrecharged(BudgetEvent):
    """A ceiling is reserved; a token stands for it."""

    name = "budget.precharged"
    token: str
    ceiling: Amount
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetDispatched(BudgetEvent):
    """A token was redeemed: the call is on its way."""

    name = "budget.dispatched"
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReconciled(BudgetEvent):
    """A call was charged what the provider said. ``late``: it was assumed at its ceiling before."""

    name = "budget.reconciled"
    token: str
    actual: Amount
    late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAssumed(BudgetEvent):
    """Nobody can say what a call cost: it is charged at its ceiling."""

    name = "budget.assumed"
    token: str
    charged: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetVoided(BudgetEvent):
    """A hold that was never used is given back."""

    name = "budget.voided"
    token: str
    ceiling: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOverrun(BudgetEvent):
    """A bill was above its ceiling: recorded, charged, and the breaker is open."""

    name = "budget.overrun"
    token: str
    over: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOverridden(BudgetEvent):
    """An operator set other caps."""

    name = "budget.cap_overridden"
    by: str
    reason: str
    before: Amount
    after: Amount
    per_call_tokens: int
