"""Time and memory of one admission beside bare pydantic on the same bytes, in one run.

What is compared: ``TypeAdapter(list-in-a-report).validate_json(bytes)``, the floor for anything that gives
typed values, against ``contract.admit(bytes)``, which also finds duplicate keys, holds the caps, knows
truncation, and isolates units when the text is broken. Bare pydantic raises on a damaged report; the
damaged figures are still told as a ratio to the time it takes on the sound one.

Garbage collection is more than half of bare pydantic's time on a large report, so both modes are told:
``off`` is what ``timeit`` does, ``on`` is what a program sees.

Run: ``make bench`` or ``python -m bench.speed [--units 10 1000 100000] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from pratique import Contract, Limits


class Wsjf(BaseModel):
    """The score of one recommendation."""

    score: float
    strategic_value: float
    time_criticality: float
    job_size: float


class Recommendation(BaseModel):
    """One unit of the report."""

    rank: Annotated[int, Field(ge=1)]
    candidate: str
    action: Literal["work-next", "needs-human", "revisit", "park", "close-out"]
    why: Annotated[str, Field(max_length=600)]
    wsjf: Wsjf


class Summary(BaseModel):
    """What stands around the list."""

    summary: str


class Report(BaseModel):
    """The whole document, as bare pydantic reads it."""

    summary: str
    recommendations: list[Recommendation]


BARE = TypeAdapter(Report)
CONTRACT = Contract.items(
    Recommendation, at="recommendations", envelope=Summary, name="bench", limits=Limits(max_items=1_000_000)
)
BROKEN = ("cut", "no_comma", "no_quote", "no_brace", "wrong_type")


def report(units: int) -> dict[str, Any]:
    """Build a sound report; the same for the same size."""
    rng = random.Random(units)
    actions = ["work-next", "needs-human", "revisit", "park", "close-out"]
    items = [
        {
            "rank": index + 1,
            "candidate": f"{rng.getrandbits(64):016x}",
            "action": rng.choice(actions),
            "why": f'Unblocks {rng.randrange(9)} others; "{rng.randrange(99)} days" late, {{see}} [notes].',
            "wsjf": {
                "score": round(rng.uniform(1, 20), 2),
                "strategic_value": rng.choice([1, 2, 3, 5, 8]),
                "time_criticality": rng.choice([1, 2, 3, 5, 8]),
                "job_size": rng.choice([1, 2, 3, 5, 8]),
            },
        }
        for index in range(units)
    ]
    return {"summary": "Made for measuring.", "recommendations": items}


def sound(units: int) -> bytes:
    """Render a report as a model writes it: indented by two."""
    return json.dumps(report(units), indent=2).encode()


def damaged(units: int, share: float) -> bytes:
    """Break every n-th unit, by turns in five ways; one at least."""
    every = max(1, round(1 / share))
    parts = []
    for index, item in enumerate(report(units)["recommendations"]):
        text = "    " + json.dumps(item, indent=2).replace("\n", "\n    ")
        if index % every == every // 2 or (units < every and index == units // 2):
            kind = BROKEN[(index // every) % len(BROKEN)]
            if kind == "cut":
                text = text[: len(text) // 2]
            elif kind == "no_comma":
                text = text.replace('",\n', '"\n', 1)
            elif kind == "no_quote":
                text = text.replace('"why": "', '"why": ', 1)
            elif kind == "no_brace":
                text = text[: text.rindex("}")].rstrip()
            else:
                text = text.replace('"rank": ', '"rank": "x', 1).replace(",\n", '",\n', 1)
        parts.append(text)
    body = ",\n".join(parts)
    return f'{{\n  "summary": "Made for measuring.",\n  "recommendations": [\n{body}\n  ]\n}}'.encode()


def edited(units: int, kind: str) -> bytes:
    """Write every unit so that it needs an edit: a trailing comma, or Python's own repr."""
    if kind == "python":
        return str(report(units)).encode()
    lines = [json.dumps(item, indent=2)[:-2] + ",\n}" for item in report(units)["recommendations"]]
    return ('{"summary": "Made for measuring.", "recommendations": [' + ",\n".join(lines) + "]}").encode()


