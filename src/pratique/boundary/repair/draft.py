"""A draft: what a cleverer repair would have read. For people to look at, never admitted.

It does what the edits must not: closes what is open, escapes a quote that seems to stand inside a string,
doubles the backslash of an escape that JSON does not have, quotes a bare key. Each of these may decide what was meant.
"""

from __future__ import annotations

import re

import jiter

from pratique.boundary.grammar import STRING

__all__ = ["draft_of"]

_RE_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_RE_BARE_KEY = re.compile(rf"({STRING})|([{{,]\s*+)([A-Za-z_][A-Za-z0-9_-]*+)(\s*+:)", re.DOTALL)
_RE_ENDS_STRING = re.compile(r"\s*+(?:[,:}\]]|\Z)")
_CONTROL = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

MAX_DRAFT_CHARS = 20_000
"""Longest unit that is drafted: a draft is for people to read."""


def draft_of(text: str) -> str | None:
    """Return a parseable reading of a broken unit, or None when even guessing gives none."""
    if not text.lstrip().startswith("{") or len(text) > MAX_DRAFT_CHARS:
        return None
    escaped = _RE_BAD_ESCAPE.sub(r"\\\\", text)
    quoted: str = _RE_BARE_KEY.sub(lambda found: found[1] or f'{found[2]}"{found[3]}"{found[4]}', escaped)
    candidates: list[str] = [*_closed(escaped), *(_closed(quoted) if quoted != escaped else ())]
    for candidate in candidates:
        try:
            jiter.from_json(candidate.encode("utf-8", "surrogatepass"))
        except ValueError:
            continue
        return candidate
    return None


def _closed(text: str) -> tuple[str, str]:
    """Close what is open: once behind all that was written, once behind the last whole member.

    Quotes that seem to stand inside strings are escaped on the way.
    """
    parts: list[str] = []
    stack: list[str] = []
    whole = (0, "")
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
        elif char == ",":
            whole = (len(parts), "".join(reversed(stack)))
        elif char in "}]" and stack and stack[-1] == char:
            stack.pop()
        parts.append(char)
        at += 1
        if char in "{[" and not inside:
            whole = (len(parts), "".join(reversed(stack)))
    closers = "".join(reversed(stack))
    written = "".join(parts)
    everything = f'{written}"{closers}' if inside else written.rstrip() + closers
    return everything, "".join(parts[: whole[0]]) + whole[1]
