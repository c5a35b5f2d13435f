"""The rules of spending, as pure functions on rows: a budget, its portfolio, a hold. Every ledger does what these say.

::

    held ──► dispatched ──► settled(actual)
      │           │            ▲
      ▼           ▼            │ (later evidence)
    voided     assumed(ceiling)┘

Only what is held may be given back: no byte has left. What is dispatched may have been billed, whatever became of us;
so it is settled by what the provider says, or assumed at its ceiling. Who releases what nobody settled undercounts.

A portfolio is a budget that lends: a workflow under it takes what it needs by the chunk, and spends out of what it
took. So the portfolio's cap holds over all of them, and its row is written once a chunk, not once a call.

Invariants, for tokens and for money, after every step:

    I1  reserved + lent + spent <= cap + overrun; under a portfolio, reserved + spent <= granted
    I2  reserved = the ceilings of all holds that are held or dispatched; spent = what was charged for the others;
        lent = what the workflows under it were granted
    I3  a hold is dispatched once and settled once; the same actuals again change nothing, others are a conflict
    I4  what providers billed <= spent + reserved, at any crash, if ceilings are bounds; but for what overruns record
    I5  every number is a whole one
    I6  an event is written with the step it tells, or not at all
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.request import Call
from pratique.errors import Misuse
from pratique.show import show

__all__ = [
    "Account",
    "BudgetExceeded",
    "Caps",
    "Escrow",
    "Hold",
    "HoldState",
    "ReconcileConflict",
    "TokenRefused",
    "added_up",
    "assume",
    "dispatch",
    "is_short",
    "lend",
    "override",
    "require_fit",
    "require_lender",
    "require_name",
    "require_same",
    "return_idle",
    "settle",
    "trip",
    "void",
]


MAX_NAME_CHARS = 500
"""The longest name of a budget, an owner or a hold, characters: judgement; names are indexed and shown."""


class BudgetExceeded(Exception):
    """Tell that a call does not fit: nothing was reserved, nothing was sent.

    Shape: ``axis`` is ``tripped``, ``per_call_tokens``, ``tokens`` or ``dollars``; behind ``portfolio.`` when it is the
        portfolio's.
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
class Escrow:
    """Say which portfolio a workflow takes from, and how much at once. A call larger than that takes what it needs."""

    portfolio: str
    chunk: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One budget's row."""

    id: str
    caps: Caps
    first: Caps
    """What it was opened with: whoever opens it again asks for these, whatever an operator made of them since."""
    escrow: Escrow | None = None
    granted: Amount = NOTHING
    """What it took of its portfolio."""
    lent: Amount = NOTHING
    """What workflows took of it."""
    reserved: Amount = NOTHING
    spent: Amount = NOTHING
    overrun: Amount = NOTHING
    """What bills were above their ceilings, summed."""
    tripped: str = ""
    """Why the breaker is open; empty: it is closed."""

    @property
    def room(self) -> Amount:
        """What its cap leaves. An overrun has used up what it was above."""
        return self.caps.total.beyond(self.used)

    @property
    def used(self) -> Amount:
        """What is gone of the cap."""
        return self.reserved.plus(self.lent).plus(self.spent)

    @property
    def idle(self) -> Amount:
        """What it took of its portfolio and has no use for yet."""
        return self.granted.beyond(self.reserved.plus(self.spent))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One reservation's row."""

    id: str
    budget: str
    ceiling: Amount
    call: Call
    owner: str = ""
    """Who made it, as it calls itself; who finds it dead may sweep what it left."""
    state: HoldState = HoldState.HELD
    actual: Amount | None = None
    """What the provider said; None: nobody has said yet."""
    charged: Amount = NOTHING
    """What counts as spent for it."""
    age_s: int = 0
    """Seconds since it was made or dispatched, by the ledger's clock, when it was read."""


