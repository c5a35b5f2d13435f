"""The lists of values in a schema: an ``enum``, or a union of constants, which says the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pratique.dialects.nodes.node import Choice, Node, Scalar
from pratique.lint.view import Spot, View

__all__ = ["Vocabulary", "bare", "vocabularies"]

_TOLD_BESIDE = ("enumDescriptions", "x-enumDescriptions", "x-enum-descriptions")
"""Where tools write a text for each value of an enum; the first is that of VS Code."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """One list of at least two values."""

    spot: Spot
    values: tuple[Any, ...]
    """Without null: it says that there is no value."""
    told: tuple[str, ...]
    """What is said of each value in words; empty where nothing is."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The values that are texts."""
        return tuple(value for value in self.values if isinstance(value, str))


@lru_cache(maxsize=16)
def vocabularies(view: View) -> tuple[Vocabulary, ...]:
    """Return the lists of values of one schema, each once; kept for the next rule that asks.

    Limits: linear in the schema.
    """
    return tuple(found for found in _found(view) if len(found.values) > 1)


def bare(node: Node) -> Node:
    """Return what a value is when it is not null: the only other arm, else the node itself."""
    arms = [arm for arm in node.arms if not (isinstance(arm.form, Scalar) and arm.form.kind == "null")]
    return arms[0] if len(arms) == 1 else node


def _found(view: View) -> Iterator[Vocabulary]:
    joined: set[int] = set()
    for spot in view.spots:
        if isinstance(spot.node.form, Choice) and id(spot.node) not in joined:
            yield _made(spot, dict(_told(view, spot.node)))
        arms = [arm for arm in spot.node.arms if not (isinstance(arm.form, Scalar) and arm.form.kind == "null")]
        if len(arms) > 1 and all(isinstance(arm.form, Choice) for arm in arms):
            joined.update(map(id, arms))
            yield _made(spot, {key: pair for arm in arms for key, pair in _told(view, arm)})


def _made(spot: Spot, told: Mapping[Any, tuple[Any, str]]) -> Vocabulary:
    pairs = [pair for pair in told.values() if pair[0] is not None]
    return Vocabulary(spot, tuple(value for value, _ in pairs), tuple(words for _, words in pairs))


def _told(view: View, node: Node) -> Iterator[tuple[Any, tuple[Any, str]]]:
    """Yield the values of an enum or a constant, each with what is said of it; the key tells equal values."""
    assert isinstance(node.form, Choice)
    said = view.said(view.place_of(node))
    beside: list[Any] = next((said[key] for key in _TOLD_BESIDE if isinstance(said.get(key), list)), [])
    alone = said.get("description") if "const" in said or len(node.form.values) == 1 else ""
    for index, value in enumerate(node.form.values):
        words = beside[index] if index < len(beside) else alone
        yield (type(value).__name__, str(value)), (value, words.strip() if isinstance(words, str) else "")
