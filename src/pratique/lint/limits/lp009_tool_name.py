"""LP009: an endpoint does not take the tool's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.show import show

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at tools alone: compile makes the names of a contract's tools, and a schema is named in the request."""
    if subject.kind is not Kind.TOOL:
        return
    name = subject.name.removeprefix("tools/")
    for dialect in settings.targets:
        profile = dialect.profile
        if dialect.tool is not None and not re.fullmatch(profile.tool_name, name):
            yield Remark(
                subject.main, (),
                f"the tool is called {show(name)}, and {dialect.target} ({profile.endpoint}) takes names of the form "
                f"{show(profile.tool_name)}; its table was read on {profile.read_on}",
                target=dialect.target,
            )  # fmt: skip


RULE = Rule(
    code="LP009",
    name="tool-name",
    level=Level.ERROR,
    title="the endpoint does not take the tool's name",
    why="A server may call a tool what it likes; the endpoints take letters, digits, _ and -, at most 64 of them, and "
    "refuse the whole request for one that is called otherwise.",
    help="call it by letters, digits, _ and - alone, at most 64",
    evidence=(
        "OpenAI and Anthropic: the name of a function or tool matches [a-zA-Z0-9_-]{1,64}, else the request is a 400",
        "MCP 2025-11-25 takes dots in names, and 128 characters",
    ),
    bad='target = {"name": "files.read", "inputSchema": {"type": "object", "properties": {}}}\n',
    good='target = {"name": "files_read", "inputSchema": {"type": "object", "properties": {}}}\n',
    check=_check,
    target="anthropic/tools",
)
