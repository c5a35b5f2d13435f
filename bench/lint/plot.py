"""The plot of ``docs/lint-field-report.md``: on how many tools each rule speaks, by level, and schemafit beside us."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.lint.page import flagged
from pratique.lint import Level, rule_of

if TYPE_CHECKING:
    from bench.lint.field import Run

__all__ = ["draw"]

COLOURS = {Level.ERROR: "#c2410c", Level.WARN: "#f59e0b", Level.INFO: "#cbd5e1"}
MIN_LABELLED = 40
"""Tools of a stretch that has its number in it: in a shorter one it would not fit."""
SETS = {"it alone": "#94a3b8", "both": "#334155", "we alone": "#c2410c"}


def draw(run: Run, peer_targets: Mapping[str, str], path: Path) -> None:
    """Draw the figure; needs matplotlib."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, (bars, beside) = pyplot.subplots(1, 2, figsize=(13, 7), gridspec_kw={"width_ratios": [2, 1], "wspace": 0.3})
    _rules(run, bars)
    _providers(run, peer_targets, beside)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(figure)


def _rules(run: Run, axes: Any) -> None:
    """Draw a bar for each rule that speaks: the share of tools by the worst level that it has there."""
    worst: dict[str, dict[tuple[str, str], Level]] = {}
    for server in run.saved:
        for finding in server.findings:
            tools = worst.setdefault(finding.code, {})
            key = (server.name, finding.subject)
            tools[key] = min(tools.get(key, finding.level), finding.level, key=lambda level: level.rank)
    total = sum(server.tools for server in run.saved)
    codes = sorted(worst, key=lambda code: len(worst[code]))
    for row, code in enumerate(codes):
        left = 0.0
        for level, colour in COLOURS.items():
            share = 100 * sum(each is level for each in worst[code].values()) / total
            axes.barh(row, share, left=left, color=colour)
            left += share
        axes.annotate(f"{left:.1f} %", (left, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(codes)), [f"{code} {rule_of(code).name}" for code in codes], fontsize=9)
    axes.set(xlabel="tools with a finding, %", title=f"{len(run.saved)} servers, {total} tools")
    handles = [axes.barh(0, 0, color=colour) for colour in COLOURS.values()]
    axes.legend(handles, [level.value for level in COLOURS], loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _providers(run: Run, peer_targets: Mapping[str, str], axes: Any) -> None:
    """Draw a bar for each provider: the tools that schemafit flags alone, that both flag, and that we flag alone."""
    for row, (provider, target) in enumerate(peer_targets.items()):
        theirs, ours = flagged(run.saved, provider, target)
        left = 0
        for name, tools in (("it alone", theirs - ours), ("both", theirs & ours), ("we alone", ours - theirs)):
            axes.barh(row, len(tools), left=left, color=SETS[name])
            if len(tools) > MIN_LABELLED:
                axes.annotate(str(len(tools)), (left + len(tools) / 2, row), ha="center", va="center", fontsize=8,
                              color="white")  # fmt: skip
            left += len(tools)
    axes.set_yticks(
        range(len(peer_targets)), [f"{name}\n{target}" for name, target in peer_targets.items()], fontsize=9
    )
    axes.set(xlabel="tools flagged", title="Beside schemafit: limits of providers")
    handles = [axes.barh(0, 0, color=colour) for colour in SETS.values()]
    axes.legend(handles, list(SETS), loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
