"""LS002: arms that share a value, proved by the value; unions that look alike and are told apart."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique import Contract
from pratique.lint.rule import Level

NAME = {"type": "string"}


def union(*arms: Any, word: str = "anyOf") -> Any:
    """Make a union."""
    return {word: list(arms)}


class Latest(BaseModel):
    """An arm whose fields another one has, too."""

    mode: str


class Span(BaseModel):
    """The other one."""

    mode: str
    start: int | None = None


class Read(BaseModel):
    """Nested."""

    what: Latest | Span


class Cat(BaseModel):
    """Told apart by its tag."""

    kind: Literal["cat"]
    name: str


class Dog(BaseModel):
    """The other one."""

    kind: Literal["dog"]
    name: str


FIRES: dict[str, Any] = {
    "the required fields of one arm are fields of the other": Case(
        union(obj({"id": NAME}, {"name": NAME}), obj({"id": NAME}, {"count": {"type": "integer"}})),
        at=("",),
        level=Level.ERROR,
    ),
    "open arms take each other's fields": union(
        {"type": "object", "properties": {"cmd": NAME}, "required": ["cmd"]},
        {"type": "object", "properties": {"command": NAME}, "required": ["command"]},
    ),
    "two models of which one has one optional field more": Read,
    "the same in a contract, which closes them": Contract.one(Read),
    "listed values that meet in one": union(
        obj({"kind": {"enum": ["a", "b"]}}), obj({"kind": {"enum": ["b", "c"]}}, {"x": NAME})
    ),
    "ranges that meet in one number": union(
        obj({"n": {"type": "integer", "minimum": 1, "maximum": 5}}),
        obj({"n": {"type": "integer", "minimum": 5, "maximum": 9}}, {"x": NAME}),
    ),
    "a tag that one arm may leave out": union(
        obj({"name": NAME}, {"kind": {"const": "cat"}}), obj({"name": NAME}, {"kind": {"const": "dog"}})
    ),
    "nested in a tool's list": tool(
        obj({"items": {"type": "array", "items": union(obj({"a": NAME}, {"b": NAME}), obj({"a": NAME}, {"c": NAME}))}})
    ),
    "an arm that takes any object, beside others": Case(
        obj({"stage": union(obj({"match": NAME}), {"type": "object", "additionalProperties": True})}),
        at=("/properties/stage",),
        level=Level.WARN,
    ),
    "the same in a tool is worth knowing": Case(
        tool(obj({"stage": union(obj({"match": NAME}), {"type": "object", "additionalProperties": True})})),
        at=("/properties/stage",),
        level=Level.INFO,
    ),
    "arms of a union inside are told there, and the free arm around it": Case(
        obj(
            {"block": union({"$ref": "#/$defs/inner"}, {"type": "object", "additionalProperties": True})},
            **{"$defs": {"inner": union(obj({}, {"p": NAME}), obj({}, {"q": NAME}))}},
        ),
        at=("/$defs/inner", "/properties/block"),
    ),
    "an empty list fits both": union(
        obj({"rows": {"type": "array", "items": NAME}}), obj({"rows": {"type": "array", "items": {"type": "integer"}}})
    ),
}
QUIET: dict[str, Any] = {
    "a tag tells them apart": Cat | Dog,
    "closed arms with required fields of their own": union(obj({"cmd": NAME}), obj({"command": NAME})),
    "at least one of these fields, over one object": {
        "type": "object", "properties": {"id": NAME, "url": NAME},
        "anyOf": [{"required": ["id"]}, {"required": ["url"]}],
    },
    "a union in a union that is told apart": union(
        obj({"kind": {"const": "cat"}}), union(obj({"kind": {"const": "dog"}}), obj({"x": NAME}))
    ),
    "a nullable object is no union": {"anyOf": [obj({"a": NAME}), {"type": "null"}]},
    "types that exclude each other": union(obj({"v": NAME}), obj({"v": {"type": "integer"}})),
    "ranges that exclude each other": union(
        obj({"n": {"type": "integer", "maximum": 4}}), obj({"n": {"type": "integer", "minimum": 5}})
    ),
    "lists of which one must have elements of another type": union(
        obj({"rows": {"type": "array", "items": NAME, "minItems": 1}}),
        obj({"rows": {"type": "array", "items": {"type": "integer"}, "minItems": 1}}),
    ),
    "a condition that nodes do not keep is asked of the schema itself": union(
        {**obj({"id": NAME}, {"a": NAME}), "not": {"type": "object"}}, obj({"id": NAME}, {"b": NAME})
    ),
    "scalars are no arms": {"anyOf": [{"type": "string"}, {"enum": ["a"]}]},
}  # fmt: skip
