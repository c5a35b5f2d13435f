"""guardrails-ai: ``Guard.for_pydantic(…).parse`` without a model to ask again."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.peers.peer import Answer, Document, Peer, Read, as_object


def _open() -> Read:
    from bench.peers.unit import Report

    guard: Any = import_module("guardrails").Guard.for_pydantic(Report)

    def read(document: Document) -> Answer:
        # Its schema formatting takes every null out; the caller's own model would put it back as its default.
        outcome = guard.parse(as_object(document), num_reasks=0)
        return Answer(_with_nulls(outcome.validated_output), not outcome.validation_passed or bool(outcome.error))

    return read


def _with_nulls(report: Any) -> Any:
    if isinstance(report, dict):
        for unit in report.get("recommendations") or ():
            if isinstance(unit, dict):
                unit.setdefault("owner", None)
    return report


PEERS = (
    Peer(
        name="guardrails-ai",
        package="guardrails-ai",
        environment="guardrails",
        call="Guard.for_pydantic(Report).parse(text, num_reasks=0)",
        needs=("guardrails",),
        open=_open,
    ),
)
