"""What survives: units recovered, units made up, losses not told, by us and by the field, in one run.

Every peer is given the same damaged documents (``tests/damage``, the same seeds), in its own environment and
its own process, in the configuration that its documentation gives for the case. What it gives back is then
validated unit by unit with the contract's own strict unit, and judged by the oracle that knows the truth.

    recall        undamaged units that came back equal, percent of those that stand in the text
    back          units that only a lossless edit gives back, percent
    guessed right units beyond both that came back equal: a repair, or a choice of two reports, and right
    made up       accepted units that equal no unit that was written; the rate is per accepted unit
    literal       the same, where the damage lies wholly inside one scalar: no reader can see it
    silent        documents with a loss of which nothing was told: no exception, no flag, no log entry,
                  no unit that the validation afterwards refused; in brackets, or as a column of its own,
                  when a log that must be asked for is not read
    false alarm   documents of which something was told although nothing was lost
    MB/s          bytes by processor time of the reading alone, the median document: import, warm-up and the
                  validation afterwards are not counted (ours holds its validation)

Run: ``python -m bench.survival --install`` once, later without. ``--only PEER``, ``--per-kind N``, ``--seed N``,
``--json FILE``. A full run with all peers writes ``docs/survival.md`` and ``docs/survival.png``; another one
prints only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))  # tests/ is no package of ours to install

from bench.peers.environments import DEFAULT_FOLDER, ROOT, install, python_of, variables
from bench.peers.page import OURS, Page, short_table, write_page
from bench.peers.peer import Peer
from bench.peers.process import Fate, Worker
from bench.peers.trial import GROUPS, Case, Large, Tally, Trap, cases, distinct, large_reports, reading_of, traps
from bench.survival_plot import draw
from damage.oracle import Score
from pratique import Misuse, Outage
from pratique.show import show

FAMILIES = (
    "gate", "standard", "repairers", "partials", "lenient", "instructors", "agents", "baml", "langchains", "guards",
)  # fmt: skip
"""The modules under ``bench/peers`` that hold peers, in the order of the tables of calls."""
PER_KIND = 16
"""Documents of each kind of damage."""
SEED = 20261
HANG_S = 5.0
"""Seconds of wall clock for one document of the suite or one trap: some 2 KB, or 50. The slowest peer needs
0.2 s for a document when it answers at all."""
LARGE_HANG_S = 20.0
"""Seconds of wall clock for one reading of a large report, 400 KB."""
LARGE_REPEATS = 3
"""More readings of a large report, when the first left time for them; the fastest of all counts."""
START_S = 120.0
"""Seconds for a peer to import and warm up; guardrails-ai needs some 10."""
MAX_MISSES = 10
"""Of our own misses, how many are printed: one is one too many."""
MEMORY_MIB = 4_096
"""Address space of a peer's process, MiB: a peer that wants more for 400 KB of text is told as died or raised."""


@dataclass(frozen=True)
class Conditions:
    """What every peer is run under."""

    folder: Path
    hang_s: float = HANG_S
    large_hang_s: float = LARGE_HANG_S
    start_s: float = START_S
    memory_mib: int = MEMORY_MIB


@dataclass(frozen=True)
class Suite:
    """What every peer is asked."""

    cases: Sequence[Case]
    traps: Sequence[Trap]
    large: Sequence[Large]


def all_peers() -> list[tuple[str, Peer]]:
    """Return every peer with the module that holds it."""
    return [
        (f"bench.peers.{family}", peer) for family in FAMILIES for peer in import_module(f"bench.peers.{family}").PEERS
    ]


def chosen(only: Iterable[str]) -> list[tuple[str, Peer]]:
    """Return the peers whose name or package is asked for, all if nothing is; Misuse for an unknown one."""
    everybody = all_peers()
    wanted = set(only)
    unknown = wanted - {peer.name for _, peer in everybody} - {peer.package for _, peer in everybody}
    if unknown:
        names = ", ".join(repr(peer.name) for _, peer in everybody)
        raise Misuse(f"no peer is called {', '.join(map(show, sorted(unknown)))}", remedy=f"use one of {names}")
    return [(module, peer) for module, peer in everybody if not wanted or {peer.name, peer.package} & wanted]


