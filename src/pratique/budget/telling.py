"""The events of each step: what a ledger writes beside the rows, in the same transaction."""

from __future__ import annotations

from typing import TypedDict

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import Account, BudgetExceeded, Caps, Hold, HoldState, Step
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

__all__ = ["conflicting", "exceeded", "opened", "overridden", "told"]


class _Call(TypedDict):
    budget: str
    token: str
    provider: str
    model: str
    price: str


def told(before: Account, was: Hold | None, step: Step) -> list[Event]:
    """Return the events of a step, in order.

    Shape: ``before`` and ``was`` are the rows as they stood; ``was`` is None for a new hold.
    """
    if not step.changed:
        return []
    lent = _lent(before, step.account)
    return lent if step.hold is None else [*lent, *_of_hold(step.hold, was)]


def opened(account: Account) -> Event:
    """Return the event of a new budget."""
    return BudgetOpened(
        budget=account.id, cap=account.caps.total, per_call_tokens=account.caps.per_call_tokens,
        portfolio=account.escrow.portfolio if account.escrow else "",
    )  # fmt: skip


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


def _lent(before: Account, after: Account) -> list[Event]:
    """Tell what moved between a workflow and its portfolio; what an overrun took is told by the overrun."""
    if after.escrow is None or after.overrun != before.overrun:
        return []
    portfolio, taken = after.escrow.portfolio, after.granted.beyond(before.granted)
    if taken != NOTHING:
        return [BudgetEscrowed(budget=after.id, portfolio=portfolio, taken=taken)]
    returned = before.granted.beyond(after.granted)
    return [BudgetReturned(budget=after.id, portfolio=portfolio, returned=returned)] if returned != NOTHING else []


def _of_hold(hold: Hold, was: Hold | None) -> list[Event]:
    call = _call(hold)
    match hold.state:
        case HoldState.HELD:
            return [BudgetPrecharged(**call, ceiling=hold.ceiling, digest=hold.call.digest, owner=hold.owner)]
        case HoldState.DISPATCHED:
            return [BudgetDispatched(**call)]
        case HoldState.VOIDED:
            return [BudgetVoided(**call, ceiling=hold.ceiling)]
        case HoldState.ASSUMED:
            cost = llm_call_cost(**call, before=NOTHING, after=hold.charged, basis="assumed")
            return [BudgetAssumed(**call, charged=hold.charged), cost]
        case HoldState.SETTLED:
            assert was is not None
            return _settled(hold, call, was)


def _settled(hold: Hold, call: _Call, was: Hold) -> list[Event]:
    late = was.state is HoldState.ASSUMED
    basis: Basis = "corrected" if late else "reported"
    events: list[BudgetEvent] = [BudgetReconciled(**call, actual=hold.charged, late=late)]
    over = hold.charged.beyond(hold.ceiling)
    if over != NOTHING:
        events.append(BudgetOverrun(**call, over=over))
    return [*events, llm_call_cost(**call, before=was.charged, after=hold.charged, basis=basis)]


def _call(hold: Hold) -> _Call:
    call = hold.call
    return {
        "budget": hold.budget, "token": hold.id, "provider": call.provider, "model": call.model, "price": call.price,
    }  # fmt: skip
