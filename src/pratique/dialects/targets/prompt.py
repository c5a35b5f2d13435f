"""No schema at all: the contract in words, for a producer that takes none."""

from __future__ import annotations

from pratique.dialects.dialect import Dialect
from pratique.dialects.profile import Patterns, Profile

__all__ = ["DIALECT"]

DIALECT = Dialect(
    target="prompt",
    profile=Profile(
        endpoint="any text",
        models="any",
        read_on="2026-11-22",
        cells={},
        patterns=Patterns(unanchored=False, beside_length=False),
        tool_name=r"(?s:.+)",
    ),
    default_form="words",
)
