"""What a schema uses, as it is written: each keyword and each form with its place, and what an endpoint does with it.

It is about what is sent as it is: a type, a JSON Schema, a tool. A contract is sent through ``compile``, which moves
what an endpoint does not keep; ``sizes`` looks at what is left of it. Neighbours: the rules of ``limits/``.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pratique.dialects.dialect import Dialect
from pratique.dialects.nodes.constraint import ANNOTATIONS as JUDGES_NOTHING
from pratique.dialects.nodes.constraint import pointer_of
from pratique.dialects.nodes.node import Record, kind_of
from pratique.dialects.profile import ANNOTATIONS, FORMS, KEYWORDS, Cell, Profile, Support
from pratique.lint.patterns import FIRM, unread
from pratique.lint.rule import Level, Remark, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.show import show
from pratique.terms.schema_document import Place, children

__all__ = ["ALL_FORMS", "ALL_KEYWORDS", "Trouble", "Use", "Uses", "endpoints", "known_by", "remarks_of", "uses_of"]

MAX_PLACES_TOLD = 3
"""Places named in one message: a schema that says ``minimum`` eighty times has one finding."""

MAX_PLACE_CHARS = 80
"""Characters of one place in a message: a line of a terminal."""

ALL_KEYWORDS = frozenset((*KEYWORDS, *ANNOTATIONS))
ALL_FORMS = frozenset((*FORMS, "enum object", "enum array"))
"""Those of the tables, and two that no table speaks of."""

_JUDGING = frozenset({
    "contains", "dependentSchemas", "else", "if", "not", "patternProperties", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
"""Keywords that are told for all that stands in them: who does not keep ``not`` does not look further in."""

_SKIPPING = frozenset({"llama.cpp/gbnf"})
"""Endpoints that pass over a format or a pattern which they cannot read; the others refuse it or read it otherwise.
The profiles say so in the notes of their cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One keyword, or one form, at one place."""

    name: str
    """As a profile's table calls it."""
    place: Place
    value: Any
    schema: Mapping[str, Any]
    """The schema object that it stands in."""
    inside: tuple[str, ...]
    """The keywords around it that judge without describing the value: ``not``, ``if``."""


@dataclass(frozen=True, slots=True, eq=False)
class Trouble:
    """One use that an endpoint does not keep."""

    use: Use
    support: Support
    why: str = ""
    """What is wrong with this value of a keyword that the endpoint knows; empty: the cell says it."""

    @property
    def is_value(self) -> bool:
        """Whether it is a format or a pattern of a kind that the endpoint does not read."""
        return self.use.name in ("format", "pattern") and bool(self.why)


class Uses:
    """Hold what one schema uses, in the order in which it is written.

    Limits: linear in the schema.
    Not checked: where a reference leads to; a definition is looked at where it stands, once.
    """

    def __init__(self, part: Part) -> None:
        self.all = (*_walked(part.schema), *_of_the_whole(part))
        self._judged: dict[int, tuple[Dialect, tuple[Trouble, ...]]] = {}

    def troubles(self, dialect: Dialect) -> tuple[Trouble, ...]:
        """Return the uses that a target's endpoint does not keep."""
        known = self._judged.get(id(dialect))
        if known is None:
            found = tuple(trouble for use in self.all if (trouble := _judged(dialect.profile, use)) is not None)
            known = self._judged[id(dialect)] = (dialect, found)
        return known[1]


@lru_cache(maxsize=16)
def uses_of(part: Part) -> Uses:
    """Return what a part's schema uses; kept for the next rule that asks."""
    return Uses(part)


def endpoints(settings: Settings) -> Iterator[Dialect]:
    """Yield the targets that take a schema: words bind nobody, and refuse nothing."""
    return (dialect for dialect in settings.targets if dialect.default_form != "words")


# ---------------------------------------------------------------------- what is written


def _walked(root: Mapping[str, Any]) -> Iterator[Use]:
    ahead: list[tuple[Place, Any, tuple[str, ...]]] = [((), root, ())]
    while ahead:
        place, schema, inside = ahead.pop()
        if schema is True and place[-1] not in ("additionalProperties", "unevaluatedItems", "unevaluatedProperties"):
            yield Use("any", place, True, {}, inside)
        if not isinstance(schema, dict):
            continue
        yield from _keywords_of(place, schema, inside)
        yield from _forms_of(place, schema, inside)
        below = []
        for way in children(schema):
            child = schema[way[0]]
            if len(way) > 1:
                child = child[int(way[1])] if isinstance(child, list) else child[way[1]]
            below.append(((*place, *way), child, (*inside, way[0]) if way[0] in _JUDGING else inside))
        ahead.extend(reversed(below))


