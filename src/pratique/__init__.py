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
        Quarantined,
        Status,
        Truncation,
        Unclaimed,
    )
    from pratique.boundary.delivery import Delivery, Producer, ToolCall
    from pratique.boundary.repair import DEFAULT_EDITS
    from pratique.contract import Contract
    from pratique.errors import Code, Effect, Finding, Misuse, Outage, Reason
    from pratique.limits import Limits
    from pratique.terms import AuditOnly, Locality, Reference, note, refuse
    from pratique.text import Span

_HOME = {
    "Admission": "boundary.admission",
    "Admitted": "boundary.admission",
    "AuditOnly": "terms",
    "Claim": "boundary.admission",
    "Code": "errors",
    "Contract": "contract",
    "DEFAULT_EDITS": "boundary.repair",
    "Delivery": "boundary.delivery",
    "Edit": "boundary.admission",
    "Effect": "errors",
    "Finding": "errors",
    "Limits": "limits",
    "Locality": "terms",
    "Misuse": "errors",
    "NotClean": "boundary.admission",
    "Outage": "errors",
    "Producer": "boundary.delivery",
    "Quarantined": "boundary.admission",
    "Reason": "errors",
    "Reference": "terms",
    "Span": "text",
    "Status": "boundary.admission",
    "ToolCall": "boundary.delivery",
    "Truncation": "boundary.admission",
    "Unclaimed": "boundary.admission",
    "note": "terms",
    "refuse": "terms",
}

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_EDITS",
    "Admission",
    "Admitted",
    "AuditOnly",
    "Claim",
    "Code",
    "Contract",
    "Delivery",
    "Edit",
    "Effect",
    "Finding",
    "Limits",
    "Locality",
    "Misuse",
    "NotClean",
    "Outage",
    "Producer",
    "Quarantined",
    "Reason",
    "Reference",
    "Span",
    "Status",
    "ToolCall",
    "Truncation",
    "Unclaimed",
    "note",
    "refuse",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'pratique' has no attribute {name!r}")
    return getattr(importlib.import_module(f"pratique.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
