"""LS011: a list of objects that is read as one document."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract

ITEM = obj({"id": {"type": "string"}, "why": {"type": "string"}})
LIST = {"type": "array", "items": ITEM, "maxItems": 7}


class Row(BaseModel):
    """One row."""

    id: str


class Report(BaseModel):
    """A report with its rows."""

    summary: str
    rows: list[Row]


class Tree(BaseModel):
    """A tree is no list of units."""

    name: str
    children: list[Tree]


FIRES: dict[str, Any] = {
    "a list under the root": Case(obj({"items": LIST}), at=("/properties/items",)),
    "a list at the root": Case(LIST, at=("",)),
    "a model": Case(Report, at=("/properties/rows",)),
    "a type that is a list": list[Row],
    "a contract of one unit that holds the list": Case(Contract.one(Report), at=("/properties/rows",)),
    "a list that may be null": obj({"items": {"anyOf": [LIST, {"type": "null"}]}}),
    "in one variant of the answer": {"anyOf": [obj({"items": LIST}), obj({"reason": {"type": "string"}})]},
    "fewer than the bound of the caller": Case(obj({"items": {**LIST, "maxItems": 3}}), {"max_joint_items": 1}),
}
QUIET: dict[str, Any] = {
    "a contract of items": Contract.items(Row),
    "a batch stands or falls together": Contract.batch(Row),
    "a contract of a schema": Contract.from_json_schema(obj({"items": LIST}), at="items"),
    "a tool's call is one unit": [tool(obj({"items": LIST}))],
    "two or three are soon asked for again": obj({"items": {**LIST, "maxItems": 3}}),
    "a list of texts": obj({"tags": {"type": "array", "items": {"type": "string"}}}),
    "a list inside a part of the answer": obj({"address": obj({"lines": LIST})}),
    "a tree": Tree,
    "a pair": obj({"pair": {"type": "array", "prefixItems": [ITEM, ITEM], "items": False}}),
}
