"""Commas: insert the one that is owed, delete the ones that are too many.

A comma is inserted only where exactly one place fits: between a value and a known key, or between two
objects or two lists. Never a colon, never a quote: those would decide what was meant.
"""

from __future__ import annotations

import re

from pratique.boundary.grammar import COMMENT, ELLIPSIS, STRING, repeat
from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.errors import Code

__all__ = ["COMMA_DELETED", "COMMA_INSERTED"]

_RE_TOKEN = re.compile(rf"{STRING}|[}}\]]|[^\s:,{{}}\[\]\"'/#…]++", re.DOTALL)
_BLANK = repeat(rf"\s|{COMMENT}|{ELLIPSIS}")
_RE_SURPLUS = re.compile(rf",(?={_BLANK}[,}}\]])", re.DOTALL)
_RE_LEADING = re.compile(r"[{\[]\s*+,")


def _insert(text: str, at: int, next_key: object) -> Replacement | None:
    assert isinstance(next_key, re.Pattern)
    token = _RE_TOKEN.match(text, at)
    if token is None:
        return None
    end = token.end()
    if next_key.match(text, end) or (token[0] in "}]" and _reopens(text, end, token[0])):
        return Replacement("repair.comma_inserted", end, end, ",", end)
    return None


def _reopens(text: str, at: int, closer: str) -> bool:
    rest = text[at : at + 200].lstrip()
    return rest[:1] == ("{" if closer == "}" else "[")


def _delete(text: str, at: int, next_key: object) -> Replacement | None:  # noqa: ARG001  # every edit has this shape
    if text[at] == ",":
        return Replacement("repair.comma_deleted", at, at + 1, "", at + 1) if _RE_SURPLUS.match(text, at) else None
    leading = _RE_LEADING.match(text, at)
    if leading is None:
        return None
    return Replacement("repair.comma_deleted", leading.end() - 1, leading.end(), "", leading.end())


COMMA_INSERTED = EditKind(
    Code(
        "repair.comma_inserted", "a missing comma was inserted before a known key or a bracket",
        "Only one place fits, and no value changes.", "nothing to do",
        '{"rank": 1 "why": "x"}', '{"rank": 1 "unknown": "x"}',
    ),
    on=True, sites="*", apply=_insert,
)  # fmt: skip

COMMA_DELETED = EditKind(
    Code(
        "repair.comma_deleted", "a surplus comma was deleted",
        "It separates nothing from nothing.", "nothing to do", '{"rank": 1,}', '{"rank": 1_000}',
    ),
    on=True, sites=",{[", apply=_delete,
)  # fmt: skip
