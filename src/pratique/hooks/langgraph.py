"""The boundary inside LangGraph: tool calls are judged before a tool runs, and a proposal again each time it is read.

A graph's state is kept between steps, on a disk, for days; a person may change it, and so may whoever reaches the
disk. So it never holds what was admitted, which cannot be written down at all, but the raw reply and where it came
from; whoever takes it up again reads it through the boundary.

Refuses: a tool call whose arguments are not sound, or came in a reply that was cut off; a call without its message.
What goes back to the model are typed findings, never what it wrote.
Neighbours: ``port`` judges.
"""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from blake3 import blake3
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from pratique.boundary.admission import Admission
from pratique.boundary.chunk import at, counts
from pratique.boundary.delivery import Delivery, Producer, ToolCall
from pratique.errors import Misuse
from pratique.hooks.port import NOTHING_THERE, Port, require_tools
from pratique.hooks.wire import in_reply, json_text, lesser_end, text_of
from pratique.show import show

try:
    from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
    from langchain_core.messages import ToolCall as LangChainCall
    from langchain_core.utils.json import parse_partial_json
    from langgraph.config import get_config
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.types import Command
except ImportError as error:
    raise Misuse(
        "the hook for LangGraph needs the package langgraph, 1.2 or later, which is not installed",
        remedy="pip install 'pratique[langgraph]'",
    ) from error

__all__ = ["Proposal", "ToolPorts", "delivery_of", "proposal_of", "reread"]

T = TypeVar("T")
Answer: TypeAlias = ToolMessage | Command[Any]

_ENDINGS = ("finish_reason", "stop_reason", "stopReason", "done_reason", "status")
"""Where LangChain's chat models put a provider's word for the end of a reply; OpenAI's Responses have a status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPorts:
    """Judge the tool calls of a ``ToolNode``, each at its tool's port.

    ::

        judged = ToolPorts(ports={"pay": Port(contract=pay_contract, quarantine=store)})
        node = ToolNode([pay], wrap_tool_call=judged.wrap, awrap_tool_call=judged.awrap)

    What was admitted goes to the tool, in plain JSON values; what was lost of it is told in the answer. What was
    refused is a ``ToolMessage`` of status ``error`` with typed findings. The calls of one reply that are units of one
    batch run all, or none.

    Shape: ``ports`` maps the name of a tool to its port. ``unsafe_unjudged`` names tools that run with what came.
        ``messages_key`` is where the state keeps its messages, as ``ToolNode`` is told.
    Errors: Misuse for a port whose contract has no such tool, a tool that is in neither, a call without its message.
    Not checked: of arguments that a chat model kept as values alone, a key that came twice, and a cut that the
        provider called a complete reply: see ``delivery_of``.
    """

    ports: Mapping[str, Port[Any]]
    unsafe_unjudged: Collection[str] = ()
    messages_key: str = "messages"

    def __post_init__(self) -> None:
        require_tools(self.ports, self.unsafe_unjudged)

    def wrap(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Answer]) -> Answer:
        """Judge one call, and run the tool with what was admitted: for ``wrap_tool_call``."""
        judged = self._judged(request)
        return judged if isinstance(judged, ToolMessage) else _telling(execute(judged[0]), judged[1])

    async def awrap(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Awaitable[Answer]]) -> Answer:
        """Judge one call, and run the tool with what was admitted: for ``awrap_tool_call``."""
        judged = await to_thread(self._judged, request)
        return judged if isinstance(judged, ToolMessage) else _telling(await execute(judged[0]), judged[1])

    def _judged(self, request: ToolCallRequest) -> tuple[ToolCallRequest, str] | ToolMessage:
        """Return the request with the admitted arguments and what of it was lost, or the message that refuses it."""
        call, tool = request.tool_call, request.tool
        port = self.ports.get(call["name"])
        if port is None and (tool is None or call["name"] in self.unsafe_unjudged):
            return request, ""  # ToolNode itself refuses a tool that it has not
        if port is None:
            raise Misuse(
                f"no port judges the tool {call['name']!r}", remedy="give it one, or name it in unsafe_unjudged="
            )
        delivery, place, message = self._came_in(request.state, _written(call))
        takes = tool.args if tool else ()
        admission, arguments = port.admit_call(delivery, place, takes=takes, run_id=_thread(), attempt=message)
        told = port.told(admission)
        if arguments is not None:
            return request.override(tool_call={**call, "args": arguments}), told
        return ToolMessage(told or NOTHING_THERE, name=call["name"], tool_call_id=call["id"], status="error")

    def _came_in(self, state: Any, call: ToolCall) -> tuple[Delivery, int, int]:
        """Return the delivery that a call came in, its place there, and the place of its message in the state."""
        key = self.messages_key
        messages = state if isinstance(state, list) else at(state, key)
        for number, message in reversed([*enumerate(messages or ())]):
            if isinstance(message, AIMessage):
                calls = [_written(other) for other in message.tool_calls]
                if found := in_reply(call, calls, delivery_of(message)):
                    return *found, number
        raise Misuse(
            "no one message of the state has this tool call, so nothing tells how the reply ended",
            remedy=f"keep it under {key!r}, or tell the boundary messages_key=",
        )


def delivery_of(message: AIMessage) -> Delivery:
    """Make a delivery of a message: its text, its tool calls, also those that LangChain could not read, and its end.

    LangChain closes the arguments of a stream that was cut off, and a graph's state keeps no chunks. Arguments that
    are there as values alone, in a message that does not say how it ended, may be the head of what was meant: such a
    delivery counts as ``incomplete``.

    Shape: arguments as the model wrote them where the message still has them, else written as JSON again.
    """
    texts = [_text_of(message, call) for call in message.tool_calls]
    read = [
        _written(call) if text is None else ToolCall(call["name"], text, call["id"])
        for call, text in zip(message.tool_calls, texts, strict=True)
    ]
    unread = [ToolCall(call["name"] or "", call["args"] or "", call["id"]) for call in message.invalid_tool_calls]
    told: list[Any] = [message.response_metadata.get(name) for name in _ENDINGS]
    blocks = message.content if isinstance(message.content, list) else ()
    if message.additional_kwargs.get("refusal") or any(at(block, "type") == "refusal" for block in blocks):
        told.append("refusal")  # OpenAI's, in a reply that it calls complete
    return Delivery(
        text=message.text,
        tool_calls=(*read, *unread),
        finish_reason=lesser_end(told) or ("incomplete" if None in texts else None),
        usage=counts(message.usage_metadata),
        model=text_of(message.response_metadata.get("model_name")) or None,
        ids={"message": message.id} if message.id else {},
    )


# ---------------------------------------------------------------------- a proposal in a checkpointed state


@with_config(ConfigDict(extra="forbid"))
class _Call(TypedDict):
    name: str
    arguments: str
    id: str | None


@with_config(ConfigDict(extra="forbid"))
class Proposal(TypedDict):
    """A raw reply and where it came from, as plain values: what a graph's state may keep of what a model proposed."""

    text: str
    tool_calls: list[_Call]
    finish_reason: str | None
    usage: dict[str, int]
    producer: Literal["model", "agent", "person"]
    model: str | None
    ids: dict[str, str]
    digest: str
    """Of all the rest. It tells an honest change; whoever means to hide one can write it anew."""


