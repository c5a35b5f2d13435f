"""Time that stands still until a test moves it."""

from __future__ import annotations

__all__ = ["FakeClock"]


class FakeClock:
    """Give the time that a test says; it moves when the test moves it."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return seconds since 1970 UTC."""
        return self.now

    def move(self, seconds: float) -> None:
        """Let time pass, or go back."""
        self.now += seconds
