"""Find out whether a tag says anything that the rest of the object does not say.

Source 001: derive, don't discriminate.

A union's arms are compared without their tag. When they share all fields but one, and what they say of that one
excludes each other (a length, a presence, a type, values, a range), then the tag is a second telling of the same
thing: a producer can get it wrong, and nothing is gained when it gets it right.

An arm may also hold one element itself where another arm holds a list of them: then it counts as a list of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pratique.dialects.nodes.node import Choice, Entry, Listing, Node, Record
from pratique.lint.apart import Apart, How, apart, in_words
from pratique.lint.likeness import is_alike, is_alike_entry

__all__ = ["Arm", "Derivation", "derivation_of"]

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
    value: str | int
    """Its tag: a text, a number, or a truth value."""
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
        each = ", ".join(f"{in_words(arm.value)} = {told}" for arm, told in zip(self.arms, self.told, strict=True))
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
    """Yield the keys whose one listed value tells all arms apart.

    An arm with several values of the tag is left alone: which of them was meant cannot be derived.
    """
    records = [arm.form for arm in arms if isinstance(arm.form, Record)]
    for key in records[0].fields:
        forms = [record.fields[key].node.form if key in record.fields else None for record in records]
        values = [form.values if isinstance(form, Choice) else () for form in forms]
        flat = [value for each in values for value in each]
        is_tag = all(len(each) == 1 and isinstance(each[0], (str, int)) for each in values)
        if is_tag and len(set(flat)) == len(flat):  # True is 1 to Python: such a tag is none
            yield key


def _without_tag(arm: Node, tag: str) -> Arm:
    assert isinstance(arm.form, Record)
    form = arm.form.fields[tag].node.form
    assert isinstance(form, Choice)
    return Arm(arm, form.values[0], {name: entry for name, entry in arm.form.fields.items() if name != tag})


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
    found: Apart | None
    if len(present) < len(arms):
        found = ("presence", ["there"], True) if len(present) == 1 else apart(present)
        if len(arms) - len(present) > 1 or found is None:
            return None
        words = iter(found[1])
        told = [next(words) if key in arm.fields else "absent" for arm in arms]
        return _made(tag, [key], "presence", arms, told, found[2])
    found = apart(present)
    return None if found is None else _made(tag, [key], found[0], arms, found[1], found[2])


def _made(
    tag: str, keys: Sequence[str], how: How, arms: Sequence[Arm], told: Sequence[str], is_exact: bool = True
) -> Derivation | None:
    if how == "presence" and any(_is_effect(arm.value) for arm in arms):
        return None
    forms = [arm.node.form for arm in arms]
    rests = [form.rest for form in forms if isinstance(form, Record) and form.rest is not None]
    if not all(is_alike(rests[0], other) for other in rests[1:]):  # what else may be there is told by the tag, too
        return None
    return Derivation(tag, tuple(keys), how, tuple(arms), tuple(told), is_exact)


def _is_effect(value: str | int) -> bool:
    """Say whether a tag's value is an act or a decision; yes and no are."""
    return isinstance(value, bool) or str(value).casefold().replace("-", "_").split("_")[0] in _EFFECTS
