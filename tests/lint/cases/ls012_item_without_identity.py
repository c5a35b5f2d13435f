"""LS012: items that nothing tells apart."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.terms import Reference

TEXT = {"type": "string"}


class Verdict(BaseModel):
    """Nothing says about what."""

    verdict: Literal["good", "bad"]
    why: str


class Ranked(Verdict):
    """Told apart by a number."""

    rank: int


class Pointed(BaseModel):
    """Told apart by what it refers to."""

    about: Annotated[str, Reference("workstream")]
    why: str


def listed(*required: str, **fields: Any) -> Any:
    """Make an answer with one list."""
    named = {**dict.fromkeys(required, TEXT), **fields}
    item = {"type": "object", "properties": named, "required": list(required), "additionalProperties": False}
    return obj({"items": {"type": "array", "items": item, "maxItems": 7}})


FIRES: dict[str, Any] = {
    "a verdict about nothing": Case(listed("verdict", "why"), at=("/properties/items/items",)),
    "a contract of items": Case(Contract.items(Verdict), at=("",)),
    "an id that may be left out": listed("verdict", "why", id=TEXT),
    "a label that is one of a few": listed("why", label={"enum": ["spam", "ham"]}),
    "a word inside another word is no id": listed("idea", "nonsense"),
    "a name that is an object is no identity": listed("why", name=obj({"first": TEXT})),
    "variants of which none has one": obj(
        {"items": {"type": "array", "items": {"anyOf": [obj({"a": TEXT, "b": TEXT}), obj({"c": TEXT, "d": TEXT})]}}}
    ),
}
QUIET: dict[str, Any] = {
    "an id": listed("id", "why"),
    "an id in camel case": listed("pageId", "why"),
    "a number at the end of a name": listed("line_2", "why"),
    "a rank": Contract.items(Ranked),
    "a reference": Contract.items(Pointed),
    "what the contract calls unique": Contract.items(Verdict, unique=("why",)),
    "a batch is lost as a whole": Contract.batch(Verdict),
    "one field is its own identity": listed("remark"),
    "a question and its answer": listed("question", "answer"),
    "an edge is told by its ends": listed("source", "target", "weight"),
    "a tool's server counts itself": [tool(listed("verdict", "why"))],
    "one variant of several has one": obj(
        {"items": {"type": "array", "items": {"anyOf": [obj({"id": TEXT, "b": TEXT}), obj({"c": TEXT, "d": TEXT})]}}}
    ),
    "a list deeper inside": obj({"part": listed("verdict", "why")}),
}
