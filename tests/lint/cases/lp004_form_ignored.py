"""LP004: forms that an endpoint takes and does not keep."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


def beside(**said: Any) -> Any:
    """Make a reference with keywords beside it."""
    return {**obj({"a": {"$ref": "#/$defs/x", **said}}), "$defs": {"x": {"type": "string"}}}


GBNF, VLLM = ("llama.cpp/gbnf",), ("vllm",)
FIRES: dict[str, Any] = {
    "a length beside a reference": Case(beside(maxLength=3), targets=GBNF, at=("/properties/a",), level=Level.WARN),
    "a pattern, at another endpoint": Case(beside(pattern="^a$"), targets=VLLM),
    "words and a rule": Case(tool(beside(description="short", minLength=1)), targets=GBNF),
    "two endpoints, two findings": Case(beside(minLength=1), targets=GBNF + VLLM, at=("/properties/a",) * 2),
}
QUIET: dict[str, Any] = {
    "words beside a reference bind nobody": Case(beside(description="the first", title="A"), targets=GBNF + VLLM),
    "a reference alone": Case(beside(), targets=GBNF),
    "where it is refused, another rule tells it": Case(beside(maxLength=3), targets=("openai/chat",)),
    "where it is kept": Case(beside(maxLength=3), targets=("llama.cpp/llguidance",)),
    "a contract": Case(Contract.from_json_schema(beside(maxLength=3), locality=Locality.ONE), targets=GBNF),
    "definitions beside a reference at the root are where they belong": Case(
        {"$ref": "#/$defs/x", "$defs": {"x": obj({"a": {"type": "string"}})}}, targets=GBNF
    ),
}
