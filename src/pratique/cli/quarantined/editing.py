"""``pratique quarantine edit``: lay an edited text over a record, judge it again, say what happened."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pratique.cli.files import STDIO
from pratique.cli.judging import Judging
from pratique.cli.quarantined.author import author_of
from pratique.cli.quarantined.database import open_db, record_of
from pratique.cli.quarantined.deciding import refuse_second
from pratique.cli.quarantined.difference import difference
from pratique.cli.quarantined.edited import editor_of, from_editor, from_file, saved
from pratique.cli.quarantined.emitting import emission, report_stream
from pratique.cli.quarantined.handing import hand_out, handed_out, new_replay_id, stopped_gently
from pratique.cli.quarantined.replaying import exit_code_of
from pratique.cli.quarantined.shown import command, counted
from pratique.cli.terminal import Terminal, terminal_of
from pratique.errors import Misuse, Outage
from pratique.quarantine.record import Detail
from pratique.quarantine.replay import readmit
from pratique.quarantine.replayed import Outcome, Replayed, Verdict
from pratique.quarantine.resolution import AlreadyResolved
from pratique.show import escape, show

__all__ = ["Editing", "run_edit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """One call of ``pratique quarantine edit``, as written."""

    id: str
    judging: Judging
    text: str | None = None
    editor: bool = False
    start: Literal["edit", "draft", "raw"] | None = None
    author: str | None = None
    note: str = ""
    emit: str | None = None
    db: str | None = None
    json: bool = False
    no_color: bool = False


def run_edit(call: Editing) -> int:
    """Edit one record, judge it again and print what became of it; return the exit code.

    Errors: Misuse when the call is wrong, or the edit is none; nothing was written then.
    """
    _require_sound(call)
    contract = call.judging.load()
    references = call.judging.lists_for(contract)
    author = author_of(call.author)
    limits = contract.terms.limits
    run = new_replay_id()
    with stopped_gently(), open_db(call.db, limits=limits) as store:
        place = emission(call.emit)
        detail = store.show(record_of(store, call.id, db=call.db))
        if detail.resolved is not None:
            return refuse_second(AlreadyResolved(detail.resolved), "nothing was written")
        text = _text(call, detail, limits.max_kept_delivery_bytes)
        with handed_out(store, run, place, db=call.db):
            try:
                replayed = readmit(
                    store,
                    detail.record.id,
                    text,
                    contract,
                    author=author,
                    note=call.note,
                    references=references,
                    replay_id=run,
                )
            except (Misuse, Outage) as error:
                _save(call, text)
                if isinstance(error, AlreadyResolved):  # somebody else decided while the text was written
                    return refuse_second(error, "nothing was written")
                raise
            failed = hand_out(replayed, place, db=call.db)
    stream = report_stream(call.emit)
    if call.json:
        stream.write(json.dumps(replayed.to_dict(), indent=2) + "\n")
    else:
        for line in _page(call, detail, text, replayed, terminal_of(stream, no_color=call.no_color)):
            stream.write(line + "\n")
    return failed or exit_code_of(replayed)


def _require_sound(call: Editing) -> None:
    call.judging.require_sound(*([call.text] if call.text is not None else []))
    if (call.text is None) == (not call.editor):
        raise Misuse(
            "no text was given" if call.text is None else "both a text and an editor were given",
            remedy="write --text FILE, or --editor",
        )
    if call.start is not None and not call.editor:
        raise Misuse("--start says what the editor begins with", remedy="write --editor, too, or leave --start out")
    if call.emit == STDIO and call.json:
        raise Misuse("--emit - and --json both want standard output", remedy="write --emit FILE")


def _save(call: Editing, text: str) -> None:
    """Keep what a person wrote in an editor when it could not be taken: nobody should write it twice."""
    if call.editor:
        where = show(saved(text), max_chars=200)
        print(f"pratique: your text is kept in {where}; --text takes it from there", file=sys.stderr)


def _text(call: Editing, detail: Detail, max_bytes: int) -> str:
    """Return the edited text of a unit; one that is empty, or changes nothing, is refused."""
    if detail.record.index is None:
        raise Misuse(
            f"{detail.record.id} stands for a whole delivery; there is no unit in it to edit",
            remedy="write the corrected text to a file, and judge it: pratique check FILE --producer person",
        )
    text = from_file(call.text, max_bytes=max_bytes) if call.text is not None else _written(call, detail)
    if not text.strip():
        gives_up = command("discard", detail.record.id, "--reason", "WHY", db=call.db)
        raise Misuse("the edit is empty; nothing was changed", remedy=f"{gives_up} gives the unit up")
    return text


def _written(call: Editing, detail: Detail) -> str:
    start = _start(call, detail)
    text = from_editor(start, editor=editor_of())
    if text == start and call.start != "draft":
        raise Misuse("the text is as it was; nothing was changed", remedy="change it, or judge it again with replay")
    return text


def _start(call: Editing, detail: Detail) -> str:
    if call.start == "draft":
        if detail.draft is None:
            raise Misuse("this record has no draft", remedy="leave --start out, or write --start raw")
        return detail.draft
    if call.start == "edit" and detail.overlay is None:
        raise Misuse("this record was not edited before", remedy="leave --start out, or write --start raw")
    return detail.raw if call.start == "raw" or detail.overlay is None else detail.overlay.text


# ---------------------------------------------------------------------- the report


def _page(call: Editing, detail: Detail, text: str, replayed: Replayed[Any], terminal: Terminal) -> Iterator[str]:
    yield from difference(detail.raw, text, name="raw text", terminal=terminal)
    yield ""
    own = next(one for one in replayed.outcomes if one.record == detail.record.id)
    yield from _outcome(own, replayed, terminal)
    others = len(replayed.outcomes) - 1
    if others:
        batch = command("list", "--delivery", own.delivery, "--status", "all", "--units", db=call.db)
        yield f"{counted(others, 'other record')} of the batch came along: {batch}"
    if own.verdict is Verdict.ADMITTED:
        yield f"its value, at any time: {command('delivered', str(replayed.id), db=call.db)}"
    else:
        yield f"the edit is kept, and the record is open: {command('show', own.record, db=call.db)}"


def _outcome(own: Outcome, replayed: Replayed[Any], terminal: Terminal) -> Iterator[str]:
    contract = f"{escape(replayed.contract)} version {escape(replayed.version)}"
    edit = f"edit {own.overlay} of {own.record}"
    if own.verdict is Verdict.ADMITTED:
        yield f"{terminal.paint('admitted', 'good')}: {edit}, by {contract}; it was refused for {escape(own.before)}"
    elif own.verdict is Verdict.REFUSED:
        same = " still" if own.after == own.before else ""
        told = f"{edit} is{same} refused for {escape(own.after or '')}, by {contract}"
        yield f"{terminal.paint('refused', 'refuse')}: {told}"
    else:
        yield f"{terminal.paint('not admitted', 'refuse')}: {edit} stays open"
    for finding in own.findings:
        code = terminal.paint(escape(finding.code), finding.effect.value)
        yield f"  {code}: {escape(finding.message)} at {escape(finding.path)}"
        if finding.help:
            yield f"    = {terminal.paint('help:', 'strong')} {escape(finding.help)}"
