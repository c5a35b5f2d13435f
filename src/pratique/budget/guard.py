"""The guard of one workflow: the only mint of tokens, and where their calls are settled.

::

    request = …                       what may be sent, with its price and bounds
    token   = guard.precharge(request)      raises BudgetExceeded before any call
    reply   = leaf.invoke(request, token=token)     redeems it; a call without a token does not type-check
    guard.reconcile(token, usage)           idempotent
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from pratique.budget.amount import Amount
from pratique.budget.book import Caps, Escrow, TokenRefused
from pratique.budget.caps import caps_of
from pratique.budget.ledger import BudgetSnapshot, Ledger
from pratique.budget.money import picos_of
from pratique.budget.price import Usage
from pratique.budget.request import Request
from pratique.budget.sweep import Swept, close, sweep
from pratique.budget.token import BudgetToken, minted
from pratique.errors import Misuse, Outage
from pratique.show import show

__all__ = ["LlmInvocationGuard"]

TOKEN_BYTES = 16
"""Random bytes of a token's id: no two are alike, and none is guessed."""


class LlmInvocationGuard:
    """Cap what one workflow spends.

    Shape: ``caps`` are ``caps_of(...)``; the ledger keeps them, so that a second guard of the same workflow, in another
        process, shares them. ``escrow`` puts the workflow under a portfolio (``escrow_of``). ``owner`` is who makes the
        calls: a name that a successor has too ("worker-3") lets it sweep what its predecessor left.
    Errors: Misuse when the workflow is open with other caps: an override is visible; and for a portfolio that is not
        there.
    """

    def __init__(
        self,
        workflow: str,
        *,
        ledger: Ledger,
        caps: Caps | None = None,
        escrow: Escrow | None = None,
        owner: str = "",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        ids: Callable[[], str] = lambda: secrets.token_hex(TOKEN_BYTES),
    ) -> None:
        if not isinstance(workflow, str) or not workflow:
            raise Misuse(
                f"a workflow needs a name, not {show(workflow)}", remedy='write LlmInvocationGuard("wf-42", …)'
            )
        self.workflow = workflow
        self.owner = owner
        self._ledger = ledger
        self._clock, self._ids = clock, ids
        self._shown = ledger.open(workflow, caps_of() if caps is None else caps, escrow=escrow)

    def __enter__(self) -> LlmInvocationGuard:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()

    def precharge(self, request: Request) -> BudgetToken:
        """Reserve the ceiling of one call and mint its token: the only place that does.

        Errors: BudgetExceeded when it does not fit: nothing was reserved; Outage when the ledger fails.
        """
        id = self._ids()
        self._ledger.hold(self.workflow, id, request.ceiling, request.call, owner=self.owner)
        issued_at = self._clock().isoformat(timespec="milliseconds")
        return minted(self._ledger, request, id=id, workflow=self.workflow, issued_at=issued_at)

    @contextmanager
    def hold(self, request: Request) -> Iterator[BudgetToken]:
        """Mint a token for the length of a block; whatever ends the block, the hold is not left open.

        What was never redeemed is given back; what was redeemed and not reconciled is charged at its ceiling: it may
        have been billed.
        """
        token = self.precharge(request)
        try:
            yield token
        finally:
            self.close(token)

    def reconcile(self, token: BudgetToken, usage: Usage, *, dollars: Decimal | None = None) -> bool:
        """Charge what a call used; False when the same was told before.

        Shape: ``dollars`` is what the provider says that it billed; None: by the price that the request was made with.
        Errors: ReconcileConflict for other actuals than before; TokenRefused for a token that was never redeemed.
        """
        picos = token.request.price.bill(usage) if dollars is None else picos_of(dollars)
        return self._ledger.settle(self._own(token), Amount(usage.tokens, picos))

    def assume(self, token: BudgetToken) -> bool:
        """Charge a redeemed call at its ceiling, because nobody can say what it cost: cancelled, lost, cut off."""
        return self._ledger.assume(self._own(token))

    def release(self, token: BudgetToken) -> bool:
        """Give back a token that was never redeemed."""
        return self._ledger.void(self._own(token))

    def close(self, token: BudgetToken) -> None:
        """Leave no hold open: give it back if it was never redeemed, charge its ceiling if nobody settled it."""
        close(self._ledger, self._own(token))

    def sweep(self, *, owner: str | None = None, older_than_s: int | None = None) -> Swept:
        """Close what dead owners left open in this workflow; see ``pratique.budget.sweep``."""
        return sweep(self._ledger, self.workflow, owner=owner, older_than_s=older_than_s)

    def give_back(self) -> bool:
        """Give back to the portfolio what this workflow took and has no use for; ``with guard:`` does it at its end.

        False when that is nothing. The workflow may go on, and takes again what it needs.
        """
        return self._ledger.give_back(self.workflow)

    def running_total(self) -> BudgetSnapshot:
        """Show what is reserved, spent and left, as it stood at one moment.

        Errors: raises nothing: while the ledger cannot be read, or is closed, what it showed last comes as
            ``is_stale``. Nothing may be spent on the strength of a snapshot: ``precharge`` asks the ledger.
        """
        try:
            self._shown = self._ledger.snapshot(self.workflow)
        except (Outage, Misuse):
            return replace(self._shown, is_stale=True)
        return self._shown

    def override(self, caps: Caps, *, by: str, reason: str) -> BudgetSnapshot:
        """Set other caps at an operator's word; who and why is told.

        Errors: Misuse without a name or a reason, and for a cap below what is used.
        """
        for name, text in (("by", by), ("reason", reason)):
            if not isinstance(text, str) or not text.strip():
                raise Misuse(f"an override needs {name}", remedy='write by="operator", reason="known long run"')
        return self._ledger.override(self.workflow, caps, by=by, reason=reason)

    def _own(self, token: BudgetToken) -> str:
        if token.workflow != self.workflow:
            raise TokenRefused(f"the token {token.id} is of {show(token.workflow)}, not of {show(self.workflow)}")
        return token.id
