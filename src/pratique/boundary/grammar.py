"""The shapes of JSON text that the steps look for, as patterns that run in C and never backtrack.

Every repetition is possessive, so a match costs one pass over what it matches, whatever the input. The
patterns know nothing of meaning: what they call balanced may still be no JSON; the validator says that.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pratique.limits import MAX_KEY_CHARS, MAX_SEPARATOR_CHARS, MAX_WRAPPERS
from pratique.terms import Terms
from pratique.text import decode_json_string

__all__ = ["Grammar", "grammar_of", "key_of", "repeat"]


def repeat(body: str, many: str = "*") -> str:
    """Make a possessive repeat of a group: what it took it never gives back.

    Problem: before CPython 3.11.5 a possessive repeat whose last round fails goes on from where that round
    failed, not from where it began (gh-106052); looking ahead first does not help. Debian 12 ships 3.11.2.
    What we do: there, an atomic group around a greedy repeat, which is right and keeps a place for each round.
    What remains: a repeat whose rounds cannot fail after their first character is written the plain way.
    """
    return f"(?:{body}){many}+" if sys.version_info >= (3, 11, 5) else f"(?>(?:{body}){many})"


# Unrolled: the plain stretch before each escape is one step, which a string without escapes does not leave.
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
SINGLE = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'"
# A raw line end is no JSON: a string that seems to run over one has most likely lost its quote before.
LINE_STRING = r'"[^"\\\n\r]*+(?:\\[^\n\r][^"\\\n\r]*+)*+"'
LINE_SINGLE = r"'[^'\\\n\r]*+(?:\\[^\n\r][^'\\\n\r]*+)*+'"
_FRACTION = repeat(r"\.[0-9]++", "?")
_EXPONENT = repeat(r"[eE][+-]?+[0-9]++", "?")
NUMBER = rf"-?+[0-9]++{_FRACTION}{_EXPONENT}"
WORD = r"(?:true|false|null|True|False|None|NaN|-?+Infinity)(?![A-Za-z0-9_])"
MAX_COMMENT_CHARS = 4_000
"""Longest comment that is taken for one: an opened one that never closes would be searched to the end each time."""

_COMMENTED = repeat(r"(?!\*/)[\s\S]", f"{{0,{MAX_COMMENT_CHARS}}}")
COMMENT = rf"//[^\n\r]*+|\#[^\n\r]*+|/\*{_COMMENTED}\*/"
ELLIPSIS = r"\.\.\.[.]*+|…"

MARGIN_LEVELS = 2
"""Levels beyond the limit that are still matched in C, so that a slightly deep unit is isolated cheaply."""

_CLOSERS = repeat(r"\s*+\}")
_QUOTE = "[\"'`´“”„‟‘’‚«»″]"

RE_COMMENT = re.compile(COMMENT)
RE_ELLIPSIS = re.compile(ELLIPSIS)
RE_SPACE = re.compile(r"\s*+")
SCALAR = rf"(?:{STRING}|{NUMBER}|{WORD})"
RE_SCALAR = re.compile(SCALAR, re.DOTALL)
_SOUND = rf"[\s{{}}\[\],:]++|{LINE_STRING}|{NUMBER}(?![\w.])|{WORD}"
RE_SOUND = re.compile(repeat(_SOUND))
RE_SOUND_PYTHON = re.compile(repeat(f"{_SOUND}|{LINE_SINGLE}"))
RE_STRING = re.compile(STRING, re.DOTALL)
RE_STRUCTURE = re.compile(rf"{STRING}|[{{}}\[\]]", re.DOTALL)
RE_STRUCTURE_PYTHON = re.compile(rf"{SINGLE}|{STRING}|[{{}}\[\]]", re.DOTALL)
_RE_ESCAPED_CHAR = re.compile(r"\\u[0-9a-f]{4}")
_ANY_KEY = rf'(?:[^"\\\n]|\\.){{0,{MAX_KEY_CHARS}}}+'
RE_SPACED_COLON = re.compile(r'"[ \t\r\n]++:')


def _keys(keys: Iterable[str]) -> str:
    """Match one of the keys, without its quotes; any key when none is known."""
    known = sorted({spelling for key in keys for spelling in _spellings(key)}, key=lambda key: (-len(key), key))
    return f"(?:{'|'.join(map(re.escape, known))})" if known else _ANY_KEY


def _spellings(key: str) -> set[str]:
    """Return how a key may stand between its quotes: as it is, or with what is not ASCII escaped, as writers do."""
    escaped = json.dumps(key)[1:-1]
    capitals = _RE_ESCAPED_CHAR.sub(lambda found: found[0][:2] + found[0][2:].upper(), escaped)
    return {json.dumps(key, ensure_ascii=False)[1:-1], escaped, capitals}


def key_of(written: str) -> str:
    """Return the key that stands between two quotes, its escapes decoded; as it is written when they are none."""
    if "\\" not in written:
        return written
    decoded = decode_json_string(written, 0, len(written))
    return written if decoded is None else decoded[0]


def _balanced(levels: int, strings: str, quotes: str) -> str:
    plain = rf"[^{{}}\[\]{quotes}]*+"
    flat = rf"{plain}(?:{strings}{plain})*+"
    body = flat
    for _ in range(levels):
        body = rf"{flat}(?:[{{\[]{body}[}}\]]{flat})*+"
    return rf"(?:\{{{body}\}}|\[{body}\])"


@lru_cache(maxsize=64)
def _compiled_balanced(levels: int, python: bool) -> re.Pattern[str]:
    text = _balanced(levels, f"(?:{STRING}|{SINGLE})" if python else STRING, "\"'" if python else '"')
    return re.compile(text, re.DOTALL)


@lru_cache(maxsize=64)
def _compiled_item(levels: int, python: bool) -> re.Pattern[str]:
    balanced = _compiled_balanced(levels, python).pattern
    quoted = r"(?=\{\s*+')" if python else r"(?!\{\s*+')"  # a unit in the other quotes is not of this run
    return re.compile(rf"({quoted}{balanced})\s*+,\s*+(?=\{{)", re.DOTALL)


@lru_cache(maxsize=64)
def _compiled_next(levels: int) -> re.Pattern[str]:
    balanced = _compiled_balanced(levels, False).pattern
    return re.compile(rf"(\s*+)(,?+)(\s*+)((?=\{{)(?!\{{\s*+'){balanced})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Grammar:
    """Hold the patterns of one contract."""

    balanced: re.Pattern[str]
    """An object or list whose brackets and JSON strings balance, to ``max_depth`` and a margin."""
    balanced_python: re.Pattern[str]
    """The same, with single-quoted strings too."""
    item: re.Pattern[str]
    """A balanced object or list, a single comma, and another object after it."""
    item_python: re.Pattern[str]
    next_item: re.Pattern[str]
    """White space, perhaps a comma, white space, and a balanced object in double quotes: groups 1 to 4."""
    levels: int
    unit_start: re.Pattern[str]
    """``{``, a key of the unit, a colon: where a unit may begin."""
    bare_start: re.Pattern[str]
    """The same with no quotes at all: JavaScript's spelling. Such units are seen, and refused."""
    border: re.Pattern[str]
    """A unit start that nothing nested in the unit can look like."""
    unit_key: re.Pattern[str]
    """A quoted key of the unit and its colon, anywhere."""
    next_key: str
    """Pattern text: white space, a quoted key of the unit, the envelope or anything in them, and its colon."""
    loose_key: re.Pattern[str]
    """A key of the unit in any quotes, or in none after a brace, and its colon: what may be left of a unit."""
    foreign_key: re.Pattern[str]
    """A quoted key of the envelope that no unit has, and its colon."""
    own_key_next: re.Pattern[str]
    """White space, perhaps a comma, and a key of the unit: what stands before it did not end the unit."""
    list_key: re.Pattern[str] | None
    """The key of the list, with or without its quotes, and what opens the list; None for a bare list."""
    list_over: re.Pattern[str]
    """Where the list is over for certain, whatever the string state: no resync goes past it. Either ``]`` and what
    cannot follow it in the list, or another list of units that opens at a line's beginning."""
    list_end: re.Pattern[str]
    """``]`` where the list's end is legal: an envelope key, the document's end, a fence or the end follows."""
    resync_anywhere: bool
    """Whether a unit start tells nothing else; if not, only learned indentation does."""
    unit_keys: frozenset[str]
    envelope_keys: frozenset[str]


@lru_cache(maxsize=256)
def _grammar(
    levels: int,
    unit_keys: frozenset[str],
    shared_keys: frozenset[str],
    all_keys: frozenset[str],
    envelope_keys: frozenset[str],
    foreign: frozenset[str],
    at: tuple[str, ...],
    nested_any: bool,
) -> Grammar:
    own = unit_keys - shared_keys
    closers = rf"(?:\}}\s*+){{1,{len(at) + MAX_WRAPPERS}}}+(?![\]}},])"
    member = rf",\s*+[\"']{_keys(envelope_keys)}[\"']\s*+:|" if envelope_keys else ""
    after_list = rf"\s*+(?:{member}{closers}|\Z|```)|[ \t]*+\r?+\n(?:[ \t]*+\r?+\n|[^\s\]}},{{\"'/])"
    member = rf",\s*+[\"']{_keys(foreign)}[\"']\s*+:|" if foreign else ""
    over = rf"\s*+(?:{member}(?:\}}\s*+)*+(?:\Z|```))|{_CLOSERS}[ \t]*+\r?+\n\s*+[^\s\]}},{{\"'/\[0-9+.:-]"
    name = _keys(at[-1:]) if at else ""
    return Grammar(
        balanced=_compiled_balanced(levels, False),
        balanced_python=_compiled_balanced(levels, True),
        item=_compiled_item(levels, False),
        item_python=_compiled_item(levels, True),
        next_item=_compiled_next(levels),
        levels=levels,
        unit_start=re.compile(rf"\{{\s*+([\"']){_keys(unit_keys)}\1\s*+:"),
        bare_start=re.compile(rf"\{{\s*+{_keys(unit_keys)}\s*+:"),
        border=re.compile(rf"\{{\s*+([\"']){_keys(own or unit_keys)}\1\s*+:"),
        unit_key=re.compile(rf"([\"']){_keys(unit_keys)}\1\s*+:"),
        next_key=rf"\s*+(?:\"{_keys(all_keys)}\"|'{_keys(all_keys)}')\s*+:",
        loose_key=re.compile(rf"(?:{_QUOTE}{_keys(unit_keys)}{_QUOTE}|\{{\s*+{_keys(unit_keys)})\s*+:"),
        foreign_key=re.compile(rf"([\"']){_keys(foreign)}\1\s*+:") if foreign else re.compile(r"(?!)"),
        own_key_next=re.compile(rf"\s*+,?+\s*+([\"']){_keys(unit_keys - envelope_keys)}\1\s*+:"),
        list_key=re.compile(rf"[\"']?{name}[\"']?\s*+:?\s*+(?P<open>[\[{{])(?=\s*+[{{\]\"'/])") if at else None,
        list_over=re.compile(rf"\](?={over})|\n[ \t]*+\[(?=\s*+\{{\s*+[\"']{_keys(unit_keys)}[\"']\s*+:)"),
        list_end=re.compile(rf"\](?={after_list})"),
        resync_anywhere=bool(own) and not nested_any,
        unit_keys=unit_keys,
        envelope_keys=envelope_keys,
    )


@lru_cache(maxsize=256)
def grammar_of(terms: Terms[object]) -> Grammar:
    """Return the patterns of a contract; compiled once for each set of keys."""
    envelope = terms.envelope
    return _grammar(
        terms.limits.max_depth + MARGIN_LEVELS,
        frozenset() if terms.unit.any_object else terms.unit.keys,
        terms.unit.shared_keys,
        terms.unit.all_keys | (envelope.all_keys if envelope else frozenset()) | frozenset(terms.at)
        if terms.unit.all_keys
        else frozenset(),
        envelope.keys if envelope else frozenset(),
        envelope.keys - terms.unit.all_keys if envelope else frozenset(),
        terms.at,
        terms.unit.nested_any,
    )


def space_before(text: str, start: int, at: int) -> str:
    """Return the white space that ends at ``at``, not looking further back than ``start``."""
    window = text[max(start, at - MAX_SEPARATOR_CHARS) : at]
    return window[len(window.rstrip()) :]
