"""LS024: two spellings of absence."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.lint.rule import Level

TEXT = {"type": "string"}
MAYBE = {"type": ["string", "null"]}


class Usual(BaseModel):
    """Pydantic's way: both mean None."""

    a: str | None = None
    b: int | None = None


class Doubtful(BaseModel):
    """Left out is ten, null is None."""

    limit: int | None = 10


class Made(BaseModel):
    """Left out is an empty list, which the schema does not say."""

    tags: list[str] | None = Field(default_factory=list)


class Written(BaseModel):
    """Null must be written."""

    a: str | None


class Anything(BaseModel):
    """Of any value nothing is told, so null is not."""

    a: Any = None


FIRES: dict[str, Any] = {
    "both, and no default": Case(obj({}, {"due": MAYBE}), at=("/properties/due",), level=Level.WARN),
    "several in one object are told together": Case(obj({}, {"a": MAYBE, "b": MAYBE}), at=("",), level=Level.WARN),
    "a default that is not null": Case(Doubtful, at=("/properties/limit",), level=Level.WARN),
    "a default that is made": Case(Made, level=Level.WARN),
    "both mean the same": Case(Usual, at=("",), level=Level.INFO),
    "a tool, null among listed values": Case(
        [tool(obj({}, {"order": {"enum": ["asc", "desc", None]}}))], at=("/properties/order",), level=Level.WARN
    ),
    "a tool whose description is about something else": Case(
        tool(obj({}, {"due": MAYBE}), description="Nullify nothing."), level=Level.WARN
    ),
    "what a tool says of null is not said of objects inside": Case(
        tool(obj({"at": obj({}, {"line": MAYBE})}), description="Null clears an argument."), level=Level.WARN
    ),
    "a word inside another word says nothing of null": obj({}, {"d": {**MAYBE, "description": "May be annulled"}}),
    "behind a reference": obj({}, {"due": {"$ref": "#/$defs/m"}}, **{"$defs": {"m": MAYBE}}),
    "null inside a union of objects": obj({}, {"by": {"anyOf": [obj({"id": TEXT}), {"type": "null"}]}}),
}
QUIET: dict[str, Any] = {
    "null that must be written": Written,
    "a key that may be left out": obj({}, {"due": TEXT}),
    "any value": Anything,
    "a default of null that the value itself refuses is LS040's": obj({}, {"due": {**TEXT, "default": None}}),
    "null only inside a list": obj({}, {"l": {"type": "array", "items": MAYBE}}),
    "the description says what null means": obj({}, {"line": {**MAYBE, "description": "Null for deleted lines."}}),
    "the tool's description says what null means": tool(
        obj({}, {"scheme": MAYBE, "media": MAYBE}), description="Emulate media. What is left out stays; null clears it."
    ),
    "the word null": obj({}, {"e": {"enum": ["null", "none"]}}),
}
