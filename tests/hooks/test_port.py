"""What every hook hands its delivery to: the arguments that a tool may run with, and what a caller is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, SecretStr, computed_field, field_serializer, field_validator

from hooks.replies import GOOD, SECRET, tasks
from pratique import Contract, Delivery, Misuse, Reference
from pratique.boundary.delivery import ToolCall
from pratique.hooks.port import Port, require_tools
from pratique.hooks.wire import lesser_end
from pratique.quarantine import MemoryQuarantine


class Login(BaseModel):
    user: str
    password: SecretStr


class Named(BaseModel):
    title: Annotated[str, Field(validation_alias="name", serialization_alias="called")]


class Left(BaseModel):
    title: str
    days: Annotated[int, Field(exclude=True)] = 1


class Twice(BaseModel):
    days: int

    @computed_field  # type: ignore[prop-decorator]  # pydantic's own way
    @property
    def hours(self) -> int:
        return self.days * 24


class Told(BaseModel):
    days: int

    @field_serializer("days")
    def more(self, days: int) -> int:
        return days + 1


class Grows(BaseModel):
    days: int

    @field_validator("days")
    @classmethod
    def more(cls, days: int) -> int:
        return days + 1


class Exact(BaseModel):
    cents: Decimal
    who: Annotated[str, Reference("person")]


def judged(port: Port[Any], arguments: str, name: str = "tool") -> Any:
    """Return what the tool of one call runs with."""
    return port.admit_call(Delivery(tool_calls=(ToolCall(name, arguments, "c1"),)), 0)[1]


@pytest.mark.parametrize(
    ("unit", "arguments"),
    [
        (Login, f'{{"user": "ann", "password": "{SECRET}"}}'),
        (Named, '{"name": "a"}'),
        (Left, '{"title": "a", "days": 2}'),
        (Twice, '{"days": 1}'),
        (Told, '{"days": 1}'),
        (Grows, '{"days": 1}'),
    ],
)
def test_a_tool_runs_with_nothing_that_was_not_written(unit: Any, arguments: str) -> None:
    """A type that writes itself otherwise than it was read is the caller's mistake, and no word of it is told."""
    for contract in (
        Contract.one(unit, name="tool"),
        Contract.items(unit, at="units", name="tool"),
        Contract.items(tasks_unit, at="tasks", envelope=unit, name="tool"),
    ):
        body = {
            0: arguments,
            1: f'{{"units": [{arguments}]}}',
            2: f'{arguments[:-1]}, "tasks": []}}',
        }[0 if not contract.terms.at else 1 if contract.terms.envelope is None else 2]
        with pytest.raises(Misuse, match="does not come back") as mistake:
            judged(Port(contract=contract), body)
        assert SECRET not in str(mistake.value)


tasks_unit = tasks.terms.unit.python


def test_what_comes_back_as_it_was_read_runs() -> None:
    """The twin; an allow-list is asked the same both times."""
    port = Port(contract=Contract.one(Exact, name="tool"), references={"person": ["ann"]})
    assert judged(port, '{"cents": 1.50, "who": "ann"}') == {"cents": "1.5", "who": "ann"}
    assert judged(port, '{"cents": 1.50, "who": "bo"}') is None
    assert judged(Port(contract=tasks), f'{{"tasks": [{GOOD}]}}', "tasks") == {"tasks": [{"title": "a", "days": 1}]}


@pytest.mark.parametrize("id", ["x" * 5_000, "\ud800", ""])
def test_no_id_is_a_reason_to_fail(id: str) -> None:
    """It is the producer's."""
    store = MemoryQuarantine()
    port = Port(contract=tasks, quarantine=store)
    for _ in range(2):
        port.admit_call(Delivery(tool_calls=(ToolCall("tasks", "{", id),)), 0, run_id="run", attempt=1)
    assert store.count() == 1


def test_names_of_tools_that_are_not_judged_are_no_one_name() -> None:
    """Every part of the word would be a tool."""
    with pytest.raises(Misuse, match=r"unsafe_unjudged=\('look',\)"):
        require_tools({}, "look")


@pytest.mark.parametrize(
    ("words", "least"),
    [
        ([], None),
        ([None, None], None),
        (["stop"], "stop"),
        (["stop", "length"], "length"),
        (["brand_new", "length"], "brand_new"),
        (["length", "refusal"], "refusal"),
        (["stop", 7], "7"),
    ],
)
def test_of_several_words_the_one_that_promises_least_is_taken(words: list[Any], least: str | None) -> None:
    """One that nobody knows may mean anything."""
    assert lesser_end(words) == least
