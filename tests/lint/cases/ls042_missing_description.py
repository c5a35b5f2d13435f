"""LS042: what is not described, and what says itself what it is."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique import Contract
from pratique.lint.rule import Level

TOLD = {"type": "string", "description": "What it is."}


class State(Enum):
    """Where a task is."""

    OPEN = "open"
    DONE = "done"


class Step(BaseModel):
    """One command, with its arguments."""

    program: Annotated[str, Field(description="What to run; found on the PATH.")]


class Plan(BaseModel):
    """Fields that say what they are, or are made of what does."""

    kind: Literal["plan"]
    state: State
    level: Literal["low", "high"] | None = None
    first: Step
    steps: list[Step]
    last: Step | None = None
    why: Annotated[str | None, Field(description="One sentence.")] = None


class Item(BaseModel):
    """One item: a docstring of a class describes the object, not its fields."""

    rank: int
    why: Annotated[str, Field(description="One sentence.")]
    urgent: bool


FIRES: dict[str, Any] = {
    "fields of a type": Case(Item, at=("/properties/rank",), level=Level.INFO),
    "fields of a contract": Case(Contract.items(Item, at="items"), at=("/properties/rank",), level=Level.INFO),
    "one finding for an object": Case(
        obj({"a": {"type": "string"}, "b": TOLD, "c": {"type": "number"}}), at=("/properties/a",)
    ),
    "one for each object": Case(
        obj({"a": {**obj({"b": {"type": "string"}}), "description": "A part."}, "c": {"type": "string"}}),
        at=("/properties/c", "/properties/a/properties/b"),
    ),
    "a tool without a word": Case([tool(obj({"a": TOLD}), description="")], at=("",), level=Level.WARN),
    "an argument of a described tool": Case([tool(obj({"a": {"type": "string"}}))], at=("/properties/a",)),
    "an empty description is none": obj({"a": {"type": "string", "description": "  "}}),
    "listed numbers say nothing": obj({"a": {"enum": [1, 2, 3]}}),
    "a title is no description": obj({"a": {"type": "string", "title": "A"}}),
}
QUIET: dict[str, Any] = {
    "all that says itself what it is": Plan,
    "described fields": obj({"a": TOLD}, {"b": TOLD}),
    "the tool's description explains its arguments": [
        tool(
            obj({"query": {"type": "string"}, "max_n": {"type": "integer"}, "sort": {"type": "string"}}),
            description="Search.\n\nArgs:\n    query: what to look for\n    max_n (int): how many\n`sort` - x",
        )
    ],
    "a tool without arguments": [tool(obj())],
    "an object without named fields": {"type": "object", "additionalProperties": {"type": "string"}},
    "listed values": obj({"a": {"enum": ["x", "y"]}, "b": {"type": "array", "items": {"enum": ["x", "y"]}}}),
    "a described definition": {**obj({"a": {"$ref": "#/$defs/t"}}), "$defs": {"t": TOLD}},
    "a description beside allOf": obj({"a": {"allOf": [{"type": "string"}], "description": "What it is."}}),
    "a value that has no fields": {"type": "string"},
}
