"""Ask the contract's own judge whether a text matches a pattern or has a format.

Python's ``re`` reads patterns otherwise than JSON Schema does, and can be made to look for an end for years. Without
the package of the judge the answer is that nobody knows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pratique.errors import Misuse
from pratique.terms.schema_validator import compiled

__all__ = ["finds", "has_format"]


def finds(pattern: str, text: str) -> bool | None:
    """Say whether a pattern is found in a text; None when nobody here can tell."""
    return _holds("pattern", pattern, text)


def has_format(name: str, text: str) -> bool | None:
    """Say whether a text has a format; None when nobody here can tell."""
    return _holds("format", name, text)


def _holds(keyword: str, value: str, text: str) -> bool | None:
    judge = _judge(keyword, value)
    return None if judge is None else bool(judge.is_valid(text))


@lru_cache(maxsize=1024)
def _judge(keyword: str, value: str) -> Any:
    try:
        return compiled({keyword: value}, "the rule")
    except Misuse:
        return None
