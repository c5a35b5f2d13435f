"""What the boundary tells of a verdict: which contract, which delivery, how it went, and what is for people alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from pratique.boundary.admission import Admission
from pratique.boundary.delivery import Delivery
from pratique.events import Told
from pratique.terms import Terms

__all__ = ["DeliveryJudged", "judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryJudged(Told):
    """One delivery was judged."""

    name = "boundary.delivery_judged"
    contract: str
    version: str
    fingerprint: str
    producer: str
    model: str | None
    digest: str
    """BLAKE3 of the delivery's body in UTF-8."""
    status: str
    truncated: bool
    counts: dict[str, int]
    audit_only: list[dict[str, object]]
    """What admitted units and the envelope say in ``AuditOnly`` fields, in full: here, and in no prompt."""


def judged(terms: Terms[Any], delivery: Delivery, admission: Admission[Any]) -> DeliveryJudged:
    """Return the event of a verdict.

    Limits: of a type that contains itself, the ``AuditOnly`` fields of its outermost level are told.
    """
    return DeliveryJudged(
        contract=terms.name, version=terms.version, fingerprint=terms.fingerprint,
        producer=delivery.producer.value, model=delivery.model,
        digest=admission.body_digest,
        status=admission.status.value, truncated=admission.truncated, counts=dict(admission.counts),
        audit_only=list(_audit_only(terms, admission)),
    )  # fmt: skip


def _audit_only(terms: Terms[Any], admission: Admission[Any]) -> Iterator[dict[str, object]]:
    """Yield what stands in fields for audit only, with the unit and the path; the envelope's unit is None."""
    if terms.unit.audit_only:
        for unit in admission.units:
            yield from _fields(terms.unit.audit_only, unit.value, unit.index)
    if terms.envelope is not None and terms.envelope.audit_only and admission.envelope is not None:
        yield from _fields(terms.envelope.audit_only, admission.envelope, None)


def _fields(paths: Sequence[str], value: object, unit: int | None) -> Iterator[dict[str, object]]:
    for path in paths:
        for at, found in _at("$", path.split("/")[1:], value):
            yield {"unit": unit, "at": at, "value": to_jsonable_python(found, by_alias=False, fallback=str)}


def _at(at: str, steps: Sequence[str], value: Any) -> Iterator[tuple[str, object]]:
    """Yield what stands at a path, whatever a type's own serialisation would leave out.

    Shape: a star stands for every item of a list, and every value of a mapping.
    """
    if not steps:
        yield at, value
    elif steps[0] == "*":
        items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, Iterable) else ()
        for key, item in items:
            yield from _at(f"{at}.{key}" if isinstance(value, Mapping) else f"{at}[{key}]", steps[1:], item)
    else:
        found = value.get(steps[0], _ABSENT) if isinstance(value, Mapping) else getattr(value, steps[0], _ABSENT)
        if found is not _ABSENT:
            yield from _at(f"{at}.{steps[0]}", steps[1:], found)


_ABSENT = object()
