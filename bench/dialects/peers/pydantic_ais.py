"""pydantic-ai: an agent with a native output type, for three endpoints; for OpenAI also with strict said."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.dialects.peers.openais import asked_by_format
from bench.dialects.peers.peer import Asked, Body, Peer, Send, at


def _model(provider: str, url: str) -> Any:
    models = import_module(f"pydantic_ai.models.{provider}")
    providers = import_module(f"pydantic_ai.providers.{provider}")
    match provider:
        case "openai":
            return models.OpenAIChatModel("gpt-5", provider=providers.OpenAIProvider(base_url=url, api_key="none"))
        case "anthropic":
            end = providers.AnthropicProvider(base_url=url, api_key="none")
            return models.AnthropicModel("claude-sonnet-4-5", provider=end)
        case _:
            return models.GoogleModel(
                "gemini-2.5-flash", provider=providers.GoogleProvider(base_url=url, api_key="none")
            )


def _opener(provider: str, strict: bool | None) -> Callable[[str], Send]:
    def open_it(url: str) -> Send:
        framework = import_module("pydantic_ai")
        model = _model(provider, url)

        def send(kind: Any) -> object:
            output = framework.NativeOutput(kind, strict=strict)
            return framework.Agent(model, output_type=output, retries=0).run_sync("x")

        return send

    return open_it


def _asked_anthropic(body: Body) -> Asked:
    return Asked(at(body, "output_config", "format", "schema"), strict=True)


def _asked_google(body: Body) -> Asked:
    return Asked(at(body, "generationConfig", "responseJsonSchema"), strict=True)


def _peer(name: str, provider: str, target: str, asked: Callable[[Body], Asked], *, strict: bool | None = None) -> Peer:
    return Peer(
        name=f"pydantic-ai ({name})",
        package="pydantic-ai-slim",
        environment="pydantic_ai",
        target=target,
        call="Agent(model, output_type=NativeOutput(Type" + (", strict=True))" if strict else "))"),
        needs=("pydantic_ai", f"pydantic_ai.models.{provider}", f"pydantic_ai.providers.{provider}"),
        open=_opener(provider, strict),
        asked=asked,
    )


PEERS = [
    _peer("OpenAI", "openai", "openai/chat", asked_by_format),
    _peer("OpenAI, strict", "openai", "openai/chat", asked_by_format, strict=True),
    _peer("Anthropic", "anthropic", "anthropic/messages", _asked_anthropic),
    _peer("Google", "google", "google", _asked_google),
]