_PROPOSAL: TypeAdapter[Proposal] = TypeAdapter(Proposal)


def proposal_of(source: AIMessage | Delivery) -> Proposal:
    """Write down a reply, unread, for a graph's state."""
    came = source if isinstance(source, Delivery) else delivery_of(source)
    proposal = Proposal(
        text=came.text,
        tool_calls=[_Call(name=call.name, arguments=call.arguments, id=call.id) for call in came.tool_calls],
        finish_reason=came.finish_reason, usage=dict(came.usage), producer=Producer(came.producer).value,
        model=came.model, ids=dict(came.ids), digest="",
    )  # fmt: skip
    return {**proposal, "digest": _digest(proposal)}


def reread(proposal: Proposal, port: Port[T]) -> Admission[T]:
    """Read a proposal of a graph's state through the boundary, as if it came just now: each time it is taken up.

    Shape: what was changed since it was written down is a person's. In a graph with a thread, the same proposal is
        kept in the quarantine once, however often a node runs again.
    Errors: Misuse when the state holds no proposal; else as ``Port.admit``.
    Not checked: whether what was admitted is true; who changed a state that was written anew, digest and all.
    """
    try:
        read = _PROPOSAL.validate_python(proposal, strict=True)
        changed = read["digest"] != _digest(read)
    except ValueError as error:  # pydantic's ValidationError is one; so is what a number too long to be written raises
        told = error.errors(include_input=False)[0]["loc"] if isinstance(error, ValidationError) else ("usage",)
        where = show(".".join(map(str, told))) if told else "it is no mapping"
        raise Misuse(
            f"the state holds no proposal: {where}",
            remedy="keep what proposal_of() returned, and change its text or its calls alone",
        ) from None
    delivery = Delivery(
        text=read["text"], tool_calls=tuple(ToolCall(**call) for call in read["tool_calls"]),
        finish_reason=read["finish_reason"], usage=read["usage"],
        producer=Producer.PERSON if changed else Producer(read["producer"]), model=read["model"], ids=read["ids"],
    )  # fmt: skip
    thread = _thread()
    run_id = None if thread is None else f"{thread}/{read['ids'].get('message', 'proposal')}"
    return port.admit(delivery, run_id=run_id, attempt=1)


# ---------------------------------------------------------------------- private


def _telling(answer: Answer, lost: str) -> Answer:
    """Add to a tool's answer what it did not get."""
    if not lost or not isinstance(answer, ToolMessage):
        return answer
    told = answer.model_copy()
    told.content = f"{told.content}\n{lost}" if isinstance(told.content, str) else [*told.content, lost]
    return told


def _written(call: LangChainCall) -> ToolCall:
    """Write a call's arguments as JSON again."""
    return ToolCall(call["name"], json_text(call["args"]), call["id"])


def _text_of(message: AIMessage, call: LangChainCall) -> str | None:
    """Return the arguments of a call as the model wrote them; None where they are gone, or were changed since."""
    chunks = message.tool_call_chunks if isinstance(message, AIMessageChunk) else ()
    kept: list[Any] = [chunk["args"] for chunk in chunks if chunk["id"] == call["id"]]
    sent = message.additional_kwargs.get("tool_calls")
    for other in sent if isinstance(sent, list) else ():
        if at(other, "id") == call["id"]:
            kept.append(at(other, "function", "arguments"))
    value = json_text(call["args"])
    return next((text for text in kept if isinstance(text, str) and json_text(_read(text)) == value), None)


def _read(text: str) -> Any:
    """Read a text as LangChain does: it closes what was cut off."""
    try:
        return parse_partial_json(text)
    except (ValueError, RecursionError):
        return None


def _digest(proposal: Proposal) -> str:
    kept = {name: value for name, value in proposal.items() if name != "digest"}
    return "b3:" + blake3(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _thread() -> str | None:
    """Return the thread of the graph that runs, None outside of one."""
    try:
        thread = get_config().get("configurable", {}).get("thread_id")
    except RuntimeError:
        return None
    return None if thread is None else str(thread)
