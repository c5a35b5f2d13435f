"""Raw control characters inside strings, escaped in place. Off unless the contract asks for it.

It is a faithful reading of what stands there, but a lost quote reads the same way: the string then runs
over the line end into the next one. So it is recorded, counted apart, and the caller's choice.
"""

from __future__ import annotations

import re

from pratique.boundary.grammar import STRING
from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.errors import Code

__all__ = ["CONTROL_ESCAPED", "control_characters"]

_RE_STRING = re.compile(STRING, re.DOTALL)
_RE_CONTROL = re.compile(r"(?<!\\)[\x00-\x1f]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}

CONTROL_ESCAPED = EditKind(
    Code(
        "repair.control_escaped", "a raw control character inside a string was escaped in place",
        "A literal reading of what stands there; off by default, because a lost quote looks the same.",
        "switch it on with edits=DEFAULT_EDITS | {\"repair.control_escaped\"}",
        '{"why": "two\n lines"}', '{"why": "two\\n lines"}',
    ),
    on=False,
)  # fmt: skip


def control_characters(text: str) -> list[Replacement]:
    """Find the raw control characters inside the strings of a unit."""
    found = []
    for string in _RE_STRING.finditer(text):
        for raw in _RE_CONTROL.finditer(string[0]):
            at = string.start() + raw.start()
            after = _SHORT.get(raw[0]) or f"\\u{ord(raw[0]):04x}"
            found.append(Replacement("repair.control_escaped", at, at + 1, after, at + 1))
    return found
