"""Money is exact: no float anywhere, whatever the decimal context, and a bound is never rounded down."""

from __future__ import annotations

import ast
import math
from decimal import ROUND_UP, Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pratique.budget
from pratique.budget.amount import Amount
from pratique.budget.money import MAX_PICOS, dollars_of, picos_of
from pratique.budget.price import NoPrice, Price, Usage
from pratique.errors import Misuse

RATES = st.decimals(min_value=0, max_value=1_000, places=6)
TOKENS = st.integers(0, 10**7)
NARROW = Context(prec=2, rounding=ROUND_UP)
"""A context that would spoil every sum, if one were done in it."""


@given(st.integers(0, MAX_PICOS))
def test_picos_and_dollars_are_one_amount(picos: int) -> None:
    """There and back, to the last digit, in any context."""
    with localcontext(NARROW):
        assert picos_of(dollars_of(picos)) == picos
        assert picos_of(str(dollars_of(picos))) == picos
    assert Fraction(dollars_of(picos)) == Fraction(picos, 10**12)


@given(st.lists(st.integers(0, 10**15), max_size=20))
def test_sums_of_amounts_are_exact(picos: list[int]) -> None:
    """A hundred dimes are ten dollars."""
    total = sum((dollars_of(each) for each in picos), Decimal(0))
    assert Fraction(total) == Fraction(sum(picos), 10**12)


@given(RATES, RATES, TOKENS, TOKENS, st.one_of(st.none(), RATES), st.one_of(st.none(), RATES))
def test_no_bill_is_above_its_ceiling_and_none_is_rounded_down(
    input: Decimal, output: Decimal, read: int, written: int, cache: Decimal | None, tier: Decimal | None
) -> None:
    """Whatever class the prompt's tokens are billed in."""
    price = Price(
        provider="p", model="m", input=input, output=output, cache_write=cache, cache_read=cache, input_at_most=tier
    )
    with localcontext(NARROW):
        ceiling = price.ceiling(input_at_most=read, output_at_most=written)
        for usage in (
            Usage(input=read, output=written), Usage(cache_read=read, output=written),
            Usage(cache_write=read, output=written), Usage(input=read // 2, cache_write=read - read // 2),
        ):  # fmt: skip
            bill = price.bill(usage)
            assert bill <= ceiling
    exact = (Fraction(read) * Fraction(input) + Fraction(written) * Fraction(output)) / 10**6
    assert price.bill(Usage(input=read, output=written)) == math.ceil(exact * 10**12)


@pytest.mark.parametrize(
    "wrong", [1.5, True, "x", "nan", "inf", "-1", "1e-13", "1e30", "1e999999999", None, b"1", Decimal("-0.01"), ""]
)
def test_what_is_no_exact_amount_is_refused(wrong: Any) -> None:
    """A float holds another amount than the one that is written."""
    with pytest.raises(Misuse):
        picos_of(wrong)


@pytest.mark.parametrize("wrong", [-1, 1.0, True, 2**60, "1"])
def test_what_is_no_count_is_refused(wrong: Any) -> None:
    """Tokens are whole."""
    with pytest.raises(Misuse):
        Amount(wrong, 0)
    with pytest.raises(Misuse):
        Usage(input=wrong)


def test_a_fee_without_a_price_is_refused() -> None:
    """Spend that is not known cannot be capped."""
    price = Price(provider="p", model="m", input=Decimal(1), output=Decimal(1), fees={"search": Decimal("0.01")})
    assert price.bill(Usage(fees={"search": 3})) == picos_of("0.03")
    with pytest.raises(NoPrice, match="no price for"):
        price.bill(Usage(fees={"container": 1}))


def test_the_digest_is_of_the_rates_and_not_of_how_they_are_written() -> None:
    """3 and 3.00 are one price; another rate, fee or source is another one."""
    made = {"provider": "p", "model": "m", "output": Decimal(1)}
    one = Price(**made, input=Decimal("3")).digest  # type: ignore[arg-type]  # a table of keywords
    assert Price(**made, input=Decimal("3.00")).digest == one  # type: ignore[arg-type]
    assert Price(**made, input=Decimal("3.01")).digest != one  # type: ignore[arg-type]
    assert Price(**made, input=Decimal(3), source="list 2").digest != one  # type: ignore[arg-type]


def test_no_float_is_written_in_the_room() -> None:
    """Neither a literal, nor a call of float, nor a true division."""
    for file in Path(pratique.budget.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), file
            assert not (isinstance(node, ast.Name) and node.id == "float"), file
            assert not isinstance(node, ast.Div), file
