"""The lists whose items stand for themselves: the units of a contract, the main lists of an answer.

An answer's main lists are a list at its root, and lists of objects directly under a root object. The arguments of a
tool have none: one call is one unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pratique.dialects.nodes.node import Listing, Node, Record
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.view import Spot, View
from pratique.terms.schema_document import Place
from pratique.terms.terms import Locality

__all__ = ["Items", "items_of", "main_lists", "objects_in"]


@dataclass(frozen=True, slots=True)
class Items:
    """Hold the items of one list."""

    part: Part
    place: Place
    """Where the list is said; for a contract, the unit."""
    path: str
    """The way to one item, for people."""
    arms: tuple[Spot, ...]
    """The objects that an item may be; several for a union."""
    listing: Listing | None = None
    """None for a contract: its list is bounded by its limits."""


def items_of(subject: Subject) -> tuple[Items, ...]:
    """Return the items that are read one by one: those of a contract, else those of the main lists.

    Shape: none for a tool, and for a contract of one unit: what it holds is read as one.
    """
    if subject.terms is None:
        return main_lists(subject)
    if subject.terms.locality is Locality.ONE:
        return ()
    view = subject.main.view
    arms = _spots(view, objects_in(view.root))
    return (Items(subject.main, view.place_of(view.root), "$", arms),) if arms else ()


def main_lists(subject: Subject) -> tuple[Items, ...]:
    """Return the lists of objects at the root of an answer, or directly under it; none for a tool."""
    if subject.kind is Kind.TOOL:
        return ()
    view = subject.main.view
    found = []
    for spot in _listings(view):
        assert isinstance(spot.node.form, Listing)
        items = spot.node.form.items
        arms = () if items is None else _spots(view, objects_in(items))
        if arms and not view.graph.is_cyclic(spot.node):  # a tree is no list of units
            found.append(Items(subject.main, spot.place, f"{spot.path}[]", arms, spot.node.form))
    return tuple(found)


def objects_in(node: Node) -> tuple[Node, ...]:
    """Return the objects that a value may be: itself, or the arms of a union that are objects."""
    return (node,) if isinstance(node.form, Record) else _arms(node, Record)


def _arms(node: Node, form: type[Record] | type[Listing]) -> tuple[Node, ...]:
    found: dict[int, Node] = {}
    ahead, seen = [node], set[int]()
    while ahead:
        arm = ahead.pop()
        if id(arm) in seen or arm.never:
            continue
        seen.add(id(arm))
        if isinstance(arm.form, form):
            found[id(arm)] = arm
        ahead += reversed(arm.arms)
    return tuple(found.values())


def _listings(view: View) -> Iterator[Spot]:
    """Yield the lists at the root and directly under it, each once."""
    wanted = dict.fromkeys(map(id, _arms(view.root, Listing)))
    for record in objects_in(view.root):
        assert isinstance(record.form, Record)
        for entry in record.form.fields.values():
            wanted.update(dict.fromkeys(map(id, _arms(entry.node, Listing))))
    return (spot for spot in view.listings if id(spot.node) in wanted)


def _spots(view: View, nodes: tuple[Node, ...]) -> tuple[Spot, ...]:
    wanted = set(map(id, nodes))
    met = {id(spot.node): spot for spot in view.records if id(spot.node) in wanted}
    return tuple(met[id(node)] for node in nodes if id(node) in met)
