"""The contracts that the cases name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator

from pratique import DEFAULT_EDITS, Contract, Finding, Limits, Reference, note, refuse

__all__ = ["CONTRACTS"]


class Item(BaseModel):
    """One recommendation."""

    rank: Annotated[int, Field(ge=1)]
    action: Literal["work-next", "needs-human", "park"]
    why: Annotated[str, Field(max_length=600)]


class Summary(BaseModel):
    """What stands around the list."""

    summary: str


class Wsjf(BaseModel):
    """A nested object."""

    score: float
    size: int


class Scored(BaseModel):
    """A unit with a nested object, last."""

    rank: int
    why: str
    wsjf: Wsjf


class Labelled(BaseModel):
    """A unit with lists of scalars."""

    rank: int
    labels: list[str]
    sizes: list[int]


class Flagged(BaseModel):
    """A unit with words that Python spells differently."""

    rank: int
    done: bool
    owner: str | None


class Mapped(BaseModel):
    """A unit with an object whose keys nobody knows beforehand."""

    rank: int
    counts: dict[str, int]


class Named(BaseModel):
    """A unit that names something that must exist."""

    rank: int
    candidate: Annotated[str, Reference("workstream")]


class Node(BaseModel):
    """A unit that holds units of its own shape."""

    rank: int
    why: str
    children: list[Node]


class Defaulted(BaseModel):
    """A unit with a field that the contract fills."""

    rank: int
    why: str
    confidence: Literal["low", "high"] = "low"


class Call(BaseModel):
    """A unit whose fields are called as a tool call's are."""

    name: str
    arguments: dict[str, int]


class Move(BaseModel):
    """One command."""

    kind: Literal["move"]
    page: str
    to: int


class Rename(BaseModel):
    """Another command."""

    kind: Literal["rename"]
    page: str
    title: str


Command = Annotated[Move | Rename, Field(discriminator="kind")]


class Ask(BaseModel):
    """A command with a field that is called as calls name what they are given."""

    kind: Literal["ask"]
    input: str


class Tell(BaseModel):
    """Another one."""

    kind: Literal["tell"]
    arguments: str


class Plan(BaseModel):
    """An answer."""

    kind: Literal["plan"]
    steps: list[str]


class Declined(BaseModel):
    """A refusal, in-band."""

    kind: Literal["declined"]
    reason: str


class Ruled(Item):
    """A unit with a rule that its author wrote."""

    @field_validator("rank")
    @classmethod
    def _small(cls, rank: int) -> int:
        if rank > 2:
            raise ValueError("rank must be small")
        return rank


class Raising(BaseModel):
    """A unit whose own validator raises what is no validation error."""

    rank: int
    why: str

    def model_post_init(self, _context: Any, /) -> None:
        """Raise at a certain word."""
        if self.why == "boom":
            raise ZeroDivisionError("a bug in the contract")


def _has_reason(item: Item) -> Iterable[Finding]:
    if item.why == "no reason":
        yield refuse("a recommendation needs a reason", path="why")
    if item.why.startswith("maybe"):
        yield note("an unsure reason", path="why")


def _broken_check(item: Item) -> Iterable[Finding]:
    raise ZeroDivisionError(f"a bug in the contract, met at {item.rank}")


def _first_only(item: Item) -> int:
    if item.rank > 1:
        raise LookupError(item.rank)
    return item.rank


AT = "recommendations"
_ANY = {"type": "array", "items": {"type": "object", "required": ["rank"], "properties": {"rank": {"type": "integer"}}}}


class Counted(BaseModel):
    """A unit whose counts have free keys: on the wire, a list of pairs."""

    name: str
    counts: dict[str, int]
    note: Any = None


_WIRED = Contract.items(Counted, at="units")

CONTRACTS: dict[str, Contract[Any]] = {
    "report": Contract.items(Item, at=AT, envelope=Summary, name="triage"),
    "list": Contract.items(Item),
    "scored": Contract.items(Scored, at=AT, envelope=Summary),
    "labelled": Contract.items(Labelled),
    "flagged": Contract.items(Flagged),
    "mapped": Contract.items(Mapped),
    "defaulted": Contract.items(Defaulted),
    "capped": Contract.items(Item, at=AT, envelope=Summary, order_by="rank", limits=Limits(max_items=7)),
    "capped_as_written": Contract.items(Item, limits=Limits(max_items=2)),
    "unique": Contract.items(Item, at=AT, envelope=Summary, unique=("rank",)),
    "unique_first": Contract.items(Item, at=AT, envelope=Summary, unique=("rank",), keep="first"),
    "referenced": Contract.items(Named),
    "referenced_strictly": Contract.items(Named, references="refuse"),
    "checked": Contract.items(Item, checks=[_has_reason]),
    "check_raises": Contract.items(Item, checks=[_broken_check]),
    "plain": Contract.items(Item, at=AT),
    "pointer": Contract.items(Item, at="/data/items"),
    "calls_like": Contract.items(Call),
    "ruled": Contract.items(Ruled),
    "at_least_two": Contract.from_json_schema({**_ANY, "minItems": 2}),
    "ordered": Contract.items(Item, order_by=_first_only),
    "raising": Contract.items(Raising),
    "tagged": Contract.items(Command),
    "wired": _WIRED.via(_WIRED.compile("openai/chat")),
    "spoken": Contract.items(Annotated[Ask | Tell, Field(discriminator="kind")]),
    "tree": Contract.items(Node),
    "open": Contract.from_json_schema(_ANY),
    "batch": Contract.batch(Command),
    "batch_capped": Contract.batch(Command, limits=Limits(max_items=2)),
    "one": Contract.one(Item),
    "answer": Contract.one(Plan | Declined, refusal=Declined),
    "control": Contract.items(Item, edits=DEFAULT_EDITS | {"repair.control_escaped"}),
    "strictest": Contract.items(Item, edits=()),
    "first": Contract.items(Item, frames="first"),
    "report_first": Contract.items(Item, at=AT, envelope=Summary, name="triage", frames="first"),
    "last": Contract.items(Item, frames="last"),
    "all": Contract.items(Item, frames="all"),
    "small": Contract.items(
        Item, limits=Limits(max_bytes=600, max_string_chars=40, max_number_digits=12, max_edits=2, max_quarantined=2)
    ),
    "small_open": Contract.from_json_schema(_ANY, limits=Limits(max_depth=3, max_string_chars=40)),
}
