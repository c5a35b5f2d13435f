"""LP020: contracts that compile refuses."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


class Tree(BaseModel):
    """A definition that holds itself."""

    name: str
    below: list[Tree]


class Loose(BaseModel):
    """What strict mode refuses as it is."""

    extra: dict[str, object]
    note: str | None = None


def one(schema: Any) -> Any:
    """Make a contract of one unit."""
    return Contract.from_json_schema(schema, locality=Locality.ONE)


NONE_FITS = obj({"a": {"type": "integer", "minimum": 5, "maximum": 1}})
OPENAI = ("openai/responses",)
FIRES: dict[str, Any] = {
    "no object fits": Case(one(NONE_FITS), targets=OPENAI, at=("",), level=Level.ERROR),
    "at each endpoint": Case(one(NONE_FITS), targets=("openai/responses", "vllm"), at=("", "")),
    "two enums without a value in common": Case(
        one(obj({"a": {"allOf": [{"enum": ["x"]}, {"enum": ["y"]}]}})), targets=OPENAI
    ),
}
QUIET: dict[str, Any] = {
    "a recursive type": Case(Contract.one(Tree), targets=("openai/responses", "anthropic/messages", "google")),
    "free keys and values of any type": Case(Contract.one(Loose), targets=("openai/responses", "anthropic/messages")),
    "a bound is told by its own rule": Case(
        one(obj({f"f{index}": {"type": "string"} for index in range(5_001)})), targets=OPENAI
    ),
    "words refuse nothing": Case(one(NONE_FITS), targets=("prompt",)),
    "a schema that is no contract": Case(NONE_FITS, targets=OPENAI),
}
