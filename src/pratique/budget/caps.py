"""How much one workflow may spend: the defaults, and what a project's file says.

Source of the defaults: source 002, an estimate of early 2026 that nobody has calibrated since.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from pratique.budget.amount import amount_of
from pratique.budget.book import Caps, Escrow
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["MAX_DOLLARS", "MAX_TOKENS", "PER_CALL_MAX_TOKENS", "caps_from_file", "caps_of", "escrow_of"]

MAX_TOKENS = 250_000
"""Tokens of one workflow, prompts and replies."""

MAX_DOLLARS = Decimal("1.50")
"""Dollars of one workflow."""

PER_CALL_MAX_TOKENS = 32_000
"""Tokens that one call may use at most, its prompt included: a runaway prompt stops here, before the workflow's cap."""

CHUNK_TOKENS = 2 * PER_CALL_MAX_TOKENS
"""Tokens that a workflow takes of its portfolio at once: two of the largest calls, so that its row is asked rarely."""

CHUNK_DOLLARS = Decimal("0.25")
"""Dollars that a workflow takes of its portfolio at once: a sixth of what it may spend."""

_KEYS = {"max_tokens", "max_dollars", "per_call_max_tokens"}


def caps_of(
    *,
    max_tokens: int = MAX_TOKENS,
    max_dollars: Decimal | int | str = MAX_DOLLARS,
    per_call_max_tokens: int = PER_CALL_MAX_TOKENS,
) -> Caps:
    """Make the caps of a workflow.

    Errors: Misuse for what is no amount.
    """
    return Caps(total=amount_of(max_tokens, max_dollars), per_call_tokens=per_call_max_tokens)


def escrow_of(
    portfolio: str, *, chunk_tokens: int = CHUNK_TOKENS, chunk_dollars: Decimal | int | str = CHUNK_DOLLARS
) -> Escrow:
    """Put a workflow under a portfolio: another budget of the same ledger, opened before.

    Shape: what is taken in large chunks asks the portfolio rarely, and may lie idle with one workflow while another
        one is refused; ``give_back`` returns it.
    Errors: Misuse for what is no amount.
    """
    return Escrow(portfolio=portfolio, chunk=amount_of(chunk_tokens, chunk_dollars))


def caps_from_file(file: Path, *, table: str = "budget") -> Caps:
    """Read caps from a table of a TOML file; what it does not say is as the defaults are.

    Shape: ``max_tokens`` and ``per_call_max_tokens`` as whole numbers, ``max_dollars`` as text: ``"1.50"``. A TOML
        number with a point is read as the decimal that is written.
    Errors: Misuse for a file that cannot be read, and for a key or value that there is not.
    """
    try:
        whole = tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Misuse(f"{show(str(file))} cannot be read: {error}", remedy="mend it, or name another file") from error
    said: Any = whole
    for key in table.split("."):
        said = said.get(key, {}) if isinstance(said, Mapping) else {}
    if not isinstance(said, Mapping) or said.keys() - _KEYS:
        strange = show(next(iter(said.keys() - _KEYS))) if isinstance(said, Mapping) else show(said)
        raise Misuse(f"[{table}] cannot hold {strange}", remedy="it has " + ", ".join(sorted(_KEYS)))
    return caps_of(**said)
