"""One rewrite at one place of a value, and what is common to all: how a part is led back and how it reads then.

``out`` leads a value of the contract to the wire, ``back`` leads a text from the wire. The way back moves parts of the
text and writes none anew, but for what was written as text inside a string: numbers keep their digits, and every
character keeps its place. What does not have the wire's shape is left as it is, for the contract to judge; what has its
marks and not its shape is a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pratique.dialects.lens.parts import Part, parts_of
from pratique.dialects.nodes.reading import is_same
from pratique.terms.lens import Change, Fault
from pratique.text import decode_json_string

__all__ = ["Late", "Listed", "Misshapen", "Same", "Step", "Whole", "applied", "rendered", "settle", "turned"]


class Misshapen(ValueError):
    """A part has the marks of the wire's shape and is not that shape: internal to a lens, which tells it as a Fault."""

    def __init__(self, part: Part, message: str) -> None:
        super().__init__(message)
        self.place = (part.start, part.end)
        self.loc: tuple[str | int, ...] = ()
        """Where in the value; each step on the way up puts its own key before."""

    @property
    def fault(self) -> Fault:
        """What the boundary is told."""
        return Fault(*self.place, str(self), self.loc)

    def under(self, key: str | int) -> Misshapen:
        """Return it as it is seen from one level further out."""
        self.loc = (key, *self.loc)
        return self


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
    return applied(turned(step, text, part), text, part.start, part.end)


def applied(changes: Iterable[Change], text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` with its changes made."""
    pieces: list[str] = []
    at = start
    for change in changes:
        pieces += (text[at : change.start], change.after)
        at = change.end
    return "".join((*pieces, text[at:end]))


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


def settle(root: Step) -> None:
    """Note which steps change nothing."""
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
