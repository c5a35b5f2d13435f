"""LP010: properties in one schema."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


def wide(many: int) -> Any:
    """Make an object of many fields."""
    return obj({f"f{index}": {"type": "string"} for index in range(many)})


OPENAI = ("openai/responses",)
FIRES: dict[str, Any] = {
    "one more than the endpoint takes": Case(wide(5_001), targets=OPENAI, at=("",), level=Level.ERROR),
    "in parts, some behind references": Case(
        {**obj({"a": wide(3_000), "b": {"$ref": "#/$defs/b"}}), "$defs": {"b": wide(2_000)}}, targets=OPENAI
    ),
    "a contract, when it is compiled": Case(
        Contract.from_json_schema(wide(5_001), locality=Locality.ONE), targets=OPENAI
    ),
}
QUIET: dict[str, Any] = {
    "as many as it takes": Case(wide(5_000), targets=OPENAI),
    "an endpoint without such a bound": Case(wide(5_001), targets=("vllm", "prompt")),
    "a contract of as many": Case(Contract.from_json_schema(wide(5_000), locality=Locality.ONE), targets=OPENAI),
}
