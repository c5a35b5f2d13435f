"""Verify a log of a million events beside bare BLAKE3 over the same bytes, and append beside a bare write and fsync.

Run: ``python -m bench.audit [--events 1000000] [--rounds 3] [--appends 500] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from blake3 import blake3

from pratique.audit import AuditLog, verify
from pratique.budget.amount import Amount
from pratique.budget.events import BudgetReconciled
from pratique.events import record_of

EVENT = record_of(
    BudgetReconciled(
        budget="wf-42", token="0123456789abcdef0123456789abcdef", provider="anthropic", model="claude-sonnet-4-5",
        price="b3:00000000000000000000000000000000", actual=Amount(812, 6_540_000_000), late=False,
    )
)  # fmt: skip
BATCH = 10_000


def bare_hash(path: Path) -> None:
    """Hash each line by itself, as it stands: what any verification has to do at least."""
    with open(path, "rb") as file:
        for line in file:
            blake3(line).digest()


def bare_append(path: Path, lines: int) -> None:
    """Write lines of the same length, each on the disk before the next one."""
    line = json.dumps(EVENT, separators=(",", ":")).encode() + b"x" * 110 + b"\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for _ in range(lines):
        os.write(descriptor, line)
        os.fsync(descriptor)
    os.close(descriptor)


def append(path: Path, lines: int) -> None:
    """Append events, each on the disk before the next one."""
    with AuditLog(path) as log:
        for _ in range(lines):
            log.append(EVENT)


def median_s(run: Callable[[], object], rounds: int) -> float:
    """Return the median time, seconds."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def main(arguments: list[str]) -> int:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--appends", type=int, default=500)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args(arguments)
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}; {where}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.log"
        begun = time.perf_counter()
        with AuditLog(path) as log:
            for start in range(0, options.events, BATCH):
                log.append_all([EVENT] * min(BATCH, options.events - start))
        written = time.perf_counter() - begun
        size = path.stat().st_size
        found = verify(path)
        assert found.is_sound
        assert found.head is not None
        assert found.head.size == options.events
        bare = median_s(lambda: bare_hash(path), options.rounds)
        verified = median_s(lambda: verify(path), options.rounds)
        ours = median_s(lambda: append(Path(folder) / "ours.log", options.appends), options.rounds)
        plain = median_s(lambda: bare_append(Path(folder) / "bare.log", options.appends), options.rounds)
    told = {
        "events": options.events, "bytes": size, "written_s": written, "verify_s": verified, "blake3_s": bare,
        "verify_to_blake3": verified / bare, "append_a_s": options.appends / ours,
        "bare_append_a_s": options.appends / plain, "append_ratio": plain / ours,
    }  # fmt: skip
    print(f"{options.events:,} events, {size / 1e6:,.0f} MB; written in batches of {BATCH:,} in {written:.1f} s")
    print(f"verified in {verified:.2f} s, {options.events / verified:,.0f} events a second")
    print(f"bare BLAKE3 of each line: {bare:.2f} s; verifying takes {verified / bare:.1f} times as long")
    print(f"appended durably one by one: {options.appends / ours:,.0f} a second; bare write and fsync: "
          f"{options.appends / plain:,.0f}; {plain / ours:.2f} of it")  # fmt: skip
    if options.json:
        Path(options.json).write_text(json.dumps({"where": where, **told}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
