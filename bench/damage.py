"""Recall, fabrication and silence on damaged reports, beside the peers, in one run.

What is compared: the boundary; ``json_repair`` (when it is installed), plain and with its ``stream_stable``
option, each item through the same strict unit; and the scan a careful user writes by hand. Everybody reads
the same deliveries, and one oracle that knows the truth judges them all (``tests/damage``).

    recall      undamaged units admitted equal, of those that stand in the text
    back        units that only a lossless edit gives back, admitted equal
    made up     admitted units that equal no unit that was written
    hidden      the same, where the damage lies wholly inside one scalar: no reader can see it
    silent      deliveries with a loss of which the reader told nothing

Run: ``python -m bench.damage [--rounds 8] [--sweep] [--hostile] [--json FILE]``. ``--sweep`` cuts, deletes,
inserts and loses stretches all over larger reports; ``--hostile`` prints processor time at growing sizes.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from damage.hostile import TRAPS  # tests/ is no package of ours to install
from damage.kinds import KINDS, Damaged
from damage.oracle import Score, judge
from damage.readers import Reader, boundary, json_repair_reader, naive_scan
from damage.report import CONTRACT, Report, Style, make_report
from damage.sweeps import cuts, insertions, lost_characters, lost_stretches

SWEEPS: dict[str, Callable[[Report], Iterator[Damaged]]] = {
    "cut": cuts,
    "lost character": lost_characters,
    "inserted character": insertions,
    "lost stretch": lost_stretches,
}
MAX_SWEPT = 4_000
"""Cases of one sweep over one report: evenly spaced when there are more."""
HOSTILE_CHARS = (50_000, 100_000, 200_000)
GIVE_UP_S = 5.0
"""Processor time, seconds: beyond it a trap is not tried at the next size."""


def readers() -> dict[str, Reader]:
    """Return everybody who can be asked here."""
    found: dict[str, Reader] = {"pratique": boundary, "naive scan": naive_scan}
    try:
        found["json_repair"] = json_repair_reader()
        found["json_repair stable"] = json_repair_reader(stream_stable=True)
    except ImportError:
        print("json_repair is not installed: left out", file=sys.stderr)
    return found


def by_kind(rounds: int, everybody: dict[str, Reader]) -> dict[str, dict[str, Score]]:
    """Judge everybody on every kind of damage."""
    table: dict[str, dict[str, Score]] = {}
    for kind, make in KINDS.items():
        scores = {name: Score() for name in everybody}
        for seed in range(rounds):
            rng = Random(f"bench {kind} {seed}")
            report = make_report(rng)
            damaged = make(report, rng)
            for name, read in everybody.items():
                scores[name] += judge(report, damaged, read(damaged))
        table[kind] = scores
    return table


def by_sweep(units: int) -> dict[str, dict[str, Score]]:
    """Judge ourselves all over one larger report of each style."""
    table: dict[str, dict[str, Score]] = {}
    for style in Style:
        report = make_report(Random(f"bench sweep {style}"), units=units, style=style)
        for name, sweep in SWEEPS.items():
            step = max(1, len(report.text) // MAX_SWEPT)
            score = Score()
            for case in islice(sweep(report), 0, None, step):
                score += judge(report, case, boundary(case))
            table[f"{name}, {style}"] = {"pratique": score}
    return table


def print_scores(table: dict[str, dict[str, Score]]) -> None:
    """Print one row a kind, one group of columns a reader."""
    names = list(next(iter(table.values())))
    head = f"{'recall':>7} {'back':>5} {'made':>5} {'hid':>4} {'sil':>4}"
    print(" " * 26 + " | ".join(f"{name:^29}" for name in names))
    print(f"{'':26}" + " | ".join(head for _ in names))
    totals = {name: Score() for name in names}
    for kind, scores in table.items():
        print(f"{kind:26}" + " | ".join(_cells(scores[name]) for name in names))
        for name in names:
            totals[name] += scores[name]
    print(f"{'all':26}" + " | ".join(_cells(totals[name]) for name in names))
    documents = next(iter(totals.values())).documents
    print(f"\n{documents:,} deliveries a reader; recall and back in percent, the others are counts")


def _cells(score: Score) -> str:
    recall = f"{score.recall:7.2f}" if score.untouched else f"{'-':>7}"
    back = f"{100 * score.recovered / score.recoverable:5.0f}" if score.recoverable else f"{'-':>5}"
    return f"{recall} {back} {score.fabricated:5} {score.undecidable:4} {score.silent:4}"


def hostile() -> dict[str, list[dict[str, float]]]:
    """Time every trap at growing sizes; a factor of 2 is linear, of 4 quadratic."""
    table: dict[str, list[dict[str, float]]] = {}
    for name, trap in TRAPS.items():
        growth = (len(trap.make(60)) - len(trap.make(20))) / 40
        rows: list[dict[str, float]] = []
        for chars in (2_000, *HOSTILE_CHARS):
            text = trap.make(max(20, round(chars / growth)))
            began = time.process_time()
            admission = CONTRACT.admit(text)
            admission.account()
            spent = time.process_time() - began
            rows.append({"chars": len(text), "seconds": spent, "admitted": len(admission.values)})
            if spent > GIVE_UP_S or spent * (HOSTILE_CHARS[0] / chars) ** 2 > 8 * GIVE_UP_S:
                break
        table[name] = rows
        factor = f"x{rows[-1]['seconds'] / max(rows[-2]['seconds'], 1e-6):5.1f}" if len(rows) > 1 else ""
        last = rows[-1]
        flag = "  gave up" if len(rows) <= len(HOSTILE_CHARS) else ""
        print(f"{name:40} {last['chars']:9,.0f} characters {last['seconds']:8.3f} s {factor}{flag}", flush=True)
    return table


def main() -> None:
    """Run what was asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8, help="reports of each kind")
    parser.add_argument("--units", type=int, default=30, help="units of a report that is swept")
    parser.add_argument("--sweep", action="store_true", help="sweep over larger reports, ourselves only")
    parser.add_argument("--hostile", action="store_true", help="time the hostile deliveries, ourselves only")
    parser.add_argument("--misses", type=int, default=0, help="print that many of our misses")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    asked = parser.parse_args()
    told: dict[str, Any] = {"python": platform.python_version(), "rounds": asked.rounds}
    if asked.hostile:
        told["hostile"] = hostile()
    else:
        table = by_sweep(asked.units) if asked.sweep else by_kind(asked.rounds, readers())
        print_scores(table)
        for miss in [miss for scores in table.values() for miss in scores["pratique"].misses][: asked.misses]:
            print(miss)
        told["sweep" if asked.sweep else "kinds"] = {
            kind: {name: asdict(score) for name, score in scores.items()} for kind, scores in table.items()
        }
    if asked.json:
        asked.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
