"""How long linting takes: 1,000 contracts of 50 fields, all rules, with and without endpoints.

Run: ``python -m bench.lint.speed [--contracts N] [--fields N]``. Each contract is a model of its own, made afresh, with
text, numbers, choices, lists, an object and a union; making them is timed apart: that is pydantic's work and ours on
terms, which any program has that uses contracts.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from datetime import date
from time import perf_counter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from pratique import Contract, Limits
from pratique.lint import lint
from pratique.lint.book import rules
from pratique.lint.rule import Settings
from pratique.lint.sources.objects import subject_of

__all__ = ["main"]

TARGETS: tuple[tuple[str, ...], ...] = ((), ("anthropic/messages",), ("all",))
SLOWEST = 5
"""Rules that are shown with their own time."""


class Cat(BaseModel):
    """One arm."""

    kind: Literal["cat"]
    name: str


class Dog(BaseModel):
    """The other one."""

    kind: Literal["dog"]
    weight: int


_KINDS: tuple[Any, ...] = (
    Annotated[str, Field(max_length=200, description="What it is called, as people say it.")],
    Annotated[int, Field(ge=0, le=1_000)],
    Literal["low", "medium", "high"],
    bool,
    Annotated[list[str], Field(max_length=5)],
    str | None,
    Annotated[Cat | Dog, Field(discriminator="kind")],
)


def contract_of(number: int, fields: int) -> Contract[Any]:
    """Make one contract of many fields, unlike the others."""
    made = {f"field_{number}_{index}": (_KINDS[(number + index) % len(_KINDS)], ...) for index in range(fields)}
    model = create_model(f"Model{number}", **made)  # type: ignore[call-overload]  # its fields are made here
    return Contract.items(model, limits=Limits(max_items=20))


def main(words: Sequence[str] | None = None) -> int:
    """Print one line a run, then the slowest rules."""
    parser = argparse.ArgumentParser(prog="python -m bench.lint.speed", description=__doc__.partition("\n")[0])
    parser.add_argument("--contracts", type=int, default=1_000)
    parser.add_argument("--fields", type=int, default=50)
    asked = parser.parse_args(words)
    print(f"{date.today()}; Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    began = perf_counter()
    contracts = [contract_of(number, asked.fields) for number in range(asked.contracts)]
    print(f"{asked.contracts:,} contracts of {asked.fields} fields; made in {perf_counter() - began:.2f} s")
    for target in TARGETS:
        began = perf_counter()
        report = lint(*contracts, target=target)
        took = perf_counter() - began
        each = took / (asked.contracts * asked.fields) * 1e6
        found = sum(report.counts.values())
        print(
            f"target {', '.join(target) or 'none'}: {took:.2f} s, {each:.0f} us a field, {found:,} findings", flush=True
        )
    _by_rule(contracts)
    return 0


def _by_rule(contracts: Sequence[Contract[Any]]) -> None:
    """Time each rule alone, on schemas that are read already."""
    subjects = [subject_of(contract) for contract in contracts]
    for subject in subjects:
        for part in subject.parts:
            _ = part.view.spots
    times = {}
    for rule in rules():
        began = perf_counter()
        for subject in subjects:
            for _ in rule.check(subject, Settings()):
                pass
        times[rule.code] = perf_counter() - began
    slowest = sorted(times, key=lambda code: -times[code])[:SLOWEST]
    print("slowest rules: " + ", ".join(f"{code} {times[code]:.2f} s" for code in slowest))


if __name__ == "__main__":
    sys.exit(main())
