"""A schema as rules look at it: every object, list, union and value once, with its place and the way to it.

The schema is read as nodes (``dialects.nodes``), so that references, ``allOf`` and nullable unions are out of the
way. What nodes do not keep (descriptions of parts, examples) is looked up in the document at the node's place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pratique.dialects.nodes.constraint import Ledger
from pratique.dialects.nodes.graph import Graph
from pratique.dialects.nodes.node import Choice, Entry, Listing, Node, Record, Scalar
from pratique.dialects.nodes.reading import Reading
from pratique.terms.schema_document import Document, Place

__all__ = ["Field", "Spot", "View"]


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One node, where it is met first.

    Units: ``depth`` counts objects and lists around the value, itself included.
    """

    node: Node
    place: Place
    """Where in the schema it is said: at the definition, when it is referred to."""
    path: str
    """The way to the value, for people: ``$.steps[].commands[]``."""
    depth: int
    field: Field | None = None
    """The field whose value it is; None: the root, an element, or a variant."""

    @property
    def record(self) -> Record:
        """Its form, where it is an object."""
        assert isinstance(self.node.form, Record)
        return self.node.form

    @property
    def listing(self) -> Listing:
        """Its form, where it is a list."""
        assert isinstance(self.node.form, Listing)
        return self.node.form

    @property
    def choice(self) -> Choice:
        """Its form, where it is one of a few values."""
        assert isinstance(self.node.form, Choice)
        return self.node.form

    @property
    def scalar(self) -> Scalar:
        """Its form, where it is a string, a number, a boolean or null."""
        assert isinstance(self.node.form, Scalar)
        return self.node.form


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field of one object."""

    name: str
    entry: Entry
    owner: Spot
    place: Place
    """Where the field's own schema stands."""

    @property
    def node(self) -> Node:
        """What is said of its value."""
        return self.entry.node

    @property
    def path(self) -> str:
        """The way to it, for people."""
        return f"{self.owner.path}.{self.name}"


