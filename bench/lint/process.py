"""One server's process: started without a network, asked for its tools, killed with all that it started.

A server is other people's code. It runs in a network namespace of its own, which has no way out (Linux; elsewhere
the list says that there was none), in an empty home folder, with a bare environment: no key of ours is in it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ListToolsRequest, PaginatedRequestParams, PaginatedResult

from bench.lint.environments import program_of
from bench.lint.servers import Server
from pratique.show import show

__all__ = ["Listing", "is_cut_off", "listed"]

MAX_PAGES = 100
"""Pages of one list: a server whose cursor never ends is refused."""
CUT_OFF = ("unshare", "--user", "--map-root-user", "--net", "--")
"""Runs a command in a network namespace of its own, where not even the loopback is up; needs no rights."""
LEADER = 'echo $$ > "$0"; exec "$@"'
"""Writes down the process group before it becomes the server: the SDK does not tell whom it started."""
SHOWN_CHARS = 160


@dataclass(frozen=True, slots=True)
class Listing:
    """What one server answered.

    Not checked: everything; the tools are as they came, other people's text.
    """

    protocol: str
    server_info: dict[str, Any]
    tools: list[dict[str, Any]]
    pages: int


class _Page(PaginatedResult):
    """One page of tools as they were sent: the SDK's own type would drop what it does not know."""

    tools: list[dict[str, Any]]


@cache
def is_cut_off() -> bool:
    """Return whether servers can be run without a network here."""
    if shutil.which(CUT_OFF[0]) is None:
        return False
    return subprocess.run([*CUT_OFF, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def listed(folder: Path, server: Server, *, timeout_s: float) -> Listing | str:
    """Start a server, read all its tools, and kill it; return what it answered, or why it did not.

    Limits: at most ``timeout_s`` until the list is read, and a few seconds to end; at most MAX_PAGES pages.
    Errors: returned as one line; standard error of the server is kept in ``logs``.
    """
    log = folder / "logs" / f"{server.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    home = folder / "homes" / server.name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        return anyio.run(_listing, program_of(folder, server), server, home, log, timeout_s)
    except (MCPError, OSError, RuntimeError, ValueError, ExceptionGroup) as error:
        return _reason(error, log, timeout_s)


async def _listing(program: Path, server: Server, home: Path, log: Path, timeout_s: float) -> Listing:
    with anyio.fail_after(timeout_s):
        async with _session(program, server, home, log) as session:
            met = await session.initialize()
            info = met.server_info.model_dump(mode="json", by_alias=True, exclude_unset=True)
            tools: list[dict[str, Any]] = []
            cursor: str | None = None
            for number in range(1, MAX_PAGES + 1):
                asked = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
                page = await session.send_request(ListToolsRequest(params=asked), _Page)
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    return Listing(str(met.protocol_version), info, tools, number)
            raise RuntimeError(f"more than {MAX_PAGES} pages of tools")


@asynccontextmanager
async def _session(program: Path, server: Server, home: Path, log: Path) -> AsyncIterator[ClientSession]:
    """Start the server and speak with it; at the end nothing that it started is left in its process group."""
    leader = home.with_suffix(".pid")
    leader.unlink(missing_ok=True)
    command = StdioServerParameters(
        command="sh",
        args=["-c", LEADER, str(leader), *(CUT_OFF if is_cut_off() else ()), str(program), *server.arguments],
        env={**server.environment, "HOME": str(home), "PYTHONHASHSEED": "0"},  # one joins a set into a default
        cwd=home,
        encoding_error_handler="replace",
    )
    try:
        with open(log, "w", encoding="utf-8") as errors:
            async with stdio_client(command, errors) as (read, write), ClientSession(read, write) as session:
                yield session
    finally:
        _kill(leader)


def _kill(leader: Path) -> None:
    """Kill the process group that a server led, when anything of it is left."""
    try:
        os.killpg(int(leader.read_text(encoding="utf-8")), signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError, ValueError):
        pass  # it was never started, or all of it has ended
    leader.unlink(missing_ok=True)


def _reason(error: Exception, log: Path, timeout_s: float) -> str:
    """Say in one line why a server did not answer: the first error, and the last line it wrote."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    late = isinstance(error, TimeoutError)
    told = f"no list within {timeout_s:g} s" if late else show(str(error), max_chars=SHOWN_CHARS)
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.is_file() else []
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"{told}; its last line: {show(last, max_chars=SHOWN_CHARS)}" if last else told