def _keywords_of(place: Place, schema: Mapping[str, Any], inside: tuple[str, ...]) -> Iterator[Use]:
    for keyword, value in schema.items():
        if keyword in ALL_KEYWORDS and (keyword != "additionalProperties" or value is False):
            yield Use(keyword, (*place, keyword), value, schema, inside)


def _forms_of(place: Place, schema: Mapping[str, Any], inside: tuple[str, ...]) -> Iterator[Use]:
    said, values = schema.get("type"), schema.get("enum")
    if isinstance(values, list):
        for kind in dict.fromkeys(map(kind_of, values)):
            yield Use(f"enum {kind}", (*place, "enum"), values, schema, inside)
    if isinstance(said, list):
        yield Use("type list", (*place, "type"), said, schema, inside)
    if "$ref" in schema and any(not keyword.startswith("$") for keyword in schema):
        yield Use("$ref siblings", place, None, schema, inside)
    if place[-1:] != ("additionalProperties",) and _says_nothing(schema):
        yield Use("any", place, schema, schema, inside)
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    required = required if isinstance(required, list) else ()
    for name in properties:
        if name not in required:
            yield Use("optional", (*place, "properties", name), None, schema, inside)
    rest = schema.get("additionalProperties", True)
    if said == "object" or (isinstance(said, list) and "object" in said) or properties:
        is_open = rest is True or (isinstance(rest, dict) and _says_nothing(rest))
        if is_open and schema.get("unevaluatedProperties") is not False:
            yield Use("open object", place, rest, schema, inside)
    if isinstance(rest, dict) and not _says_nothing(rest):
        yield Use("map", (*place, "additionalProperties"), rest, schema, inside)


def _says_nothing(schema: Mapping[str, Any]) -> bool:
    return all(keyword in JUDGES_NOTHING or keyword.startswith("x-") for keyword in schema)


def _of_the_whole(part: Part) -> Iterator[Use]:
    """Yield what only the whole schema shows: a union at the root, definitions that hold themselves."""
    document = part.view.document
    for place in document.together(((),)):
        schema = document[place]
        for keyword in ("anyOf", "oneOf") if isinstance(schema, dict) else ():
            if len(schema.get(keyword, ())) > 1:
                yield Use("root union", (*place, keyword), schema[keyword], schema, ())
    for spot in part.view.spots:
        if (isinstance(spot.node.form, Record) or spot.node.shared) and part.view.graph.is_cyclic(spot.node):
            yield Use("recursion", spot.place, None, {}, ())


# ---------------------------------------------------------------------- what an endpoint does with it


def _judged(profile: Profile, use: Use) -> Trouble | None:
    """Return what is wrong with a use; None when the endpoint keeps it, or is not asked to."""
    if not all(profile.keeps(keyword) for keyword in use.inside):
        return None
    support = profile.support(use.name)
    if use.name == "$ref siblings" and support is Support.IGNORED and _only_words(use.schema):
        return None
    if support is not Support.ENFORCED:
        return Trouble(use, support)
    return _of_its_value(profile, use)


def _only_words(schema: Mapping[str, Any]) -> bool:
    return _says_nothing({keyword: said for keyword, said in schema.items() if keyword != "$ref"})


def _of_its_value(profile: Profile, use: Use) -> Trouble | None:
    """Judge the value of a keyword that the endpoint keeps in general."""
    name, value, schema = use.name, use.value, use.schema
    if name == "minItems" and profile.max_min_items is not None and _more(value, profile.max_min_items):
        return Trouble(use, Support.REFUSED, f"{show(value)} is more than {profile.max_min_items}")
    if name in ("minProperties", "maxProperties") and profile.required_counted_only and _has_optional(schema):
        return Trouble(use, Support.REFUSED, "not every property beside it is required")
    if name in ("minLength", "maxLength") and not profile.patterns.beside_length:
        beside = next((word for word in ("pattern", "format") if word in schema), "")
        if beside:
            return Trouble(use, Support.IGNORED, f"a {beside} stands beside it")
    if name == "properties" and profile.no_empty_names and isinstance(value, dict) and "" in value:
        return Trouble(use, Support.REFUSED, "one property has the empty name")
    if name == "pattern" and isinstance(value, str):
        return _of_its_pattern(profile, use)
    kind = "integer" if schema.get("type") == "integer" else "number" if name in _OF_NUMBERS else ""
    if _is_readable(name, value) and not profile.holds(name, value, kind):
        support = Support.REFUSED if name == "format" else Support.IGNORED
        return Trouble(use, support, f"{show(value)} is not one that it keeps")
    return None


