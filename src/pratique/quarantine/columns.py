"""Text and values as columns: TEXT where any tool can read it, BLOB where TEXT would not hold it exactly.

A NUL would cut a text short in most SQL functions, and half a surrogate pair is no UTF-8: such text is stored
as a BLOB of UTF-8 with the surrogates passed. JSON columns are plain ASCII, so they need neither.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pratique.boundary.admission import Edit
from pratique.boundary.delivery import ToolCall
from pratique.errors import Effect, Finding
from pratique.text import Span

__all__ = [
    "calls_from_json",
    "edits_from_json",
    "findings_from_json",
    "from_column",
    "head_from_column",
    "to_column",
    "to_json",
]


def to_column(text: str | None) -> str | bytes | None:
    """Return what is bound for a text."""
    if text is None:
        return None
    if "\0" not in text:
        try:
            text.encode("utf-8")
            return text
        except UnicodeEncodeError:
            pass  # half a surrogate pair: a BLOB holds it
    return text.encode("utf-8", "surrogatepass")


def from_column(column: str | bytes) -> str:
    """Return the text of a column, exactly as it was bound."""
    return column if isinstance(column, str) else column.decode("utf-8", "surrogatepass")


def head_from_column(column: str | bytes, max_chars: int) -> str:
    """Return the head of a text of which the column holds the first bytes, perhaps cut inside a character."""
    if isinstance(column, bytes):
        try:
            return column.decode("utf-8", "surrogatepass")[:max_chars]
        except UnicodeDecodeError as cut:
            return column[: cut.start].decode("utf-8", "surrogatepass")[:max_chars]
    return column[:max_chars]


def to_json(value: object) -> str:
    """Write a value as JSON in ASCII; what is no JSON value is written as its text."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=str)


def findings_from_json(text: str) -> tuple[Finding, ...]:
    """Read findings back."""
    return tuple(
        Finding(
            told["code"], told["message"], told["path"], Span(*told["span"]) if told["span"] else None,
            Effect(told["effect"]), told["help"],
        )
        for told in json.loads(text)
    )  # fmt: skip


def edits_from_json(text: str) -> tuple[Edit, ...]:
    """Read edits back."""
    told: Sequence[Mapping[str, Any]] = json.loads(text)
    return tuple(Edit(one["code"], Span(*one["span"]), one["before"], one["after"]) for one in told)


def calls_from_json(text: str) -> tuple[ToolCall, ...]:
    """Read tool calls back."""
    return tuple(ToolCall(name, arguments, id) for name, arguments, id in json.loads(text))
