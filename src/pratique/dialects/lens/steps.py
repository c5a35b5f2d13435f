"""Lenses: reversible rewrites between the contract's own shape and the shape a provider was asked for.

``out`` leads a value of the contract to the wire, ``back`` leads a text from the wire. The way back moves parts
of the text and writes none anew, but for what was written as text inside a string: numbers keep their digits,
and every character keeps its place. What does not have the wire's shape is left as it is, for the contract to judge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jiter

from pratique.dialects.lens.parts import MAX_PART_DEPTH, Member, Part, TooDeep, parts_of, unquoted
from pratique.dialects.nodes.fitting import fits
from pratique.dialects.nodes.node import Node, Record, kind_of
from pratique.dialects.nodes.reading import is_same
from pratique.terms.lens import Change, Fault
from pratique.text import decode_json_string

__all__ = [
    "Arm", "Boxed", "Elements", "Encoded", "Fields", "Late", "Listed", "Optional", "Pairs", "Same", "Slots", "Spelled",
    "Step", "Union", "UnitLens", "Whole", "Wrapped", "settle",
]  # fmt: skip


class Misshapen(ValueError):
    """A part has the marks of the wire's shape and is not that shape: internal to a lens, which tells it as a Fault."""

    def __init__(self, part: Part, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(part.start, part.end, message)


class Step:
    """One rewrite at one place of a value."""

    __slots__ = ("idle",)

    moves = False
    """Whether it changes something itself."""
    wants = ""
    """The JSON type it has on the wire, where a text that encodes it may be decoded once; empty: none."""

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
    """Lead one part back, unless there is nothing to do.

    What comes as a string that wholly encodes what is wanted is decoded once, as the boundary does; but here, since
    what is inside is still in the wire's shape.
    """
    if step.idle:
        return []
    if part.kind == "string" and step.wants:
        return _decoded(step, text, part)
    return step.back(text, part)


def _decoded(step: Step, text: str, part: Part) -> list[Change]:
    found = decode_json_string(text, part.start + 1, part.end - 1)
    if found is None or found[0].lstrip(" \t\r\n")[:1] not in ("{", "["):
        return []
    inner = parts_of(found[0])
    if inner is None or inner.kind != step.wants:
        return []
    try:
        after = rendered(step, found[0], inner)
    except Misshapen as misshapen:
        raise Misshapen(part, str(misshapen)) from misshapen
    return [Change(part.start, part.end, after, "repair.decoded_once")]


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

    @property
    def wants(self) -> str:  # type: ignore[override]  # known when it is made
        """The JSON type of what it stands for."""
        return self._table[self.key].wants

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

    __slots__ = ("extras", "moves", "passes", "rest", "slots")

    wants = "object"

    def __init__(
        self, slots: Mapping[str, Slot], rest: Step, extras: str | None = None, *, extras_required: bool = False
    ) -> None:
        super().__init__()
        self.slots = dict(slots)
        self.rest = rest
        self.extras = extras
        self.passes: str | None = None
        """A key that is not on the wire, and whose member stays as it is: the tag, where a tool's name says it."""
        if extras is not None:
            self.slots[extras] = Slot(Same(), extras_required)
        self.moves = extras is not None or any(slot.null_is_absent for slot in slots.values())

    def below(self) -> Iterator[Step]:
        yield from (slot.step for slot in self.slots.values())
        yield self.rest

    def out(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        named = (self.slots.keys() | {self.passes}) - {self.extras}
        others = {key: self.rest.out(part) for key, part in value.items() if key not in named}
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
                inner = turned(self.rest, text, member.value) if member.key != self.passes else []
            elif member.key == self.extras:
                pairs = self._extras(text, member.value)
                leaves = not pairs
                inner = _joined(text, member.start, member.value, pairs, self.rest) if pairs else []
            elif slot.null_is_absent and member.value.kind == "null":
                leaves = True
            else:
                inner = turned(slot.step, text, member.value)
            changes.append(inner)
            gone.append(leaves)
        return _without(part.members, changes, gone)

    def _extras(self, text: str, part: Part) -> list[tuple[Part, Part]]:
        """Return the pairs of the fields that have no name of their own."""
        pairs = _pairs(part)
        if pairs is None:
            raise Misshapen(part, "expected a list of objects with a key and a value")
        for key, _ in pairs:
            if unquoted(text[key.start : key.end]) in self.slots:
                raise Misshapen(key, "a pair may not name what has a field of its own")
        return pairs


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

    wants = "array"

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
    wants = "object"

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
        moved = self._in_place(text, part)
        if moved is not None:
            return moved
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

    def _in_place(self, text: str, part: Part) -> list[Change] | None:
        """Lead the usual form back: every place there and in order, so that nothing has to move."""
        names = [slot_name(index) for index in range(len(self.prefix))]
        if not part.members or [member.key for member in part.members] != names:
            return None
        changes: list[Change] = []
        at, before = part.start, "["
        for slot, member in zip(self.prefix, part.members, strict=True):
            if slot.null_is_absent and member.value.kind == "null":
                return None
            changes.append(Change(at, member.value.start, before))
            changes += turned(slot.step, text, member.value)
            at, before = member.value.end, ", "
        return [*changes, Change(at, part.end, "]")]


REST = "rest"


def slot_name(index: int) -> str:
    """Name the element of a list by its place."""
    return f"_{index}"


class Pairs(Step):
    """An object with free keys, written as a list of ``{"key": …, "value": …}``."""

    __slots__ = ("value",)

    moves = True
    wants = "array"

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
        if part.kind != "array":
            return []
        pairs = _pairs(part)
        if pairs is None:
            raise Misshapen(part, "expected a list of objects with a key and a value")
        return _joined(text, part.start, part, pairs, self.value, opening="{", closing="}")


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
) -> list[Change]:
    """Write a list of pairs, from ``start`` on, as members of an object; each key and value stays where it is."""
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
        before = ", "
    return [*changes, Change(at, part.end, closing)]


_RE_CONTROL = re.compile(r"[\x00-\x1f]")


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
        if decoded is None or _RE_CONTROL.search(text, part.start, part.end):
            return []  # no JSON string: the validator says so
        written = decoded[0].strip(" \t\r\n")
        try:
            jiter.from_json(written.encode("utf-8", "surrogatepass"), allow_inf_nan=False)
        except ValueError as error:
            if written[:1] in ("{", "[", '"'):
                raise Misshapen(part, "expected JSON text in this string; it begins like JSON and is none") from error
            return []  # a bare word is the string itself
        return [Change(part.start, part.end, written)]


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
    wants = "object"

    def __init__(self, step: Step) -> None:
        super().__init__()
        self.step = step

    def below(self) -> Iterator[Step]:
        yield self.step

    def out(self, value: Any) -> Any:
        return {"value": self.step.out(value)}

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind == "object" and len(part.members) > 1 and part.member("value") is not None:
            raise Misshapen(part, "expected an object with a value alone, or null")
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
    wants = "object"

    def __init__(self, key: str, step: Step) -> None:
        super().__init__()
        self.key, self.step = key, step

    def below(self) -> Iterator[Step]:
        yield self.step

    def out(self, value: Any) -> Any:
        return {self.key: self.step.out(value)}

    def back(self, text: str, part: Part) -> list[Change]:
        if part.kind == "object" and part.member(self.key) is None:
            return turned(self.step, text, part)  # the value without its wrapper is the value
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

    __slots__ = ("arms", "wants")

    def __init__(self, arms: Sequence[Arm]) -> None:
        super().__init__()
        self.arms = tuple(arms)
        kinds = {kind for arm in arms for kind in arm.wire_kinds} - {"null"}
        self.wants = kinds.pop() if len(kinds) == 1 and kinds <= {"object", "array"} else ""

    def below(self) -> Iterator[Step]:
        yield from (arm.step for arm in self.arms)

    def out(self, value: Any) -> Any:
        arm = chosen(self.arms, value)
        return value if arm is None else arm.step.out(value)

    def back(self, text: str, part: Part) -> list[Change]:
        fitting = [arm for arm in self.arms if part.kind in arm.wire_kinds]
        if len(fitting) > 1:
            tagged = [(arm, _tag_in(arm, text, part)) for arm in fitting]
            fitting = [arm for arm, written in tagged if arm.tag is not None and written in arm.tag[1]]
            if not fitting:  # the letter case of a tag is for the boundary to restore
                fitting = [arm for arm, written in tagged if arm.tag is not None and _is_near(written, arm.tag[1])]
        return turned(fitting[0].step, text, part) if len(fitting) == 1 else []


def _tag_in(arm: Arm, text: str, part: Part) -> str | None:
    """Return what an object says under an arm's tag key."""
    member = part.member(arm.tag[0]) if arm.tag is not None else None
    if member is None or member.value.kind != "string":
        return None
    return unquoted(text[member.value.start : member.value.end])


def _is_near(written: str | None, values: Iterable[str]) -> bool:
    return written is not None and any(written.casefold() == value.casefold() for value in values)


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
    wants = "object"

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
        value = part.member("value") if part.kind == "object" else None
        if named is None:
            return []  # perhaps the contract's own shape
        word = unquoted(text[named.value.start : named.value.end]).casefold()
        arm = next((arm for arm in self.arms if arm.name.casefold() == word), None)
        if arm is None or value is None or len(part.members) != 2 or value.value.kind not in arm.wire_kinds:
            raise Misshapen(part, "expected an object with a variant that there is, and a value of that variant")
        self._require_read_as(arm, text, value.value)
        changes = _unboxed(text, part, "value", arm.step, 1)
        if unquoted(text[named.value.start : named.value.end]) == arm.name:
            return changes
        place = 0 if named.value.start < value.value.start else len(changes) - 1
        return [
            change._replace(edit="repair.case_restored") if index == place else change
            for index, change in enumerate(changes)
        ]

    def _require_read_as(self, arm: Arm, text: str, part: Part) -> None:
        """Refuse a value that the contract would read as another variant than the one it is named."""
        if not isinstance(arm.node.form, Record):
            return
        for other in self.arms:
            if other is arm:
                return
            if isinstance(other.node.form, Record) and fits(other.node, _read(rendered(arm.step, text, part))):
                raise Misshapen(
                    part, f"it is named {arm.name}, and the contract would read it as {other.name}: "
                    "the variants need a field that tells them apart"
                )  # fmt: skip


def _read(text: str) -> Any:
    """Read a JSON text; what is none fits nothing."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


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

    def changes(self, text: str) -> list[Change] | Fault | None:
        """Return what has to change in ``text``; None when it is no JSON."""
        try:
            root = parts_of(text)
            return (
                None if root is None else [change for change in turned(self.step, text, root) if _tells(text, change)]
            )
        except TooDeep as deep:
            return Fault(deep.args[0], deep.args[0] + 1, f"nested deeper than {MAX_PART_DEPTH} levels")
        except Misshapen as misshapen:
            return misshapen.fault

    def out(self, value: Any) -> Any:
        """Return the wire's form of a contract's value."""
        return self.step.out(value)

    def back(self, value: Any) -> Any:
        """Return the contract's form of a wire value: the way of ``changes``, through its JSON text.

        Errors: ValueError for what the boundary refuses on the way: a key that comes twice, a fault.
        """
        text = json.dumps(value, ensure_ascii=False)
        pieces: list[str] = []
        at = 0
        changes = self.changes(text) or ()
        if isinstance(changes, Fault):
            raise ValueError(changes.message)
        for change in changes:
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
