"""The figures as Markdown: the tables of ``docs/dialects-bench.md``, written between its markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.dialects.fixtures import FIXTURES
from bench.dialects.judge import Outcome, Score
from bench.dialects.trial import NAMED_TIMES, OURS, Tally
from pratique import Misuse

__all__ = ["BEGIN", "END", "Page", "main_table", "tables", "write_page"]

BEGIN = "<!-- dialects: written by python -m bench.dialects; do not edit below -->"
END = "<!-- dialects: end -->"
MOST = 6
"""Entries told of a count of many kinds."""

Column = tuple[str, Callable[[Tally], str]]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that one run has to tell."""

    tallies: Sequence[Tally]
    specs: int
    instances: int
    samples: int
    seed: int
    machine: str
    date: str
    oracle: str
    pydantic: str

    @property
    def ran(self) -> list[Tally]:
        """Those that ran: by endpoint, ourselves first, then by contracts that came through."""
        ran = [tally for tally in self.tallies if tally.ran]
        return sorted(
            ran, key=lambda tally: (tally.target or "~", tally.package != OURS, -tally.total.whole, tally.name)
        )


def write_page(page: Page, path: Path) -> None:
    """Put the tables between the page's markers; what stands outside them is written by hand and stays."""
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise Misuse(f"{path.name} has not one pair of markers", remedy=f"add the lines {BEGIN} and {END}")
    head, tail = text[: text.index(BEGIN)], text[text.index(END) :]
    path.write_text(f"{head}{BEGIN}\n\n{tables(page)}\n{tail}", encoding="utf-8")


def main_table(page: Page) -> str:
    """Return one row a contestant."""
    return _table(
        page.ran,
        [
            ("endpoint", lambda tally: tally.target or "Gemini, OpenAPI form"),
            ("whole", lambda tally: _share(tally.total.whole, tally.total.specs)),
            ("but for keys", lambda tally: f"{tally.total.outcomes[Outcome.KEYS]}"),
            ("compiled", lambda tally: _share(tally.total.compiled, tally.total.specs)),
            ("strict", lambda tally: f"{tally.total.strict}"),
            ("400", lambda tally: f"{tally.total.refused_by_table}" if tally.target else "–"),
            ("refuses", lambda tally: _told(tally.total.over, tally.total.over_told)),
            ("of instances", lambda tally: f"{tally.total.pairs:,}"),
            ("leaks", lambda tally: _told(tally.total.leaks, tally.total.leaks_told)),
            ("keys only", lambda tally: f"{tally.total.leaks_of_keys}"),
            ("plain", lambda tally: f"{tally.total.plain_refused}"),
            ("of samples", lambda tally: f"{tally.total.samples:,}"),
        ],
    )


def tables(page: Page) -> str:
    """Return every table with its heading."""
    parts = [
        _conditions(page),
        "### Everybody\n\n" + main_table(page),
        "### Contracts by name\n\n" + _fixture_table(page),
        "### What the endpoint's table refuses\n\nContracts in whose schema it stands.\n\n"
        + _table(
            page.ran,
            [
                ("keywords and forms", lambda tally: _most(tally.total.forbidden)),
                ("annotations, held against nobody", lambda tally: _most(tally.total.notes)),
            ],
        ),
        "### What leaks\n\nSamples that break the keyword, told or not.\n\n"
        + _counted(page, lambda score: score.leaking),
        "### Why there was no request\n\n" + _refusals(page),
        "### How each was called\n\n"
        + _table(
            page.ran,
            [
                ("version", lambda tally: tally.version or "—"),
                ("call", lambda tally: f"`{tally.call}`"),
                ("unread", lambda tally: f"{tally.total.unread}"),
                ("eased", lambda tally: f"{tally.total.eased}"),
                ("no end", lambda tally: f"{tally.total.endless}"),
            ],
        ),
    ]
    absent = [tally for tally in page.tallies if not tally.ran]
    if absent:
        parts.append("### Not run\n\n" + "\n".join(f"- {tally.name}: {tally.reason}" for tally in absent))
    return "\n\n".join(parts) + "\n"


def _conditions(page: Page) -> str:
    return (
        f"{page.date}; {page.machine}. {len(FIXTURES)} contracts by name and {page.specs} at random, seed {page.seed}; "
        f"{page.instances} instances of each random contract and {NAMED_TIMES * page.instances} of each by name, "
        f"{page.samples} samples of each schema. Oracle: {page.oracle}; "
        f"Pydantic {page.pydantic}."
    )


def _fixture_table(page: Page) -> str:
    names = list(FIXTURES)
    rows = ["| compiler | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for tally in page.ran:
        rows.append(f"| {_name(tally)} | " + " | ".join(tally.by_fixture.get(name, "") for name in names) + " |")
    return "\n".join(rows)


def _counted(page: Page, count: Callable[[Score], Counter[str]]) -> str:
    return _table(page.ran, [("what, how often", lambda tally: _most(count(tally.total)))])


def _most(count: Counter[str]) -> str:
    told = [f"{name} {many}" for name, many in count.most_common(MOST)]
    left = len(count) - len(told)
    return ", ".join(told) + (f", {left} more kinds" if left > 0 else "") or "nothing"


def _refusals(page: Page) -> str:
    lines = []
    for tally in page.ran:
        for reason, many in tally.total.refusals.most_common(3):
            lines.append(f"| {_name(tally)} | {many} | `{reason.replace('|', chr(92) + '|').replace('`', chr(39))}` |")
    return "\n".join(["| compiler | contracts | the first words of the reason |", "|---|---|---|", *lines])


def _table(tallies: Sequence[Tally], columns: Sequence[Column]) -> str:
    rows = ["| compiler | " + " | ".join(head for head, _ in columns) + " |", "|---|" + "---|" * len(columns)]
    for tally in tallies:
        rows.append(f"| {_name(tally)} | " + " | ".join(cell(tally) for _, cell in columns) + " |")
    return "\n".join(rows)


def _name(tally: Tally) -> str:
    return f"**{tally.name}**" if tally.package == OURS else tally.name


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "–"


def _told(all_of: int, told: int) -> str:
    """Tell a count, and behind it how many of it were told."""
    return f"{all_of - told} + {told} told" if told else f"{all_of}"
