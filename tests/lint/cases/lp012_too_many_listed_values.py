"""LP012: listed values of all enums together."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


def listed(*sizes: int) -> Any:
    """Make an object of fields with so many listed values each."""
    return obj({f"f{field}": {"type": "string", "enum": [f"v{index}" for index in range(size)]}
                for field, size in enumerate(sizes)})  # fmt: skip


OPENAI = ("openai/chat",)
FIRES: dict[str, Any] = {
    "one long list": Case(listed(1_001), targets=OPENAI, at=("",), level=Level.ERROR),
    "several lists together": Case(listed(*[101] * 10), targets=OPENAI),
    "a contract, when it is compiled": Case(
        Contract.from_json_schema(listed(1_001), locality=Locality.ONE), targets=OPENAI
    ),
}
QUIET: dict[str, Any] = {
    "as many as the endpoint takes": Case(listed(1_000), targets=OPENAI),
    "a list that is referred to counts once": Case(
        {**obj({f"f{index}": {"$ref": "#/$defs/v"} for index in range(9)}),
         "$defs": {"v": {"type": "string", "enum": [f"v{index}" for index in range(900)]}}}, targets=OPENAI,
    ),
    "an endpoint without such a bound": Case(listed(1_001), targets=("google",)),
}  # fmt: skip
