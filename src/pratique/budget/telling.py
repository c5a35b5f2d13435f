"""The events of each step: what a ledger writes beside the rows, in the same transaction."""

from __future__ import annotations

from typing import TypedDict

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import Account, BudgetExceeded, Caps, Hold, HoldState
from pratique.budget.costs import Basis, llm_call_cost
from pratique.budget.events import (
    BudgetAssumed,
    BudgetCapOverridden,
    BudgetDispatched,
    BudgetEscrowed,
    BudgetEvent,
    BudgetExceededEvent,
    BudgetOpened,
    BudgetOverrun,
    BudgetPrecharged,
    BudgetReconcileConflict,
    BudgetReconciled,
    BudgetReturned,
    BudgetVoided,
)
from pratique.events import Event

__all__ = ["conflicting", "escrowed", "exceeded", "opened", "overridden", "returned", "told"]


class _Call(TypedDict):
    budget: str
    token: str
    provider: str
    model: str
    price: str


def told(was: Hold | None, now: Hold) -> list[Event]:
    """Return the events of a hold that went from one state to another, in order; ``was`` is None for a new one."""
    call = _call(now)
    match now.state:
        case HoldState.HELD:
            return [BudgetPrecharged(**call, ceiling=now.ceiling, digest=now.call.digest, owner=now.owner)]
        case HoldState.DISPATCHED:
            return [BudgetDispatched(**call)]
        case HoldState.VOIDED:
            return [BudgetVoided(**call, ceiling=now.ceiling)]
        case HoldState.ASSUMED:
            cost = llm_call_cost(**call, before=NOTHING, after=now.charged, basis="assumed")
            return [BudgetAssumed(**call, charged=now.charged), cost]
        case HoldState.SETTLED:
            assert was is not None
            return _settled(was, now, call)


def opened(account: Account) -> Event:
    """Return the event of a new budget."""
    return BudgetOpened(
        budget=account.id, cap=account.caps.total, per_call_tokens=account.caps.per_call_tokens,
        portfolio=account.escrow.portfolio if account.escrow else "",
    )  # fmt: skip


def escrowed(before: Account, after: Account) -> Event:
    """Return the event of what a workflow took of its portfolio."""
    assert after.escrow is not None
    taken = after.granted.minus(before.granted)
    return BudgetEscrowed(budget=after.id, portfolio=after.escrow.portfolio, taken=taken)


def returned(before: Account, after: Account) -> Event:
    """Return the event of what a workflow gave back to its portfolio."""
    assert after.escrow is not None
    back = before.granted.minus(after.granted)
    return BudgetReturned(budget=after.id, portfolio=after.escrow.portfolio, returned=back)


def exceeded(made: Hold, error: BudgetExceeded) -> Event:
    """Return the event of a call that did not fit."""
    return BudgetExceededEvent(**_call(made), axis=error.axis, ceiling=made.ceiling)


def conflicting(held: Hold, actual: Amount) -> Event:
    """Return the event of a second, different bill."""
    return BudgetReconcileConflict(**_call(held), settled=held.charged, told=actual)


def overridden(before: Account, after: Caps, *, by: str, reason: str) -> Event:
    """Return the event of an operator's word."""
    return BudgetCapOverridden(
        budget=before.id, by=by, reason=reason, before=before.caps.total, after=after.total,
        per_call_tokens=after.per_call_tokens,
    )  # fmt: skip


def _settled(was: Hold, now: Hold, call: _Call) -> list[Event]:
    late = was.state is HoldState.ASSUMED
    basis: Basis = "corrected" if late else "reported"
    events: list[BudgetEvent] = [BudgetReconciled(**call, actual=now.charged, late=late)]
    over = now.charged.beyond(now.ceiling)
    if over != NOTHING:
        events.append(BudgetOverrun(**call, over=over))
    return [*events, llm_call_cost(**call, before=was.charged, after=now.charged, basis=basis)]


def _call(hold: Hold) -> _Call:
    call = hold.call
    return {
        "budget": hold.budget, "token": hold.id, "provider": call.provider, "model": call.model, "price": call.price,
    }  # fmt: skip
