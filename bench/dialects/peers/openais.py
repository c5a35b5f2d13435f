"""OpenAI's own SDK: ``chat.completions.parse`` with a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.dialects.peers.peer import Asked, Body, Peer, Send, at

MODEL = "gpt-5"
WORDS: list[Any] = [{"role": "user", "content": "x"}]


def _open(url: str) -> Send:
    client = import_module("openai").OpenAI(base_url=url, api_key="none", max_retries=0)
    return lambda kind: client.chat.completions.parse(model=MODEL, messages=WORDS, response_format=kind)


def asked_by_format(body: Body) -> Asked:
    """Find the schema of a chat request's ``response_format``."""
    form = at(body, "response_format", "json_schema")
    return Asked(form["schema"], strict=form.get("strict") is True)


def asked_by_tool(body: Body) -> Asked:
    """Find the schema of a chat request's only tool."""
    function = at(body, "tools", 0, "function")
    return Asked(function["parameters"], strict=function.get("strict") is True)


PEERS = [
    Peer(
        name="openai",
        package="openai",
        environment="openai",
        target="openai/chat",
        call="client.chat.completions.parse(response_format=Model)",
        needs=("openai",),
        open=_open,
        asked=asked_by_format,
    )
]
