"""LP003: forms that an endpoint refuses."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Tree(BaseModel):
    """A definition that holds itself."""

    name: str
    below: list[Tree]


class Loose(BaseModel):
    """All that OpenAI refuses."""

    note: str = ""
    counts: dict[str, int]
    extra: object


OPENAI, ANTHROPIC = ("openai/responses",), ("anthropic/messages",)
TEXT = {"type": "string"}
FIRES: dict[str, Any] = {
    "many optional properties are one finding": Case(
        obj({}, {f"f{index}": TEXT for index in range(30)}), targets=OPENAI, at=("/properties/f0",), level=Level.ERROR
    ),
    "an object that does not say that it is closed": Case(
        tool({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}), targets=ANTHROPIC, at=("",)
    ),
    "an object with free keys and one schema for their values": Case(
        obj({"a": {"type": "object", "additionalProperties": TEXT}}), targets=OPENAI,
        at=("/properties/a/additionalProperties",),
    ),
    "a value of any type": Case(obj({"a": {"description": "whatever"}}), targets=OPENAI, at=("/properties/a",)),
    "true is any value, too": Case(obj({"a": True}), targets=OPENAI, at=("/properties/a",)),
    "a union at the root": Case({"anyOf": [obj({"a": TEXT}), obj({"b": TEXT})]}, targets=OPENAI, at=("/anyOf",)),
    "a union beside properties at the root, which is how a choice of fields is said": Case(
        tool({**obj({"a": TEXT, "b": TEXT}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), targets=OPENAI,
        at=("/anyOf",),
    ),
    "a definition that holds itself": Case(
        {**obj({"root": {"$ref": "#/$defs/n"}}), "$defs": {"n": obj({"kids": {"type": "array", "items": {
            "$ref": "#/$defs/n"}}})}}, targets=ANTHROPIC, at=("/$defs/n",),
    ),
    "words beside a reference": Case(
        {**obj({"a": {"$ref": "#/$defs/x", "description": "the first"}}), "$defs": {"x": TEXT}}, targets=OPENAI
    ),
    "a null among listed values is a warning where nobody says": Case(
        obj({"a": {"enum": ["x", None]}}), targets=OPENAI, level=Level.WARN
    ),
    "objects among listed values": Case(obj({"a": {"enum": [{"x": 1}]}}), targets=OPENAI, level=Level.WARN),
    "a pydantic type as it is": Case(Loose, targets=OPENAI),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "required, closed, typed": Case(obj({"a": TEXT, "b": {"type": ["string", "null"]}}), targets=OPENAI),
    "optional properties where they are taken": Case(obj({}, {"a": TEXT}), targets=ANTHROPIC),
    "free keys where they are taken": Case({"type": "object", "properties": {"a": TEXT}}, targets=("google",)),
    "a union below the root": Case(
        obj({"a": {"anyOf": [obj({"x": TEXT}), obj({"y": TEXT})]}}), targets=(*OPENAI, *ANTHROPIC)
    ),
    "a definition that is used twice does not hold itself": Case(
        {**obj({"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}}), "$defs": {"x": obj({"t": TEXT})}},
        targets=ANTHROPIC,
    ),
    "a contract is written as the endpoint takes it": Case(Contract.one(Loose), targets=(*OPENAI, *ANTHROPIC)),
    "a recursive contract too": Case(Contract.one(Tree), targets=ANTHROPIC),
    "a keyword refused as a whole is not looked into": Case(
        obj({"a": {"type": "string", "not": {}}}), targets=OPENAI
    ),
    "an object closed by unevaluatedProperties is closed": Case(
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "unevaluatedProperties": False},
        targets=ANTHROPIC,
    ),
    "words bind nobody and refuse nothing": Case(obj({}, {"a": TEXT}), targets=("prompt",)),
}  # fmt: skip
