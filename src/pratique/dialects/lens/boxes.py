"""Values in an object of their own: beside null, at the root, under the name of their variant; and unions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pratique.dialects.lens.parts import Part, unquoted
from pratique.dialects.lens.step import Misshapen, Step, rendered, turned
from pratique.dialects.nodes.fitting import fits
from pratique.dialects.nodes.node import Node, Record, kind_of
from pratique.terms.lens import Change

__all__ = ["Arm", "Boxed", "Optional", "Union", "Wrapped"]


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
