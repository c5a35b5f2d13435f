"""Anthropic's own SDK: ``messages.parse`` with a type."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.dialects.peers.peer import Asked, Body, Peer, Send, at

MODEL = "claude-sonnet-4-5"


def _open(url: str) -> Send:
    client = import_module("anthropic").Anthropic(base_url=url, api_key="none", max_retries=0)

    def send(kind: Any) -> object:
        words: list[Any] = [{"role": "user", "content": "x"}]
        return client.messages.parse(model=MODEL, max_tokens=10, messages=words, output_format=kind)

    return send


def _asked(body: Body) -> Asked:
    return Asked(at(body, "output_config", "format", "schema"), strict=True)


PEERS = [
    Peer(
        name="anthropic",
        package="anthropic",
        environment="anthropic",
        target="anthropic/messages",
        call="client.messages.parse(output_format=Type)",
        needs=("anthropic",),
        open=_open,
        asked=_asked,
    )
]
