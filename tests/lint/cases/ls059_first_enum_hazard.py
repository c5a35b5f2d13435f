"""LS059: lists that begin with what does most."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


def listed(*values: Any) -> Any:
    """Make an object with one list of values."""
    return obj({"action": {"enum": list(values)}})


class Triage(BaseModel):
    """The list of source 004."""

    action: Literal["work-next", "needs-human", "revisit", "park", "close-out"]


FIRES: dict[str, Any] = {
    "work-next before needs-human": Case(Triage, at=("/properties/action",), level=Level.INFO),
    "in a contract": Case(Contract.items(Triage), at=("/properties/action",)),
    "delete before skip": listed("delete", "archive", "skip"),
    "approve before reject": listed("APPROVE", "REJECT"),
    "in camel case": listed("publishNow", "needsReview"),
    "in a union of constants": obj({"a": {"oneOf": [{"const": "send"}, {"const": "wait"}]}}),
    "in a list of actions": obj({"actions": {"type": "array", "items": {"enum": ["merge", "hold"]}}}),
}
QUIET: dict[str, Any] = {
    "what does nothing comes first": listed("needs-human", "work-next", "park"),
    "only actions": listed("delete", "update", "create"),
    "only states": listed("none", "pending", "unknown"),
    "levels": listed("low", "medium", "high", "unknown"),
    "the arguments of a tool": tool(listed("delete", "skip")),
    "what may be left out is not filled in": obj({}, {"action": {"enum": ["delete", "skip"]}}),
    "parts of other words": listed("runner", "sender", "none"),
    "numbers": listed(1, 2, None),
}
