"""What a budget tells: one frozen event a kind.

Money is told as decimal text: what reads JSON reads numbers as floats. ``costs`` has what was paid, in the vocabulary
that costs of every origin share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pratique.budget.amount import Amount
from pratique.budget.money import written_dollars
from pratique.events import names_of

__all__ = [
    "BudgetAssumed",
    "BudgetCapOverridden",
    "BudgetDispatched",
    "BudgetEscrowed",
    "BudgetEvent",
    "BudgetExceededEvent",
    "BudgetOpened",
    "BudgetOverrun",
    "BudgetPrecharged",
    "BudgetReconcileConflict",
    "BudgetReconciled",
    "BudgetReturned",
    "BudgetVoided",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetEvent:
    """What all of them tell."""

    name: ClassVar[str]
    budget: str

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values: amounts as tokens and decimal dollars."""
        told: dict[str, object] = {}
        for name in names_of(self):
            value = getattr(self, name)
            if isinstance(value, Amount):
                told[f"{name}_tokens"] = value.tokens
                told[f"{name}_dollars"] = written_dollars(value.picos)
            else:
                told[name] = value
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOpened(BudgetEvent):
    """A budget is there. ``portfolio`` is empty where there is none."""

    name = "budget.opened"
    cap: Amount
    per_call_tokens: int
    portfolio: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetEscrowed(BudgetEvent):
    """A workflow took a chunk of its portfolio."""

    name = "budget.escrowed"
    portfolio: str
    taken: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReturned(BudgetEvent):
    """A workflow gave back what it had taken and had no use for."""

    name = "budget.returned"
    portfolio: str
    returned: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvent(BudgetEvent):
    """What the events of one call tell: by its token, to whom it goes, and the digest of the rates it was held by."""

    token: str
    provider: str
    model: str
    price: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPrecharged(CallEvent):
    """A ceiling is reserved; a token stands for it."""

    name = "budget.precharged"
    ceiling: Amount
    digest: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetExceededEvent(CallEvent):
    """A call did not fit: nothing was reserved, nothing was sent."""

    name = "budget.exceeded"
    axis: str
    ceiling: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetDispatched(CallEvent):
    """A token was redeemed: the call is on its way."""

    name = "budget.dispatched"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReconciled(CallEvent):
    """A call was charged what the provider said. ``late``: it was assumed at its ceiling before."""

    name = "budget.reconciled"
    actual: Amount
    late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReconcileConflict(CallEvent):
    """A second bill was told for a call that was settled at another one."""

    name = "budget.reconcile_conflict"
    settled: Amount
    told: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAssumed(CallEvent):
    """Nobody can say what a call cost: it is charged at its ceiling."""

    name = "budget.assumed"
    charged: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetVoided(CallEvent):
    """A hold that was never used is given back."""

    name = "budget.voided"
    ceiling: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOverrun(CallEvent):
    """A bill was above its ceiling: recorded, charged, and the breaker is open."""

    name = "budget.overrun"
    over: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetCapOverridden(BudgetEvent):
    """An operator set other caps."""

    name = "budget.cap_overridden"
    by: str
    reason: str
    before: Amount
    after: Amount
    per_call_tokens: int
