"""A check, an order and a limit must fit the unit and the bound."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from pratique import Contract, Finding, Limits


class Unit(BaseModel):
    rank: int


class Other(BaseModel):
    name: str


def check_other(unit: Other) -> Iterable[Finding]:
    assert unit.name
    return []


def check_nothing(unit: Unit) -> bool:
    return unit.rank > 0


def key_of_other(unit: Other) -> str:
    return unit.name


Contract.items(Unit, checks=[check_other])  # expect: list-item
Contract.items(Unit, checks=[check_nothing])  # expect: list-item
Contract.items(Unit, checks=check_other)  # expect: arg-type
Contract.items(Unit, order_by=key_of_other)  # expect: arg-type
Contract.items(Unit, order_by=lambda unit: unit.nope)  # expect: attr-defined
Contract.items(Unit, frames="some")  # expect: arg-type
Contract.items(Unit, limits={"max_items": 7})  # expect: arg-type
Contract.items(Unit, refusal=Other)  # expect: call-arg
Contract.one(Unit, at="items")  # expect: call-arg
Contract.one(Unit, unique=("rank",))  # expect: call-arg
Contract.items(Unit, "items")  # expect: call-arg
Limits(7)  # expect: call-arg
Limits(max_items="7")  # expect: arg-type
Contract.items(Unit).admit(5)  # expect: arg-type
Contract.items(Unit).admit("", references={"work": None})  # expect: dict-item
