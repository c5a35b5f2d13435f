"""A tool behind the boundary, in a server of the MCP SDK: ``python -m examples.hooks.mcp``.

The client is the SDK's own, in the same process. What it sends is what a model wrote as the arguments of a call.
"""

from __future__ import annotations

from typing import Annotated, Any

import anyio
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import TextContent
from pydantic import BaseModel, Field

from pratique import Contract
from pratique.hooks.mcp import FINISH_REASON, ToolPorts
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine, QuarantineStore
from pratique.show import escape

__all__ = ["main", "served"]


class Task(BaseModel):
    """What the tool takes, many at a time."""

    title: Annotated[str, Field(max_length=60)]
    days: Annotated[int, Field(ge=1)]


file_tasks = Contract.items(Task, at="tasks", name="file_tasks")


def served(store: QuarantineStore) -> MCPServer[Any]:
    """Make a server with one tool, and its port in front of it."""
    asked = file_tasks.compile("portable", form="tools")
    port = Port(contract=file_tasks, compiled=asked, quarantine=store)
    server: MCPServer[Any] = MCPServer("backlog", log_level="ERROR", middleware=[ToolPorts(ports={"file_tasks": port})])

    @server.tool(name="file_tasks", description="File tasks in the backlog.")
    def file(tasks: list[Task]) -> str:
        return "filed: " + ", ".join(f"{task.title} ({task.days})" for task in tasks)

    return server


async def call(client: Client, tasks: list[Any], finish_reason: str | None = None) -> None:
    """Call the tool as a client does that passes its model's stop reason on; print what comes back."""
    meta: Any = None if finish_reason is None else {FINISH_REASON: finish_reason}
    result = await client.call_tool("file_tasks", {"tasks": tasks}, meta=meta)
    print("error" if result.is_error else "ok")
    for block in result.content:
        print("  ", block.text if isinstance(block, TextContent) else block.type)


async def session(store: QuarantineStore) -> None:
    """Call the tool with a list that has one bad unit, and with one that was cut off."""
    async with Client(served(store)) as client:
        print("One unit of three is not sound:")
        sound, as_text = {"title": "read the log", "days": 1}, {"title": "mend the pump", "days": "2"}
        await call(client, [sound, as_text, {"title": "write it down", "days": 1}])
        print("The model ran out of tokens, and its client says so:")
        await call(client, [sound], finish_reason="max_tokens")


def main() -> None:
    """Run the session; print what is in quarantine after it."""
    with MemoryQuarantine() as store:
        anyio.run(session, store)
        print("In quarantine:")
        for record in store.list(Filter()).records:
            print("  ", record.reason, record.path, escape(record.snippet.strip()))


if __name__ == "__main__":
    main()
