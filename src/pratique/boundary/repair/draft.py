"""A draft: what a cleverer repair would have read. For people to look at, never admitted.

It does what the edits must not: closes what is open, escapes a quote that seems to stand inside a string,
doubles the backslash of an escape that JSON does not have. Each of these may decide what was meant.
"""

from __future__ import annotations

import re

import jiter

__all__ = ["draft_of"]

_RE_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_RE_ENDS_STRING = re.compile(r"\s*+(?:[,:}\]]|\Z)")
_RE_DANGLING = re.compile(r'(?:,|:|,?\s*"(?:[^"\\]|\\.)*"\s*:?)\s*\Z')
_CONTROL = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

MAX_DRAFT_CHARS = 20_000
"""Longest unit that is drafted: a draft is for people to read."""


def draft_of(text: str) -> str | None:
    """Return a parseable reading of a broken unit, or None when even guessing gives none."""
    if not text.lstrip().startswith("{") or len(text) > MAX_DRAFT_CHARS:
        return None
    closed, stack, open_string = _rewritten(_RE_BAD_ESCAPE.sub(r"\\\\", text))
    for candidate in _endings(closed, stack, open_string):
        try:
            jiter.from_json(candidate.encode("utf-8", "surrogatepass"))
        except ValueError:
            continue
        return candidate
    return None


def _rewritten(text: str) -> tuple[str, list[str], bool]:
    """Escape quotes that seem to stand inside strings; return the text, the open brackets, and the string state."""
    parts: list[str] = []
    stack: list[str] = []
    inside = False
    at = 0
    while at < len(text):
        char = text[at]
        if inside:
            if char == "\\":
                parts.append(text[at : at + 2])
                at += 2
                continue
            if char == '"':
                if _RE_ENDS_STRING.match(text, at + 1):
                    inside = False
                else:
                    char = '\\"'
            elif char < " ":
                char = _CONTROL.get(char) or f"\\u{ord(char):04x}"
        elif char == '"':
            inside = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack and stack[-1] == char:
            stack.pop()
        parts.append(char)
        at += 1
    return "".join(parts), stack, inside


def _endings(text: str, stack: list[str], open_string: bool) -> list[str]:
    closers = "".join(reversed(stack))
    if open_string:
        return [f'{text}"{closers}', f"{_RE_DANGLING.sub('', text + chr(34))}{closers}"]
    bare = text.rstrip()
    return [bare + closers, _RE_DANGLING.sub("", bare) + closers]
