"""LS040: examples, defaults and JSON in descriptions that do not keep the schema."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique import Contract
from pratique.lint.rule import Level

COMMAND = obj({"program": {"type": "string"}}, {"args": {"type": "array", "items": {"type": "string"}}})
EXEC = obj({"steps": {"type": "array", "items": obj({"commands": {"type": "array", "items": COMMAND}})}})
OLD = '{"steps": [{"type": "command", "program": "ls", "args": ["-l"]}]}'
NEW = '{"steps": [{"commands": [{"program": "ls", "args": ["-l"]}]}]}'


class Mode(StrEnum):
    """Two ways."""

    FAST = "fast"
    SLOW = "slow"


class Sound(BaseModel):
    """Defaults and examples of types that JSON does not have."""

    at: Annotated[datetime, Field(examples=["2026-11-22T10:00:00"])] = datetime(2026, 1, 1)
    mode: Mode = Mode.FAST
    price: Decimal = Decimal("1.50")
    tags: frozenset[str] = frozenset({"a"})
    limit: Annotated[int, Field(ge=1, examples=[1, 10])] = 5
    note: str | None = None


class Drifted(BaseModel):
    """A bound that came later than the example."""

    rank: Annotated[int, Field(ge=1, le=7, examples=[3, 9])]


class Loose(BaseModel):
    """What many write for an optional field."""

    note: str = None  # type: ignore[assignment]


FIRES: dict[str, Any] = {
    "an example breaks a bound, in a type": Case(Drifted, at=("/properties/rank/examples/1",), level=Level.ERROR),
    "an example of a contract's unit": Case(Contract.one(Drifted), at=("/properties/rank/examples/1",)),
    "a default that is not listed": Case(
        obj({}, {"a": {"enum": ["x", "y"], "default": "z"}}), at=("/properties/a/default",), level=Level.ERROR
    ),
    "a default of another type": obj({}, {"a": {"type": "boolean", "default": "false"}}),
    "an example behind a reference": {
        **obj({"a": {"$ref": "#/$defs/p", "examples": [{"y": 1}]}}), "$defs": {"p": obj({"x": {"type": "integer"}})},
    },
    "OpenAPI's example": obj({"a": {"type": "integer", "example": "5"}}),
    "the example of the whole": {**COMMAND, "examples": [{"program": "ls"}, {"cmd": "ls"}]},
    "examples of the elements, not of the list": Case(
        obj({"a": {"type": "array", "items": {"type": "string"}, "examples": ["x", "y"]}}),
        at=("/properties/a/examples/0",),
    ),
    "source 001: the description kept the old form": Case(
        [tool(EXEC, description=f"Run commands. Example: {OLD}")], at=("",), level=Level.ERROR
    ),
    "the old form of one step, in a field": Case(
        obj({"steps": {**EXEC["properties"]["steps"],
                       "description": 'e.g. [{"commands": [{"program": "ls", "args": 1}]}]'}}),
        at=("/properties/steps",),
    ),
    "an example that leaves out what is required": Case(
        [tool(obj({"query": {"type": "string"}, "limit": {"type": "integer"}}),
              description='Search. Usage: {"query": "x"}')],
        level=Level.ERROR,
    ),
    "an object that nobody calls an example is milder": Case(
        [tool(obj({"query": {"type": "string"}, "limit": {"type": "integer"}}),
              description='Send {"query": "x", "limit": "ten"}.')],
        level=Level.WARN,
    ),
    "null as a default of what is no null, in a tool": Case(
        [tool(obj({}, {"a": {"type": "string", "default": None}, "b": {"type": "integer", "default": None}}))],
        at=("/properties/a/default",), level=Level.INFO,
    ),
    "the same in a type: what is read strictly is refused": Case(Loose, level=Level.WARN),
    "an empty default of a listed value": Case(
        obj({}, {"a": {"enum": ["x"], "type": "string", "default": ""}}), level=Level.WARN
    ),
    "a format alone": Case(obj({"a": {"type": "string", "format": "uuid", "examples": ["1"]}}), level=Level.WARN),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "dates, enums, decimals, sets": Sound,
    "the same in a contract": Contract.one(Sound),
    "fields that are called like keywords": obj({
        "default": {"type": "string"}, "examples": {"type": "array", "items": {"type": "string"}},
        "example": {"type": "integer"},
    }),
    "an empty object as a default is filled by other defaults": obj(
        {}, {"a": {**obj({"b": {"type": "integer", "default": 1}}), "default": {}}}
    ),
    "null where null is taken": obj({}, {"a": {"type": ["string", "null"], "default": None}}),
    "a number without a fraction is an integer": obj({"a": {"type": "integer", "examples": [5.0]}}),
    "source 001: the description was mended": [tool(EXEC, description=f"Run commands. Example: {NEW}")],
    "an answer in the description of a tool": [
        tool(COMMAND, description='Returns {"program": 1, "args": "none"} as JSON.')
    ],
    "a result after an example": [
        tool(COMMAND, description='Example: {"program": "ls"}. Output: {"program": "ls", "args": 0}')
    ],
    "how not to write it": [tool(COMMAND, description='Never send {"program": "ls", "args": "-l"}.')],
    "an object of something else": [tool(COMMAND, description='The config is {"theme": "dark", "font": "mono"}.')],
    "a part leaves out what is required": [
        tool(obj({"a": {"type": "string"}, "b": {"type": "string"}}), description='Set {"a": "x"} for more.')
    ],
    "JSON in a field that is a text": obj(
        {"fields": {"type": "string", "description": 'JSON, e.g. {"fields": 5}'}}
    ),
    "JSON of a field that takes anything": obj(
        {"program": {"type": "string"}, "body": {"type": "object", "description": 'Example: {"program": 5}'}}
    ),
    "what a named field of free text holds": [
        tool(obj({"labels": {"type": "string"}, "extra": {"type": "string"}}),
             description='Example: extra={"labels": []}')
    ],
    "placeholders are no JSON": [tool(COMMAND, description="Calls /repos/{owner}/{repo}, e.g. {program: ls}")],
    "an unknown format": obj({"a": {"type": "string", "format": "shoe-size", "examples": ["44"]}}),
}  # fmt: skip
