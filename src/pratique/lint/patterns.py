"""What of a regular expression an endpoint does not read, by name; ``dialects.profile`` only says whether it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pratique.dialects.profile import Patterns

__all__ = ["FIRM", "unread"]

_ALL = Patterns(
    look_around=True, back_references=True, word_boundary=True, unanchored=True, lazy=True, named_groups=True,
    letter_classes=True, flags=True, escaped=True,
)  # fmt: skip
_NAMES = {
    "look_around": "look-around",
    "back_references": "a back reference",
    "word_boundary": "a word boundary",
    "unanchored": "a search that is not anchored",
    "lazy": "a lazy quantifier",
    "named_groups": "a named group",
    "letter_classes": "a class of letters, \\p",
    "flags": "flags",
    "escaped": "what JSON has to escape",
    "escapes": "an escape",
    "max_repeat": "a large count",
}
FIRM = frozenset(_NAMES[name] for name in ("look_around", "back_references", "word_boundary", "unanchored"))
"""What vendors name as refused, or what was measured to be read as something narrower. Of the rest most tables only do
not speak, and how large a count may be no vendor says."""


def unread(patterns: Patterns, pattern: str) -> tuple[str, ...]:
    """Return what of a pattern is not read, in words; empty when all of it is.

    Limits: linear in ``pattern``.
    """
    if patterns.takes(pattern):
        return ()
    found = []
    for name, words in _NAMES.items():
        alone: dict[str, Any] = {name: getattr(patterns, name)}
        if not replace(_ALL, **alone).takes(pattern):
            found.append(words)
    return ("an anchor inside",) if len(found) == len(_NAMES) else tuple(found)
