"""The boundary tells a sink what it judged, if one is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pratique import AuditOnly, Contract
from pratique.events import Event


class Item(BaseModel):
    """One unit."""

    rank: int


class Sink:
    """Keep what is emitted."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Record one event."""
        self.events.append(event)


def test_one_delivery_is_one_event_that_says_what_the_admission_says() -> None:
    sink = Sink()
    admission = Contract.items(Item, name="ranks").admit('[{"rank": 1}, {"rank": "x"}]', events=sink)
    (event,) = sink.events
    told = event.to_dict()
    assert event.name == "boundary.delivery_judged"
    assert (told["contract"], told["status"], told["truncated"]) == ("ranks", "partial", False)
    assert told["counts"] == dict(admission.counts)
    assert told["fingerprint"] == admission.fingerprint
    assert told["audit_only"] == []


class Why(BaseModel):
    """Something for people, inside of something else."""

    why: Annotated[str, AuditOnly(), Field(alias="because", exclude=True)]


class Bump(BaseModel):
    """A plan."""

    kind: Literal["bump"]
    rationale: Annotated[str, AuditOnly()]
    steps: list[Why] = []
    by_name: dict[str, Why] = {}


class Refuse(BaseModel):
    """Another plan."""

    kind: Literal["refuse"]
    rationale: Annotated[str, AuditOnly()]


@dataclass
class Envelope:
    """What stands around."""

    remark: Annotated[str, AuditOnly()]
    plans: int


def test_what_is_for_people_alone_stands_in_the_event_in_full() -> None:
    """Of admitted units and the envelope, with the place; nothing of a unit that was refused."""
    sink = Sink()
    contract = Contract.items(Bump | Refuse, at="list", envelope=Envelope)
    contract.admit(
        """{"remark": "r", "plans": 2, "list": [
            {"kind": "bump", "rationale": "a", "steps": [{"because": "b"}, {"because": "c"}],
             "by_name": {"x": {"because": "d"}}},
            {"kind": "bump", "rationale": 7}, {"kind": "refuse", "rationale": "e"}]}""",
        events=sink,
    )
    (event,) = sink.events
    assert sorted((each["unit"] is None, each["at"], each["value"]) for each in event.to_dict()["audit_only"]) == [  # type: ignore[attr-defined]
        (False, "$.by_name.x.why", "d"), (False, "$.rationale", "a"), (False, "$.rationale", "e"),
        (False, "$.steps[0].why", "b"), (False, "$.steps[1].why", "c"), (True, "$.remark", "r"),
    ]  # fmt: skip
