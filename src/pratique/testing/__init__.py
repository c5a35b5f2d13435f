"""Conformance kits and fakes: what every store must do, as tests that anybody can run on their own."""

import importlib
from typing import TYPE_CHECKING, Any

from pratique.testing.clock import FakeClock
from pratique.testing.quarantine import QuarantineConformance

if TYPE_CHECKING:
    from pratique.testing.dialect import DialectConformance

__all__ = ["DialectConformance", "FakeClock", "QuarantineConformance"]


def __getattr__(name: str) -> Any:
    """Load the kit of dialects when it is asked for: it needs a package that the others do not."""
    if name != "DialectConformance":
        raise AttributeError(f"module 'pratique.testing' has no attribute {name!r}")
    return importlib.import_module("pratique.testing.dialect").DialectConformance
