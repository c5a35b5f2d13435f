"""Find out whether a tag says anything that the rest of the object does not say.

Source 001: derive, don't discriminate.

A union's arms are compared without their tag. When they share all fields but one, and what they say of that one
excludes each other (a length, a presence, a type, values, a range), then the tag is a second telling of the same
thing: a producer can get it wrong, and nothing is gained when it gets it right.

An arm may also hold one element itself where another arm holds a list of them: then it counts as a list of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from pratique.dialects.nodes.node import Choice, Entry, Listing, Loose, Node, Record, Scalar, kind_of
from pratique.dialects.nodes.reading import is_same
from pratique.lint.likeness import is_alike, is_alike_elements, is_alike_entry

__all__ = ["Arm", "Derivation", "derivation_of", "kinds_of"]

How: TypeAlias = Literal["length", "presence", "type", "values", "range"]

_EFFECTS = frozenset({
    "abort", "accept", "add", "allow", "approve", "block", "cancel", "close", "copy", "create", "decline", "delete",
    "deny", "disable", "drop", "enable", "error", "fail", "failure", "get", "insert", "keep", "merge", "move", "no",
    "noop", "none", "ok", "open", "park", "pass", "patch", "post", "put", "read", "refuse", "refusal", "reject",
    "remove", "rename", "replace", "revert", "set", "skip", "start", "stop", "success", "update", "write", "yes",
})  # fmt: skip
"""Words of an act or a decision. A tag of such words is kept where the rest of it would be told by the presence of a
key: a producer that forgets the key would do something else than it said. Judgement."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a union without its tag, as the derivation sees it."""

    node: Node
    value: str
    """Its tag."""
    fields: Mapping[str, Entry]
    one: str | None = None
    """Where the one element stands that counts as a list of one: a key; ``""``: the arm's own fields are it."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """Say from what a tag can be derived."""

    tag: str
    keys: tuple[str, ...]
    """The field that tells; several, where each arm has one more than the one before."""
    how: How
    arms: tuple[Arm, ...]
    """In the order of the union; each with the field, or without it where it is absent."""
    told: tuple[str, ...]
    """For each arm, what of the field tells it, in words."""
    is_exact: bool = True
    """False: a list arm also takes lists of one, so the tag is not even 1:1."""

    @property
    def words(self) -> str:
        """The derivation in words."""
        of = {"length": "the length of", "presence": "the presence of", "type": "the type of", "values": "",
              "range": "the value of"}[self.how]  # fmt: skip
        each = ", ".join(f'"{arm.value}" = {told}' for arm, told in zip(self.arms, self.told, strict=True))
        fields = " and ".join(f'"{key}"' for key in self.keys)
        return f"{of} {fields}: {each}".strip()


def derivation_of(arms: Sequence[Node]) -> Derivation | None:
    """Return how the tag of a union's arms can be derived; None when it cannot, or there is no tag.

    Shape: at least two objects.
    """
    for tag in _tags(arms):
        bare = [_without_tag(arm, tag) for arm in arms]
        for candidate in (bare, *_as_lists(bare)):
            found = _compared(tag, candidate)
            if found is not None:
                return found
    return None


def _tags(arms: Sequence[Node]) -> Iterator[str]:
    """Yield the keys whose listed strings tell all arms apart."""
    records = [arm.form for arm in arms if isinstance(arm.form, Record)]
    for key in records[0].fields:
        forms = [record.fields[key].node.form if key in record.fields else None for record in records]
        values = [form.values if isinstance(form, Choice) else () for form in forms]
        flat = [value for each in values for value in each]
        if all(len(each) == 1 and isinstance(each[0], str) for each in values) and len(set(flat)) == len(flat):
            yield key


def _without_tag(arm: Node, tag: str) -> Arm:
    assert isinstance(arm.form, Record)
    form = arm.form.fields[tag].node.form
    assert isinstance(form, Choice)
    return Arm(arm, str(form.values[0]), {name: entry for name, entry in arm.form.fields.items() if name != tag})


# ---------------------------------------------------------------------- one element, or a list of them


def _as_lists(arms: Sequence[Arm]) -> Iterator[list[Arm]]:
    """Yield the arms with each that holds one element turned into a list of one, for every list that some arms have."""
    lists = dict.fromkeys(
        name for arm in arms for name, entry in arm.fields.items() if isinstance(entry.node.form, Listing)
    )
    for key in lists:
        having = [arm for arm in arms if key in arm.fields]
        entry = having[0].fields[key]
        if len(having) == len(arms) or not isinstance(entry.node.form, Listing) or entry.node.form.items is None:
            continue
        turned = [arm if key in arm.fields else _as_list(arm, key, entry, having[0]) for arm in arms]
        if all(arm is not None for arm in turned):
            yield [arm for arm in turned if arm is not None]


def _as_list(arm: Arm, key: str, entry: Entry, beside: Arm) -> Arm | None:
    """Return an arm that holds one element as one that holds a list of it; None when it holds none."""
    assert isinstance(entry.node.form, Listing)
    item = entry.node.form.items
    assert item is not None
    one = Entry(Node(form=replace(entry.node.form, min_items=1, max_items=1, rules=())), True)
    own = {name: its for name, its in arm.fields.items() if name not in beside.fields}
    shared = {name: its for name, its in arm.fields.items() if name in beside.fields}
    if len(own) == 1:
        name, its = next(iter(own.items()))
        if its.required and is_alike(its.node, item) and (isinstance(item.form, Record) or _is_singular(name, key)):
            return replace(arm, fields={**shared, key: one}, one=name)
    if isinstance(item.form, Record):
        spread = {name: its for name, its in arm.fields.items() if name in item.form.fields}
        rest = {name: its for name, its in arm.fields.items() if name not in item.form.fields}
        if spread.keys() == item.form.fields.keys() and all(
            is_alike_entry(its, item.form.fields[name]) for name, its in spread.items()
        ):
            return replace(arm, fields={**rest, key: one}, one="")
    return None


def _is_singular(one: str, many: str) -> bool:
    """Say whether a name is the singular of another."""
    one, many = one.casefold(), many.casefold()
    return many in (f"{one}s", f"{one}es", f"{one}_list", f"{one}list") or (
        one.endswith("y") and many == f"{one[:-1]}ies"
    )


# ---------------------------------------------------------------------- what tells the arms apart


def _compared(tag: str, arms: Sequence[Arm]) -> Derivation | None:
    names = dict.fromkeys(name for arm in arms for name in arm.fields)
    apart = [name for name in names if not _is_shared(name, arms)]
    if len(apart) == 1:
        return _by_one(tag, apart[0], arms)
    return _by_chain(tag, apart, arms) if len(arms) > 2 and len(apart) == len(arms) - 1 else None


def _is_shared(name: str, arms: Sequence[Arm]) -> bool:
    entries = [arm.fields.get(name) for arm in arms]
    first = entries[0]
    return first is not None and all(entry is not None and is_alike_entry(first, entry) for entry in entries[1:])


def _by_chain(tag: str, apart: Sequence[str], arms: Sequence[Arm]) -> Derivation | None:
    """Look for arms of which each has one key more than the one before it."""
    order = sorted(arms, key=lambda arm: len(arm.fields))
    steps = [set(more.fields) - set(less.fields) for less, more in pairwise(order)]
    if any(len(step) != 1 or not set(less.fields) < set(more.fields) for step, (less, more) in
           zip(steps, pairwise(order), strict=True)):  # fmt: skip
        return None
    for name in apart:
        entries = [arm.fields[name] for arm in arms if name in arm.fields]
        if not all(entry.required and is_alike_entry(entries[0], entry) for entry in entries):
            return None
    added = {order[0].value: "none of them"}
    for arm, step in zip(order[1:], steps, strict=True):
        added[arm.value] = f'"{next(iter(step))}" is there'
    return _made(tag, apart, "presence", arms, [added[arm.value] for arm in arms])


def _by_one(tag: str, key: str, arms: Sequence[Arm]) -> Derivation | None:
    """Look at what the arms say of the one field in which they differ."""
    if not all(arm.fields[key].required for arm in arms if key in arm.fields):
        return None
    present = [arm.fields[key].node for arm in arms if key in arm.fields]
    found: _Apart | None
    if len(present) < len(arms):
        found = ("presence", ["there"], True) if len(present) == 1 else _apart(present)
        if len(arms) - len(present) > 1 or found is None:
            return None
        words = iter(found[1])
        told = [next(words) if key in arm.fields else "absent" for arm in arms]
        return _made(tag, [key], "presence", arms, told, found[2])
    found = _apart(present)
    return None if found is None else _made(tag, [key], found[0], arms, found[1], found[2])


def _made(
    tag: str, keys: Sequence[str], how: How, arms: Sequence[Arm], told: Sequence[str], is_exact: bool = True
) -> Derivation | None:
    if how == "presence" and any(arm.value.casefold().replace("-", "_").split("_")[0] in _EFFECTS for arm in arms):
        return None
    return Derivation(tag, tuple(keys), how, tuple(arms), tuple(told), is_exact)


_Apart: TypeAlias = tuple[How, list[str], bool]


def _apart(nodes: Sequence[Node]) -> _Apart | None:
    """Say by what some nodes exclude each other; None when two of them take the same value."""
    for look in (_by_length, _by_type, _by_values, _by_range):
        found = look(nodes)
        if found is not None:
            return found
    return None


def _by_length(nodes: Sequence[Node]) -> _Apart | None:
    forms = [node.form for node in nodes if isinstance(node.form, Listing)]
    if len(forms) < len(nodes) or not all(is_alike_elements(forms[0], form) for form in forms[1:]):
        return None
    spans = [(form.min_items, math.inf if form.max_items is None else form.max_items) for form in forms]
    told = [_span_in_words(*span) for span in spans]
    if _is_disjoint(spans):
        return "length", told, True
    # One arm holds exactly one, another one any number: the tag is not even 1:1, and says nothing all the same.
    alone = [span for span in spans if span == (1, 1)]
    others = [span for span in spans if span != (1, 1)]
    if len(alone) == 1 and len(others) == 1 and others[0][1] > 1:
        return "length", told, False
    return None


def _by_type(nodes: Sequence[Node]) -> _Apart | None:
    kinds = [kinds_of(node) for node in nodes]
    if any(not each for each in kinds) or sum(map(len, kinds)) != len(frozenset().union(*kinds)):
        return None
    return "type", [" or ".join(sorted(each)) for each in kinds], True


def kinds_of(node: Node, met: frozenset[int] = frozenset()) -> frozenset[str]:
    """Return the JSON types of a node's values; an integer is a number."""
    if id(node) in met:
        return frozenset()
    form = node.form
    if form is None:
        return frozenset().union(*(kinds_of(arm, met | {id(node)}) for arm in node.arms))
    if isinstance(form, Loose):
        return frozenset(form.kinds)
    if isinstance(form, Choice):
        return frozenset(map(kind_of, form.values))
    if isinstance(form, Scalar):
        return frozenset({"number" if form.kind == "integer" else form.kind})
    return frozenset({"array" if isinstance(form, Listing) else "object"})