def require_name(name: str, what: str) -> None:
    """Refuse what not every store can keep and every reader can read. Errors: Misuse."""
    if not isinstance(name, str) or "\0" in name or len(name) > MAX_NAME_CHARS or not _is_encodable(name):
        raise Misuse(
            f"{what} cannot be {show(name)}", remedy=f"give at most {MAX_NAME_CHARS} characters of ordinary text"
        )


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def require_same(known: Account, caps: Caps, escrow: Escrow | None) -> None:
    """Refuse to open a budget again in another way. Errors: Misuse."""
    if known.first != caps:
        raise Misuse(
            f"the budget {show(known.id)} was opened with a cap of {known.first.total} and "
            f"{known.first.per_call_tokens:,} tokens a call",
            remedy="open it with these, and override it, visibly: what is overridden stays",
        )
    if known.escrow != escrow:
        under = show(known.escrow.portfolio) if known.escrow else "no portfolio"
        raise Misuse(f"the budget {show(known.id)} is open under {under}", remedy="open it as it was opened first")


def require_lender(portfolio: Account, escrow: Escrow) -> None:
    """Refuse what cannot be a portfolio. Errors: Misuse for one that is under another one, and for an empty chunk."""
    if portfolio.escrow is not None:
        raise Misuse(
            f"{show(portfolio.id)} is under {show(portfolio.escrow.portfolio)} itself", remedy="portfolios are one deep"
        )
    if not escrow.chunk.tokens or not escrow.chunk.picos:
        raise Misuse("a chunk of nothing would ask the portfolio at every call", remedy="take some tokens and dollars")


def require_fit(account: Account, ceiling: Amount) -> None:
    """Refuse a call that the budget's own cap does not leave room for.

    Errors: BudgetExceeded, with the first axis that does not fit.
    """
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
    _require_room(account, ceiling, "")


def is_short(account: Account, ceiling: Amount) -> bool:
    """Say whether a call needs more of the portfolio than the workflow took: only then the portfolio's row is asked."""
    return account.escrow is not None and not ceiling.is_within(account.idle)


def lend(account: Account, ceiling: Amount, portfolio: Account) -> tuple[Account, Account]:
    """Take for a call that ``is_short`` what it needs of the portfolio, or a chunk where there is one and it is of use.

    Shape: -> the budget and its portfolio, as they are then.
    Errors: BudgetExceeded when the portfolio is stopped or has too little; nothing is taken then.
    """
    assert account.escrow is not None
    if portfolio.tripped:
        raise BudgetExceeded(
            "portfolio.tripped",
            f"the portfolio {portfolio.id} is stopped: {portfolio.tripped}; an operator may override",
        )
    needed = ceiling.beyond(account.idle)
    _require_room(portfolio, needed, "portfolio.")
    of_use = account.escrow.chunk.at_most(portfolio.room).at_most(account.room.beyond(account.idle))
    taken = Amount(
        max(needed.tokens, of_use.tokens) if needed.tokens else 0,
        max(needed.picos, of_use.picos) if needed.picos else 0,
    )
    return replace(account, granted=account.granted.plus(taken)), replace(portfolio, lent=portfolio.lent.plus(taken))


def return_idle(account: Account, portfolio: Account) -> tuple[Account, Account]:
    """Give back to the portfolio what the workflow took and has no use for; it may take again."""
    idle = account.idle
    return replace(account, granted=account.granted.minus(idle)), replace(portfolio, lent=portfolio.lent.minus(idle))


def dispatch(held: Hold, ceiling: Amount, digest: str) -> Hold:
    """Use a hold, exactly once: from here on its ceiling counts, whatever becomes of the call.

    Errors: TokenRefused when it was used or given back, or is for another request.
    """
    if held.state is not HoldState.HELD:
        raise TokenRefused(f"the token {held.id} is {held.state}: one token is one attempt")
    if (held.ceiling, held.call.digest) != (ceiling, digest):
        raise TokenRefused(f"the token {held.id} is for another request than the one that is sent")
    return replace(held, state=HoldState.DISPATCHED)


