"""LS054: numbers without a bound."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, PositiveInt

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Loose(BaseModel):
    """Numbers of any size."""

    share: float
    count: int | None = None


class Bounded(BaseModel):
    """Numbers with a bound on one side at least."""

    share: Annotated[float, Field(ge=0, le=1)]
    count: PositiveInt


NUMBER = {"type": "number"}
FIRES: dict[str, Any] = {
    "two numbers are one finding": Case(Loose, at=("/properties/share",), level=Level.INFO),
    "a contract": Case(Contract.one(Loose), at=("/properties/share",)),
    "in a list, in a tool": Case(tool(obj({"a": {"type": "array", "items": NUMBER}})), at=("/properties/a/items",)),
    "beside an id": Case(obj({"id": NUMBER, "count": NUMBER}), at=("/properties/count",)),
    "a vector that is one number": obj({"vector": NUMBER}),
    "a multiple of something": obj({"a": {"type": "integer", "multipleOf": 5}}),
    "a format that says nothing of the size": obj({"a": {"type": "number", "format": "currency"}}),
}
QUIET: dict[str, Any] = {
    "bounded on one side or both": Bounded,
    "a format that says the size": obj({"a": {"type": "integer", "format": "int32"}}),
    "listed numbers": obj({"a": {"type": "integer", "enum": [1, 2, 3]}}),
    "ids": tool(obj({"pageId": NUMBER, "ids": {"type": "array", "items": NUMBER}, "project-id": {"type": "integer"}})),
    "a vector": obj({"query_vector": {"type": "array", "items": NUMBER}}),
    "no numbers": obj({"a": {"type": "string"}}),
    "bounded elsewhere": {**obj({"a": {"$ref": "#/$defs/n"}}), "$defs": {"n": {**NUMBER, "exclusiveMinimum": 0}}},
}
