"""Real replies, read one by one, drawn, judged by their contracts, and compared, in one run.

What is compared: the verdict that a reader gave on each raw text (``tests/replies/field_judgements.jsonl``,
written before the contracts had judged it) against the verdict of the task's contract (``examples/field``).
All figures of ``docs/field-report.md`` stand between markers there, and are written by this script alone.

    draw      a sample of raw replies: stratified by model, task and finish reason, by a seed
    judge     each with the contract of its task, with the same and two more checks, with one for all
    compare   status, cut, admitted units, reasons; each difference is named in the judgement

Run: ``python -m bench.field`` writes the figures; ``--check`` only says whether they are stale;
``--draw FILE [--size 101] [--seed 3]`` draws the sample anew from a file of raw replies.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from examples.field.contracts import CAREFUL, CONTRACTS
from examples.portfolio import portfolio, references_of

from pratique import Admission, Contract, Misuse
from pratique.show import escape, show

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "tests" / "replies" / "field_replies.jsonl"
PROMPTS = ROOT / "tests" / "replies" / "field_prompts.jsonl"
JUDGEMENTS = ROOT / "tests" / "replies" / "field_judgements.jsonl"
PAGE = ROOT / "docs" / "field-report.md"

SIZE = 101
"""Replies drawn, unless told: all there are. A hundred was asked for, and leaving one out says nothing more."""
SEED = 3
"""Decides which replies of a stratum are drawn when there are more than fit."""
ASKED = 7
"""Recommendations that every prompt asks for."""
HEAD_CHARS, PLACE_CHARS, TAIL_CHARS = 400, 250, 150
"""Raw text shown of one reply in the report, code points: its beginning, the first place that was refused, its end."""
SETS = ("software", "logistics", "wind")
"""The sets of workstreams, by their number in the raw file."""

_MARKED = re.compile(r"(?P<mark><!-- field: (?P<what>\w+)(?: (?P<id>r\d{3}))? -->\n).*?(?=<!-- end -->)", re.DOTALL)
_RUN_LINE = re.compile(r"^Printed by `python -m bench\.field`.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reply:
    """One raw reply, and what was known when it came."""

    id: str
    prompt: str
    task: str
    model: str
    workstreams: str
    seed: int
    temperature: float
    max_tokens: int
    finish_reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be compared of a judgement and an admission. Units: ``quarantined`` counts units."""

    status: str
    truncated: bool
    admitted: tuple[tuple[int, str], ...]
    reasons: frozenset[str]
    quarantined: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the reader made of one reply, and where the boundary differs."""

    id: str
    verdict: Verdict
    among: bool
    """The reasons are those that may occur: into how many units the reply falls apart is nobody's to say."""
    came: str
    faults: tuple[str, ...]
    why: str
    kind: str
    """Of the difference: ``meaning``, ``rule``, ``telling``; empty when there is none."""
    differs: str
    found: Verdict
    """What the boundary is known to say; the verdict itself when nothing differs."""


# ------------------------------------------------------------------ the sample