def run_peer(module: str, peer: Peer, suite: Suite, conditions: Conditions) -> Tally:
    """Put one peer before the whole suite.

    Errors: a peer that cannot start has the reason in its tally; nothing is raised for it.
    """
    python = python_of(conditions.folder, peer.environment)
    if not python.exists():
        return _absent(peer, "its environment is missing: run with --install")
    tally = Tally(peer.name, package=peer.package, call=peer.call)
    conditions.folder.mkdir(parents=True, exist_ok=True)
    worker = Worker(
        [str(python), "-m", "bench.peers.worker", module, peer.name, str(conditions.memory_mib << 20)],
        folder=ROOT,
        environment=variables(),
        log=conditions.folder / f"{peer.name.replace(' ', '_').replace('(', '').replace(')', '')}.log",
        start_s=conditions.start_s,
    )
    with worker:
        try:
            worker.start()
            tally.version = worker.greeting["version"]
            _ask_all(worker, tally, suite, conditions)
        except Outage as outage:
            tally.reason = str(outage)
    return tally


def _absent(peer: Peer, reason: str) -> Tally:
    return Tally(peer.name, package=peer.package, call=peer.call, reason=reason)


def _ask_all(worker: Worker, tally: Tally, suite: Suite, conditions: Conditions) -> None:
    for case in suite.cases:
        reply = worker.ask(case.damaged.text, bare=case.damaged.bare, timeout_s=conditions.hang_s)
        tally.add(case, reply)
    for large in suite.large:
        text = large.text
        reply = worker.ask(text, bare=False, timeout_s=conditions.large_hang_s)
        answered = reply.fate is Fate.ANSWERED and not reply.raised
        seconds = reply.seconds
        if answered and seconds * LARGE_REPEATS < conditions.large_hang_s:
            again = worker.ask(text, bare=False, timeout_s=conditions.large_hang_s, repeats=LARGE_REPEATS)
            seconds = min(seconds, again.seconds) if again.fate is Fate.ANSWERED else seconds
        speed = len(text.encode()) / seconds / 1e6 if answered and seconds else 0.0
        tally.large[large.name] = (speed, distinct(reading_of(reply)), large.whole)
    for trap in suite.traps:
        reply = worker.ask(trap.text, bare=False, timeout_s=conditions.hang_s)
        tally.hostile[trap.name] = "raised" if reply.raised else reply.fate.value
        tally.hostile_kept += min(trap.least, distinct(reading_of(reply)))


