"""langchain: ``with_structured_output`` of two chat models, and langchain-core's own strict tool."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.dialects.peers.openais import asked_by_format, asked_by_tool
from bench.dialects.peers.peer import Asked, Body, Peer, Send, at


def _opener(module: str, name: str, model: str, **how: Any) -> Callable[[str], Send]:
    def open_it(url: str) -> Send:
        chat = getattr(import_module(module), name)(model=model, base_url=url, api_key="none", max_retries=0)
        return lambda kind: chat.with_structured_output(kind, **how).invoke("x")

    return open_it


def _asked_anthropic(body: Body) -> Asked:
    return Asked(at(body, "output_config", "format", "schema"), strict=True)


PEERS = [
    Peer(
        name="langchain (OpenAI)",
        package="langchain-openai",
        environment="langchain",
        target="openai/chat",
        call='ChatOpenAI(…).with_structured_output(Model, method="json_schema")',
        needs=("langchain_openai",),
        open=_opener("langchain_openai", "ChatOpenAI", "gpt-5", method="json_schema"),
        asked=asked_by_format,
    ),
    Peer(
        name="langchain-core (OpenAI, strict tool)",
        package="langchain-core",
        environment="langchain",
        target="openai/chat",
        call='ChatOpenAI(…).with_structured_output(Model, method="function_calling", strict=True)',
        needs=("langchain_openai",),
        open=_opener("langchain_openai", "ChatOpenAI", "gpt-5", method="function_calling", strict=True),
        asked=asked_by_tool,
    ),
    Peer(
        name="langchain (Anthropic)",
        package="langchain-anthropic",
        environment="langchain",
        target="anthropic/messages",
        call='ChatAnthropic(…).with_structured_output(Model, method="json_schema")',
        needs=("langchain_anthropic",),
        open=_opener("langchain_anthropic", "ChatAnthropic", "claude-sonnet-4-5", method="json_schema"),
        asked=_asked_anthropic,
    ),
]
