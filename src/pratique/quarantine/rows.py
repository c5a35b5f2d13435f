"""Rows of the file as values, and values as rows. The one place that knows both.

Neighbours: ``tables`` has the columns, ``columns`` how a text is held in one, ``sqlite`` the queries.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import TypeAlias

from pratique.boundary.delivery import Producer
from pratique.quarantine.columns import (
    calls_from_json,
    edits_from_json,
    findings_from_json,
    from_column,
    head_from_column,
    to_column,
    to_json,
)
from pratique.quarantine.intake import KeptUnit
from pratique.quarantine.record import Detail, KeptDelivery, Overlay, Record, State
from pratique.quarantine.resolution import Kind, Passage, Resolution, Resolved
from pratique.quarantine.tables import state_sql
from pratique.text import Span

__all__ = [
    "DELIVERY_COLUMNS",
    "RECORD_COLUMNS",
    "RESOLVED_COLUMNS",
    "delivery_of",
    "delivery_row",
    "detail_of",
    "insert_sql",
    "overlay_of",
    "record_of",
    "resolved_of",
    "resolved_row",
    "unit_row",
]

Row: TypeAlias = sqlite3.Row

RECORD_COLUMNS = f"""u.seq, u.id, d.id AS delivery, u.unit_index, u.reason, u.code, u.path, u.message, u.span_start,
    u.span_end, u.fingerprint, u.fingerprint_version, u.regressed, u.kept_at, {state_sql(":now")} AS state,
    d.contract, d.version, d.producer, d.model, d.run_id,
    substr(u.raw, 1, CASE typeof(u.raw) WHEN 'text' THEN :snippet ELSE 4 * :snippet END) AS head"""
"""What a list shows of a record; of a BLOB, as many bytes as the snippet can take."""

DELIVERY_COLUMNS = """d.id, d.digest, d.contract, d.version, d.contract_fingerprint, d.producer, d.model, d.run_id,
    d.attempt, d.finish_reason, d.prompt_digest, d.usage, d.ids, d.status, d.truncated, d.seen, d.admitted,
    d.not_kept, d.size_bytes, d.kept_bytes, d.whole, d.kept_at, d.findings, d.admitted_spans, d.tool_calls, d.text"""

RESOLVED_COLUMNS = """u.id AS record, r.round, r.kind, r.reason, r.until, r.grow_by, r.until_units, r.author, r.note,
    r.at, r.replay, r.contract, r.version, r.contract_fingerprint, r.overlay, r.value"""

_STATES = {state.value: state for state in State}
_PRODUCERS = {producer.value: producer for producer in Producer}


def delivery_row(kept: KeptDelivery) -> dict[str, object]:
    """Return what is bound for one delivery."""
    return {
        "id": kept.id, "digest": kept.digest, "contract": to_column(kept.contract),
        "version": to_column(kept.version), "contract_fingerprint": kept.contract_fingerprint,
        "producer": kept.producer.value, "model": to_column(kept.model), "run_id": to_column(kept.run_id),
        "attempt": kept.attempt, "finish_reason": to_column(kept.finish_reason),
        "prompt_digest": to_column(kept.prompt_digest), "usage": to_json(dict(kept.usage)),
        "ids": to_json(dict(kept.ids)), "status": kept.status, "truncated": kept.truncated, "seen": kept.seen,
        "admitted": kept.admitted, "not_kept": kept.not_kept, "size_bytes": kept.size_bytes,
        "kept_bytes": kept.kept_bytes, "whole": kept.whole, "kept_at": kept.kept_at,
        "findings": to_json([finding.to_dict() for finding in kept.findings]),
        "admitted_spans": to_json(kept.admitted_spans),
        "tool_calls": to_json([(call.name, call.arguments, call.id) for call in kept.tool_calls]),
        "text": to_column(kept.text),
    }  # fmt: skip


def unit_row(unit: KeptUnit, *, id: str, delivery: int, regressed: bool, kept_at: float) -> dict[str, object]:
    """Return what is bound for one unit."""
    return {
        "id": id, "delivery": delivery, "unit_index": unit.index, "reason": unit.reason, "code": to_column(unit.code),
        "path": to_column(unit.path), "span_start": unit.span.start, "span_end": unit.span.end,
        "raw_bytes": unit.raw_bytes, "kept_bytes": unit.kept_bytes, "whole": unit.whole,
        "fingerprint": unit.fingerprint, "fingerprint_version": unit.fingerprint_version, "regressed": regressed,
        "kept_at": kept_at, "message": to_column(unit.message), "raw": to_column(unit.raw),
        "findings": to_json([finding.to_dict() for finding in unit.findings]),
        "edits": to_json([edit.to_dict() for edit in unit.edits]), "draft": to_column(unit.draft),
    }  # fmt: skip


def resolved_row(resolved: Resolved, *, unit: int) -> dict[str, object]:
    """Return what is bound for one resolution."""
    said, passage = resolved.resolution, resolved.resolution.passage
    return {
        "unit": unit, "round": resolved.round, "kind": said.kind.value, "reason": to_column(said.reason),
        "until": None if said.until is None else float(said.until), "grow_by": said.grow_by,
        "until_units": resolved.until_units,
        "author": to_column(said.author), "note": to_column(said.note), "at": resolved.at,
        "replay": to_column(passage.replay) if passage else None,
        "contract": to_column(passage.contract) if passage else None,
        "version": to_column(passage.version) if passage else None,
        "contract_fingerprint": passage.contract_fingerprint if passage else None,
        "overlay": passage.overlay if passage else None, "value": passage.values_json if passage else None,
    }  # fmt: skip


def record_of(row: Row, snippet_chars: int) -> Record:
    """Read a record."""
    return Record(
        id=row["id"], delivery=row["delivery"], index=row["unit_index"], reason=row["reason"],
        code=from_column(row["code"]), path=from_column(row["path"]), message=from_column(row["message"]),
        span=Span(row["span_start"], row["span_end"]), snippet=head_from_column(row["head"], snippet_chars),
        fingerprint=row["fingerprint"], fingerprint_version=row["fingerprint_version"],
        regressed=bool(row["regressed"]), state=_STATES[row["state"]], contract=from_column(row["contract"]),
        version=from_column(row["version"]), producer=_PRODUCERS[row["producer"]], model=_optional(row["model"]),
        run_id=_optional(row["run_id"]), kept_at=row["kept_at"],
    )  # fmt: skip


def delivery_of(row: Row) -> KeptDelivery:
    """Read a delivery."""
    return KeptDelivery(
        id=row["id"], digest=row["digest"], contract=from_column(row["contract"]),
        version=from_column(row["version"]), contract_fingerprint=row["contract_fingerprint"],
        producer=Producer(row["producer"]), model=_optional(row["model"]), run_id=_optional(row["run_id"]),
        attempt=row["attempt"], finish_reason=_optional(row["finish_reason"]), usage=json.loads(row["usage"]),
        ids=json.loads(row["ids"]), prompt_digest=_optional(row["prompt_digest"]), status=row["status"],
        truncated=bool(row["truncated"]), seen=row["seen"], admitted=row["admitted"], not_kept=row["not_kept"],
        findings=findings_from_json(row["findings"]), text=from_column(row["text"]),
        tool_calls=calls_from_json(row["tool_calls"]), size_bytes=row["size_bytes"], kept_bytes=row["kept_bytes"],
        whole=bool(row["whole"]),
        admitted_spans=tuple(Span(*span) for span in json.loads(row["admitted_spans"])), kept_at=row["kept_at"],
    )  # fmt: skip


def detail_of(
    row: Row, record: Record, delivery: KeptDelivery, overlays: tuple[Overlay, ...], resolutions: tuple[Resolved, ...]
) -> Detail:
    """Read a record with all that is kept of it."""
    return Detail(
        record=record, delivery=delivery, raw=delivery.body if record.index is None else from_column(row["raw"]),
        raw_bytes=row["raw_bytes"], whole=bool(row["whole"]) if record.index is not None else delivery.whole,
        findings=findings_from_json(row["findings"]), draft=_optional(row["draft"]),
        edits=edits_from_json(row["edits"]), overlays=overlays, resolutions=resolutions,
    )  # fmt: skip


def overlay_of(row: Row) -> Overlay:
    """Read an edit by a person."""
    return Overlay(
        number=row["number"], text=from_column(row["text"]), author=from_column(row["author"]),
        note=from_column(row["note"]), at=row["at"],
    )  # fmt: skip


def resolved_of(row: Row) -> Resolved:
    """Read a resolution."""
    passage = None
    if row["replay"] is not None:
        passage = Passage(
            replay=from_column(row["replay"]), contract=from_column(row["contract"]),
            version=from_column(row["version"]), contract_fingerprint=row["contract_fingerprint"],
            overlay=row["overlay"], values_json=row["value"],
        )  # fmt: skip
    resolution = Resolution(
        kind=Kind(row["kind"]), reason=from_column(row["reason"]), until=row["until"], grow_by=row["grow_by"],
        passage=passage, author=from_column(row["author"]), note=from_column(row["note"]),
    )  # fmt: skip
    return Resolved(
        record=row["record"], round=row["round"], resolution=resolution, at=row["at"], until_units=row["until_units"]
    )


def insert_sql(table: str, row: Mapping[str, object]) -> str:
    """Return the statement that inserts such a row; table and columns are our own words."""
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(':' + name for name in row)})"


def _optional(column: str | bytes | None) -> str | None:
    return None if column is None else from_column(column)
