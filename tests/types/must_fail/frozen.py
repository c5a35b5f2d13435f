"""A verdict cannot be changed after it was given."""

from __future__ import annotations

from pydantic import BaseModel

from pratique import Admission, Admitted, Contract, Finding, Limits, Quarantined, Status


class Unit(BaseModel):
    a: int


def tamper(admission: Admission[Unit], unit: Admitted[Unit], lost: Quarantined, finding: Finding) -> None:
    admission.values[0] = Unit(a=1)  # expect: index
    admission.counts["admitted"] = 9  # expect: index
    admission.status = Status.CLEAN  # expect: misc
    admission.values = ()  # expect: misc
    admission.truncated = False  # expect: misc
    admission.quarantined = ()  # expect: misc
    unit.value = Unit(a=2)  # expect: misc
    lost.raw = ""  # expect: misc
    finding.code = "ok"  # expect: misc


Contract.items(Unit).terms.keep = "first"  # expect: misc
Limits().max_items = 9  # expect: misc
