"""Schema compilers side by side: the same contracts, each peer's own request, one oracle, in one run.

Every contestant compiles the same contracts, the named ones and random ones (the same seed), and is judged on
what it would have put on the wire: ``judge`` asks whether a sound instance is refused and whether an unsound
text gets through; ``table`` asks what the endpoint's own table refuses. Nothing is sent anywhere.

    compiled      contracts for which there was a request
    strict        of them, those that asked the endpoint to hold the answer to the schema
    400           of the strict ones, those with something that the endpoint's table refuses
    refuses       sound instances that the schema has no way to write, neither as they are nor with every default
                  filled in; *told* is behind a warning
    plain         texts that the schema lets through and the model's own plain validation refuses
    leaks         texts that the schema lets through and the contract refuses; *told* is behind a description that
                  names the keyword (for us: behind the residue)
    keys only     of the leaks not told, those with nothing wrong but keys that the contract does not know
    whole         contracts that came through: compiled, strict, no 400, no instance refused, no leak untold
    but for keys  contracts that would have, but for leaks of unknown keys

Run: ``python -m bench.dialects --install`` once, later without. ``--only NAME``, ``--specs N``, ``--seed N``,
``--json FILE``. A full run writes ``docs/dialects-bench.md`` and ``docs/dialects-bench.png``; another one
prints only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from time import monotonic

from bench.dialects.page import Page, main_table, write_page
from bench.dialects.peers.asking import install
from bench.dialects.plot import draw
from bench.dialects.trial import OURS, Conditions, Tally, as_json, contestants, peer_of, run, specs_of
from bench.peers.environments import DEFAULT_FOLDER, ROOT
from pratique import Misuse
from pratique.show import show

__all__ = ["main"]

SPECS = 200
"""Random contracts of a run, beside the named ones."""
INSTANCES = 6
"""Sound instances of each contract."""
SAMPLES = 10
"""Texts drawn from each schema."""
SAMPLE_CHARS = 300
"""Characters after which a sample is brought to its end."""
SEED = 20261
ANSWERS_S = 240.0
"""Seconds for a peer to answer for all contracts; the slowest needs some 30 for the default number."""
JOBS = 2
"""Contestants at once."""
MAX_EXAMPLES = 10
"""Of our own faults, how many are printed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for, print it, and after a full run write the page and the plot."""
    parser = argparse.ArgumentParser(
        prog="bench.dialects", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--install", action="store_true", help="make the peers' environments first")
    parser.add_argument("--peers-folder", type=Path, default=DEFAULT_FOLDER, help="where they are kept")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a contestant, or the start of its name"
    )
    parser.add_argument("--specs", type=int, default=SPECS, help=f"random contracts (default {SPECS})")
    parser.add_argument("--instances", type=int, default=INSTANCES, help="instances of each contract")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="samples of each schema")
    parser.add_argument("--sample-chars", type=int, default=SAMPLE_CHARS, help="characters before a sample is ended")
    parser.add_argument("--answers-s", type=float, default=ANSWERS_S, help="seconds for a peer's answers, all of them")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=JOBS, help="contestants at once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    parser.add_argument("--examples", action="store_true", help="print faults of everybody, not only ours")
    asked = parser.parse_args(arguments)
    try:
        chosen = _chosen(asked.only)
        _require_sound(asked)
    except Misuse as misuse:
        print(f"bench.dialects: {misuse}", file=sys.stderr)
        return 2
    folder = asked.peers_folder.resolve()
    reasons = _installed(folder, chosen) if asked.install else {}
    conditions = Conditions(
        folder, asked.specs, asked.instances, asked.samples, asked.sample_chars, asked.seed, asked.answers_s
    )
    print(f"{len(specs_of(conditions))} contracts, {asked.specs} of them at random, seed {asked.seed}", flush=True)
    tallies = _run_all(chosen, conditions, asked.jobs, reasons)
    page = Page(
        tallies,
        specs=asked.specs,
        instances=asked.instances,
        samples=asked.samples,
        seed=asked.seed,
        machine=f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        oracle=f"llguidance {metadata.version('llguidance')}",
        pydantic=metadata.version("pydantic"),
    )
    print("\n" + main_table(page))
    for tally in tallies:
        if asked.examples or tally.package == OURS:
            for example in tally.total.examples[:MAX_EXAMPLES]:
                print(f"{tally.name}: {show(example)}")
    if asked.json:
        asked.json.write_text(json.dumps([as_json(tally) for tally in tallies], indent=1) + "\n", encoding="utf-8")
    if not asked.only:
        write_page(page, ROOT / "docs" / "dialects-bench.md")
        _plot(page, ROOT / "docs" / "dialects-bench.png")
    return 0


def _chosen(only: Sequence[str]) -> list[tuple[str, str]]:
    """Return the contestants that are asked for, all if nothing is; Misuse when nobody is called so."""
    everybody = contestants()
    for wanted in only:
        if not any(name.startswith(wanted) for _, name in everybody):
            names = ", ".join(repr(name) for _, name in everybody)
            raise Misuse(f"nobody is called {show(wanted)}", remedy=f"use the start of one of {names}")
    return [(module, name) for module, name in everybody if not only or name.startswith(tuple(only))]


def _require_sound(asked: argparse.Namespace) -> None:
    """Refuse before the run what would lose its results after it."""
    least = {
        "--specs": asked.specs, "--instances": asked.instances, "--samples": asked.samples, "--jobs": asked.jobs,
        "--sample-chars": asked.sample_chars, "--answers-s": asked.answers_s,
    }  # fmt: skip
    for option, value in least.items():
        if value < 1:
            raise Misuse(f"{option} is less than 1", remedy="give at least 1")
    if asked.json and (asked.json.is_dir() or not asked.json.parent.is_dir()):
        raise Misuse(f"--json {show(str(asked.json))} cannot be written", remedy="name a file in a folder that exists")


def _installed(folder: Path, chosen: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Make the environments of those chosen; return why one could not be made, by its name."""
    reasons: dict[str, str] = {}
    for environment in dict.fromkeys(peer_of(module, name).environment for module, name in chosen if module):
        print(f"environment {environment} ...", end=" ", flush=True)
        reason = install(folder, environment)
        print(reason or "ready", flush=True)
        if reason:
            reasons[environment] = reason
    return reasons


