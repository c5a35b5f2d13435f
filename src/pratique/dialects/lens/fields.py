"""Objects, field by field, and objects with free keys as lists of pairs.

Neighbours: ``places`` for lists whose elements are told apart by place, ``boxes`` for values alone in an object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pratique.dialects.lens.parts import Member, Part, unquoted
from pratique.dialects.lens.step import Misshapen, Same, Step, rendered, turned
from pratique.terms.lens import Change

__all__ = ["Fields", "Pairs", "Slot"]


@dataclass(frozen=True, slots=True)
class Slot:
    """How one field of an object is written."""

    step: Step
    required: bool
    """It is always on the wire."""
    null_is_absent: bool = False
    """A null stands for a field that was left out: the wire has no other way to leave it out."""
    absent_is_null: bool = False
    """A field that was left out is written as the null that it stands for in the contract; the null stays."""


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
            elif slot.null_is_absent or slot.absent_is_null:
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
                try:
                    pairs = self._extras(text, member.value)
                except Misshapen as misshapen:
                    raise misshapen.under(member.key) from None
                leaves = not pairs
                inner = _joined(text, member.start, member.value, pairs, self.rest) if pairs else []
            elif slot.null_is_absent and member.value.kind == "null":
                leaves = True
            else:
                try:
                    inner = turned(slot.step, text, member.value)
                except Misshapen as misshapen:
                    raise misshapen.under(member.key) from None
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
