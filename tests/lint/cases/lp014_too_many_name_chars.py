"""LP014: characters of names and values together."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality


def named(many: int, chars: int) -> Any:
    """Make an object of fields whose names have so many characters each."""
    return obj({f"{index:0{chars}}": {"type": "string"} for index in range(many)})


OPENAI = ("openai/chat",)
FIRES: dict[str, Any] = {
    "long names": Case(named(1_000, 121), targets=OPENAI, at=("",), level=Level.ERROR),
    "names and values": Case(obj({"a": named(900, 130), "b": {"enum": ["x" * 4_000]}}), targets=OPENAI, at=("",)),
    "a contract, when it is compiled": Case(
        Contract.from_json_schema(named(1_000, 130), locality=Locality.ONE), targets=OPENAI
    ),
}
QUIET: dict[str, Any] = {
    "names of an ordinary length": Case(named(3_000, 20), targets=OPENAI),
    "descriptions are not counted": Case(obj({"a": {"type": "string", "description": "x" * 200_000}}), targets=OPENAI),
    "an endpoint without such a bound": Case(named(1_000, 130), targets=("anthropic/messages",)),
}
