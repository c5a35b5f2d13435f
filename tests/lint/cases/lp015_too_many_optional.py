"""LP015: optional properties of a request."""

from __future__ import annotations

from typing import Any

from pydantic import create_model

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level

TEXT = {"type": "string"}


def fields(many: int) -> Any:
    """Make so many fields."""
    return {f"f{index}": TEXT for index in range(many)}


Wide: Any = create_model("Wide", **{f"f{index}": (str, "") for index in range(25)})  # type: ignore[call-overload]
ANTHROPIC = ("anthropic/tools",)
FIRES: dict[str, Any] = {
    "25 in a tool": Case(tool(obj({}, fields(25))), targets=ANTHROPIC, at=("",), level=Level.ERROR),
    "in inner objects, too": Case(obj({"a": obj({}, fields(13)), "b": obj({}, fields(13))}), targets=ANTHROPIC),
    "a pydantic type": Case(Wide, targets=("anthropic/messages",)),
    "a contract: compile leaves them optional": Case(Contract.one(Wide), targets=("anthropic/messages",)),
}
QUIET: dict[str, Any] = {
    "24 in a tool": Case(tool(obj(fields(40), {f"o{index}": TEXT for index in range(24)})), targets=ANTHROPIC),
    "behind a reference they are not counted": Case(
        {**obj({"a": {"$ref": "#/$defs/x"}}), "$defs": {"x": obj({}, fields(30))}}, targets=ANTHROPIC
    ),
    "an endpoint without such a bound": Case(obj({}, fields(30)), targets=("google", "vllm", "openai/chat")),
    "a contract where nulls stand for what is absent": Case(Contract.one(Wide), targets=("openai/chat",)),
}
