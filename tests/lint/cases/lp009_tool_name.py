"""LP009: names of tools that an endpoint does not take."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality

ANTHROPIC, OPENAI = ("anthropic/tools",), ("openai/responses",)
FIRES: dict[str, Any] = {
    "a dot": Case(tool(obj(), "files.read"), targets=ANTHROPIC, at=("",), level=Level.ERROR),
    "a slash": Case(tool(obj(), "repos/list"), targets=OPENAI),
    "a blank": Case(tool(obj(), "search the web"), targets=OPENAI),
    "65 characters": Case(tool(obj(), "a" * 65), targets=OPENAI),
    "one of two endpoints has no tools": Case(tool(obj(), "a.b"), targets=("anthropic/messages", "google"), at=("",)),
    "a line break at the end": Case(tool(obj(), "search\n"), targets=OPENAI),
}
QUIET: dict[str, Any] = {
    "letters, digits, _ and -": Case(tool(obj(), "files_Read-2"), targets=ANTHROPIC + OPENAI),
    "64 characters": Case(tool(obj(), "a" * 64), targets=OPENAI),
    "an endpoint without tools": Case(tool(obj(), "a.b"), targets=("anthropic/messages", "prompt")),
    "compile makes the name of a contract's tool": Case(
        Contract.from_json_schema(obj(), locality=Locality.ONE, name="a contract of mine"), targets=ANTHROPIC
    ),
    "a schema is named in the request": Case({**obj(), "title": "a.b c"}, targets=OPENAI),
}
