"""What a stream costs: total time in small chunks beside one call on the whole text, its growth, and its memory.

Our own stream is told as a ratio to ``contract.admit`` on the same text (on a sound report the fast path) and to the
walk unit by unit, which is what every stream must do. Growth is t(2n)/t(n): 2 is linear, 4 is quadratic. The peers get
the same text in the same chunks in the same run, at sizes at which those that read all again at each chunk still come
to an end; a size is left out when the one before it took too long.

    stream            ``feed`` each chunk, ``close``; the contract releases early
    stream, nothing kept   the same with ``retain=False``
    jiter, pydantic, json_repair   read all that came so far again at each chunk, in their modes for partial text
    ijson             pushed; each item that it completes is validated by the same strict model

Times are processor time, the median of interleaved runs; the garbage collector is on, as in a program.

Run: ``python -m bench.stream``, with ``--json FILE``, ``--ndjson-mb 1000`` for the endless stream, ``--print-only`` to
leave ``docs/stream.md`` and ``docs/stream.png`` alone. A peer that is not installed is left out, and the page says so.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import math
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from bench.speed import CONTRACT, Recommendation, damaged, report, sound
from pratique import Contract, Delivery, Limits, Misuse
from pratique.boundary.admit import admit_walking

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "stream.md"
PLOT = ROOT / "docs" / "stream.png"
BEGIN = "<!-- stream: written by python -m bench.stream; do not edit below -->"
END = "<!-- stream: end -->"

SIZES = (250_000, 500_000, 1_000_000)
"""Characters of our own texts: n, 2n, 4n."""
CHUNKS = (1, 16, 64, 1_000)
BROKEN_SHARE = 0.03
ROUNDS = 5
PEER_SIZES = (8_000, 16_000, 32_000, 64_000, 128_000)
"""Characters of the peers' texts, 16 a chunk."""
PEER_CHUNK = 16
MAX_PEER_S = 4.0
"""A peer's next size is left out when this one took longer: four times as long is more than anybody waits for."""
NDJSON_MB = 100
NDJSON_CHUNK_CHARS = 4_096
"""Characters of one chunk of the endless stream: what a socket gives at a time."""
MARKS = (10, 50, 100)
"""Percent of the endless stream at which its memory is read."""

EARLY: Contract[Recommendation] = Contract(
    replace(CONTRACT.terms, frames="first", limits=Limits(max_items=10**12, max_bytes=10**12))
)
LINES: Contract[Recommendation] = Contract(replace(EARLY.terms, at=(), envelope=None))


@dataclass(frozen=True)
class Row:
    """One measurement: the median of its runs. Units: seconds, characters."""

    reader: str
    text: str
    chars: int
    chunk: int
    seconds: float


# ---------------------------------------------------------------------- our own


def _sized(make: Callable[[int], bytes], chars: int) -> str:
    """Make a report of about ``chars`` characters."""
    one = len(make(200)) / 200
    return make(max(1, round(chars / one))).decode()


def _texts(chars: int) -> dict[str, str]:
    return {
        "sound": _sized(sound, chars),
        "3 % damaged": _sized(lambda units: damaged(units, BROKEN_SHARE), chars),
    }


def _cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _streaming(chunks: Sequence[str], *, retain: bool = True) -> Callable[[], object]:
    def run() -> object:
        stream = EARLY.stream(retain=retain)
        feed = stream.feed
        for chunk in chunks:
            feed(chunk)
        return stream.close()

    return run


def _ours(text: str) -> dict[tuple[str, int], Callable[[], object]]:
    """Return what is measured on one text: reader and chunk -> call."""
    calls: dict[tuple[str, int], Callable[[], object]] = {
        ("admit", 0): lambda: EARLY.admit(text),
        ("walk", 0): lambda: admit_walking(EARLY.terms, Delivery(text=text), {}),
    }
    for size in CHUNKS:
        chunks = _cut(text, size)
        calls["stream", size] = _streaming(chunks)
        if size == PEER_CHUNK:
            calls["stream, nothing kept", size] = _streaming(chunks, retain=False)
    return calls


