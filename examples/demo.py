"""The demo: real replies of small models and one broken run come apart into units.

    $ make demo                      # or, from the repository's root: python -m examples.demo [FOLDER]

It calls ``pratique check`` on a few replies, so that what you see is what the command prints, and ends with
a table of all of them: what was admitted, what was quarantined and why, and what a program would have kept
that takes the text out of its code fence, calls ``json.loads`` and validates the whole document. Nothing
is downloaded and no model is called; the replies lie in ``examples/replies/``, unedited. What was refused is kept
in ``build/demo/quarantine.db`` (or in FOLDER), listed in groups, and one group of it is replayed after a change of
its contract.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from examples import portfolio, triage_run
from pratique import Admission, Contract
from pratique.apps.triage import Recommendation as TriageRecommendation
from pratique.apps.triage import triage
from pratique.cli import main as pratique
from pratique.quarantine import Filter, SqliteQuarantine

__all__ = ["Case", "cases", "main"]

HERE = Path(__file__).parent
MADE = HERE.parent / "build" / "demo"
"""What the demo writes: the quarantine file and the values of a replay. Made anew by each run."""
TABLE_CELLS = 100
"""Width of the table and the text, whatever the terminal's: the demo looks the same everywhere."""


@dataclass(frozen=True, slots=True)
class Case:
    """One reply, and all that is needed to judge it in either way."""

    file: Path
    model: str
    contract: Contract[Any]
    spec: str
    """How the command line names the contract."""
    unit: type[BaseModel]
    workstreams: str
    known: frozenset[str]
    finish_reason: str

    @property
    def name(self) -> str:
        """Name the case in the table."""
        return self.file.stem

    @property
    def text(self) -> str:
        """The reply as it came."""
        return self.file.read_bytes().decode()

    def admit(self) -> Admission[Any]:
        """Judge the reply with its contract."""
        return self.contract.admit(self.text, references={"workstream": self.known}, finish_reason=self.finish_reason)

    def argv(self, spec: str = "") -> list[str]:
        """Write the call of ``pratique check`` that judges the same, or by the contract ``spec``."""
        argv = ["check", _shown(self.file), "--contract", spec or self.spec]
        argv += ["--references", "workstream=" + _shown(HERE / "workstreams" / f"{self.workstreams}.txt")]
        return [*argv, "--finish-reason", self.finish_reason]


def cases() -> tuple[Case, ...]:
    """Return the replies of the demo: the two reconstructions, then those of real models."""
    index = json.loads((HERE / "replies" / "replies.json").read_text(encoding="utf-8"))
    return (
        *(_reconstruction(name, reply) for name, reply in _RUNS.items()),
        *(_real(entry) for entry in index),
    )


def main(made: Path = MADE) -> int:
    """Show the demo; 0 when it ran. ``made`` is the folder that it empties and writes to."""
    console = Console(width=TABLE_CELLS, highlight=False, markup=False)
    shown = {case.name: case for case in cases()}
    for scene in _SCENES:
        _heading(console, scene.title, scene.words)
        _run(console, shown[scene.name].argv(scene.spec))
    _heading(console, "All replies", _TABLE_WORDS)
    rows = [(case, case.admit(), whole_document(case)) for case in shown.values()]
    with console.capture() as table:
        console.print(_table(rows))
    sys.stdout.write("".join(line.rstrip() + "\n" for line in table.get().splitlines()))
    console.print()
    console.print(textwrap.fill(_sum(rows), TABLE_CELLS))
    console.print("What a code means: pratique explain guard.over_limit")
    _quarantine(console, rows, made)
    return 0


