"""What stands in a reply: the arguments of a call as they were sent, where they can still be had, and how it ended.

An SDK reads a reply into values: of a key that came twice one is gone, and numbers have lost their digits. Where the
reply is still there as text, the very characters are judged; else the values are written as JSON again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pratique.boundary.delivery import Delivery, Producer, Stop, ToolCall, stop_of
from pratique.boundary.validate import elements, locate
from pratique.errors import Misuse

__all__ = ["as_sent", "elements_of", "in_reply", "json_text", "lesser_end", "member_of", "text_of", "word_of"]

_PROMISES = (Stop.DECLINED, Stop.FAILED, Stop.UNKNOWN, Stop.TRUNCATED, Stop.COMPLETE)
"""How a reply may end, by what it promises: the least first."""


def member_of(text: str, *path: str) -> str:
    """Return the text of a member of a JSON object, following keys; the nearest part where one is not there.

    Limits: linear. Errors: none; what is no JSON gives some part of itself, see ``as_sent``.
    """
    start, end = locate(text, path)
    return text[start:end]


def elements_of(text: str) -> list[str]:
    """Return the texts of the elements of a JSON list; none when it is no list. Limits: linear."""
    return [text[start:end] for start, end in elements(text, 0, len(text))] if text[:1] == "[" else []


def as_sent(part: str, value: Any) -> str:
    """Return ``part`` when it is what ``value`` was read from; else ``value`` written anew.

    Shape: a part of a reply, and what an SDK made of it. So whoever changed the value in between is heeded.
    """
    try:
        same = json.dumps(json.loads(part)) == json.dumps(value)
    except (ValueError, TypeError, RecursionError):
        same = False
    return part if same else json_text(value)


def json_text(value: Any) -> str:
    """Write the arguments of a call as text, when they came as values; text is taken as it is.

    Not checked: keys that came twice and the digits of numbers were lost before, and cannot be seen here.
    """
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return ""  # nested deeper than any text that is admitted, or no JSON: read by nobody, refused as malformed


def text_of(value: Any) -> str:
    """Return a text as it is, and nothing for what is none."""
    return value if isinstance(value, str) else ""


def word_of(told: Any) -> str | None:
    """Return a provider's word for how a reply ended: what is no word stays told, and unknown."""
    return told if told is None or isinstance(told, str) else json_text(told)


def lesser_end(words: Iterable[object]) -> str | None:
    """Choose, of several words for how one reply ended, the one that promises least; None when none was told."""
    told = [word for word in map(word_of, words) if word is not None]
    return min(told, key=lambda word: _PROMISES.index(stop_of(word)), default=None)


def in_reply(call: ToolCall, calls: Sequence[ToolCall], delivery: Delivery) -> tuple[Delivery, int] | None:
    """Find a call that is about to run among the calls of a reply; None when it is none of them.

    What somebody made of it since, a person who approved it or other middleware, is judged in its place: as a
    person's, and beside its sisters.

    Shape: ``calls`` are those of ``delivery`` in the same order, written as ``call`` is.
    Errors: Misuse when it may have been made of several of them.
    """
    alike = [place for place, other in enumerate(calls) if (other.id, other.name) == (call.id, call.name)]
    for place in alike:
        if calls[place] == call:
            return delivery, place
    if len(alike) > 1:
        raise Misuse(
            f"several calls of tool {call.name!r} in one reply have one id, and what is to run is none of them",
            remedy="give each call an id of its own before somebody changes it",
        )
    for place in alike:
        changed = (*delivery.tool_calls[:place], call, *delivery.tool_calls[place + 1 :])
        return replace(delivery, tool_calls=changed, producer=Producer.PERSON), place
    return None