class View:
    """Look at one schema.

    Shape: ``closed`` says that objects take no keys which they do not name, as a contract means its types.
    Limits: linear in the schema, references followed once; ``reading`` bounds nodes and depth.
    Errors: Misuse for a schema that cannot be read, with the place.
    """

    def __init__(self, document: Document, *, closed: bool) -> None:
        self.document = document
        self.root = Reading(document, "", Ledger(), closed=closed, docstrings=True).node()
        self._fields: dict[Spot, tuple[Field, ...]] = {}

    @cached_property
    def graph(self) -> Graph:
        """The nodes, and which are part of themselves."""
        return Graph([self.root])

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Every node once, outer ones first, in the order in which they are written."""
        found: dict[int, Spot] = {}
        ahead = [Spot(self.root, self._place_of(self.root, ()), "$", _deeper(self.root, 0))]
        while ahead:
            below: list[Spot] = []
            for spot in ahead:
                if id(spot.node) not in found:
                    found[id(spot.node)] = spot
                    below += self._below(spot)
            ahead = below
        return tuple(found.values())

    @cached_property
    def records(self) -> tuple[Spot, ...]:
        """The objects."""
        return tuple(spot for spot in self.spots if isinstance(spot.node.form, Record))

    @cached_property
    def listings(self) -> tuple[Spot, ...]:
        """The lists."""
        return tuple(spot for spot in self.spots if isinstance(spot.node.form, Listing))

    @cached_property
    def choices(self) -> tuple[Spot, ...]:
        """The values that are one of a few."""
        return tuple(spot for spot in self.spots if isinstance(spot.node.form, Choice))

    @cached_property
    def scalars(self) -> tuple[Spot, ...]:
        """Strings, numbers, booleans and nulls."""
        return tuple(spot for spot in self.spots if isinstance(spot.node.form, Scalar))

    @cached_property
    def unions(self) -> tuple[Spot, ...]:
        """The unions of at least two objects, each once; a value that may also be null is none."""
        found: dict[frozenset[int], Spot] = {}
        for spot in self.spots:
            arms = self.object_arms(spot.node)
            if len(arms) > 1:
                found[frozenset(map(id, arms))] = spot  # of a union in a union, the inner one: it is where they stand
        return tuple(found.values())

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Every field of every object, once."""
        return tuple(field for spot in self.records for field in self.fields_of(spot))

    def fields_of(self, spot: Spot) -> tuple[Field, ...]:
        """Return the fields of one object, in order."""
        if spot not in self._fields:
            owners = [source.place for source in spot.record.sources if source.keyword == "properties"]
            named = [(owner, self.document[owner]["properties"]) for owner in owners]
            self._fields[spot] = tuple(
                Field(name, entry, spot, next(
                    ((*owner, "properties", name) for owner, properties in named if name in properties), spot.place
                ))
                for name, entry in spot.record.fields.items()
            )  # fmt: skip
        return self._fields[spot]

    def object_arms(self, node: Node) -> tuple[Node, ...]:
        """Return the arms of a union that are objects, those of unions inside it included, each once."""
        found: dict[int, Node] = {}
        ahead, seen = list(reversed(node.arms)), {id(node)}
        while ahead:
            arm = ahead.pop()
            if id(arm) in seen or arm.never:
                continue
            seen.add(id(arm))
            if isinstance(arm.form, Record):
                found[id(arm)] = arm
            ahead += reversed(arm.arms)
        return tuple(found.values())

    def unions_around(self, node: Node) -> tuple[Node, ...]:
        """Return the unions that a node is an arm of, and those that these are arms of."""
        found: dict[int, Node] = {}
        ahead = [node]
        while ahead:
            fresh = [each for each in self._holders.get(id(ahead.pop()), ()) if id(each) not in found]
            found.update((id(each), each) for each in fresh)
            ahead += fresh
        return tuple(found.values())

    @cached_property
    def _holders(self) -> dict[int, list[Node]]:
        """Node -> the unions that it is an arm of."""
        found: dict[int, list[Node]] = {}
        for spot in self.spots:
            for arm in spot.node.arms:
                found.setdefault(id(arm), []).append(spot.node)
        return found

    def place_of(self, node: Node) -> Place:
        """Return where a node is said."""
        return self._place_of(node, ())

    def said(self, place: Place) -> dict[str, Any]:
        """Return the schema object at a place, as it is written; empty when it is a boolean, or none is there."""
        if place not in self.document:
            return {}
        schema = self.document[place]
        return schema if isinstance(schema, dict) else {}

    def described(self, field: Field) -> str:
        """Return all that is said in words of a field's value: at the field, and where it is defined."""
        words = (field.entry.described, field.node.described, self.said(self.place_of(field.node)).get("description"))
        return "\n".join(dict.fromkeys(word for word in words if isinstance(word, str) and word))

    def _place_of(self, node: Node, met_at: Place) -> Place:
        form = node.form
        if form is None:
            return node.sources[0].place if node.sources else met_at
        telling = {"properties": 0, "items": 0, "prefixItems": 0, "enum": 0, "const": 0, "type": 1}
        sources = sorted(form.sources, key=lambda source: telling.get(source.keyword, 2))
        return sources[0].place if sources else met_at

    def _below(self, spot: Spot) -> Iterator[Spot]:
        node, form = spot.node, spot.node.form
        for index, arm in enumerate(node.arms):
            place = self._place_of(arm, (*spot.place, "anyOf", str(index)))
            depth = spot.depth + (_deeper(arm, 0) if form is None else 0)
            yield Spot(arm, place if place in self.document else spot.place, spot.path, depth, spot.field)
        if isinstance(form, Listing):
            inner = [*form.prefix, *([form.items] if form.items is not None else [])]
            for item in inner:
                yield self._inner(spot, item, f"{spot.path}[]", None)
        if isinstance(form, Record):
            for field in self.fields_of(spot):
                yield self._inner(spot, field.node, field.path, field)
            if form.rest is not None:
                yield self._inner(spot, form.rest, f"{spot.path}.*", None)

    def _inner(self, spot: Spot, node: Node, path: str, field: Field | None) -> Spot:
        met_at = spot.place if field is None else field.place
        return Spot(node, self._place_of(node, met_at), path, spot.depth + _deeper(node, 0), field)


def _deeper(node: Node, depth: int) -> int:
    """Return the depth inside a node: an object or a list is one level."""
    return depth + 1 if isinstance(node.form, Record | Listing) else depth
