"""The figures of the field report as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pratique.lint import Level, rule_of, rules

if TYPE_CHECKING:
    from bench.lint.field import Run, Saved

__all__ = ["MARKERS", "flagged", "tables"]

MARKERS = ("<!-- lint: written by python -m bench.lint.field; do not edit below -->", "<!-- lint: end -->")
VERDICTS = ("right", "arguable", "wrong")


def tables(run: Run, peer_targets: Mapping[str, str]) -> str:
    """Return all tables."""
    tools = sum(server.tools for server in run.saved)
    looked = sum(run.verdict(server, finding) is not None for server in run.saved for finding in server.findings)
    found = sum(len(server.findings) for server in run.saved)
    return "\n\n".join([
        f"{run.machine}. {len(run.saved)} servers, {tools} tools, {found:,} findings, {looked:,} of them looked at.",
        "### By rule", _by_rule(run, tools),
        "### By server", _by_server(run.saved),
        "### Beside schemafit", _beside(run.saved, tools, peer_targets),
    ])  # fmt: skip


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def _by_rule(run: Run, tools: int) -> str:
    """Return each rule's findings, how many tools and servers have one, and the verdicts on those looked at."""
    rows = []
    for rule in rules():
        found = [(server, finding) for server in run.saved for finding in server.findings if finding.code == rule.code]
        if not rule.code.startswith("LS"):
            continue
        subjects = {(server.name, finding.subject) for server, finding in found}
        servers = {server.name for server, _ in found}
        verdicts = Counter(told.verdict for server, finding in found if (told := run.verdict(server, finding)))
        levels = Counter(finding.level for _, finding in found)
        split = " ".join(f"{levels[level]} {level.value}" for level in Level if levels[level])
        judged = [f"{verdicts[verdict]}" for verdict in VERDICTS] if verdicts else ["", "", ""]
        rows.append(
            [f"[{rule.code}](lint-rules.md#{rule.code.lower()}-{rule.name})", rule.name, split or "0",
             f"{100 * len(subjects) / tools:.1f} %", len(servers), *judged]
        )  # fmt: skip
    return _table(["rule", "", "findings", "tools", "servers", *VERDICTS], rows)


def _by_server(saved: Sequence[Saved]) -> str:
    rows = []
    for server in saved:
        levels = Counter(finding.level for finding in server.findings)
        most = Counter(
            finding.code for finding in server.findings if finding.level is not Level.INFO
        ).most_common(3)  # fmt: skip
        rows.append([
            server.name, server.version, server.registry, server.tools, *(levels[level] for level in Level),
            ", ".join(f"{code} {rule_of(code).name} {count}" for code, count in most),
        ])  # fmt: skip
    head = ["server", "version", "from", "tools", *(level.value for level in Level), "most often, info left out"]
    return _table(head, rows)


def _beside(saved: Sequence[Saved], tools: int, peer_targets: Mapping[str, str]) -> str:
    """Return, for each provider, on how many tools each linter finds an error, or a warning, and on how many both."""
    rows = []
    for provider, target in peer_targets.items():
        theirs, ours = flagged(saved, provider, target)
        rows.append([provider, target, len(theirs), len(ours), len(theirs & ours), len(theirs - ours),
                     len(ours - theirs)])  # fmt: skip
    head = ["schemafit", "our target", "tools it flags", "tools we flag", "both", "it alone", "we alone"]
    codes = Counter(finding["code"] for server in saved for found in server.peer.values() for finding in found)
    limits = Counter(finding.code for server in saved for finding in server.limits)
    return "\n\n".join([
        _table(head, rows),
        f"Of {tools} tools. Its rules, by findings: {_listed(codes)}.",
        f"Ours, by findings: {_listed(limits)}.",
    ])  # fmt: skip


def flagged(saved: Sequence[Saved], provider: str, target: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the tools, with their servers, that schemafit flags for its provider, and that we flag for a target."""
    theirs = {
        (server.name, f"tools/{name}")
        for server in saved
        for name, found in server.peer.items()
        if any(finding["provider"] == provider for finding in found)
    }
    ours = {
        (server.name, finding.subject)
        for server in saved
        for finding in server.limits
        if finding.target == target and finding.level is not Level.INFO
    }
    return theirs, ours


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in counts.most_common())
