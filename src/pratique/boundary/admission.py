"""The verdict on one delivery, and the values it is made of. Frozen; made by ``admit`` alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass
from enum import StrEnum
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar, final

from blake3 import blake3
from pydantic_core import to_jsonable_python

from pratique.boundary.delivery import Delivery
from pratique.errors import Effect, Finding, Misuse, Reason
from pratique.text import Span

__all__ = [
    "Admission",
    "Admitted",
    "Claim",
    "Edit",
    "NotClean",
    "Provisional",
    "Quarantined",
    "Status",
    "Truncation",
    "Unclaimed",
]

T_co = TypeVar("T_co", covariant=True)

_KEY = object()
"""Only the boundary holds it: what may be made in one place only cannot be made elsewhere by mistake."""


class Status(StrEnum):
    """Sum a delivery up."""

    CLEAN = "clean"
    """Everything that was written was admitted."""
    PARTIAL = "partial"
    """Some was admitted; a unit or the envelope was lost, a guard fired, an ellipsis stood, or it was cut."""
    EMPTY = "empty"
    """Well-formed, no unit."""
    LOST = "lost"
    """Nothing usable."""
    REFUSED = "refused"
    """The producer declined."""


class Edit(NamedTuple):
    """One named, lossless rewrite of what was written.

    Units: ``span`` counts code points into the delivery's text, as it came.
    """

    code: str
    span: Span
    before: str
    after: str

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {"code": self.code, "span": list(self.span), "before": self.before, "after": self.after}


class Claim(NamedTuple):
    """Say who a stretch of the delivery belongs to."""

    span: Span
    owner: str
    """``envelope``, ``unit``, ``quarantined``, ``separator`` or ``unclaimed``."""
    unit: int | None = None
    """Index of the unit, when it is one."""


class Unclaimed(NamedTuple):
    """A stretch of the delivery that belongs to no unit and no envelope."""

    span: Span
    text: str

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {"span": list(self.span), "text": self.text}


@dataclass(frozen=True, slots=True)
class Truncation:
    """Say that a delivery was cut off, where, and how we know."""

    offset: int
    """Where the text ends, code points."""
    inside: str
    """What the text ends inside, as a JSONPath and a word: ``$.recommendations[10] (string)``; or nothing."""
    told: bool
    """The finish reason says so."""
    seen: bool
    """The text itself ends inside a value."""

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {"offset": self.offset, "inside": self.inside, "told": self.told, "seen": self.seen}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Admitted(Generic[T_co]):
    """One unit that passed every step. Only ``admit`` makes it.

    Not checked: whether what it says is true.
    """

    value: T_co
    index: int
    """Place among all units seen, from 0."""
    span: Span
    raw: str
    edits: tuple[Edit, ...]
    defaulted: tuple[str, ...]
    """Fields that the producer left out and the contract's own defaults filled."""
    findings: tuple[Finding, ...]
    key: InitVar[object]

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise Misuse("Admitted is made by admit() alone", remedy="call contract.admit(text) and read .units")

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Admitted cannot be pickled: what comes back would not have passed; use to_dict()")

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "index": self.index,
            "value": to_jsonable_python(self.value),
            "edits": [edit.to_dict() for edit in self.edits],
            "span": list(self.span),
            "defaulted": list(self.defaulted),
            "findings": [finding.to_dict() for finding in self.findings],
        }


@final
@dataclass(frozen=True, slots=True, eq=False)
class Provisional(Generic[T_co]):
    """One unit of a stream that stands by itself, before the whole delivery was judged.

    Not checked: what needs the whole delivery. The admission may refuse this unit, and says so; show it, but
    act on the admission alone.
    """

    value: T_co
    index: int
    """Place among all units seen so far, from 0."""
    span: Span
    raw: str


@final
@dataclass(frozen=True, slots=True, eq=False)
class Quarantined:
    """One unit that was refused, with all that is needed to see why and to try again.

    Not checked: ``raw`` and ``draft`` are the producer's text; print them through ``show()``.
    """

    index: int
    reason: Reason
    findings: tuple[Finding, ...]
    raw: str
    span: Span
    draft: str | None = None
    """What a cleverer repair would have read. Never admitted: somebody must look."""
    edits: tuple[Edit, ...] = ()
    """Edits that were made before it was refused for another reason."""

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "index": self.index,
            "reason": self.reason.value,
            "findings": [finding.to_dict() for finding in self.findings],
            "raw": self.raw,
            "span": list(self.span),
            "draft": self.draft,
            "edits": [edit.to_dict() for edit in self.edits],
        }


