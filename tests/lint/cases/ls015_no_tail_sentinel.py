"""LS015: items whose end does not show that it is one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.apps.triage.contract import Recommendation, Wsjf, triage
from pratique.contract import Contract
from pratique.lint.rule import Level

TEXT = {"type": "string"}


class Upstream(BaseModel):
    """The order of the report that was measured: the optional key at the end."""

    rank: int
    why: str
    wsjf: Wsjf | None = None


class Nested(BaseModel):
    """A number at the end of what is at the end."""

    rank: int
    why: str
    wsjf: Wsjf


class Stars(BaseModel):
    """A number of one digit cannot lose one."""

    id: str
    stars: Annotated[int, Field(ge=1, le=5)]


class Add(BaseModel):
    """Ends with a required text."""

    kind: Literal["add"]
    title: str


class Move(BaseModel):
    """Ends with an index that may be left out."""

    kind: Literal["move"]
    id: str
    index: int | None = None


def ends_with(last: Any, *, is_required: bool = True) -> Any:
    """Make a list of items that end with one field."""
    named = {"last": last}
    item = obj({"id": TEXT, **named}) if is_required else obj({"id": TEXT}, named)
    return {"type": "array", "items": item, "maxItems": 7}


FIRES: dict[str, Any] = {
    "an optional key at the end": Case(ends_with(TEXT, is_required=False), at=("/items/properties/last",)),
    "the report that was measured": Case(Contract.items(Upstream), at=("/properties/wsjf",), level=Level.WARN),
    "a number at the end": Case(ends_with({"type": "number", "minimum": 0, "maximum": 1}), level=Level.WARN),
    "a number at the end of the last object": Case(Contract.items(Nested), at=("/$defs/Wsjf/properties/job_size",)),
    "a percentage": ends_with({"type": "integer", "minimum": 0, "maximum": 100}),
    "a temperature": ends_with({"type": "integer", "minimum": -40, "maximum": 5}),
    "listed numbers of which one begins another": ends_with({"enum": [1, 2, 3, 5, 8, 13]}),
    "a number that may be null": ends_with({"type": ["integer", "null"]}),
    "one of two variants": Case(
        Contract.batch(Annotated[Add | Move, Field(discriminator="kind")]), at=("/$defs/Move/properties/index",)
    ),
    "a list at the end is worth knowing": Case(ends_with({"type": "array", "items": TEXT}), level=Level.INFO),
}
QUIET: dict[str, Any] = {
    "a required text at the end": ends_with(TEXT),
    "the triage report was made for it": triage,
    "the same as a list of its own": list[Recommendation],
    "one digit": Contract.items(Stars),
    "a year has four digits, and fewer are refused": ends_with({"type": "integer", "minimum": 1900, "maximum": 2100}),
    "listed numbers of one length": ends_with({"enum": [10, 20, 30]}),
    "a truth value": ends_with({"type": "boolean"}),
    "a text that may be null, and must come": ends_with({"type": ["string", "null"]}),
    "a pair of fixed length": ends_with({"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}),
    "an object that is no item of a list": obj({"id": TEXT}, {"note": TEXT}),
    "one unit has no neighbour": Contract.one(Upstream),
    "a tool's call is parsed by its client": [tool(obj({"items": ends_with(TEXT, is_required=False)}))],
}
