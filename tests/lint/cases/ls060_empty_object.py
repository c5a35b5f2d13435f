"""LS060: objects in which nothing can stand, and those in which nothing has to."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from lint.case import Case, obj, tool
from pratique import Contract
from pratique.lint.rule import Level

EMPTY = {"type": "object", "additionalProperties": False}


class Options(BaseModel):
    """A class whose fields were forgotten."""

    model_config = ConfigDict(extra="forbid")


class Call(BaseModel):
    """It holds one."""

    name: str
    options: Options


FIRES: dict[str, Any] = {
    "an argument of a tool": Case(tool(obj({"body": EMPTY})), at=("/properties/body",), level=Level.ERROR),
    "properties that are written, and none": obj({"body": {**EMPTY, "properties": {}}}),
    "the elements of a list": obj({"rows": {"type": "array", "items": EMPTY}}),
    "a model without fields, which a contract closes": Contract.one(Call),
    "a nullable one": obj({"body": {"anyOf": [EMPTY, {"type": "null"}]}}),
    "a definition": {**obj({"a": {"$ref": "#/$defs/e"}}), "$defs": {"e": EMPTY}},
}
QUIET: dict[str, Any] = {
    "a tool without arguments": tool(EMPTY),
    "an object that takes any key": obj({"body": {"type": "object"}}),
    "a map": obj({"body": {"type": "object", "additionalProperties": {"type": "string"}}}),
    "keys by pattern": obj({"body": {**EMPTY, "patternProperties": {"^x-": {"type": "string"}}}}),
    "an arm that says that there is nothing": obj({"end": {"anyOf": [EMPTY, obj({"at": {"type": "string"}})]}}),
    "keys that are all optional": obj({"body": obj({}, {"a": {"type": "string"}})}),
}
