"""An amount on the two axes that are capped: tokens and money."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pratique.budget.money import MAX_COUNT, MAX_PICOS, dollars_of, picos_of, require_count
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["NOTHING", "Amount", "amount_of"]


@dataclass(frozen=True, slots=True, order=False)
class Amount:
    """Hold tokens and pico-dollars, both whole and never negative.

    Units: tokens; pico-dollars, 1e-12 of a dollar.
    Errors: Misuse for anything but whole numbers of at least 0.
    """

    tokens: int
    picos: int

    def __post_init__(self) -> None:
        tokens, picos = self.tokens, self.picos
        if type(tokens) is int and type(picos) is int and 0 <= tokens <= MAX_COUNT and 0 <= picos <= MAX_PICOS:
            return
        require_count(self.tokens, "tokens")
        if isinstance(self.picos, bool) or not isinstance(self.picos, int) or not 0 <= self.picos <= MAX_PICOS:
            raise Misuse(
                f"picos must be a whole number of pico-dollars, not {show(self.picos)}", remedy="use amount_of"
            )

    @property
    def dollars(self) -> Decimal:
        """The money, exactly."""
        return dollars_of(self.picos)

    def plus(self, other: Amount) -> Amount:
        """Return the sum."""
        return Amount(self.tokens + other.tokens, self.picos + other.picos)

    def minus(self, other: Amount) -> Amount:
        """Return the difference. Errors: Misuse when it would be negative on an axis."""
        return Amount(self.tokens - other.tokens, self.picos - other.picos)

    def beyond(self, other: Amount) -> Amount:
        """Return by how much it is more than another amount, each axis on its own."""
        return Amount(max(0, self.tokens - other.tokens), max(0, self.picos - other.picos))

    def at_most(self, other: Amount) -> Amount:
        """Return the smaller one, each axis on its own."""
        return Amount(min(self.tokens, other.tokens), min(self.picos, other.picos))

    def is_within(self, other: Amount) -> bool:
        """Say whether it is no more than another amount, on both axes."""
        return self.tokens <= other.tokens and self.picos <= other.picos

    def __str__(self) -> str:
        return f"{self.tokens:,} tokens, ${self.dollars}"


NOTHING = Amount(0, 0)


def amount_of(tokens: int, dollars: Decimal | int | str) -> Amount:
    """Make an amount of tokens and dollars. Errors: Misuse as ``picos_of``."""
    return Amount(tokens, picos_of(dollars))