def _quarantine(console: Console, rows: Iterable[tuple[Case, Admission[Any], object]], made: Path) -> None:
    """Keep what was refused, show it in groups, and replay one group after its contract has changed."""
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    with SqliteQuarantine(made / "quarantine.db") as store:
        for case, admission, _ in rows:
            store.keep(admission, run_id=case.name, attempt=1)
        group = store.groups(Filter(contract=triage.name, reason="over_limit"))[0].fingerprint
    db = ["--db", _shown(made / "quarantine.db")]
    _heading(console, _KEPT.title, _KEPT.words)
    _run(console, ["quarantine", "list", "--limit", "4", *db])
    _heading(console, _REPLAYED.title, _REPLAYED.words)
    replay = ["quarantine", "replay", "--group", group[:9], "--contract", _REPLAYED.spec]
    replay += ["--references", "workstream=" + _shown(HERE / "workstreams" / "triage.txt"), *db]
    _run(console, replay)
    console.print()
    _run(console, [*replay, "--apply", "--note", "the cap was lifted", "--emit", _shown(made / "admitted.ndjson")])
    console.print()
    _run(console, ["quarantine", "stats", *db])


# ---------------------------------------------------------------------- what is shown

_RUNS: Mapping[str, triage_run.Reply] = {
    "run_lost_comma": triage_run.lost_comma(),
    "run_cut_off": triage_run.cut_off(),
}


class _Scene(NamedTuple):
    """One reply shown at length."""

    title: str
    words: str
    name: str
    spec: str = ""
    """Another contract than the table's."""


_SCENES = (
    _Scene(
        "1  One lost comma in a report of sixteen",
        "On 2026-06-26 a scheduled report failed with `Expecting ',' delimiter: line 136 column 22 (char "
        "5268)`, and all of its recommendations were thrown away. Here it is again, reconstructed: the same "
        "error at the same place. Only a comma fits there, so it is put back, and that is written down. "
        "Nothing else is wrong.",
        "run_lost_comma",
        "examples.triage_run:of_that_day",
    ),
    _Scene(
        "2  The same report, cut off at the same character",
        "json.loads says exactly the same. But here nothing may be put back: whether the job size was to "
        "be 3 or 34, nobody knows. The ninth item is set aside, with its text. Of the eight whole ones the "
        "contract of today keeps the best seven, by a score that it computes itself.",
        "run_cut_off",
    ),
    _Scene(
        "3  A real reply: one item incomplete, one cut off",
        "Qwen2.5-Coder 0.5B was asked for seven recommendations and ran out of tokens.",
        "truncated_array",
    ),
    _Scene(
        "4  A real reply: the prompt's own example came back",
        "Well-formed and valid, and about a workstream that does not exist. Only the allow-list can tell.",
        "example_copied",
    ),
)

_KEPT = _Scene(
    "5  What was refused is kept, in one SQLite file",
    "Each refused unit with its raw text, place, reason and where it came from; alike ones in groups. Any "
    "SQLite tool opens the file.",
    "",
)
_REPLAYED = _Scene(
    "6  One group, judged again after its contract has changed",
    "Somebody lifts the cap of seven items. The units over it are replayed: a dry run first, then for good. "
    "Each is judged in the delivery it came in, and handed out once.",
    "",
    "examples.triage_run:of_that_day",
)

_TABLE_WORDS = (
    "Admitted is out of the units seen. The last column is the usual way: the text is taken out of its "
    "fence, read with json.loads and validated as one document. It keeps all, or says why it keeps nothing."
)


def _heading(console: Console, title: str, words: str) -> None:
    console.print()
    console.rule(Text(title, style="bold"), align="left")
    console.print(textwrap.fill(words, TABLE_CELLS))
    console.print()


def _run(console: Console, argv: list[str]) -> None:
    """Show a call of ``pratique``, then make it."""
    console.print(Text("$ pratique " + _wrapped(argv), style="bold"))
    console.print()
    sys.stdout.flush()
    pratique(argv)
    sys.stdout.flush()


def _wrapped(argv: list[str]) -> str:
    """Break a call before its options, as one would type it."""
    return re.sub(r" (?=--)", " \\\n    ", shlex.join(argv))


