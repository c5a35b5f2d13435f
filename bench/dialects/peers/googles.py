"""Google's own SDK: ``response_schema`` with a type, which it rewrites; ``response_json_schema``, which it does not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic import TypeAdapter

from bench.dialects.peers.peer import Asked, Peer, Send, at

MODEL = "gemini-2.5-flash"


def _client(url: str) -> Any:
    return import_module("google.genai").Client(api_key="none", http_options={"base_url": url})


def _open_type(url: str) -> Send:
    client = _client(url)
    form = {"response_mime_type": "application/json"}
    return lambda kind: client.models.generate_content(
        model=MODEL, contents="x", config={**form, "response_schema": kind}
    )


def _open_schema(url: str) -> Send:
    client = _client(url)
    form = {"response_mime_type": "application/json"}

    def send(kind: Any) -> object:
        config = {**form, "response_json_schema": TypeAdapter(kind).json_schema()}
        return client.models.generate_content(model=MODEL, contents="x", config=config)

    return send


PEERS = [
    Peer(
        name="google-genai (type)",
        package="google-genai",
        environment="google",
        target="",
        call='config={"response_schema": Type}',
        needs=("google.genai",),
        open=_open_type,
        asked=lambda body: Asked(at(body, "generationConfig", "responseSchema"), strict=True),
    ),
    Peer(
        name="google-genai (schema)",
        package="google-genai",
        environment="google",
        target="google",
        call='config={"response_json_schema": Model.model_json_schema()}',
        needs=("google.genai",),
        open=_open_schema,
        asked=lambda body: Asked(at(body, "generationConfig", "responseJsonSchema"), strict=True),
    ),
]
