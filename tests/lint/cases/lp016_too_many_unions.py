"""LP016: unions of a request."""

from __future__ import annotations

from typing import Any

from pydantic import create_model

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


def fields(many: int, schema: Any) -> Any:
    """Make so many fields."""
    return obj({f"f{index}": schema for index in range(many)})


Wide: Any = create_model("Wide", **{f"f{index}": (int | str, ...) for index in range(17)})  # type: ignore[call-overload]
ANTHROPIC = ("anthropic/tools",)
FIRES: dict[str, Any] = {
    "17 lists of types in a tool": Case(
        tool(fields(17, {"type": ["string", "null"]})), targets=ANTHROPIC, at=("",), level=Level.ERROR
    ),
    "17 anyOf": Case(fields(17, {"anyOf": [{"type": "string"}, {"type": "null"}]}), targets=ANTHROPIC),
    "a pydantic type": Case(Wide, targets=("anthropic/messages",)),
    "a contract, when it is compiled": Case(Contract.one(Wide), targets=("anthropic/messages",)),
}
QUIET: dict[str, Any] = {
    "16": Case(fields(16, {"type": ["string", "null"]}), targets=ANTHROPIC),
    "an enum is no union": Case(fields(30, {"enum": ["a", "b"]}), targets=ANTHROPIC),
    "an endpoint without such a bound": Case(fields(17, {"type": ["string", "null"]}), targets=("openai/chat",)),
}
