"""Make a value that two nodes take: the proof that two arms of a union overlap.

Nothing is guessed: what is made here is judged by the schema itself before anybody is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from pratique.dialects.nodes.fitting import fits
from pratique.dialects.nodes.node import Choice, Listing, Node, Record, Scalar, sources_of
from pratique.dialects.words.instance import Maker, NoValue, Parts, parts_of_nodes
from pratique.lint.judging import takes
from pratique.lint.likeness import is_alike_entry
from pratique.lint.view import View
from pratique.terms.schema_document import Place

__all__ = ["Overlap", "differ_in_required_alone", "overlap_of"]

MAX_SHARED_DEPTH = 8
"""Levels of a value that two arms share: no unit is deeper by default (limits.max_depth)."""

_PLAIN = (Choice, Scalar)

MAX_STEPS = 20_000
"""Pairs of nodes that are looked at for one union: unions in unions multiply. What is not found by then is not told."""

MAX_ELEMENTS = 100
"""Elements of a list that two arms share; nobody reads a proof that is longer."""

_TURNS = 3
"""Values of one scalar that are tried."""


class Overlap:
    """Hold two arms and a value that both take."""

    def __init__(self, arms: tuple[Node, Node], value: Any) -> None:
        self.arms = arms
        self.value = value


def overlap_of(view: View, arms: Sequence[Node]) -> Overlap | None:
    """Return the first two arms that take a common value, with that value; None when no such value was found.

    Limits: every pair of arms once; one value a pair; MAX_STEPS for one union.
    Not checked: whether there is a value where none was found: patterns that a text is not found for, above all.
    """
    shared = _Shared(parts_of_nodes(view.document, arms))
    for one, other in itertools.combinations(arms, 2):
        if differ_in_required_alone(one, other):
            continue
        try:
            value = shared.value(one, other, 0)
        except NoValue:
            continue
        if all(fits(arm, value) and takes(view, _asked(view, arm), value) for arm in (one, other)):
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


def _asked(view: View, arm: Node) -> dict[Place, tuple[str, ...]]:
    """Return all that is written of an arm, keyword by keyword: its own schema, and what stands beside the union.

    What nodes do not keep (``not``, conditions) is in it; the unions whose arm it is are not.
    """
    opened = [source for union in view.unions_around(arm) for source in union.sources]
    places = [view.place_of(arm), *(source.place for source in (*opened, *sources_of(arm)))]
    found: dict[Place, tuple[str, ...]] = {}
    for place in dict.fromkeys(places):
        left_out = {source.keyword for source in opened if source.place == place}
        found[place] = tuple(keyword for keyword in view.said(place) if keyword not in left_out)
    return found


class _Shared:
    """Make a value that two nodes take; what two nodes do not share is remembered."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._steps = 0
        self._apart: set[tuple[int, int, int]] = set()

    def value(self, one: Node, other: Node, depth: int) -> Any:
        """Return the value. Errors: NoValue when none was found."""
        key = (id(one), id(other), depth)
        self._steps += 1
        if self._steps > MAX_STEPS or depth > MAX_SHARED_DEPTH or one.never or other.never or key in self._apart:
            raise NoValue
        try:
            return self._made(one, other, depth)
        except NoValue:
            self._apart.add(key)
            raise

    def _made(self, one: Node, other: Node, depth: int) -> Any:
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
        sides: dict[str, tuple[Node, Node]] = {}
        for name in names:
            mine, its = (form.fields[name].node if name in form.fields else form.rest for form in (one, other))
            if mine is None or its is None:
                raise NoValue
            sides[name] = (mine, its)
        # A tag refuses at once, wherever it stands; what holds more is looked at last.
        plain_first = sorted(sides, key=lambda name: not all(isinstance(side.form, _PLAIN) for side in sides[name]))
        made = {name: self.value(*sides[name], depth + 1) for name in plain_first}
        return {name: made[name] for name in names}

    def _listing(self, one: Listing, other: Listing, depth: int) -> list[Any]:
        low = max(one.min_items, other.min_items)
        if low == 0:
            return []
        most = [form.max_items for form in (one, other) if form.max_items is not None]
        if low > MAX_ELEMENTS:
            raise NoValue
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
