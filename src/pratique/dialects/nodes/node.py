"""What a schema says, taken apart by JSON type: the form in which the compiler reads it.

JSON Schema says everything by keywords that hold only for some types, joined by ``allOf`` and ``$ref``. A node
says the same by structure: it is either a union of nodes or has one form, of one JSON type. Nodes make a graph:
a recursive schema is a cycle. ``reading`` makes them, ``writing`` writes them out for a provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pratique.dialects.nodes.constraint import Source

__all__ = [
    "Choice",
    "Entry",
    "Form",
    "Listing",
    "Loose",
    "Node",
    "Record",
    "Rule",
    "Scalar",
    "kind_of",
    "kinds_of",
    "sources_of",
]

KINDS = ("object", "array", "string", "number", "boolean", "null")
"""The JSON types, in the order in which the arms of a union of types are written."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One assertion on a form: a keyword, its value, and where it was said."""

    keyword: str
    value: Any
    sources: tuple[Source, ...]
    unlike: str = ""
    """Why it means something else to the contract than to any endpoint; such a rule is never sent."""


@dataclass(frozen=True, slots=True)
class Loose:
    """Any value of some JSON types."""

    kinds: tuple[str, ...] = KINDS
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values."""

    values: tuple[Any, ...]
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, an ``integer`` or ``number``, a boolean, a null."""

    kind: str
    rules: tuple[Rule, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A list: a node for each of the first elements, one for the others (None: there are none)."""

    items: Node | None
    prefix: tuple[Node, ...] = ()
    min_items: int = 0
    max_items: int | None = None
    rules: tuple[Rule, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One named field of a record."""

    node: Node
    required: bool
    described: str = ""
    default: tuple[Any, ...] = ()
    """The declared default, if there is one."""
    sources: tuple[Source, ...] = ()
    """The ``required`` that asks for it."""
    fills: bool = False
    """What is left out is the default: the contract fills it in, so both say the same."""


@dataclass(frozen=True, slots=True)
class Record:
    """An object: its named fields, and a node for the values under other keys (None: there are none)."""

    fields: Mapping[str, Entry]
    rest: Node | None
    rules: tuple[Rule, ...] = ()
    sources: tuple[Source, ...] = ()
    """What the structure itself says: ``type``, ``properties``."""
    rest_sources: tuple[Source, ...] = ()
    """``additionalProperties`` and its kin."""


Form: TypeAlias = Loose | Choice | Scalar | Listing | Record


@dataclass(eq=False, slots=True)
class Node:
    """One place of a value: a union of nodes, or one form. Identity is what makes a cycle."""

    name: str = ""
    """The name of its definition, for ``$defs`` and for the variants of a union."""
    described: str = ""
    arms: tuple[Node, ...] = ()
    form: Form | None = None
    """None for a union."""
    sources: tuple[Source, ...] = ()
    """``anyOf``, ``$ref`` and such: what the node's own structure says."""
    exclusive: tuple[Source, ...] = ()
    """``oneOf``: the arms must not hold together."""
    shared: bool = False
    """It stands in ``$defs`` of the contract's schema."""
    never: bool = False
    """No value fits."""


def kind_of(value: Any) -> str:
    """Return the JSON type of a plain value; an integer is a number."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, (list, tuple)) else "object"


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


def sources_of(node: Node) -> Iterator[Source]:
    """Yield where all that a node says itself was said."""
    yield from node.sources
    yield from node.exclusive
    form = node.form
    if form is None:
        return
    yield from form.sources
    if not isinstance(form, Loose | Choice):
        yield from (source for rule in form.rules for source in rule.sources)
    if isinstance(form, Record):
        yield from form.rest_sources
        yield from (source for entry in form.fields.values() for source in entry.sources)
