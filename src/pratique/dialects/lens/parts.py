"""A JSON text as a tree of parts that know where they stand, so that a lens can move them without writing them anew.

It takes what looks like JSON; whether it is JSON, the contract's validator says afterwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pratique.text import decode_json_string

__all__ = ["MAX_PART_DEPTH", "Member", "Part", "TooDeep", "parts_of", "unquoted"]

MAX_PART_DEPTH = 64
"""Levels of a text that a lens looks into. A unit may have 8 (limits.max_depth), and a lens adds two to each."""

_TOKEN = re.compile(r'[ \t\r\n]*(?:([{}\[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}\[\],:"]+))', re.DOTALL)
_SPACE = " \t\r\n"
_WORDS = {"null": "null", "true": "boolean", "false": "boolean"}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NOTHING: list[Any] = []
"""What a scalar holds: one list for all of them, never written to."""


class TooDeep(ValueError):
    """A text is nested deeper than a lens looks. The argument is where."""


class Part:
    """One value of a JSON text. Units: ``start`` and ``end`` are offsets into it.

    Shape: ``members`` of an object, ``elements`` of a list; a scalar has neither.
    """

    __slots__ = ("elements", "end", "kind", "members", "start")

    def __init__(self, kind: str, start: int, end: int = 0) -> None:
        self.kind, self.start, self.end = kind, start, end
        self.members: list[Member] = [] if kind == "object" else _NOTHING
        self.elements: list[Part] = [] if kind == "array" else _NOTHING

    def member(self, key: str) -> Member | None:
        """Return the first member under a key."""
        return next((member for member in self.members if member.key == key), None)


@dataclass(slots=True, eq=False)
class Member:
    """One member of an object: from ``start``, where its key begins, to the end of its value."""

    key: str
    start: int
    value: Part


def parts_of(text: str) -> Part | None:
    """Return the parts of a JSON text; None when it is none.

    Limits: linear in the text; no recursion.
    Errors: TooDeep at the first bracket that opens more than ``MAX_PART_DEPTH`` levels.
    """
    at = 0
    root: Part | None = None
    open_parts: list[Part] = []
    key: tuple[str, int] | None = None
    after = "value"  # what may come next: value, key, colon, next; "first" is a value or key, or the end
    while (found := _TOKEN.match(text, at)) is not None:
        at = found.end()
        mark, string = found[1], found[2]
        within = open_parts[-1] if open_parts else None
        if mark in ("}", "]"):
            if within is None or (mark == "}") != (within.kind == "object") or after not in ("next", "first"):
                return None
            within.end = at
            open_parts.pop()
            after = "next" if open_parts else "end"
        elif mark == ",":
            if after != "next":
                return None
            after = "key" if within is not None and within.kind == "object" else "value"
        elif mark == ":":
            if after != "colon":
                return None
            after = "value"
        elif after == "key" or (after == "first" and within is not None and within.kind == "object"):
            if string is None:
                return None
            key = (unquoted(string), found.start(2))
            after = "colon"
        elif after in ("value", "first"):
            part = _part(found)
            if part is None:
                return None
            if within is None:
                root = part
            elif within.kind == "object":
                assert key is not None
                within.members.append(Member(key[0], key[1], part))
            else:
                within.elements.append(part)
            if mark is None:
                after = "next" if open_parts else "end"
            elif len(open_parts) >= MAX_PART_DEPTH:
                raise TooDeep(found.start(1))
            else:
                open_parts.append(part)
                after = "first"
        else:
            return None
    return root if after == "end" and not text[at:].strip(_SPACE) else None


def _part(found: re.Match[str]) -> Part | None:
    """Make the part of one token; None when it is no JSON."""
    mark, string, word = found.groups()
    if mark == "{":
        return Part("object", found.start(1))
    if mark is not None:
        return Part("array", found.start(1))
    if string is not None:
        return Part("string", *found.span(2))
    kind = _WORDS.get(word) or ("number" if _NUMBER.fullmatch(word) else None)
    return None if kind is None else Part(kind, *found.span(3))


def unquoted(string: str) -> str:
    """Return what a JSON string says; as it is written when it is none."""
    if "\\" not in string:
        return string[1:-1]
    decoded = decode_json_string(string, 1, len(string) - 1)
    return string[1:-1] if decoded is None else decoded[0]
