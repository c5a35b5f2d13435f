"""LP013: characters of one long list."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


def listed(many: int, chars: int) -> Any:
    """Make an object with one list of values of so many characters each."""
    return obj({"a": {"type": "string", "enum": [f"{index:0{chars}}" for index in range(many)]}})


OPENAI = ("openai/chat",)
FIRES: dict[str, Any] = {
    "a long list of long values": Case(listed(251, 60), targets=OPENAI, at=("",), level=Level.ERROR),
    "many values of middling length": Case(listed(900, 20), targets=OPENAI),
    "a contract, when it is compiled": Case(
        Contract.from_json_schema(listed(300, 60), locality=Locality.ONE), targets=OPENAI
    ),
}
QUIET: dict[str, Any] = {
    "a shorter list is not counted so": Case(listed(250, 300), targets=OPENAI),
    "many short values": Case(listed(1_000, 10), targets=OPENAI),
    "an endpoint without such a bound": Case(listed(251, 60), targets=("anthropic/messages",)),
}
