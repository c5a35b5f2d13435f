"""Outline what each node will be on the wire, before any is written: its JSON types, its order, what needs a name.

Whether a union can be told apart on the way back hangs on what all its arms become; so this is decided first, for
the whole graph. Neighbours: ``writing`` asks at every node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pratique.dialects.nodes.graph import Graph, children
from pratique.dialects.nodes.node import KINDS, Choice, Listing, Loose, Node, Record, kind_of, kinds_of
from pratique.dialects.profile import Profile

__all__ = ["MAX_LEVELS_DEEP", "Outline", "fixed"]

MAX_LEVELS_DEEP = 8
"""Levels that a cycle of several types is written out, at most: no unit is deeper by default (limits.max_depth)."""


class Outline:
    """Say what each node of a graph becomes for one profile.

    Limits: linear in the graph.
    """

    def __init__(self, profile: Profile, roots: Sequence[Node]) -> None:
        self.graph = Graph(roots)
        self._arms: dict[int, list[Node]] = {}
        self._turning: dict[int, int] = {}
        self._kinds: dict[int, frozenset[str]] = {}
        self._profile = profile
        self._first: dict[int, str] = {}
        for node in self.graph.nodes.values():
            arms = self.arms_of(node) if node.arms else []
            tag = self.tag_of(arms)
            for arm in arms if tag else ():
                self._first.setdefault(id(arm), tag or "")
        self._moving: set[int] = set()
        self._moving = self.graph.reaching(self._moves)
        self._kinds.clear()  # which unions are boxed hangs on what moves

    def turns(self, node: Node) -> bool:
        """Say whether a cycle is cut at a node: at its objects and definitions, not at what is between."""
        if not self.graph.is_cyclic(node):
            return False
        if node.shared or isinstance(node.form, Record):
            return True
        inner = [child for child in children(node) if self.graph.is_cyclic(child)]
        return not all(child.shared or isinstance(child.form, Record) for child in inner)

    def arms_of(self, node: Node) -> list[Node]:
        """Return the arms of a union, those of plain unions inside it included, each once."""
        known = self._arms.get(id(node))
        if known is not None:
            return known
        found: list[Node] = []
        ahead = list(reversed(node.arms))
        seen = {id(node)}
        while ahead:
            arm = ahead.pop()
            if id(arm) in seen or arm.never:
                continue
            seen.add(id(arm))
            if arm.arms and not arm.exclusive:
                ahead.extend(reversed(arm.arms))
            else:
                found.append(arm)
        self._arms[id(node)] = found
        return found

    def tag_of(self, arms: Sequence[Node]) -> str | None:
        """Return the key whose fixed values tell all records among some arms apart."""
        records = [arm.form for arm in arms if isinstance(arm.form, Record)]
        if len(records) < 2 or len(records) < sum("object" in kinds_of(arm) for arm in arms):
            return None
        for key in records[0].fields:
            values = [fixed(record, key) for record in records]
            if all(values) and len(set().union(*values)) == sum(map(len, values)):
                return key
        return None

    def is_object(self, node: Node) -> bool:
        """Say whether a node is written as one object."""
        arms = self.arms_of(node) if node.form is None else [node]
        return len(arms) == 1 and self.plain_wire_kinds(arms[0]) == {"object"} and isinstance(arms[0].form, Record)

    def kept_as_enum(self, form: Choice) -> bool:
        kinds = set(map(kind_of, form.values))
        if kinds == {"null"}:
            return True
        if kinds == {"boolean"} and len(form.values) > 1:
            return True
        if kinds & {"object", "array"} or (len(kinds) > 1 and not self._profile.keeps("type list")):
            return False
        return all(self._profile.keeps(f"enum {kind}") for kind in kinds)

    def has_twins(self, node: Node) -> bool:
        """Say whether a union has one arm twice, once perhaps inside another union."""
        ahead, seen = list(node.arms), {id(node)}
        while ahead:
            arm = ahead.pop()
            if id(arm) in seen:
                return True
            seen.add(id(arm))
            ahead += arm.arms if arm.arms and not arm.exclusive else ()
        return False

    def levels(self, node: Node, laps: int) -> int:
        """Return how many levels of a cycle are written out: laps through its types, but no deeper than a unit is."""
        component = self.graph.component(node)
        if component not in self._turning:
            self._turning[component] = sum(
                self.graph.component(other) == component and self.turns(other) for other in self.graph.nodes.values()
            )
        many = self._turning[component]
        return laps if many <= 1 else min(laps * many, max(laps, MAX_LEVELS_DEEP))

    def has_names(self, form: Record) -> bool:
        """Say whether the endpoint takes the names of all fields."""
        return "" not in form.fields or not self._profile.no_empty_names

    def keeps_rest(self, rest: Node) -> bool:
        """Say whether the endpoint takes an object with such values under free keys."""
        if isinstance(rest.form, Loose) and len(rest.form.kinds) == len(KINDS):
            return self._profile.keeps("open object") and self._profile.keeps("any")
        return self._profile.keeps("map")

    def in_order(self, node: Node, form: Record) -> list[str]:
        """Return the fields in the order of the wire: the tag, then, where it matters, what is required."""
        names = list(form.fields)
        first = self._first.get(id(node))
        if first in names:
            names.remove(first)
            names.insert(0, first)
        if self._profile.required_first:
            names.sort(key=lambda name: not form.fields[name].required)
        return names

    def is_boxed(self, arms: Sequence[Node], tag: str | None) -> bool:
        """Say whether the arms need a name on the wire: to be told apart on the way back, or to begin differently."""
        alike: dict[str, list[Node]] = {}
        for arm in arms:
            for kind in self.wire_kinds(arm):
                alike.setdefault(kind, []).append(arm)
        for kind, same in alike.items():
            has_tags = tag is not None and kind == "object" and all(isinstance(arm.form, Record) for arm in same)
            if len(same) > 1 and not has_tags and any(id(arm) in self._moving for arm in same):
                return True
        return self._profile.distinct_first_keys and self._begin_alike(arms, tag)

    def _begin_alike(self, arms: Sequence[Node], tag: str | None) -> bool:
        """Say whether two objects begin with the same key, and it is not a constant in both."""
        records = [(arm, arm.form) for arm in arms if isinstance(arm.form, Record) and arm.form.fields]
        if tag is not None and all(len(fixed(form, tag)) == 1 for _, form in records):
            return False
        firsts = [self.in_order(arm, form)[0] for arm, form in records]
        return len(firsts) != len(set(firsts))

    # ------------------------------------------------------------------ what a node is, here and there

    def _moves(self, node: Node) -> bool:
        """Say whether a node's own place changes on the wire."""
        form = node.form
        if self.turns(node) and not self._profile.keeps("recursion"):
            return True
        if form is None:  # a union that is boxed because its arms move is reached through them
            arms = self.arms_of(node)
            begins = self._profile.distinct_first_keys and self._begin_alike(arms, self.tag_of(arms))
            return len(arms) > 1 and (begins or not self._profile.keeps("anyOf"))
        if isinstance(form, Loose):
            return not self._profile.keeps("any")
        if isinstance(form, Choice):
            return not self.kept_as_enum(form)
        if isinstance(form, Listing):
            return bool(form.prefix) and not self._profile.keeps("prefixItems")
        if isinstance(form, Record):
            if not self.has_names(form):
                return True
            if form.rest is not None and not self.keeps_rest(form.rest):
                return True
            return not self._profile.keeps("optional") and any(not entry.required for entry in form.fields.values())
        return False

    def wire_kinds(self, node: Node) -> frozenset[str]:
        """Return the JSON types that a node's values have on the wire."""
        if self.turns(node) and not self._profile.keeps("recursion"):
            return self.plain_wire_kinds(node) | {"string"}
        return self.plain_wire_kinds(node)

    def plain_wire_kinds(self, node: Node) -> frozenset[str]:
        """Return the same of a node that is written out, however deep it stands."""
        if id(node) not in self._kinds:
            self._kinds[id(node)] = self._kinds_of(node)
        return self._kinds[id(node)]

    def _kinds_of(self, node: Node) -> frozenset[str]:
        form = node.form
        if form is None:
            arms = self.arms_of(node)
            if len(arms) > 1 and not self._profile.keeps("anyOf"):
                return frozenset({"string"})
            if len(arms) > 1 and self.is_boxed(arms, self.tag_of(arms)):
                nulls = any(self.wire_kinds(arm) == {"null"} for arm in arms)
                return frozenset({"object", "null"} if nulls else {"object"})
            return frozenset().union(*(self.wire_kinds(arm) for arm in arms))
        if isinstance(form, Loose):
            return frozenset(form.kinds) if self._profile.keeps("any") else frozenset({"string"})
        if isinstance(form, Choice):
            return kinds_of(node) if self.kept_as_enum(form) else frozenset({"string"})
        if isinstance(form, Listing):
            return frozenset({"object" if form.prefix and not self._profile.keeps("prefixItems") else "array"})
        if isinstance(form, Record) and not self.has_names(form):
            return frozenset({"string"})
        if isinstance(form, Record):
            as_pairs = form.rest is not None and not form.fields and not self.keeps_rest(form.rest)
            return frozenset({"array" if as_pairs else "object"})
        return kinds_of(node)


def fixed(form: Any, key: str) -> frozenset[str]:
    """Return the strings to which a record fixes a required field; empty when it does not."""
    entry = form.fields.get(key)
    if entry is None or not entry.required or not isinstance(entry.node.form, Choice):
        return frozenset()
    values = entry.node.form.values
    return frozenset(values) if all(isinstance(value, str) for value in values) else frozenset()
