"""Walk the document around the list: its members before the list, and those after it.

What stands around the list is the envelope. It is judged apart from the units: a damaged envelope costs
the envelope, never a unit; and a damaged head must not hide the list, so the list's key is looked for
even where the members before it cannot be walked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import jiter

from pratique.boundary.grammar import COMMENT, NUMBER, SINGLE, STRING, WORD, Grammar, key_of, repeat
from pratique.boundary.scan import walk_brackets

__all__ = [
    "Around",
    "ListPlace",
    "Tail",
    "cut_out_list",
    "find_list",
    "has_member",
    "holds_only",
    "next_after",
    "walk_tail",
]

_GAP = repeat(rf"[\s,]++|{COMMENT}")
_RE_MEMBER = re.compile(rf"{_GAP}(?P<key>{STRING}|{SINGLE})\s*+:\s*+", re.DOTALL)
_RE_GAP = re.compile(_GAP, re.DOTALL)
_RE_APART = re.compile(r"\s*+,?+\s*+")
_RE_VALUE = re.compile(rf"(?:{STRING}|{SINGLE}|{NUMBER}|{WORD})(?=\s*+(?:[,}}\]/#]|\Z))", re.DOTALL)


MAX_MEMBERS = 16
"""Members of an object that are looked at to see whether it is a unit."""


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Say where the list stands. Units: offsets into the frame's text."""

    key_start: int
    """Where the list's own member begins: its key."""
    start: int
    """Where the first unit may begin."""
    value: str
    """What stands there: ``list``, ``object``, ``string``, ``other``, or ``none``."""
    sound: bool
    """Whether all members before it could be walked."""
    end: int = -1
    """Where the document ends, when it holds no list."""


@dataclass(frozen=True, slots=True)
class Tail:
    """Say where the document ends after its list."""

    end: int
    sound: bool
    cut: bool
    """The text ends before the document does."""
    again: bool = False
    """The list's own key comes a second time."""


Ends: TypeAlias = Callable[[int], int | None]
"""Where the bracket at a place closes, for callers that ask about many places of one text."""


def _skip_value(text: str, at: int, stop: int, grammar: Grammar, ends: Ends | None = None) -> int | None:
    """Return where the value at ``at`` ends, or None when it cannot be told."""
    if text[at : at + 1] in ("{", "["):
        found = grammar.balanced.match(text, at, stop)
        if found is not None:
            return found.end()
        if ends is not None:
            return ends(at)
        walk = walk_brackets(text, at, stop)
        return walk.end if walk.why == "balanced" else None
    found = _RE_VALUE.match(text, at, stop)
    return found.end() if found else None


def find_list(
    text: str,
    start: int,
    stop: int,
    grammar: Grammar,
    at: tuple[str, ...],
    ends: Ends | None = None,
    *,
    torn: bool = True,
) -> ListPlace:
    """Find the list in the document that opens at ``start``.

    ``torn`` looks for the list's key past members that cannot be walked, to the end of the text.
    """
    place = start + 1
    depth = 0
    while True:
        member = _RE_MEMBER.match(text, place, stop)
        if member is None:
            break
        key = key_of(member["key"][1:-1])
        if key == at[depth]:
            char = text[member.end() : member.end() + 1]
            if depth == len(at) - 1:
                return _place(member.start("key"), member.end(), char, stop, sound=True)
            if char == "{":
                depth += 1
                place = member.end() + 1
                continue
        end = _skip_value(text, member.end(), stop, grammar, ends)
        if end is None:
            place = member.end()
            break
        place = end
    gap = _RE_GAP.match(text, place, stop)
    here = gap.end() if gap else place
    if text[here : here + 1] == "}" and depth == 0:
        return ListPlace(here, here, "none", True, here + 1)
    if not torn:
        return ListPlace(stop, stop, "none", False)
    assert grammar.list_key is not None
    found = grammar.list_key.search(text, place, stop) or grammar.list_key.search(text, start, stop)
    if found is None:
        return ListPlace(stop, stop, "none", False)
    return _place(found.start(), found.start("open"), found["open"], stop, sound=False)


def has_member(text: str, start: int, stop: int, grammar: Grammar, ends: Ends) -> bool:
    """Say whether the object at ``start`` has a key of the unit among its own first members."""
    place = start + 1
    for _ in range(MAX_MEMBERS):
        member = _RE_MEMBER.match(text, place, stop)
        if member is None:
            return False
        if key_of(member["key"][1:-1]) in grammar.unit_keys:
            return True
        end = _skip_value(text, member.end(), stop, grammar, ends)
        if end is None:
            return False
        place = end
    return False


def _place(key_start: int, value: int, char: str, stop: int, *, sound: bool) -> ListPlace:
    if char == "[":
        return ListPlace(key_start, value + 1, "list", sound)
    if char == "{":
        return ListPlace(key_start, value, "object", sound)
    if char == '"':
        return ListPlace(key_start, value, "string", sound)
    return ListPlace(key_start, min(value, stop), "other" if char else "cut", sound)


def next_after(text: str, end: int, stop: int) -> int:
    """Return where the next thing after a document's end begins, one comma passed over."""
    found = _RE_APART.match(text, end, stop)
    return found.end() if found else end


def walk_tail(text: str, at: int, stop: int, grammar: Grammar, path: tuple[str, ...]) -> Tail:
    """Walk the members after the list to the document's end, over one closing brace a key of its path."""
    levels = len(path)
    again = False
    while levels:
        gap = _RE_GAP.match(text, at, stop)
        at = gap.end() if gap else at
        if at >= stop:
            return Tail(stop, False, True)
        if text[at] == "}":
            levels -= 1
            at += 1
            continue
        member = _RE_MEMBER.match(text, at, stop)
        end = _skip_value(text, member.end(), stop, grammar) if member else None
        if end is None:
            return _torn_tail(text, at, stop)
        assert member is not None  # it had an end
        again = again or key_of(member["key"][1:-1]) == path[levels - 1]
        at = end
    return Tail(at, True, False, again)


def _torn_tail(text: str, at: int, stop: int) -> Tail:
    """Find the end of a document whose tail cannot be walked: its last closing brace before a fence or the end."""
    fence = text.find("```", at, stop)
    limit = fence if fence >= 0 else stop
    close = text.rfind("}", at, limit)
    if close >= 0 and not text[close + 1 : limit].strip():
        return Tail(close + 1, False, False)
    return Tail(limit, False, fence < 0)


@dataclass(frozen=True, slots=True)
class Around:
    """The document's text without its list's member. Units: offsets into the frame's text."""

    text: str
    head_chars: int
    """How much of it stood before the list."""
    tail_start: int
    """Where the rest of it began."""


def cut_out_list(text: str, start: int, key_start: int, list_end: int, end: int) -> Around:
    """Cut the list's own member, and the comma it owes, out of its document."""
    head, tail = text[start:key_start], text[list_end:end]
    bare = head.rstrip()
    if bare.endswith(","):
        head = bare[:-1]
    elif bare.endswith("{"):
        rest = tail.lstrip()
        if rest.startswith(","):
            tail = rest[1:]
            list_end = end - len(tail)
    return Around(head + tail, len(head), list_end)


def holds_only(text: str, path: tuple[str, ...]) -> bool:
    """Say whether a document without its list holds nothing but the objects on the list's path."""
    try:
        tree = jiter.from_json(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    for key in path[:-1]:
        if not isinstance(tree, dict) or tree.keys() != {key}:
            return False
        tree = tree[key]
    return isinstance(tree, dict) and not tree
