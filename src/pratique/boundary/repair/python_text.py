"""Python's spelling of the same values: ``True``, ``None``, and strings in single quotes.

Models that were trained on code print a ``dict``. Each token has exactly one JSON spelling. In a unit whose
keys are in double quotes a single quote is no delimiter but a slip, and is left alone.
"""

from __future__ import annotations

import re

from pratique.boundary.grammar import SINGLE
from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.errors import Code

__all__ = ["PYTHON_LITERAL", "SINGLE_QUOTED", "is_python", "requote_all"]

_RE_LITERAL = re.compile(r"(?:True|False|None)(?![A-Za-z0-9_])")
_RE_SINGLE = re.compile(SINGLE, re.DOTALL)
_RE_PYTHON = re.compile(r"\s*+[\[{]?\s*+\{\s*+'(?:[^'\\\n])*+'\s*+:")
_JSON = {"True": "true", "False": "false", "None": "null"}
_RE_INSIDE = re.compile(r'\\(.)|"', re.DOTALL)
_RE_SIMPLE = re.compile(r"'([^'\\\"]*+)'")


def is_python(text: str) -> bool:
    """Say whether a unit's first key is in single quotes."""
    return _RE_PYTHON.match(text) is not None


def requote_all(text: str) -> str | None:
    """Requote every string at once when none holds a quote or a backslash; the length stays the same."""
    if '"' in text or "\\" in text:
        return None
    return _RE_SIMPLE.sub(r'"\1"', text)


def _inside(found: re.Match[str]) -> str:
    if found[0] == '"':
        return '\\"'
    return "'" if found[1] == "'" else found[0]


def _literal(text: str, at: int, next_key: object) -> Replacement | None:
    found = _RE_LITERAL.match(text, at)
    return Replacement("repair.python_literal", at, found.end(), _JSON[found[0]], found.end()) if found else None


def _single(text: str, at: int, next_key: object) -> Replacement | None:
    if not is_python(text):
        return None
    found = _RE_SINGLE.match(text, at)
    if found is None:
        return None
    body = _RE_INSIDE.sub(_inside, found[0][1:-1])
    return Replacement("repair.single_quotes", at, found.end(), f'"{body}"', found.end())


PYTHON_LITERAL = EditKind(
    Code(
        "repair.python_literal", "True, False or None was written the JSON way",
        "Each has exactly one JSON spelling.", "nothing to do",
        '{"done": True}', '{"done": TRUE}',
    ),
    on=True, sites="TFN", apply=_literal,
)  # fmt: skip

SINGLE_QUOTED = EditKind(
    Code(
        "repair.single_quotes", "strings in single quotes were written in double quotes",
        "The unit is wholly written that way, so each quote's role is certain.", "nothing to do",
        "{'rank': 1, 'why': 'x'}", "{\"rank\": 1, \"why\": 'x'}",
    ),
    on=True, sites="'", apply=_single,
)  # fmt: skip
