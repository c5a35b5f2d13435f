"""What a leaf tells: which key it uses, what it sent, what came back. Digests and sizes, never text unless asked."""

from __future__ import annotations

from dataclasses import dataclass

from pratique.events import Told

__all__ = ["LeafFailed", "LeafInvoked", "LeafKeyLoaded", "LeafReturned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafKeyLoaded(Told):
    """A key was loaded; nothing of the key itself is told. ``source`` is ``keyring`` or ``explicit``."""

    name = "leaf.key_loaded"
    provider: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafInvoked(Told):
    """A request is about to be sent, under a token that was redeemed."""

    name = "leaf.invoked"
    token: str
    budget: str
    provider: str
    model: str
    max_tokens: int
    request_digest: str
    """Of the exact bytes; the digest that the reservation was made for."""
    prompt_digest: str
    prompt: str | None = None
    """The prompt's text; None: the caller did not ask for it to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafReturned(Told):
    """A reply came back, whatever it holds. Units: tokens; ``took_ms`` by a clock that never goes back.

    ``input_tokens`` are those read at the full rate; the two kinds of cached ones stand apart.
    """

    name = "leaf.returned"
    token: str
    provider: str
    model: str
    """As the reply names it."""
    response_id: str | None
    finish_reason: str | None
    reply_digest: str
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int | None
    """Of the output; None: not told."""
    took_ms: int
    reply: str | None = None
    """The reply's text; None: the caller did not ask for it to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafFailed(Told):
    """No reply came: ``error`` is the kind of what went wrong. What the call cost, its hold tells."""

    name = "leaf.failed"
    token: str
    provider: str
    model: str
    error: str
    took_ms: int
