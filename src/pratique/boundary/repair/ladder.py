"""The ladder: which edits are tried on a unit that is no JSON, or that its contract refuses.

One pattern runs over all that is sound in C and stops at each place where an edit may fit; so the cost of
an edited unit is that of its edits, not of its characters.

Problem: a token walk in Python costs fourteen times a plain parse when every unit needs an edit.
What fails: a pattern per edit finds its sites inside strings too.
What we do: the pattern matches strings as tokens and knows, by look-ahead, what may follow each token.
What remains: brackets are not counted here; stray closers are looked for apart, when the rest did not help.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pratique.boundary.grammar import COMMENT, ELLIPSIS, STRING, Grammar, repeat
from pratique.boundary.repair.case import CASE_RESTORED, restore_case
from pratique.boundary.repair.closers import CLOSER_DELETED, stray_closers
from pratique.boundary.repair.commas import COMMA_DELETED, COMMA_INSERTED
from pratique.boundary.repair.comments import COMMENT_DELETED, ELLIPSIS_DELETED
from pratique.boundary.repair.control import CONTROL_ESCAPED, control_characters
from pratique.boundary.repair.edit import EditKind, Mended, Offsets, Replacement, rewrite, sourced
from pratique.boundary.repair.encoded import DECODED_ONCE, decode_once
from pratique.boundary.repair.python_text import PYTHON_LITERAL, SINGLE_QUOTED, is_python, requote
from pratique.boundary.repair.unwrap import UNWRAPPED
from pratique.boundary.validate import Problem
from pratique.terms import Shape

__all__ = ["DEFAULT_EDITS", "EDITS", "after_of", "as_edited", "mend_text", "mend_values"]

_ALL = (
    COMMENT_DELETED, ELLIPSIS_DELETED, PYTHON_LITERAL, SINGLE_QUOTED, COMMA_DELETED, COMMA_INSERTED,
    CLOSER_DELETED, CONTROL_ESCAPED, UNWRAPPED, DECODED_ONCE, CASE_RESTORED,
)  # fmt: skip

EDITS: dict[str, EditKind] = {kind.code.id: kind for kind in _ALL}
"""Every edit there is, by code, in the order in which they are tried."""

DEFAULT_EDITS: frozenset[str] = frozenset(code for code, kind in EDITS.items() if kind.on)
"""Codes of the edits that are on unless a contract says otherwise."""


@lru_cache(maxsize=256)
def _patterns(ahead: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile what may be passed over, and what a key looks like, for one set of keys."""
    blank = repeat(rf"\s|{COMMENT}|{ELLIPSIS}")
    word = rf"(?!(?:True|False|None)(?![A-Za-z0-9_])|\.\.\.)[^\s:,{{}}\[\]\"'/#…]++(?!{ahead})"
    tokens = (
        r"[\s:]++",
        rf",(?!{blank}[,}}\]])",
        r"[{\[](?!\s*+,)",
        rf"\}}(?!{ahead}|\s*+\{{)",
        rf"\](?!{ahead}|\s*+\[)",
        rf"{STRING}(?!{ahead})",
        word,
    )
    sound = re.compile(repeat("|".join(tokens)), re.DOTALL)
    return sound, re.compile(ahead)


def mend_text(text: str, grammar: Grammar, switched: frozenset[str], max_edits: int) -> Iterator[Mended]:
    """Yield readings of a unit that is no JSON, each with the edits that made it.

    Shape: at most two: with the edits of the walk alone, then with stray closers deleted too.
    Limits: at most ``max_edits`` edits; nothing is yielded past that.
    Not checked: whether a reading is JSON; the validator says that.
    """
    sound, next_key = _patterns(grammar.next_key)
    walked = _walk(text, sound, next_key, switched, max_edits)
    if walked is None:
        return
    if "repair.control_escaped" in switched:
        escaped = control_characters(walked.text)
        if escaped:
            walked = walked.then(escaped)
    if walked.replacements:
        yield walked
    if "repair.closer_deleted" in switched:
        strays = stray_closers(walked.text)
        if strays and len(strays) <= max_edits:
            yield walked.then(strays)


def _walk(
    text: str, sound: re.Pattern[str], next_key: re.Pattern[str], switched: frozenset[str], max_edits: int
) -> Mended | None:
    """Make the edits of one walk; None when a place is reached that no edit fits."""
    back: Offsets | None = None
    whole: list[Replacement] = []
    if "repair.single_quotes" in switched and is_python(text):
        requoted = requote(text)
        whole = [Replacement("repair.single_quotes", 0, len(text), "", 0)]
        text, back = requoted.text, requoted.back
    replacements: list[Replacement] = []
    kinds = [EDITS[code] for code in EDITS if code in switched and EDITS[code].apply is not None]
    at, stop = 0, len(text)
    while True:
        found = sound.match(text, at)
        at = found.end() if found else at
        if at >= stop:
            break
        change = _change(text, at, next_key, kinds)
        if change is None or len(replacements) >= max_edits:
            return None
        replacements.append(change)
        at = change.resume
    mended = rewrite(text, replacements, back)
    told = sourced(replacements, back) if back else replacements
    return Mended(mended.text, [*whole, *told], mended.back)


def _change(text: str, at: int, next_key: re.Pattern[str], kinds: list[EditKind]) -> Replacement | None:
    char = text[at]
    for kind in kinds:
        if char in kind.sites or kind.sites == "*":
            assert kind.apply is not None
            change = kind.apply(text, at, next_key)
            if change is not None:
                return change
    return None


def mend_values(
    text: str, problems: Sequence[Problem], shape: Shape[object], switched: frozenset[str], back: Offsets | None
) -> Mended | None:
    """Make the edits that the validator's complaints allow: decode once, restore letter case.

    Shape: None when some complaint is of another kind, since the unit is refused then anyway.
    """
    changes: dict[int, Replacement] = {}
    for problem in problems:
        change = None
        if "repair.decoded_once" in switched:
            change = decode_once(text, problem)
        if change is None and "repair.case_restored" in switched:
            change = restore_case(text, problem, shape.choices, shape.tags)
        if change is not None:
            changes[change.start] = change
    if not changes:
        return None
    ordered: list[Replacement] = []
    for start in sorted(changes):
        if not ordered or changes[start].start >= ordered[-1].end:
            ordered.append(changes[start])
    mended = rewrite(text, ordered, back)
    return Mended(mended.text, sourced(ordered, back) if back else ordered, mended.back)


def after_of(change: Replacement, before: str) -> str:
    """Return what an edit wrote; requoting a whole unit is told by doing it again, on what is shown of it."""
    return requote(before).text if change.code == "repair.single_quotes" else change.after


def as_edited(text: str, replacements: list[Replacement]) -> Mended:
    """Make the edits of one unit once more, to find places in the text that was validated."""
    if replacements and replacements[0].code == "repair.single_quotes":
        requoted = requote(text)
        return rewrite(requoted.text, replacements[1:], requoted.back)
    return rewrite(text, replacements)
