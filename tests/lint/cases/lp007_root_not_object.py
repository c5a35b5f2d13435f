"""LP007: roots that are no object."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, TypeAdapter

from lint.case import Case, obj
from pratique.contract import Contract
from pratique.lint.rule import Level


class Item(BaseModel):
    """An object."""

    name: str


class Tree(BaseModel):
    """An object that pydantic writes as a reference."""

    below: list[Tree]


OPENAI, ALL = ("openai/chat",), ("openai/chat", "anthropic/messages", "google", "mistral")
FIRES: dict[str, Any] = {
    "a list": Case({"type": "array", "items": {"type": "string"}}, targets=OPENAI, at=("",), level=Level.ERROR),
    "a list of models": Case(TypeAdapter(list[Item]).json_schema(), targets=ALL, at=("",) * 4),
    "a bare string": Case({"type": "string"}, targets=OPENAI),
    "an object or nothing": Case({**obj({"a": {"type": "string"}}), "type": ["object", "null"]}, targets=OPENAI),
    "an object that does not say so": Case({"properties": {"a": {"type": "string"}}}, targets=OPENAI),
    "nothing at all": Case({}, targets=OPENAI),
}
QUIET: dict[str, Any] = {
    "an object": Case(obj({"a": {"type": "string"}}), targets=ALL),
    "a reference to an object": Case(Tree, targets=ALL),
    "a list, where the root may be one": Case({"type": "array"}, targets=("vllm", "llama.cpp/gbnf")),
    "a union at the root is told by LP003": Case({"anyOf": [{"type": "string"}, {"type": "null"}]}, targets=OPENAI),
    "compile wraps a contract's list": Case(Contract.items(Item), targets=ALL),
    "two schemas that together say object": Case({"allOf": [{"type": "object"}, {"minProperties": 1}]}, targets=OPENAI),
}
