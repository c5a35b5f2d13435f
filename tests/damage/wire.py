"""A contract as a provider was asked for it: another shape, and a lens that leads back. A fake, for the boundary.

The producer's shape of a unit: ``title`` for ``name``; ``box``, an object around ``size`` alone; ``counts``, a list
of pairs for a map; ``note``, null for an absent field; ``more``, a string that holds JSON for any value. The
producer's shape of the envelope: ``about`` for ``summary``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from pratique import Contract
from pratique.terms import Change

__all__ = [
    "FakeLens",
    "Item",
    "Member",
    "Summary",
    "elements",
    "lead_item",
    "members",
    "rename_about",
    "to_contract",
    "wired",
]

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()

WIRE_KEYS = frozenset({"title", "box", "counts", "note", "action", "more"})
"""Keys of the unit as a producer writes it."""


class Item(BaseModel):
    """The contract's own shape."""

    name: str
    size: Annotated[int, Field(ge=1)]
    action: Literal["park", "go"] = "park"
    counts: Annotated[dict[str, int], Field(max_length=3)] = {}
    note: str | None = "none was given"
    more: Any = None


class Summary(BaseModel):
    """The contract's own envelope."""

    summary: Annotated[str, Field(max_length=10)]


class Member(NamedTuple):
    """One member of an object. Units: offsets into the text."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None  # it matches the empty text
    return found.end()


def members(text: str, at: int) -> Iterator[Member]:
    """Yield the members of the object that opens at ``at``, in a text that is JSON."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, key_end = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, key_end) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield Member(key, at, key_end, start, end)
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the elements of the list that opens at ``at``, in a text that is JSON."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


class FakeLens:
    """Lead a text back by one rule a member; remember every text that came."""

    def __init__(self, rule: Callable[[str, Member], Iterator[Change]]) -> None:
        self.seen: list[str] = []
        self._rule = rule

    def changes(self, text: str) -> list[Change] | None:
        """See ``pratique.terms.Lens``."""
        self.seen.append(text)
        try:
            tree = json.loads(text)
        except ValueError:
            return None
        if not isinstance(tree, dict):
            return []
        start = _skip(text, 0)
        return sorted(change for member in members(text, start) for change in self._rule(text, member))


def lead_item(text: str, member: Member) -> Iterator[Change]:
    """Lead one member of a unit back."""
    key, key_start, key_end, start, end = member
    if key == "title":
        yield Change(key_start, key_end, '"name"')
    elif key == "box" and text[start] == "{":
        inside = list(members(text, start))
        if [one.key for one in inside] == ["size"]:
            yield Change(key_start, inside[0].key_start, "")
            yield Change(inside[0].end, end, "")
    elif key == "counts" and text[start] == "[":
        yield from _to_map(text, start, end)
    elif key == "note" and text[start:end] == "null":
        before = text[:key_start].rstrip()
        if before.endswith(","):
            yield Change(len(before) - 1, end, "")
        else:
            after = _skip(text, end)
            yield Change(key_start, _skip(text, after + 1) if text[after] == "," else end, "")
    elif key == "more" and text[start] == '"':
        yield Change(start, end, json.loads(text[start:end]))


def _to_map(text: str, start: int, end: int) -> Iterator[Change]:
    """Make a map of a list of pairs; what is no pair stays as it is."""
    pairs = [(place, list(members(text, place[0]))) for place in elements(text, start) if text[place[0]] == "{"]
    if any([one.key for one in inside] != ["key", "value"] for _, inside in pairs):
        return
    yield Change(start, start + 1, "{")
    for (begin, stop), (key, value) in pairs:
        yield Change(begin, key.start, "")
        yield Change(key.end, value.start, ": ")
        yield Change(value.end, stop, "")
    yield Change(end - 1, end, "}")


def rename_about(_: str, member: Member) -> Iterator[Change]:
    """Lead one member of the envelope back."""
    if member.key == "about":
        yield Change(member.key_start, member.key_end, '"summary"')


def wired(contract: Contract[Any], **changed: Any) -> tuple[Contract[Any], FakeLens]:
    """Return a contract of ``Item`` in the producer's shape, and its unit's lens."""
    lens = FakeLens(lead_item)
    terms = contract.terms
    unit = replace(
        terms.unit, lens=lens, keys=WIRE_KEYS, all_keys=WIRE_KEYS | {"key", "value", "size"}, shared_keys=frozenset(),
        nested_any=False,
    )  # fmt: skip
    envelope = terms.envelope
    if envelope is not None:
        about = frozenset({"about"})
        envelope = replace(envelope, lens=FakeLens(rename_about), keys=about, all_keys=about)
    return Contract(replace(terms, unit=unit, envelope=envelope, **changed)), lens


def to_contract(value: dict[str, Any]) -> dict[str, Any]:
    """Lead a value back, as plain Python would: what the lens must do to its text."""
    led = dict(value)
    if "title" in led:
        led["name"] = led.pop("title")
    if "box" in led:
        led["size"] = led.pop("box")["size"]
    if "counts" in led:
        led["counts"] = {pair["key"]: pair["value"] for pair in led["counts"]}
    if led.get("note", "") is None:
        del led["note"]
    if isinstance(led.get("more"), str):
        led["more"] = json.loads(led["more"])
    return led
