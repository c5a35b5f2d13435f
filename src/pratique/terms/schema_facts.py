"""Learn from a JSON Schema what the boundary wants to know of its values before it has seen any.

Which keys an object may have, what may nest in what, which strings are enumerated: ``terms.strict`` learns
the same from a Python type. Nothing here judges a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pratique.errors import Misuse
from pratique.terms.schema_document import EVERY_TYPE, Document, Group, Place, named

__all__ = ["Facts", "facts_of"]

MAX_PLACES = 200_000
"""Schemas looked at to learn of a contract's values, each as often as it is met with others. A schema of a
megabyte that describes each value once has fewer; descriptions of one value that cross each other multiply."""


@dataclass(slots=True)
class Facts:
    """What is known of a schema's values before any is seen. See ``Shape`` for the words."""

    keys: set[str] = field(default_factory=set)
    all_keys: set[str] = field(default_factory=set)
    in_lists: set[str] = field(default_factory=set)
    nested_any: bool = False
    choices: dict[str, set[str]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    places: int = 0
    """Schemas looked at so far."""

    def look_at(self, group: Group) -> None:
        """Count the schemas that judge one value together.

        Errors: Misuse when they were more than MAX_PLACES.
        """
        self.places += len(group)
        if self.places > MAX_PLACES:
            raise Misuse(
                f"{named(group[-1])} comes after {MAX_PLACES} others, the same ones over and over: what they say of "
                "one value multiplies",
                remedy="describe each value in one place: not the same keys in several arms of a union or of allOf",
            )


def facts_of(document: Document, group: Group) -> Facts:
    """Learn what the boundary wants to know of the objects that ``group`` describes."""
    facts = Facts()
    facts.keys |= document.properties(document.arms(group)).keys()
    facts.tags.update(_tags(document, group))
    ahead: list[tuple[Group, bool, bool]] = [(group, False, True)]
    seen: set[tuple[frozenset[Place], bool]] = set()
    while ahead:
        group, in_list, is_unit = ahead.pop()
        key = (frozenset(group), in_list)
        if key not in seen:
            seen.add(key)
            ahead.extend(_learn(document, group, in_list, is_unit, facts))
    return facts


def _learn(
    document: Document, group: Group, in_list: bool, is_unit: bool, facts: Facts
) -> Iterator[tuple[Group, bool, bool]]:
    """Learn from one place in a value; yield what describes the values inside it.

    ``nested_any``: after damage the boundary goes on at the next ``, {"<known key>":``. A list inside the
    unit whose objects may have any key can hold just that, and a part of a unit would be taken for a unit.
    So it is set where such a list can stand by what the schema says: an array without ``items``, objects in
    a list without ``properties``, and any place of which nothing is said. An object that names its
    properties and is merely left open is not counted: every open schema would be, and nothing could be
    picked up after a break; what remains is said in ``json_schema.compile_json_schema``.
    """
    for place in document.arms(group):
        for choice in _strings(document[place]):
            facts.choices.setdefault(choice.casefold(), set()).add(choice)
    for variant in document.variants(group):
        facts.look_at(variant)
        types = document.types(variant) & ({"object"} if is_unit else EVERY_TYPE)
        properties = document.properties(variant)
        items = document.below(variant, "items") or document.below(variant, "unevaluatedItems")
        if types == EVERY_TYPE and (properties or items):  # no type, but one kind of keywords: that kind is meant
            types = frozenset({"object"} if properties else {"array"})
        if "array" in types:
            if items:
                yield items, True, False
            else:
                facts.nested_any = True
            yield from (((place,), True, False) for place in document.below(variant, "prefixItems"))
        if "object" in types:
            facts.all_keys |= properties.keys()
            if in_list:
                facts.in_lists |= properties.keys()
            values = document.below(variant, "patternProperties", "additionalProperties", "unevaluatedProperties")
            telling = [place for place in values if document[place] not in (True, False, {})]
            if not properties:
                facts.nested_any |= in_list if telling else not any(document[place] is False for place in values)
            yield from ((described, False, False) for described in properties.values())
            yield from (((place,), False, False) for place in telling)


def _strings(schema: Any) -> Iterator[str]:
    """Yield the strings that a schema enumerates."""
    if isinstance(schema, dict):
        for value in (*schema.get("enum", ()), schema.get("const")):
            if isinstance(value, str):
                yield value


def _tags(document: Document, group: Group) -> dict[str, str]:
    """Return tag value -> tag key of a union whose arms all fix one key, nested unions included."""
    tags: dict[str, str] = {}
    ahead = list(reversed(group))
    seen: set[Place] = set()
    while ahead:
        for place in document.together((ahead.pop(),)):
            schema = document[place]
            if place in seen or not isinstance(schema, dict):
                continue
            seen.add(place)
            for keyword in ("anyOf", "oneOf"):
                arms = [(*place, keyword, str(index)) for index in range(len(schema.get(keyword, ())))]
                fixed = [_fixed(document, arm) for arm in arms]
                if len(arms) > 1:
                    for key in set.intersection(*(set(values) for values in fixed)):
                        tags.update((value, key) for values in fixed for value in values[key])
                ahead.extend(reversed(arms))
    return tags


def _fixed(document: Document, arm: Place) -> dict[str, list[str]]:
    """Return the keys of an arm whose value is one of a few fixed strings."""
    found: dict[str, list[str]] = {}
    for key, group in document.properties(document.together((arm,))).items():
        for place in document.together(group):
            schema = document[place]
            if isinstance(schema, dict):
                values = [schema["const"]] if "const" in schema else schema.get("enum", ())
                if values and all(isinstance(value, str) for value in values):
                    found[key] = list(values)
    return found
