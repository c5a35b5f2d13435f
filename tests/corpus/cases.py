"""Read the cases from their directories."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pratique import Admission, Contract, Delivery, Producer, ToolCall

__all__ = ["CASES", "Case"]

ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One delivery and its verdict.

    Shape of ``verdict``: ``status`` and ``truncated`` as they are; ``admitted`` the admitted values, whole and
        in order; ``quarantined`` a list of [reason, [codes that must be among its findings]]; ``edits`` the
        codes of all edits made, sorted, once each (none when left out); ``findings`` codes that must be among
        all findings; ``absent`` codes that must not be; ``envelope`` its value; ``unclaimed`` texts that must
        be unclaimed.
        ``truncated``, ``quarantined``, ``envelope`` and ``unclaimed`` are left out where the rules leave a choice.
    """

    name: str
    raw: bytes
    contract: str
    call: Mapping[str, Any]
    verdict: Mapping[str, Any]
    source: str
    why: str

    @property
    def must_admit(self) -> bool:
        """Whether all of it must be admitted."""
        return str(self.verdict["status"]) == "clean"

    def delivery(self, producer: Producer = Producer.MODEL) -> bytes | Delivery:
        """Return what to admit: bytes, or a delivery when the case has tool calls."""
        calls = self.call.get("tool_calls")
        if calls is None:
            return self.raw
        return Delivery(
            text=self.raw.decode(),
            tool_calls=tuple(ToolCall(call["name"], call["arguments"]) for call in calls),
            finish_reason=self.call.get("finish_reason"),
            producer=producer,
        )

    def admit(self, contract: Contract[Any], producer: Producer = Producer.MODEL) -> Admission[Any]:
        """Put the case before a contract."""
        source = self.delivery(producer)
        references = self.call.get("references")
        if isinstance(source, Delivery):
            return contract.admit(source, references=references)
        return contract.admit(
            source, references=references, finish_reason=self.call.get("finish_reason"), producer=producer
        )


def _load(directory: Path) -> Case:
    told = json.loads((directory / "case.json").read_text(encoding="utf-8"))
    return Case(
        name=f"{directory.parent.name}/{directory.name}",
        raw=(directory / "input.txt").read_bytes(),
        contract=told["contract"],
        call=told.get("call", {}),
        verdict=told["verdict"],
        source=told["source"],
        why=told["why"],
    )


CASES: tuple[Case, ...] = tuple(_load(found.parent) for found in sorted(ROOT.glob("*/*/case.json")))
