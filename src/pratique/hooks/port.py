"""The port of entry of one contract: what a framework brings is judged here, and what was refused is kept.

Neighbours: each hook makes a ``Delivery`` of its framework's reply and admits it through a port.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pratique.boundary.admission import Admission
from pratique.boundary.delivery import Delivery
from pratique.contract import Contract
from pratique.events import EventSink

if TYPE_CHECKING:
    from pratique.dialects.compiling import Compiled
    from pratique.quarantine.store import QuarantineStore

__all__ = ["Port", "References"]

T = TypeVar("T")

References = Mapping[str, Iterable[str]] | Callable[[], Mapping[str, Iterable[str]]]
"""The allow-lists, or what reads them at each call: what exists changes while an agent runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Port(Generic[T]):
    """Judge each delivery of one contract in the same way, and keep in quarantine what was refused.

    Shape: ``compiled`` is what the producer was asked with, None where it was asked in the contract's own shape.
        ``references`` are the allow-lists, or a function that reads them at each delivery.
        ``quarantine`` keeps every admission that lost something; None: nothing is kept but in the admission.
    Errors: as ``Contract.admit``; an Outage when the quarantine cannot be written: nothing is admitted unkept.
    """

    contract: Contract[T]
    compiled: Compiled | None = None
    references: References | None = None
    quarantine: QuarantineStore | None = None
    events: EventSink | None = None

    def admit(self, delivery: Delivery) -> Admission[T]:
        """Judge one delivery; keep what was refused before anybody sees what was admitted.

        Not checked: whether what an admitted unit says is true.
        """
        known = self.references() if callable(self.references) else self.references
        admission = self.contract.admit(delivery, compiled=self.compiled, references=known, events=self.events)
        if self.quarantine is not None:
            self.quarantine.keep(admission)
        return admission
