"""Python's spelling of the same values: ``True``, ``None``, and strings in single quotes.

Models that were trained on code print a ``dict``. Each token has exactly one JSON spelling. In a unit whose
keys are in double quotes a single quote is no delimiter but a slip, and is left alone.
"""

from __future__ import annotations

import re

from pratique.boundary.grammar import SINGLE, STRING, repeat
from pratique.boundary.repair.edit import EditKind, Mended, Offsets, Replacement
from pratique.errors import Code

__all__ = ["PYTHON_LITERAL", "SINGLE_QUOTED", "is_python", "requote"]

_RE_LITERAL = re.compile(r"(?:True|False|None)(?![A-Za-z0-9_])")
_RE_PYTHON = re.compile(r"\s*+[\[{]?\s*+\{\s*+'(?:[^'\\\n])*+'\s*+:")
_PASSED = repeat(r"""[^'\"]++|'[^'\\\"]*+'""")
_RE_QUOTED = re.compile(rf"{_PASSED}(?:({SINGLE})|({STRING}))", re.DOTALL)
"""Stops after a string that holds a quote or a backslash, or stands in double quotes; passes others in C."""
_RE_INSIDE = re.compile(r'\\(.)|"', re.DOTALL)
_JSON = {"True": "true", "False": "false", "None": "null"}


def is_python(text: str) -> bool:
    """Say whether a unit's first key is in single quotes."""
    return _RE_PYTHON.match(text) is not None


def _inside(found: re.Match[str]) -> str:
    if found[0] == '"':
        return '\\"'
    return "'" if found[1] == "'" else found[0]


def requote(text: str) -> Mended:
    """Put every single-quoted string into double quotes; one pass in C but for strings that hold quotes.

    Shape: replacements are those that may change the length; the others run in step.
    """
    changes: list[Replacement] = []
    parts: list[str] = []
    anchors = [(0, 0)]
    at = length = 0
    while True:
        found = _RE_QUOTED.match(text, at)
        if found is None:
            parts.append(text[at:].replace("'", '"'))
            return Mended("".join(parts), changes, Offsets(anchors))
        start, end = found.span(1)
        if start < 0:  # in double quotes already
            end = found.end()
            quoted = found.start(2)
            parts += (text[at:quoted].replace("'", '"'), text[quoted:end])
            length += end - at
        else:
            body = _RE_INSIDE.sub(_inside, text[start + 1 : end - 1])
            changes.append(Replacement("repair.single_quotes", start, end, f'"{body}"', end))
            parts += (text[at:start].replace("'", '"'), f'"{body}"')
            length += start - at
            anchors.append((length, start))
            length += len(body) + 2
            anchors.append((length, end))
        at = end


def _literal(text: str, at: int, next_key: object) -> Replacement | None:  # noqa: ARG001  # every edit has this shape
    found = _RE_LITERAL.match(text, at)
    return Replacement("repair.python_literal", at, found.end(), _JSON[found[0]], found.end()) if found else None


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
    on=True,
)  # fmt: skip
