"""What came: text or tool calls, and what the provider said about it.

"Not told" (``None``) is allowed; "told but unknown" refuses: a stop reason that this table does not know
may mean anything, a cut-off reply too. What a provider claims to have enforced is not believed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pratique.errors import Code, Misuse

__all__ = ["Delivery", "Producer", "Stop", "ToolCall", "stop_of"]

FINISH_UNKNOWN = Code(
    "delivery.finish_reason_unknown",
    "the provider gave a finish reason that nobody here knows",
    "An unknown reason may mean a cut, a filter or a fault; guessing would admit a cut-off reply as complete.",
    "map the provider's reason to one that is known, or pass finish_reason=None if it was not told",
)
FINISH_FAILED = Code(
    "delivery.failed",
    "the provider says that the reply is faulty",
    "A reply that its own provider calls malformed is not evidence of what the model meant.",
    "ask again; nothing of this delivery was admitted",
)
DECLINED = Code(
    "delivery.declined",
    "the producer declined, or a filter stopped it",
    "A refusal is an outcome of its own; whatever text came with it is not a payload.",
    "read the refusal; do not retry the same request",
)
TOO_LARGE = Code(
    "delivery.too_large",
    "the delivery is larger than limits.max_bytes",
    "Memory and time grow with the delivery; past the limit it is not read at all.",
    "raise limits.max_bytes, or ask for less",
)
NOT_UTF8 = Code(
    "delivery.not_utf8",
    "some bytes of the delivery are not UTF-8",
    "The bytes are kept as they are; a unit that holds one is refused, the others are not touched.",
    "send UTF-8",
)


class Producer(StrEnum):
    """Say who delivers. The verdict does not depend on it: the gate is the same for all."""

    MODEL = "model"
    AGENT = "agent"
    PERSON = "person"


class Stop(StrEnum):
    """Say how production ended."""

    NOT_TOLD = "not_told"
    COMPLETE = "complete"
    TRUNCATED = "truncated"
    DECLINED = "declined"
    FAILED = "failed"
    UNKNOWN = "unknown"


REFUSING = frozenset({Stop.DECLINED, Stop.FAILED, Stop.UNKNOWN})
"""How production ends when nothing of the delivery may be admitted."""

# Source: the stop reasons of the providers' 2026 APIs; compared in lower case.
_STOPS: Mapping[str, Stop] = {
    **dict.fromkeys(
        ("stop", "end_turn", "stop_sequence", "eos", "completed", "complete", "tool_calls", "tool_call", "tool_use",
         "function_call"),
        Stop.COMPLETE,
    ),
    **dict.fromkeys(
        ("length", "max_tokens", "max_output_tokens", "max_messages", "model_length", "model_context_window_exceeded",
         "context_length_exceeded", "step_limit", "max_steps", "max_turns", "max_iterations", "incomplete",
         "pause_turn", "compaction", "continuation", "too_many_tool_calls", "steered", "truncated"),
        Stop.TRUNCATED,
    ),
    **dict.fromkeys(
        ("refusal", "refused", "content_filter", "content_filtered", "guardrail_intervened", "safety", "recitation",
         "blocklist", "prohibited_content", "spii", "language", "image_safety"),
        Stop.DECLINED,
    ),
    **dict.fromkeys(
        ("malformed_function_call", "unexpected_tool_call", "malformed_model_output", "malformed_tool_use", "failed",
         "cancelled", "error"),
        Stop.FAILED,
    ),
}  # fmt: skip


def stop_of(finish_reason: str | None) -> Stop:
    """Classify a provider's finish reason; compared without regard to letter case."""
    if finish_reason is None:
        return Stop.NOT_TOLD
    return _STOPS.get(finish_reason.strip().lower(), Stop.UNKNOWN)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as it came: the arguments are raw text, not yet read by anybody."""

    name: str
    arguments: str
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Hold what one producer delivered, unread.

    Units: ``usage`` in tokens, as the provider named them.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    producer: Producer = Producer.MODEL
    model: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> str:
        """The text that spans count in: the text, then each call's arguments, each on a new line."""
        if not self.tool_calls:
            return self.text
        return "\n".join([self.text, *(call.arguments for call in self.tool_calls)])

    @property
    def stop(self) -> Stop:
        """How production ended, by what the provider told."""
        return stop_of(self.finish_reason)


def delivery_of(source: str | bytes | Delivery, finish_reason: str | None, producer: Producer | str | None) -> Delivery:
    """Make a delivery of what the caller has; bytes that are not UTF-8 survive as lone surrogates.

    Errors: Misuse when it is nothing that can be delivered, or two places tell the same thing.
    """
    if isinstance(source, Delivery):
        if finish_reason is not None or producer is not None:
            raise Misuse(
                "the finish reason and the producer of a Delivery are told by the Delivery",
                remedy="give them to Delivery(…), not to admit()",
            )
        return source
    if not isinstance(source, (str, bytes, bytearray, memoryview)):
        raise Misuse(f"cannot admit {type(source).__name__}", remedy="give text, UTF-8 bytes, or a Delivery")
    if finish_reason is not None and not isinstance(finish_reason, str):
        raise Misuse(
            f"finish_reason must be text, not {finish_reason!r}", remedy="pass the provider's own word, or None"
        )
    try:
        who = Producer.MODEL if producer is None else Producer(producer)
    except ValueError as error:
        raise Misuse(f"no producer is called {producer!r}", remedy="use model, agent or person") from error
    text = source if isinstance(source, str) else bytes(source).decode("utf-8", "surrogateescape")
    return Delivery(text=text, finish_reason=finish_reason, producer=who)
