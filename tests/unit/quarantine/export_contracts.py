"""The contracts that exported pytest files import."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel

from pratique import Contract, Producer, Reference


class Item(BaseModel):
    """One unit."""

    rank: int


class WideItem(BaseModel):
    """The same, later."""

    rank: int | str


class Task(BaseModel):
    """A unit that names something."""

    owner: Annotated[str, Reference("person")]


ITEMS = Contract.items(Item, name="items", unique=["rank"])
WIDE = Contract.items(WideItem, name="items", version="2")
STEPS = Contract.batch(Item, name="steps")
TASKS = Contract.items(Task, name="tasks")
PERSON = Producer.PERSON
