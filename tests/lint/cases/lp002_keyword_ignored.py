"""LP002: keywords that an endpoint takes and does not keep."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Code(BaseModel):
    """A length."""

    code: str = Field(max_length=8)


GOOGLE, GBNF, VLLM = ("google",), ("llama.cpp/gbnf",), ("vllm",)
FIRES: dict[str, Any] = {
    "a length at Google": Case(Code, targets=GOOGLE, at=("/properties/code/maxLength",), level=Level.WARN),
    "a pattern and a format that are not kept": Case(
        obj({"a": {"type": "string", "pattern": "^a$"}, "b": {"type": "string", "format": "uuid"}}), targets=GOOGLE,
        at=("/properties/a/pattern", "/properties/b/format"),
    ),
    "a bound on numbers where only integers keep theirs": Case(
        obj({"a": {"type": "number", "minimum": 0}}), targets=GBNF, at=("/properties/a/minimum",)
    ),
    "a length above what is kept": Case(obj({"a": {"type": "string", "maxLength": 4_000}}), targets=GBNF),
    "a length beside a pattern": Case(
        obj({"a": {"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"}}), targets=GBNF,
        at=("/properties/a/maxLength",),
    ),
    "a condition that is skipped": Case(
        tool({**obj({"a": {"type": "string"}}), "if": {"required": ["a"]}, "then": {"minProperties": 1}}), targets=VLLM,
        at=("/if", "/then"),
    ),
    "a fraction that a number has to be a multiple of": Case(
        obj({"a": {"type": "number", "multipleOf": 0.25}}), targets=("openai/chat",)
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "titles and descriptions bind nobody": Case(
        obj({"a": {"type": "string", "title": "A", "description": "the first", "default": "x"}}), targets=VLLM
    ),
    "a bound on integers": Case(obj({"a": {"type": "integer", "minimum": 0}}), targets=GBNF),
    "a length that is kept": Case(obj({"a": {"type": "string", "maxLength": 1_999}}), targets=GBNF),
    "what is refused is told elsewhere": Case(obj({"a": {"type": "string", "maxLength": 9}}), targets=VLLM),
    "a contract checks it": Case(Contract.one(Code), targets=(*GOOGLE, *GBNF, *VLLM)),
    "what stands in a skipped keyword is told with it": Case(
        obj({"a": {"type": "string", "minLength": 1}}), targets=("openai/chat",)
    ),
}  # fmt: skip
