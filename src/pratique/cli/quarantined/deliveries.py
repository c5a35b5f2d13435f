"""``pratique quarantine delivered``: what a replay admitted, again; or the replays that there were."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from pratique.cli.moments import now, when
from pratique.cli.quarantined.database import open_db
from pratique.cli.quarantined.shown import command, counted
from pratique.errors import Misuse
from pratique.quarantine.record import DELIVERY, State
from pratique.quarantine.resolution import ReplayRun
from pratique.quarantine.store import Filter, QuarantineStore
from pratique.quarantine.where import meant
from pratique.show import escape, show

__all__ = ["run_delivered", "values_of"]


def run_delivered(replay: str | None, *, db: str | None, as_json: bool) -> int:
    """Print the values of one replay, or list the replays; return the exit code.

    Errors: Misuse when there was no such replay.
    """
    with open_db(db) as store:
        if replay is None:
            for line in _replays(store.replays(), db, as_json=as_json):
                print(line)
            return 0
        known = _known(store, replay, db)
        if as_json:
            resolved = [one.to_dict() for one in store.delivered(known)]
            print(json.dumps({"replay": known, "delivered": resolved}, indent=2))
            return 0
        for line in values_of(store, known):
            sys.stdout.write(line + "\n")
    return 0


def _known(store: QuarantineStore, said: str, db: str | None) -> str:
    """Return the id of the one replay that begins so."""
    known = [run.id for run in store.replays()]
    found = [said] if said in known else [id for id in known if said and id.startswith(said)]
    if len(found) > 1:
        raise Misuse(
            f"{len(found)} replays begin with {show(said)}", remedy="write more of it: " + ", ".join(found[:5])
        )
    if not found:
        try:
            store.delivered(said)  # older than those that are listed
        except Misuse as error:
            raise Misuse(error.message, remedy=f"{command('delivered', db=db)} lists the replays") from error
    return found[0] if found else said


def values_of(store: QuarantineStore, replay: str) -> Iterator[str]:
    """Yield the values that a replay admitted, each as one line of JSON, in the order in which they passed.

    Errors: Misuse when there was no such replay.
    """
    delivered = store.delivered(replay)
    whole = {id for id, _ in meant(store, Filter(reason=DELIVERY, status=State.ADMITTED))}
    for one in delivered:
        passage = one.resolution.passage
        assert passage is not None
        if one.record not in whole:
            yield passage.values_json
        else:  # the list of its values
            yield from (json.dumps(value, separators=(",", ":")) for value in json.loads(passage.values_json))


def _replays(runs: tuple[ReplayRun, ...], db: str | None, *, as_json: bool) -> Iterator[str]:
    if as_json:
        yield json.dumps({"replays": [run.to_dict() for run in runs]}, indent=2)
        return
    today = now()
    told = [run for run in runs if run.admitted]
    for run in told:
        who = f" by {show(run.author)}" if run.author else ""
        note = f", note {show(run.note)}" if run.note else ""
        admitted = f"admitted {counted(run.admitted, 'record')} by {run.contract} version {run.version}"
        yield escape(f"{run.id}  {when(run.at, today)}{who}: {admitted}{note}")
    if told:
        yield f"the values of one: {command('delivered', told[0].id, db=db)}"
    else:
        yield "no replay has admitted anything"
