"""``pratique budget``: look at a ledger, and decide: open, override, sweep.

Only the signatures stand here: what a command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import App, Parameter

__all__ = ["app"]

app = App(name="budget", usage="pratique budget COMMAND")
"""Its help stands in ``cli.app``, which does not import this file to show it."""

Ledger: TypeAlias = Annotated[
    str,
    Parameter(
        name="LEDGER",
        help="The ledger's file, or postgresql://user@host/database, with #NAME for another schema than pratique.",
    ),
]
Budget: TypeAlias = Annotated[str, Parameter(name="BUDGET", help="The workflow or portfolio.")]
Json: TypeAlias = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON; money is text in it.")]
MaxTokens: TypeAlias = Annotated[
    int | None, Parameter(name="--max-tokens", metavar="N", help="Tokens that may be used in all.")
]
MaxDollars: TypeAlias = Annotated[
    str | None, Parameter(name="--max-dollars", metavar="AMOUNT", help="Dollars that may be spent in all, as 1.50.")
]
PerCall: TypeAlias = Annotated[
    int | None,
    Parameter(name="--per-call-max-tokens", metavar="N", help="Tokens that one call may use, its prompt included."),
]


@app.command(
    name="show",
    usage="pratique budget show LEDGER [--json]",
    help="Show all budgets of a ledger at one moment: caps, what is spent, reserved, lent and left.",
)
def show(ledger: Ledger, /, *, json_: Json = False) -> int:
    """Show all budgets of a ledger."""
    from pratique.cli.budgeted.showing import run_show

    return run_show(ledger, as_json=json_)


@app.command(
    name="holds",
    usage="pratique budget holds LEDGER [BUDGET] [--json]",
    help="Show what is reserved and not settled, oldest first: calls under way, and orphans.",
)
def holds(
    ledger: Ledger,
    budget: Annotated[str | None, Parameter(name="BUDGET", help="Only of this one.")] = None,
    /,
    *,
    json_: Json = False,
) -> int:
    """Show what is reserved and not settled."""
    from pratique.cli.budgeted.showing import run_holds

    return run_holds(ledger, budget, as_json=json_)


@app.command(
    name="check",
    usage="pratique budget check LEDGER [--json]",
    help="Add all holds of a ledger up anew, and compare with what its budgets say.\n\n"
    "Exit code: 0 it adds up, 1 it does not, 2 a wrong call, 74 the ledger failed.",
)
def check(ledger: Ledger, /, *, json_: Json = False) -> int:
    """Add a ledger up anew."""
    from pratique.cli.budgeted.showing import run_check

    return run_check(ledger, as_json=json_)


@app.command(
    name="open",
    usage="pratique budget open LEDGER BUDGET [--caps FILE] [--portfolio NAME] [OPTIONS]",
    help="Open a budget, or find it open with the same caps; a ledger that is not there is made.\n\n"
    "Example: pratique budget open ledger.db team --max-dollars 50 --max-tokens 5000000\n\n"
    "Example: pratique budget open ledger.db wf-42 --portfolio team",
)
def open_(
    ledger: Ledger,
    budget: Budget,
    /,
    *,
    caps: Annotated[
        str | None, Parameter(metavar="FILE", help="A TOML file with the caps under [budget]; options count more.")
    ] = None,
    portfolio: Annotated[
        str | None, Parameter(metavar="NAME", help="Put it under this budget, which caps all that is under it.")
    ] = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    per_call: PerCall = None,
) -> int:
    """Open a budget."""
    from pratique.cli.budgeted.steering import Wanted, run_open

    wanted = Wanted(tokens=max_tokens, dollars=max_dollars, per_call_tokens=per_call)
    return run_open(ledger, budget, wanted, caps=caps, portfolio=portfolio)


@app.command(
    name="override",
    usage="pratique budget override LEDGER BUDGET --by NAME --reason TEXT [CAPS] [--yes] [--json]",
    help="Set other caps, and let a budget go on that was stopped. Who and why stands in the log.\n\n"
    "Without caps it only closes the breaker. It asks before it does it; --yes is the answer for scripts.",
)
def override(
    ledger: Ledger,
    budget: Budget,
    /,
    *,
    by: Annotated[str, Parameter(metavar="NAME", help="Who decides it.")],
    reason: Annotated[str, Parameter(metavar="TEXT", help="Why.")],
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    per_call: PerCall = None,
    yes: Annotated[bool, Parameter(negative="", help="Do not ask.")] = False,
    json_: Json = False,
) -> int:
    """Set other caps, and let a budget go on."""
    from pratique.cli.budgeted.steering import Wanted, run_override

    wanted = Wanted(tokens=max_tokens, dollars=max_dollars, per_call_tokens=per_call)
    return run_override(ledger, budget, wanted, by=by, reason=reason, is_sure=yes, as_json=json_)


@app.command(
    name="sweep",
    usage="pratique budget sweep LEDGER BUDGET [--owner NAME] [--older-than 1h] [--dry-run] [--json]",
    help="Close what dead owners left open: what was never used is given back, what may have been billed is charged "
    "at its ceiling.\n\n"
    "Whoever is alive after all loses nothing: a token that was given back is refused, a late bill corrects a charge.",
)
def sweep(
    ledger: Ledger,
    budget: Budget,
    /,
    *,
    owner: Annotated[str | None, Parameter(metavar="NAME", help="Only what this owner left.")] = None,
    older_than: Annotated[
        str | None,
        Parameter(metavar="TIME", help="Only what is as old: 90s, 10m, 1h. Default: 1h, and with --owner any age."),
    ] = None,
    dry_run: Annotated[bool, Parameter(negative="", help="Only say what would be done.")] = False,
    json_: Json = False,
) -> int:
    """Close what dead owners left open."""
    from pratique.cli.budgeted.steering import run_sweep

    return run_sweep(ledger, budget, owner=owner, older_than=older_than, dry_run=dry_run, as_json=json_)
