"""All holds added up anew, beside what the budgets' rows say: I2, for whoever doubts a ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pratique.show import show

__all__ = ["SUMS", "wrong_sums"]

_AXES = ("tokens", "picos")
_OPEN = "h.state IN ('held', 'dispatched')"

SUMS = f"""
WITH held AS (
    SELECT h.budget,
        {", ".join(f"sum(CASE WHEN {_OPEN} THEN h.ceiling_{axis} ELSE 0 END) AS reserved_{axis}" for axis in _AXES)},
        {", ".join(f"sum(h.charged_{axis}) AS spent_{axis}" for axis in _AXES)}
    FROM holds h GROUP BY h.budget
), granted AS (
    SELECT w.portfolio, {", ".join(f"sum(w.granted_{axis}) AS lent_{axis}" for axis in _AXES)}
    FROM budgets w WHERE w.portfolio IS NOT NULL GROUP BY w.portfolio
)
SELECT b.id, {", ".join(f"b.{name}_{axis}" for name in ("reserved", "spent", "lent") for axis in _AXES)},
    {", ".join(f"coalesce(held.{name}_{axis}, 0)" for name in ("reserved", "spent") for axis in _AXES)},
    {", ".join(f"coalesce(granted.lent_{axis}, 0)" for axis in _AXES)}
FROM budgets b LEFT JOIN held ON held.budget = b.id LEFT JOIN granted ON granted.portfolio = b.id
ORDER BY b.id
"""
"""One statement, so that it sees one moment; linear in all holds there ever were."""

_NAMES = tuple(f"{name} {axis}" for name in ("reserved", "spent", "lent") for axis in _AXES)


def wrong_sums(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Say of each row of ``SUMS`` what does not add up."""
    wrong = []
    for id, *sums in rows:
        for name, says, adds_up in zip(_NAMES, sums[:6], sums[6:], strict=True):
            if says != adds_up:
                unit = "pico-dollars" if name.endswith("picos") else "tokens"
                wrong.append(f"{show(id)} says {says:,} {unit} {name.split()[0]}, and its rows add up to {adds_up:,}")
    return wrong
