"""The events of each step: what a ledger writes beside the rows, in the same transaction."""

from __future__ import annotations

from pratique.budget.amount import NOTHING
from pratique.budget.book import Caps, HoldState, Step
from pratique.budget.events import (
    BudgetAssumed,
    BudgetDispatched,
    BudgetEvent,
    BudgetOpened,
    BudgetOverridden,
    BudgetOverrun,
    BudgetPrecharged,
    BudgetReconciled,
    BudgetVoided,
)

__all__ = ["opened", "overridden", "told"]


def told(step: Step, before: HoldState | None) -> list[BudgetEvent]:
    """Return the events of a step; ``before`` is where the hold stood, None for a new one."""
    if not step.changed:
        return []
    hold, budget = step.hold, step.account.id
    if hold.state is HoldState.HELD:
        return [BudgetPrecharged(budget=budget, token=hold.id, ceiling=hold.ceiling, digest=hold.digest)]
    if hold.state is HoldState.DISPATCHED:
        return [BudgetDispatched(budget=budget, token=hold.id)]
    if hold.state is HoldState.VOIDED:
        return [BudgetVoided(budget=budget, token=hold.id, ceiling=hold.ceiling)]
    if hold.state is HoldState.ASSUMED:
        return [BudgetAssumed(budget=budget, token=hold.id, charged=hold.charged)]
    over = hold.charged.beyond(hold.ceiling)
    late = before is HoldState.ASSUMED
    events: list[BudgetEvent] = [BudgetReconciled(budget=budget, token=hold.id, actual=hold.charged, late=late)]
    return events if over == NOTHING else [*events, BudgetOverrun(budget=budget, token=hold.id, over=over)]


def opened(budget: str, caps: Caps) -> BudgetEvent:
    """Return the event of a new budget."""
    return BudgetOpened(budget=budget, cap=caps.total, per_call_tokens=caps.per_call_tokens)


def overridden(budget: str, before: Caps, after: Caps, *, by: str, reason: str) -> BudgetEvent:
    """Return the event of an operator's word."""
    return BudgetOverridden(
        budget=budget, by=by, reason=reason, before=before.total, after=after.total,
        per_call_tokens=after.per_call_tokens,
    )  # fmt: skip
