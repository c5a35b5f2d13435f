"""Both quarantine stores keep the protocol; the kit is public, so a store of somebody else's can be held to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pratique import Limits
from pratique.quarantine import MemoryQuarantine, QuarantineStore, Retention, SqliteQuarantine
from pratique.testing import QuarantineConformance


class TestMemoryQuarantine(QuarantineConformance):
    """The store in memory."""

    def make_store(
        self, *, clock: Callable[[], float], retention: Retention | None = None, limits: Limits | None = None
    ) -> QuarantineStore:
        """Make an empty one."""
        return MemoryQuarantine(clock=clock, retention=retention, limits=limits)


class TestSqliteQuarantine(QuarantineConformance):
    """The store in a file."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        self.folder = tmp_path
        self.made: list[SqliteQuarantine] = []
        yield
        for store in self.made:
            store.close()

    def make_store(
        self, *, clock: Callable[[], float], retention: Retention | None = None, limits: Limits | None = None
    ) -> QuarantineStore:
        """Make an empty one, in a file of its own."""
        path = self.folder / f"quarantine-{len(self.made)}.db"
        store = SqliteQuarantine(path, clock=clock, retention=retention, limits=limits)
        self.made.append(store)
        return store


class TestTheKitCanFail:
    """A store that breaks a rule is seen."""

    def test_a_store_that_forgets_is_seen(self) -> None:
        """It says that it kept, and keeps nothing."""

        class Forgetful(MemoryQuarantine):
            def keep(self, *_: object, **__: object) -> None:
                return None

        class Kit(QuarantineConformance):
            def make_store(self, **options: object) -> QuarantineStore:
                return Forgetful(**options)  # type: ignore[arg-type]  # whatever the kit gives

        with pytest.raises(AssertionError):
            Kit().test_every_refused_unit_is_kept_with_its_place_and_reason()

    def test_a_store_that_resolves_twice_is_seen(self) -> None:
        """It merges the second decision into the first."""

        class Lenient(MemoryQuarantine):
            def _standing(self, entry):  # type: ignore[no-untyped-def]  # wrong on purpose
                from dataclasses import replace

                from pratique.quarantine import State

                return replace(super()._standing(entry), state=State.OPEN)

        class Kit(QuarantineConformance):
            def make_store(self, **options: object) -> QuarantineStore:
                return Lenient(**options)  # type: ignore[arg-type]  # whatever the kit gives

        with pytest.raises(AssertionError, match="AlreadyResolved was not raised"):
            Kit().test_a_record_is_resolved_at_most_once()
