"""What a model costs: the rates of one price list, as exact decimals, with where they are from.

A price is a snapshot: its digest goes into every event, so that a bill can be checked years later against the rates
that were believed. A model without a price is refused; that something costs nothing is the caller's explicit word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from blake3 import blake3

from pratique.budget.money import ceil_divided, dollars_of, picos_of, require_count
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["NoPrice", "Price", "Usage"]

PER = 1_000_000
"""Tokens that a rate is told for."""


class NoPrice(Misuse):
    """Tell that nobody knows what a model costs: spend that is not known cannot be capped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Say what one call used, each token in one class.

    Units: tokens. ``fees`` counts what is charged by the piece, by name: searches, containers.
    """

    input: int = 0
    """Tokens read at the full rate: neither from a cache nor into one."""
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    """Tokens written, reasoning included."""
    fees: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("input", "cache_read", "cache_write", "output"):
            require_count(getattr(self, name), name)
        for name, count in self.fees.items():
            require_count(count, f"fees of {name}")

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input + self.cache_read + self.cache_write + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Hold the rates of one model.

    Units: dollars per million tokens; ``fees`` and ``per_call`` in dollars by the piece.
    Errors: Misuse for a rate that is no exact amount.
    """

    provider: str
    model: str
    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    """None: as ``input``."""
    cache_write: Decimal | None = None
    """The dearest way to write a cache; None: as ``input``."""
    input_at_most: Decimal | None = None
    """The dearest rate of any tier, where long prompts cost more; None: there are no tiers."""
    output_at_most: Decimal | None = None
    per_call: Decimal = Decimal(0)
    """Of each call, whatever it uses."""
    fees: Mapping[str, Decimal] = field(default_factory=dict)
    source: str = "declared"
    """Where the rates are from, with its version."""

    def __post_init__(self) -> None:
        for name in _RATES:
            rate = getattr(self, name)
            if rate is not None:
                _require_rate(rate, name)
        for name, fee in self.fees.items():
            picos_of(fee, what=f"the fee of {name}")

    @property
    def dearest_input(self) -> Decimal:
        """The most that one token of a prompt can cost, per million."""
        return max(
            rate for rate in (self.input, self.cache_read, self.cache_write, self.input_at_most) if rate is not None
        )

    @property
    def dearest_output(self) -> Decimal:
        """The most that one token of a reply can cost, per million."""
        return max(rate for rate in (self.output, self.output_at_most) if rate is not None)

    @property
    def digest(self) -> str:
        """The stable digest of the rates and of where they are from."""
        told = {
            "provider": self.provider, "model": self.model, "source": self.source,
            **{name: _text(getattr(self, name)) for name in _RATES},
            "fees": {name: _text(fee) for name, fee in sorted(self.fees.items())},
        }  # fmt: skip
        return "b3:" + blake3(json.dumps(told, sort_keys=True).encode()).hexdigest(length=16)

    def bill(self, usage: Usage) -> int:
        """Compute what a call cost by these rates, tiers left out.

        Units: pico-dollars, rounded up once, over the whole bill.
        Errors: Misuse for a fee that has no price.
        Not checked: whether the provider bills the same.
        """
        rates = {
            "input": self.input, "output": self.output,
            "cache_read": self.input if self.cache_read is None else self.cache_read,
            "cache_write": self.input if self.cache_write is None else self.cache_write,
        }  # fmt: skip
        tokens = sum(getattr(usage, name) * picos_of(rate) for name, rate in rates.items())
        return ceil_divided(tokens, PER) + self._fees(usage.fees)

    def ceiling(self, *, input_at_most: int, output_at_most: int, fees: Mapping[str, int] | None = None) -> int:
        """Compute the most that a call can cost: every token at the dearest rate of its side.

        Units: tokens; pico-dollars, rounded up.
        """
        require_count(input_at_most, "input_at_most")
        require_count(output_at_most, "output_at_most")
        tokens = input_at_most * picos_of(self.dearest_input) + output_at_most * picos_of(self.dearest_output)
        return ceil_divided(tokens, PER) + self._fees(fees or {})

    def _fees(self, counts: Mapping[str, int]) -> int:
        for name in counts:
            if name not in self.fees:
                raise NoPrice(
                    f"{show(self.model)} has no price for {show(name)}",
                    remedy=f'declare it: fees={{"{name}": Decimal("0.01")}}, or do without',
                )
        return picos_of(self.per_call) + sum(picos_of(self.fees[name]) * count for name, count in counts.items())


_RATES = ("input", "output", "cache_read", "cache_write", "input_at_most", "output_at_most", "per_call")


def _require_rate(rate: Decimal, name: str) -> None:
    if not isinstance(rate, Decimal):
        raise Misuse(f"{name} must be a Decimal, not {show(rate)}", remedy='write Decimal("3.00")')
    picos_of(rate, what=name)


def _text(rate: Decimal | None) -> str | None:
    return None if rate is None else str(dollars_of(picos_of(rate)))
