"""What became of the constraints of a contract for one target, for a person: counts, then what is left to check."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pratique import Compiled, Constraint, Fate
from pratique.cli.quarantined.shown import counted, fit
from pratique.cli.terminal import Terminal
from pratique.contract import Contract
from pratique.show import escape, width

__all__ = ["MAX_ROWS", "contract_line", "counts", "residue"]

MAX_ROWS = 200
"""Constraints shown for one reason: a few screens; ``--json`` has them all."""

MAX_POINTER_CELLS = 60
"""Width of the column of pointers; a longer one pushes its value to the right."""

MIN_VALUE_CELLS = 20
"""Room that a value has however long its pointer is."""

MAX_NAME_CELLS = 80
"""Cells of the name of a contract in a heading."""

_MEANS = {
    Fate.HINTED: "told in words; the boundary checks it",
    Fate.DROPPED: "not told; the boundary checks it",
    Fate.IMPOSSIBLE: "the target has no way to take it",
}
_STYLES = {Fate.HINTED: "note", Fate.DROPPED: "refuse", Fate.IMPOSSIBLE: "refuse"}


def residue(compiled: Compiled, contract: Contract[Any], terminal: Terminal) -> Iterator[str]:
    """Yield the lines of the report.

    Shape: a line that counts; each constraint that is not enforced, by fate, then by why, with its part and pointer
        and its value; the warnings.
    Limits: MAX_ROWS constraints for one reason; the rest is counted.
    """
    head = f"{contract_line(contract)} for {compiled.target}, by {compiled.form}"
    yield f"{terminal.paint(head, 'strong')}: {counts(compiled.constraints)}"
    left = compiled.residue
    pointers = [_pointer(constraint, terminal) for constraint in left]
    column = min(MAX_POINTER_CELLS, max(map(width, pointers), default=0))
    for fate, means in _MEANS.items():
        of_fate = [constraint for constraint in left if constraint.fate is fate]
        if of_fate:
            yield ""
            title = terminal.paint(f"{fate}, {len(of_fate):,}", _STYLES[fate])
            yield f"{title}: {means}"
            yield from _by_reason(of_fate, column, terminal)
    if compiled.warnings:
        yield ""
        yield f"{terminal.paint(counted(len(compiled.warnings), 'warning'), 'note')}:"
        for warning in compiled.warnings:
            yield f"  {escape(warning)}"


def counts(constraints: Sequence[Constraint]) -> str:
    """Return how many constraints there are, and how many of each fate."""
    many = Counter(constraint.fate for constraint in constraints)
    told = ", ".join(f"{many[fate]:,} {fate}" for fate in Fate if many[fate])
    return f"{counted(len(constraints), 'constraint')}{': ' if told else ''}{told}"


def contract_line(contract: Contract[Any]) -> str:
    """Return the name and version of a contract."""
    return fit(f"{contract.name}@{contract.version}", MAX_NAME_CELLS)


def _by_reason(constraints: Iterable[Constraint], column: int, terminal: Terminal) -> Iterator[str]:
    """Yield the constraints of one fate; reasons stand in the order in which they first come."""
    reasons: dict[str, list[Constraint]] = {}
    for constraint in constraints:
        reasons.setdefault(constraint.why, []).append(constraint)
    for why, alike in reasons.items():
        yield f"  {fit(why or 'no reason is known', terminal.max_cells - 3)}:"
        for constraint in alike[:MAX_ROWS]:
            pointer = _pointer(constraint, terminal)
            used = max(column, width(pointer))
            room = max(MIN_VALUE_CELLS, terminal.max_cells - used - 6)
            value = fit(json.dumps(constraint.value, ensure_ascii=False), room)
            yield f"    {pointer}{' ' * (used - width(pointer))}  {value}"
        if len(alike) > MAX_ROWS:
            yield f"    {len(alike) - MAX_ROWS:,} more; --json has them"


def _pointer(constraint: Constraint, terminal: Terminal) -> str:
    return fit(f"{constraint.part}#{constraint.pointer}", 2 * terminal.max_cells)
