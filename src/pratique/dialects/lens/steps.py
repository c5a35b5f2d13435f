"""Lenses: reversible rewrites between the contract's own shape and the shape a provider was asked for.

``out`` leads a value of the contract to the wire, ``back`` leads a text from the wire. The way back moves parts
of the text and writes none anew, but for what was written as text inside a string: numbers keep their digits,
and every character keeps its place. What does not have the wire's shape is left as it is, for the contract to judge.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jiter

from pratique.dialects.lens.parts import Member, Part, parts_of, unquoted
from pratique.dialects.nodes.fitting import fits
from pratique.dialects.nodes.node import Node, kind_of
from pratique.dialects.nodes.reading import is_same
from pratique.terms.lens import Change
from pratique.text import decode_json_string

__all__ = [
    "Arm", "Boxed", "Elements", "Encoded", "Fields", "Late", "Listed", "Optional", "Pairs", "Same", "Slots", "Spelled",
    "Step", "Union", "UnitLens", "Whole", "Wrapped", "settle",
]  # fmt: skip


class Step:
    """One rewrite at one place of a value."""

    __slots__ = ("idle",)

    moves = False
    """Whether it changes something itself."""

    def __init__(self) -> None:
        self.idle = False
        """Neither it nor any step below it changes a text on the way back."""

    def below(self) -> Iterator[Step]:
        """Yield the steps directly below."""
        yield from ()

    def out(self, value: Any) -> Any:
        """Return the wire's form of a contract's value."""
        return value

    def back(self, text: str, part: Part) -> list[Change]:
        """Return what has to change in ``text`` so that ``part`` has the contract's shape."""
        del text, part
        return []


def turned(step: Step, text: str, part: Part) -> list[Change]:
    """Lead one part back, unless there is nothing to do."""
    return [] if step.idle else step.back(text, part)


def rendered(step: Step, text: str, part: Part) -> str:
    """Return the text of one part in the contract's shape."""
    pieces: list[str] = []
    at = part.start
    for change in turned(step, text, part):
        pieces += (text[at : change.start], change.after)
        at = change.end
    return "".join((*pieces, text[at : part.end]))


class Same(Step):
    """Nothing to rewrite."""

    __slots__ = ()


class Whole(Step):
    """A number: 75.0 is an integer and a multiple of 0.25 to JSON Schema; a grammar wants it without the fraction."""

    __slots__ = ()

    def out(self, value: Any) -> Any:
        return int(value) if isinstance(value, float) and value.is_integer() else value


class Listed(Step):
    """One of a few values, written as it is listed: 1 for 1.0, keys in the listed order."""

    __slots__ = ("_values",)

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__()
        self._values = tuple(values)

    def out(self, value: Any) -> Any:
        return next((listed for listed in self._values if is_same(listed, value)), value)


class Late(Step):
    """A step that is made later: the inside of a recursive definition."""

    __slots__ = ("_table", "key")

    def __init__(self, table: Mapping[Any, Step], key: Any) -> None:
        super().__init__()
        self._table, self.key = table, key

    def below(self) -> Iterator[Step]:
        yield self._table[self.key]

    def out(self, value: Any) -> Any:
        return self._table[self.key].out(value)

    def back(self, text: str, part: Part) -> list[Change]:
        return turned(self._table[self.key], text, part)


@dataclass(frozen=True, slots=True)
class Slot:
    """How one field of an object is written."""

    step: Step
    required: bool
    """It is always on the wire."""
    null_is_absent: bool = False
    """A null stands for a field that was left out: the wire has no other way to leave it out."""


