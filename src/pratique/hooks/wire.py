"""What stands in a provider's reply, as text: the arguments of a call as they were sent, where they can still be had.

An SDK reads a reply into values: of a key that came twice one is gone, and numbers have lost their digits. Where the
reply is still there as text, the very characters are judged; else the values are written as JSON again.
"""

from __future__ import annotations

import json
from typing import Any

from pratique.boundary.validate import elements, locate

__all__ = ["as_sent", "elements_of", "json_text", "member_of"]


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
