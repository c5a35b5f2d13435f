"""``pratique audit``: read the chained log, and verify it.

Only the signatures stand here: what a command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

__all__ = ["app"]

app = App(name="audit", usage="pratique audit COMMAND")
"""Its help stands in ``cli.app``, which does not import this file to show it."""

Log = Annotated[str, Parameter(name="LOG", help="The log's file.")]


@app.command(
    name="verify",
    usage="pratique audit verify LOG [--head FILE] [--json]",
    help="Verify a log, and say what that proves and what it does not.\n\n"
    "Exit code: 0 nothing is wrong, 1 the log is not what was written, 2 a wrong call.",
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
            help="A head that was kept elsewhere, as pratique audit head prints it; - is standard input. Without it, "
            "what was cut off at the end is not found.",
        ),
    ] = None,
    json_: Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object.")] = False,
) -> int:
    """Verify a log."""
    from pratique.cli.audited.verifying import run_verify

    return run_verify(log, head=head, as_json=json_)


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
    event: Annotated[
        list[str] | None,
        Parameter(
            metavar="NAME", negative="", help="Only events of this name; budget.* stands for several. Repeatable."
        ),
    ] = None,
    last: Annotated[int | None, Parameter(metavar="N", help="Only the last N of them.")] = None,
    json_: Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object a record.")] = False,
) -> int:
    """Show what a log tells."""
    from pratique.cli.audited.showing import run_show

    return run_show(log, events=tuple(event or ()), last=last, as_json=json_)