class Fields(Step):
    """An object, field by field, in the wire's order; what has no name of its own stands as pairs under ``extras``."""

    __slots__ = ("extras", "moves", "rest", "slots")

    def __init__(
        self, slots: Mapping[str, Slot], rest: Step, extras: str | None = None, *, extras_required: bool = False
    ) -> None:
        super().__init__()
        self.slots = dict(slots)
        self.rest = rest
        self.extras = extras
        if extras is not None:
            self.slots[extras] = Slot(Same(), extras_required)
        self.moves = extras is not None or any(slot.null_is_absent for slot in slots.values())

    def below(self) -> Iterator[Step]:
        yield from (slot.step for slot in self.slots.values())
        yield self.rest

    def out(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        others = {
            key: self.rest.out(part) for key, part in value.items() if key not in self.slots or key == self.extras
        }
        found: dict[str, Any] = {}
        for key, slot in self.slots.items():
            if key == self.extras:
                if others or slot.required:
                    found[key] = [{"key": name, "value": part} for name, part in others.items()]
            elif key in value:
                found[key] = slot.step.out(value[key])
            elif slot.required:
                found[key] = None
        return {**found, **others} if self.extras is None else found

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind != "object":
            return []
        changes: list[list[Change]] = []
        gone: list[bool] = []
        for member in part.members:
            slot = self.slots.get(member.key)
            inner: list[Change] = []
            leaves = False
            if slot is None:
                inner = turned(self.rest, text, member.value)
            elif member.key == self.extras:
                pairs = _pairs(member.value)
                leaves = pairs is not None and not pairs
                if pairs:
                    named = self.slots.keys() - {self.extras}
                    inner = _joined(text, member.start, member.value, pairs, self.rest, named=named)
            elif slot.null_is_absent and member.value.kind == "null":
                leaves = True
            else:
                inner = turned(slot.step, text, member.value)
            changes.append(inner)
            gone.append(leaves)
        return _without(part.members, changes, gone)


def _without(members: Sequence[Member], changes: Sequence[list[Change]], gone: Sequence[bool]) -> list[Change]:
    """Take some members out, each with one comma."""
    found: list[Change] = []
    kept_any = False
    last_kept = max((index for index, leaves in enumerate(gone) if not leaves), default=-1)
    for index, member in enumerate(members):
        if not gone[index]:
            found += changes[index]
            kept_any = True
        elif index < last_kept:
            found.append(Change(member.start, members[index + 1].start, ""))
        else:  # nothing that stays comes after it
            start = members[last_kept].value.end if kept_any else member.start
            found.append(Change(start, members[-1].value.end, ""))
            break
    return found


class Elements(Step):
    """A list, element by element."""

    __slots__ = ("items", "prefix")

    def __init__(self, items: Step, prefix: Sequence[Step] = ()) -> None:
        super().__init__()
        self.items, self.prefix = items, tuple(prefix)

    def below(self) -> Iterator[Step]:
        yield self.items
        yield from self.prefix

    def _step(self, index: int) -> Step:
        return self.prefix[index] if index < len(self.prefix) else self.items

    def out(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [self._step(index).out(element) for index, element in enumerate(value)]

    def back(self, text: str, part: Part) -> list[Change]:
        return [
            change for index, element in enumerate(part.elements) for change in turned(self._step(index), text, element)
        ]


class Slots(Step):
    """A list whose elements are told apart by place, written as an object: ``{"_0": …, "_1": …, "rest": […]}``."""

    __slots__ = ("items", "prefix", "required")

    moves = True

    def __init__(self, prefix: Sequence[Slot], items: Step | None, *, rest_required: bool) -> None:
        super().__init__()
        self.prefix = tuple(prefix)
        self.items = items
        self.required = rest_required

    def below(self) -> Iterator[Step]:
        yield from (slot.step for slot in self.prefix)
        if self.items is not None:
            yield self.items

    def out(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        found: dict[str, Any] = {}
        for index, slot in enumerate(self.prefix):
            if index < len(value):
                found[slot_name(index)] = slot.step.out(value[index])
            elif slot.null_is_absent:
                found[slot_name(index)] = None
        others = value[len(self.prefix) :]
        if self.items is not None and (others or self.required):
            found[REST] = [self.items.out(element) for element in others]
        return found

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind != "object":
            return []
        held = {member.key: member for member in part.members}
        if len(held) != len(part.members):
            return []
        listed: list[str] = []
        ended = False
        for index, slot in enumerate(self.prefix):
            member = held.pop(slot_name(index), None)
            left_out = member is None or (slot.null_is_absent and member.value.kind == "null")
            if left_out:
                ended = True
            elif ended:
                return []  # a gap: no list has one
            else:
                assert member is not None
                listed.append(rendered(slot.step, text, member.value))
        others = held.pop(REST, None)
        if held:
            return []
        if others is not None:
            if self.items is None or others.value.kind != "array" or (ended and others.value.elements):
                return []
            listed += [rendered(self.items, text, element) for element in others.value.elements]
        return [Change(part.start, part.end, f"[{', '.join(listed)}]")]


REST = "rest"


def slot_name(index: int) -> str:
    """Name the element of a list by its place."""
    return f"_{index}"


class Pairs(Step):
    """An object with free keys, written as a list of ``{"key": …, "value": …}``."""

    __slots__ = ("value",)

    moves = True

    def __init__(self, value: Step) -> None:
        super().__init__()
        self.value = value

    def below(self) -> Iterator[Step]:
        yield self.value

    def out(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return [{"key": key, "value": self.value.out(part)} for key, part in value.items()]

    def back(self, text: str, part: Part) -> list[Change]:
        pairs = _pairs(part)
        return [] if pairs is None else _joined(text, part.start, part, pairs, self.value, opening="{", closing="}")


def _pairs(part: Part) -> list[tuple[Part, Part]] | None:
    """Return key and value of each pair of a list; None when it is no list of pairs."""
    if part.kind != "array":
        return None
    found = []
    for element in part.elements:
        key, value = element.member("key"), element.member("value")
        if len(element.members) != 2 or key is None or value is None or key.value.kind != "string":
            return None
        found.append((key.value, value.value))
    return found


def _joined(
    text: str,
    start: int,
    part: Part,
    pairs: Sequence[tuple[Part, Part]],
    step: Step,
    *,
    opening: str = "",
    closing: str = "",
    named: Container[str] = (),
) -> list[Change]:
    """Write a list of pairs, from ``start`` on, as members of an object; each key and value stays where it is.

    A pair may not name what has a field of its own (``named``), whether that field is there or not: it would be
    written past what the field asks for. Such a key is written twice, and the boundary refuses it.
    """
    if not pairs:
        return [Change(start, part.end, opening + closing)]
    changes: list[Change] = []
    at, before = start, opening
    for element, (key, value) in zip(part.elements, pairs, strict=True):
        written = text[key.start : key.end]
        if key.start < value.start:
            changes.append(Change(at, key.start, before))
            changes.append(Change(key.end, value.start, ": "))
            changes += turned(step, text, value)
            at = value.end
        else:  # the value came first: it moves
            changes.append(Change(at, element.end, f"{before}{written}: {rendered(step, text, value)}"))
            at = element.end
        twice = f", {written}: null" if unquoted(written) in named else ""
        before = f"{twice}, "
    return [*changes, Change(at, part.end, before.removesuffix(", ") + closing)]


class Encoded(Step):
    """Any value, written as JSON text inside a string."""

    __slots__ = ()

    moves = True

    def out(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False)

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind != "string":
            return []
        decoded = decode_json_string(text, part.start + 1, part.end - 1)
        if decoded is None:
            return []
        try:
            jiter.from_json(decoded[0].encode(), allow_inf_nan=False)
        except ValueError:  # no JSON: it is the string itself; also half a surrogate pair
            return []
        return [Change(part.start, part.end, decoded[0].strip())]


class Spelled(Step):
    """One of a few values, each written as a string."""

    __slots__ = ("_back", "_out")

    moves = True

    def __init__(self, spellings: Mapping[str, Any]) -> None:
        super().__init__()
        self._out = [(value, word) for word, value in spellings.items()]
        self._back = {word: json.dumps(value, ensure_ascii=False) for word, value in spellings.items()}

    def out(self, value: Any) -> Any:
        return next((word for listed, word in self._out if is_same(listed, value)), value)

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind != "string":
            return []
        decoded = decode_json_string(text, part.start + 1, part.end - 1)
        after = self._back.get(decoded[0]) if decoded else None
        return [] if after is None else [Change(part.start, part.end, after)]


class Optional(Step):
    """A field that may be absent and may be null: null for absent, ``{"value": …}`` for what is there."""

    __slots__ = ("step",)

    moves = True

    def __init__(self, step: Step) -> None:
        super().__init__()
        self.step = step

    def below(self) -> Iterator[Step]:
        yield self.step

    def out(self, value: Any) -> Any:
        return {"value": self.step.out(value)}

    def back(self, text: str, part: Part) -> list[Change]:
        return _unboxed(text, part, "value", self.step)


def _unboxed(text: str, part: Part, key: str, step: Step, others: int = 0) -> list[Change]:
    """Put the value under ``key`` in the place of its object, which holds ``others`` members beside it."""
    member = part.member(key) if part.kind == "object" else None
    if member is None or len(part.members) != others + 1:
        return []
    inner = turned(step, text, member.value)
    return [Change(part.start, member.value.start, ""), *inner, Change(member.value.end, part.end, "")]


class Wrapped(Step):
    """A value that stands alone in an object, because the wire wants an object there."""

    __slots__ = ("key", "step")

    moves = True

    def __init__(self, key: str, step: Step) -> None:
        super().__init__()
        self.key, self.step = key, step

    def below(self) -> Iterator[Step]:
        yield self.step

    def out(self, value: Any) -> Any:
        return {self.key: self.step.out(value)}

    def back(self, text: str, part: Part) -> list[Change]:
        return _unboxed(text, part, self.key, self.step)


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a union."""

    node: Node
    step: Step
    kinds: frozenset[str]
    """JSON types of the contract's values."""
    wire_kinds: frozenset[str]
    tag: tuple[str, frozenset[str]] | None = None
    """The key by which objects of the union are told apart, and this arm's values of it."""
    name: str = ""


class Union(Step):
    """One of several forms, told apart by JSON type, then by a tag."""

    __slots__ = ("arms",)

    def __init__(self, arms: Sequence[Arm]) -> None:
        super().__init__()
        self.arms = tuple(arms)

    def below(self) -> Iterator[Step]:
        yield from (arm.step for arm in self.arms)

    def out(self, value: Any) -> Any:
        arm = chosen(self.arms, value)
        return value if arm is None else arm.step.out(value)

    def back(self, text: str, part: Part) -> list[Change]:
        fitting = [arm for arm in self.arms if part.kind in arm.wire_kinds]
        if len(fitting) > 1:
            fitting = [arm for arm in fitting if _has_tag(arm, text, part)]
        return turned(fitting[0].step, text, part) if len(fitting) == 1 else []


def _has_tag(arm: Arm, text: str, part: Part) -> bool:
    """Say whether an object carries an arm's tag; its letter case is for the boundary to restore."""
    member = part.member(arm.tag[0]) if arm.tag is not None else None
    if member is None or arm.tag is None:
        return False
    written = text[member.value.start + 1 : member.value.end - 1].casefold()
    return any(written == value.casefold() for value in arm.tag[1])


def chosen(arms: Sequence[Arm], value: Any) -> Arm | None:
    """Return the arm that a contract's value is of."""
    fitting = [arm for arm in arms if kind_of(value) in arm.kinds]
    if len(fitting) > 1:
        fitting = [arm for arm in fitting if fits(arm.node, value)] or fitting
    return fitting[0] if fitting else None


class Boxed(Step):
    """One of several forms that the wire could not tell apart: ``{"variant": name, "value": …}``; null stays null."""

    __slots__ = ("arms",)

    moves = True

    def __init__(self, arms: Sequence[Arm]) -> None:
        super().__init__()
        self.arms = tuple(arms)

    def below(self) -> Iterator[Step]:
        yield from (arm.step for arm in self.arms)

    def out(self, value: Any) -> Any:
        arm = chosen(self.arms, value)
        if arm is None or arm.wire_kinds == {"null"}:
            return value
        return {"variant": arm.name, "value": arm.step.out(value)}

    def back(self, text: str, part: Part) -> list[Change]:
        named = part.member("variant") if part.kind == "object" else None
        if named is None or named.value.kind != "string":
            return []
        decoded = decode_json_string(text, named.value.start + 1, named.value.end - 1)
        word = decoded[0].casefold() if decoded else ""
        arm = next((arm for arm in self.arms if arm.name.casefold() == word), None)
        return [] if arm is None else _unboxed(text, part, "value", arm.step, 1)


def settle(root: Step) -> bool:
    """Note which steps change nothing; say whether the whole does."""
    found: dict[int, Step] = {}
    above: dict[int, list[Step]] = {}
    ahead = [root]
    while ahead:
        step = ahead.pop()
        if id(step) in found:
            continue
        found[id(step)] = step
        step.idle = True
        for inner in step.below():
            above.setdefault(id(inner), []).append(step)
            ahead.append(inner)
    busy = [step for step in found.values() if step.moves]
    while busy:
        step = busy.pop()
        if step.idle:
            step.idle = False
            busy += above.get(id(step), ())
    return not root.idle


@dataclass(frozen=True, slots=True)
class UnitLens:
    """Lead the text of a whole unit, or of an envelope, back from the wire."""

    step: Step = field(default_factory=Same)

    def changes(self, text: str) -> list[Change] | None:
        """Return what has to change in ``text``; None when it is no JSON."""
        root = parts_of(text)
        return None if root is None else [change for change in turned(self.step, text, root) if _tells(text, change)]

    def out(self, value: Any) -> Any:
        """Return the wire's form of a contract's value."""
        return self.step.out(value)

    def back(self, value: Any) -> Any:
        """Return the contract's form of a wire value: the way of ``changes``, through its JSON text.

        Errors: ValueError for a key that comes twice, which the boundary refuses.
        """
        text = json.dumps(value, ensure_ascii=False)
        pieces: list[str] = []
        at = 0
        for change in self.changes(text) or ():
            pieces += (text[at : change.start], change.after)
            at = change.end
        return json.loads("".join((*pieces, text[at:])), object_pairs_hook=_each_once)


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a key comes twice")
    return found


def _tells(text: str, change: Change) -> bool:
    return text[change.start : change.end] != change.after
