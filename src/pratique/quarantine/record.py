"""What is kept of a delivery that did not pass: values, frozen, the same for every store.

A ``Record`` is one refused unit, or one delivery of which nothing was a unit (``index`` is None). It never
changes. What happens to it later stands beside it: overlays (edits by a person) and resolutions.

Neighbours: ``intake`` makes these of an admission, ``store`` says what a store does with them.
Not checked: ``raw``, ``draft``, ``snippet`` and a delivery's text are the producer's; print them through ``show()``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pratique.boundary.admission import Edit
from pratique.boundary.delivery import Delivery, Producer, ToolCall
from pratique.errors import Effect, Finding
from pratique.quarantine.resolution import Resolved
from pratique.text import Span

__all__ = [
    "DELIVERY",
    "Detail",
    "Kept",
    "KeptDelivery",
    "Overlay",
    "Record",
    "State",
]

DELIVERY = "delivery"
"""The reason of a record that stands for a whole delivery: something was lost, and no unit is in quarantine."""


class State(StrEnum):
    """Say where a record stands today."""

    OPEN = "open"
    """Nobody has decided, or a snooze has run out."""
    SNOOZED = "snoozed"
    """Set aside until a time, or until its group has grown."""
    ADMITTED = "admitted"
    """Passed the boundary later, and was handed out. Final."""
    DISCARDED = "discarded"
    """Given up, with a reason. Final."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDelivery:
    """One delivery as it was kept, with all that is known of where it came from.

    Units: ``kept_at`` in seconds since 1970 UTC; sizes in bytes of UTF-8; spans in code points of its body.
    """

    id: str
    """``d-`` and 16 hexadecimal digits."""
    digest: str
    """BLAKE3 of the whole body, also when only its head was kept: ``DeliveryJudged.digest``."""
    contract: str
    version: str
    contract_fingerprint: str
    producer: Producer
    model: str | None
    run_id: str | None
    attempt: int | None
    finish_reason: str | None
    usage: Mapping[str, int]
    ids: Mapping[str, str]
    prompt_digest: str | None
    status: str
    """The admission's status."""
    truncated: bool
    seen: int
    admitted: int
    """Units that were admitted when it came."""
    not_kept: int
    """Refused units of which there is no record: beyond ``max_quarantined``, or a cap of the store was full."""
    findings: tuple[Finding, ...]
    """On the delivery and its envelope; those on a unit are with the unit."""
    text: str
    tool_calls: tuple[ToolCall, ...]
    size_bytes: int
    """Size of the whole body."""
    kept_bytes: int
    whole: bool
    """False: larger than ``max_kept_delivery_bytes``, and ``text`` and ``tool_calls`` are its head; or a stream
    that did not keep its text, and they are what it had at its end."""
    admitted_spans: tuple[Span, ...]
    """Places of the units that were admitted when it came; empty when it was not kept whole."""
    kept_at: float

    @property
    def delivery(self) -> Delivery:
        """The delivery, to be judged again; only its head when it was not kept whole."""
        return Delivery(
            text=self.text, tool_calls=self.tool_calls, finish_reason=self.finish_reason, usage=self.usage,
            producer=self.producer, model=self.model, ids=self.ids,
        )  # fmt: skip

    @property
    def body(self) -> str:
        """The text that spans count in."""
        return self.delivery.body

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "id": self.id, "digest": self.digest, "contract": self.contract, "version": self.version,
            "contract_fingerprint": self.contract_fingerprint, "producer": self.producer.value, "model": self.model,
            "run_id": self.run_id, "attempt": self.attempt, "finish_reason": self.finish_reason,
            "usage": dict(self.usage), "ids": dict(self.ids), "prompt_digest": self.prompt_digest,
            "status": self.status, "truncated": self.truncated, "seen": self.seen, "admitted": self.admitted,
            "not_kept": self.not_kept, "findings": [finding.to_dict() for finding in self.findings],
            "text": self.text,
            "tool_calls": [{"name": c.name, "arguments": c.arguments, "id": c.id} for c in self.tool_calls],
            "size_bytes": self.size_bytes, "kept_bytes": self.kept_bytes, "whole": self.whole,
            "admitted_spans": [list(span) for span in self.admitted_spans], "kept_at": self.kept_at,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One refused unit in a list: where it is from, why, and enough text to recognise it.

    Units: ``kept_at`` in seconds since 1970 UTC; ``span`` in code points of the delivery's body.
    """

    id: str
    """``u-`` and 16 hexadecimal digits."""
    delivery: str
    """Id of its delivery."""
    index: int | None
    """Place among the units seen; None: the record stands for the whole delivery."""
    reason: str
    """A ``Reason``, or ``DELIVERY``."""
    code: str
    """Code of the first finding that refused it."""
    path: str
    """Where, with indices as ``*``."""
    message: str
    """The first finding that refused it."""
    span: Span
    snippet: str
    """Head of the raw text, at most ``limits.max_snippet_chars``."""
    fingerprint: str
    """Id of its group; the algorithm's version is ``fingerprint_version``."""
    fingerprint_version: int
    regressed: bool
    """Its group was wholly resolved when it came: what was thought to be done with is back."""
    state: State
    contract: str
    version: str
    producer: Producer
    model: str | None
    run_id: str | None
    kept_at: float

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "id": self.id, "delivery": self.delivery, "index": self.index, "reason": self.reason, "code": self.code,
            "path": self.path, "message": self.message, "span": list(self.span), "snippet": self.snippet,
            "fingerprint": self.fingerprint, "fingerprint_version": self.fingerprint_version,
            "regressed": self.regressed, "state": self.state.value, "contract": self.contract,
            "version": self.version, "producer": self.producer.value, "model": self.model, "run_id": self.run_id,
            "kept_at": self.kept_at,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """One edit by a person: laid over the raw text, which stays as it was."""

    number: int
    """From 1, in order; the newest counts."""
    text: str
    author: str
    note: str
    at: float

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {"number": self.number, "text": self.text, "author": self.author, "note": self.note, "at": self.at}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One record with all that is kept of it."""

    record: Record
    delivery: KeptDelivery
    raw: str
    """The raw text as it came; the delivery's body when the record stands for the whole delivery."""
    raw_bytes: int
    """Size of the raw text as it came."""
    whole: bool
    """False: the unit was larger than ``max_kept_delivery_bytes`` and ``raw`` is its head."""
    findings: tuple[Finding, ...]
    draft: str | None
    edits: tuple[Edit, ...]
    overlays: tuple[Overlay, ...]
    resolutions: tuple[Resolved, ...]
    """In order; the last one counts."""

    @property
    def overlay(self) -> Overlay | None:
        """The newest edit; None when there is none."""
        return self.overlays[-1] if self.overlays else None

    @property
    def resolved(self) -> Resolved | None:
        """The resolution that stands; None when the record is open."""
        return self.resolutions[-1] if self.resolutions and self.record.state is not State.OPEN else None

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            **self.record.to_dict(),
            "raw": self.raw, "raw_bytes": self.raw_bytes, "whole": self.whole,
            "findings": [finding.to_dict() for finding in self.findings], "draft": self.draft,
            "edits": [edit.to_dict() for edit in self.edits],
            "overlays": [overlay.to_dict() for overlay in self.overlays],
            "resolutions": [resolved.to_dict() for resolved in self.resolutions],
            "delivery": self.delivery.to_dict(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Say what ``keep`` kept of one delivery."""

    delivery: str | None
    """Id of the kept delivery; None when a cap of the store left no room at all."""
    ids: tuple[str, ...]
    """Ids of its records, in the order of the units."""
    not_kept: int
    """Refused units of which there is no record; they are in the overflow counter."""
    again: bool = field(default=False, compare=False)
    """It was kept before, and nothing was written."""


def first_refusing(findings: tuple[Finding, ...]) -> Finding | None:
    """Return the first finding that cost something."""
    return next((finding for finding in findings if finding.effect is Effect.REFUSE), None)
