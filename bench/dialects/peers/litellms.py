"""litellm: ``completion`` with a model as response format, for three providers."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.dialects.peers.openais import WORDS, asked_by_format
from bench.dialects.peers.peer import Asked, Body, Peer, Send, at


def _opener(model: str) -> Callable[[str], Send]:
    def open_it(url: str) -> Send:
        # without these it asks the net for its tables, several times
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
        gateway: Any = import_module("litellm")
        gateway.suppress_debug_info = True

        def send(kind: Any) -> object:
            return gateway.completion(
                model=model, messages=WORDS, response_format=kind, api_base=url, api_key="none", max_retries=0
            )

        return send

    return open_it


def _asked_anthropic(body: Body) -> Asked:
    """Find the schema in the format, or, for models without one, in the tool that stands for it."""
    for name in ("output_format", "output_config"):
        if name in body:
            form = body[name].get("format", body[name])
            return Asked(form["schema"], strict=True)
    return Asked(at(body, "tools", 0, "input_schema"), strict=at(body, "tools", 0).get("strict") is True)


def _asked_gemini(body: Body) -> Asked:
    form = at(body, "generationConfig")
    return Asked(
        form["response_json_schema"] if "response_json_schema" in form else form["response_schema"], strict=True
    )


def _peer(name: str, model: str, target: str, asked: Callable[[Body], Asked]) -> Peer:
    return Peer(
        name=f"litellm ({name})",
        package="litellm",
        environment="litellm",
        target=target,
        call=f'litellm.completion(model="{model}", response_format=Model)',
        needs=("litellm",),
        open=_opener(model),
        asked=asked,
    )


PEERS = [
    _peer("OpenAI", "openai/gpt-5", "openai/chat", asked_by_format),
    _peer("Anthropic", "anthropic/claude-sonnet-4-5", "anthropic/messages", _asked_anthropic),
    _peer("Google", "gemini/gemini-2.5-flash", "google", _asked_gemini),
]
