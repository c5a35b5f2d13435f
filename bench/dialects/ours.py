"""Pratique in the same harness: ``contract.compile(target)``, judged through what it gives its users."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from bench.dialects.instance import text_of
from bench.dialects.judge import Candidate, Case, codes_of
from pratique import Contract

__all__ = ["TARGETS", "Compiled", "Constraint", "Lens", "candidate_of"]

TARGETS = ("openai/chat", "openai/responses", "anthropic/messages", "google")
"""The endpoints for which there are peers."""


class Lens(Protocol):
    """What is used of a lens."""

    def out(self, value: Any) -> Any:
        """Put a contract's value into the wire's shape."""

    def back(self, value: Any) -> Any:
        """Lead a wire's value back."""


class Constraint(Protocol):
    """What is used of an entry of the residue."""

    @property
    def keyword(self) -> str:
        """The keyword that the endpoint does not enforce."""


class Compiled(Protocol):
    """What is used of a compiled contract."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the request."""

    @property
    def lens(self) -> Lens:
        """The way out and back."""

    @property
    def residue(self) -> Sequence[Constraint]:
        """What the endpoint does not enforce."""


def candidate_of(case: Case, target: str) -> Candidate:
    """Compile a contract for a target.

    Errors: Misuse when it cannot be compiled for it.
    """
    contract: Contract[Any] = case.contract
    compiled = contract.compile(target)
    seen: Compiled = compiled  # all that is used of it

    def back(text: str) -> str:
        return text_of(seen.lens.back(json.loads(text)))

    return Candidate(
        schema=seen.schema,
        strict=True,
        out=seen.lens.out,
        back=back,
        refusal=lambda text: codes_of(contract.admit(text, compiled=compiled)),
        told=frozenset(constraint.keyword for constraint in seen.residue),
    )
