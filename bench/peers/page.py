"""The figures as Markdown: the tables of ``docs/survival.md``, written between its markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.peers.trial import GROUPS, LARGE_UNITS, Tally, group_of
from damage.oracle import Score
from pratique import Misuse

__all__ = ["BEGIN", "END", "OURS", "Page", "best_of_each_package", "short_table", "tables", "write_page"]

OURS = "pratique"
BEGIN = "<!-- survival: written by python -m bench.survival; do not edit below -->"
END = "<!-- survival: end -->"

Column = tuple[str, Callable[[Tally], str]]


@dataclass(frozen=True)
class Page:
    """Everything that one run has to tell."""

    tallies: Sequence[Tally]
    documents: int
    per_kind: int
    seed: int
    machine: str
    date: str
    hang_s: float
    memory_mib: int

    @property
    def ran(self) -> list[Tally]:
        """Those that ran: ourselves first, then by recall."""
        ran = [tally for tally in self.tallies if tally.ran]
        return sorted(ran, key=lambda tally: (tally.name != OURS, -tally.total().recall, tally.name))


def best_of_each_package(page: Page) -> list[Tally]:
    """Return the configuration of each package with the highest recall, the fewer units made up at a tie."""
    best: dict[str, Tally] = {}
    for tally in page.ran:
        key = tally.package or tally.name
        held = best.get(key)
        if held is None or _rank(tally) > _rank(held):
            best[key] = tally
    return [tally for tally in page.ran if tally in best.values()]


def _rank(tally: Tally) -> tuple[float, int]:
    score = tally.total()
    return score.recall, -score.fabricated


def short_table(page: Page) -> str:
    """Return the best configuration of each package, one row each."""
    columns: list[Column] = [
        ("recall", lambda tally: f"{tally.total().recall:.2f} %"),
        ("back", lambda tally: f"{_percent(tally.total().recovered, tally.total().recoverable)} %"),
        ("made up", lambda tally: f"{tally.total().fabricated}"),
        ("per 1,000 accepted", lambda tally: f"{10 * tally.fabrication:.1f}"),
        ("silent losses", _silent),
        ("traps hung or died", _traps_lost),
        ("MB/s, sound", lambda tally: _speed(tally, "sound")),
        ("MB/s, damaged (median)", lambda tally: f"{tally.typical_mb_s:.2f}"),
    ]
    return _table("reader", best_of_each_package(page), columns)


def write_page(page: Page, path: Path) -> None:
    """Put the tables between the page's markers; what stands outside them is written by hand and stays."""
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise Misuse(f"{path.name} has not one pair of markers", remedy=f"add the lines {BEGIN} and {END}")
    head, tail = text[: text.index(BEGIN)], text[text.index(END) :]
    path.write_text(f"{head}{BEGIN}\n\n{tables(page)}\n{tail}", encoding="utf-8")


def tables(page: Page) -> str:
    """Return every table with its heading."""
    absent = [tally for tally in page.tallies if not tally.ran]
    parts = [
        _conditions(page),
        "### The best configuration of each package\n\n" + short_table(page),
        "### Every configuration\n\n" + _long_table(page),
        "### Where the units came from that nobody wrote\n\nUnits made up, by class of damage; *literal* is apart "
        "and in none of the others.\n\n" + _made_up_table(page),
        "### Recall by class of damage, percent\n\n" + _group_table(page),
        "### Speed and the large reports\n\n"
        f"{LARGE_UNITS:,} units each. MB/s by processor time, and how many units were accepted; a dash where undamaged "
        "units are missing: to stop early is no speed.\n\n" + _large_table(page),
        "### Hostile deliveries\n\n" + _hostile_table(page),
        "### Every kind of damage\n\nRecall in percent, then units made up behind a slash when there are any; a dash "
        "where no unit stands undamaged. The best configuration of each package.\n\n" + _kind_table(page),
        "### How each was called\n\n"
        + _table("reader", page.ran, [("version", lambda t: t.version or "—"), ("call", lambda t: f"`{t.call}`")]),
    ]
    if absent:
        reasons = "\n".join(f"- {tally.name}: {tally.reason}" for tally in absent)
        parts.append(f"### Not run\n\n{reasons}")
    return "\n\n".join(parts) + "\n"


def _conditions(page: Page) -> str:
    return (
        f"{page.date}; {page.machine}. {page.documents:,} documents, {page.per_kind} of each kind of damage, seed "
        f"{page.seed}. At most {page.hang_s:g} s a document and {page.memory_mib:,} MiB of address space a peer."
    )


