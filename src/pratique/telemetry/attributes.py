"""What of an event leaves the house: field by field, by name. What is not named here is not told.

No text of a prompt or a reply, nothing that is for audit only, no word of an operator, no digest of what was said. What
a provider wrote (ids, names, reasons) is escaped and bounded.
"""

from __future__ import annotations

from typing import assert_never

from pratique.boundary.events import DeliveryJudged
from pratique.budget.amount import Amount
from pratique.budget.costs import LlmCallCost, SandboxRunCost
from pratique.budget.events import (
    BudgetAssumed,
    BudgetCapOverridden,
    BudgetDispatched,
    BudgetExceededEvent,
    BudgetOverrun,
    BudgetPrecharged,
    BudgetReconcileConflict,
    BudgetReconciled,
    BudgetVoided,
)
from pratique.budget.money import written_dollars
from pratique.errors import Reason
from pratique.leaf.events import LeafFailed, LeafInvoked, LeafReturned
from pratique.show import escape
from pratique.telemetry import names

__all__ = ["COUNTS", "MAX_TEXT_CHARS", "Attributes", "HoldTold", "LoneTold", "attributes_of", "plain"]

MAX_TEXT_CHARS = 500
"""Characters of one text: what the name of a budget may have. What is longer was not written as a name."""

COUNTS = ("seen", "admitted", "quarantined", "not_kept", *(reason.value for reason in Reason))
"""The counts of a verdict that are told."""

Attributes = dict[str, str | int | bool | tuple[str, ...]]

HoldTold = (
    BudgetPrecharged
    | BudgetExceededEvent
    | BudgetDispatched
    | BudgetReconciled
    | BudgetReconcileConflict
    | BudgetAssumed
    | BudgetVoided
    | BudgetOverrun
)
"""What a ledger tells of one hold."""

LoneTold = BudgetCapOverridden | DeliveryJudged | SandboxRunCost
"""What is told of no call."""


def plain(text: str) -> str:
    """Return text that any exporter can write and any screen can show: escaped, and cut where it is too long."""
    kept = escape(text[:MAX_TEXT_CHARS])
    return kept if len(text) <= MAX_TEXT_CHARS else f"{kept}…"


def attributes_of(event: HoldTold | LeafInvoked | LeafReturned | LeafFailed | LlmCallCost | LoneTold) -> Attributes:
    """Return what an event tells, under the names that telemetry has for it."""
    match event:
        case LeafInvoked():
            return _of_invoked(event)
        case LeafReturned():
            return _of_returned(event)
        case LeafFailed():
            return {**_called(event.provider, event.token), names.ERROR_TYPE: plain(event.error)}
        case LlmCallCost():
            return {names.BUDGET_TOKEN: plain(event.id), names.BUDGET_PRICE: plain(event.price), **_of_cost(event)}
        case SandboxRunCost():
            return _of_cost(event)
        case DeliveryJudged():
            return _of_verdict(event)
        case BudgetCapOverridden():
            return {
                names.BUDGET_NAME: plain(event.budget), **_amount("before", event.before),
                **_amount("after", event.after), names.BUDGET_PER_CALL_TOKENS: event.per_call_tokens,
            }  # fmt: skip
        case _:
            return {**_held(event), **_of_hold(event)}


def _of_hold(event: HoldTold) -> Attributes:
    """Return what one step of a hold tells beside whose it is."""
    match event:
        case BudgetPrecharged():
            return _amount("ceiling", event.ceiling)
        case BudgetDispatched():
            return {}
        case BudgetExceededEvent():
            refused: Attributes = {names.BUDGET_OUTCOME: "exceeded", names.BUDGET_AXIS: plain(event.axis)}
            return {**refused, **_amount("ceiling", event.ceiling)}
        case BudgetReconciled():
            settled: Attributes = {names.BUDGET_OUTCOME: "reconciled", names.BUDGET_LATE: event.late}
            return {**settled, **_amount("actual", event.actual)}
        case BudgetAssumed():
            return {names.BUDGET_OUTCOME: "assumed", **_amount("charged", event.charged)}
        case BudgetVoided():
            return {names.BUDGET_OUTCOME: "voided", **_amount("ceiling", event.ceiling)}
        case BudgetOverrun():
            return _amount("over", event.over)
        case BudgetReconcileConflict():
            return {**_amount("settled", event.settled), **_amount("told", event.told)}
        case _:
            assert_never(event)


def _held(event: HoldTold) -> Attributes:
    return {
        names.BUDGET_NAME: plain(event.budget), names.BUDGET_TOKEN: plain(event.token),
        names.BUDGET_PROVIDER: plain(event.provider), names.BUDGET_MODEL: plain(event.model),
        names.BUDGET_PRICE: plain(event.price),
    }  # fmt: skip


def _called(provider: str, token: str) -> Attributes:
    named = plain(names.PROVIDERS.get(provider, provider))
    return {names.OPERATION: names.CHAT, names.PROVIDER: named, names.BUDGET_TOKEN: plain(token)}


def _of_invoked(event: LeafInvoked) -> Attributes:
    return {
        **_called(event.provider, event.token), names.REQUEST_MODEL: plain(event.model),
        names.REQUEST_MAX_TOKENS: event.max_tokens, names.BUDGET_NAME: plain(event.budget),
    }  # fmt: skip


def _of_returned(event: LeafReturned) -> Attributes:
    told: Attributes = {
        **_called(event.provider, event.token), names.RESPONSE_MODEL: plain(event.model),
        names.INPUT_TOKENS: event.input_tokens + event.cache_read_tokens + event.cache_write_tokens,
        names.CACHE_READ_TOKENS: event.cache_read_tokens, names.CACHE_WRITE_TOKENS: event.cache_write_tokens,
        names.OUTPUT_TOKENS: event.output_tokens,
    }  # fmt: skip
    if event.response_id is not None:
        told[names.RESPONSE_ID] = plain(event.response_id)
    if event.finish_reason is not None:
        told[names.RESPONSE_FINISH_REASONS] = (plain(event.finish_reason),)
    if event.reasoning_tokens is not None:
        told[names.REASONING_TOKENS] = event.reasoning_tokens
    return told


def _of_cost(event: LlmCallCost | SandboxRunCost) -> Attributes:
    return {
        names.BUDGET_NAME: plain(event.budget), names.COST_DOLLARS: plain(event.dollars),
        names.COST_BASIS: plain(event.basis), names.COST_QUANTITY: event.quantity, names.COST_UNIT: plain(event.unit),
        names.COST_SELLER: plain(event.seller), names.COST_ITEM: plain(event.item),
    }  # fmt: skip


def _of_verdict(event: DeliveryJudged) -> Attributes:
    return {
        names.DELIVERY_CONTRACT: plain(event.contract), names.DELIVERY_VERSION: plain(event.version),
        names.DELIVERY_FINGERPRINT: plain(event.fingerprint), names.DELIVERY_PRODUCER: plain(event.producer),
        names.DELIVERY_STATUS: plain(event.status), names.DELIVERY_TRUNCATED: event.truncated,
        **{names.count_name(what): event.counts[what] for what in COUNTS if what in event.counts},
    }  # fmt: skip


def _amount(what: str, amount: Amount) -> Attributes:
    tokens, dollars = names.amount_names(what)
    return {tokens: amount.tokens, dollars: written_dollars(amount.picos)}
