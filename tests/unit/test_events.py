"""The boundary tells a sink what it judged, if one is given."""

from __future__ import annotations

from pydantic import BaseModel

from pratique import Contract
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
