"""A string that wholly encodes the object or list the contract wants in its place: decoded once.

The most reported production fault of tool calls: a nested argument comes as a JSON text inside a string.
Only where the validator asked for an object or a list, only when the whole string is one, and only once.
"""

from __future__ import annotations

import jiter

from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.boundary.validate import Problem, locate
from pratique.errors import Code
from pratique.text import decode_json_string

__all__ = ["DECODED_ONCE", "decode_once"]

DECODED_ONCE = EditKind(
    Code(
        "repair.decoded_once", "a string that wholly encodes an object or a list was decoded",
        "The contract wants an object or a list there, and the string is exactly one, written as text.",
        "nothing to do", '{"wsjf": "{\\"score\\": 3}"}', '{"why": "{\\"score\\": 3}"}',
    ),
    on=True,
)  # fmt: skip

_KINDS = {
    "model_type": "{", "model_attributes_type": "{", "dict_type": "{", "dataclass_type": "{", "list_type": "[",
    "tuple_type": "[", "set_type": "[", "frozen_set_type": "[", "json_schema_type": "{[",
}  # fmt: skip


def decode_once(text: str, problem: Problem) -> Replacement | None:
    """Decode the string at which the validator wanted an object or a list; None when it is not that."""
    wanted = _KINDS.get(problem.kind)
    if wanted is None:
        return None
    start, end = locate(text, problem.loc)
    if text[start : start + 1] != '"' or text[end - 1] != '"':
        return None
    decoded = decode_json_string(text, start + 1, end - 1)
    if decoded is None or decoded[0].strip()[:1] not in tuple(wanted):
        return None
    try:
        jiter.from_json(decoded[0].encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError:
        return None
    return Replacement("repair.decoded_once", start, end, decoded[0], end)
