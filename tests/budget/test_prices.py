"""Prices: declared, free by explicit word, or of a list; each a bound, and none made up."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import Usage as TheirUsage

from pratique.budget.money import dollars_of, picos_of
from pratique.budget.price import NoPrice, Price, Usage
from pratique.budget.prices import Prices

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
LISTED = Prices.genai(lambda: NOW)


def test_what_nobody_knows_has_no_price() -> None:
    """It is refused, never guessed."""
    for prices in (LISTED, Prices.declared(), Prices.free("other")):
        with pytest.raises(NoPrice):
            prices.price_of("anthropic", "made-up-model-of-nobody")


def test_free_is_an_explicit_word_for_one_provider() -> None:
    """Tokens are counted all the same."""
    price = Prices.free("embedded").price_of("embedded", "any")
    assert price.bill(Usage(input=10**6, output=10**6)) == 0
    assert price.source == "declared free"
    with pytest.raises(NoPrice):
        Prices.free("embedded").price_of("openai", "any")


def test_a_declared_price_goes_before_a_list() -> None:
    """And the list is asked for what is not declared."""
    mine = Price(provider="anthropic", model="claude-fable-5-2", input=Decimal(1), output=Decimal(2))
    prices = Prices.declared(mine).or_else(LISTED)
    assert prices.price_of("anthropic", "claude-fable-5-2") is mine
    assert prices.price_of("openai", "gpt-5.6").source.startswith("genai-prices ")


def priced() -> list[Any]:
    """Return every model of the list that has a price by the token and is found by its own id, once a provider."""
    snapshot = get_snapshot()
    found = []
    for provider in snapshot.providers:
        for model in provider.models:
            try:
                _, known = snapshot.find_provider_model(model.id, None, provider.id, None)
            except LookupError:
                continue
            rates = known.get_prices(NOW)
            if rates.input_mtok is not None and rates.output_mtok is not None:
                found.append((provider.id, model.id))
    return found


@pytest.mark.parametrize(
    "usage",
    [
        Usage(input=1_000, output=500), Usage(input=400_000, output=100), Usage(cache_read=50_000, output=1),
        Usage(input=10, cache_write=300_000, output=9),
    ],
    ids=["plain", "long", "read from a cache", "into a cache"],
)  # fmt: skip
def test_the_ceiling_is_above_what_the_list_itself_computes_for_every_model(usage: Usage) -> None:
    """In every tier; more than a thousand models."""
    models = priced()
    assert len(models) > 1_000
    for provider, model in models:
        price = LISTED.price_of(provider, model)
        theirs = calc_price(
            TheirUsage(
                input_tokens=usage.input + usage.cache_read + usage.cache_write, output_tokens=usage.output,
                cache_read_tokens=usage.cache_read, cache_write_tokens=usage.cache_write,
            ),
            model, provider_id=provider, genai_request_timestamp=NOW,
        ).total_price  # fmt: skip
        ceiling = price.ceiling(input_at_most=usage.tokens - usage.output, output_at_most=usage.output)
        assert theirs <= dollars_of(ceiling), (provider, model)


def test_the_cached_tokens_of_a_usage_are_no_part_of_its_input() -> None:
    """The trap of the list: its input is the total. Ours are classes that do not overlap, and the bills agree."""
    price = LISTED.price_of("anthropic", "claude-fable-5-2")
    usage = Usage(input=100, cache_read=5_000, output=20)
    theirs = calc_price(
        TheirUsage(input_tokens=5_100, cache_read_tokens=5_000, output_tokens=20),
        "claude-fable-5-2", provider_id="anthropic", genai_request_timestamp=NOW,
    ).total_price  # fmt: skip
    assert price.bill(usage) == picos_of(theirs)


def test_a_price_of_each_call_counts_whatever_it_uses() -> None:
    """Found by holding the ceilings of all models to the list's own sums."""
    price = LISTED.price_of("perplexity", "sonar")
    assert price.per_call > 0
    assert price.ceiling(input_at_most=0, output_at_most=0) == price.bill(Usage()) == picos_of(price.per_call)


def test_a_search_is_a_fee() -> None:
    """Ten dollars a thousand are a cent each."""
    price = LISTED.price_of("anthropic", "claude-fable-5-2")
    assert price.fees["web_search"] == Decimal("0.01")
    with_search = price.ceiling(input_at_most=0, output_at_most=0, fees={"web_search": 3})
    assert with_search == picos_of("0.03")
