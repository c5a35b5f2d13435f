"""LP017: tools that are offered together."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


def tools(many: int) -> Any:
    """Make so many tools."""
    return [tool(obj(), f"tool_{index}") for index in range(many)]


def variants(many: int) -> Any:
    """Make a contract of so many commands, each of which is a tool."""
    tag: Any = Literal
    fields: list[Any] = [{"kind": (tag[f"command-{index}"], ...)} for index in range(many)]
    models: list[Any] = [create_model(f"Command{index}", **each) for index, each in enumerate(fields)]
    union: Any = Annotated[reduce(or_, models), Field(discriminator="kind")]
    return Contract.batch(union)


ANTHROPIC = ("anthropic/tools",)
FIRES: dict[str, Any] = {
    "21 tools are told once": Case(tools(21), targets=ANTHROPIC, at=("",), level=Level.ERROR),
    "60 tools are told once": Case(tools(60), targets=ANTHROPIC, at=("",)),
    "a contract of 21 commands": Case(variants(21), targets=ANTHROPIC, at=("",)),
}
QUIET: dict[str, Any] = {
    "20 tools": Case(tools(20), targets=ANTHROPIC),
    "an endpoint without such a bound": Case(tools(21), targets=("openai/chat", "google")),
    "an endpoint without tools": Case(tools(21), targets=("anthropic/messages",)),
    "one tool alone": Case(tool(obj()), targets=ANTHROPIC),
    "a contract of 20 commands": Case(variants(20), targets=ANTHROPIC),
    "a schema is no tool": Case(obj(), targets=ANTHROPIC),
}
