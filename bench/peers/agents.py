"""pydantic-ai: an agent whose model is a function that says the document; no network, no retries."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from bench.peers.peer import Answer, Document, Peer, Read, as_object, chunked

_ENVIRONMENT = "pydantic_ai"


def _agent(says: list[str]) -> Any:
    """Return an agent whose model says what ``says`` holds."""
    from bench.peers.unit import ReportDict

    top = import_module("pydantic_ai")
    function = import_module("pydantic_ai.models.function")
    messages = import_module("pydantic_ai.messages")

    async def stream(_messages: Any, _info: Any) -> AsyncIterator[str]:
        for piece in chunked(says[0]):
            yield piece

    def whole(_messages: Any, _info: Any) -> Any:
        return messages.ModelResponse(parts=[messages.TextPart(says[0])])

    model = function.FunctionModel(whole, stream_function=stream)
    return top.Agent(model, output_type=top.PromptedOutput(ReportDict), retries=0)


def _open_whole() -> Read:
    says = [""]
    agent = _agent(says)
    loop = asyncio.new_event_loop()

    def read(document: Document) -> Answer:
        says[0] = as_object(document)
        return Answer(loop.run_until_complete(agent.run("read")).output)

    weakref.finalize(read, loop.close)
    return read


def _open_stream() -> Read:
    says = [""]
    agent = _agent(says)
    loop = asyncio.new_event_loop()

    async def last_output() -> Answer:
        last: Any = None
        try:
            async with agent.run_stream("read") as run:
                async for output in run.stream_output(debounce_by=None):
                    last = output
        except Exception as error:  # noqa: BLE001  # a peer may raise anything; its name is the answer
            return Answer(last, True, type(error).__name__)
        return Answer(last)

    def read(document: Document) -> Answer:
        says[0] = as_object(document)
        return loop.run_until_complete(last_output())

    weakref.finalize(read, loop.close)
    return read


PEERS = (
    Peer(
        name="pydantic-ai",
        package="pydantic-ai-slim",
        environment=_ENVIRONMENT,
        call="Agent(output_type=PromptedOutput(…), retries=0).run()",
        needs=("pydantic_ai",),
        open=_open_whole,
    ),
    Peer(
        name="pydantic-ai stream",
        package="pydantic-ai-slim",
        environment=_ENVIRONMENT,
        call="run_stream(), TypedDict envelope; the last output before an exception is kept",
        needs=("pydantic_ai",),
        open=_open_stream,
    ),
)
