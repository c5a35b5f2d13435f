"""Hypothesis strategies: mangled reports, runs of JSON fragments, rich sound values."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from damage.kinds import KINDS
from damage.report import Style, make_report

__all__ = ["deliveries", "hostile_text", "json_like", "json_objects", "json_text", "mangled"]

_REPORTS = [make_report(Random(seed), units=3, style=style) for seed in range(2) for style in Style]
_FRAGMENTS = (
    "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\n", "\r\n", " ", "\t", "/*", "*/", "//", "#", "...", "…",
    "```", "```json\n", "~~~", "<think>", "</think>", "\ufeff", "\x00", "\x1b[31m", "\u202e", "\ud800", "–", "🚢",
    "1", "-", "0", "1.5", "1e400", "NaN", "True", "None", "null", "true", '"rank"', '"rank": 1', "'rank': 1",
    '"summary": "s"', '"recommendations": [', '"recommendations"', '"complete": true', '"wsjf": {', '"name"',
    '"arguments": {', '"function"', '"triage"', '{"rank":', '},{"rank": 2', "\\u0041", "\\ud83d", '\\"',
    '{"summary": "s", "recommendations": [', "]}", '"\\"{\\"rank\\": 1}\\""', "]}]}", "}, {", "\n{",
)  # fmt: skip
_UNIT = json.dumps(_REPORTS[0].units[0])


def json_like() -> st.SearchStrategy[str]:
    """Return runs of fragments that look like JSON, comments, fences and reasoning marks."""
    return st.lists(st.sampled_from((*_FRAGMENTS, _UNIT)), max_size=40).map("".join)


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """Return a sound report with up to six random changes."""
    text = draw(st.sampled_from(_REPORTS)).text
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from((0, 0, 1, 1, 2, 5, 40, 200)))
        by = draw(st.sampled_from(("", "", *_FRAGMENTS)))
        text = text[:start] + by + text[start + length :]
    return text


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(sorted(KINDS)))
    rng = Random(draw(st.integers(0, 1_000)))
    text = KINDS[name](make_report(rng), rng).text
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def deliveries() -> st.SearchStrategy[str]:
    """Return all kinds of text that a producer may deliver."""
    return st.one_of(mangled(), _damaged(), json_like(), st.text(max_size=200))


def hostile_text(max_size: int = 60) -> st.SearchStrategy[str]:
    """Return strings that a sound document may hold and a careless reader trips over."""
    pieces = st.one_of(st.text(max_size=10), st.sampled_from([part for part in _FRAGMENTS if part != "\ud800"]))
    return st.lists(pieces, max_size=max_size // 10).map("".join)


def json_text(value: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, Any]]:
    """Return (text, value): a value written in one of JSON's many spellings."""

    def write(value: Any, indent: int | None, tight: bool, ascii_only: bool) -> tuple[str, Any]:
        separators = (",", ":") if tight else None
        return json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only), value

    return st.builds(write, value, st.sampled_from((None, None, 0, 1, 2, 4)), st.booleans(), st.booleans())


def json_objects(max_depth: int = 5) -> st.SearchStrategy[dict[str, Any]]:
    """Return arbitrary JSON objects, nested no deeper than ``max_depth`` levels."""
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        hostile_text(),
    )
    value: st.SearchStrategy[Any] = scalars
    for _ in range(max_depth - 1):
        value = st.one_of(scalars, st.lists(value, max_size=3), st.dictionaries(hostile_text(20), value, max_size=3))
    return st.dictionaries(hostile_text(20), value, max_size=4)
