"""Turn an admission into what is to be kept of it. A pure function: every store keeps the same.

Refuses nothing; bounds everything. Neighbours: ``record`` has the values, the stores write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from blake3 import blake3

from pratique.boundary.admission import Admission, Edit, Quarantined, Status
from pratique.boundary.delivery import DECLINED, Delivery, Producer, ToolCall
from pratique.errors import Finding, Misuse
from pratique.limits import Limits
from pratique.quarantine.fingerprint import VERSION, fingerprint_of, starred
from pratique.quarantine.record import DELIVERY, KeptDelivery, first_refusing
from pratique.show import show
from pratique.text import Span

__all__ = ["Intake", "KeptUnit", "intake_of", "record_ids"]

MAX_FIELD_CHARS = 4_000
"""A model's name, a finish reason, a run id, characters: real ones have dozens, and some come from a provider."""


MAX_IDS = 100
"""Ids kept of one delivery: a trace has a handful, and they are written by whoever calls."""

MAX_USAGES = 100
"""Counts of tokens kept of one delivery: providers name a dozen."""

MAX_USAGE_TOKENS = 2**63
"""A count of tokens is below this: what a column of a database holds; a larger one counts nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUnit:
    """One refused unit as it goes into a store."""

    index: int | None
    reason: str
    code: str
    path: str
    message: str
    span: Span
    raw: str
    """Its head, when it was too large; of a whole delivery, the first ``max_snippet_chars``."""
    raw_bytes: int
    kept_bytes: int
    whole: bool
    findings: tuple[Finding, ...]
    draft: str | None
    edits: tuple[Edit, ...]
    fingerprint: str
    fingerprint_version: int = VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """What is to be kept of one admission; ids and the time are the store's to give."""

    delivery: KeptDelivery
    """With ``id`` empty, ``kept_at`` 0, and ``not_kept`` as the admission told."""
    units: tuple[KeptUnit, ...]

    @property
    def told_apart(self) -> bool:
        """Whether it is known which run and attempt it is, so that it is kept once."""
        return self.delivery.run_id is not None and self.delivery.attempt is not None

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes a delivery the same one."""
        kept = self.delivery
        return (kept.digest, kept.contract_fingerprint, kept.run_id, kept.attempt)


def intake_of(
    admission: Admission[Any], limits: Limits, *, run_id: str | None, attempt: int | None, prompt_digest: str | None
) -> Intake | None:
    """Say what is to be kept of an admission; None when nothing was refused.

    Limits: ``limits.max_kept_delivery_bytes`` of the delivery, and of each unit.
    Errors: Misuse when the run or the attempt is nothing of the kind.
    """
    _require_provenance(run_id, attempt, prompt_digest)
    if admission.status in (Status.CLEAN, Status.EMPTY):
        return None  # a refusing finding would have made it partial or lost
    quarantined = admission.quarantined
    if quarantined:
        units = tuple(_unit(admission.contract, unit, limits) for unit in quarantined)
    else:
        units = (_whole_delivery(admission, limits),)
    delivery = _delivery(admission, limits, run_id=run_id, attempt=attempt, prompt_digest=prompt_digest)
    return Intake(delivery=delivery, units=units)


def record_ids(seq: int, intake: Intake) -> tuple[str, tuple[str, ...]]:
    """Return the ids of a delivery and of its records; ``seq`` counts the deliveries that a store ever kept."""
    identity = "\x1f".join(map(repr, (seq, *intake.identity)))
    delivery = "d-" + _short(identity)
    return delivery, tuple("u-" + _short(f"{delivery}\x1f{unit.index}") for unit in intake.units)


def size_of(text: str) -> int:
    """Return the size of a text in bytes of UTF-8, lone surrogates counted too."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def head_of(text: str, max_bytes: int) -> str:
    """Return the head of a text that fits into so many bytes of UTF-8; whole characters only."""
    if len(text) * 4 <= max_bytes:
        return text
    encoded = text[: max_bytes + 1].encode("utf-8", "surrogatepass")
    if len(encoded) <= max_bytes:
        return text
    end = max_bytes
    while end and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return encoded[:end].decode("utf-8", "surrogatepass")


def _short(text: str) -> str:
    return blake3(text.encode("utf-8", "surrogatepass")).hexdigest(length=8)


def _require_provenance(run_id: object, attempt: object, prompt_digest: object) -> None:
    """Refuse what cannot name a run."""
    for name, said in (("run_id", run_id), ("prompt_digest", prompt_digest)):
        if said is not None and (not isinstance(said, str) or len(said) > MAX_FIELD_CHARS):
            raise Misuse(
                f"{name} must be text of at most {MAX_FIELD_CHARS:,} characters",
                remedy=f"leave {name} out when not told",
            )
    if attempt is not None and (isinstance(attempt, bool) or not isinstance(attempt, int) or abs(attempt) >= 2**63):
        raise Misuse("attempt must be a whole number", remedy="count attempts from 1, or leave it out")


def _unit(contract: str, unit: Quarantined, limits: Limits) -> KeptUnit:
    first = first_refusing(unit.findings)
    code, path, message = _told(first)
    raw = head_of(unit.raw, limits.max_kept_delivery_bytes)
    draft = unit.draft
    if draft is not None and size_of(draft) > limits.max_kept_delivery_bytes:
        draft = None  # a head of a draft is no reading of anything
    return KeptUnit(
        index=unit.index, reason=unit.reason.value, code=code, path=path, message=message, span=unit.span, raw=raw,
        raw_bytes=size_of(unit.raw),
        kept_bytes=size_of(raw) + size_of(draft or "") + _findings_bytes(unit.findings) + _edits_bytes(unit.edits),
        whole=len(raw) == len(unit.raw), findings=unit.findings, draft=draft, edits=unit.edits,
        fingerprint=fingerprint_of(contract, unit.reason.value, code, path, message),
    )  # fmt: skip