def _run_all(
    chosen: Sequence[tuple[str, str]], conditions: Conditions, jobs: int, reasons: dict[str, str]
) -> list[Tally]:
    """Run everybody, some at once; return their tallies in the order in which they were chosen."""
    conditions.folder.mkdir(parents=True, exist_ok=True)
    began = monotonic()
    found: dict[str, Tally] = {}
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {}
        for module, name in chosen:
            reason = reasons.get(peer_of(module, name).environment) if module else None
            if reason:
                peer = peer_of(module, name)
                found[name] = Tally(name, peer.target, package=peer.package, call=peer.call, reason=reason)
            else:
                waiting[pool.submit(run, module, name, conditions)] = name
        for done in as_completed(waiting):
            tally = found[waiting[done]] = done.result()
            print(f"{_progress(tally)}  (at {monotonic() - began:.0f} s)", flush=True)
    return [found[name] for _, name in chosen]


def _progress(tally: Tally) -> str:
    """Say in one line how a contestant did."""
    if not tally.ran:
        return f"{tally.name:36} not run: {tally.reason}"
    score = tally.total
    return (
        f"{tally.name:36} compiled {score.compiled:4} of {score.specs}  400 {score.refused_by_table:4}  "
        f"refuses {score.over:5}  leaks {score.leaks - score.leaks_told:5}  whole {score.whole:4}"
    )


def _plot(page: Page, path: Path) -> None:
    """Draw the plot, or say that matplotlib is missing: the bench extra brings it."""
    try:
        draw(page, path)
    except ModuleNotFoundError as missing:
        print(f"no plot: {missing.name} is not installed; pip install -e '.[bench]'", file=sys.stderr)