def _of_its_pattern(profile: Profile, use: Use) -> Trouble | None:
    reasons = unread(profile.patterns, use.value)
    if not reasons:
        return None
    support = Support.REFUSED if FIRM & set(reasons) else Support.UNKNOWN
    return Trouble(use, support, f"{show(use.value)} has {' and '.join(reasons)}")


def _has_optional(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("properties", {}).keys() - set(schema.get("required", ())))


_OF_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems"})


def _more(value: Any, most: int) -> bool:
    return isinstance(value, (int, float)) and value > most


def _is_readable(name: str, value: Any) -> bool:
    """Say whether a keyword has a value that can be compared, and of the type that it should have."""
    if name == "format":
        return isinstance(value, str)
    return name in _OF_NUMBERS | _COUNTS and isinstance(value, (int, float)) and not isinstance(value, bool)


# ---------------------------------------------------------------------- what is told


def remarks_of(
    subject: Subject, settings: Settings, names: Container[str], supports: Container[Support], *, values: bool = False
) -> Iterator[Remark]:
    """Tell the uses of some names that the targets treat in some ways: one remark for each name and target.

    Shape: ``values`` asks for formats and patterns that the endpoint does not read, and for nothing else.
    """
    if subject.kind is Kind.CONTRACT:
        return
    for part in subject.parts:
        for dialect in endpoints(settings):
            groups: dict[tuple[str, Support, str], list[Trouble]] = {}
            for trouble in uses_of(part).troubles(dialect):
                if trouble.use.name in names and trouble.support in supports and trouble.is_value is values:
                    groups.setdefault((trouble.use.name, trouble.support, trouble.why), []).append(trouble)
            yield from (_remark(part, dialect, troubles) for troubles in groups.values())


def _remark(part: Part, dialect: Dialect, troubles: list[Trouble]) -> Remark:
    first = troubles[0]
    name, support = first.use.name, first.support
    if first.is_value and dialect.target in _SKIPPING:
        support = Support.IGNORED
    where = "" if name == "root union" else f", at {_places(trouble.use.place for trouble in troubles)}"
    value = f" ({first.why})" if first.why else ""
    return Remark(
        part,
        first.use.place,
        f"{dialect.target} ({dialect.profile.endpoint}) {_DOES[support]} {_WORDS.get(name, name)}{value}{where}; "
        f"{known_by(dialect.profile, name)}",
        _INSTEAD.get(name, ""),
        None if support is Support.REFUSED else Level.WARN,
        dialect.target,
    )


def _places(places: Iterable[Place]) -> str:
    found = list(dict.fromkeys(places))
    told = ", ".join(
        show(pointer_of(place), max_chars=MAX_PLACE_CHARS)[1:-1] or "/" for place in found[:MAX_PLACES_TOLD]
    )
    more = len(found) - MAX_PLACES_TOLD
    return f"{told} and {more:,} more places" if more > 1 else f"{told} and one more" if more == 1 else told


def known_by(profile: Profile, name: str) -> str:
    """Return how a cell is known: ``documented: structured-outputs guide, read on 2026-11-21; at most 24``."""
    cell: Cell | None = profile.cells.get(name)
    if cell is None:
        return f"its table of {profile.read_on} does not speak of it"
    note = f"; {cell.note}" if cell.note else ""
    return f"{cell.known.value}: {cell.source}, read on {profile.read_on}{note}"


_DOES = {
    Support.REFUSED: "refuses",
    Support.IGNORED: "takes and does not keep",
    Support.UNKNOWN: "is not established to take",
}
_WORDS = {
    "any": "a value of any type",
    "map": "an object with any keys and one schema for their values",
    "open object": "an object that may have keys which it does not name",
    "optional": "a property that is not required",
    "type list": "a list of types",
    "root union": "a union at the root",
    "recursion": "a definition that holds itself",
    "$ref siblings": "keywords beside a $ref",
    **{f"enum {kind}": f"{kind} among listed values" for kind in ("null", "boolean")},
    **{f"enum {kind}": f"{kind}s among listed values" for kind in ("object", "array", "number", "string")},
}
_INSTEAD = {
    "any": "say its type",
    "map": "write a list of objects that hold a key and a value",
    "open object": 'say "additionalProperties": false',
    "optional": "name every property in required, and let the value be null where it may be absent",
    "type list": "write anyOf with one type each",
    "root union": "put it under a key of an object",
    "recursion": "write a fixed number of levels out, or refer by id",
    "$ref siblings": "leave the $ref alone, and say the rest where the definition stands",
    "oneOf": "write anyOf",
    "const": "write an enum of one value",
    "default": "say it in the description",
    "allOf": "write what the parts say as one schema",
}
