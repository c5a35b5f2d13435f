"""What a compiled type is to the boundary: a validator, and what is known of the type beforehand.

Two makers: ``terms.strict`` (Pydantic models, dataclasses, TypedDicts, unions) and ``terms.json_schema``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pydantic_core import CoreSchema

from pratique.terms.lens import Lens

__all__ = ["KeyCounter", "Shape", "Validator"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Validator(Protocol[T_co]):
    """Read one JSON text as a value, or raise pydantic's ``ValidationError``."""

    def validate_json(self, text: str, /, *, context: Mapping[str, Any] | None = None) -> T_co:
        """Return the value of ``text``."""


class KeyCounter:
    """Count the JSON keys that values account for: what is more than that was written twice."""

    __slots__ = ()

    def __call__(self, value: Any) -> int:
        """Return how many keys the producer must have written to give ``value``."""
        raise NotImplementedError

    def total(self, values: Sequence[Any]) -> int:
        """Return the same for many values."""
        return sum(map(self, values))


@dataclass(frozen=True, slots=True)
class Shape(Generic[T]):
    """Hold one compiled type: strict, closed, finite, whatever its own configuration says.

    With a lens, two shapes meet here. What is looked for in a text speaks of the text as a producer writes it:
    ``schema``, the ``keys``, ``nested_any``, ``tags``, ``tools``. All else speaks of the contract's own shape.
    """

    validator: Validator[T]
    schema: Mapping[str, Any]
    """JSON Schema of what is accepted (draft 2020-12)."""
    core: CoreSchema | None
    """The rewritten core schema, when there is one; the fast path builds on it."""
    keys: frozenset[str]
    """Keys of the object itself, over all arms of a union. Empty: any key may come."""
    all_keys: frozenset[str]
    """Keys at any depth."""
    shared_keys: frozenset[str]
    """Keys of the object that objects in lists inside it have too: no place to resynchronise."""
    nested_any: bool
    """Lists of objects with unknown keys may stand inside."""
    bounded: bool
    """Depth, strings and finiteness are already held by the validator; else they are checked apart."""
    depth: int
    """Deepest nesting the type allows, levels; 0 when unknown."""
    choices: Mapping[str, frozenset[str]]
    """Every enumerated string by its case-folded form."""
    tags: Mapping[str, str]
    """Tag value -> tag key, for a tagged union. A tag is never rewritten by a lens."""
    references: frozenset[str]
    audit_only: tuple[str, ...]
    count_keys: KeyCounter | None
    """JSON keys that a value accounts for; None when that cannot be told."""
    defaulted: Callable[[Any], tuple[str, ...]] = field(default=lambda _: ())
    """Names of the fields that the producer left out and the type filled in."""
    beyond_schema: tuple[str, ...] = ()
    """Rules that the JSON Schema does not show: validators, marks, spellings. They count for the fingerprint."""
    any_object: bool = False
    """An object without any of its keys may be the unit: none is looked for inside another one."""
    lens: Lens | None = None
    """Leads the text of a unit from a producer's shape to the one that ``validator`` reads; None: they are one."""
    tools: Mapping[str, str] = field(default_factory=dict)
    """Tool name -> tag value, for tools that are not called by the tag itself."""

    python: Any = None
    """The type that it was compiled from; None for a JSON Schema."""

    def tag_of(self, tool: str) -> str | None:
        """Return the tag of the variant that a tool stands for; None when it stands for none."""
        tag = self.tools.get(tool, tool)
        return tag if tag in self.tags else None
