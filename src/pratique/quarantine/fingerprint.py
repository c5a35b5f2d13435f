"""Group what was refused alike: one id for all units that fail in the same way at the same kind of place.

What counts: the contract's name, the reason, the code and the path of the first refusing finding (indices as
``*``), and its message with everything masked that belongs to one unit alone: quoted text, numbers,
hexadecimal ids. What does not count: the contract's version, the producer, the position.

The algorithm has a version, and each record keeps the one it was grouped by: a new version never regroups
old records.
"""

from __future__ import annotations

import json
import re

from blake3 import blake3

__all__ = ["VERSION", "fingerprint_of", "masked", "starred"]

VERSION = 1
"""Goes up with every change that would give one record another id."""

_QUOTED = re.compile(
    r'"(?:[^"\\]|\\.)*"(?:… \([0-9,]+ more characters\))?'  # what ``show`` makes of text
    r"|(?<!\w)'[^']*'(?!\w)"  # what validators quote; an apostrophe inside a word is none
)
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_HEX = re.compile(r"\b(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{6,}\b")
_RUN = re.compile(r"(?P<mask>[«0])(?:(?:, and |, or |, | and | or )(?P=mask))+(?: more\b)?")
_INDEX = re.compile(r"\[[0-9]+\]")


def fingerprint_of(contract: str, reason: str, code: str, path: str, message: str) -> str:
    """Return the id of a group: ``q``, the algorithm's version, and 12 hexadecimal digits.

    Source: BLAKE3, first 48 bits, of a JSON list.
    """
    parts = json.dumps([contract, reason, code, starred(path), masked(message)], separators=(",", ":"))
    return f"q{VERSION}-" + blake3(parts.encode()).hexdigest(length=6)


def starred(path: str) -> str:
    """Return a path with its indices as ``*``."""
    return _INDEX.sub("[*]", path)


def masked(message: str) -> str:
    """Return a message without what belongs to one unit alone; a list of such things counts as one.

    Shape: quoted text becomes ``«``; a number, a hexadecimal id of six digits or more and a UUID become ``0``.
    """
    text = _QUOTED.sub("«", message)
    for pattern in (_UUID, _NUMBER, _HEX):
        text = pattern.sub("0", text)
    return _RUN.sub(r"\g<mask>", text)
