"""One trial: a peer, or pratique, over every contract of the run; what comes of it is a tally."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from random import Random
from typing import Any

from bench.dialects.family import random_spec
from bench.dialects.fixtures import FIXTURES
from bench.dialects.judge import Candidate, Case, Score, case_of, codes_of, judge, not_compiled, told_in, unwrapped
from bench.dialects.ours import TARGETS, candidate_of
from bench.dialects.peers.asking import Answer, ask, place_of
from bench.dialects.peers.peer import Peer
from bench.dialects.readable import from_openapi
from bench.dialects.spec import Spec
from bench.peers.environments import python_of
from pratique import Misuse, Outage
from pratique.dialects.dialect import dialect_of

__all__ = [
    "FAMILIES",
    "NAMED_TIMES",
    "OURS",
    "Conditions",
    "Tally",
    "as_json",
    "contestants",
    "peer_of",
    "run",
    "specs_of",
]

OURS = "pratique"
FAMILIES = ("anthropics", "openais", "googles", "pydantic_ais", "litellms", "instructors", "langchains")
"""The modules under ``bench/dialects/peers`` that hold peers."""
NAMED_TIMES = 5
"""Instances of a contract by name for one of a random contract: there are few, and each is told on its own."""
MAX_REFUSAL_CHARS = 90
"""Of a peer's reason to refuse, by which refusals are grouped."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What every contestant is run under."""

    folder: Path
    specs: int
    instances: int
    samples: int
    sample_chars: int
    seed: int
    answers_s: float


@dataclass(slots=True)
class Tally:
    """What came of one contestant."""

    name: str
    target: str
    package: str = ""
    version: str = ""
    call: str = ""
    reason: str = ""
    """Why it did not run; empty when it did."""
    random: Score = field(default_factory=Score)
    named: Score = field(default_factory=Score)
    """The same over the fixtures."""
    by_fixture: dict[str, str] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        """Whether it was put to the test."""
        return not self.reason

    @property
    def total(self) -> Score:
        """Return random contracts and fixtures together."""
        score = Score()
        score.add(self.random)
        score.add(self.named)
        return score


def contestants() -> list[tuple[str, str]]:
    """Return (module, name) of everybody: pratique for each target, with no module, then the peers."""
    ours = [("", f"{OURS} ({target})") for target in TARGETS]
    peers = [
        (f"bench.dialects.peers.{family}", peer.name)
        for family in FAMILIES
        for peer in import_module(f"bench.dialects.peers.{family}").PEERS
    ]
    return ours + peers


def peer_of(module: str, name: str) -> Peer:
    """Return a peer by its module and name."""
    peer: Peer = next(peer for peer in import_module(module).PEERS if peer.name == name)
    return peer


def specs_of(conditions: Conditions) -> list[Spec]:
    """Return the contracts of a run: those by name, then random ones."""
    return [*FIXTURES.values(), *(random_spec(Random(conditions.seed + at)) for at in range(conditions.specs))]


def run(module: str, name: str, conditions: Conditions) -> Tally:
    """Put one contestant to the test.

    Errors: one that cannot start has the reason in its tally; nothing is raised for it.
    """
    specs = specs_of(conditions)
    if not module:
        target = name.removeprefix(f"{OURS} (").removesuffix(")")
        tally = Tally(name, target, package=OURS, version=metadata.version(OURS), call=f'contract.compile("{target}")')
        return _judged(tally, specs, [None] * len(specs), conditions)
    peer = peer_of(module, name)
    tally = Tally(name, peer.target, package=peer.package, call=peer.call)
    if not python_of(conditions.folder, place_of(peer.environment)).exists():
        tally.reason = "its environment is missing: run with --install"
        return tally
    log = conditions.folder / f"{place_of(module.rpartition('.')[2])}.log"
    try:
        tally.version, answers = ask(
            module, peer, specs, folder=conditions.folder, answers_s=conditions.answers_s, log=log
        )
    except Outage as outage:
        tally.reason = str(outage)
        return tally
    return _judged(tally, specs, answers, conditions)


def _judged(tally: Tally, specs: Sequence[Spec], answers: Sequence[Answer | None], conditions: Conditions) -> Tally:
    for at, (spec, answer) in enumerate(zip(specs, answers, strict=True)):
        instances = conditions.instances * (NAMED_TIMES if at < len(FIXTURES) else 1)
        case = case_of(spec, Random(conditions.seed + 7 * at), instances)
        if answer is None:
            score = _of_ours(case, tally.target, conditions, at)
        elif answer.error:
            score = not_compiled(_reason(answer.error))
        else:
            score = _of_peer(case, answer, tally.target, conditions, at)
        if at < len(FIXTURES):
            tally.named.add(score)
            tally.by_fixture[spec["name"]] = _verdict(score)
        else:
            tally.random.add(score)
    return tally


def _of_ours(case: Case, target: str, conditions: Conditions, at: int) -> Score:
    try:
        candidate = candidate_of(case, target)
    except Misuse as misuse:
        return not_compiled(_reason(f"Misuse: {misuse}"))
    return _tried(case, candidate, target, conditions, at)


def _of_peer(case: Case, answer: Answer, target: str, conditions: Conditions, at: int) -> Score:
    out, back = unwrapped(case.spec)
    schema = answer.schema if target else from_openapi(answer.schema)
    candidate = Candidate(
        schema=schema,
        strict=answer.strict,
        out=out,
        back=back,
        refusal=lambda text: codes_of(case.contract.admit(back(text))),
        told=told_in(schema, case.own),
        warned=bool(answer.warnings),
    )
    return _tried(case, candidate, target, conditions, at)


def _tried(case: Case, candidate: Candidate, target: str, conditions: Conditions, at: int) -> Score:
    return judge(
        case,
        candidate,
        Random(conditions.seed + 13 * at),
        samples=conditions.samples,
        profile=dialect_of(target).profile if target else None,
        sample_chars=conditions.sample_chars,
    )


def _reason(words: str) -> str:
    """Shorten a refusal to its first line, so that like ones fall together."""
    return words.split("\n")[0][:MAX_REFUSAL_CHARS]


def _verdict(score: Score) -> str:
    """Say in a few words what became of one contract."""
    if not score.compiled:
        return "not compiled"
    faults = []
    if not score.strict:
        faults.append("not strict")
    if score.forbidden:
        faults.append("400: " + ", ".join(sorted(score.forbidden)))
    if score.unread:
        faults.append("unreadable")
    if score.over:
        faults.append(f"refuses {score.over} of {score.pairs}")
    if score.leaks > score.leaks_told:
        faults.append("leaks " + ", ".join(sorted(score.leaking)))
    return "; ".join(faults) or "whole"


def as_json(tally: Tally) -> dict[str, Any]:
    """Return a tally as plain JSON values."""
    scores = {
        part: {name: getattr(score, name) for name in Score.__slots__ if name != "examples"}
        for part, score in {"random": tally.random, "named": tally.named}.items()
    }
    told = {
        name: getattr(tally, name) for name in ("name", "target", "package", "version", "call", "reason", "by_fixture")
    }
    return {**told, **json.loads(json.dumps(scores))}