def void(held: Hold) -> Hold:
    """Give a hold back that was never used; the same hold when it was given back before.

    Errors: TokenRefused when it was used: it may have been billed.
    """
    if held.state is HoldState.VOIDED:
        return held
    if held.state is not HoldState.HELD:
        raise TokenRefused(f"the token {held.id} is {held.state}, and may have been billed: reconcile it")
    return replace(held, state=HoldState.VOIDED)


def assume(held: Hold) -> Hold:
    """Charge a call at its ceiling of which nobody can say what it cost; the same hold when that was done before.

    Errors: TokenRefused when it was not dispatched, or settled before.
    """
    if held.state is HoldState.ASSUMED:
        return held
    if held.state is not HoldState.DISPATCHED:
        raise TokenRefused(f"the token {held.id} is {held.state}: only a dispatched one is assumed")
    return replace(held, state=HoldState.ASSUMED, charged=held.ceiling)


def settle(held: Hold, actual: Amount) -> Hold:
    """Charge what a call cost, once, never clipped; for an assumed one this is later evidence.

    Shape: the same hold when the same was told before; what is above the ceiling must ``trip`` the budget.
    Errors: ReconcileConflict for other actuals than before; TokenRefused when it was never dispatched.
    """
    if held.state is HoldState.SETTLED:
        if held.actual != actual:
            raise ReconcileConflict(f"the token {held.id} was settled at {held.actual}, and now {actual} is told")
        return held
    if held.state not in (HoldState.DISPATCHED, HoldState.ASSUMED):
        raise TokenRefused(f"the token {held.id} is {held.state}: only a dispatched one has a bill")
    return replace(held, state=HoldState.SETTLED, actual=actual, charged=actual)


def trip(account: Account, settled: Hold, portfolio: Account | None) -> tuple[Account, Account | None]:
    """Record what a bill was above its ceiling, and open the breaker; the portfolio bears it, and goes on.

    Shape: -> the budget and its portfolio, as they are then.
    """
    over = settled.charged.beyond(settled.ceiling)
    stopped = replace(
        account, overrun=account.overrun.plus(over),
        tripped=account.tripped or f"the call {settled.id} used {over} above its ceiling",
    )  # fmt: skip
    if portfolio is None:
        return stopped, None
    return (
        replace(stopped, granted=stopped.granted.plus(over)),
        replace(portfolio, lent=portfolio.lent.plus(over), overrun=portfolio.overrun.plus(over)),
    )


def added_up(account: Account, was: Hold | None, now: Hold) -> Account:
    """Add up what is reserved and spent, after a hold went from one state to another; None: it was not there."""
    reserved, spent = account.reserved, account.spent
    if was is None:
        reserved = reserved.plus(now.ceiling)
    elif was.state.is_open and not now.state.is_open:
        reserved = reserved.minus(now.ceiling)
    if was is not None and now.charged != was.charged:
        spent = spent.minus(was.charged).plus(now.charged)
    return replace(account, reserved=reserved, spent=spent)


def override(account: Account, caps: Caps) -> Account:
    """Set other caps, and close the breaker.

    Errors: Misuse for a cap below what is reserved, lent and spent: that is gone.
    """
    used = account.used
    if not used.is_within(caps.total.plus(account.overrun)):
        raise Misuse(
            f"{used} are used, more than the new cap of {caps.total}", remedy="a cap cannot undo what is spent"
        )
    return replace(account, caps=caps, tripped="")


def _require_room(account: Account, needed: Amount, prefix: str) -> None:
    room = account.room
    if needed.tokens > room.tokens:
        raise BudgetExceeded(
            f"{prefix}tokens",
            f"the call may use {needed.tokens:,} tokens, and {room.tokens:,} are left in {account.id}; "
            "ask for less, or let an operator override the cap",
        )
    if needed.picos > room.picos:
        raise BudgetExceeded(
            f"{prefix}dollars",
            f"the call may cost ${needed.dollars:f}, and ${room.dollars:f} is left in {account.id}; "
            "ask for less, or let an operator override the cap",
        )
