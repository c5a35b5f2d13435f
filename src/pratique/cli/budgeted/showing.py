"""``pratique budget show``, ``holds`` and ``check``: what a ledger says, and whether it adds up."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pratique.budget.amount import Amount
from pratique.budget.book import Hold
from pratique.budget.ledger import BudgetSnapshot
from pratique.cli.ledgers import ledger_at
from pratique.cli.moments import age
from pratique.cli.table import table
from pratique.show import escape

__all__ = ["WRONG", "run_check", "run_holds", "run_show", "told_of"]

WRONG = 1
"""Exit code when a ledger does not add up."""

_HEAD = ("budget", "cap", "spent", "reserved", "lent", "left", "cap tokens", "left tokens", "")


def run_show(ledger: str, *, as_json: bool) -> int:
    """Print the budgets of a ledger; return the exit code. Errors: as ``ledger_at``."""
    with ledger_at(ledger) as opened:
        budgets = opened.budgets()
    if as_json:
        print(json.dumps([told_of(budget) for budget in budgets], indent=2))
        return 0
    rows = [
        (
            budget.budget, *(_dollars(each) for each in (budget.cap, budget.spent, budget.reserved, budget.lent)),
            _dollars(budget.left), f"{budget.cap.tokens:,}", f"{budget.left.tokens:,}", _remark(budget),
        )
        for budget in budgets
    ]  # fmt: skip
    print("\n".join(table(_HEAD, rows, right=_HEAD[1:-1])) if rows else "no budget was opened yet")
    return 0


def run_holds(ledger: str, budget: str | None, *, as_json: bool) -> int:
    """Print what is reserved and not settled; return the exit code. Errors: as ``ledger_at``."""
    with ledger_at(ledger) as opened:
        names = [budget] if budget is not None else [each.budget for each in opened.budgets()]
        holds = [hold for name in names for hold in opened.open_holds(name)]
    if as_json:
        print(json.dumps([_hold_told(hold) for hold in holds], indent=2))
        return 0
    head = ("budget", "token", "state", "age", "ceiling", "tokens", "model", "owner")
    rows = [
        (
            hold.budget, hold.id, hold.state.value, age(hold.age_s), _dollars(hold.ceiling),
            f"{hold.ceiling.tokens:,}", f"{hold.call.provider}/{hold.call.model}", hold.owner,
        )
        for hold in holds
    ]  # fmt: skip
    print("\n".join(table(head, rows, right=("age", "ceiling", "tokens"))) if rows else "nothing is reserved")
    return 0


def run_check(ledger: str, *, as_json: bool) -> int:
    """Add a ledger up anew; return the exit code. Errors: as ``ledger_at``."""
    with ledger_at(ledger) as opened:
        wrong, count = opened.wrong_sums(), len(opened.budgets())
    if as_json:
        print(json.dumps({"sound": not wrong, "budgets": count, "wrong": wrong}))
    else:
        for each in wrong:
            print(escape(each))
        print(f"{count:,} budgets: {'all holds add up to what their rows say' if not wrong else 'NOT what adds up'}")
    return WRONG if wrong else 0


def told_of(budget: BudgetSnapshot) -> dict[str, object]:
    """Return a budget as plain JSON values; money as text."""
    told: dict[str, object] = {"budget": budget.budget}
    for name in ("cap", "spent", "reserved", "lent", "granted", "overrun", "left"):
        amount: Amount = getattr(budget, name)
        told |= {f"{name}_tokens": amount.tokens, f"{name}_dollars": f"{amount.dollars:f}"}
    return {
        **told, "per_call_tokens": budget.per_call_tokens, "portfolio": budget.portfolio or None,
        "tripped": budget.tripped or None,
    }  # fmt: skip


def _hold_told(hold: Hold) -> dict[str, object]:
    return {
        "budget": hold.budget, "token": hold.id, "state": hold.state.value, "age_s": hold.age_s,
        "ceiling_tokens": hold.ceiling.tokens, "ceiling_dollars": f"{hold.ceiling.dollars:f}",
        "provider": hold.call.provider, "model": hold.call.model, "owner": hold.owner or None,
    }  # fmt: skip


def _dollars(amount: Amount) -> str:
    return f"${amount.dollars:,f}"


def _remark(budget: BudgetSnapshot) -> str:
    return "; ".join(_remarks(budget))


def _remarks(budget: BudgetSnapshot) -> Iterator[str]:
    if budget.portfolio:
        yield f"under {budget.portfolio}"
    if budget.tripped:
        yield f"STOPPED: {budget.tripped}"
