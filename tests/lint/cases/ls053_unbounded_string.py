"""LS053: texts without a bound."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Note(BaseModel):
    """Two texts and a list of texts."""

    title: str
    body: str | None = None
    tags: list[str]


class Bounded(BaseModel):
    """Texts that end."""

    title: Annotated[str, Field(max_length=80)]
    code: Annotated[str, Field(pattern="^[A-Z]{3}-[0-9]{1,4}$")]
    either: Annotated[str, Field(pattern="^(?:yes|no)$")]
    kind: Literal["a", "b"]
    day: date
    key: UUID


FIRES: dict[str, Any] = {
    "three texts are one finding": Case(Note, at=("/properties/title",), level=Level.WARN),
    "a pattern that goes on": obj({"a": {"type": "string", "pattern": "^[a-z]+$"}}),
    "a pattern that is searched for": obj({"a": {"type": "string", "pattern": "[a-z]{3}"}}),
    "a pattern of which one half is not anchored": obj({"a": {"type": "string", "pattern": "^a|b$"}}),
    "a count without an end": obj({"a": {"type": "string", "pattern": "^[a-z]{2,}$"}}),
    "a uri is not short": obj({"a": {"type": "string", "format": "uri"}}),
}
QUIET: dict[str, Any] = {
    "the arguments of a tool, whose server has bounds of its own": tool(obj({"q": {"type": "string"}})),
    "texts that end": Bounded,
    "a contract bounds every text": Contract.one(Note),
    "a star in a class": obj({"a": {"type": "string", "pattern": "^[*+]{1,3}$"}}),
    "an escaped star": obj({"a": {"type": "string", "pattern": r"^\*[0-9]?$"}}),
    "listed values": obj({"a": {"enum": ["x", "y"]}}),
    "no texts": obj({"a": {"type": "integer"}}),
    "a bound beside a reference": {
        **obj({"a": {"$ref": "#/$defs/t", "maxLength": 9}}), "$defs": {"t": {"type": "string"}},
    },
}  # fmt: skip
