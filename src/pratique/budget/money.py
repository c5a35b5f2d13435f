"""Dollars as whole pico-dollars: exact, and the same in every ledger.

A price is told per million tokens, in dollars with some decimal places. Multiplied by tokens that is a fraction of a
dollar which no float holds. So money is counted in whole pico-dollars (a millionth of a millionth of a dollar), a
sixty-four-bit integer holds nine million dollars of them, and what a price leaves over is rounded up: a bound that is
rounded down is none. ``Decimal`` is what callers give and get.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from pratique.errors import Misuse
from pratique.show import show

__all__ = [
    "MAX_COUNT",
    "MAX_PICOS",
    "PICOS_PER_DOLLAR",
    "ceil_divided",
    "dollars_of",
    "picos_of",
    "require_count",
    "written_dollars",
]

PICOS_PER_DOLLAR = 10**12
"""Pico-dollars in a dollar: a price of a millionth of a dollar per million tokens is one of them per token."""

MAX_PICOS = 2**63 - 1
"""The most that a ledger's integer holds: 9,223,372 dollars."""

MAX_COUNT = 2**53
"""The largest count of tokens: what every JSON reader keeps exactly."""

_PLACES = 12
_MAX_WHOLE_DIGITS = 19
"""Digits before the point of more than any amount: larger powers of ten are not even computed."""


def picos_of(dollars: Decimal | int | str, *, what: str = "dollars") -> int:
    """Return an amount in pico-dollars, exactly, whatever the decimal context of the thread.

    Shape: a ``Decimal``, a whole number, or a decimal as text. A float is refused: it holds another amount than is
        written.
    Errors: Misuse for what is no amount, is negative, too large, or finer than a pico-dollar.
    """
    if isinstance(dollars, bool) or not isinstance(dollars, (Decimal, int, str)):
        raise Misuse(f"{what} must be a Decimal, not {show(dollars)}", remedy='write Decimal("1.50")')
    try:
        sign, digits, exponent = Decimal(dollars).as_tuple()
    except InvalidOperation:
        sign, digits, exponent = 0, (), "n"
    written = show(str(dollars))
    most = f"give an amount from 0 to {dollars_of(MAX_PICOS):,} dollars"
    if not isinstance(exponent, int):
        raise Misuse(f"{what} cannot be {written}", remedy=most)
    kept = "".join(map(str, digits)).rstrip("0")
    exponent += len(digits) - len(kept)
    if not kept.lstrip("0"):
        return 0
    if exponent < -_PLACES:
        raise Misuse(f"{what} {written} is finer than a pico-dollar", remedy="give at most 12 decimal places")
    if (
        sign
        or len(kept) + exponent > _MAX_WHOLE_DIGITS
        or (picos := int(kept + "0" * (exponent + _PLACES))) > MAX_PICOS
    ):
        raise Misuse(f"{what} cannot be {written}", remedy=most)
    return picos


def dollars_of(picos: int) -> Decimal:
    """Return pico-dollars as dollars, exactly; cents always, smaller places where there are some."""
    return Decimal(written_dollars(picos))


def written_dollars(picos: int) -> str:
    """Write pico-dollars, or a change of them, as decimal dollars: exactly, cents always."""
    whole, rest = divmod(abs(picos), PICOS_PER_DOLLAR)
    places = f"{rest:0{_PLACES}d}".rstrip("0")
    return f"{'-' if picos < 0 else ''}{whole}.{places:0<2}"


def ceil_divided(picos: int, by: int) -> int:
    """Return the least whole number that is not below a quotient."""
    return -(-picos // by)


def require_count(value: int, what: str, *, least: int = 0) -> int:
    """Refuse what is no whole number of tokens; return it.

    Errors: Misuse for another type, a bool, a negative number or one beyond ``MAX_COUNT``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_COUNT:
        raise Misuse(f"{what} must be a whole number of at least {least}, not {show(value)}", remedy="count tokens")
    return value
