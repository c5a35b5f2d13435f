"""Make a value that two nodes take: the proof that two arms of a union overlap.

Nothing is guessed: what is made here is judged by the schema itself before anybody is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from pratique.dialects.nodes.fitting import fits
from pratique.dialects.nodes.node import Choice, Listing, Node, Record
from pratique.dialects.words.instance import Maker, NoValue, Parts, parts_of_nodes
from pratique.lint.likeness import is_alike_entry
from pratique.lint.view import View
from pratique.terms.schema_document import Place

__all__ = ["Overlap", "differ_in_required_alone", "overlap_of"]

MAX_SHARED_DEPTH = 8
"""Levels of a value that two arms share: no unit is deeper by default (limits.max_depth)."""

_TURNS = 3
"""Values of one scalar that are tried."""


class Overlap:
    """Hold two arms and a value that both take."""

    def __init__(self, arms: tuple[Node, Node], value: Any) -> None:
        self.arms = arms
        self.value = value


def overlap_of(view: View, arms: Sequence[Node]) -> Overlap | None:
    """Return the first two arms that take a common value, with that value; None when no such value was found.

    Limits: every pair of arms once; one value a pair.
    Not checked: whether there is a value where none was found: patterns that a text is not found for, above all.
    """
    parts = parts_of_nodes(view.document, arms)
    for one, other in itertools.combinations(arms, 2):
        if differ_in_required_alone(one, other):
            continue
        try:
            value = _Shared(parts).value(one, other, 0)
        except NoValue:
            continue
        if all(fits(arm, value) and _is_valid(view, arm, value) for arm in (one, other)):
            return Overlap((one, other), value)
    return None


def differ_in_required_alone(one: Node, other: Node) -> bool:
    """Say whether two objects are one and differ in what must be there: "at least one of these"."""
    if not isinstance(one.form, Record) or not isinstance(other.form, Record):
        return False
    mine, its = one.form.fields, other.form.fields
    if mine.keys() != its.keys() or (one.form.rest is None) != (other.form.rest is None):
        return False
    apart = [name for name, entry in mine.items() if not is_alike_entry(entry, its[name])]
    return bool(apart) and all(mine[name].node is its[name].node for name in apart)


def _is_valid(view: View, arm: Node, value: Any) -> bool:
    """Ask the schema itself; without its judge's package, the nodes' word stands."""
    try:
        import jsonschema_rs
    except ImportError:
        return True
    place = view.place_of(arm)
    root = {**view.document.root, "$id": _BASE}
    schema = {"$defs": {"whole": root}, "$ref": _BASE + _fragment(place)}
    try:
        return jsonschema_rs.Draft202012Validator(schema, offline=True).is_valid(value)
    except (ValueError, jsonschema_rs.ReferencingError):  # the schema has names of its own: nobody can tell from here
        return True


_BASE = "https://contract.invalid/linted"
"""Nothing can be there (RFC 2606)."""


def _fragment(place: Place) -> str:
    return "#" + "".join("/" + key.replace("~", "~0").replace("/", "~1").replace("%", "%25") for key in place)


class _Shared:
    """Make a value that two nodes take."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def value(self, one: Node, other: Node, depth: int) -> Any:
        """Return the value. Errors: NoValue when none was found."""
        if depth > MAX_SHARED_DEPTH or one.never or other.never:
            raise NoValue
        if one.arms or other.arms:
            return self._of_arms(one.arms or (one,), other.arms or (other,), depth)
        if isinstance(one.form, Record) and isinstance(other.form, Record):
            return self._record(one.form, other.form, depth)
        if isinstance(one.form, Listing) and isinstance(other.form, Listing):
            return self._listing(one.form, other.form, depth)
        for value in self._candidates(one, other):
            if fits(one, value) and fits(other, value):
                return value
        raise NoValue

    def _of_arms(self, mine: Sequence[Node], its: Sequence[Node], depth: int) -> Any:
        for one, other in itertools.product(mine, its):
            try:
                return self.value(one, other, depth + 1)
            except NoValue:
                continue
        raise NoValue

    def _record(self, one: Record, other: Record, depth: int) -> dict[str, Any]:
        names = dict.fromkeys(name for form in (one, other) for name, entry in form.fields.items() if entry.required)
        made: dict[str, Any] = {}
        for name in names:
            sides = [form.fields[name].node if name in form.fields else form.rest for form in (one, other)]
            if sides[0] is None or sides[1] is None:
                raise NoValue
            made[name] = self.value(sides[0], sides[1], depth + 1)
        return made

    def _listing(self, one: Listing, other: Listing, depth: int) -> list[Any]:
        low = max(one.min_items, other.min_items)
        if low == 0:
            return []
        most = [form.max_items for form in (one, other) if form.max_items is not None]
        if one.prefix or other.prefix or one.items is None or other.items is None or low > min(most, default=low):
            raise NoValue
        return [self.value(one.items, other.items, depth + 1)] * low

    def _candidates(self, one: Node, other: Node) -> Iterator[Any]:
        for node in (one, other):
            if isinstance(node.form, Choice):
                yield from node.form.values
        for node, turn in itertools.product((one, other), range(_TURNS)):
            try:
                yield Maker(self._parts, turn, full=False, authors=False).value(node, "")
            except NoValue:
                continue
