"""JSON objects written inside descriptions, and which object of the schema each is an example of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pratique.dialects.nodes.node import Listing, Node, Record
from pratique.lint.mentions import MAX_DESCRIBED_CHARS
from pratique.lint.subject import Part, Subject
from pratique.lint.view import Spot, View
from pratique.lint.vocabulary import bare
from pratique.terms.schema_document import Place

__all__ = ["Inscribed", "inscribed"]

MAX_OBJECTS = 20
"""Objects of one description that are read."""

_BEGINS = re.compile(r"\{\s*\"")
_READER = json.JSONDecoder()
_ABOUT = re.compile(
    r"\b(?:(returns?|returned|responses?|outputs?|results?|replies|reply|yields?|produces?|answers?|errors?|receives?)"
    r"|(examples?|usage|"
    r"e\.?g\.?|args|arguments?|parameters?|params|inputs?|calls?|call with|requests?|pass|send|use))\b",
    re.I,
)
"""What an object in a text is about: what comes out, or what is to be written."""
_NEVER = re.compile(
    r"\b(wrong|invalid|incorrect|bad|never|avoid|not|don't|instead of|old|formerly|deprecated)\b[^.\n]*\Z", re.I
)
_EXAMPLE = re.compile(r"\b(examples?|usage|e\.?g\.?|for instance|call)\b", re.I)
_NAMED = re.compile(r"([A-Za-z_][\w-]*)[\"'`]?\s*(?:[:=]|=>|to|is|as)\s*[\"'`(\[]*\Z")


@dataclass(frozen=True, slots=True)
class Inscribed:
    """One object in a description that is meant as an example of an object of the schema."""

    place: Place
    """Where the description stands; the root for what is told of a tool."""
    value: dict[str, Any]
    candidates: tuple[Spot, ...]
    """The objects of the schema that it may be meant for: those that share most of its keys, and all of these."""
    is_example: bool
    """The text calls it an example."""


def inscribed(subject: Subject, part: Part) -> Iterator[Inscribed]:
    """Yield the objects in all descriptions of a part, and of the subject itself.

    Shape: an object is meant for one of the schema when more than half of its keys, and at least two, are fields of
        it, or all of them are. What is said to come back, and what a field of free text or any value holds, is left
        out.
    """
    view = part.view
    described = {"": ((), subject.described)} if part is subject.main and subject.described else {}
    texts: list[tuple[Place, str]] = [*described.values()]
    for place, schema in view.document.schemas():
        said = schema.get("description")
        if isinstance(said, str) and "{" in said and (place, said) not in texts:
            texts.append((place, said))
    for place, said in texts:
        scope = _scope(view, place) if "{" in said else None
        if scope:
            for value, before in _objects(said):
                yield from _meant(view, place, scope, value, before)


def _objects(said: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each JSON object, with what the text says before it."""
    end = tries = 0
    for match in _BEGINS.finditer(said, 0, MAX_DESCRIBED_CHARS):
        if match.start() < end or tries >= MAX_OBJECTS:
            continue
        tries += 1
        try:
            value, end = _READER.raw_decode(said, match.start())
        except (ValueError, RecursionError):
            continue
        yield value, said[max(0, match.start() - 300) : match.start()]


def _scope(view: View, place: Place) -> tuple[Spot, ...]:
    """Return the objects that a description may give examples of: those at and below its place."""
    if not place:
        return view.records
    field = next((field for field in view.fields if field.place == place), None)
    if field is not None:
        return _below(view, field.node, field.path)
    spot = next((spot for spot in view.spots if spot.place == place), None)
    return () if spot is None else _below(view, spot.node, spot.path)


def _below(view: View, node: Node, path: str) -> tuple[Spot, ...]:
    if not any(isinstance(arm.form, Record | Listing) or arm.arms for arm in (node, bare(node))):
        return ()
    return tuple(
        spot
        for spot in view.records
        if spot.node is node or spot.path == path or spot.path.startswith((f"{path}.", f"{path}["))
    )


def _meant(
    view: View, place: Place, scope: tuple[Spot, ...], value: dict[str, Any], before: str
) -> Iterator[Inscribed]:
    about = list(_ABOUT.finditer(before))
    if not value or (about and about[-1][1]) or _NEVER.search(before):
        return
    named = _NAMED.search(before)
    field = next((field for field in view.fields if named and field.name == named[1]), None)
    if field is not None:
        scope = _below(view, field.node, field.path)
    shared = [(sum(key in spot.record.fields for key in value), spot) for spot in scope]
    most = max((count for count, _ in shared), default=0)
    if most == len(value) or (most > 1 and most * 2 > len(value)):
        candidates = tuple(spot for count, spot in shared if count == most)
        yield Inscribed(place, value, candidates, bool(_EXAMPLE.search(before[-120:])))
