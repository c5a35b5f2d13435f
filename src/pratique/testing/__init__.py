"""Conformance kits and fakes: what every store must do, as tests that anybody can run on their own."""

from pratique.testing.clock import FakeClock
from pratique.testing.quarantine import QuarantineConformance

__all__ = ["FakeClock", "QuarantineConformance"]
