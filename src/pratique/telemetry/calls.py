"""Calls while they are open: what was told of each one, gathered until nothing more is to come.

A call is told in two voices. The leaf says what was sent and what came back; the ledger says what was held and what
was charged, and its last word comes after the leaf's. So a call whose hold was told waits for its bill, and stands in
one span with it. Where only one of the two is heard, or the ledger's words come later, out of its outbox, each has a
span of its own, and the token's id joins them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pratique.budget.costs import LlmCallCost
from pratique.budget.events import (
    BudgetDispatched,
    BudgetExceededEvent,
    BudgetPrecharged,
    BudgetReconcileConflict,
    BudgetVoided,
)
from pratique.leaf.events import LeafFailed, LeafInvoked, LeafReturned
from pratique.telemetry.attributes import Attributes, HoldTold, attributes_of
from pratique.telemetry.bounded import Bounded

__all__ = ["Call", "CallTold", "OpenCalls"]

CallTold = HoldTold | LeafInvoked | LeafReturned | LeafFailed | LlmCallCost
"""What is told of one call."""

_NANOS_PER_MS = 1_000_000


@dataclass(slots=True)
class Call:
    """What is known of one call so far.

    Units: times in nanoseconds since 1970, UTC.
    """

    began: int
    """When the first word of it came."""
    context: object
    """Where it belongs: what was the current context when it was told; of OpenTelemetry's own type."""
    last: int = 0
    """When the last word came."""
    invoked: int | None = None
    """When the leaf sent it; None: no leaf was heard."""
    ended: int | None = None
    """When the leaf had its end."""
    model: str = ""
    """The one that was asked for; empty: not told."""
    is_failed: bool = False
    is_held: bool = False
    """A hold was told before its bill: so its bill will be told, too."""
    is_closed: bool = False
    """The ledger's last word was told."""
    attributes: Attributes = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come."""
        if self.invoked is None:
            return self.is_closed
        return self.ended is not None and (self.is_closed or not self.is_held)

    def note(self, event: CallTold, told: Attributes, at: int) -> None:
        """Take down what is told."""
        self.last = max(self.last, at)
        self.attributes |= told
        match event:
            case LeafInvoked():
                self.invoked, self.model = at, event.model
            case LeafReturned() | LeafFailed():
                self._end(event, at)
            case LlmCallCost() | BudgetVoided() | BudgetExceededEvent():
                self.is_closed = True
                self.model = self.model or (event.item if isinstance(event, LlmCallCost) else event.model)
            case BudgetReconcileConflict():
                self.is_closed = self.is_closed or (self.invoked is None and not self.is_held)
                self.model = self.model or event.model
            case _:
                self.is_held = self.is_held or isinstance(event, (BudgetPrecharged, BudgetDispatched))
                self.model = self.model or event.model

    def _end(self, event: LeafReturned | LeafFailed, at: int) -> None:
        """Note the leaf's end: as long after its beginning as its own clock says, which never goes back."""
        took = event.took_ms * _NANOS_PER_MS
        if self.invoked is None:
            self.invoked = at - took
        self.ended = self.invoked + took
        if isinstance(event, LeafFailed):
            self.is_failed = True
            self.model = self.model or event.model


class OpenCalls:
    """All calls that are open, at most so many. One thread at a time.

    Limits: ``max_open`` calls; beyond it the oldest is handed out as it stands, and counted.
    """

    def __init__(self, max_open: int) -> None:
        self._open: Bounded[Call] = Bounded(max_open)

    @property
    def given_up(self) -> int:
        """How many calls were handed out before they were over, to keep within the limit."""
        return self._open.given_up

    def take(self, event: CallTold, at: int, context: object) -> list[Call]:
        """Take down what is told; return the calls that are to be written for it: over, or given up."""
        token = event.id if isinstance(event, LlmCallCost) else event.token
        told = attributes_of(event)  # a record that holds what it cannot is refused before anything is changed
        call = self._open.get(token)
        gone: Call | None = None
        if call is None:
            call = Call(at, context)
            gone = self._open.keep(token, call)
        if isinstance(event, LeafInvoked):
            call.context = context
        call.note(event, told, at)
        if call.is_over:
            self._open.end(token)
        return [each for each in (gone, call if call.is_over else None) if each is not None]

    def take_all(self) -> list[Call]:
        """Return all calls as they stand, oldest first, and wait for none of them."""
        return list(self._open.end_all())
