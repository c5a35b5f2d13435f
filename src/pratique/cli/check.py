"""``pratique check``: judge deliveries, print the verdict, keep what was admitted.

Only the signature stands here: what the command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

__all__ = ["FailOn", "Format", "ProducerName", "check"]

Format: TypeAlias = Literal["full", "concise", "json", "ndjson", "sarif", "github", "junit"]
ProducerName: TypeAlias = Literal["model", "agent", "person"]
FailOn: TypeAlias = Literal["partial", "lost", "never"]


def check(
    files: Annotated[
        list[str],
        Parameter(
            name="FILE",
            allow_leading_hyphen=True,
            help="A delivery, read as bytes; - for standard input. Several are judged one by one.",
        ),
    ],
    /,
    *,
    contract: Annotated[
        str | None,
        Parameter(
            metavar="MODULE:NAME",
            help="The contract. The current directory is searched after the installed modules.",
        ),
    ] = None,
    schema: Annotated[
        str | None,
        Parameter(metavar="FILE", help="A JSON Schema (draft 04 to 2020-12) in place of a contract."),
    ] = None,
    at: Annotated[
        str,
        Parameter(
            metavar="NAME",
            help="With --schema: key or JSON Pointer of the list of units. Default: the delivery is the list.",
        ),
    ] = "",
    target: Annotated[
        str | None,
        Parameter(
            metavar="TARGET",
            help="The delivery is in the shape that pratique compile --target TARGET asked for, and is led back.",
        ),
    ] = None,
    references: Annotated[
        list[str] | None,
        Parameter(
            metavar="NAME=FILE",
            negative="",
            help="The allow-list of one reference: one id a line, or a JSON list. May come several times.",
        ),
    ] = None,
    finish_reason: Annotated[
        str | None,
        Parameter(
            metavar="REASON",
            help="What the provider gave as the reason for stopping. One that nobody knows "
            "admits nothing. Default: not told.",
        ),
    ] = None,
    producer: Annotated[
        ProducerName,
        Parameter(metavar="WHO", help="model, agent or person. The verdict does not depend on it."),
    ] = "model",
    format_: Annotated[
        Format | None,
        Parameter(
            name="--format",
            metavar="FORMAT",
            help="full (the default: each finding with its source line), concise (one line a finding), "
            "json (one object a FILE, one a line), ndjson (one line a unit, a quarantined unit, an unclaimed "
            "stretch and a finding, then the summary), sarif, github, junit.",
        ),
    ] = None,
    emit: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            allow_leading_hyphen=True,
            help="Write the admitted values there as a JSON list, all at once or not at all. "
            "- is standard output; the report then goes to standard error. One delivery a call.",
        ),
    ] = None,
    fail_on: Annotated[
        FailOn,
        Parameter(
            metavar="VERDICT",
            help="The mildest verdict whose exit code is not 0. partial (the default): everything that is "
            "not clean; lost: only lost and refused; never: none. A wrong call is 2 in any case.",
        ),
    ] = "partial",
    quarantine: Annotated[
        str | None,
        Parameter(
            metavar="DB",
            help="Keep what was refused in this file; it is made when it is not there. Look at it with "
            "pratique quarantine list. Without this option nothing is kept.",
        ),
    ] = None,
    run_id: Annotated[
        str | None,
        Parameter(metavar="ID", help="With --quarantine: the run in which the delivery came."),
    ] = None,
    attempt: Annotated[
        int | None,
        Parameter(
            metavar="N",
            help="With --quarantine: the attempt in that run. With both told, the same delivery is kept once.",
        ),
    ] = None,
    no_color: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print without colour. NO_COLOR and FORCE_COLOR are respected; what is not a terminal gets none.",
        ),
    ] = False,
) -> int:
    """Judge deliveries against a contract, and show what was lost, where and why."""
    from pratique.cli.judging import Judging
    from pratique.cli.run_check import Call, run_check

    return run_check(
        Call(
            files=tuple(files),
            judging=Judging(contract=contract, schema=schema, at=at, references=tuple(references or ()), target=target),
            finish_reason=finish_reason,
            producer=producer,
            format=format_,
            emit=emit,
            fail_on=fail_on,
            quarantine=quarantine,
            run_id=run_id,
            attempt=attempt,
            no_color=no_color,
        )
    )
