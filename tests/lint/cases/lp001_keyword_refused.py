"""LP001: keywords that an endpoint refuses, or of which nothing is established."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


class Rated(BaseModel):
    """A bound and a default, as pydantic writes them."""

    rank: int = Field(1, ge=1, le=7)


NUMBER = {"type": "integer", "minimum": 1}
LISTED = obj({"tags": {"type": "array", "items": {"type": "string"}, "minItems": 2}})
ANTHROPIC, OPENAI, GOOGLE = ("anthropic/tools",), ("openai/chat",), ("google",)
FIRES: dict[str, Any] = {
    "eighty places of one keyword are one finding": Case(
        obj({f"f{index}": NUMBER for index in range(80)}), targets=ANTHROPIC, at=("/properties/f0/minimum",),
        level=Level.ERROR,
    ),
    "two keywords are two findings": Case(
        obj({"a": {**NUMBER, "maximum": 2}}), targets=ANTHROPIC, at=("/properties/a/minimum", "/properties/a/maximum"),
    ),
    "two endpoints are two findings": Case(
        obj({"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}}), targets=ANTHROPIC + OPENAI,
        at=("/properties/a/oneOf",) * 2,
    ),
    "what is not established is a warning": Case(obj({"a": {"const": "x"}}), targets=GOOGLE, level=Level.WARN),
    "more elements than the endpoint takes at least": Case(LISTED, targets=ANTHROPIC, level=Level.ERROR),
    "a default in a pydantic type": Case(Rated, targets=OPENAI, at=("/properties/rank/default",)),
    "a title breaks requests at one endpoint": Case(Rated, targets=GOOGLE),
    "inside a tool, under a definition": Case(
        tool({**obj({"a": {"$ref": "#/$defs/x"}}), "$defs": {"x": NUMBER}}), targets=ANTHROPIC,
        at=("/$defs/x/minimum",),
    ),
    "not is told, and what stands in it is not": Case(
        obj({"a": {"type": "string", "not": {"minLength": 3}}}), targets=ANTHROPIC, at=("/properties/a/not",),
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "words bind nobody and refuse nothing": Case(obj({"a": NUMBER}), targets=("prompt",)),
    "a bound that the endpoint keeps": Case(obj({"a": NUMBER}), targets=OPENAI),
    "one element at least is taken": Case(
        obj({"tags": {"type": "array", "items": {"type": "string"}, "minItems": 1}}), targets=ANTHROPIC
    ),
    "compile moves a contract's bounds out of the way": Case(
        Contract.one(Rated), targets=(*ANTHROPIC, *OPENAI, *GOOGLE)
    ),
    "so it does for a contract from a JSON Schema": Case(
        Contract.from_json_schema(obj({"a": {"type": "string", "oneOf": [{"minLength": 1}]}}), locality=Locality.ONE),
        targets=OPENAI,
    ),
    "properties may be called as keywords are": Case(
        obj({"minimum": {"type": "string"}, "not": {"type": "string"}}), targets=ANTHROPIC
    ),
    "what no table speaks of is left alone": Case(
        {**obj({"a": {"type": "string", "x-order": 1}}), "$schema": "https://json-schema.org/draft/2020-12/schema"},
        targets=ANTHROPIC,
    ),
    "additionalProperties true is a form and no keyword": Case(
        {"type": "object", "properties": {}, "additionalProperties": True}, targets=ANTHROPIC
    ),
}  # fmt: skip
