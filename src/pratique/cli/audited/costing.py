"""``pratique audit cost``: what a log says was paid, added up exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pratique.audit.chain import Broken
from pratique.audit.reading import read_log
from pratique.budget.money import picos_of, written_dollars
from pratique.cli.app import complain
from pratique.cli.audited.printed import told_of
from pratique.cli.audited.verifying import BROKEN
from pratique.cli.table import table
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["KEYS", "run_cost"]

KEYS = ("budget", "seller", "item", "day", "event")
"""What costs can be added up by."""


@dataclass
class _Sum:
    """What one group costs. Units: pico-dollars."""

    runs: set[str] = field(default_factory=set)
    quantities: dict[str, int] = field(default_factory=dict)
    picos: int = 0
    assumed: dict[str, int] = field(default_factory=dict)
    """Of what nobody has told the bill yet, by what was bought."""

    def add(self, cost: dict[str, Any]) -> None:
        """Add one change up."""
        id, picos = str(cost["id"]), _picos(str(cost["dollars"]))
        self.runs.add(id)
        self.quantities[cost["unit"]] = self.quantities.get(cost["unit"], 0) + cost["quantity"]
        self.picos += picos
        if cost["basis"] == "assumed":
            self.assumed[id] = picos
        else:
            self.assumed.pop(id, None)


def run_cost(log: str, *, by: Sequence[str], as_json: bool) -> int:
    """Print what was paid, in groups; return the exit code.

    Errors: Misuse for a file that is not there.
    """
    groups: dict[tuple[str, ...], _Sum] = {}
    whole = _Sum()
    broken: list[Broken] = []
    strange = 0
    for cost in _costs(log, broken):
        if not _is_cost(cost):
            strange += 1
            continue
        key = tuple(_key(cost, name) for name in by)
        groups.setdefault(key, _Sum()).add(cost)
        whole.add(cost)
    rows = sorted(groups.items(), key=lambda item: (-item[1].picos, item[0]))
    if as_json:
        told = [{**dict(zip(by, key, strict=True)), **_told(each)} for key, each in rows]
        print(
            json.dumps({"total": _told(whole), "groups": told, "not_counted": strange, "sound": not broken}, indent=2)
        )
    else:
        print("\n".join(_page(by, rows, whole)))
        if strange:
            print(f"{strange:,} events named cost.* are not told as costs are, and were not counted")
    if not broken:
        return 0
    complain(f"{show(log)}: {broken[0]}", "what stands above it was added up; behind that line nothing was")
    return BROKEN


def _costs(log: str, broken: list[Broken]) -> Iterator[dict[str, Any]]:
    try:
        for record in read_log(log):
            if b'"cost.' in record.payload:
                event = told_of(record)
                if str(event.get("event", "")).startswith("cost."):
                    yield event
    except Broken as fault:
        broken.append(fault)


def _is_cost(event: dict[str, Any]) -> bool:
    """Say whether an event tells what all costs tell."""
    texts = (event.get(name) for name in ("id", "unit", "dollars", "basis"))
    quantity = event.get("quantity")
    if not all(isinstance(text, str) for text in texts) or not isinstance(quantity, int) or isinstance(quantity, bool):
        return False
    try:
        _picos(event["dollars"])
    except Misuse:
        return False
    return True


def _key(cost: dict[str, Any], name: str) -> str:
    return str(cost.get("at", ""))[:10] if name == "day" else str(cost.get(name, ""))


def _page(by: Sequence[str], rows: list[tuple[tuple[str, ...], _Sum]], whole: _Sum) -> Iterator[str]:
    if not rows:
        yield "the log tells of no cost"
        return
    head = (*by, "calls", "quantity", "dollars", "of which assumed")
    lines = [(*key, *_cells(each)) for key, each in rows]
    if by:
        lines.append(("all", *[""] * (len(by) - 1), *_cells(whole)))
    yield from table(head, lines, right=("calls", "quantity", "dollars", "of which assumed"))


def _cells(each: _Sum) -> tuple[str, str, str, str]:
    quantity = ", ".join(f"{count:,} {unit}s" for unit, count in sorted(each.quantities.items()))
    return f"{len(each.runs):,}", quantity, f"${written_dollars(each.picos)}", f"${written_dollars(_assumed(each))}"


def _told(each: _Sum) -> dict[str, object]:
    return {
        "calls": len(each.runs), "quantities": dict(sorted(each.quantities.items())),
        "dollars": written_dollars(each.picos), "assumed_dollars": written_dollars(_assumed(each)),
    }  # fmt: skip


def _assumed(each: _Sum) -> int:
    return sum(each.assumed.values())


def _picos(dollars: str) -> int:
    return -picos_of(dollars[1:]) if dollars.startswith("-") else picos_of(dollars)
