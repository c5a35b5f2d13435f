"""What a leaf is: one function that sends one request, with the token that pays for it."""

from __future__ import annotations

from typing import Protocol

from pratique.boundary.delivery import Delivery
from pratique.budget.request import Request
from pratique.budget.token import BudgetToken

__all__ = ["LeafLlm"]


class LeafLlm(Protocol):
    """Call a model, once a token."""

    def invoke(self, request: Request, *, token: BudgetToken) -> Delivery:
        """Send one request and return what came.

        The token is redeemed right before the first byte leaves. There is no default: a call without a token is a
        TypeError, and does not type-check.
        """