def _table(rows: Iterable[tuple[Case, Admission[Any], tuple[int, str]]]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("reply", "model", "status"):
        table.add_column(column, no_wrap=True)
    table.add_column("admitted", justify="right", no_wrap=True)
    table.add_column("quarantined", no_wrap=True)
    table.add_column("cut", no_wrap=True)
    table.add_column("json.loads", no_wrap=True)
    for case, admission, (kept, why) in rows:
        counts = admission.counts
        table.add_row(
            case.name,
            _short(case.model),
            Text(admission.status.value, style=_STYLES[admission.status.value]),
            f"{counts['admitted']} of {counts['seen']}",
            ", ".join(_reasons(counts)),
            "yes" if admission.truncated else "",
            why or f"all {kept}",
        )
    return table


_STYLES = {"clean": "green", "partial": "yellow", "empty": "yellow", "lost": "red", "refused": "red"}


def _sum(rows: Iterable[tuple[Case, Admission[Any], tuple[int, str]]]) -> str:
    listed = list(rows)
    seen = sum(admission.counts["seen"] for _, admission, _ in listed)
    admitted = sum(admission.counts["admitted"] for _, admission, _ in listed)
    whole = sum(kept for _, _, (kept, _) in listed)
    return (
        f"{len(listed)} replies, {seen} units seen: pratique admitted {admitted}, "
        f"the whole-document way kept {whole}. The {seen - admitted} others are in quarantine with their "
        "text, place and reason."
    )


def _reasons(counts: Mapping[str, int]) -> Iterator[str]:
    for reason, count in counts.items():
        if reason not in ("seen", "admitted", "quarantined", "not_kept"):
            yield f"{reason} {count}"


# ---------------------------------------------------------------------- the way it is usually done

_FENCE = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def whole_document(case: Case) -> tuple[int, str]:
    """Read a reply as one document: how many items are kept, and why not all.

    Shape: fence off, ``json.loads``, one validation with the same models, then the allow-list.
    """
    fenced = _FENCE.match(case.text)
    try:
        document = json.loads(fenced[1] if fenced else case.text)
    except ValueError:
        return 0, "not JSON"
    listed = document.get("recommendations") if isinstance(document, dict) else document
    try:
        items = TypeAdapter(list[case.unit]).validate_python(listed)  # type: ignore[name-defined]  # chosen by the case
    except ValidationError:
        return 0, "invalid"
    if not {_candidate(item) for item in items} <= case.known:
        return 0, "unknown id"
    return len(items), ""


def _candidate(item: BaseModel) -> str:
    return item.candidate if isinstance(item, TriageRecommendation) else item.workstream_id  # type: ignore[attr-defined]  # the portfolio's


# ---------------------------------------------------------------------- where the replies come from


def _reconstruction(name: str, reply: triage_run.Reply) -> Case:
    return Case(
        file=HERE / "replies" / f"{name}.txt",
        model="reconstructed",
        contract=triage,
        spec="pratique.apps.triage:triage",
        unit=TriageRecommendation,
        workstreams="triage",
        known=frozenset(triage_run.WORKSTREAMS.values()),
        finish_reason=reply.finish_reason,
    )


def _real(entry: Mapping[str, str]) -> Case:
    return Case(
        file=HERE / "replies" / entry["file"],
        model=entry["model"],
        contract=portfolio.portfolio,
        spec="examples.portfolio:portfolio",
        unit=portfolio.Recommendation,
        workstreams=entry["workstreams"],
        known=frozenset(portfolio.WORKSTREAMS[entry["workstreams"]]),
        finish_reason=entry["finish_reason"],
    )


def _short(model: str) -> str:
    """Name a model without its file's details: ``gemma-3-270m-q4_k_m.gguf`` is ``gemma-3-270m``."""
    return re.sub(r"(-instruct)?[-.]q\d.*\Z", "", model, flags=re.IGNORECASE)


def _shown(file: Path) -> str:
    """Name a file as seen from the current directory."""
    return os.path.relpath(file)


if __name__ == "__main__":
    try:
        sys.exit(main(*map(Path, sys.argv[1:2])))
    except BrokenPipeError:  # `make demo | head`: whoever reads it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
