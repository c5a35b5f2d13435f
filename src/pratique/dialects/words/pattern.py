"""Texts that match a regular expression, for the common part of the language; else nothing.

Python's own parser takes the pattern apart. What it does not know (``\\p{L}``) and what cannot be made piece by
piece (a back-reference) is given up. Every text is searched with the pattern before it is given away.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["longest_match", "matching_text"]

MAX_ROUNDS = 64
"""Lengths that are tried: each round lets every repetition run once more."""

MAX_TEXT_CHARS = 10_000
"""Longest text that is made: an example is read by people."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CHOICES = _LETTERS + "0123456789 -_ABCDEFGHIJKLMNOPQRSTUVWXYZ.,;:/\n\t"
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789", "CATEGORY_WORD": _LETTERS + "0123456789", "CATEGORY_SPACE": " \t",
    "CATEGORY_NOT_DIGIT": _LETTERS, "CATEGORY_NOT_WORD": " -.", "CATEGORY_NOT_SPACE": _LETTERS + "0123456789",
}  # fmt: skip

# The module is private; there is no other parser of Python's patterns. The names below are since Python 3.11.
_parser: Any = importlib.import_module("re._parser")


class _GiveUp(Exception):
    """No text can be made for this piece."""


def matching_text(pattern: str, turn: int = 0, *, min_chars: int = 0, max_chars: int = MAX_TEXT_CHARS) -> str | None:
    """Return a text in which ``pattern`` is found; None when none could be made.

    Shape: another ``turn`` gives another text, where the pattern leaves a choice.
    Limits: ``MAX_ROUNDS`` tries, ``MAX_TEXT_CHARS`` characters.
    """
    tree, searched = _read(pattern), _compiled(pattern)
    if tree is None or searched is None:
        return None
    for more in range(MAX_ROUNDS):
        try:
            text = "".join(_pieces(tree, turn, more))
        except _GiveUp:
            return None
        if len(text) > min(max_chars, MAX_TEXT_CHARS):
            return None
        if len(text) >= min_chars and searched.search(text):
            return text
    return None


def longest_match(pattern: str) -> int | None:
    """Return how long a text can be that ``pattern`` takes whole, characters; None when nothing bounds it."""
    tree = _read(pattern)
    if tree is None:
        return None
    parts = list(tree)
    whole = len(parts) > 1 and _name(parts[0]) == "AT" and _name(parts[-1]) == "AT"
    if not whole or str(parts[0][1]) != "AT_BEGINNING" or str(parts[-1][1]) != "AT_END" or "(?m" in pattern:
        return None
    longest = int(tree.getwidth()[1])
    return None if longest >= int(_parser.MAXREPEAT) - 1 else longest  # which stands for "no end", by version


def _read(pattern: str) -> Any:
    return _quietly(_parser.parse, pattern)


def _compiled(pattern: str) -> re.Pattern[str] | None:
    found: re.Pattern[str] | None = _quietly(re.compile, pattern)
    return found


def _quietly(read: Callable[[str], Any], pattern: str) -> Any:
    """Read a pattern; None when Python cannot. What Python may read otherwise one day is no news to its author."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return read(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _name(part: Any) -> str:
    return str(part[0])


def _pieces(tree: Any, turn: int, more: int) -> Iterator[str]:
    """Yield the text of each piece of a pattern."""
    for part in tree:
        name, value = _name(part), part[1]
        if name == "LITERAL":
            yield chr(value)
        elif name == "NOT_LITERAL":
            yield _pick((char for char in _CHOICES if char != chr(value)), turn)
        elif name == "ANY":
            yield _LETTERS[turn % len(_LETTERS)]
        elif name == "IN":
            yield _pick(_members(value), turn)
        elif name == "BRANCH":
            yield from _pieces(value[1][turn % len(value[1])], turn, more)
        elif name == "SUBPATTERN":
            yield from _pieces(value[3], turn, more)
        elif name == "ATOMIC_GROUP":
            yield from _pieces(value, turn, more)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = int(value[0]), int(value[1]), value[2]
            count = min(high, max(low, 1) + more) if more else min(high, max(low, 1))
            if count > MAX_TEXT_CHARS:
                raise _GiveUp
            for _ in range(count):
                yield from _pieces(inner, turn, 0 if count > MAX_ROUNDS else more // 2)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT"):  # these take no text; the search at the end decides
            raise _GiveUp


def _members(parts: Any) -> Iterator[str]:
    """Yield characters of a set, the plain ones first where it is a set of all others."""
    if _name(parts[0]) == "NEGATE":
        refused = {char for char in _CHOICES for part in parts[1:] if _holds(part, char)}
        yield from (char for char in _CHOICES if char not in refused)
        return
    for part in parts:
        name, value = _name(part), part[1]
        if name == "LITERAL":
            yield chr(value)
        elif name == "RANGE":
            yield from map(chr, range(value[0], min(value[1], value[0] + 99) + 1))
        else:
            yield from _CATEGORIES[str(value)]


def _holds(part: Any, char: str) -> bool:
    name, value = _name(part), part[1]
    if name == "LITERAL":
        return chr(value) == char
    if name == "RANGE":
        return bool(value[0] <= ord(char) <= value[1])
    return char in _CATEGORIES[str(value)]


def _pick(chars: Iterable[str], turn: int) -> str:
    found = list(chars)
    if not found:
        raise _GiveUp
    return found[turn % len(found)]
