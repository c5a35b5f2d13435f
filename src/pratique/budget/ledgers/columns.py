"""Which columns a budget and a hold are read from and written to: the same in every database.

A row is a plain sequence, in the order of the columns named here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pratique.budget.amount import Amount
from pratique.budget.book import Account, Caps, Escrow, Hold, HoldState
from pratique.budget.request import Call

__all__ = [
    "ACCOUNT",
    "HOLD",
    "NEW_ACCOUNT",
    "NEW_HOLD",
    "account_of",
    "hold_of",
    "kept_of",
    "moved_of",
    "new_account",
    "new_hold",
    "plainly_fits",
]

NEW_ACCOUNT = (
    "id", "cap_tokens", "cap_picos", "per_call_tokens", "first_cap_tokens", "first_cap_picos",
    "first_per_call_tokens", "portfolio", "chunk_tokens", "chunk_picos",
)  # fmt: skip
ACCOUNT = (
    *NEW_ACCOUNT, "granted_tokens", "granted_picos", "lent_tokens", "lent_picos", "reserved_tokens", "reserved_picos",
    "spent_tokens", "spent_picos", "overrun_tokens", "overrun_picos", "tripped",
)  # fmt: skip
NEW_HOLD = (
    "id", "budget", "ceiling_tokens", "ceiling_picos", "digest", "provider", "model", "price", "owner",
)  # fmt: skip
HOLD = (*NEW_HOLD, "state", "actual_tokens", "actual_picos", "charged_tokens", "charged_picos")


def plainly_fits(tokens: str, picos: str) -> str:
    """Return the condition on a budget's row that ``book.require_fit`` and ``not book.is_short`` are, in SQL.

    Shape: ``tokens`` and ``picos`` are the statement's own words for the ceiling. What it refuses may fit all the same
        (a call that costs nothing, after an overrun): the book has the last word.
    """
    return (
        f"tripped = '' AND {tokens} <= per_call_tokens "
        f"AND reserved_tokens + lent_tokens + spent_tokens + {tokens} <= cap_tokens "
        f"AND reserved_picos + lent_picos + spent_picos + {picos} <= cap_picos "
        f"AND (portfolio IS NULL OR reserved_tokens + spent_tokens + {tokens} <= granted_tokens "
        f"AND reserved_picos + spent_picos + {picos} <= granted_picos)"
    )


def account_of(row: Sequence[Any]) -> Account:
    """Read a budget of its ``ACCOUNT`` columns."""
    (
        id, cap_tokens, cap_picos, per_call, first_tokens, first_picos, first_per_call, portfolio,
        chunk_tokens, chunk_picos, granted_tokens, granted_picos, lent_tokens, lent_picos,
        reserved_tokens, reserved_picos, spent_tokens, spent_picos, overrun_tokens, overrun_picos, tripped,
    ) = row  # fmt: skip
    return Account(
        id=id, caps=Caps(total=Amount(cap_tokens, cap_picos), per_call_tokens=per_call),
        first=Caps(total=Amount(first_tokens, first_picos), per_call_tokens=first_per_call),
        escrow=None if portfolio is None else Escrow(portfolio=portfolio, chunk=Amount(chunk_tokens, chunk_picos)),
        granted=Amount(granted_tokens, granted_picos), lent=Amount(lent_tokens, lent_picos),
        reserved=Amount(reserved_tokens, reserved_picos), spent=Amount(spent_tokens, spent_picos),
        overrun=Amount(overrun_tokens, overrun_picos), tripped=tripped,
    )  # fmt: skip


def new_account(account: Account) -> tuple[object, ...]:
    """Write a new budget as its ``NEW_ACCOUNT`` columns."""
    caps, first, escrow = account.caps, account.first, account.escrow
    under = (None, None, None) if escrow is None else (escrow.portfolio, escrow.chunk.tokens, escrow.chunk.picos)
    return (
        account.id, caps.total.tokens, caps.total.picos, caps.per_call_tokens,
        first.total.tokens, first.total.picos, first.per_call_tokens, *under,
    )  # fmt: skip


def kept_of(account: Account) -> tuple[object, ...]:
    """Write what may change of a budget, but for the sums that its holds make: caps, loans, overrun, breaker, id."""
    total, granted, lent, overrun = account.caps.total, account.granted, account.lent, account.overrun
    return (
        total.tokens, total.picos, account.caps.per_call_tokens, granted.tokens, granted.picos, lent.tokens, lent.picos,
        overrun.tokens, overrun.picos, account.tripped, account.id,
    )  # fmt: skip


def hold_of(row: Sequence[Any], age_s: int = 0) -> Hold:
    """Read a hold of its ``HOLD`` columns."""
    (
        id, budget, ceiling_tokens, ceiling_picos, digest, provider, model, price, owner,
        state, actual_tokens, actual_picos, charged_tokens, charged_picos,
    ) = row  # fmt: skip
    return Hold(
        id=id, budget=budget, ceiling=Amount(ceiling_tokens, ceiling_picos), owner=owner, state=HoldState(state),
        call=Call(digest=digest, provider=provider, model=model, price=price),
        actual=None if actual_tokens is None else Amount(actual_tokens, actual_picos),
        charged=Amount(charged_tokens, charged_picos), age_s=age_s,
    )  # fmt: skip


def new_hold(hold: Hold) -> tuple[object, ...]:
    """Write a new hold as its ``NEW_HOLD`` columns."""
    call = hold.call
    return (
        hold.id, hold.budget, hold.ceiling.tokens, hold.ceiling.picos, call.digest, call.provider, call.model,
        call.price, hold.owner,
    )  # fmt: skip


def moved_of(hold: Hold) -> tuple[object, ...]:
    """Write what became of a hold: state, actuals, charge."""
    actual = (None, None) if hold.actual is None else (hold.actual.tokens, hold.actual.picos)
    return hold.state.value, *actual, hold.charged.tokens, hold.charged.picos
