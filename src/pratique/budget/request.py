"""What one model call may cost at most: the request as it will be sent, its price, and bounds on both sides.

A ceiling is a promise: the bill is never more. So the input is bounded by what a tokenizer or the provider counted,
and else by the bytes of the request: a byte-level tokenizer never makes more tokens than bytes. The output is bounded
by the ``max_tokens`` that is sent. Without it, or without a price, there is no bound and the request is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from blake3 import blake3

from pratique.budget.amount import Amount
from pratique.budget.money import require_count
from pratique.budget.price import Price
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["COUNT_MARGIN_PERCENT", "OVERHEAD_TOKENS", "Call", "Request", "counted_input", "request_of"]

OVERHEAD_TOKENS = 2_048
"""Tokens that a provider adds to a request: its own words around tools and schemas, which nobody sees. Judgement; the
largest that vendors tell of is some hundreds."""

COUNT_MARGIN_PERCENT = 5
"""Percent that is added to a provider's own count. Judgement; Anthropic says of its own that it is an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Say what a reservation is for: the ledger keeps it, and every event of the reservation tells it."""

    digest: str
    """Of the exact bytes that will be sent."""
    provider: str
    model: str
    price: str
    """The digest of the rates that the ceiling was computed by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Hold what a hold is made for.

    Units: tokens. ``digest`` is of the exact bytes that will be sent: another request cannot use the hold.
    Errors: Misuse for a count that is none, and without ``max_tokens``.
    """

    provider: str
    model: str
    max_tokens: int
    """The most that one reply may have, as it is sent: reasoning counts."""
    input_at_most: int
    """A bound on the tokens of the prompt, never an estimate."""
    price: Price
    digest: str
    choices: int = 1
    """Replies that are asked for at once."""
    fees: Mapping[str, int] = field(default_factory=dict)
    """What is charged by the piece, at most how often."""

    def __post_init__(self) -> None:
        require_count(self.max_tokens, "max_tokens", least=1)
        require_count(self.input_at_most, "input_at_most")
        require_count(self.choices, "choices", least=1)
        if (self.price.provider, self.price.model) != (self.provider, self.model):
            raise Misuse(
                f"the price is of {show(self.price.model)} at {show(self.price.provider)}, the request for "
                f"{show(self.model)} at {show(self.provider)}",
                remedy="take the price of the model that is asked",
            )

    @property
    def ceiling(self) -> Amount:
        """The most that it can use: every token at the dearest rate of its side, and all fees; money rounded up."""
        output = self.max_tokens * self.choices
        picos = self.price.ceiling(input_at_most=self.input_at_most, output_at_most=output, fees=self.fees)
        return Amount(self.input_at_most + output, picos)

    @property
    def call(self) -> Call:
        """What the ledger keeps of it."""
        return Call(digest=self.digest, provider=self.provider, model=self.model, price=self.price.digest)


def request_of(
    body: bytes,
    *,
    provider: str,
    model: str,
    max_tokens: int | None,
    price: Price,
    input_at_most: int | None = None,
    overhead_tokens: int = OVERHEAD_TOKENS,
    choices: int = 1,
    fees: Mapping[str, int] | None = None,
) -> Request:
    """Make the request of the bytes that will be sent.

    Shape: ``input_at_most`` is a bound that somebody counted (``counted_input``); None: one token a byte of ``body``,
        and ``overhead_tokens`` for what the provider adds.
    Errors: Misuse without ``max_tokens``: a reply without end has no ceiling.
    """
    if max_tokens is None:
        raise Misuse(
            "the request has no max_tokens, so nothing bounds its reply", remedy="send max_tokens, and give it"
        )
    require_count(overhead_tokens, "overhead_tokens")
    bound = len(body) + overhead_tokens if input_at_most is None else input_at_most
    return Request(
        provider=provider, model=model, max_tokens=max_tokens, input_at_most=bound, price=price,
        digest="b3:" + blake3(body).hexdigest(length=32), choices=choices, fees=dict(fees or {}),
    )  # fmt: skip


def counted_input(tokens: int, *, margin_percent: int = COUNT_MARGIN_PERCENT) -> int:
    """Return a bound on the prompt of what a provider's own counter said; an exact tokenizer needs no margin: 0.

    Units: tokens, rounded up.
    """
    require_count(tokens, "tokens")
    require_count(margin_percent, "margin_percent")
    return tokens + -(-tokens * margin_percent // 100)
