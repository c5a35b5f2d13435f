"""A call's arguments that stand whole under one more key: the tool's own name, or a word for arguments.

Only where that key is the only one, no key of the unit, and a single object that is not empty stands under
it. A wrapper around a report, a list or a bare unit is no edit: ``frame`` looks behind it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pratique.boundary.grammar import STRING
from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.boundary.scan import walk_brackets
from pratique.errors import Code

__all__ = ["UNWRAPPED", "unwrap"]

UNWRAPPED = EditKind(
    Code(
        "repair.unwrapped", "arguments that stood whole under one more key were taken out of it",
        "The key is the name of the tool, or a word for arguments, and no key of the unit: it says nothing.",
        "nothing to do", '{"arguments": {"rank": 1}}', '{"reply": {"rank": 1}}',
    ),
    on=True,
)  # fmt: skip

_WORDS = frozenset({"arguments", "parameters", "input"})
_RE_HEAD = re.compile(rf"\{{\s*+({STRING})\s*+:\s*+(?=\{{)", re.DOTALL)
_RE_TAIL = re.compile(r"\s*+\}\Z")


def unwrap(text: str, tool: str, keys: Collection[str]) -> list[Replacement]:
    """Find the key around a call's arguments, and what closes it.

    Shape: two deletions, or none; ``keys`` are those of the unit, and when none is known any key may be one.
    Limits: linear in ``text``.
    Not checked: whether what stands inside is the unit; the validator says that.
    """
    head = _RE_HEAD.match(text)
    if head is None or not keys:
        return []
    key, start = head[1][1:-1], head.end()
    if key in keys or not (key == tool or key in _WORDS):
        return []
    walk = walk_brackets(text, start, len(text))
    tail = _RE_TAIL.match(text, walk.end) if walk.why == "balanced" else None
    if tail is None or not text[start + 1 : walk.end - 1].strip():
        return []
    return [
        Replacement("repair.unwrapped", 0, start, "", start),
        Replacement("repair.unwrapped", walk.end, len(text), "", len(text)),
    ]
