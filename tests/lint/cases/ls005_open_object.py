"""LS005: objects that take keys which they do not name."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level

TEXT = {"type": "string"}
OPEN = {"type": "object", "properties": {"program": TEXT}, "required": ["program"]}


class Step(BaseModel):
    """Pydantic's default: what is not known is dropped."""

    program: str


class Closed(BaseModel):
    """No other keys."""

    model_config = ConfigDict(extra="forbid")
    program: str


class Free(BaseModel):
    """Other keys are kept, on purpose."""

    model_config = ConfigDict(extra="allow")
    program: str


class Options(TypedDict):
    """A TypedDict drops what it does not know, too."""

    program: str


FIRES: dict[str, Any] = {
    "an object that says nothing": Case(OPEN, at=("",), level=Level.WARN),
    "inside a closed one": Case(obj({"step": OPEN}), at=("/properties/step",)),
    "each of them": Case(obj({"one": OPEN, "two": {**OPEN}}), at=("/properties/one", "/properties/two")),
    "a model that was not told to forbid extras": Case(Step, level=Level.WARN),
    "a TypedDict": Options,
    "who says true means it": Case({**OPEN, "additionalProperties": True}, level=Level.INFO),
    "a model that allows extras means it": Case(Free, level=Level.INFO),
    "a tool is told once, however many objects it has": Case(
        [tool({"type": "object", "properties": {"a": OPEN, "b": {**OPEN}}})], at=("",), level=Level.INFO
    ),
    "a contract of a schema judges by the schema": Case(Contract.from_json_schema(OPEN, locality="one"), at=("",)),
    "any of two keys must come": Case({**OPEN, "anyOf": [{"required": ["program"]}, {"required": ["x"]}]}, at=("",)),
}
QUIET: dict[str, Any] = {
    "a closed object": obj({"program": TEXT}),
    "a closed model": Closed,
    "a contract closes its models": Contract.items(Step),
    "a map names no keys: LS055": obj({"env": {"type": "object", "additionalProperties": TEXT}}),
    "a map with one key that is known": obj({"env": {**OPEN, "additionalProperties": TEXT}}),
    "keys that follow a pattern": obj({"env": {**OPEN, "patternProperties": {"^x-": TEXT}}}),
    "closed by unevaluatedProperties around allOf": {
        "allOf": [OPEN, {"properties": {"cwd": TEXT}}],
        "unevaluatedProperties": False,
    },
    "a reference closed where it is used": obj(
        {"step": {"$ref": "#/$defs/step", "unevaluatedProperties": False}}, **{"$defs": {"step": OPEN}}
    ),
    "variants are told by LS003": obj({"do": {"anyOf": [OPEN, {"type": "object", "properties": {"skip": TEXT}}]}}),
    "a tool without arguments": [tool({"type": "object", "properties": {}})],
}
