"""The plot of ``docs/dialects-bench.md``: what became of the contracts, one bar a compiler, by endpoint."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.dialects.judge import Outcome
from bench.dialects.page import Page
from bench.dialects.trial import OURS

__all__ = ["COLOURS", "draw"]

COLOURS = {
    Outcome.WHOLE: "#15803d",
    Outcome.KEYS: "#d9f99d",
    Outcome.LEAKS: "#eab308",
    Outcome.REFUSES: "#ea580c",
    Outcome.LOOSE: "#94a3b8",
    Outcome.DECLINED: "#b91c1c",
    Outcome.NONE: "#334155",
}
ROW_INCHES = 0.32


def draw(page: Page, path: Path) -> None:
    """Draw the figure; needs matplotlib."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    tallies = page.ran
    figure, axes = pyplot.subplots(figsize=(11, ROW_INCHES * len(tallies) + 1.8))
    rows = range(len(tallies))
    left = [0.0] * len(tallies)
    for outcome, colour in COLOURS.items():
        shares = [100 * tally.total.outcomes[outcome] / max(1, tally.total.specs) for tally in tallies]
        axes.barh(rows, shares, left=left, color=colour, label=outcome.value, height=0.75)
        left = [before + share for before, share in zip(left, shares, strict=True)]
    axes.set_yticks(rows, [f"{tally.name}  [{tally.target or 'Gemini, OpenAPI'}]" for tally in tallies], fontsize=9)
    for label, tally in zip(axes.get_yticklabels(), tallies, strict=True):
        label.set_fontweight("bold" if tally.package == OURS else "normal")
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("contracts, percent; each counts as the worst that became of it")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4, frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
