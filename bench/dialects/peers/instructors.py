"""instructor: its default mode, and the one that asks for strictness."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.dialects.peers.openais import MODEL, WORDS, asked_by_tool
from bench.dialects.peers.peer import Asked, Body, Peer, Send, at


def _opener(mode: str) -> Callable[[str], Send]:
    def open_it(url: str) -> Send:
        library = import_module("instructor")
        logging.disable(logging.CRITICAL)  # it logs each declined request
        client = library.from_openai(
            import_module("openai").OpenAI(base_url=url, api_key="none", max_retries=0), mode=library.Mode[mode]
        )

        def send(kind: Any) -> object:
            return client.chat.completions.create(model=MODEL, messages=WORDS, response_model=kind, max_retries=1)

        return send

    return open_it


def _asked_by_text(body: Body) -> Asked:
    """Find the schema of a responses request: its text format, or its tool."""
    form = at(body, "text", "format") if "text" in body else at(body, "tools", 0)
    return Asked(form.get("schema", form.get("parameters")), strict=form.get("strict") is True)


def _peer(mode: str, target: str, asked: Callable[[Body], Asked]) -> Peer:
    return Peer(
        name=f"instructor ({mode})",
        package="instructor",
        environment="instructor",
        target=target,
        call=f"instructor.from_openai(client, mode=Mode.{mode}).chat.completions.create(response_model=Model)",
        needs=("instructor", "openai"),
        open=_opener(mode),
        asked=asked,
    )


PEERS = [
    _peer("TOOLS", "openai/chat", asked_by_tool),
    _peer("RESPONSES_TOOLS", "openai/responses", _asked_by_text),
]
