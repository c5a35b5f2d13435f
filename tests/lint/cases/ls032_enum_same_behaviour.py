"""LS032: values that are declared to do the same, or told in the same words."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.lint.rule import Level


def told(*pairs: tuple[Any, str], word: str = "oneOf") -> Any:
    """Make a list of constants, each with a description."""
    return obj({"a": {word: [{"const": value, "description": words} for value, words in pairs]}})


class Exec(BaseModel):
    """The input of source 001."""

    chaining: Literal["sequential", "independent", "bail_on_error"]


HINT = (("sequential", "independent"),)
FIRES: dict[str, Any] = {
    "two of the values of a group": Case(
        Exec, same_behaviour=HINT, at=("/properties/chaining",), level=Level.INFO
    ),
    "two of the three of a group": Case(
        obj({"a": {"enum": ["x", "y"]}}), same_behaviour=(("x", "y", "z"),), at=("/properties/a",)
    ),
    "numbers are named as texts": Case(obj({"a": {"enum": [1, 2, 3]}}), same_behaviour=(("1", "2"),)),
    "the same words": Case(
        told(("a", "Stop at once."), ("b", "stop  at once"), ("c", "Go on.")), at=("/properties/a",)
    ),
    "the same words in anyOf, of a tool": [
        tool(told(("a", "Runs it."), ("b", "Runs it."), ("c", "Asks."), word="anyOf"))
    ],
    "the same words in enumDescriptions": obj(
        {"a": {"enum": ["x", "y", "z"], "enumDescriptions": ["Runs it.", "Runs it.", "Asks."]}}
    ),
    "two of two": told(("a", "Runs it."), ("b", "Runs it.")),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "no hint, no words": Exec,
    "a hint about other values": Case(Exec, same_behaviour=(("fast", "slow"), ("sequential", "parallel"))),
    "a hint is not about parts of values": Case(Exec, same_behaviour=(("seq", "sequential"),)),
    "other words": told(("a", "Stop."), ("b", "Go on."), ("c", "")),
    "no words for two of them": told(("a", ""), ("b", ""), ("c", "Stop.")),
    "words that say nothing of what it does": told(("a", "Deprecated."), ("b", "Deprecated."), ("c", "Runs it.")),
    "one text for all is about the list": told(("a", "The mode."), ("b", "The mode."), ("c", "The mode.")),
    "arms that are objects": {
        "oneOf": [obj({"k": {"const": "a"}}, description="Runs."), obj({"k": {"const": "b"}}, description="Runs.")]
    },
    "one description of the whole enum": obj({"a": {"enum": ["x", "y"], "description": "The mode."}}),
}
