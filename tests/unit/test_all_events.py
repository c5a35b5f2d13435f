"""The union of all events is complete, frozen, pinned, and read again as it was told."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pratique
from pratique.all_events import EVENTS, event_of, fingerprint, told_fields
from pratique.budget.amount import Amount
from pratique.budget.events import BudgetEvent
from pratique.budget.money import MAX_PICOS
from pratique.errors import Misuse
from pratique.events import Told, record_of


def test_the_union_is_what_it_was() -> None:
    """Whoever changes an event thinks of those who read old logs, writes it into the changes, and pins it anew."""
    assert fingerprint() == "b3:a0231c32cf7ab92d59b2a8c6c97f4ee8"


def declared() -> set[type[Any]]:
    """Return every event that is declared anywhere in the package."""
    for module in pkgutil.walk_packages(pratique.__path__, "pratique."):
        if ".hooks." not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)
    found: set[type[Any]] = set()
    pending: list[type[Any]] = [Told, BudgetEvent]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind.__module__.startswith("pratique.") and "name" in kind.__dict__:
            found.add(getattr(sys.modules[kind.__module__], kind.__name__))  # slots make a class anew
    return found


def test_every_event_of_every_room_is_in_it() -> None:
    """Once, under a name that its room begins."""
    assert declared() == set(EVENTS.values())
    assert all(name == kind.name and name.count(".") >= 1 for name, kind in EVENTS.items())


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_frozen_and_holds_no_float(name: str) -> None:
    """Money is decimal text, counts are whole."""
    kind: Any = EVENTS[name]
    assert kind.__dataclass_params__.frozen
    assert not any("float" in told or "Decimal" in told for told in told_fields(kind).values())


AMOUNTS = st.builds(Amount, st.integers(0, 2**53), st.integers(0, MAX_PICOS))


@given(st.data())
@pytest.mark.parametrize("name", EVENTS)
def test_what_is_told_is_read_again(name: str, data: st.DataObject) -> None:
    """Through JSON, with the time and the place that a log adds, and what a later version may add."""
    event = data.draw(st.from_type(EVENTS[name]))
    record = json.loads(json.dumps(record_of(event)))
    assert list(record) == ["event", *told_fields(EVENTS[name])]
    assert event_of({**record, "at": "2026", "outbox": {}, "later": 1}) == event


st.register_type_strategy(Amount, AMOUNTS)
st.register_type_strategy(object, st.none() | st.booleans() | st.integers() | st.text())


def test_another_s_event_is_none_and_one_that_lacks_something_is_told() -> None:
    """Applications have events of their own."""
    assert event_of({"event": "app.done"}) is None
    assert event_of({}) is None
    with pytest.raises(Misuse, match="has no by_ms"):
        event_of({"event": "audit.clock_went_back"})
    assert {field.name for field in fields(EVENTS["audit.clock_went_back"])} == {"by_ms"}
