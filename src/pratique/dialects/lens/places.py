"""Lists, element by element, and lists whose elements are told apart by place as objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pratique.dialects.lens.fields import Slot
from pratique.dialects.lens.parts import Part
from pratique.dialects.lens.step import Misshapen, Step, rendered, turned
from pratique.terms.lens import Change

__all__ = ["REST", "Elements", "Slots", "slot_name"]


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
        changes: list[Change] = []
        for index, element in enumerate(part.elements):
            try:
                changes += turned(self._step(index), text, element)
            except Misshapen as misshapen:
                raise misshapen.under(index) from None
        return changes


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
        if not any(key == REST or key.removeprefix("_").isdigit() for key in held):
            return []  # perhaps the contract's own shape
        if len(held) != len(part.members):
            raise Misshapen(part, self._wanted())
        listed: list[str] = []
        ended = False
        for index, slot in enumerate(self.prefix):
            member = held.pop(slot_name(index), None)
            left_out = member is None or (slot.null_is_absent and member.value.kind == "null")
            if left_out:
                ended = True
            elif ended:
                raise Misshapen(part, self._wanted())  # a gap: no list has one
            else:
                assert member is not None
                listed.append(rendered(slot.step, text, member.value))
        others = held.pop(REST, None)
        if held:
            raise Misshapen(part, self._wanted())
        if others is not None:
            if self.items is None or others.value.kind != "array" or (ended and others.value.elements):
                raise Misshapen(part, self._wanted())
            listed += [rendered(self.items, text, element) for element in others.value.elements]
        return [Change(part.start, part.end, f"[{', '.join(listed)}]")]

    def _wanted(self) -> str:
        names = ", ".join(slot_name(index) for index in range(len(self.prefix)))
        return f"expected an object with {names}{', and a list under rest' if self.items is not None else ''}"

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
