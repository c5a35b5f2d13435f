"""``pratique quarantine replay``: judge records again; say what passes, and with ``--apply`` let it pass."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pratique.cli.exits import STILL_REFUSED
from pratique.cli.judging import Judging
from pratique.cli.quarantined.author import author_of
from pratique.cli.quarantined.database import filter_of, open_db, records_of
from pratique.cli.quarantined.emitting import emission, report_stream
from pratique.cli.quarantined.handing import hand_out, handed_out, new_replay_id, stopped_gently
from pratique.cli.quarantined.options import Filters
from pratique.cli.quarantined.progress import progress_on
from pratique.cli.quarantined.shown import SHORT_ID_CHARS, command, counted, fit
from pratique.cli.terminal import Terminal, terminal_of
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.quarantine.replay import replay
from pratique.quarantine.replayed import Outcome, Replayed, Verdict
from pratique.quarantine.store import QuarantineStore
from pratique.quarantine.where import Where
from pratique.show import escape

__all__ = ["Replaying", "exit_code_of", "run_replay"]

MAX_TOLD = 10
"""Records named in the answer, each with its first finding; the rest is counted, and ``--json`` has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaying:
    """One call of ``pratique quarantine replay``, as written."""

    judging: Judging
    ids: tuple[str, ...] = ()
    filters: Filters
    apply: bool = False
    emit: str | None = None
    author: str | None = None
    note: str = ""
    db: str | None = None
    json: bool = False
    no_color: bool = False


def run_replay(call: Replaying) -> int:
    """Judge records again and print what became of them; return the exit code.

    Errors: Misuse when the call is wrong; nothing was judged then. An Outage or an interruption in the middle: what
        was admitted until then is handed out first, and standard error says how to get it again.
    """
    _require_sound(call)
    contract = call.judging.load()
    references = call.judging.lists_for(contract)
    author = author_of(call.author) if call.apply else ""
    run = new_replay_id() if call.apply else None
    with stopped_gently(), open_db(call.db, limits=contract.terms.limits) as store:
        place = emission(call.emit)
        where = _where(store, call, contract)
        with handed_out(store, run, place, db=call.db):
            with progress_on(sys.stderr, "judged") as progress:
                replayed = replay(
                    store,
                    contract,
                    where=where,
                    references=references,
                    dry_run=not call.apply,
                    author=author,
                    note=call.note,
                    replay_id=run,
                    progress=progress,
                )
            failed = hand_out(replayed, place, db=call.db)
    stream = report_stream(call.emit)
    if call.json:
        stream.write(json.dumps(replayed.to_dict(), indent=2) + "\n")
    else:
        for line in _page(call, replayed, terminal_of(stream, no_color=call.no_color)):
            stream.write(line + "\n")
    return failed or exit_code_of(replayed)


def exit_code_of(replayed: Replayed[Any]) -> int:
    """Return the exit code: whether anything that was judged is still refused."""
    counts = replayed.counts
    return STILL_REFUSED if counts[Verdict.REFUSED] or counts[Verdict.STAYS] else 0


def _require_sound(call: Replaying) -> None:
    call.judging.require_sound()
    if call.ids and call.filters != Filters():
        raise Misuse("both records and filters were given", remedy="write ID..., or filters for all that fit")
    if call.emit is not None and not call.apply:
        raise Misuse("--emit takes what is admitted, and without --apply nothing is", remedy="write --apply, too")
    if call.emit == "-" and call.json:
        raise Misuse("--emit - and --json both want standard output", remedy="write --emit FILE")


def _where(store: QuarantineStore, call: Replaying, contract: Contract[Any]) -> Where:
    if call.ids:
        return records_of(store, call.ids, db=call.db)
    filters = call.filters
    if filters.group is None and filters.contract_name is None:
        filters = replace(filters, contract_name=contract.name)
    return filter_of(store, filters, db=call.db)


# ---------------------------------------------------------------------- the report


def _page(call: Replaying, replayed: Replayed[Any], terminal: Terminal) -> Iterator[str]:
    if not replayed.outcomes:
        yield "no open record is meant by that; nothing was judged"
        return
    yield _summary(replayed, terminal)
    column = max(len(f"{count:,}") for count in _changes(replayed).values())
    for (before, after), count in _changes(replayed).items():
        yield f"  {count:>{column},}  {escape(before)} -> {escape(after)}"
    yield from _left(replayed.outcomes, terminal)
    some = bool(replayed.counts[Verdict.ADMITTED])
    if replayed.dry_run:
        yield f"nothing was written; to do it: {_apply(call)}" if some else "nothing was written"
    elif some:
        yield f"its values, at any time: {command('delivered', str(replayed.id), db=call.db)}"


def _summary(replayed: Replayed[Any], terminal: Terminal) -> str:
    counts = replayed.counts
    admitted, left = counts[Verdict.ADMITTED], counts[Verdict.REFUSED]
    did = "would admit" if replayed.dry_run else "admitted"
    judged = counted(len(replayed.outcomes), "record")
    head = f"{terminal.paint(f'{did} {admitted:,}', 'good' if admitted else 'strong')} of {judged}"
    parts = [head, f"still {'refuse' if replayed.dry_run else 'refused'} {left:,}"]
    if counts[Verdict.STAYS]:
        parts.append(f"{counts[Verdict.STAYS]:,} cannot be judged and stay open")
    if counts[Verdict.RESOLVED]:
        parts.append(f"{counts[Verdict.RESOLVED]:,} not open any more")
    return f"{', '.join(parts)}, by {escape(replayed.contract)} version {escape(replayed.version)}"


def _changes(replayed: Replayed[Any]) -> dict[tuple[str, str], int]:
    """Count what each reason became, the most frequent first."""
    found = Counter((one.before, one.after or one.verdict.value) for one in replayed.outcomes)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _left(outcomes: Sequence[Outcome], terminal: Terminal) -> Iterator[str]:
    """Tell the first finding of what did not pass, what is refused for a new reason first."""
    left = [one for one in outcomes if one.verdict in (Verdict.REFUSED, Verdict.STAYS)]
    left.sort(key=lambda one: not (one.is_changed or one.verdict is Verdict.STAYS))
    for one in left[:MAX_TOLD]:
        why = f"{one.findings[0].code}: {one.findings[0].message}" if one.findings else one.verdict.value
        head = one.record[:SHORT_ID_CHARS]
        yield f"  {terminal.paint(head, 'frame')}  {fit(why, terminal.max_cells - len(head) - 4)}"
    if len(left) > MAX_TOLD:
        yield f"  {len(left) - MAX_TOLD:,} more; --json has them"


def _apply(call: Replaying) -> str:
    return command("replay", *call.ids, *call.filters.words, *call.judging.words, "--apply", db=call.db)
