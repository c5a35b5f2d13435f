"""``pratique quarantine``: look at what was refused, and decide what becomes of it.

Only signatures stand here: what a command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from cyclopts import App, Parameter

from pratique.cli.quarantined.options import (
    All,
    At,
    Author,
    ContractName,
    Db,
    Filters,
    Group,
    Ids,
    Json,
    NoColor,
    Note,
    One,
    References,
    Schema,
    Target,
)

__all__ = ["app", "delivered", "discard", "edit", "export", "list_", "replay", "show", "snooze", "stats"]

ExportFormat: TypeAlias = Literal["ndjson", "csv", "pytest"]
Start: TypeAlias = Literal["edit", "draft", "raw"]
Chosen: TypeAlias = Annotated[Filters | None, Parameter(group="Filters")]
Emit: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="FILE",
        allow_leading_hyphen=True,
        help="Write the admitted values there, one JSON value a line. A file that exists is refused. "
        "- is standard output; the report then goes to standard error.",
    ),
]

app = App(name="quarantine", usage="pratique quarantine COMMAND")
"""Its help stands in ``cli.app``, which does not import this file to show it."""


@app.command(
    name="list",
    usage="pratique quarantine list [--units] [FILTERS] [OPTIONS]",
    help="List what is open: in groups of what was refused alike, or record by record.\n\n"
    "Example: pratique quarantine list --since 7d\n\n"
    "Example: pratique quarantine list --units --reason schema --json",
)
def list_(
    *,
    filters: Chosen = None,
    status: All = "open",
    units: Annotated[
        bool, Parameter(negative="", help="List records, not groups. --group and --after imply it.")
    ] = False,
    limit: Annotated[int, Parameter(metavar="N", help="Groups or records at most, up to 1,000. Default: 20.")] = 20,
    after: Annotated[str | None, Parameter(metavar="CURSOR", help="Go on behind the page that told it.")] = None,
    db: Db = None,
    json_: Json = False,
    no_color: NoColor = False,
) -> int:
    """List groups or records."""
    from pratique.cli.quarantined.listing import Listing, run_list

    return run_list(
        Listing(
            filters=filters or Filters(),
            status=status,
            units=units,
            limit=limit,
            after=after,
            db=db,
            json=json_,
            no_color=no_color,
        )
    )


@app.command(
    name="show",
    usage="pratique quarantine show ID [OPTIONS]",
    help="Show one record: where it is from, why it was refused and where, its text, edits and decisions.\n\n"
    "Example: pratique quarantine show u-3fa9",
)
def show(id: One, /, *, db: Db = None, json_: Json = False, no_color: NoColor = False) -> int:
    """Show one record."""
    from pratique.cli.quarantined.details import run_show

    return run_show(id, db=db, as_json=json_, no_color=no_color)


@app.command(
    name="edit",
    usage="pratique quarantine edit ID (--text FILE | --editor) --contract MODULE:NAME [OPTIONS]",
    help="Lay an edited text over a record, and judge it again through the whole boundary.\n\n"
    "The raw text stays as it came; the edit is kept beside it, with author and note. One that is refused is kept, "
    "too, and the record stays open: exit code 3.\n\n"
    "Example: pratique quarantine edit u-3fa9 --editor --contract app.contracts:triage --note 'rank is a number'\n\n"
    "Example: pratique quarantine edit u-3fa9 --text fixed.json --contract app.contracts:triage",
)
def edit(
    id: One,
    /,
    *,
    text: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            allow_leading_hyphen=True,
            help="The edited text; - is standard input. One line end at its end is not part of it.",
        ),
    ] = None,
    editor: Annotated[bool, Parameter(negative="", help="Write it in VISUAL or EDITOR.")] = False,
    start: Annotated[
        Start | None,
        Parameter(
            metavar="TEXT",
            help="With --editor, begin with edit (the newest), draft, or raw. Default: edit, else raw.",
        ),
    ] = None,
    contract: ContractName = None,
    schema: Schema = None,
    at: At = "",
    target: Target = None,
    references: References = None,
    author: Author = None,
    note: Note = "",
    emit: Emit = None,
    db: Db = None,
    json_: Json = False,
    no_color: NoColor = False,
) -> int:
    """Edit one record and judge it again."""
    from pratique.cli.judging import Judging
    from pratique.cli.quarantined.editing import Editing, run_edit

    return run_edit(
        Editing(
            id=id,
            text=text,
            editor=editor,
            start=start,
            judging=Judging(contract=contract, schema=schema, at=at, references=tuple(references or ()), target=target),
            author=author,
            note=note,
            emit=emit,
            db=db,
            json=json_,
            no_color=no_color,
        )
    )


@app.command(
    name="replay",
    usage="pratique quarantine replay (ID... | [FILTERS]) --contract MODULE:NAME [--apply] [OPTIONS]",
    help="Judge open records again, each in its own delivery: by a contract that changed, with today's allow-lists.\n\n"
    "Without --apply nothing is written: it says what would be admitted, and what would still be refused and why. "
    "Without ID and --group, all open records of the contract's name are meant. Exit code 3: some are still "
    "refused.\n\n"
    "Example: pratique quarantine replay --group q1-52ab --contract app.contracts:triage\n\n"
    "Example: pratique quarantine replay --contract app.contracts:triage --apply --emit admitted.ndjson",
)
def replay(
    ids: Ids = None,
    /,
    *,
    filters: Chosen = None,
    contract: ContractName = None,
    schema: Schema = None,
    at: At = "",
    target: Target = None,
    references: References = None,
    apply: Annotated[bool, Parameter(negative="", help="Do it: what passes is resolved as admitted.")] = False,
    emit: Emit = None,
    author: Author = None,
    note: Note = "",
    db: Db = None,
    json_: Json = False,
    no_color: NoColor = False,
) -> int:
    """Judge records again."""
    from pratique.cli.judging import Judging
    from pratique.cli.quarantined.replaying import Replaying, run_replay

    return run_replay(
        Replaying(
            ids=tuple(ids or ()),
            filters=filters or Filters(),
            judging=Judging(contract=contract, schema=schema, at=at, references=tuple(references or ()), target=target),
            apply=apply,
            emit=emit,
            author=author,
            note=note,
            db=db,
            json=json_,
            no_color=no_color,
        )
    )


@app.command(
    name="delivered",
    usage="pratique quarantine delivered [REPLAY] [OPTIONS]",
    help="Print what a replay admitted, one JSON value a line: for a caller that died before it took the values.\n\n"
    "Without REPLAY, list the replays that were applied.\n\n"
    "Example: pratique quarantine delivered r-0c41 > admitted.ndjson",
)
def delivered(
    replay: Annotated[str | None, Parameter(name="REPLAY", help="The id that replay --apply told.")] = None,
    /,
    *,
    db: Db = None,
    json_: Json = False,
) -> int:
    """Print what a replay admitted."""
    from pratique.cli.quarantined.deliveries import run_delivered

    return run_delivered(replay, db=db, as_json=json_)


@app.command(
    name="discard",
    usage="pratique quarantine discard (ID... | --group GROUP) --reason TEXT [OPTIONS]",
    help="Give records up, with the reason. All that are named are resolved, or none.\n\n"
    "Example: pratique quarantine discard u-3fa9 u-77c0 --reason 'the run was repeated'\n\n"
    "Example: pratique quarantine discard --group q1-52ab --reason 'a test'",
)
def discard(
    ids: Ids = None,
    /,
    *,
    reason: Annotated[str, Parameter(metavar="TEXT", help="Why nobody needs them.")],
    group: Group = None,
    author: Author = None,
    note: Note = "",
    db: Db = None,
    json_: Json = False,
) -> int:
    """Give records up."""
    from pratique.cli.quarantined.deciding import Chosen, run_discard

    return run_discard(Chosen(ids=tuple(ids or ()), group=group, author=author, note=note, db=db, json=json_), reason)


@app.command(
    name="snooze",
    usage="pratique quarantine snooze (ID... | --group GROUP) [--until TIME] [--until-count N] [OPTIONS]",
    help="Set records aside until a time, or until their group has grown, whichever comes first; then they are "
    "open again.\n\n"
    "Example: pratique quarantine snooze u-3fa9 --until 7d\n\n"
    "Example: pratique quarantine snooze --group q1-52ab --until 2030-01-31 --until-count 100",
)
def snooze(
    ids: Ids = None,
    /,
    *,
    until: Annotated[
        str | None,
        Parameter(metavar="TIME", help="7d, 12h, 30m, 2w from now, or a date or time as 2030-01-31, UTC."),
    ] = None,
    until_count: Annotated[
        int | None, Parameter(metavar="N", help="Until N more units have come to the group.")
    ] = None,
    group: Group = None,
    author: Author = None,
    note: Note = "",
    db: Db = None,
    json_: Json = False,
) -> int:
    """Set records aside."""
    from pratique.cli.quarantined.deciding import Chosen, run_snooze

    chosen = Chosen(ids=tuple(ids or ()), group=group, author=author, note=note, db=db, json=json_)
    return run_snooze(chosen, until=until, until_count=until_count)


@app.command(
    name="export",
    usage="pratique quarantine export (ID... | [FILTERS]) --format FORMAT --out PATH [OPTIONS]",
    help="Write records to a file: for another program, a spreadsheet, or as a test that holds the case.\n\n"
    "A file that exists is refused, unless --overwrite says so; it appears whole or not at all.\n\n"
    "Example: pratique quarantine export --format csv --out refused.csv --status all\n\n"
    "Example: pratique quarantine export --group q1-52ab --format pytest --contract app.contracts:triage "
    "--out tests/test_refused.py",
)
def export(
    ids: Ids = None,
    /,
    *,
    filters: Chosen = None,
    status: All = "open",
    format_: Annotated[
        ExportFormat,
        Parameter(
            name="--format",
            metavar="FORMAT",
            help="ndjson (one record a line, with all that is kept of it), csv (formulas defused), pytest (a test "
            "for each unit; needs --contract).",
        ),
    ],
    out: Annotated[str, Parameter(metavar="PATH", allow_leading_hyphen=True, help="Where to; - is standard output.")],
    overwrite: Annotated[bool, Parameter(negative="", help="Replace a file that exists.")] = False,
    contract: Annotated[
        str | None,
        Parameter(metavar="MODULE:NAME", help="With pytest: the contract that the test judges by."),
    ] = None,
    references: References = None,
    db: Db = None,
) -> int:
    """Write records to a file."""
    from pratique.cli.quarantined.exporting import Exporting, run_export

    return run_export(
        Exporting(
            ids=tuple(ids or ()),
            filters=filters or Filters(),
            status=status,
            format=format_,
            out=out,
            overwrite=overwrite,
            contract=contract,
            references=tuple(references or ()),
            db=db,
        )
    )


@app.command(
    name="stats",
    usage="pratique quarantine stats [OPTIONS]",
    help="Sum the file up: what is open, why, since when; what did not fit; how large it is.\n\n"
    "Example: pratique quarantine stats --db refused.db --json",
)
def stats(*, db: Db = None, json_: Json = False, no_color: NoColor = False) -> int:
    """Sum the file up."""
    from pratique.cli.quarantined.figures import run_stats

    return run_stats(db=db, as_json=json_, no_color=no_color)
