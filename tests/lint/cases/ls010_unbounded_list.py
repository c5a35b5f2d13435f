"""LS010: lists of objects without a greatest length."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level

ITEM = obj({"id": {"type": "string"}})
LIST = {"type": "array", "items": ITEM}


class Row(BaseModel):
    """One row."""

    id: str


class Table(BaseModel):
    """Rows without end."""

    rows: list[Row]


class Short(BaseModel):
    """Rows with an end."""

    rows: Annotated[list[Row], Field(max_length=7)]


FIRES: dict[str, Any] = {
    "under the root": Case(obj({"items": LIST}), at=("/properties/items",), level=Level.ERROR),
    "the root itself": Case(LIST, at=("",)),
    "deep inside": Case(obj({"a": obj({"b": LIST})}), at=("/properties/a/properties/b",)),
    "a model": Case(Table, at=("/properties/rows",)),
    "inside the units of a contract": Case(Contract.items(Table), at=("/properties/rows",), level=Level.ERROR),
    "a list of variants, or null": obj(
        {
            "do": {
                "anyOf": [
                    {"type": "array", "items": {"anyOf": [ITEM, obj({"x": {"type": "string"}})]}},
                    {"type": "null"},
                ]
            }
        }
    ),
    "a smallest length is none": obj({"items": {**LIST, "minItems": 1}}),
    "worth knowing in the arguments of a tool": Case([tool(obj({"items": LIST}))], level=Level.INFO),
    "a tool that tells the bound in words alone": Case(
        tool(obj({"edits": {**LIST, "description": "Up to 100 edits, made in order."}})),
        at=("/properties/edits",),
        level=Level.WARN,
    ),
    "words on what each may be are no bound": Case(
        tool(obj({"files": {**LIST, "description": "Files to send, up to 5 MB each, at most 20.5 MB in all."}})),
        level=Level.INFO,
    ),
}
QUIET: dict[str, Any] = {
    "maxItems": obj({"items": {**LIST, "maxItems": 7}}),
    "bounded beside a reference": obj({"items": {"$ref": "#/$defs/l", "maxItems": 7}}, **{"$defs": {"l": LIST}}),
    "bounded by one part of allOf": obj({"items": {"allOf": [LIST, {"maxItems": 7}]}}),
    "a bounded model": Short,
    "the units of a contract are bounded by its limits": Contract.items(Row),
    "those of a contract of a schema as well": Contract.from_json_schema(obj({"items": LIST}), at="items"),
    "a list of texts": obj({"tags": {"type": "array", "items": {"type": "string"}}}),
    "a pair": obj({"pair": {"type": "array", "prefixItems": [ITEM, ITEM], "items": False}}),
    "a map is no list": obj({"by_id": {"type": "object", "additionalProperties": ITEM}}),
}
