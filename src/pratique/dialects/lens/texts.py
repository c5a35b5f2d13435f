"""Values that are written as strings: JSON text, and the odd ones of a list of values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import jiter

from pratique.dialects.lens.parts import Part
from pratique.dialects.lens.step import Misshapen, Step
from pratique.dialects.nodes.reading import is_same
from pratique.terms.lens import Change
from pratique.text import decode_json_string

__all__ = ["Encoded", "Spelled"]


_RE_CONTROL = re.compile(r"[\x00-\x1f]")


class Encoded(Step):
    """Any value, written as JSON text inside a string."""

    __slots__ = ()

    moves = True

    def out(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False)

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind != "string":
            return []
        decoded = decode_json_string(text, part.start + 1, part.end - 1)
        if decoded is None or _RE_CONTROL.search(text, part.start, part.end):
            return []  # no JSON string: the validator says so
        written = decoded[0].strip(" \t\r\n")
        try:
            jiter.from_json(written.encode("utf-8", "surrogatepass"), allow_inf_nan=False)
        except ValueError as error:
            if written[:1] in ("{", "[", '"'):
                raise Misshapen(part, "expected JSON text in this string; it begins like JSON and is none") from error
            return []  # a bare word is the string itself
        return [Change(part.start, part.end, written)]


class Spelled(Step):
    """One of a few values, each written as a string."""

    __slots__ = ("_back", "_out")

    moves = True

    def __init__(self, spellings: Mapping[str, Any]) -> None:
        super().__init__()
        self._out = [(value, word) for word, value in spellings.items()]
        self._back = {word: json.dumps(value, ensure_ascii=False) for word, value in spellings.items()}

    def out(self, value: Any) -> Any:
        return next((word for listed, word in self._out if is_same(listed, value)), value)

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind != "string":
            return []
        decoded = decode_json_string(text, part.start + 1, part.end - 1)
        after = self._back.get(decoded[0]) if decoded else None
        return [] if after is None else [Change(part.start, part.end, after)]