def _by_values(nodes: Sequence[Node]) -> _Apart | None:
    forms = [node.form for node in nodes if isinstance(node.form, Choice)]
    if len(forms) < len(nodes):
        return None
    values = [value for form in forms for value in form.values]
    if any(is_same(value, other) for index, value in enumerate(values) for other in values[:index]):
        return None
    return "values", [" or ".join(f'"{value}"' for value in form.values) for form in forms], True


def _by_range(nodes: Sequence[Node]) -> _Apart | None:
    forms = [node.form for node in nodes if isinstance(node.form, Scalar)]
    if len(forms) < len(nodes) or {form.kind for form in forms} - {"integer", "number"}:
        return None
    is_whole = all(form.kind == "integer" for form in forms)
    spans = [_range_of(form, is_whole=is_whole) for form in forms]
    if None in spans or not _is_disjoint([span for span in spans if span is not None]):
        return None
    return "range", [_span_in_words(*span) for span in spans if span is not None], True


def _range_of(form: Scalar, *, is_whole: bool) -> tuple[float, float] | None:
    """Return the least and the largest number; None when a bound is exclusive and numbers are not whole."""
    bounds = {rule.keyword: rule.value for rule in form.rules}
    if not is_whole and {"exclusiveMinimum", "exclusiveMaximum"} & bounds.keys():
        return None
    low = bounds.get("minimum", bounds.get("exclusiveMinimum", -math.inf - 1) + 1)
    high = bounds.get("maximum", bounds.get("exclusiveMaximum", math.inf) - 1)
    return (low, high)


def _is_disjoint(spans: Sequence[tuple[float, float]]) -> bool:
    ordered = sorted(spans)
    return all(less[1] < more[0] for less, more in pairwise(ordered))


def _span_in_words(low: float, high: float) -> str:
    if low == high:
        return f"{low:g}"
    if math.isinf(high):
        return f"{low:g} or more"
    return f"at most {high:g}" if math.isinf(low) or low == 0 else f"{low:g} to {high:g}"