def best(call: Callable[[], object], *, collect: bool, floor_s: float = 0.2) -> float:
    """Return the median of the fastest third of repeated calls, seconds."""
    times: list[float] = []
    gc.collect()
    if not collect:
        gc.disable()
    try:
        began = time.perf_counter()
        while len(times) < 7 or (time.perf_counter() - began < floor_s and len(times) < 2_000):
            start = time.perf_counter()
            kept = call()
            times.append(time.perf_counter() - start)
            del kept
            if time.perf_counter() - began > 60:
                break
    finally:
        gc.enable()
    times.sort()
    return statistics.median(times[: max(1, len(times) // 3)])


_MEMORY = """
import sys
sys.path[:0] = {path!r}
from bench.speed import BARE, CONTRACT
def peak():  # of this process alone: getrusage would tell the parent's, too
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
BARE.validate_json(b'{{"summary": "", "recommendations": []}}'); CONTRACT.admit("[]")
with open({file!r}, "rb") as source:
    data = source.read()
before = peak()
kept = {call}
print(peak() - before)
"""


def peak_kib(units: int, call: str) -> int:
    """Return by how much one call raises the peak memory of a fresh process, KiB; what it returns is kept."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(sound(units))
        file.flush()
        code = _MEMORY.format(path=sys.path, file=file.name, call=call)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def measure(units: int) -> list[dict[str, Any]]:
    """Measure one size: each case as time and as ratio to bare pydantic on the sound report."""
    plain = sound(units)
    cases: list[tuple[str, bytes]] = [
        ("sound", plain),
        ("sound, in a fence", b"Here it is:\n```json\n" + plain + b"\n```\n"),
        ("1 % of units broken", damaged(units, 0.01)),
        ("3 % of units broken", damaged(units, 0.03)),
        ("10 % of units broken", damaged(units, 0.10)),
        ("cut at 80 %", plain[: len(plain) * 8 // 10]),
        ("trailing comma in every unit", edited(units, "comma")),
        ("Python repr", edited(units, "python")),
    ]
    rows = []
    for collect in (False, True):
        bare_s = best(lambda: BARE.validate_json(plain), collect=collect)
        for name, text in cases:
            taken_s = best(lambda text=text: CONTRACT.admit(text), collect=collect)  # type: ignore[misc]  # a default binds
            admission = CONTRACT.admit(text)
            rows.append(
                {
                    "units": units, "bytes": len(text), "case": name, "gc": "on" if collect else "off",
                    "bare_ms": bare_s * 1e3, "admit_ms": taken_s * 1e3, "ratio": taken_s / bare_s,
                    "admitted": len(admission.values), "status": admission.status.value,
                }
            )  # fmt: skip
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--units", type=int, nargs="+", default=[10, 1_000, 100_000])
    parser.add_argument("--json", metavar="FILE", help="write the rows as JSON too")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}, 2 cores")
    print(f"{'units':>7} {'gc':>3}  {'case':<30} {'bare ms':>9} {'admit ms':>9} {'ratio':>6}  {'admitted':>8}  status")
    for units in options.units:
        for row in measure(units):
            rows.append(row)
            print(
                f"{row['units']:>7} {row['gc']:>3}  {row['case']:<30} {row['bare_ms']:>9.3f} {row['admit_ms']:>9.3f} "
                f"{row['ratio']:>6.2f}  {row['admitted']:>8}  {row['status']}",
                flush=True,
            )
    largest = max(options.units)
    if largest >= 10_000:
        bare = peak_kib(largest, "BARE.validate_json(data)")
        ours = peak_kib(largest, "CONTRACT.admit(data)")
        print(
            f"peak memory at {largest:,} units: bare {bare / 1024:.0f} MiB, admit {ours / 1024:.0f} MiB, "
            f"ratio {ours / bare:.2f}"
        )
        rows.append(
            {"units": largest, "case": "peak memory", "bare_kib": bare, "admit_kib": ours, "ratio": ours / bare}
        )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
