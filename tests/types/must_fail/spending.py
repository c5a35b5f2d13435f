"""No call without a token, and no token but from the guard."""

from __future__ import annotations

import copy
from decimal import Decimal

from pratique.budget import Amount, BudgetToken, LlmInvocationGuard, MemoryLedger, Request, Usage
from pratique.leaf import LeafLlm


def ask(leaf: LeafLlm, guard: LlmInvocationGuard, request: Request) -> None:
    token = guard.precharge(request)
    leaf.invoke(request)  # expect: call-arg
    leaf.invoke(request, token)  # expect: call-arg
    leaf.invoke(request, token=None)  # expect: arg-type
    leaf.invoke(request, token=token.id)  # expect: arg-type
    token.id = "another"  # expect: misc
    copy.copy(token).redeem(request)
    Usage(input=1.5)  # expect: arg-type
    Amount(1, Decimal("0.10"))  # expect: arg-type
    guard.reconcile(token, Usage(), dollars=0.1)  # expect: arg-type
    LlmInvocationGuard("wf")  # expect: call-arg
    LlmInvocationGuard("wf", MemoryLedger())  # expect: call-arg


class MyToken(BudgetToken):  # expect: misc
    pass
