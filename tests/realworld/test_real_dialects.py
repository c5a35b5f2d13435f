"""Every target against real-world schemas: each is compiled or refused with a reason, and no law is broken.

Each target gets every tenth schema, another tenth each; ``python -m bench.dialects.realworld`` runs them all.
"""

from __future__ import annotations

import os

import pytest
from bench import schemas
from bench.dialects.realworld import Made, contracts, run

from pratique import targets

pytestmark = pytest.mark.slow

SHARE = 10
TARGETS = [target for target in targets() if target != "prompt"]


@pytest.fixture(scope="module")
def made() -> list[Made]:
    """Make contracts of all schemas; skip by name where the data is not there, but not in CI."""
    if not schemas.DATA.exists():
        reason = f"the schemas are not there: {schemas.DATA.name} belongs into shared/data beside this clone"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return list(contracts(schemas.entries()[:: SHARE // 2]))


@pytest.mark.parametrize("target", TARGETS)
def test_each_real_schema_is_compiled_or_refused_with_a_reason(made: list[Made], target: str) -> None:
    """No instance is refused that the contract takes, nothing leaks, nothing fails to come back."""
    part = made[TARGETS.index(target) % 2 :: 2]
    outcome = run(target, part)
    assert outcome.faults == []
    assert outcome.counts["compiled"] + outcome.refused.total() == len(part)
    assert len(outcome.unread) < 3
    assert outcome.counts["instances"] > 100
    assert outcome.counts["samples"] > 100
