"""The tokens of a sound JSON text, so that damage can be aimed and told apart by what it hit."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Token", "scalar_hit_by_insertion", "scalar_hit_by_loss", "tokens"]

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>-?[0-9][0-9.eE+-]*)|(?P<word>true|false|null)|(?P<mark>[{}\[\],:])',
    re.DOTALL,
)
_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?'
    r"|true|false|null"
)


class Token(NamedTuple):
    """One token: a string, a number, a word or a mark; keys are strings that a colon follows."""

    kind: str
    start: int
    end: int
    is_key: bool = False


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Return the tokens of a sound JSON text, or of a stretch of it that starts and ends between tokens."""
    found = [
        Token(str(match.lastgroup), match.start(), match.end())
        for match in _TOKEN.finditer(text, start, len(text) if end is None else end)
    ]
    return [
        token._replace(is_key=token.kind == "string" and text[token.end :].lstrip().startswith(":")) for token in found
    ]


def scalar_hit_by_loss(text: str, start: int, end: int, of: list[Token]) -> bool:
    """Say whether losing ``text[start:end]`` stays within one value and leaves a sound value in its place.

    That is the undecidable class: no reader can see it. A string that is left sound although its own
    opening quote went (an escaped quote took its place) belongs to it; a value that is gone as a whole,
    or a key, does not.
    """
    if start >= end:
        return False
    for token in of:
        if token.kind != "mark" and token.start <= start and end <= token.end:
            left = text[token.start : start] + text[end : token.end]
            return not token.is_key and _SCALAR.fullmatch(left) is not None
    return False


def scalar_hit_by_insertion(at: int, of: list[Token]) -> bool:
    """Say whether one character inserted at ``at`` stands inside a value: in a string, or in or at a number."""
    for token in of:
        if token.kind == "mark" or token.is_key:
            continue
        if token.kind == "string" and token.start < at < token.end:
            return True
        if token.kind != "string" and token.start <= at <= token.end:
            return True
    return False
