"""LS013: the longest delivery against max_tokens."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.limits import Limits
from pratique.lint.rule import Level

BUDGET = {"max_tokens": 1800}
"""What the custodian's profile asks with (source 004)."""
TEXT = {"type": "string"}
LIST = {"type": "array", "items": obj({"id": TEXT, "why": {"type": "string", "maxLength": 600}})}


class Advice(BaseModel):
    """One item of some 240 tokens at most."""

    rank: Annotated[int, Field(ge=1, le=99)]
    why: Annotated[str, Field(max_length=600)]


class Open(BaseModel):
    """A unit that nothing bounds."""

    parts: list[Advice]


class Long(BaseModel):
    """A text that takes more than there is."""

    text: Annotated[str, Field(max_length=20_000)]


def items(most: int) -> Contract[Any]:
    """Make a contract of some items."""
    return Contract.items(Advice, limits=Limits(max_items=most))


FIRES: dict[str, Any] = {
    "sixteen items with the tokens for five": Case(items(16), BUDGET, level=Level.ERROR),
    "the default of 10,000 items": Case(Contract.items(Advice), BUDGET, level=Level.ERROR),
    "nothing bounds a unit": Case(Contract.one(Open), BUDGET, level=Level.ERROR, at=("",)),
    "it fits, and leaves too little room": Case(items(7), BUDGET),
    "a type with a text that is too long": Case(Long, {"max_tokens": 4000, "usual_text_chars": 10}, level=Level.WARN),
    "a schema with a list without end": Case(obj({"items": LIST}), BUDGET, level=Level.WARN),
    "a list without end at the root": Case(LIST, BUDGET, at=("",), level=Level.WARN),
}
QUIET: dict[str, Any] = {
    "five items": Case(items(5), BUDGET),
    "nobody said how many tokens": items(10_000),
    "enough of them": Case(items(16), {"max_tokens": 8000}),
    "a larger share of them": Case(items(6), {"max_tokens": 1800, "max_token_share": 0.9}),
    "a short schema, open as it is": Case({"type": "object", "properties": {"answer": TEXT}}, BUDGET),
    "a bounded list at the root": Case({**LIST, "maxItems": 4}, BUDGET),
    "a tool is not the whole answer": Case([tool(obj({"items": LIST}))], BUDGET),
    "no contract can be made of it": Case({"type": "string"}, {"max_tokens": 1}),
}
