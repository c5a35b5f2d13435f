"""LP006: patterns that an endpoint does not read."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Code(BaseModel):
    """A pattern that is searched for."""

    code: Annotated[str, Field(pattern="[a-z]+")]


def text(pattern: str) -> Any:
    """Make an object with one patterned text."""
    return obj({"a": {"type": "string", "pattern": pattern}})


OPENAI, VLLM, GBNF = ("openai/chat",), ("vllm",), ("llama.cpp/gbnf",)
FIRES: dict[str, Any] = {
    "look-ahead": Case(text("^(?=a)[a-z]+$"), targets=OPENAI, level=Level.ERROR, at=("/properties/a/pattern",)),
    "look-behind in a tool": Case(tool(text("(?<!a)b")), targets=OPENAI),
    "a back reference": Case(text(r"^(a|b)\1$"), targets=("anthropic/tools",)),
    "a search, where all patterns are read as anchored": Case(Code, targets=VLLM),
    "a large count is a warning: how large it may be no vendor says": Case(
        text("^a{1,5000}$"), targets=("anthropic/tools",), level=Level.WARN
    ),
    "a class of letters, of which nobody speaks": Case(text(r"^\p{L}+$"), targets=OPENAI, level=Level.WARN),
    "where it is skipped it is a warning": Case(text(r"^\d+$"), targets=GBNF, level=Level.WARN),
}
QUIET: dict[str, Any] = {
    "classes, groups and counts": Case(text("^[a-z]{2,8}(-[0-9]+)*$"), targets=(*OPENAI, *VLLM, *GBNF)),
    "a search, where patterns are searched for": Case(Code, targets=OPENAI),
    "no pattern is kept there, and another rule tells it": Case(text("(?=a)"), targets=("google",)),
    "a contract is asked for without it": Case(Contract.one(Code), targets=VLLM),
    "a bracket in a class is no group": Case(text(r"^[(?=]+$"), targets=OPENAI),
}
