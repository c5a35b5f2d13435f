"""Say which listed values are nearly the same: their letters' case, a separator, an s or one letter apart.

What it refuses to take for near: short values, numbers, versions, units, what differs in a sign (``date`` and
``-date``), two words that begin differently (``sync`` and ``async``), protocols (``http`` and ``https``).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

from pratique.lint.names import words_of

__all__ = ["near_pairs", "stem"]

_SIGN = re.compile(r"(?<![^\W_])[-_]|[-_](?![^\W_])|[^\w\s-]")
"""What is neither a letter, a digit nor between two of them: ``+1``, ``-date``, ``C#``, ``a/b``."""

_NO_PLURAL = frozenset({
    "amqps", "coaps", "ftps", "https", "imaps", "ldaps", "mqtts", "news", "pops", "rediss", "sips", "smtps", "wss",
})  # fmt: skip
"""Protocols over TLS, and a word that only looks like several."""

_ENDING = re.compile(r"(?<=...)(?<![sui])s$|(?<=...)ed$")
"""The s of several, after three letters; the d of a state, after four."""

_VOWELS = frozenset("aeiou")
MAX_WORD_CHARS = 40
"""Letters of a word that is compared letter by letter; a longer one is no word."""

MIN_CASED_CHARS = 3
"""Letters of values that differ in case alone; below stand units and flags: ``mb`` and ``Mb``, ``x`` and ``X``."""


def near_pairs(texts: Sequence[str], min_chars_alike: int) -> list[tuple[str, str]]:
    """Return the pairs of values that are nearly the same, each value with the first that it is near to.

    Limits: linear in the characters; pairs are found by what both would be.
    """
    first: dict[Hashable, str] = {}
    pairs: dict[tuple[str, str], None] = {}
    for text in dict.fromkeys(texts):
        keys = list(_keys(text, min_chars_alike))
        for _, near in keys:
            other = first.get(near, text)
            if other != text and _is_meant(near, other, text):
                pairs.setdefault((other, text))
                break
        for own, _ in keys:
            first.setdefault(own, text)
    return list(pairs)


_Key: TypeAlias = tuple[Hashable, ...]


def _keys(text: str, min_chars_alike: int) -> Iterator[tuple[_Key, _Key]]:
    """Yield the keys under which a value is found, each with the one under which its near ones are."""
    words, signs = words_of(text), tuple(_SIGN.findall(text))
    letters = ("letters", signs, "".join(f"|{word}|" if word.isdigit() else word for word in words))
    plain = ("words", signs, tuple(map(stem, words)))
    yield letters, letters
    yield plain, plain
    for index, word in enumerate(words):
        if min_chars_alike <= len(word) <= MAX_WORD_CHARS and word.isalpha():
            around = (signs, words[:index], words[index + 1 :])
            yield ("whole", around, word), ("less", around, word)
            for place in range(1, len(word)):
                rest = word[:place] + word[place + 1 :]
                yield ("less", around, rest), ("whole", around, rest)
                if word[place] in _VOWELS:
                    vowel = ("vowel", around, place, rest)
                    yield vowel, vowel


def _is_meant(near: _Key, one: str, other: str) -> bool:
    """Say whether two values with one key are near: those that differ in case or separators alone may be short."""
    letters = sum(map(str.isalpha, one))
    if one.casefold() == other.casefold():
        is_plain = any(text.islower() or text.isupper() for text in (one, other))
        return letters > MIN_CASED_CHARS or (letters == MIN_CASED_CHARS and is_plain)
    return near[0] != "letters" or letters > MIN_CASED_CHARS


def stem(word: str) -> str:
    """Return a word without the endings and spellings that do not make another word of it."""
    if word.isdigit() or word in _NO_PLURAL:
        return word
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif _ENDING.search(word):
        word = word[:-1]
    if len(word) > 4:
        word = word.replace("our", "or").replace("z", "s")
    if len(word) > 5:
        word = word.replace("ll", "l")
    return word[:-4] + "gray" if word.endswith("grey") else word
