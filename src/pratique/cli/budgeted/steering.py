"""``pratique budget open``, ``override`` and ``sweep``: what an operator decides."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from pratique.budget.amount import Amount, amount_of
from pratique.budget.book import Caps, HoldState
from pratique.budget.caps import caps_from_file, caps_of, escrow_of
from pratique.budget.ledger import BudgetSnapshot
from pratique.budget.sweep import ORPHAN_AGE_S, sweep
from pratique.cli.budgeted.showing import told_of
from pratique.cli.ledgers import ledger_at
from pratique.cli.moments import length_of
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Wanted", "run_open", "run_override", "run_sweep"]


class Wanted:
    """Which caps a call asks for; what it does not say is as it was, or as the defaults are."""

    def __init__(self, *, tokens: int | None, dollars: str | None, per_call_tokens: int | None) -> None:
        self.tokens, self.dollars, self.per_call_tokens = tokens, dollars, per_call_tokens

    @property
    def is_nothing(self) -> bool:
        """Whether it says nothing."""
        return self.tokens is None and self.dollars is None and self.per_call_tokens is None

    def over(self, caps: Caps) -> Caps:
        """Return caps with what was asked for. Errors: Misuse for what is no amount."""
        tokens = caps.total.tokens if self.tokens is None else self.tokens
        picos = caps.total.picos if self.dollars is None else amount_of(0, self.dollars).picos
        per_call = caps.per_call_tokens if self.per_call_tokens is None else self.per_call_tokens
        return replace(caps, total=Amount(tokens, picos), per_call_tokens=per_call)


def run_open(ledger: str, budget: str, wanted: Wanted, *, caps: str | None, portfolio: str | None) -> int:
    """Open a budget; return the exit code. Errors: as ``Ledger.open``."""
    asked = wanted.over(caps_of() if caps is None else caps_from_file(Path(caps)))
    with ledger_at(ledger, may_make=True) as opened:
        shown = opened.open(budget, asked, escrow=None if portfolio is None else escrow_of(portfolio))
    print(f"{show(budget)} is open: {_caps(shown)}" + (f", under {show(portfolio)}" if portfolio else ""))
    return 0


def run_override(
    ledger: str, budget: str, wanted: Wanted, *, by: str, reason: str, is_sure: bool, as_json: bool
) -> int:
    """Set other caps, and close the breaker, at an operator's word; return the exit code.

    Errors: Misuse without a name or a reason, without anybody's yes, and as ``Ledger.override``.
    """
    for name, text in (("--by", by), ("--reason", reason)):
        if not text.strip():
            raise Misuse(f"{name} is empty", remedy="an override stands in the log with who decided it, and why")
    with ledger_at(ledger) as opened:
        before = opened.snapshot(budget)
        asked = wanted.over(Caps(total=before.cap, per_call_tokens=before.per_call_tokens))
        print(f"{show(budget)}: {_caps(before)}" + (f"; STOPPED: {show(before.tripped)}" if before.tripped else ""),
              file=sys.stderr)  # fmt: skip
        if wanted.is_nothing and not before.tripped:
            raise Misuse("nothing would change", remedy="name a cap: --max-dollars 3.00")
        if not is_sure and not _says_yes(f"set {asked.total} and {asked.per_call_tokens:,} tokens a call? [y/N] "):
            raise Misuse("nobody said yes; nothing was changed", remedy="answer y, or write --yes")
        after = opened.override(budget, asked, by=by, reason=reason)
    print(json.dumps(told_of(after), indent=2) if as_json else f"{show(budget)}: {_caps(after)}; left {after.left}")
    return 0


def run_sweep(
    ledger: str, budget: str, *, owner: str | None, older_than: str | None, dry_run: bool, as_json: bool
) -> int:
    """Close what dead owners left open; return the exit code. Errors: as ``sweep``."""
    default_s = 0 if owner is not None else ORPHAN_AGE_S
    age_s = default_s if older_than is None else length_of(older_than, option="--older-than")
    with ledger_at(ledger) as opened:
        if dry_run:
            found = opened.open_holds(budget, owner=owner, older_than_s=age_s)
            voided = [hold for hold in found if hold.state is HoldState.HELD]
            assumed = [hold for hold in found if hold.state is not HoldState.HELD]
        else:
            swept = sweep(opened, budget, owner=owner, older_than_s=age_s)
            voided, assumed = list(swept.voided), list(swept.assumed)
    if as_json:
        told = {"dry_run": dry_run, "voided": [one.id for one in voided], "assumed": [one.id for one in assumed]}
        print(json.dumps(told))
        return 0
    charged = sum((hold.ceiling.picos for hold in assumed), 0)
    would = "would be " if dry_run else ""
    print(f"{len(voided):,} that were never used {would}given back")
    print(f"{len(assumed):,} that may have been billed {would}charged at their ceilings: "
          f"${Amount(0, charged).dollars:f}; a bill that turns up corrects them")  # fmt: skip
    return 0


def _caps(shown: BudgetSnapshot) -> str:
    return f"{shown.cap}, {shown.per_call_tokens:,} tokens a call"


def _says_yes(question: str) -> bool:
    """Ask whoever sits there; nobody sits at a pipe."""
    if not sys.stdin.isatty():
        return False
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