def draw(records: Sequence[Mapping[str, Any]], *, size: int = SIZE, seed: int = SEED) -> list[int]:
    """Choose which of the raw replies to judge.

    Shape: places in ``records``, ascending. Each stratum (model, task, finish reason) gives its share, rounded
        up, so that none is left out; what is too many is taken back from the largest.
    Errors: Misuse when there are more strata than ``size``.
    """
    strata: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, record in enumerate(records):
        strata[record["model"], _task(record), record["finish_reason"]].append(place)
    if len(records) <= size:
        return list(range(len(records)))
    if len(strata) > size:
        raise Misuse(f"{len(strata)} strata do not fit into {size} replies", remedy=f"draw at least {len(strata)}")
    shares = {key: -(-len(places) * size // len(records)) for key, places in strata.items()}
    while sum(shares.values()) > size:
        shares[max(shares, key=lambda key: (shares[key], key))] -= 1
    rng = Random(seed)
    return sorted(place for key in sorted(strata) for place in rng.sample(strata[key], shares[key]))


def write_sample(source: Path, *, size: int, seed: int) -> int:
    """Draw from a file of raw replies and write the sample and its prompts beside the tests; return how many."""
    records = _lines(source)
    replies, prompts = [], {}
    for place in draw(records, size=size, seed=seed):
        record = records[place]
        task, workstreams = _task(record), SETS[record["workstream_set"]]
        prompt = f"{task}/{workstreams}/{record['api']}"
        prompts[prompt] = record["prompt"]
        kept = {key: record[key] for key in ("model", "seed", "temperature", "max_tokens", "finish_reason", "raw")}
        replies.append({"id": f"r{place:03d}", "prompt": prompt, "task": task, "workstreams": workstreams, **kept})
    _write(SAMPLE, replies)
    _write(PROMPTS, [{"id": key, "prompt": prompts[key]} for key in sorted(prompts)])
    return len(replies)


def _task(record: Mapping[str, Any]) -> str:
    """Name the task: NDJSON after shown items is another one than NDJSON told in words."""
    kind = str(record["kind"])
    return "ndjson_fewshot" if kind == "ndjson" and record["api"] == "completion-fewshot" else kind


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")


@cache
def sample() -> Mapping[str, Reply]:
    """Return the drawn replies by id, in the order of the raw file."""
    return {line["id"]: Reply(**line) for line in _lines(SAMPLE)}


@cache
def judgements() -> Mapping[str, Judgement]:
    """Return what the reader made of each, by id."""
    return {line["id"]: _judgement(line) for line in _lines(JUDGEMENTS)}


def _judgement(line: Mapping[str, Any]) -> Judgement:
    among = "reasons_among" in line
    reasons = line["reasons_among"] if among else line["reasons"]
    verdict = Verdict(line["status"], line["truncated"], _units(line["admit"]), frozenset(reasons))
    differs = line.get("differs")
    found = verdict
    if differs:
        told = differs["pratique"]
        found = Verdict(
            told["status"], line["truncated"], _units(told["admitted"]), frozenset(told["reasons"]), told["quarantined"]
        )
    return Judgement(
        line["id"], verdict, among, line["came"], tuple(line["faults"]), line["why"],
        differs["kind"] if differs else "", differs["why"] if differs else "", found,
    )  # fmt: skip


def _units(pairs: Iterable[Sequence[Any]]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted((rank, name) for rank, name in pairs))


# ------------------------------------------------------------------ judging


def admit(reply: Reply, contracts: Mapping[str, Contract[Any]] = CONTRACTS) -> Admission[Any]:
    """Judge one reply with the contract of its task."""
    return contracts[reply.task].admit(
        reply.raw, references=references_of(reply.workstreams), finish_reason=reply.finish_reason
    )


def verdict_of(admission: Admission[Any]) -> Verdict:
    """Return what can be compared of an admission."""
    return Verdict(
        admission.status.value,
        admission.truncated,
        _units((value.rank, value.workstream_id) for value in admission.values),
        frozenset(unit.reason.value for unit in admission.quarantined),
        admission.seen - len(admission.values),
    )


def agrees(judgement: Judgement, found: Verdict) -> bool:
    """Say whether a verdict is the one that the reader gave."""
    want = judgement.verdict
    if (found.status, found.truncated, found.admitted) != (want.status, want.truncated, want.admitted):
        return False
    return found.reasons <= want.reasons if judgement.among else found.reasons == want.reasons


@cache
def admissions(which: str = "task") -> Mapping[str, Admission[Any]]:
    """Judge the whole sample: by the ``task``'s contract, by the ``careful`` one, by ``one`` for all."""
    contracts = {"task": CONTRACTS, "careful": CAREFUL, "one": dict.fromkeys(CONTRACTS, portfolio)}[which]
    return {id: admit(reply, contracts) for id, reply in sample().items()}


# ------------------------------------------------------------------ the figures


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> str:
    """Render a table; the first ``left`` columns hold words, the others numbers."""
    rule = ["---" if place < left else "--:" for place in range(len(head))]
    lines = [list(head), rule, *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def run() -> str:
    """Say when and where."""
    return (
        f"Printed by `python -m bench.field` on {datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}. {len(sample())} replies, "
        f"{len({reply.raw for reply in sample().values()})} of them different texts."
    )


def short(model: str) -> str:
    """Return a model's name without its file type and quantisation."""
    return re.sub(r"[-.](?:q\d|Q\d).*$", "", model)


def _grouped(key: Callable[[Reply], str], head: str) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for id, reply in sample().items():
        groups[key(reply)].append(id)
    rows: list[tuple[str, list[int]]] = []
    for name in sorted(groups):
        ids = groups[name]
        status = Counter(admissions()[id].status.value for id in ids)
        admitted = sum(len(admissions()[id].values) for id in ids)
        wanted = sum(len(judgements()[id].verdict.admitted) for id in ids)
        cut = sum(admissions()[id].truncated for id in ids)
        counts = [len(ids), cut, status["clean"], status["partial"], status["lost"], admitted, wanted]
        rows.append((f"`{name}`", counts))
    rows.append(("all", [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]))
    return table(
        [head, "replies", "cut off", "clean", "partial", "lost", "units admitted", "units the reader would admit"],
        [(name, *counts) for name, counts in rows],
    )


def tasks() -> str:
    """Count by task."""
    return _grouped(lambda reply: reply.task, "task")


def models() -> str:
    """Count by model."""
    return _grouped(lambda reply: short(reply.model), "model")


def shapes() -> str:
    """Count what came, by the reader's own word for it."""
    counts = Counter(judgement.came for judgement in judgements().values())
    return table(["what came", "replies"], counts.most_common())


def faults() -> str:
    """Count what was wrong, by the reader's own words; a reply may have several."""
    counts = Counter(fault for judgement in judgements().values() for fault in judgement.faults)
    sound = sum(not judgement.faults for judgement in judgements().values())
    return table(["what was wrong", "replies"], [*counts.most_common(), ("nothing", sound)])


def refused() -> str:
    """Count quarantined units by reason, and replies by code."""
    units = Counter(unit.reason.value for admission in admissions().values() for unit in admission.quarantined)
    held = Counter(
        reason
        for admission in admissions().values()
        for reason in {unit.reason.value for unit in admission.quarantined}
    )
    codes = Counter(
        code for admission in admissions().values() for code in {finding.code for finding in admission.all_findings}
    )
    reasons = [(f"`{reason}`", count, held[reason]) for reason, count in units.most_common()]
    return (
        table(["reason", "units in quarantine", "replies with one"], [*reasons, ("all", units.total(), "")])
        + "\n\n"
        + table(["code", "replies that have it"], [(f"`{code}`", count) for code, count in codes.most_common()])
    )


def agreement() -> str:
    """Compare the reader's verdicts with those of the boundary."""
    rows = []
    for status in ("clean", "partial", "lost"):
        by_reader = [id for id, judgement in judgements().items() if judgement.verdict.status == status]
        got = Counter(admissions()[id].status.value for id in by_reader)
        rows.append((f"reader: `{status}`", *(got[s] for s in ("clean", "partial", "lost"))))
    same = sum(agrees(judgement, verdict_of(admissions()[id])) for id, judgement in judgements().items())
    kinds = Counter(judgement.kind for judgement in judgements().values() if judgement.kind)
    pairs = [
        (set(judgement.verdict.admitted), set(verdict_of(admissions()[id]).admitted))
        for id, judgement in judgements().items()
    ]
    both, more, less = (
        sum(len(reader & found) for reader, found in pairs),
        sum(len(found - reader) for reader, found in pairs),
        sum(len(reader - found) for reader, found in pairs),
    )
    return (
        table(["", "pratique: `clean`", "`partial`", "`lost`"], rows)
        + f"\n\nThe verdict is the reader's in {same} of {len(judgements())} replies. Of the others, "
        + f"{kinds['meaning']} differ by what the words mean and {kinds['rule']} by a rule of the boundary; in "
        + f"{kinds['telling']} more the verdict is the same and what is told about it is not.\n\n"
        + table(
            ["units", ""],
            [
                ("admitted by both", both),
                ("admitted by pratique, not by the reader", more),
                ("admitted by the reader, not by pratique", less),
            ],
        )
    )


def differences() -> str:
    """List every reply on which the reader and the boundary differ."""
    rows = []
    for id, judgement in judgements().items():
        if judgement.kind:
            found = verdict_of(admissions()[id])
            want = judgement.verdict
            rows.append(
                (
                    f"`{id}`",
                    judgement.kind,
                    f"{want.status}, {len(want.admitted)}",
                    f"{found.status}, {len(found.admitted)}",
                    judgement.differs,
                )
            )
    return table(["reply", "kind", "reader", "pratique", "why"], rows, left=5)


def contracts() -> str:
    """Compare three ways to write the contracts for the same replies."""
    rows = []
    for which, name in (
        ("task", "one for each way of telling (`examples/field`)"),
        ("careful", "the same, with two checks on what an item says"),
        ("one", "one for all tasks (`examples/portfolio.py`)"),
    ):
        found = {id: verdict_of(admission) for id, admission in admissions(which).items()}
        same = sum(agrees(judgement, found[id]) for id, judgement in judgements().items())
        pairs = [(set(judgement.verdict.admitted), set(found[id].admitted)) for id, judgement in judgements().items()]
        rows.append(
            (name, sum(len(verdict.admitted) for verdict in found.values()), sum(len(f - r) for r, f in pairs),
             sum(len(r - f) for r, f in pairs), same)
        )  # fmt: skip
    return table(
        ["contracts", "units admitted", "not by the reader", "missing of the reader's", "same verdict, replies"], rows
    )


def fidelity() -> str:
    """Hold every admitted unit against strict JSON at its own place, and count every character."""
    units = [(sample()[id], unit) for id, admission in admissions().items() for unit in admission.units]
    equal = sum(
        json.loads(reply.raw[unit.span.start : unit.span.end]) == unit.value.model_dump(exclude_unset=True)
        for reply, unit in units
    )
    chars = sum(len(reply.raw) for reply in sample().values())
    owners: Counter[str] = Counter()
    for admission in admissions().values():
        for claim in admission.account():
            owners[claim.owner] += claim.span.end - claim.span.start
    edits = sum(len(unit.edits) for _, unit in units)
    return (
        f"Of {len(units)} admitted units, {equal} equal what strict JSON reads at their own place in the raw text; "
        f"{edits} edits were made in them. The {chars:,} characters of the replies belong to: "
        + ", ".join(f"{owner} {count:,}" for owner, count in owners.most_common())
        + f" (together {owners.total():,})."
    )


def notable() -> str:
    """Count what the text of the report speaks of."""
    loops = [id for id, judgement in judgements().items() if {"loop", "cut off"} <= set(judgement.faults)]
    cut = [id for id, admission in admissions().items() if admission.truncated]
    bare = [id for id in cut if not admissions()[id].seen]
    short_clean = [
        id
        for id, admission in admissions().items()
        if admission.status.value == "clean" and len(admission.values) < ASKED
    ]
    inside = [id for id in wrapper_replies() if re.search(r'"confidence": [\d.]+,\s*"summary"', sample()[id].raw)]
    items = [id for id in wrapper_replies() if '"workstream_id"' in sample()[id].raw]
    no_rank = [id for id in items if '"rank"' not in sample()[id].raw]
    off = [id for id, judgement in judgements().items() if "off the scale" in judgement.faults]
    no_list = [
        id
        for id, admission in admissions().items()
        if '"recommendations"' not in sample()[id].raw
        and any("$.recommendations" in finding.path for finding in admission.all_findings)
    ]
    rows = [
        ("cut off by the token limit", len(cut)),
        ("… of these, going round in a loop", len(loops)),
        ("… of these, with no unit at all in them", len(bare)),
        (f"`clean`, with fewer than the {ASKED} units asked for", len(short_clean)),
        ("confidence or rank off the scale that was asked for", len(off)),
        ("replies to the wrapper task", len(wrapper_replies())),
        ("… of these, with `summary` inside the items", len(inside)),
        ("… of these, with items and no `rank` in any", len(no_rank)),
        ("findings with a path under `$.recommendations`, a key that the reply does not hold", len(no_list)),
    ]
    return table(["what", "replies"], rows)


def earlier() -> str:
    """Hold the judgements against those that ``tests/replies`` has of the same texts."""
    by_text: dict[str, str] = {}
    for id, reply in sample().items():
        by_text.setdefault(reply.raw, id)
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SAMPLE.parent.glob("*.json"))]
    known = [(by_text[case["raw"]], case["verdict"]) for case in cases if case.get("raw") in by_text]
    parted = [
        id
        for id, verdict in known
        if (verdict["status"], _units(verdict["admitted"]))
        != (judgements()[id].verdict.status, judgements()[id].verdict.admitted)
    ]
    return (
        f"{len(known)} of these texts had been judged before, for [tests/replies](../tests/replies), with one contract "
        f"for all tasks. The two judgements part on {len(parted)}: "
        + ", ".join(f"`{id}` ({judgements()[id].kind})" for id in sorted(parted))
        + "."
    )


def wrapper_replies() -> list[str]:
    """Return the ids of the replies to the wrapper task."""
    return [id for id, reply in sample().items() if reply.task == "wrapper"]


def example(id: str) -> str:
    """Show one reply: what was asked, the raw text, what the boundary said, what the reader said."""
    reply, judgement, admission = sample()[id], judgements()[id], admissions()[id]
    found = verdict_of(admission)
    cut = ", cut off" if found.truncated else ""
    came = (
        f"`{id}` · {short(reply.model)} · task `{reply.task}` · finish reason {show(reply.finish_reason)} · "
        f"{len(reply.raw):,} characters"
    )
    said = [f"{found.status}{cut}: admitted {_named(found.admitted)}; quarantined {found.quarantined}"]
    said += _findings(admission)
    return "\n".join(
        [
            came,
            "",
            "~~~~text",
            *_excerpt(reply, admission),
            "~~~~",
            "",
            "pratique:",
            "",
            "~~~~text",
            *said,
            "~~~~",
            "",
            f"Reader: {judgement.verdict.status}, {_named(judgement.verdict.admitted)}. {judgement.why}",
            *(["", f"Differs ({judgement.kind}): {judgement.differs}"] if judgement.kind else []),
        ]
    )


def _named(units: Iterable[tuple[int, str]]) -> str:
    return ", ".join(f"{rank} {escape(name)}" for rank, name in units) or "none"


def _findings(admission: Admission[Any]) -> Iterator[str]:
    """Yield the findings as they print, those that differ in place only once, with how often."""
    seen: Counter[str] = Counter()
    first: dict[str, str] = {}
    for finding in admission.all_findings:
        kind = re.sub(r"\d+", "#", f"{finding.code} {finding.path}")
        seen[kind] += 1
        first.setdefault(kind, escape(str(finding)))
    for kind, text in first.items():
        yield text + (f"  (and {seen[kind] - 1} more like it)" if seen[kind] > 1 else "")


def _excerpt(reply: Reply, admission: Admission[Any]) -> Iterator[str]:
    """Yield the beginning, the first refused place and the end of a reply, escaped."""
    raw = reply.raw
    spans = [finding.span for unit in admission.quarantined for finding in unit.findings if finding.span]
    place = min((span.start for span in spans), default=0)
    windows = [(0, HEAD_CHARS), (place - PLACE_CHARS // 3, place + PLACE_CHARS), (len(raw) - TAIL_CHARS, len(raw))]
    shown = 0
    parts: list[str] = []
    for start, end in sorted((max(start, 0), min(end, len(raw))) for start, end in windows):
        if start > shown + TAIL_CHARS // 3:
            parts.append(f"\n… ({start - shown:,} characters left out) …\n")
        else:
            start = shown
        parts.append(raw[start : max(start, end)])
        shown = max(shown, end)
    yield from (escape(line) for line in "".join(parts).split("\n"))


def every() -> str:
    """List all replies, one line each."""
    rows = []
    for id, judgement in judgements().items():
        found = verdict_of(admissions()[id])
        mark = f"**{judgement.kind}**" if judgement.kind else "same"
        why = escape(judgement.why).replace("|", "\\|")
        counts = f"{found.status}, {len(found.admitted)} of {len(found.admitted) + found.quarantined}"
        reply = sample()[id]
        rows.append((f"`{id}`", reply.task, short(reply.model), judgement.verdict.status, counts, mark, why))
    return table(["reply", "task", "model", "reader", "pratique", "", "the reader's words"], rows, left=7)


FIGURES: Mapping[str, Callable[[], str]] = {
    "run": run, "tasks": tasks, "models": models, "shapes": shapes, "faults": faults, "refused": refused,
    "agreement": agreement, "differences": differences, "contracts": contracts, "fidelity": fidelity,
    "notable": notable, "earlier": earlier, "every": every,
}  # fmt: skip


# ------------------------------------------------------------------ the page


def written(page: str) -> str:
    """Return the page with every figure made anew.

    Errors: Misuse when the page has a marker that nothing here fills.
    """

    def filled(found: re.Match[str]) -> str:
        what, id = found["what"], found["id"]
        if what == "example" and id in sample():
            figure = example(id)
        elif what in FIGURES and id is None:
            figure = FIGURES[what]()
        else:
            raise Misuse(f"no figure is called {what!r}", remedy="use example rNNN, or " + ", ".join(sorted(FIGURES)))
        return f"{found['mark']}{figure}\n"

    return _MARKED.sub(filled, page)


def undated(page: str) -> str:
    """Return the page without the line that says when and where it was printed."""
    return _RUN_LINE.sub("", page)


def main(argv: list[str] | None = None) -> int:
    """Draw, write, or only check."""
    parser = argparse.ArgumentParser(prog="python -m bench.field", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the report is stale")
    parser.add_argument("--draw", type=Path, metavar="FILE", help="draw the sample from a file of raw replies")
    parser.add_argument("--size", type=int, default=SIZE, help=f"replies to draw (default {SIZE})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the draw (default {SEED})")
    asked = parser.parse_args(argv)
    if asked.draw:
        try:
            drawn = write_sample(asked.draw, size=asked.size, seed=asked.seed)
        except (OSError, KeyError, ValueError, Misuse) as error:
            parser.error(f"nothing was drawn from {show(str(asked.draw))}: {type(error).__name__} {show(str(error))}")
        print(f"drew {drawn} replies into {SAMPLE.name}")
        return 0
    page = PAGE.read_text(encoding="utf-8")
    fresh = written(page)
    stale = undated(fresh) != undated(page)
    print(f"docs/{PAGE.name}: {'stale' if stale else 'current'}")
    if not asked.check:
        PAGE.write_text(fresh, encoding="utf-8")
        print(*(f"{FIGURES[what]()}\n" for what in ("run", "agreement", "contracts", "fidelity")), sep="\n")
    return 1 if asked.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
