"""pratique: the trust boundary between untrusted producers and strict consumers.

The names below are loaded when first used, so that ``pratique --help`` does not wait for a validator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pratique.boundary.admission import (
        Admission,
        Admitted,
        Claim,
        Edit,
        NotClean,
        Provisional,
        Quarantined,
        Status,
        Truncation,
        Unclaimed,
    )
    from pratique.boundary.chunk import Chunk, anthropic_chunks, openai_chunks
    from pratique.boundary.delivery import Delivery, Producer, ToolCall
    from pratique.boundary.release import Hold, Release
    from pratique.boundary.repair import DEFAULT_EDITS
    from pratique.boundary.stream import Stream
    from pratique.contract import Contract
    from pratique.dialects.compiling import Compiled
    from pratique.dialects.dialect import targets
    from pratique.dialects.nodes.constraint import Constraint, Fate
    from pratique.errors import Code, Effect, Finding, Misuse, Outage, Reason
    from pratique.limits import Limits
    from pratique.terms import AuditOnly, Locality, Reference, note, refuse
    from pratique.text import Span

_HOME = {
    "Admission": "boundary.admission",
    "Admitted": "boundary.admission",
    "AuditOnly": "terms",
    "Chunk": "boundary.chunk",
    "Claim": "boundary.admission",
    "Code": "errors",
    "Compiled": "dialects.compiling",
    "Constraint": "dialects.nodes.constraint",
    "Contract": "contract",
    "DEFAULT_EDITS": "boundary.repair",
    "Delivery": "boundary.delivery",
    "Edit": "boundary.admission",
    "Effect": "errors",
    "Fate": "dialects.nodes.constraint",
    "Finding": "errors",
    "Hold": "boundary.release",
    "Limits": "limits",
    "Locality": "terms",
    "Misuse": "errors",
    "NotClean": "boundary.admission",
    "Outage": "errors",
    "Producer": "boundary.delivery",
    "Provisional": "boundary.admission",
    "Quarantined": "boundary.admission",
    "Reason": "errors",
    "Reference": "terms",
    "Release": "boundary.release",
    "Span": "text",
    "Status": "boundary.admission",
    "Stream": "boundary.stream",
    "ToolCall": "boundary.delivery",
    "Truncation": "boundary.admission",
    "Unclaimed": "boundary.admission",
    "anthropic_chunks": "boundary.chunk",
    "note": "terms",
    "openai_chunks": "boundary.chunk",
    "refuse": "terms",
    "targets": "dialects.dialect",
}

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_EDITS",
    "Admission",
    "Admitted",
    "AuditOnly",
    "Chunk",
    "Claim",
    "Code",
    "Compiled",
    "Constraint",
    "Contract",
    "Delivery",
    "Edit",
    "Effect",
    "Fate",
    "Finding",
    "Hold",
    "Limits",
    "Locality",
    "Misuse",
    "NotClean",
    "Outage",
    "Producer",
    "Provisional",
    "Quarantined",
    "Reason",
    "Reference",
    "Release",
    "Span",
    "Status",
    "Stream",
    "ToolCall",
    "Truncation",
    "Unclaimed",
    "anthropic_chunks",
    "note",
    "openai_chunks",
    "refuse",
    "targets",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'pratique' has no attribute {name!r}")
    return getattr(importlib.import_module(f"pratique.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
