"""LP005: formats that an endpoint does not take."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, HttpUrl, SecretStr

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


class Login(BaseModel):
    """Formats that pydantic writes."""

    site: HttpUrl
    secret: SecretStr


def text(form: str) -> Any:
    """Make an object with one formatted text."""
    return obj({"a": {"type": "string", "format": form}})


OPENAI, ANTHROPIC = ("openai/chat",), ("anthropic/messages",)
FIRES: dict[str, Any] = {
    "a uri, which OpenAI does not list": Case(text("uri"), targets=OPENAI, level=Level.ERROR),
    "a format of OpenAPI's own": Case(
        tool(obj({"a": {"type": "integer", "format": "int64"}})), targets=ANTHROPIC, at=("/properties/a/format",)
    ),
    "two formats of a pydantic type": Case(
        Login, targets=OPENAI, at=("/properties/site/format", "/properties/secret/format")
    ),
    "the same format in many places is told once": Case(
        obj({f"f{index}": {"type": "string", "format": "binary"} for index in range(9)}), targets=OPENAI,
        at=("/properties/f0/format",),
    ),
    "where it is skipped it is a warning": Case(text("uri"), targets=("llama.cpp/gbnf",), level=Level.WARN),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "a date": Case(text("date"), targets=(*OPENAI, *ANTHROPIC, "vllm", "llama.cpp/gbnf")),
    "a uri, which Anthropic lists": Case(text("uri"), targets=ANTHROPIC),
    "no format is kept there, and another rule tells it": Case(text("uri"), targets=("google",)),
    "a contract is asked for without it": Case(Contract.one(Login), targets=OPENAI),
    "a property called format": Case(obj({"format": {"type": "string"}}), targets=OPENAI),
}
