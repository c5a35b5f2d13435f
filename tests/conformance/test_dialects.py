"""Every target that comes with pratique keeps the conformance kit."""

from __future__ import annotations

import pytest

from pratique import targets
from pratique.dialects.dialect import dialect_of
from pratique.testing import DialectConformance


@pytest.fixture(params=targets(), autouse=True)
def target(request: pytest.FixtureRequest) -> None:
    """Name the dialect of each target in turn."""
    assert request.cls is not None
    request.cls.dialect = dialect_of(request.param)


class TestEveryTarget(DialectConformance):
    """The kit, once a target."""
