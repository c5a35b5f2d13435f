"""The rules of spending, as pure functions on two rows: a budget and a hold. Every ledger does what these say.

::

    held ──► dispatched ──► settled(actual)
      │           │            ▲
      ▼           ▼            │ (later evidence)
    voided     assumed(ceiling)┘

Only what is held may be given back: no byte has left. What is dispatched may have been billed, whatever became of us;
so it is settled by what the provider says, or assumed at its ceiling. Who releases what nobody settled undercounts.

Invariants, for tokens and for money, after every step:

    I1  reserved + spent <= cap + overrun
    I2  reserved = the ceilings of all holds that are held or dispatched; spent = what was charged for the others
    I3  a hold is dispatched once and settled once; the same actuals again change nothing, others are a conflict
    I4  what providers billed <= spent + reserved, at any crash, if ceilings are bounds; but for what overruns record
    I5  every number is a whole one
    I6  an event is written with the step it tells, or not at all
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pratique.budget.amount import NOTHING, Amount
from pratique.errors import Misuse

__all__ = [
    "Account",
    "BudgetExceeded",
    "Caps",
    "Hold",
    "HoldState",
    "ReconcileConflict",
    "Step",
    "TokenRefused",
    "assume",
    "dispatch",
    "hold",
    "override",
    "settle",
    "void",
]


class BudgetExceeded(Exception):
    """Tell that a call does not fit: nothing was reserved, nothing was sent.

    Shape: ``axis`` is ``per_call_tokens``, ``tokens``, ``dollars`` or ``tripped``.
    """

    def __init__(self, axis: str, message: str) -> None:
        super().__init__(message)
        self.axis = axis


class TokenRefused(Exception):
    """Tell that a token does not stand for a hold that may be used: spent, voided, unknown, or not what it says."""


class ReconcileConflict(Exception):
    """Tell that a call was settled before, with other actuals: one of the two bills is wrong."""


class HoldState(StrEnum):
    """Say where a hold stands."""

    HELD = "held"
    DISPATCHED = "dispatched"
    SETTLED = "settled"
    ASSUMED = "assumed"
    VOIDED = "voided"

    @property
    def is_open(self) -> bool:
        """Whether its ceiling is still reserved."""
        return self in (HoldState.HELD, HoldState.DISPATCHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Say how much may be spent.

    Units: tokens; ``total`` in tokens and pico-dollars.
    """

    total: Amount
    per_call_tokens: int

    def __post_init__(self) -> None:
        if self.per_call_tokens < 1:
            raise Misuse("per_call_tokens must be at least 1", remedy="leave it out for the default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One budget's row."""

    id: str
    caps: Caps
    reserved: Amount = NOTHING
    spent: Amount = NOTHING
    overrun: Amount = NOTHING
    """What bills were above their ceilings, summed."""
    tripped: str = ""
    """Why the breaker is open; empty: it is closed."""

    @property
    def room(self) -> Amount:
        """What may still be reserved. An overrun has used up what it was above."""
        return self.caps.total.beyond(self.reserved.plus(self.spent))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One reservation's row."""

    id: str
    budget: str
    ceiling: Amount
    digest: str
    state: HoldState = HoldState.HELD
    actual: Amount | None = None
    """What the provider said; None: nobody has said yet."""
    charged: Amount = NOTHING
    """What counts as spent for it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one step made of the two rows; ``changed`` is False where it was done before."""

    account: Account
    hold: Hold
    changed: bool = True


def hold(account: Account, id: str, ceiling: Amount, digest: str) -> Step:
    """Reserve the ceiling of one call, or refuse.

    Errors: BudgetExceeded, with the first axis that does not fit; nothing is changed then.
    """
    room = account.room
    if account.tripped:
        raise BudgetExceeded(
            "tripped", f"the budget {account.id} is stopped: {account.tripped}; an operator may override"
        )
    if ceiling.tokens > account.caps.per_call_tokens:
        raise BudgetExceeded(
            "per_call_tokens",
            f"the call may use {ceiling.tokens:,} tokens, and one call at most {account.caps.per_call_tokens:,}; "
            "ask for less, or raise per_call_max_tokens",
        )
    if ceiling.tokens > room.tokens:
        raise BudgetExceeded(
            "tokens", f"the call may use {ceiling.tokens:,} tokens, and {room.tokens:,} are left in {account.id}"
        )
    if ceiling.picos > room.picos:
        raise BudgetExceeded(
            "dollars", f"the call may cost ${ceiling.dollars:f}, and ${room.dollars:f} is left in {account.id}"
        )
    made = Hold(id=id, budget=account.id, ceiling=ceiling, digest=digest)
    return Step(replace(account, reserved=account.reserved.plus(ceiling)), made)


def dispatch(account: Account, held: Hold, ceiling: Amount, digest: str) -> Step:
    """Use a hold, exactly once: from here on its ceiling counts, whatever becomes of the call.

    Errors: TokenRefused when it was used or given back, or is for another request.
    """
    if held.state is not HoldState.HELD:
        raise TokenRefused(f"the token {held.id} is {held.state}: one token is one attempt")
    if (held.ceiling, held.digest) != (ceiling, digest):
        raise TokenRefused(f"the token {held.id} is for another request than the one that is sent")
    return Step(account, replace(held, state=HoldState.DISPATCHED))


def void(account: Account, held: Hold) -> Step:
    """Give a hold back that was never used; again changes nothing.

    Errors: TokenRefused when it was used: it may have been billed.
    """
    if held.state is HoldState.VOIDED:
        return Step(account, held, changed=False)
    if held.state is not HoldState.HELD:
        raise TokenRefused(f"the token {held.id} is {held.state}, and may have been billed: reconcile it")
    return Step(_released(account, held), replace(held, state=HoldState.VOIDED))


def assume(account: Account, held: Hold) -> Step:
    """Charge a call at its ceiling of which nobody can say what it cost; again changes nothing.

    Errors: TokenRefused when it was not dispatched, or settled before.
    """
    if held.state is HoldState.ASSUMED:
        return Step(account, held, changed=False)
    if held.state is not HoldState.DISPATCHED:
        raise TokenRefused(f"the token {held.id} is {held.state}: only a dispatched one is assumed")
    spent = account.spent.plus(held.ceiling)
    return Step(
        replace(_released(account, held), spent=spent), replace(held, state=HoldState.ASSUMED, charged=held.ceiling)
    )


def settle(account: Account, held: Hold, actual: Amount) -> Step:
    """Charge what a call cost, once; for an assumed one this is later evidence.

    Shape: what is above the ceiling is charged all the same, recorded as overrun, and trips the breaker.
    Errors: ReconcileConflict for other actuals than before; TokenRefused when it was never dispatched.
    """
    if held.state is HoldState.SETTLED:
        if held.actual != actual:
            raise ReconcileConflict(f"the token {held.id} was settled at {held.actual}, and now {actual} is told")
        return Step(account, held, changed=False)
    if held.state not in (HoldState.DISPATCHED, HoldState.ASSUMED):
        raise TokenRefused(f"the token {held.id} is {held.state}: only a dispatched one has a bill")
    is_assumed = held.state is HoldState.ASSUMED
    freed = replace(account, spent=account.spent.minus(held.charged)) if is_assumed else _released(account, held)
    over = actual.beyond(held.ceiling)
    tripped = account.tripped or (f"the call {held.id} used {over} above its ceiling" if over != NOTHING else "")
    after = replace(freed, spent=freed.spent.plus(actual), overrun=account.overrun.plus(over), tripped=tripped)
    return Step(after, replace(held, state=HoldState.SETTLED, actual=actual, charged=actual))


def override(account: Account, caps: Caps) -> Account:
    """Set other caps, and close the breaker.

    Errors: Misuse for a cap below what is reserved and spent: that is gone.
    """
    used = account.reserved.plus(account.spent)
    if not used.is_within(caps.total.plus(account.overrun)):
        raise Misuse(
            f"{used} are used, more than the new cap of {caps.total}", remedy="a cap cannot undo what is spent"
        )
    return replace(account, caps=caps, tripped="")


def _released(account: Account, held: Hold) -> Account:
    return replace(account, reserved=account.reserved.minus(held.ceiling))
