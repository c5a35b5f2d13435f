"""LP017: more tools are offered together than the endpoint takes as strict ones."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Kind, Subject
from pratique.lint.uses import endpoints

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Count the tools that are offered together, once, at the first of them; and those that a contract becomes."""
    if subject.kind is Kind.CONTRACT:
        yield from over_bound(subject, settings, "max_strict_tools")
    offered = len(subject.offered_with)
    if subject.kind is not Kind.TOOL or subject.name != f"tools/{subject.offered_with[0]}":
        return
    for dialect in endpoints(settings):
        most = dialect.profile.bounds.max_strict_tools
        if most is not None and dialect.tool is not None and offered > most:
            yield Remark(
                subject.main, (),
                f"{offered} tools are offered together, and {dialect.target} ({dialect.profile.endpoint}) takes at "
                f"most {most} strict ones; its limits were read on {dialect.profile.read_on}",
                target=dialect.target,
            )  # fmt: skip


RULE = Rule(
    code="LP017",
    name="too-many-strict-tools",
    level=Level.ERROR,
    title="more tools are offered together than the endpoint takes as strict ones",
    why="The endpoint makes one grammar of all strict tools of a request, and refuses more than a few. With many tools "
    "the right one is also found less often.",
    help="offer fewer at once, chosen for the task, or send those that need no schema without strict",
    evidence=(
        "Anthropic's structured-outputs guide, 2026-07: at most 20 strict tools in a request",
        "RAG-MCP (arXiv 2505.03275): the right tool is found more often when few are offered",
    ),
    bad='closed = {"type": "object", "properties": {}, "additionalProperties": False}\n'
    'target = [{"name": f"tool_{number}", "inputSchema": closed} for number in range(21)]\n',
    good='closed = {"type": "object", "properties": {}, "additionalProperties": False}\n'
    'target = [{"name": f"tool_{number}", "inputSchema": closed} for number in range(20)]\n',
    check=_check,
    target="anthropic/tools",
)
