"""Prices from the data that the package ``genai-prices`` carries: offline, dated by its version.

It tells prices by tier, by time and by variant of a request; a bound is the dearest of them all. What it does not know
has no price.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import ROUND_CEILING, Context, Decimal
from importlib.metadata import version
from typing import Any

from pratique.budget.money import ceil_divided, dollars_of, picos_of
from pratique.budget.price import NoPrice, Price
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["genai_price"]

_FINEST = Decimal("1e-12")
_WIDE = Context(prec=60)

_PER_THOUSAND = {"web_searches_kcount": "web_search", "storage_searches_kcount": "storage_search"}
"""What is told by the thousand, and the name of the fee for one."""


def genai_price(provider: str, model: str, now: datetime) -> Price:
    """Return the price of a model at a time.

    Errors: NoPrice for a model that is not known, or has no rate for prompt and reply; Misuse without the package.
    """
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError as error:
        raise Misuse(
            "prices of providers need the package genai-prices, which is not installed",
            remedy="pip install 'pratique[prices]', or declare them: Prices.declared(Price(…))",
        ) from error
    try:
        _, known = get_snapshot().find_provider_model(model, None, provider, None)
    except LookupError as error:
        raise NoPrice(
            f"nobody knows what {show(model)} of {show(provider)} costs",
            remedy="declare it: Prices.declared(Price(…)), or upgrade genai-prices",
        ) from error
    rates = {key: rate for key, rate in vars(known.get_prices(now)).items() if rate is not None}
    if "input_mtok" not in rates or "output_mtok" not in rates:
        raise NoPrice(f"{show(model)} has no price by the token", remedy="declare it: Prices.declared(Price(…))")
    every = list(_every(known))
    writes = [_base(rates[key]) for key in ("cache_write_mtok", "cache_write_1h_mtok") if key in rates]
    return Price(
        provider=provider,
        model=model,
        input=_base(rates["input_mtok"]),
        output=_base(rates["output_mtok"]),
        cache_read=_base(rates["cache_read_mtok"]) if "cache_read_mtok" in rates else None,
        cache_write=max(writes, default=None),
        input_at_most=_dearest(every, is_output=False),
        output_at_most=_dearest(every, is_output=True),
        per_call=_one_of_a_thousand(rates.get("requests_kcount", Decimal(0))),
        fees={name: _one_of_a_thousand(rates[key]) for key, name in _PER_THOUSAND.items() if key in rates},
        source=f"genai-prices {version('genai-prices')}",
    )


def _every(known: Any) -> Iterator[dict[str, Any]]:
    """Yield every set of rates that may be in force: now, at another time, or for another variant of a request."""
    listed = known.prices if isinstance(known.prices, list) else [known.prices]
    yield from (vars(getattr(each, "prices", each)) for each in listed)
    yield from (vars(variant.prices) for variant in known.price_variants or ())


def _dearest(sets: Iterable[dict[str, Any]], *, is_output: bool) -> Decimal:
    """Return the most that a token of one side costs, of any kind, in any tier."""
    found = (
        step
        for rates in sets
        for key, rate in rates.items()
        if rate is not None and key.endswith("_mtok") and key.startswith("output") is is_output
        for step in _steps(rate)
    )
    return max(found)


def _steps(rate: Any) -> Iterator[Decimal]:
    yield _base(rate)
    yield from (_rounded_up(tier.price) for tier in getattr(rate, "tiers", ()))


def _base(rate: Any) -> Decimal:
    return _rounded_up(getattr(rate, "base", rate))


def _one_of_a_thousand(rate: Any) -> Decimal:
    return dollars_of(ceil_divided(picos_of(_base(rate)), 1_000))


def _rounded_up(rate: Decimal) -> Decimal:
    """Return a rate with no more places than money has here: the list has some that went through a float."""
    return rate.quantize(_FINEST, ROUND_CEILING, _WIDE)
