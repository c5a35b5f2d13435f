"""OpenAI's own client: a reply of Chat Completions or of Responses becomes a delivery.

Ask with ``…create(…, **port.compiled.request)`` of a contract compiled for ``openai/chat`` or ``openai/responses``;
streams go through ``openai_chunks``. Refuses nothing itself: how production ended goes on as it was told, a refusal
before all else, and the boundary looks at it before the content. Neighbours: ``port`` judges what is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pratique.boundary.chunk import at, counts
from pratique.boundary.delivery import Delivery, ToolCall
from pratique.errors import Misuse
from pratique.hooks.wire import json_text, text_of, word_of

try:
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response
except ImportError as error:
    raise ImportError("this hook needs openai, 3.54 or later; pip install 'pratique[openai]'", name="openai") from error

__all__ = ["delivery_of"]

_CALLS = ("function_call", "custom_tool_call")
_READ = ("message", *_CALLS)
"""Items of a Response that are payload; how one of them ended counts for the whole."""


def delivery_of(reply: ChatCompletion | Response, *, choice: int = 0) -> Delivery:
    """Make a delivery of one reply: its text, its tool calls, and how production ended.

    Shape: arguments of calls are text as it was sent. ``choice`` is the place of the choice that is meant, where
        several were asked for: each is a delivery of its own. A refusal's words are in the text.
        Reasoning, and what the provider's own tools did, is no payload and is passed over.
    Errors: Misuse for what is no reply, and for a choice that is not there. Nothing that stands in a reply raises.
    Not checked: anything; ``Port.admit`` does.
    Source: Chat Completions and Responses, 2026-11; ``openai.types`` 3.54.0.
    """
    if isinstance(reply, ChatCompletion):
        return _chat(reply, choice)
    if isinstance(reply, Response):
        return _response(reply)
    raise Misuse(
        f"this {type(reply).__name__} is no reply",
        remedy="pass a ChatCompletion or a Response; with_raw_response.create returned one that wants .parse()",
    )


def _chat(reply: ChatCompletion, place: int) -> Delivery:
    choices = _list(at(reply, "choices"))
    if place and not 0 <= place < len(choices):
        raise Misuse(f"the reply has no choice {place}", remedy=f"it has {len(choices)}, counted from 0")
    choice = choices[place] if choices else None
    message = at(choice, "message")
    refusal = text_of(at(message, "refusal"))
    calls = [
        _call(at(call, "function") or at(call, "custom"), at(call, "id")) for call in _list(at(message, "tool_calls"))
    ]
    if at(message, "function_call") is not None:
        calls.append(_call(at(message, "function_call"), None))
    return _delivery(
        reply,
        texts=(text_of(at(message, "content")), refusal),
        calls=calls,
        finish_reason="refusal" if refusal else word_of(at(choice, "finish_reason")),
    )


def _response(reply: Response) -> Delivery:
    items = _list(at(reply, "output"))
    contents = [part for item in items if at(item, "type") == "message" for part in _list(at(item, "content"))]
    return _delivery(
        reply,
        texts=(text_of(at(part, "text")) or text_of(at(part, "refusal")) for part in contents),
        calls=[_call(item, at(item, "call_id")) for item in items if at(item, "type") in _CALLS],
        finish_reason=next(_endings(reply, items, contents), None),
    )


def _endings(reply: Response, items: list[Any], contents: list[Any]) -> Iterator[str | None]:
    """Yield how production ended, what weighs most first."""
    if any(at(part, "type") == "refusal" for part in contents):
        yield "refusal"
    if at(reply, "error") is not None:
        yield "failed"
    if at(reply, "incomplete_details", "reason") is not None:
        yield word_of(at(reply, "incomplete_details", "reason"))
    status = word_of(at(reply, "status"))
    if status in (None, "completed"):
        read = [word_of(at(item, "status")) for item in items if at(item, "type") in _READ]
        yield from (word for word in read if word not in (None, "completed", "incomplete", "in_progress"))
        yield from ("incomplete" for word in read if word in ("incomplete", "in_progress"))
    yield status


def _delivery(reply: Any, texts: Iterable[str], calls: list[ToolCall], finish_reason: str | None) -> Delivery:
    ids = {"reply": at(reply, "id"), "request": at(reply, "_request_id")}
    return Delivery(
        text="".join(texts),
        tool_calls=tuple(calls),
        finish_reason=finish_reason,
        usage=counts(at(reply, "usage")),
        model=text_of(at(reply, "model")) or None,
        ids={name: value for name, value in ids.items() if isinstance(value, str)},
    )


def _call(called: Any, id: Any) -> ToolCall:
    given = at(called, "arguments")
    return ToolCall(
        text_of(at(called, "name")), json_text(at(called, "input") if given is None else given), text_of(id) or None
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
