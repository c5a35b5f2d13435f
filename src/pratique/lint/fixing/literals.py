"""JSON values and other people's words as Python source: nothing that stands in them can end the literal it is in."""

from __future__ import annotations

import json
import math
from typing import Any

from pratique.show import escape

__all__ = ["doc_text", "docstring", "is_json", "literal"]


def literal(value: Any) -> str:
    """Return the source of a JSON value, in ASCII."""
    if isinstance(value, str):
        return f'"{"".join(map(_escaped, value))}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(str(key))}: {literal(part)}' for key, part in value.items())}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _escaped(char: str) -> str:
    """Escape one character; JSON writes one beyond the first plane as two, which are two to Python."""
    return json.dumps(char)[1:-1] if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def doc_text(words: str) -> str:
    """Return words as they can stand inside a docstring, anywhere but at its end."""
    return escape(words.replace("\\", "\\\\")).replace('"""', '\\"\\"\\"')


def docstring(words: str, indent: str = "    ") -> str:
    """Return words as a docstring, line by line."""
    lines = [doc_text(line.rstrip()) for line in words.strip().splitlines()]
    told = f"\n{indent}".join(lines)
    told = told[:-1] + '\\"' if told.endswith('"') else told
    return f'"""{told}"""'.replace(f"\n{indent}\n", "\n\n")


def is_json(value: Any) -> bool:
    """Say whether a value can be written as JSON: no infinite number is in it."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
