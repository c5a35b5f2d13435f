"""Where prices come from: declared by the caller, free by the caller's explicit word, or a package's list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from pratique.budget.genai import genai_price
from pratique.budget.price import NoPrice, Price
from pratique.show import show

__all__ = ["Prices"]


@dataclass(frozen=True, slots=True)
class Prices:
    """Know what models cost.

    Shape: ``lookup`` returns the price of a provider's model, or raises NoPrice.
    """

    lookup: Callable[[str, str], Price]

    def price_of(self, provider: str, model: str) -> Price:
        """Return the price of a model. Errors: NoPrice when it is not known: spend that is not known is not capped."""
        return self.lookup(provider, model)

    def or_else(self, other: Prices) -> Prices:
        """Return prices that ask ``other`` where these know none."""

        def asked(provider: str, model: str) -> Price:
            try:
                return self.price_of(provider, model)
            except NoPrice:
                return other.price_of(provider, model)

        return Prices(asked)

    @staticmethod
    def declared(*prices: Price) -> Prices:
        """Return prices that the caller vouches for; of two of one model the last."""
        known = {(price.provider, price.model): price for price in prices}

        def asked(provider: str, model: str) -> Price:
            if (provider, model) not in known:
                raise NoPrice(
                    f"no price is declared for {show(model)} of {show(provider)}",
                    remedy="add it to Prices.declared(…), or ask another list: .or_else(Prices.genai())",
                )
            return known[provider, model]

        return Prices(asked)

    @staticmethod
    def free(provider: str) -> Prices:
        """Say that everything of one provider costs nothing: an embedded model. Tokens are capped all the same."""

        def asked(named: str, model: str) -> Price:
            if named != provider:
                raise NoPrice(
                    f"only {show(provider)} is declared free, and not {show(named)}", remedy="declare its prices"
                )
            return Price(provider=named, model=model, input=Decimal(0), output=Decimal(0), source="declared free")

        return Prices(asked)

    @staticmethod
    def genai(clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Prices:
        """Return the prices of ``genai-prices``, as its installed version knows them: offline.

        Errors, when asked: NoPrice for a model that it does not know; Misuse without ``pratique[prices]``.
        """
        return Prices(lambda provider, model: genai_price(provider, model, clock()))