def _long_table(page: Page) -> str:
    columns: list[Column] = [
        ("recall %", lambda tally: f"{tally.total().recall:.2f}"),
        ("back %", lambda tally: _percent(tally.total().recovered, tally.total().recoverable)),
        ("guessed right", lambda tally: f"{tally.guessed_right}"),
        ("accepted", lambda tally: f"{tally.accepted:,}"),
        ("made up", lambda tally: f"{tally.total().fabricated}"),
        ("made up %", lambda tally: f"{tally.fabrication:.2f}"),
        ("literal", lambda tally: f"{tally.total().undecidable}"),
        ("silent", lambda tally: f"{tally.total().silent}"),
        ("silent, log unread", lambda tally: f"{tally.total().silent + tally.silent_but_for_the_log}"),
        ("false alarm", lambda tally: f"{tally.false_alarms}"),
        ("raised", lambda tally: f"{tally.total().raised}"),
        ("hung", lambda tally: f"{tally.hung}"),
        ("died", lambda tally: f"{tally.died}"),
        ("MB/s", lambda tally: f"{tally.typical_mb_s:.2f}"),
    ]
    return _table("reader", page.ran, columns)


def _made_up_table(page: Page) -> str:
    columns: list[Column] = [(words, _made_up_in(group)) for group, words in GROUPS.items()]
    columns.append(("literal", lambda tally: f"{tally.total().undecidable}"))
    return _table("reader", page.ran, columns)


def _made_up_in(group: str) -> Callable[[Tally], str]:
    return lambda tally: f"{tally.total(group).fabricated}"


def _group_table(page: Page) -> str:
    columns: list[Column] = [(words, _recall_in(group)) for group, words in GROUPS.items()]
    return _table("reader", page.ran, columns)


def _recall_in(group: str) -> Callable[[Tally], str]:
    return lambda tally: f"{tally.total(group).recall:.1f}"


def _large_table(page: Page) -> str:
    columns: list[Column] = []
    for name in next((list(tally.large) for tally in page.ran if tally.large), []):
        columns.append((f"{name}, MB/s", lambda tally, name=name: _speed(tally, name)))  # type: ignore[misc]  # bound
        columns.append(("units", lambda tally, name=name: f"{tally.large[name][1]:,}"))  # type: ignore[misc]  # bound
    columns.append(("damage suite, MB/s of the median document", lambda tally: f"{tally.typical_mb_s:.2f}"))
    columns.append(("of all its bytes", lambda tally: f"{tally.overall_mb_s:.2f}"))
    return _table("reader", page.ran, columns)


def _hostile_table(page: Page) -> str:
    columns: list[Column] = [
        (fate, lambda tally, fate=fate: f"{_fates(tally, fate)}")  # type: ignore[misc]  # a default binds
        for fate in ("answered", "raised", "hung", "died")
    ]
    columns.append(("units kept", lambda tally: f"{tally.hostile_kept}"))
    return _table("reader", page.ran, columns)


def _kind_table(page: Page) -> str:
    readers = best_of_each_package(page)
    rows = ["| kind | class | " + " | ".join(tally.name for tally in readers) + " |"]
    rows.append("|---|---|" + "---|" * len(readers))
    for kind in readers[0].kinds if readers else ():
        cells = [_kind_cell(tally.kinds[kind]) for tally in readers]
        rows.append(f"| {kind} | {group_of(kind)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _kind_cell(score: Score) -> str:
    recall = f"{score.recall:.0f}" if score.untouched else "–"
    return f"{recall}/**{score.fabricated}**" if score.fabricated else recall


def _table(first: str, tallies: Sequence[Tally], columns: Sequence[Column]) -> str:
    rows = [f"| {first} | " + " | ".join(head for head, _ in columns) + " |"]
    rows.append("|---|" + "---|" * len(columns))
    for tally in tallies:
        name = f"**{tally.name}**" if tally.name == OURS else tally.name
        rows.append(f"| {name} | " + " | ".join(cell(tally) for _, cell in columns) + " |")
    return "\n".join(rows)


def _speed(tally: Tally, name: str) -> str:
    """Tell the speed where all came back that stands undamaged: to stop early is no speed."""
    speed, units, whole = tally.large.get(name, (0.0, 0, 0))
    return f"{speed:.2f}" if speed and units >= whole else "–"


def _silent(tally: Tally) -> str:
    """Tell the silent losses, and behind them those of somebody who does not ask for the log."""
    silent = tally.total().silent
    return f"{silent} ({silent + tally.silent_but_for_the_log})" if tally.silent_but_for_the_log else f"{silent}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


def _fates(tally: Tally, *fates: str) -> int:
    return sum(fate in fates for fate in tally.hostile.values())


def _traps_lost(tally: Tally) -> str:
    return f"{_fates(tally, 'hung', 'died')} of {len(tally.hostile)}"
