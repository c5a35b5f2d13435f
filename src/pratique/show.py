"""Untrusted text made safe to print: the only way producer text reaches a message, log, terminal or page.

What it refuses to pass: control characters (a terminal obeys them), bidirectional overrides (they
reorder what a reader sees), zero-width and other invisible characters (they hide text), and length.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["escape", "show", "width"]

MAX_SHOWN_CHARS = 80
"""Characters quoted in one message: a line of a terminal."""

# C0, DEL, C1, line and paragraph separators, bidi controls, zero-width, BOM, tags, variation selectors,
# interlinear marks, lone surrogates.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escape(text: str) -> str:
    """Return ``text`` with every unsafe character as a visible escape; length is not bounded."""
    return _UNSAFE.sub(_escaped, text)


def show(value: object, *, max_chars: int = MAX_SHOWN_CHARS) -> str:
    """Quote an untrusted value for a message: escaped, bounded, in double quotes when it is text.

    Limits: ``max_chars`` of the value; the rest is counted, not printed.
    """
    text = value if isinstance(value, str) else repr(value)
    kept = text[:max_chars]
    cut = len(text) - len(kept)
    if isinstance(value, str):
        kept = '"' + escape(kept.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    else:
        kept = escape(kept)
    return f"{kept}… ({cut} more characters)" if cut else kept


def width(text: str) -> int:
    """Return how many terminal cells ``text`` takes: 2 for wide characters, 0 for combining ones."""
    cells = 0
    for char in text:
        if "\u1160" <= char <= "\u11ff":  # Hangul vowels and finals are drawn into the syllable before them
            continue
        if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        cells += 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
    return cells