def _timed(call: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    kept = call()
    taken = time.process_time() - began
    del kept
    return taken


def _require_sound(text: str, name: str) -> None:
    """Stop when a text would not be read as its name says: a figure for something else is worse than none."""
    admission = EARLY.admit(text)
    if (name == "sound") is not (admission.status == "clean") or not admission.values:
        raise Misuse(f"the text called {name!r} is {admission.status}", remedy="look at bench.speed")


def measure_ours(rounds: int) -> list[Row]:
    """Measure streams, ``admit`` and the walk on every text, by turns."""
    rows = []
    for chars in SIZES:
        texts = _texts(chars)
        calls = {(name, *key): call for name, text in texts.items() for key, call in _ours(text).items()}
        times: dict[tuple[str, str, int], list[float]] = {key: [] for key in calls}
        for name, text in texts.items():
            _require_sound(text, name)
        for _ in range(rounds):
            for key, call in calls.items():
                times[key].append(_timed(call))
        for (name, reader, chunk), taken in times.items():
            rows.append(Row(reader, name, len(texts[name]), chunk, statistics.median(taken)))
    return rows


# ---------------------------------------------------------------------- the peers


def _jiter(chunks: Sequence[str]) -> object:
    jiter: Any = import_module("jiter")
    came, value = b"", None
    for chunk in chunks:
        came += chunk.encode()
        value = jiter.from_json(came, partial_mode="trailing-strings")
    return value


def _pydantic(chunks: Sequence[str]) -> object:
    came, value = b"", None
    for chunk in chunks:
        came += chunk.encode()
        value = _PARTIAL.validate_json(came, experimental_allow_partial="trailing-strings")
    return value


def _json_repair(chunks: Sequence[str]) -> object:
    repair: Any = import_module("json_repair")
    came, value = "", None
    for chunk in chunks:
        came += chunk
        value = repair.loads(came, stream_stable=True, skip_json_loads=True)
    return value


def _ijson(chunks: Sequence[str]) -> object:
    ijson: Any = import_module("ijson")
    units: list[Any] = []
    events: Any = ijson.sendable_list()
    parser: Any = ijson.items_coro(events, "recommendations.item", use_float=True)
    for chunk in chunks:
        parser.send(chunk.encode())
        units += [_UNIT.validate_python(item, strict=True) for item in events]
        del events[:]
    return units


_UNIT: TypeAdapter[Recommendation] = TypeAdapter(Recommendation)
_PARTIAL: TypeAdapter[Any] = TypeAdapter(dict[str, str | list[dict[str, Any]]])

PEERS: dict[str, tuple[str, Callable[[Sequence[str]], object]]] = {
    "jiter, partial": ("jiter", _jiter),
    "pydantic, partial": ("pydantic", _pydantic),
    "json_repair, stream stable": ("json-repair", _json_repair),
    "ijson, pushed, validated": ("ijson", _ijson),
}


def version_of(package: str) -> str:
    """Return the version of an installed distribution; nothing when it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def measure_peers(rounds: int) -> list[Row]:
    """Measure the peers and ourselves on sound reports, by turns, as far as each comes."""
    readers: dict[str, Callable[[Sequence[str]], object]] = {"stream": lambda chunks: _streaming(chunks)()}
    readers |= {name: read for name, (package, read) in PEERS.items() if version_of(package)}
    for read in readers.values():
        read(_cut(_sized(sound, 1_000), PEER_CHUNK))  # what is made at the first call is made here
    rows = []
    for chars in PEER_SIZES:
        text = _sized(sound, chars)
        chunks = _cut(text, PEER_CHUNK)
        times: dict[str, list[float]] = {name: [] for name in readers}
        for _ in range(rounds):
            for name, read in readers.items():
                if sum(times[name]) <= MAX_PEER_S:
                    times[name].append(_timed(partial(read, chunks)))
        rows += [Row(name, "sound", len(text), PEER_CHUNK, statistics.median(taken)) for name, taken in times.items()]
        readers = {name: read for name, read in readers.items() if statistics.median(times[name]) <= MAX_PEER_S / 4}
    return rows


# ---------------------------------------------------------------------- an endless stream


def _lines(megabytes: int) -> Iterator[tuple[int, str]]:
    """Yield NDJSON in chunks, made as it is read, with the number of characters so far."""
    units = "".join(json.dumps(unit) + "\n" for unit in report(1_000)["recommendations"])
    came, rest = 0, ""
    while came < megabytes * 1_000_000:
        rest += units
        while len(rest) >= NDJSON_CHUNK_CHARS:
            came += NDJSON_CHUNK_CHARS
            yield came, rest[:NDJSON_CHUNK_CHARS]
            rest = rest[NDJSON_CHUNK_CHARS:]
    yield came + len(rest), rest


def peak_kib() -> int:
    """Return the peak resident memory of this process, KiB; ``getrusage`` would tell the parent's at the fork, too."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def run_endless(megabytes: int) -> dict[str, Any]:
    """Stream NDJSON without keeping it; tell this process's peak memory on the way."""
    stream = LINES.stream(retain=False)
    marks = [megabytes * 10_000 * mark for mark in MARKS]
    peaks: list[int] = []
    handed = 0
    began = time.process_time()
    for came, chunk in _lines(megabytes):
        handed += len(stream.feed(chunk))
        if came >= marks[len(peaks)] and len(peaks) < len(marks) - 1:
            peaks.append(peak_kib())
    admission = stream.close()
    peaks.append(peak_kib())
    return {
        "megabytes": megabytes,
        "chunk": NDJSON_CHUNK_CHARS,
        "peak_kib": dict(zip(map(str, MARKS), peaks, strict=True)),
        "seconds": time.process_time() - began,
        "handed_out": handed,
        "admitted": admission.counts["admitted"],
        "seen": admission.counts["seen"],
    }


def measure_endless(megabytes: int) -> dict[str, Any]:
    """Run the endless stream in a process of its own: the peak of this one is the parent's."""
    command = [sys.executable, "-m", "bench.stream", "--endless-here", str(megabytes)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


# ---------------------------------------------------------------------- the page


def _found(rows: Sequence[Row], reader: str, text: str, chunk: int) -> list[Row]:
    found = [row for row in rows if (row.reader, row.text, row.chunk) == (reader, text, chunk)]
    return sorted(found, key=lambda row: row.chars)


def _growth(rows: Sequence[Row]) -> str:
    """Tell t(2n)/t(n) for every doubling, exactly by the lengths that were measured."""
    told = []
    for small, large in pairwise(rows):
        told.append(f"{(large.seconds / small.seconds) ** (1 / _doublings(small.chars, large.chars)):.1f}")
    return " · ".join(told) or "–"


def _doublings(small: int, large: int) -> float:
    """Return how many times the one must be doubled to make the other."""
    return math.log2(large / small)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _ours_table(rows: Sequence[Row], text: str) -> str:
    shown = []
    for reader, chunk in [*(("stream", size) for size in CHUNKS), ("stream, nothing kept", PEER_CHUNK)]:
        found = _found(rows, reader, text, chunk)
        fast, walk = _found(rows, "admit", text, 0)[-1], _found(rows, "walk", text, 0)[-1]
        last = found[-1]
        name = f"{chunk:,} character{'s' * (chunk > 1)} a chunk" + (", nothing kept" if "," in reader else "")
        ratios = (f"{last.seconds / fast.seconds:.2f} ×", f"{last.seconds / walk.seconds:.2f} ×")
        shown.append((name, f"{last.seconds * 1e3:.0f}", *ratios, _growth(found)))
    for reader, name in (("admit", "`contract.admit`, in one piece"), ("walk", "the walk, in one piece")):
        found = _found(rows, reader, text, 0)
        shown.append((name, f"{found[-1].seconds * 1e3:.0f}", "", "", _growth(found)))
    return _table(("", "ms at 1 MB", "to `admit`", "to the walk", "growth, each doubling"), shown)


def _peer_table(rows: Sequence[Row]) -> str:
    sizes = sorted({row.chars for row in rows})
    shown = []
    for reader in dict.fromkeys(row.reader for row in rows):
        found = _found(rows, reader, "sound", PEER_CHUNK)
        by_size = {row.chars: f"{row.seconds * 1e3:,.1f}" for row in found}
        shown.append((reader, *(by_size.get(chars, "–") for chars in sizes), _growth(found)))
    return _table(("ms", *(f"{chars / 1_000:.0f} KB" for chars in sizes), "growth, each doubling"), shown)


def _endless_table(told: dict[str, Any]) -> str:
    peaks = told["peak_kib"]
    row = (
        f"{told['megabytes']:,} MB",
        *(f"{peaks[str(mark)] / 1024:.1f}" for mark in MARKS),
        f"{told['handed_out']:,}",
        f"{told['megabytes'] / told['seconds']:.1f}",
    )
    return _table(("NDJSON", *(f"peak MiB at {mark} %" for mark in MARKS), "units handed out", "MB/s"), [row])


def markdown(rows: Sequence[Row], peers: Sequence[Row], endless: dict[str, Any], rounds: int) -> str:
    """Tell one run as Markdown."""
    versions = ", ".join(
        f"{package} {version}"
        for package in ("pydantic", "jiter", "json-repair", "ijson")
        if (version := version_of(package))
    )
    absent = [name for name, (package, _) in PEERS.items() if not version_of(package)]
    run = (
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.system()} {platform.machine()}; "
        f"{versions}. Processor time, the median of {rounds} interleaved runs."
    )
    parts = [
        run,
        "A sound report:",
        _ours_table(rows, "sound"),
        f"The same with {BROKEN_SHARE:.0%} of its units broken, by turns in five ways:".replace("%", " %"),
        _ours_table(rows, "3 % damaged"),
        f"Sound reports in chunks of {PEER_CHUNK} characters, beside the peers:",
        _peer_table(peers),
        *([f"Not installed in this run: {', '.join(absent)}."] if absent else []),
        "![Processor time against the size of the report](stream.png)",
        f"An endless stream, `retain=False`, {endless['chunk']:,} characters a chunk, in a process of its own:",
        _endless_table(endless),
    ]
    return "\n\n".join(parts) + "\n"


def write_page(text: str, page: Path) -> None:
    """Put the figures between the page's markers; what stands outside them is written by hand and stays."""
    before = page.read_text(encoding="utf-8")
    if before.count(BEGIN) != 1 or before.count(END) != 1 or before.index(BEGIN) > before.index(END):
        raise Misuse(f"{page.name} has not one pair of markers", remedy=f"add the lines {BEGIN} and {END}")
    head, tail = before[: before.index(BEGIN)], before[before.index(END) :]
    page.write_text(f"{head}{BEGIN}\n\n{text}\n{tail}", encoding="utf-8")


def draw(rows: Sequence[Row], peers: Sequence[Row], path: Path) -> None:
    """Draw time against size; needs matplotlib."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, plane = pyplot.subplots(figsize=(8, 5))
    for reader in dict.fromkeys(row.reader for row in peers):
        found = _found(peers, reader, "sound", PEER_CHUNK)
        found += _found(rows, reader, "sound", PEER_CHUNK) if reader == "stream" else []
        name = "pratique, stream" if reader == "stream" else reader
        style = {"color": "#c2410c", "linewidth": 2.5} if reader == "stream" else {"linewidth": 1.2}
        plane.plot([row.chars for row in found], [row.seconds for row in found], marker="o", label=name, **style)
    whole = _found(rows, "admit", "sound", 0)
    plane.plot(
        [row.chars for row in whole], [row.seconds for row in whole], "--", color="#334155", label="admit, in one piece"
    )
    plane.set(xscale="log", yscale="log", xlabel="characters of the report", ylabel="processor time, s")
    plane.set_title(f"A sound report in chunks of {PEER_CHUNK} characters")
    plane.grid(visible=True, which="major", alpha=0.3)
    plane.legend()
    figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(figure)


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="interleaved runs of each measurement")
    parser.add_argument("--ndjson-mb", type=int, default=NDJSON_MB, help="size of the endless stream, MB")
    parser.add_argument("--json", metavar="FILE", help="write the measurements as JSON too")
    parser.add_argument("--print-only", action="store_true", help="leave docs/ alone")
    parser.add_argument("--endless-here", type=int, metavar="MB", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.endless_here:
        print(json.dumps(run_endless(options.endless_here)))
        return
    if not options.print_only and not version_of("matplotlib"):
        raise Misuse("matplotlib is not installed", remedy="pip install matplotlib, or use --print-only")
    rows, peers = measure_ours(options.rounds), measure_peers(options.rounds)
    endless = measure_endless(options.ndjson_mb)
    text = markdown(rows, peers, endless, options.rounds)
    print(text)
    if options.json:
        told = {"ours": [asdict(row) for row in rows], "peers": [asdict(row) for row in peers], "endless": endless}
        Path(options.json).write_text(json.dumps(told, indent=1), encoding="utf-8")
    if not options.print_only:
        draw(rows, peers, PLOT)
        write_page(text, PAGE)


if __name__ == "__main__":
    main()
