"""``pratique audit``: read the chained log, and verify it.

Only the signatures stand here: what a command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import App, Parameter

__all__ = ["app"]

app = App(name="audit", usage="pratique audit COMMAND")
"""Its help stands in ``cli.app``, which does not import this file to show it."""

Log = Annotated[str, Parameter(name="LOG", help="The log's file.")]
Events = Annotated[
    list[str] | None,
    Parameter(metavar="NAME", negative="", help="Only events of this name; budget.* stands for several. Repeatable."),
]
JsonLines = Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object a record.")]


@app.command(
    name="verify",
    usage="pratique audit verify LOG [--head FILE [--key KEY]] [--json]",
    help="Verify a log, and say what that proves and what it does not.\n\n"
    "Exit code: 0 nothing is wrong, 1 the log is not what was written, 2 a wrong call, or a checkpoint that is "
    "malformed, forged, or not signed by the key.",
)
def verify(
    log: Log,
    /,
    *,
    head: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            allow_leading_hyphen=True,
            help="A head that was kept elsewhere, as pratique audit head prints it, or signed checkpoints, one or "
            "many: the newest of this log counts, and the older ones must fit; - is standard input. Without it, what "
            "was cut off at the end is not found.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        Parameter(
            metavar="KEY",
            help="The verifier key that signed the checkpoints, as pratique audit key prints it, or a file that holds "
            "it. Checkpoints are refused without it.",
        ),
    ] = None,
    json_: Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object.")] = False,
) -> int:
    """Verify a log."""
    from pratique.cli.audited.verifying import run_verify

    return run_verify(log, head=head, key=key, as_json=json_)


@app.command(
    name="head",
    usage="pratique audit head LOG",
    help="Print the head of a log, to be kept where the log's writer cannot write.\n\n"
    "The log is verified on the way. Exit code: 0 printed, 1 the log is not what was written, 2 a wrong call.",
)
def head(log: Log, /) -> int:
    """Print the head of a log."""
    from pratique.cli.audited.verifying import run_head

    return run_head(log)


@app.command(
    name="key",
    usage="pratique audit key NAME --out FILE",
    help="Make a key to sign checkpoints with, and print its verifier key.\n\n"
    "The private key is written to FILE, which only its owner can read; a file that is there is never overwritten. "
    'Needs pip install "pratique[sign]". Exit code: 0 made, 2 a wrong call, 74 the disk failed.',
)
def key(
    name: Annotated[str, Parameter(name="NAME", help="What the key is called, like an address: example.com/audit.")],
    /,
    *,
    out: Annotated[str, Parameter(metavar="FILE", allow_leading_hyphen=True, help="Where the private key goes.")],
) -> int:
    """Make a key to sign checkpoints with."""
    from pratique.cli.audited.signing import run_key

    return run_key(name, out=out)


@app.command(
    name="checkpoint",
    usage="pratique audit checkpoint LOG --key FILE",
    help="Print a signed checkpoint of a log, to be kept where the log's writer cannot write.\n\n"
    "The log is verified on the way. Exit code: 0 printed, 1 the log is not what was written, 2 a wrong call.",
)
def checkpoint(
    log: Log,
    /,
    *,
    key: Annotated[str, Parameter(metavar="FILE", help="The private key, as pratique audit key --out FILE wrote it.")],
) -> int:
    """Print a signed checkpoint of a log."""
    from pratique.cli.audited.signing import run_checkpoint

    return run_checkpoint(log, key=key)


@app.command(
    name="carry",
    usage="pratique audit carry LOG LEDGER... [--follow]",
    help="Carry what ledgers tell into a log: each event once, in order; a log that is not there is made.\n\n"
    "Where it ended, the log itself knows. Exit code: 0 carried, 2 a wrong call, or a ledger that forgot what the log "
    "has, 74 the disk or the server failed, 130 interrupted.",
)
def carry(
    log: Log,
    ledgers: Annotated[list[str], Parameter(name="LEDGER", help="A ledger's file, or postgresql://…#SCHEMA.")],
    /,
    *,
    follow: Annotated[
        bool, Parameter(name=["--follow", "-f"], negative="", help="Go on, every second, until interrupted.")
    ] = False,
) -> int:
    """Carry what ledgers tell into a log."""
    from pratique.cli.audited.carrying import run_carry

    return run_carry(log, ledgers, follow=follow)


@app.command(
    name="cost",
    usage="pratique audit cost LOG [--by KEY]... [--json]",
    help="Add up what a log says was paid, exactly.\n\n"
    "Costs count as far as the chain holds. Exit code: 0 added up, 1 the log is not what was written, 2 a wrong call.",
)
def cost(
    log: Log,
    /,
    *,
    by: Annotated[
        list[Literal["budget", "seller", "item", "day", "event"]] | None,
        Parameter(
            negative="", help="A row for each; repeatable. item is the model, seller the provider. Default: budget."
        ),
    ] = None,
    json_: Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object; money is text.")] = False,
) -> int:
    """Add up what a log says was paid."""
    from pratique.cli.audited.costing import run_cost

    return run_cost(log, by=tuple(by or ("budget",)), as_json=json_)


@app.command(
    name="show",
    usage="pratique audit show LOG [--event NAME]... [--last N] [--json]",
    help="Show what a log tells, oldest first.\n\n"
    "Records are shown as far as the chain holds. Exit code: 0 shown, 1 the log is not what was written, 2 a wrong "
    "call.",
)
def show(
    log: Log,
    /,
    *,
    event: Events = None,
    last: Annotated[int | None, Parameter(metavar="N", help="Only the last N of them.")] = None,
    json_: JsonLines = False,
) -> int:
    """Show what a log tells."""
    from pratique.cli.audited.showing import run_show

    return run_show(log, events=tuple(event or ()), last=last, as_json=json_)


@app.command(
    name="tail",
    usage="pratique audit tail LOG [-n N] [--follow] [--event NAME]... [--json]",
    help="Show the last records of a log, and with --follow new ones as they come.\n\n"
    "Each is verified against the ones before it. Ctrl-C ends the following. Exit code: 0 shown, 1 the log is not what "
    "was written, or was replaced or cut off while it was followed, 2 a wrong call, 130 interrupted.",
)
def tail(
    log: Log,
    /,
    *,
    last: Annotated[
        int, Parameter(name=["-n", "--last"], metavar="N", help="How many of the last records. Default: 10.")
    ] = 10,
    follow: Annotated[
        bool, Parameter(name=["--follow", "-f"], negative="", help="Go on, and show new records as they come.")
    ] = False,
    event: Events = None,
    json_: JsonLines = False,
) -> int:
    """Show the last records of a log, and new ones as they come."""
    from pratique.cli.audited.tailing import run_tail

    return run_tail(log, last=last, follow=follow, events=tuple(event or ()), as_json=json_)
