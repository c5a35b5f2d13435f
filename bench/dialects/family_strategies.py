"""The family as Hypothesis strategies: contracts that shrink to plain ones, and sound instances of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bench.dialects.family import SIZE, Spec, random_instance, random_spec
from bench.dialects.fixtures import FIXTURES

__all__ = ["instances", "specs"]


def specs(size: int = SIZE, *, fixtures: bool = True) -> st.SearchStrategy[Spec]:
    """Draw a contract: one by name, or one at random of at most about ``size`` nodes."""
    # A random source that Hypothesis owns: each choice is one that it can shrink towards the plainest.
    sources = st.randoms(use_true_random=False)
    made = st.builds(random_spec, sources, st.integers(min_value=1, max_value=size))
    return made | st.sampled_from(list(FIXTURES.values())) if fixtures else made


def instances(spec: Spec) -> st.SearchStrategy[Any]:
    """Draw a sound instance of a contract, as a JSON value."""
    return st.randoms(use_true_random=False).map(lambda source: random_instance(spec, source))
