"""Contracts of the generated family in every locality and form, each with deliveries that it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from bench.dialects.instance import random_instance, text_of
from bench.dialects.model import model_of
from bench.dialects.spec import Spec
from pydantic import BaseModel

from pratique import Compiled, Contract, Delivery, Limits, Locality, Misuse, Status, ToolCall, targets

__all__ = ["FORMS", "SCHEMA_TARGETS", "TOOL_TARGETS", "Case", "case_of", "compiled_for", "delivery_of"]

LIMITS = Limits(max_depth=60, max_string_chars=100_000)
"""The family's values go deeper than the default: depth is the boundary's rule, not what is looked at here."""

TOOL_TARGETS = tuple(target for target in targets() if target in ("anthropic/tools", "openai/chat", "bedrock/converse"))
SCHEMA_TARGETS = tuple(target for target in targets() if target != "prompt")
FORMS = ("one", "items", "bare", "envelope", "deep", "batch")


class Deep(BaseModel):
    """A part of an envelope."""

    words: dict[str, str]


class Envelope(BaseModel):
    """What stands around a list: with an absent, a null and a free-keyed part."""

    total: int = 0
    notes: dict[str, int] | None = None
    deep: Deep | None = None


class Box(BaseModel):
    """An object in which the list stands."""


class Outer(BaseModel):
    """An envelope whose list stands a level deeper."""

    box: Box
    tags: dict[str, int]


@dataclass(frozen=True, slots=True)
class Case:
    """One contract with deliveries that it admits whole."""

    contract: Contract[Any]
    documents: tuple[Any, ...]
    units: tuple[tuple[Any, ...], ...]
    """The units of each document."""


def case_of(spec: Spec, form: str, rng: Random, many: int = 2) -> Case:
    """Make the contract of a spec in one form, and deliveries for it."""
    unit: Any = model_of(spec)
    contract: Contract[Any]
    if form == "one":
        contract = Contract.one(unit, limits=LIMITS, name="contract")
    elif form == "bare":
        contract = Contract.items(unit, limits=LIMITS, name="contract")
    elif form == "batch":
        contract = Contract.batch(unit, at="commands", limits=LIMITS, name="contract")
    elif form == "items":
        contract = Contract.items(unit, at="units", limits=LIMITS, name="contract")
    elif form == "envelope":
        contract = Contract.items(unit, at="units", envelope=Envelope, limits=LIMITS, name="contract")
    else:
        contract = Contract.items(unit, at="/box/units", envelope=Outer, limits=LIMITS, name="contract")
    documents, listed = [], []
    for _ in range(many):
        units = tuple(random_instance(spec, rng) for _ in range(1 if form == "one" else rng.randrange(1, 4)))
        document = _document(form, list(units), rng)
        admission = contract.admit(json.dumps(document))
        assert admission.status is Status.CLEAN, (admission.findings, document)
        documents.append(document)
        listed.append(units)
    return Case(contract, tuple(documents), tuple(listed))


def _document(form: str, units: list[Any], rng: Random) -> Any:
    if form == "one":
        return units[0]
    if form == "bare":
        return units
    if form == "batch":
        return {"commands": units}
    if form == "deep":
        return {"box": {"units": units}, "tags": {"a": 1, "": 2}}
    around: dict[str, Any] = {"units": units}
    if form == "envelope":
        absent: dict[str, Any] = {}
        given: dict[str, Any] = {"total": 3, "notes": {"a": 1}}
        null: dict[str, Any] = {"notes": None, "deep": {"words": {"x": "y"}}}
        around = {**rng.choice([absent, given, null]), **around}
    return around


def compiled_for(case: Case, target: str, form: Any = None) -> Compiled | None:
    """Compile a case; None when the target says that it would refuse it for its size."""
    try:
        return case.contract.compile(target, form=form)
    except Misuse as refused:
        if "would refuse" not in refused.message:
            raise
        return None


def delivery_of(compiled: Compiled, document: Any, units: Sequence[Any]) -> Delivery:
    """Write a document as a producer that was asked with ``compiled`` would."""
    if compiled.form == "tools" and len(compiled.tools) > 1:
        return Delivery(tool_calls=tuple(_calls(compiled, units)))
    text = text_of(compiled.lens.out(document))
    if compiled.form == "tools":
        return Delivery(tool_calls=(ToolCall(compiled.terms.tool_name, text),))
    return Delivery(text=text)


def _calls(compiled: Compiled, units: Sequence[Any]) -> Iterator[ToolCall]:
    """Write each unit as a call of its variant's tool: the name is the tag, and the arguments leave it out."""
    tag = next(iter(compiled.terms.unit.tags.values()))
    names = {value: name for name, value in compiled.terms.unit.tools.items()}
    is_one = compiled.terms.locality is Locality.ONE
    for unit in units:
        wire = compiled.lens.out(unit) if is_one else compiled.lens.out([unit])[0]
        yield ToolCall(names.get(unit[tag], unit[tag]), text_of(wire))
