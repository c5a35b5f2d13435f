"""The plot of ``docs/survival.md``: recall against units made up, one point a peer, and speed beside it.

The names stand in one column, in the order of recall, each joined to its point by a line, so that none lies
on another however close the points are; the bars of the second panel stand in the same rows.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.page import OURS, Page

__all__ = ["draw", "rows"]

ROW_INCHES = 0.27
"""Height of one name at 9 points, with its leading."""
AXES_SHARE = 0.77
"""What matplotlib's default margins leave of a figure's height for its axes."""
OURS_COLOUR, OTHERS_COLOUR, LINE_COLOUR = "#c2410c", "#334155", "#cbd5e1"


def rows(recalls: list[float], *, least: float, lowest: float) -> list[float]:
    """Spread the names: each as near to its point as it can be, none nearer to another than ``least``.

    Shape: recalls in falling order -> heights in falling order, at least ``least`` apart, none below ``lowest``.
    """
    heights: list[float] = []
    for recall in recalls:
        heights.append(min(recall, heights[-1] - least) if heights else recall)
    bound = lowest
    for at in reversed(range(len(heights))):
        heights[at] = max(heights[at], bound)
        bound = heights[at] + least
    return heights


def draw(page: Page, path: Path) -> None:
    """Draw the figure; needs matplotlib."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    peers = sorted(page.ran, key=lambda tally: (-tally.total().recall, tally.name != OURS, tally.fabrication))
    recalls = [tally.total().recall for tally in peers]
    top, bottom = 103.0, -3.0
    inches = max(7.0, ROW_INCHES * (len(peers) + 2) / AXES_SHARE)
    least = (top - bottom) * ROW_INCHES / (inches * AXES_SHARE)
    heights = rows(recalls, least=least, lowest=0.0)
    figure, (plane, bars) = pyplot.subplots(
        1, 2, figsize=(13, inches), gridspec_kw={"width_ratios": [2.1, 1], "wspace": 0.62}
    )
    widest = max((tally.fabrication for tally in peers), default=1.0) * 1.06 + 0.2
    for tally, recall, height in zip(peers, recalls, heights, strict=True):
        ours = tally.name == OURS
        colour = OURS_COLOUR if ours else OTHERS_COLOUR
        plane.plot([tally.fabrication, widest], [recall, height], color=LINE_COLOUR, linewidth=0.7, zorder=1)
        plane.scatter([tally.fabrication], [recall], s=70 if ours else 26, color=colour, zorder=3)
        plane.annotate(
            tally.name,
            (widest, height),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=colour,
            fontweight="bold" if ours else "normal",
            annotation_clip=False,
        )
        bars.barh([height], [tally.typical_mb_s], height=least * 0.6, color=colour)
        bars.annotate(
            f"{tally.typical_mb_s:.2f}",
            (tally.typical_mb_s, height),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=colour,
        )
    plane.set(
        xlim=(-widest * 0.02, widest),
        ylim=(bottom, top),
        xlabel="units that nobody wrote, % of the units accepted",
        ylabel="undamaged units recovered, %",
        title="Recall against fabrication (best is top left)",
    )
    plane.grid(color="#eef2f7", zorder=0)
    bars.set(
        ylim=(bottom, top),
        xscale="log",
        xlabel="MB/s by processor time, the median document",
        title="Speed on the damaged documents",
    )
    bars.set_yticks([])
    bars.margins(x=0.25)
    for side in ("top", "right"):
        plane.spines[side].set_visible(False)
        bars.spines[side].set_visible(False)
    caption = f"{page.documents:,} damaged documents, seed {page.seed}; {page.date}; {page.machine}"
    figure.text(0.12, 0.02, caption, fontsize=8, color="#64748b")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(figure)
