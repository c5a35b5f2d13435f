"""Conformance kits, fakes and assertions: what every store must do, as tests that anybody can run on their own."""

import importlib
from typing import TYPE_CHECKING, Any

from pratique.testing.clock import FakeClock
from pratique.testing.quarantine import QuarantineConformance

if TYPE_CHECKING:
    from pratique.testing.dialect import DialectConformance
    from pratique.testing.ledger import LedgerConformance, LedgerMachine
    from pratique.testing.linearizable import linearization
    from pratique.testing.lint import require_lint_clean

__all__ = [
    "DialectConformance",
    "FakeClock",
    "LedgerConformance",
    "LedgerMachine",
    "QuarantineConformance",
    "linearization",
    "require_lint_clean",
]

_LATE = {
    "DialectConformance": "dialect",
    "LedgerConformance": "ledger",
    "LedgerMachine": "ledger",
    "linearization": "linearizable",
    "require_lint_clean": "lint",
}
"""What is loaded when it is asked for: it needs a package, or rooms, that the others do not."""


def __getattr__(name: str) -> Any:
    """Load what is loaded late."""
    if name not in _LATE:
        raise AttributeError(f"module 'pratique.testing' has no attribute {name!r}")
    return getattr(importlib.import_module(f"pratique.testing.{_LATE[name]}"), name)