class NotClean(Exception):
    """Say that a delivery that had to be clean was not; carries the admission."""

    def __init__(self, admission: Admission[Any]) -> None:
        self.admission = admission
        counts = admission.counts
        super().__init__(
            f"{admission.status}: admitted {counts['admitted']} of {counts['seen']} units; "
            + "; ".join(str(finding) for finding in admission.all_findings[:3])
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """The parts of an admission that need every span: made on demand after the fast path."""

    units: tuple[Admitted[Any], ...]
    quarantined: tuple[Quarantined, ...]
    findings: tuple[Finding, ...]
    unclaimed: tuple[Unclaimed, ...]
    claims: tuple[Claim, ...]
    envelope_edits: tuple[Edit, ...]


class OnDemand:
    """Make an account when it is first asked for, once."""

    __slots__ = ("_account", "_make")

    def __init__(self, make: Callable[[], Account] | Account) -> None:
        self._account = make if isinstance(make, Account) else None
        self._make = None if isinstance(make, Account) else make

    def __call__(self) -> Account:
        """Return the account."""
        if self._account is None:
            assert self._make is not None
            self._account = self._make()
            self._make = None
        return self._account


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Admission(Generic[T_co]):
    """The verdict on one delivery.

    ``values`` is what a consumer takes; everything else says what it cost. Spans and per-unit objects of
    a clean delivery are made when first asked for: a consumer that only wants values does not pay.

    Errors: ``require_clean`` raises NotClean; ``value`` raises NotClean when there is not exactly one.
    Not checked: meaning. An admitted unit is well-formed, within its contract, and what was written.
    """

    contract: str
    version: str
    fingerprint: str
    delivery: Delivery
    values: tuple[T_co, ...]
    """The admitted values, in the contract's declared order, else as written."""
    envelope: Any
    """The envelope's value; None when there is none or it was lost (a finding says which)."""
    status: Status
    truncation: Truncation | None
    seen: int
    """Units seen: admitted and quarantined."""
    on_demand: OnDemand
    key: InitVar[object]
    released: int = 0
    """Units that a stream handed out and did not keep; they are in ``counts``, not in ``values``."""
    measured: tuple[str, int] | None = None
    """Digest and size of a body that was not kept whole; None: ``delivery`` has all of it."""

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise Misuse("Admission is made by admit() alone", remedy="call contract.admit(text)")

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Admission cannot be pickled: what comes back would not have been judged; use to_dict()")

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<Admission {self.contract}: {self.status}, admitted {counts['admitted']}, "
            f"quarantined {counts['quarantined']}{', truncated' if self.truncated else ''}>"
        )

    @property
    def value(self) -> T_co:
        """The one admitted value."""
        if len(self.values) != 1:
            raise NotClean(self)
        return self.values[0]

    @property
    def units(self) -> tuple[Admitted[T_co], ...]:
        """The admitted units with edits and spans, in the order of ``values``."""
        return self.on_demand().units

    @property
    def quarantined(self) -> tuple[Quarantined, ...]:
        """The refused units, as written; at most ``limits.max_quarantined``, the rest is in ``counts``."""
        return () if self.seen == len(self.values) + self.released else self.on_demand().quarantined

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings on the delivery and the envelope; those on a unit are with the unit."""
        return self.on_demand().findings

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Every finding: the delivery's, then the units', then the quarantined units'."""
        return (
            *self.findings,
            *(finding for unit in self.units for finding in unit.findings),
            *(finding for unit in self.quarantined for finding in unit.findings),
        )

    @property
    def unclaimed(self) -> tuple[Unclaimed, ...]:
        """What belongs to no unit and no envelope, white space and separators apart."""
        return self.on_demand().unclaimed

    @property
    def envelope_edits(self) -> tuple[Edit, ...]:
        """Edits made while reading the envelope."""
        return self.on_demand().envelope_edits

    @property
    def body_digest(self) -> str:
        """BLAKE3 of the delivery's whole body in UTF-8, also when a stream did not keep it: ``b3:`` and hex digits."""
        if self.measured is not None:
            return self.measured[0]
        return "b3:" + blake3(self.delivery.body.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def body_bytes(self) -> int:
        """Size of the delivery's whole body, bytes of UTF-8."""
        return self.measured[1] if self.measured else len(self.delivery.body.encode("utf-8", "surrogatepass"))

    @property
    def truncated(self) -> bool:
        """Whether the delivery was cut off, by its own text or by what the provider told."""
        return self.truncation is not None

    @property
    def review_required(self) -> bool:
        """Whether somebody should look: something was lost or refused."""
        return self.status in (Status.PARTIAL, Status.LOST)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many units were seen, admitted and quarantined, the latter by reason, and not kept."""
        admitted = len(self.values) + self.released
        lost = self.seen - admitted
        if not lost:
            return {"seen": self.seen, "admitted": admitted, "quarantined": 0, "not_kept": 0}
        kept = self.quarantined
        reasons = Counter(unit.reason.value for unit in kept)
        return {
            "seen": self.seen,
            "admitted": admitted,
            "quarantined": lost,
            "not_kept": lost - len(kept),
            **dict(sorted(reasons.items())),
        }

    def account(self) -> tuple[Claim, ...]:
        """Return every stretch of the delivery's body and who claims it, without gap or overlap.

        Errors: Misuse after a stream that did not keep its text.
        """
        if self.released:
            raise Misuse("the stream did not keep its text", remedy="stream with retain=True to account for it")
        return self.on_demand().claims

    def require_clean(self) -> tuple[T_co, ...]:
        """Return the values, or raise when anything at all was lost.

        Errors: NotClean, carrying this admission.
        """
        if self.status is not Status.CLEAN:
            raise NotClean(self)
        return self.values

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values; the form of ``pratique check --format json``."""
        return {
            "contract": self.contract,
            "version": self.version,
            "fingerprint": self.fingerprint,
            "status": self.status.value,
            "truncated": self.truncated,
            "truncation": self.truncation.to_dict() if self.truncation else None,
            "review_required": self.review_required,
            "envelope": to_jsonable_python(self.envelope),
            "envelope_edits": [edit.to_dict() for edit in self.envelope_edits],
            "units": [unit.to_dict() for unit in self.units],
            "quarantined": [unit.to_dict() for unit in self.quarantined],
            "unclaimed": [stretch.to_dict() for stretch in self.unclaimed],
            "findings": [finding.to_dict() for finding in self.findings],
            "counts": dict(self.counts),
        }

    @property
    def refusing_findings(self) -> tuple[Finding, ...]:
        """Every finding that cost something."""
        return tuple(finding for finding in self.all_findings if finding.effect is Effect.REFUSE)
