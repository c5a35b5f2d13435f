"""Readers under judgement: ours, the twenty lines a careful user writes, and deliberately bad ones.

The bad ones exist to prove that the oracle can fail (``test_oracle``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from damage.kind import Damaged
from damage.oracle import Reading
from damage.report import BARE, CONTRACT, Unit
from pratique import Admission, Contract, Status

__all__ = [
    "Reader",
    "boundary",
    "closing_reader",
    "contract_for",
    "json_repair_reader",
    "naive_scan",
    "read_off",
    "silent_scan",
]

Reader = Callable[[Damaged], Reading]


def contract_for(damaged: Damaged) -> Contract[Unit]:
    """Return the contract that a damaged report is put before."""
    return BARE if damaged.bare else CONTRACT


def boundary(damaged: Damaged) -> Reading:
    """Read with the boundary; what it tells is its status."""
    try:
        admission = contract_for(damaged).admit(damaged.text)
    except Exception as error:  # noqa: BLE001  # the claim under test is that nothing is raised
        return Reading((), told=True, raised=f"{type(error).__name__}: {error}")
    return read_off(admission)


def read_off(admission: Admission[Unit]) -> Reading:
    """Return what an admission gave and whether it told of anything wrong."""
    told = admission.status is not Status.CLEAN and bool(admission.refusing_findings)
    return Reading(tuple(value.model_dump() for value in admission.values), told=told)


def _sound(items: Iterator[Any]) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Keep what a strict, closed unit accepts; say whether anything else was there."""
    kept: list[dict[str, Any]] = []
    refused = False
    for item in items:
        try:
            text = json.dumps(item, allow_nan=False)
            kept.append(Unit.model_validate_json(text, strict=True, extra="forbid").model_dump())
        except (ValidationError, ValueError, TypeError, RecursionError):
            refused = True
    return tuple(kept), refused


def _listed(document: Any) -> Iterator[Any]:
    """Find the units in whatever a tolerant parser gives back."""
    if isinstance(document, dict) and "recommendations" in document:
        yield from _listed(document["recommendations"])
    elif isinstance(document, list):
        for part in document:
            if isinstance(part, dict) and "recommendations" in part:
                yield from _listed(part)
            elif isinstance(part, dict) and "rank" not in part:
                continue
            else:
                yield part
    elif isinstance(document, dict) and "rank" in document:
        yield document
    elif isinstance(document, dict):  # wrapper keys: a caller would open them
        for part in document.values():
            if isinstance(part, (dict, list)):
                yield from _listed(part)


def _text(damaged: Damaged) -> str:
    text = damaged.text
    return text if isinstance(text, str) else text.decode("utf-8", "replace")


def _scan(text: str) -> Iterator[Any]:
    """Yield every object that starts where a unit may start: ``raw_decode`` at every brace behind the list."""
    decoder = json.JSONDecoder()
    opened = re.search(r'"recommendations"\s*:\s*\[', text)
    at = opened.end() if opened else 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield value
        at = end


def naive_scan(damaged: Damaged) -> Reading:
    """Read as a careful user does by hand: flagged when any object found is no unit."""
    values, refused = _sound(_scan(_text(damaged)))
    return Reading(values, told=refused)


def silent_scan(damaged: Damaged) -> Reading:
    """Read as ``naive_scan`` does and never tell: a bad reader."""
    return Reading(naive_scan(damaged).values, told=False)


def closing_reader(damaged: Damaged) -> Reading:
    """Close whatever is open at the end of the text and parse: a bad reader, because it makes values up."""
    source = _text(damaged)
    stack: list[str] = []
    in_string = escaped = False
    for char in source:
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack:
            stack.pop()
    closed = source[:-1] if escaped else source
    closed += '"' if in_string else ""
    closed += "".join(reversed(stack))
    try:
        values, refused = _sound(_listed(json.loads(closed)))
    except (ValueError, RecursionError) as error:
        return Reading((), told=True, raised=type(error).__name__)
    return Reading(values, told=refused)


def json_repair_reader(**options: Any) -> Reader:
    """Read with ``json_repair``, each item through the strict unit; ImportError when it is not installed."""
    from json_repair import repair_json

    def read(damaged: Damaged) -> Reading:
        try:
            document = repair_json(_text(damaged), return_objects=True, **options)
            values, refused = _sound(_listed(document))
        except Exception as error:  # noqa: BLE001  # a peer may raise anything; it is counted
            return Reading((), told=True, raised=type(error).__name__)
        return Reading(values, told=refused)

    return read
