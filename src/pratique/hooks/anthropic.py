"""Anthropic's own client: a reply of the Messages API becomes a delivery.

Ask with ``messages.create(…, **port.compiled.request)`` of a contract compiled for ``anthropic/messages`` or
``anthropic/tools``; streams go through ``anthropic_chunks``. Refuses nothing itself: the stop reason goes on as it was
told, and the boundary looks at it before the content. Neighbours: ``port`` judges what is made here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from pratique.boundary.chunk import at, counts
from pratique.boundary.delivery import Delivery, ToolCall
from pratique.errors import Misuse
from pratique.hooks.wire import as_sent, elements_of, json_text, member_of, text_of, word_of

try:
    from anthropic import APIResponse, AsyncAPIResponse
    from anthropic.types import Message
except ImportError as error:
    raise ImportError(
        "this hook needs anthropic, 2.12 or later; pip install 'pratique[anthropic]'", name="anthropic"
    ) from error

__all__ = ["delivery_of"]

UNREADABLE = "unreadable_reply"
"""How a reply ended whose body is no JSON object, or one too deep to be read. No provider says so: it is refused."""


def delivery_of(reply: Message | APIResponse[Message] | str | bytes) -> Delivery:
    """Make a delivery of one reply: its text, its tool calls, and what was told about both.

    Shape: best a reply as it was sent: what ``messages.with_raw_response.create`` returns, or the body's text. There
        the arguments of a call are the characters that were sent; of a ``Message`` they are written anew.
        Thinking, and what the provider's own tools did, is no payload and is passed over.
    Errors: Misuse for what is no reply. Nothing that stands in a reply raises: what is missing is not there.
    Not checked: anything; ``Port.admit`` does.
    Source: Messages API 2026-10-21; ``anthropic.types`` 2.12.0.
    """
    if isinstance(reply, AsyncAPIResponse):
        raise Misuse("the body of this response is not read yet", remedy="pass await response.text()")
    if isinstance(reply, Message):
        return _delivery(reply, "")
    if not isinstance(reply, (str, bytes, APIResponse)):
        raise Misuse(
            f"this {type(reply).__name__} is no reply",
            remedy="pass a Message, what with_raw_response.create returned, or the body's text",
        )
    request_id = reply.request_id if isinstance(reply, APIResponse) else None
    body = reply.text() if isinstance(reply, APIResponse) else reply
    if isinstance(body, bytes):
        body = body.decode("utf-8", "surrogateescape")
    message = _read(body)
    if not isinstance(message, Mapping):
        return Delivery(text=body, finish_reason=UNREADABLE)
    return _delivery(message, body, request_id)


def _read(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _delivery(message: Any, body: str, request_id: str | None = None) -> Delivery:
    """Read a message, as an object or as plain values; ``body`` is the text that it was read from, if it is there."""
    texts: list[str] = []
    calls: list[ToolCall] = []
    sent = elements_of(member_of(body, "content")) if body else []
    blocks = at(message, "content")
    for block, text in zip_longest(blocks if isinstance(blocks, list) else [], sent, fillvalue=""):
        kind = at(block, "type")
        if kind == "text":
            texts.append(text_of(at(block, "text")))
        elif kind == "tool_use":
            given = at(block, "input")
            arguments = as_sent(member_of(text, "input"), given) if text else json_text(given)
            calls.append(ToolCall(text_of(at(block, "name")), arguments, text_of(at(block, "id")) or None))
    refused = at(message, "stop_details", "type") == "refusal"
    ids = {"message": at(message, "id"), "request": request_id or at(message, "_request_id")}
    return Delivery(
        text="".join(texts),
        tool_calls=tuple(calls),
        finish_reason="refusal" if refused else word_of(at(message, "stop_reason")),
        usage=counts(at(message, "usage")),
        model=text_of(at(message, "model")) or None,
        ids={name: value for name, value in ids.items() if isinstance(value, str)},
    )
