"""LP011: levels of objects and lists."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


def nested(levels: int, schema: Any = None) -> Any:
    """Make objects in objects."""
    schema = {"type": "string"} if schema is None else schema
    for _ in range(levels):
        schema = obj({"in": schema})
    return schema


OPENAI = ("openai/chat",)
FIRES: dict[str, Any] = {
    "eleven objects": Case(nested(11), targets=OPENAI, at=("",), level=Level.ERROR),
    "lists count": Case(tool(nested(9, {"type": "array", "items": obj({})})), targets=OPENAI),
    "a contract, when it is compiled": Case(
        Contract.from_json_schema(nested(11), locality=Locality.ONE), targets=OPENAI
    ),
    "two endpoints, two findings": Case(nested(11), targets=("openai/chat", "openai/responses"), at=("", "")),
}
QUIET: dict[str, Any] = {
    "ten levels": Case(nested(10), targets=OPENAI),
    "a union is no level": Case(
        nested(9, {"anyOf": [obj({"a": {"type": "string"}}), {"type": "null"}]}), targets=OPENAI
    ),
    "a reference begins anew": Case(
        {**nested(9, {"$ref": "#/$defs/rest"}), "$defs": {"rest": nested(9)}}, targets=OPENAI
    ),
    "an endpoint without such a bound": Case(nested(11), targets=("anthropic/messages",)),
}
