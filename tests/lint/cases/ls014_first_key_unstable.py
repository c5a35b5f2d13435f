"""LS014: items that do not start with the key that tells them apart."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract

TEXT = {"type": "string"}


class Late(BaseModel):
    """What tells it apart comes last."""

    why: str
    code: str
    rank: int


class Early(BaseModel):
    """What tells it apart comes first."""

    rank: int
    why: str


class Add(BaseModel):
    """A variant that starts with its tag."""

    kind: Literal["add"]
    id: str


class Drop(BaseModel):
    """Another."""

    kind: Literal["drop"]
    id: str
    why: str


def listed(required: tuple[str, ...], *names: str) -> Any:
    """Make a list of items with some keys, in order."""
    item = {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": list(required)}
    return {"type": "array", "items": {**item, "additionalProperties": False}, "maxItems": 7}


FIRES: dict[str, Any] = {
    "the first key may be left out": Case(listed(("b",), "a", "b"), at=("/items/properties/a",)),
    "the rank comes last": Case(list[Late], at=("/$defs/Late/properties/why",)),
    "what the contract calls unique comes later": Case(Contract.items(Late, unique=("code",)), at=("/properties/why",)),
    "under a key of the root": obj({"items": listed(("verdict", "id"), "verdict", "id")}),
    "an optional id is no first key": listed(("why",), "id", "why"),
}
QUIET: dict[str, Any] = {
    "the rank comes first": Contract.items(Early),
    "what the contract calls unique comes first": Contract.items(Late, unique=("why",)),
    "one part of what is unique together": Contract.items(Late, unique=(("code", "why"),)),
    "every variant starts with its tag": Contract.items(Add | Drop),
    "a title tells items apart well enough": listed(("title", "id"), "title", "id"),
    "nothing tells them apart: LS012": listed(("verdict", "why"), "verdict", "why"),
    "a batch is not read on after a break": Contract.batch(Late),
    "a tool": [tool(obj({"items": listed(("b",), "a", "b")}))],
    "one key alone": listed((), "note"),
}
