"""LS030: how many values are listed."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.lint.rule import Level

WORDS = [f"word-{index}" for index in range(300)]
CODES = [one + two for one in "ABCDE" for two in "VWXYZ"]
Many = Enum("Many", {f"M{index}": f"member {index}" for index in range(25)})  # type: ignore[misc]


class Filed(BaseModel):
    """One of many, or nothing."""

    under: Many | None = None


class Priced(BaseModel):
    """A currency out of a few."""

    currency: Literal["EUR", "USD", "CHF"]


FIRES: dict[str, Any] = {
    "more than 20 are a warning": Case(obj({"a": {"enum": WORDS[:21]}}), level=Level.WARN),
    "more than 250 are an error": Case(obj({"a": {"enum": WORDS[:251]}}), level=Level.ERROR),
    "a union of constants is a list, told once": Case(
        obj({"a": {"oneOf": [{"const": word} for word in WORDS[:30]]}}), at=("/properties/a",), level=Level.WARN
    ),
    "two short lists in one union are one long list": Case(
        obj({"a": {"anyOf": [{"enum": WORDS[:15]}, {"enum": WORDS[10:25]}]}}), at=("/properties/a",)
    ),
    "an enum class that may be null": Case(Filed, at=("/$defs/Many",), level=Level.WARN),
    "the elements of a list": Case(
        obj({"a": {"type": "array", "items": {"enum": WORDS[:40]}}}), at=("/properties/a/items",)
    ),
    "a tool's argument": Case([tool(obj({"region": {"type": "string", "enum": WORDS[:22]}}))], level=Level.WARN),
    "a definition that is used twice is told once": Case(
        {**obj({"a": {"$ref": "#/$defs/w"}, "b": {"$ref": "#/$defs/w"}}), "$defs": {"w": {"enum": WORDS[:25]}}},
        at=("/$defs/w",),
    ),
    "numbers one after the other should be a range": obj({"day": {"enum": list(range(1, 32))}}),
    "codes are only worth knowing": Case(obj({"country": {"enum": CODES}}), level=Level.INFO),
    "too many codes are an error": Case(obj({"a": {"enum": [f"{x}{y}" for x in CODES for y in "ABCDEFGHIJK"]}}),
                                        level=Level.ERROR),
    "a bound of the caller's own counts": Case(obj({"a": {"enum": WORDS[:6]}}), {"warn_enum": 5}),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "twenty are fine": obj({"a": {"enum": WORDS[:20]}}),
    "null is no value": obj({"a": {"enum": [*WORDS[:20], None]}}),
    "many fields with a few values each": obj({f"f{index}": {"enum": WORDS[:10]} for index in range(20)}),
    "the tags of a union of objects are no list": {
        "anyOf": [obj({"kind": {"const": word}, word: {"type": "string"}}) for word in WORDS[:30]]
    },
    "a value listed twice counts once": obj({"a": {"anyOf": [{"enum": WORDS[:12]}, {"enum": WORDS[:12]}]}}),
    "a range is no list": obj({"a": {"type": "integer", "minimum": 1, "maximum": 1000}}),
    "a short literal": Priced,
}
