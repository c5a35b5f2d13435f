"""A tool's arguments are judged before the tool runs: middleware for a server of the MCP SDK.

Middleware is the one place there that may rewrite a request. What the tool gets is what was admitted; what was lost is
told in the answer, so that the caller can correct it. Refuses: calls of tools without a contract, and calls that lost
what they cannot do without. Neighbours: ``port`` judges, and says what a tool may run with.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from pratique.boundary.admission import Admission
from pratique.boundary.chunk import at
from pratique.boundary.delivery import Delivery, ToolCall
from pratique.hooks.port import Port, require_tools
from pratique.hooks.wire import as_sent, json_text, member_of, word_of

try:
    import anyio.to_thread
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.types import CallToolResult, TextContent
    from starlette.requests import Request
except ImportError as error:
    raise ImportError("this hook needs mcp, 2.3 or later; pip install 'pratique[mcp]'", name="mcp") from error

__all__ = ["FINISH_REASON", "ToolPorts"]

FINISH_REASON = "pratique/finish_reason"
"""The key in a request's ``_meta`` under which a client passes on the stop reason that its model's provider told."""

MAX_TOLD_UNITS = 50
"""Lost units that an answer names; the counts tell of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPorts:
    """Judge the arguments of each tool call at the tool's port: ``MCPServer(middleware=[ToolPorts(ports=…)])``.

    Shape: ``ports`` maps the name of a tool to its port. ``unsafe_unjudged`` names tools whose calls pass as they came.
        What is in neither is not listed, and a call of it is refused. A port's ``compiled`` schema is published.
    Limits: the contract's; an answer names at most MAX_TOLD_UNITS lost units.
    Errors: Misuse for a port that cannot judge its tool's arguments; an Outage of its quarantine fails the request, and
        the tool does not run. Nothing that a caller sends raises.
    Not checked: what the tool returns, and whether what the arguments say is true.
    """

    ports: Mapping[str, Port[Any]]
    unsafe_unjudged: Collection[str] = ()

    def __post_init__(self) -> None:
        require_tools(self.ports, self.unsafe_unjudged)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Judge a call, let its admitted arguments through, and tell what was lost."""
        if ctx.method == "tools/list":
            return self._listed(_plain(await call_next(ctx)))
        if ctx.method != "tools/call":
            return await call_next(ctx)
        params = ctx.params or {}
        name = params.get("name")
        if isinstance(name, str) and name in self.unsafe_unjudged and name not in self.ports:
            return await call_next(ctx)
        if not isinstance(name, str) or name not in self.ports:
            return _failed({"ran": False, "help": "no tool of that name has a contract; call one that is listed"})
        port = self.ports[name]
        body = await ctx.request.body() if isinstance(ctx.request, Request) else b""
        delivery = _delivery(name, params, body, ctx.request_id)
        admission, arguments = await anyio.to_thread.run_sync(port.admit_call, delivery, 0)
        if arguments is None:
            return _failed(_verdict(port, admission, ran=False))
        result = _plain(await call_next(replace(ctx, params={**params, "arguments": arguments})))
        if not admission.review_required or "content" not in result:
            return result
        return {**result, "content": [*result["content"], _plain(_block(_verdict(port, admission, ran=True)))]}

    def _listed(self, result: dict[str, Any]) -> dict[str, Any]:
        """Leave out what cannot be called, and publish the schemas that callers are to be asked with."""
        names = {*self.ports, *self.unsafe_unjudged}
        schemas = {name: port.schemas[name] for name, port in self.ports.items() if name in port.schemas}
        return {
            **result,
            "tools": [
                {**tool, **({"inputSchema": schemas[tool["name"]]} if tool["name"] in schemas else {})}
                for tool in result.get("tools", ())
                if tool["name"] in names
            ],
        }


def _delivery(name: str, params: Mapping[str, Any], body: bytes, request_id: Any) -> Delivery:
    """Make a delivery of a call; over HTTP its arguments are the characters that were sent."""
    given = params.get("arguments")
    sent = member_of(body.decode("utf-8", "surrogateescape"), "params", "arguments") if body else ""
    arguments = "{}" if given is None else as_sent(sent, given) if sent else json_text(given)
    told = at(params, "_meta", FINISH_REASON)
    return Delivery(
        tool_calls=(ToolCall(name, arguments),),
        finish_reason=word_of(told),
        ids={"request": str(request_id)},
    )


def _verdict(port: Port[Any], admission: Admission[Any], *, ran: bool) -> dict[str, Any]:
    """Tell a caller what became of its call; nothing that it wrote is said again."""
    lost = [{"unit": unit.index, "reason": unit.reason.value} for unit in admission.quarantined[:MAX_TOLD_UNITS]]
    return {
        "ran": ran,
        "status": admission.status.value,
        "truncated": admission.truncated,
        "seen": admission.seen,
        "lost": lost,
        "findings": port.feedback(admission),
    }


def _failed(verdict: Mapping[str, Any]) -> CallToolResult:
    return CallToolResult(content=[_block(verdict)], is_error=True)


def _block(verdict: Mapping[str, Any]) -> TextContent:
    return TextContent(type="text", text=json.dumps({"pratique": verdict}))


def _plain(result: HandlerResult) -> dict[str, Any]:
    """Return a result as it goes out."""
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return result or {}
