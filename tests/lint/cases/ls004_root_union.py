"""LS004: a union at the root."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract

BY_ID = obj({"id": {"type": "string"}})
BY_NAME = obj({"name": {"type": "string"}})


class Plan(BaseModel):
    """One variant."""

    package: str


class Refuse(BaseModel):
    """Another."""

    reason: str


class Boxed(BaseModel):
    """The union under a key of an object."""

    answer: Plan | Refuse


class Tree(BaseModel):
    """A root that refers to its own definition is an object all the same."""

    children: list[Tree]


FIRES: dict[str, Any] = {
    "anyOf": Case({"anyOf": [BY_ID, BY_NAME]}, at=("/anyOf",)),
    "oneOf in a tool": Case([tool({"type": "object", "oneOf": [BY_ID, BY_NAME]})], at=("/oneOf",)),
    "allOf is refused there, too": Case({"allOf": [BY_ID]}, at=("/allOf",)),
    "an object of which any of two keys must come": Case(
        {
            **obj({}, {"id": {"type": "string"}, "name": {"type": "string"}}),
            "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
        },
        at=("/anyOf",),
    ),
    "a union of models": Case(Plan | Refuse, at=("/anyOf",)),
    "an answer that may be null": Plan | None,
    "the root refers to a union": Case(
        {"$ref": "#/$defs/by", "$defs": {"by": {"oneOf": [BY_ID, BY_NAME]}}}, at=("/$defs/by/oneOf",)
    ),
}
QUIET: dict[str, Any] = {
    "a contract is boxed when it is compiled": Contract.one(Plan | Refuse, refusal=Refuse),
    "a union under a key": Boxed,
    "a root that refers to an object": Tree,
    "a root that refers to itself": {"$ref": "#"},
    "a condition is no union": {**BY_ID, "if": {"required": ["id"]}, "then": {"minProperties": 1}},
    "a property of that name": obj({"anyOf": {"type": "array", "items": {"type": "string"}}}),
}
