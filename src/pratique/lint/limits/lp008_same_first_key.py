"""LP008: two objects of one union begin with the same key."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.uses import endpoints, uses_of
from pratique.show import show
from pratique.terms.schema_document import Document, Place

__all__ = ["RULE"]


class _First(NamedTuple):
    """How one object of a union begins."""

    key: str
    value: Any
    """The one value that its schema allows, in a list; None: it allows others."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at the keys as they are written: an endpoint of this kind tells the arms apart by what comes first."""
    if subject.kind is Kind.CONTRACT:  # compile gives the arms names where they begin alike
        return
    for dialect in endpoints(settings):
        if not dialect.profile.distinct_first_keys:
            continue
        for part in subject.parts:
            for place, key in _alike(part):
                yield Remark(
                    part, place,
                    f"two objects of one anyOf begin with {show(key)}, and {dialect.target} "
                    f"({dialect.profile.endpoint}) refuses that; its table was read on {dialect.profile.read_on}",
                    target=dialect.target,
                )  # fmt: skip


def _alike(part: Part) -> Iterator[tuple[Place, str]]:
    """Yield each union of which two objects begin alike, and with which key."""
    document = part.view.document
    for use in uses_of(part).all:
        if use.name == "anyOf" and isinstance(use.value, list):
            arms = (_first(document, (*use.place, str(index))) for index in range(len(use.value)))
            known: dict[str, list[_First]] = {}
            for arm in arms:
                if arm is not None:
                    known.setdefault(arm.key, []).append(arm)
            for key, same in known.items():
                if len(same) > 1 and not _told_apart(same):
                    yield use.place, key


def _told_apart(same: list[_First]) -> bool:
    """Say whether each of some objects that begin with one key fixes it to a value of its own."""
    return all(one.value is not None and other.value is not None and one.value != other.value
               for one, other in combinations(same, 2))  # fmt: skip


def _first(document: Document, place: Place) -> _First | None:
    """Return how the object at a place begins; None when it is none, or has no keys."""
    for joined in document.together((place,)):
        schema = document[joined]
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(properties, dict) and properties:
            key, said = next(iter(properties.items()))
            values = said.get("enum", [said["const"]] if "const" in said else None) if isinstance(said, dict) else None
            return _First(key, values if isinstance(values, list) and len(values) == 1 else None)
    return None


RULE = Rule(
    code="LP008",
    name="same-first-key",
    level=Level.ERROR,
    title="two objects of one union begin with the same key",
    why="The endpoint decides by the first key which arm it writes, so it refuses a union whose arms begin alike, "
    "unless that key is a constant in each.",
    help="put a key that is a constant in each arm first, such as kind, or another key in each",
    evidence=("openai/openai-python issue 2193: objects of one anyOf must not share an identical first key",),
    bad={
        "type": "object",
        "properties": {
            "step": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
                        "required": ["path", "text"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"path": {"type": "string"}},
                        "required": ["path"],
                        "additionalProperties": False,
                    },
                ]
            }
        },
        "required": ["step"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {
            "step": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": "write"}, "path": {"type": "string"}},
                        "required": ["kind", "path"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"kind": {"const": "delete"}, "path": {"type": "string"}},
                        "required": ["kind", "path"],
                        "additionalProperties": False,
                    },
                ]
            }
        },
        "required": ["step"],
        "additionalProperties": False,
    },
    check=_check,
    target="openai/responses",
)
