"""The tools of an MCP server that is started by a command and asked over its standard input and output.

The server is the caller's own word: its command runs with the caller's rights. Only ``tools/list`` is asked.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pratique.errors import Misuse, Outage
from pratique.lint.sources.tools import tool_subjects
from pratique.lint.subject import Subject
from pratique.show import show

if TYPE_CHECKING:
    from mcp import ClientSession

__all__ = ["SERVER_TIMEOUT_S", "server_subjects", "tools_of"]

SERVER_TIMEOUT_S = 60.0
"""Seconds a server has until its whole list is read: some fetch a package or start a browser first."""

MIN_SECRET_CHARS = 4
"""Characters of a variable's value that is kept out of messages: a shorter one is no secret, and is in every text."""

MAX_PAGES = 100
"""Pages of one list: a server whose cursor never ends is stopped."""


def server_subjects(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, timeout_s: float = SERVER_TIMEOUT_S
) -> list[Subject]:
    """Start a server, read its list of tools, end it; make the subjects of what it answered.

    Errors: as ``tools_of``.
    """
    return tool_subjects(tools_of(command, environment=environment, timeout_s=timeout_s))


def tools_of(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, timeout_s: float = SERVER_TIMEOUT_S
) -> list[dict[str, Any]]:
    """Start a server, read its list of tools page by page, end it.

    Shape: ``environment`` is added to the few variables that the SDK passes on (``PATH``, ``HOME`` and such).
    Errors: Misuse for an empty command, or without the ``mcp`` extra; Outage when the server does not start or does
        not answer in time, with the last line that it wrote.
    """
    if not command:
        raise Misuse("no command was given", remedy='write it with its arguments: --mcp "npx -y some-server"')
    try:
        import anyio
        from mcp import MCPError
    except ImportError as error:
        raise Misuse(
            "asking an MCP server needs the package mcp, which is not installed", remedy="pip install 'pratique[mcp]'"
        ) from error
    variables = dict(environment or {})
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log, _sdk_muted():
        try:
            return anyio.run(_listed, command, variables, log, timeout_s)
        except (MCPError, OSError, RuntimeError, ValueError, ExceptionGroup) as error:
            raise Outage(_reason(command, error, log, timeout_s, variables.values())) from error


@contextmanager
def _sdk_muted() -> Iterator[None]:
    """Keep the SDK's log off standard error: it repeats what the server wrote, keys and all."""
    logger = logging.getLogger("mcp")
    handler, before = logging.NullHandler(), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


async def _listed(command: Sequence[str], environment: dict[str, str], log: Any, timeout_s: float) -> list[Any]:
    import anyio
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *arguments = command
    server = StdioServerParameters(command=program, args=arguments, env=environment, encoding_error_handler="replace")
    with anyio.fail_after(timeout_s):
        async with stdio_client(server, log) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await _pages(session)


async def _pages(session: ClientSession) -> list[dict[str, Any]]:
    """Read all pages, each tool as it was sent: the SDK's own type would drop what it does not know."""
    from mcp_types import ListToolsRequest, PaginatedRequestParams, PaginatedResult

    class Page(PaginatedResult):
        """One page."""

        tools: list[dict[str, Any]]

    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        asked = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
        page = await session.send_request(ListToolsRequest(params=asked), Page)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools
    raise RuntimeError(f"more than {MAX_PAGES} pages of tools")


def _reason(command: Sequence[str], error: Exception, log: Any, timeout_s: float, secrets: Iterable[str]) -> str:
    """Say in one line why a server did not answer: the first error, and the last line it wrote."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    hidden = sorted((secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS), key=len, reverse=True)

    def told(text: str) -> str:
        for secret in hidden:
            text = text.replace(secret, "***")
        return show(text)

    why = f"no list within {timeout_s:g} s" if isinstance(error, TimeoutError) else told(str(error))
    log.seek(0)
    last = next((line.strip() for line in reversed(log.read().split("\n")) if line.strip()), "")
    wrote = f"; its last line: {told(last)}" if last else ""
    return f"the MCP server {told(' '.join(command))} did not list its tools: {why}{wrote}"
