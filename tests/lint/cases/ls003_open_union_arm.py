"""LS003: variants of a union that take keys which they do not name."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level

TEXT = {"type": "string"}
MOVE = {"type": "object", "properties": {"kind": {"const": "move"}, "to": TEXT}, "required": ["kind", "to"]}
DROP = {"type": "object", "properties": {"kind": {"const": "drop"}, "why": TEXT}, "required": ["kind", "why"]}
BY_ID = {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}
BY_NAME = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
CLOSED = {"additionalProperties": False}


class Cat(BaseModel):
    """Pydantic drops what it does not know, unless it is told to forbid it."""

    meows: bool


class Dog(BaseModel):
    """The other variant."""

    barks: bool


class StrictCat(Cat):
    """A closed variant."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["cat"]


class StrictDog(Dog):
    """Another closed variant."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["dog"]


FIRES: dict[str, Any] = {
    "without a tag an open variant swallows the other one": Case(
        obj({"by": {"anyOf": [BY_ID, BY_NAME]}}), at=("/properties/by",), level=Level.ERROR
    ),
    "one open variant is enough": Case(obj({"by": {"anyOf": [BY_ID, {**BY_NAME, **CLOSED}]}}), level=Level.ERROR),
    "with a tag only the surplus is lost": Case(obj({"do": {"oneOf": [MOVE, DROP]}}), level=Level.WARN),
    "with a tag, in a tool, it is worth knowing": Case(tool(obj({"do": {"oneOf": [MOVE, DROP]}})), level=Level.INFO),
    "an explicit true is as open": obj({"by": {"anyOf": [{**BY_ID, "additionalProperties": True}, BY_NAME]}}),
    "models drop what they do not know": Case(Cat | Dog, at=("",)),
    "behind references and in lists, told once for each union": Case(
        obj(
            {"a": {"$ref": "#/$defs/by"}, "b": {"type": "array", "items": {"$ref": "#/$defs/by"}}},
            **{"$defs": {"by": {"anyOf": [BY_ID, BY_NAME]}}},
        ),
        at=("/$defs/by",),
    ),
    "in the arguments of a tool, beside null": [
        tool(obj({}, {"by": {"anyOf": [BY_ID, BY_NAME, {"type": "null"}]}})),
    ],
}
QUIET: dict[str, Any] = {
    "closed variants": obj({"by": {"anyOf": [{**BY_ID, **CLOSED}, {**BY_NAME, **CLOSED}]}}),
    "models that forbid extras": StrictCat | StrictDog,
    "a contract closes its variants whatever their models say": Contract.items(Cat | Dog),
    "an open object that may be null is no union": obj({"by": {"anyOf": [BY_ID, {"type": "null"}]}}),
    "one object of which any of two keys must come": {
        "type": "object",
        "properties": {"id": TEXT, "name": TEXT},
        "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
    },
    "beside a free map no variant can be closed": obj(
        {"stage": {"anyOf": [BY_ID, {"type": "object", "additionalProperties": True}]}}
    ),
    "closed around allOf": obj(
        {
            "by": {
                "anyOf": [
                    {"allOf": [BY_ID, {"properties": {"at": TEXT}}], "unevaluatedProperties": False},
                    {**BY_NAME, **CLOSED},
                ]
            }
        }
    ),
}