def progress(tally: Tally, began: float) -> str:
    """Say in one line how a peer did."""
    if not tally.ran:
        return f"{tally.name:30} not run: {tally.reason}"
    score = tally.total()
    lost = sum(fate in ("hung", "died") for fate in tally.hostile.values())
    return (
        f"{tally.name:30} recall {score.recall:6.2f} %  made up {score.fabricated:4}  silent {score.silent:4}  "
        f"raised {score.raised:4}  hung {tally.hung:2}  died {tally.died:2}  traps lost {lost:3}  "
        f"{tally.typical_mb_s:7.2f} MB/s  ({monotonic() - began:.0f} s)"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for, print it, and after a full run write the page and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the peers' environments first")
    parser.add_argument("--peers-folder", type=Path, default=DEFAULT_FOLDER, help="where they are kept")
    parser.add_argument("--only", action="append", default=[], metavar="PEER", help="a peer or package; repeatable")
    parser.add_argument("--per-kind", type=int, default=PER_KIND, help="documents of each kind of damage")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--hang-s", type=float, default=HANG_S, help="seconds a document may take")
    parser.add_argument("--memory-mib", type=int, default=MEMORY_MIB, help="address space of a peer, MiB")
    parser.add_argument("--jobs", type=int, default=1, help="peers at once; more than the cores makes hangs of waits")
    parser.add_argument("--no-traps", action="store_true", help="leave the hostile deliveries out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    parser.add_argument("--again", type=Path, metavar="FILE", help="run nothing: write page and plot from that JSON")
    asked = parser.parse_args(arguments)
    if asked.again:
        return _write_again(asked.again)
    try:
        peers = chosen(asked.only)
        _require_sound(asked)
    except Misuse as misuse:
        print(f"bench.survival: {misuse}", file=sys.stderr)
        return 2
    conditions = Conditions(asked.peers_folder.resolve(), hang_s=asked.hang_s, memory_mib=asked.memory_mib)
    reasons: dict[str, str] = {}
    if asked.install:
        for environment in dict.fromkeys(peer.environment for _, peer in peers):
            print(f"environment {environment} ...", end=" ", flush=True)
            reasons[environment] = install(conditions.folder, environment)
            print(reasons[environment] or "ready", flush=True)
    suite = Suite(
        tuple(cases(asked.per_kind, asked.seed)),
        () if asked.no_traps else tuple(traps()),
        tuple(large_reports(asked.seed)),
    )
    kinds = len({case.kind for case in suite.cases})
    print(f"{len(suite.cases):,} documents of {kinds} kinds, seed {asked.seed}; {len(suite.traps)} traps", flush=True)

    def run(named: tuple[str, Peer]) -> Tally:
        began = monotonic()
        module, peer = named
        reason = reasons.get(peer.environment)
        tally = _absent(peer, reason) if reason else run_peer(module, peer, suite, conditions)
        print(progress(tally, began), flush=True)
        return tally

    # Threads only wait here: each peer works in a process of its own.
    with ThreadPoolExecutor(asked.jobs) as threads:
        tallies = list(threads.map(run, peers))
    page = Page(
        tallies,
        documents=len(suite.cases),
        per_kind=asked.per_kind,
        seed=asked.seed,
        machine=machine(),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        hang_s=conditions.hang_s,
        memory_mib=conditions.memory_mib,
    )
    print("\n" + short_table(page))
    for tally in tallies:
        if tally.name == OURS:
            for miss in tally.total().misses[:MAX_MISSES]:
                print(f"ours: {show(miss)}")
    if asked.json:
        asked.json.write_text(json.dumps(told(page), indent=1) + "\n", encoding="utf-8")
    if not asked.only and suite.traps:
        write_all(page)
    return 0


def _require_sound(asked: argparse.Namespace) -> None:
    """Refuse before the run what would lose its results after it."""
    for option, value in {"--per-kind": asked.per_kind, "--jobs": asked.jobs, "--memory-mib": asked.memory_mib}.items():
        if value < 1:
            raise Misuse(f"{option} is less than 1", remedy="give at least 1")
    if asked.hang_s <= 0:
        raise Misuse("--hang-s is not above 0", remedy="give the seconds that a document may take")
    if asked.json and (asked.json.is_dir() or not asked.json.parent.is_dir()):
        raise Misuse(f"--json {show(str(asked.json))} cannot be written", remedy="name a file in a folder that exists")


def _write_again(path: Path) -> int:
    """Write page and plot from an earlier run's figures."""
    try:
        page = page_of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"bench.survival: {show(str(path))} holds no figures of a run: {show(str(error))}", file=sys.stderr)
        return 2
    write_all(page)
    return 0


def write_all(page: Page) -> None:
    """Write the page and the plot."""
    write_page(page, ROOT / "docs" / "survival.md")
    write_plot(page, ROOT / "docs" / "survival.png")


def write_plot(page: Page, path: Path) -> None:
    """Draw the plot, or say that matplotlib is missing: the bench extra brings it."""
    try:
        draw(page, path)
    except ModuleNotFoundError as missing:
        print(f"no plot: {missing.name} is not installed; pip install -e '.[bench]'", file=sys.stderr)


def machine() -> str:
    """Say what it ran on."""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def told(page: Page) -> dict[str, object]:
    """Return every figure as plain JSON values."""
    return {
        "date": page.date,
        "machine": page.machine,
        "documents": page.documents,
        "per_kind": page.per_kind,
        "seed": page.seed,
        "hang_s": page.hang_s,
        "memory_mib": page.memory_mib,
        "peers": [
            {
                **asdict(tally),
                "kinds": {kind: {**asdict(score), "misses": []} for kind, score in tally.kinds.items()},
                "recall": tally.total().recall,
                "fabrication": tally.fabrication,
                "groups": {group: tally.total(group).recall for group in GROUPS},
            }
            for tally in page.tallies
        ],
    }


def page_of(figures: dict[str, Any]) -> Page:
    """Return the page that ``told`` wrote down; KeyError or TypeError when it did not."""
    names = {field.name for field in fields(Tally)}
    tallies = []
    for peer in figures["peers"]:
        tally = Tally(**{name: value for name, value in peer.items() if name in names})
        tally.kinds = {kind: Score(**score) for kind, score in peer["kinds"].items()}
        tally.large = {name: (speed, units, whole) for name, (speed, units, whole) in peer["large"].items()}
        tallies.append(tally)
    return Page(tallies, **{name: value for name, value in figures.items() if name != "peers"})


if __name__ == "__main__":
    sys.exit(main())
