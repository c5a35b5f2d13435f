"""A piece of a delivery on its way: text, a fragment of a tool call's arguments, or what the provider told.

``anthropic_chunks`` and ``openai_chunks`` turn the providers' own stream events into chunks. They read plain
dicts, or objects with the same attributes; no SDK is imported. What they do not know they pass over, and a
finish reason they do not know refuses the delivery later, as it would in one piece.

Source: Anthropic Messages streaming events; OpenAI Chat Completions chunks and Responses events, 2026.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pratique.errors import Misuse

__all__ = ["Chunk", "anthropic_chunks", "openai_chunks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Hold one piece of a delivery.

    Shape: ``call`` is the place of a tool call among the calls of this delivery, from 0; ``arguments`` is the
        next fragment of its arguments; ``done`` says that no more of them come.
    Errors: Misuse for text that is none.
    """

    text: str = ""
    call: int | None = None
    name: str = ""
    id: str | None = None
    arguments: str = ""
    done: bool = False
    finish_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None

    def __post_init__(self) -> None:
        for name in ("text", "name", "arguments"):
            if not isinstance(getattr(self, name), str):
                raise Misuse(
                    f"the {name} of a chunk must be text, not {getattr(self, name)!r}", remedy="decode it first"
                )
        if not isinstance(self.usage, Mapping):
            raise Misuse(f"usage must map names to counts, not {self.usage!r}", remedy="pass the provider's own record")


def anthropic_chunks(events: Iterable[Any]) -> Iterator[Chunk]:
    """Turn Anthropic's Messages stream events into chunks.

    Shape: events as dicts or SDK objects, ``message_start`` to ``message_stop``. Thinking, and the tools that the
        provider calls itself, are passed over: they are no payload.
    """
    calls: dict[int, int] = {}
    bare: set[int] = set()
    for event in events:
        kind = at(event, "type")
        if kind == "message_start":
            yield Chunk(model=at(event, "message", "model"), usage=counts(at(event, "message", "usage")))
        elif kind == "content_block_start" and at(event, "content_block", "type") == "tool_use":
            call = calls.setdefault(at(event, "index"), len(calls))
            block = at(event, "content_block")
            if at(block, "input") == {}:
                bare.add(call)
            yield Chunk(call=call, name=at(block, "name") or "", id=at(block, "id"))
        elif kind == "content_block_delta":
            delta = at(event, "delta")
            if at(delta, "type") == "text_delta":
                yield Chunk(text=at(delta, "text") or "")
            elif at(delta, "type") == "input_json_delta" and at(event, "index") in calls:
                call, fragment = calls[at(event, "index")], at(delta, "partial_json") or ""
                bare -= {call} if fragment else set()
                yield Chunk(call=call, arguments=fragment)
        elif kind == "content_block_stop" and at(event, "index") in calls:
            call = calls[at(event, "index")]
            # A call without arguments has no fragment: its input stands in its first event.
            yield Chunk(call=call, arguments="{}" if call in bare else "", done=True)
        elif kind == "message_delta":
            yield Chunk(finish_reason=at(event, "delta", "stop_reason"), usage=counts(at(event, "usage")))


def openai_chunks(events: Iterable[Any]) -> Iterator[Chunk]:
    """Turn OpenAI's stream events into chunks: Chat Completions chunks, and Responses events.

    Shape: events as dicts or SDK objects; only the first choice of a Chat Completions chunk is read.
    """
    calls: dict[Any, int] = {}
    for event in events:
        if at(event, "choices") is not None:
            yield from _chat(event, calls)
        else:
            yield from _response(event, calls)


def _chat(event: Any, calls: dict[Any, int]) -> Iterator[Chunk]:
    usage = counts(at(event, "usage"))
    choice = next((choice for choice in at(event, "choices") if not at(choice, "index")), None)
    if choice is None:
        if usage:
            yield Chunk(usage=usage)
        return
    delta = at(choice, "delta")
    if at(delta, "content"):
        yield Chunk(text=at(delta, "content"))
    if at(delta, "refusal"):
        yield Chunk(finish_reason="refusal")
    for fragment in at(delta, "tool_calls") or ():
        call = calls.setdefault(at(fragment, "index") or 0, len(calls))
        yield Chunk(
            call=call, name=at(fragment, "function", "name") or "", id=at(fragment, "id"),
            arguments=at(fragment, "function", "arguments") or "",
        )  # fmt: skip
    if at(choice, "finish_reason") or usage:
        yield Chunk(finish_reason=at(choice, "finish_reason"), usage=usage, model=at(event, "model"))


_DONE = ("response.function_call_arguments.done", "response.custom_tool_call_input.done")


def _response(event: Any, calls: dict[Any, int]) -> Iterator[Chunk]:
    kind = at(event, "type")
    if kind == "response.output_text.delta":
        yield Chunk(text=at(event, "delta") or "")
    elif kind == "response.output_item.added" and at(event, "item", "type") in ("function_call", "custom_tool_call"):
        call = calls.setdefault(at(event, "output_index"), len(calls))
        yield Chunk(call=call, name=at(event, "item", "name") or "", id=at(event, "item", "call_id"))
    elif kind in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
        call = calls.setdefault(at(event, "output_index"), len(calls))
        yield Chunk(call=call, arguments=at(event, "delta") or "")
    elif kind in _DONE and at(event, "output_index") in calls:
        yield Chunk(call=calls[at(event, "output_index")], done=True)
    elif kind in ("response.refusal.delta", "response.refusal.done"):
        yield Chunk(finish_reason="refusal")
    elif kind in ("response.completed", "response.incomplete", "response.failed"):
        reason = at(event, "response", "incomplete_details", "reason") or kind.removeprefix("response.")
        yield Chunk(
            finish_reason=reason, usage=counts(at(event, "response", "usage")), model=at(event, "response", "model")
        )


def at(event: Any, *path: str) -> Any:
    """Follow a path in dicts or objects; None where it ends."""
    for name in path:
        event = event.get(name) if isinstance(event, Mapping) else getattr(event, name, None)
    return event


def counts(usage: Any) -> dict[str, int]:
    """Return the whole numbers of a usage record, by the provider's own names."""
    known = usage if isinstance(usage, Mapping) else vars(usage) if hasattr(usage, "__dict__") else {}
    return {name: count for name, count in known.items() if isinstance(count, int) and not isinstance(count, bool)}
