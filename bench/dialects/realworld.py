"""Every target against the real schemas: each compiled or refused with a reason, each sound instance accepted.

``python -m bench.dialects.realworld`` runs all targets over all schemas (some six minutes) and prints a table. The
suite runs a part of it (``tests/realworld/test_real_dialects.py``).
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import jsonschema_rs

from bench.dialects.instance import text_of
from bench.schemas import LIMITS, Entry, entries, under_a_key
from pratique import Compiled, Contract, Limits, Locality, Misuse, targets
from pratique.dialects.nodes.constraint import OF_THE_LENS
from pratique.testing.oracle import Grammar, Unsupported

__all__ = ["Made", "Outcome", "contracts", "run"]

SAMPLES = 2
"""Texts sampled from each compiled schema."""
WIDE = Limits(max_depth=100, max_string_chars=LIMITS.max_string_chars, max_number_digits=LIMITS.max_number_digits)


@dataclass(slots=True)
class Outcome:
    """What one target made of some schemas."""

    target: str
    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    """Reasons of refusals, by kind."""
    faults: list[str] = field(default_factory=list)
    """Over-constraints, leaks, and values that did not come back: there should be none."""
    unread: list[str] = field(default_factory=list)
    """Compiled schemas that the oracle cannot judge."""


@dataclass(frozen=True, slots=True)
class Made:
    """One real schema as a contract, and its sound instances as units of it."""

    id: str
    contract: Contract[Any]
    instances: tuple[dict[str, Any], ...]


def contracts(schemas: Sequence[Entry]) -> Iterator[Made]:
    """Yield the schemas as contracts of one unit; those that describe no object stand under a key of their own.

    Shape: those that no contract can be made of are left out; ``docs/json-schema.md`` says which and why.
    """
    for entry in schemas:
        sound = [instance for label, instance in entry.tests if label]
        try:
            contract = Contract.from_json_schema(entry.schema, locality=Locality.ONE, limits=WIDE)
        except Misuse:
            try:
                contract = Contract.from_json_schema(under_a_key(entry.schema), locality=Locality.ONE, limits=WIDE)
            except Misuse:
                continue
            sound = [{"value": instance} for instance in sound]
        admitted = [
            instance
            for instance in sound
            if isinstance(instance, dict) and contract.admit(json.dumps(instance)).values == (instance,)
        ]
        yield Made(entry.id, contract, tuple(admitted))


def run(target: str, made: Sequence[Made]) -> Outcome:
    """Hold one target to its laws over some contracts."""
    outcome = Outcome(target)
    for one in made:
        try:
            compiled = one.contract.compile(target)
        except Misuse as refused:
            outcome.refused[_kind(refused.message)] += 1
            continue
        outcome.counts["compiled"] += 1
        if compiled.form == "words" or len(compiled.tools) > 1:
            continue
        try:
            grammar = Grammar(compiled.schema)
        except Unsupported as error:  # the endpoint's own engine keeps what the oracle does not know
            outcome.unread.append(f"{one.id}: {error}")
            continue
        _accepted(one, compiled, grammar, outcome)
        _promised(one, compiled, grammar, outcome)
    return outcome


def _kind(message: str) -> str:
    """Return a reason without the numbers and names in it."""
    reason = message.rpartition(": ")[2]
    return "".join("n" if char.isdigit() else char for char in reason).replace("nn", "n").replace("nn", "n")


def _accepted(one: Made, compiled: Compiled, grammar: Grammar, outcome: Outcome) -> None:
    for instance in one.instances:
        wire = compiled.lens.out(instance)
        written = text_of(wire)
        outcome.counts["instances"] += 1
        if not grammar.accepts(written):
            outcome.faults.append(f"{one.id}: over-constrained: {written[:200]}")
        if compiled.lens.back(wire) != instance:
            outcome.faults.append(f"{one.id}: did not come back: {written[:200]}")
        if compiled.form == "schema" and one.contract.admit(written, compiled=compiled).values != (instance,):
            outcome.faults.append(f"{one.id}: was not admitted: {written[:200]}")


def _promised(one: Made, compiled: Compiled, grammar: Grammar, outcome: Outcome) -> None:
    kept = jsonschema_rs.Draft202012Validator(compiled.promised("unit"), validate_formats=True)
    rng = Random(one.id)
    for _ in range(SAMPLES):
        text = grammar.sample(rng)
        if text is None:
            outcome.counts["samples that found no end"] += 1
            continue
        outcome.counts["samples"] += 1
        if compiled.form == "schema" and one.contract.admit(text, compiled=compiled).values:
            outcome.counts["samples admitted"] += 1
        elif not _keeps(kept, compiled, text):
            outcome.faults.append(f"{one.id}: leaked: {text[:200]}")


def _keeps(kept: Any, compiled: Compiled, text: str) -> bool:
    """Say whether a sample keeps what was promised, or breaks what only the wire's shape has."""
    try:
        return bool(kept.is_valid(compiled.lens.back(json.loads(text))))
    except ValueError:
        return any(row.pointer in OF_THE_LENS for row in compiled.residue)


def main() -> int:
    """Run all targets; print a table, and every fault."""
    started = time.monotonic()
    made = list(contracts(entries()))
    print(f"{len(made):,} contracts in {time.monotonic() - started:.0f} s")
    heads = ("compiled", "refused", "instances", "samples", "admitted", "faults", "s")
    print(f"{'target':<24}" + "".join(f"{head:>10}" for head in heads))
    faults: list[str] = []
    for target in targets():
        began = time.monotonic()
        found = run(target, made)
        counts = found.counts
        figures = (
            counts["compiled"], found.refused.total(), counts["instances"], counts["samples"],
            counts["samples admitted"], len(found.faults), round(time.monotonic() - began),
        )  # fmt: skip
        print(f"{target:<24}" + "".join(f"{figure:>10,}" for figure in figures), flush=True)
        for reason, many in found.refused.most_common():
            print(f"    refused {many}: {reason}")
        for unread in found.unread:
            print(f"    not judged: {unread}")
        faults += [f"{target}: {fault}" for fault in found.faults]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
