"""Closing brackets that close nothing.

Deleted only where the bracket matches no open one; if the unit then still does not balance, the bracket
was not surplus but another one is missing, and nothing is admitted.
"""

from __future__ import annotations

import re

from pratique.boundary.grammar import RE_STRUCTURE
from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.errors import Code

__all__ = ["CLOSER_DELETED", "stray_closers"]

_RE_REST = re.compile(r"[\s}\],]*+\Z")

CLOSER_DELETED = EditKind(
    Code(
        "repair.closer_deleted", "a closing bracket that closes nothing was deleted",
        "It matches no open bracket, so it holds no structure.", "nothing to do",
        '{"rank": 1], "why": "x"}', '{"tags": ["a", "why": "x"}',
    ),
    on=True,
)  # fmt: skip


def stray_closers(text: str) -> list[Replacement]:
    """Find the closing brackets of a unit that match no open one; empty when there is none, or too many."""
    stack: list[str] = []
    found: list[Replacement] = []
    for token in RE_STRUCTURE.finditer(text):
        char, at = token[0][0], token.start()
        if char in "{[":
            stack.append(char)
        elif char in "}]":
            if stack and stack[-1] == ("{" if char == "}" else "["):
                stack.pop()
                if not stack:
                    if _RE_REST.match(text, at + 1) is None:
                        return []
                    for rest in re.finditer(r"[}\]]", text[at + 1 :]):
                        place = at + 1 + rest.start()
                        found.append(Replacement("repair.closer_deleted", place, place + 1, "", place + 1))
                    return found
            else:
                found.append(Replacement("repair.closer_deleted", at, at + 1, "", at + 1))
    return []
