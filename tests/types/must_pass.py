"""Lines that must type-check, with the types they must have. Read by ``test_types``; also runs as it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, assert_type

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from pratique import Admission, Admitted, Contract, Finding, Limits, Quarantined, note, refuse


class Accept(BaseModel):
    kind: Literal["accept"]
    plan: str


class Decline(BaseModel):
    kind: Literal["decline"]
    why: str


@dataclass
class Row:
    rank: int


class Command(TypedDict):
    name: str


# A union is inferred as it is written: mypy reads the argument as a TypeForm.
plan = Contract.one(Accept | Decline, refusal=Decline)
assert_type(plan, Contract[Accept | Decline])

tagged = Contract.one(Annotated[Accept | Decline, Field(discriminator="kind")])
assert_type(tagged, Contract[Accept | Decline])

rows = Contract.items(Row, at="rows", limits=Limits(max_items=7), order_by=lambda row: -row.rank)
assert_type(rows, Contract[Row])

commands = Contract.batch(Command)
assert_type(commands, Contract[Command])

legacy = Contract.from_json_schema({"type": "object", "properties": {"u": {"items": {"type": "object"}}}}, at="u")
assert_type(legacy, Contract[dict[str, Any]])


def check_row(row: Row) -> Iterable[Finding]:
    if row.rank < 1:
        yield refuse("a rank starts at 1", path="rank")
    yield note("looked at")


def check_anything(_: object) -> list[Finding]:
    return []


checked = Contract.items(Row, checks=[check_row, check_anything])
assert_type(checked, Contract[Row])

admission = plan.admit('{"kind": "accept", "plan": "go"}')
assert_type(admission, Admission[Accept | Decline])
assert_type(admission.values, tuple[Accept | Decline, ...])
assert_type(admission.value, Accept | Decline)
assert_type(admission.require_clean(), tuple[Accept | Decline, ...])
assert_type(admission.units, tuple[Admitted[Accept | Decline], ...])
assert_type(admission.quarantined, tuple[Quarantined, ...])
assert_type(rows.admit(b"").values, tuple[Row, ...])
assert_type(legacy.admit("").values, tuple[dict[str, Any], ...])


def told(value: Accept | Decline) -> str:
    """An admitted value is narrowed like any other."""
    return value.plan if isinstance(value, Accept) else value.why


assert told(admission.value) == "go"
