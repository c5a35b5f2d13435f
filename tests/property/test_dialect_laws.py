"""Laws: what a target is asked for is the contract, no narrower and, but for the residue, no wider.

For generated contracts in every locality, and every target, with llguidance as the judge of schemas. ``dialects.laws``
says each law; ``bench/dialects`` runs more contracts, and the peers beside them.
"""

from __future__ import annotations

from random import Random

import pytest
from bench.dialects.family import random_spec
from bench.dialects.family_strategies import specs
from bench.dialects.fixtures import FIXTURES
from bench.dialects.spec import Spec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialects.cases import FORMS, SCHEMA_TARGETS, TOOL_TARGETS, case_of
from dialects.laws import require_accepted, require_kept_keywords, require_promises, require_same_in_pieces

CONTRACTS = 40
"""Generated contracts a target and law."""
WIDE = st.integers(min_value=0, max_value=10**6).map(lambda number: random_spec(Random(number)))
"""Contracts of any shape: what Hypothesis draws by itself stays near the plain ones."""
ANY = specs() | WIDE
TARGETS = pytest.mark.parametrize("target", SCHEMA_TARGETS)
SLOWLY = settings(max_examples=CONTRACTS, deadline=None, suppress_health_check=list(HealthCheck))
SOURCES = st.randoms(use_true_random=False)


@TARGETS
@SLOWLY
@given(spec=ANY, form=st.sampled_from(FORMS), rng=SOURCES)
def test_each_valid_document_is_accepted_and_comes_back(target: str, spec: Spec, form: str, rng: Random) -> None:
    """Over-constraint is 0, the lens takes nothing and adds nothing, no keyword stands that is not kept."""
    case = case_of(spec, form, rng)
    require_accepted(case, target)
    require_kept_keywords(case, target)


@TARGETS
@SLOWLY
@given(spec=ANY, rng=SOURCES)
def test_what_a_target_can_write_is_admitted_or_breaks_a_declared_residue(target: str, spec: Spec, rng: Random) -> None:
    """Undeclared leaks are 0: what comes back keeps all that was told as enforced."""
    require_promises(case_of(spec, "one", rng, 1), target, rng)


@pytest.mark.parametrize("target", TOOL_TARGETS)
@SLOWLY
@given(spec=ANY, form=st.sampled_from(("one", "bare", "batch", "envelope")), rng=SOURCES)
def test_each_valid_document_can_be_called(target: str, spec: Spec, form: str, rng: Random) -> None:
    """The same of tools: one a variant, or one for the whole."""
    require_accepted(case_of(spec, form, rng), target, "tools")


@pytest.mark.parametrize("target", ["anthropic/messages", "openai/chat", "portable"])
@SLOWLY
@given(spec=ANY, form=st.sampled_from(FORMS), rng=SOURCES)
def test_a_stream_in_wire_shape_gives_what_the_whole_gives(target: str, spec: Spec, form: str, rng: Random) -> None:
    """The lens works unit by unit, so a stream needs no more than a unit."""
    require_same_in_pieces(case_of(spec, form, rng, 1), target, rng)


@TARGETS
@pytest.mark.parametrize("name", sorted(FIXTURES))
def test_the_named_contracts_keep_every_law(target: str, name: str) -> None:
    """The four plans, the exec step in both forms, and what compilers are known to break on."""
    rng = Random(name)
    case = case_of(FIXTURES[name], "one", rng, 5)
    require_accepted(case, target)
    require_kept_keywords(case, target)
    require_promises(case, target, rng)
