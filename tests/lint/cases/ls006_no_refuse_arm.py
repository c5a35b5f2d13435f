"""LS006: acts to choose from, and no way to decline."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lint.case import obj, tool
from pratique.contract import Contract

TEXT = {"type": "string"}


class DepBump(BaseModel):
    """Something to do."""

    kind: Literal["dep_bump"]
    package: str


class Rewrite(BaseModel):
    """Something else to do."""

    kind: Literal["callsite_rewrite"]
    diff: str


class Refuse(BaseModel):
    """Nothing is done."""

    kind: Literal["refuse"]
    reason: str


class Circle(BaseModel):
    """A thing, not an act."""

    radius: float


class Square(BaseModel):
    """Another thing."""

    side: float


Plan = Annotated[DepBump | Rewrite, Field(discriminator="kind")]


def act(name: str, key: str = "action") -> Any:
    """Make a variant with a tag."""
    return obj({key: {"const": name}, "target": TEXT})


FIRES: dict[str, Any] = {
    "a contract of one act": Contract.one(Plan),
    "a union of models": Plan,
    "a schema whose tag is an action": {"oneOf": [act("left"), act("right")]},
    "boxed in an object of one key, as providers want it": obj({"command": {"anyOf": [act("x", "k"), act("y", "k")]}}),
    "verbs in the tags": {"anyOf": [act("createPage", "type"), act("delete-page", "type"), act("page", "type")]},
    "a block is no refusal by a part of its name": {"anyOf": [act("add_nonce"), act("notify")]},
}
QUIET: dict[str, Any] = {
    "a refusal that the contract names": Contract.one(Plan | Refuse, refusal=Refuse),
    "a variant that declines by its name": Annotated[DepBump | Rewrite | Refuse, Field(discriminator="kind")],
    "nothing to do is an answer": {"anyOf": [act("add"), act("remove"), act("no_op")]},
    "the act may be null": obj({"command": {"anyOf": [act("add"), act("remove"), {"type": "null"}]}}),
    "things are no acts": Circle | Square,
    "a list can be empty": Contract.items(Plan),
    "a batch can be empty": Contract.batch(Plan),
    "a tool need not be called": [tool(obj({"command": {"anyOf": [act("add"), act("remove")]}}))],
    "asking back is a way out": {"anyOf": [act("deploy"), act("ask_user")]},
    "one object of which any of two keys must come": {
        **obj({}, {"action": TEXT, "command": TEXT}),
        "anyOf": [{"required": ["action"]}, {"required": ["command"]}],
    },
    "a field among others is part of a larger answer": obj(
        {"summary": TEXT, "edit": {"anyOf": [act("add"), act("remove")]}}
    ),
}