def _whole_delivery(admission: Admission[Any], limits: Limits) -> KeptUnit:
    """Stand one record for a delivery of which no unit is in quarantine."""
    findings = tuple(_at_most(admission.refusing_findings)) or (DECLINED.finding("the producer declined in-band"),)
    code, path, message = _told(findings[0])
    body = admission.delivery.body
    head = body[: limits.max_snippet_chars]
    return KeptUnit(
        index=None, reason=DELIVERY, code=code, path=path, message=message, span=Span(0, len(body)), raw=head,
        raw_bytes=admission.body_bytes, kept_bytes=size_of(head) + _findings_bytes(findings),
        whole=not _is_forgotten(admission), findings=findings, draft=None, edits=(),
        fingerprint=fingerprint_of(admission.contract, DELIVERY, code, path, message),
    )  # fmt: skip


def _told(finding: Finding | None) -> tuple[str, str, str]:
    return ("", "$", "") if finding is None else (finding.code, starred(finding.path), finding.message)


MAX_DELIVERY_FINDINGS = 1_000
"""Findings kept of one delivery: as many as units; the first ones, by place."""


def _at_most(findings: Iterable[Finding]) -> Sequence[Finding]:
    return tuple(findings)[:MAX_DELIVERY_FINDINGS]


def _delivery(
    admission: Admission[Any], limits: Limits, *, run_id: str | None, attempt: int | None, prompt_digest: str | None
) -> KeptDelivery:
    came = admission.delivery
    text, calls, whole = _bounded(came, limits.max_kept_delivery_bytes)
    whole = whole and not _is_forgotten(admission)
    usage, ids, findings = _usage(came), _ids(came), tuple(_at_most(admission.findings))
    kept = size_of(text) + sum(map(_call_bytes, calls)) + _findings_bytes(findings)
    kept += _json_bytes(usage) + _json_bytes(ids)
    counts = admission.counts
    return KeptDelivery(
        id="", digest=admission.body_digest,
        contract=admission.contract, version=admission.version, contract_fingerprint=admission.fingerprint,
        producer=_producer(came), model=_field(came.model), run_id=run_id, attempt=attempt,
        finish_reason=_field(came.finish_reason), usage=usage, ids=ids, prompt_digest=prompt_digest,
        status=admission.status.value, truncated=admission.truncated, seen=admission.seen,
        admitted=counts["admitted"], not_kept=counts["not_kept"], findings=findings, text=text, tool_calls=calls,
        size_bytes=admission.body_bytes, kept_bytes=kept, whole=whole,
        admitted_spans=tuple(sorted(unit.span for unit in admission.units)) if whole else (),
        kept_at=0.0,
    )  # fmt: skip


def _is_forgotten(admission: Admission[Any]) -> bool:
    """Say whether a stream did not keep all of its text; spans are then places in what came, not in what is here."""
    if admission.released:
        return True
    return admission.measured is not None and admission.body_bytes != size_of(admission.delivery.body)


def _ids(came: Delivery) -> dict[str, str]:
    """Bound the ids: so many, each so long."""
    said = islice(came.ids.items(), MAX_IDS)
    return {_word(name): _word(id) for name, id in said}


def _usage(came: Delivery) -> dict[str, int]:
    """Bound the usage: so many counts; what is no count of tokens is left out."""
    said = islice(came.usage.items(), MAX_USAGES)
    return {
        _word(name): count
        for name, count in said
        if isinstance(count, (int, float)) and -MAX_USAGE_TOKENS < count < MAX_USAGE_TOKENS
    }


def _word(said: object) -> str:
    return _field(str(said)) or ""


def _json_bytes(value: object) -> int:
    """Return what a value costs as JSON in ASCII: so the file keeps it, and the store in memory counts alike."""
    return len(json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=str))


def _findings_bytes(findings: Sequence[Finding]) -> int:
    return _json_bytes([finding.to_dict() for finding in findings])


def _edits_bytes(edits: Sequence[Edit]) -> int:
    return _json_bytes([edit.to_dict() for edit in edits])


def _producer(came: Delivery) -> Producer:
    """Read who delivered; a delivery made by hand may hold any word."""
    try:
        return Producer(came.producer)
    except ValueError as error:
        raise Misuse(f"no producer is called {show(came.producer)}", remedy="use model, agent or person") from error


def _field(said: str | None) -> str | None:
    """Bound a word of the provider; the mark at its end keeps a cut finish reason unknown."""
    return said if said is None or len(said) <= MAX_FIELD_CHARS else said[:MAX_FIELD_CHARS] + "…"


def _call_bytes(call: ToolCall) -> int:
    """Return what a call costs to keep: names and ids come from the producer too."""
    return size_of(call.name) + size_of(call.arguments) + size_of(call.id or "") + 1


def _bounded(came: Delivery, max_bytes: int) -> tuple[str, tuple[ToolCall, ...], bool]:
    """Keep the head of a delivery: its text, then its calls, as far as they fit."""
    text = head_of(came.text, max_bytes)
    if len(text) < len(came.text):
        return text, (), False
    room = max_bytes - size_of(text)
    calls: list[ToolCall] = []
    for call in came.tool_calls:
        cost = _call_bytes(call)
        if cost > room:
            spare = room - (cost - size_of(call.arguments))
            if spare > 0:
                calls.append(ToolCall(call.name, head_of(call.arguments, spare), call.id))
            return text, tuple(calls), False
        calls.append(call)
        room -= cost
    return text, tuple(calls), True
