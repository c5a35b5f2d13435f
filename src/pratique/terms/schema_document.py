"""Find one's way in a JSON Schema document: where a reference leads, which schemas judge one value together.

A place is the path of keys from the document's root, as strings; several places that describe the same
value make a group. Nothing here judges a value: ``terms.schema_validator`` leaves that to a validator.
Neighbours: ``schema_facts`` learns from a document, ``json_schema`` takes one apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urljoin

from pratique.show import escape

__all__ = [
    "EVERY_TYPE",
    "LIST_OF_SCHEMAS",
    "MAP_OF_SCHEMAS",
    "ONE_SCHEMA",
    "Document",
    "Group",
    "Place",
    "children",
    "named",
    "pointer_to",
]

Place: TypeAlias = tuple[str, ...]
Group: TypeAlias = tuple[Place, ...]

BASE = "https://contract.invalid/schema"
"""Where a schema without an absolute ``$id`` is said to live. Nothing can be there (RFC 2606)."""

MAX_POINTER_CHARS = 200
"""A place told in a message, characters: two lines of a terminal."""

# Source: JSON Schema 2020-12, core and applicator vocabularies; its metaschema still knows ``definitions``.
ONE_SCHEMA = frozenset({
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames",
    "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
LIST_OF_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAP_OF_SCHEMAS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})

EVERY_TYPE = frozenset({"array", "boolean", "null", "number", "object", "string"})
_TYPE_OF: Mapping[type, str] = {
    bool: "boolean", dict: "object", float: "number", int: "number", list: "array", str: "string",
    type(None): "null",
}  # fmt: skip


class Document:
    """Hold a whole schema, so that what its parts refer to can be found."""

    __slots__ = ("_bases", "_named", "_places", "_sole_arms", "_types_of", "base", "is_plain", "root")

    is_plain: bool
    """Whether every reference is to the root's ``$defs``: then any part can be copied as it is."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.base = _joined_uri(BASE, root.get("$id")).rstrip("#")
        self._bases: dict[Place, str] = {(): self.base}
        self._named: dict[str, Place] = {self.base: ()}
        self._places: dict[Place, None] = {}
        self._sole_arms: dict[Place, Place | None] = {}
        self._types_of: dict[Place, frozenset[str]] = {}
        ahead: list[Place] = [()]
        while ahead:
            self._index(ahead)
            # A pointer may lead to where no keyword says that a schema stands: then one stands there.
            targets = [self.resolve(place, schema.get("$ref")) for place, schema in self.schemas()]
            ahead = [target for target in targets if target is not None and target not in self._places]
        self.is_plain = all(self._is_plain(place, schema) for place, schema in self.schemas())

    def _index(self, ahead: list[Place]) -> None:
        """Note every schema at or below some places, with the names it gives itself."""
        while ahead:
            place = ahead.pop()
            if place in self._places:
                continue
            self._places[place] = None
            schema = self[place]
            if not isinstance(schema, dict):
                continue
            base = self._base_of(place)
            if place and "$id" in schema:
                base = _joined_uri(base, schema["$id"]).rstrip("#")
                self._bases[place] = base
                self._named.setdefault(base, place)
            for keyword in ("$anchor", "$dynamicAnchor"):
                if keyword in schema:
                    self._named.setdefault(f"{base}#{_text(schema[keyword])}", place)
            ahead.extend((*place, *child) for child in reversed(list(children(schema))))

    def __getitem__(self, place: Place) -> Any:
        """Return what stands at ``place``."""
        node: Any = self.root
        for key in place:
            node = node[int(key)] if isinstance(node, list) else node[key]
        return node

    def __contains__(self, place: Place) -> bool:
        try:
            self[place]
        except (IndexError, KeyError, TypeError, ValueError):
            return False
        return True

    def schemas(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield every schema object of the document, outer ones before inner ones."""
        for place in self._places:
            schema = self[place]
            if isinstance(schema, dict):
                yield place, schema

    def uri(self, place: Place) -> str:
        """Return the absolute URI of a place: a JSON Pointer from the root."""
        pointer = "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in place)
        return f"{self.base}#{quote(pointer, safe='/~')}"

    def resolve(self, place: Place, reference: object) -> Place | None:
        """Return the place that a ``$ref`` written at ``place`` points to; None when it is not in here."""
        if not isinstance(reference, str):
            return None
        base = self._base_of(place)
        # urljoin knows no relative references below "urn:", and a fragment alone never leaves its resource.
        joined = base + reference if reference.startswith("#") else _joined_uri(base, reference)
        uri, _, fragment = joined.partition("#")
        resource = self._named.get(uri)
        if resource is None or not fragment:
            return resource
        if not fragment.startswith("/"):
            return self._named.get(f"{uri}#{unquote(fragment)}")
        keys = (key.replace("~1", "/").replace("~0", "~") for key in unquote(fragment)[1:].split("/"))
        found = (*resource, *keys)
        return found if found in self else None

    def _is_plain(self, place: Place, schema: dict[str, Any]) -> bool:
        names = {"$anchor", "$dynamicAnchor", "$dynamicRef", "$id"} if place else {"$anchor", "$dynamicAnchor"}
        if names & schema.keys():
            return False
        return "$ref" not in schema or _text(schema["$ref"]).startswith("#/$defs/")

    def _base_of(self, place: Place) -> str:
        return next(self._bases[place[:end]] for end in range(len(place), -1, -1) if place[:end] in self._bases)

    # ------------------------------------------------------------------ which schemas judge one value

    def together(self, group: Iterable[Place]) -> Iterator[Place]:
        """Yield the places whose schemas all must hold for a value that ``group`` describes.

        Shape: the group's own, what they ``$ref``, their ``allOf``, and the arm of an ``anyOf`` or ``oneOf``
            whose other arms only say ``null``.
        """
        yield from self._walk(group, lambda place, schema: self._joined(place, schema))

    def arms(self, group: Iterable[Place]) -> Iterator[Place]:
        """Yield every place that may judge a value which ``group`` describes, conditional ones included."""
        yield from self._walk(group, lambda place, schema: self._in_place(place, schema))

    def conditional(self, group: Iterable[Place]) -> Iterator[Place]:
        """Yield the places that judge the value only under a condition, or the other way round."""
        joined = list(self.together(group))
        for place in joined:
            schema = self[place]
            if isinstance(schema, dict):
                for child in (*self._in_place(place, schema), (*place, "if"), (*place, "not")):
                    if child not in joined and child in self:
                        yield from self.arms((child,))

    def variants(self, group: Iterable[Place], opened: frozenset[Place] = frozenset()) -> Iterator[Group]:
        """Yield, for each arm of each union, the places whose schemas then hold together.

        Limits: one union at a time, never their product: the boundary asks what may stand somewhere, and
            each arm answers for itself.
        """
        joined = tuple(self.together(group))
        fresh = [place for place in joined if place not in opened]
        unions = [arm for place in fresh for arm in self._union_arms(place)]
        if not unions:
            yield joined
        opened |= frozenset(fresh)
        for arm in (*unions, *self.below(fresh, "then", "else", "dependentSchemas")):
            yield from self.variants((*joined, arm), opened)

    def _union_arms(self, place: Place) -> Iterator[Place]:
        """Yield the arms of the true unions at a place: those that have more than one arm to choose from."""
        schema = self[place]
        if isinstance(schema, dict):
            for keyword in ("anyOf", "oneOf"):
                if self._sole_arm(place, schema, keyword) is None:
                    yield from ((*place, keyword, str(index)) for index in range(len(schema.get(keyword, ()))))

    def _walk(self, group: Iterable[Place], following: Any) -> Iterator[Place]:
        ahead = list(reversed(list(group)))
        seen: set[Place] = set()
        while ahead:
            place = ahead.pop()
            if place in seen:
                continue
            seen.add(place)
            yield place
            schema = self[place]
            if isinstance(schema, dict):
                ahead.extend(reversed(list(following(place, schema))))

    def _joined(self, place: Place, schema: dict[str, Any]) -> Iterator[Place]:
        for keyword in ("$ref", "$dynamicRef"):
            target = self.resolve(place, schema.get(keyword))
            if target is not None:
                yield target
        for index in range(len(schema.get("allOf", ()))):
            yield (*place, "allOf", str(index))
        for keyword in ("anyOf", "oneOf"):
            sole = self._sole_arm(place, schema, keyword)
            if sole is not None:
                yield sole

    def _sole_arm(self, place: Place, schema: dict[str, Any], keyword: str) -> Place | None:
        """Return the one arm of a union whose other arms only say ``null``; None when it is a true union."""
        if keyword not in schema:
            return None
        union = (*place, keyword)
        if union not in self._sole_arms:
            arms = ((*union, str(index)) for index in range(len(schema[keyword])))
            telling = list(islice((arm for arm in arms if self.types((arm,)) - {"null"}), 2))
            self._sole_arms[union] = telling[0] if len(telling) == 1 else None
        return self._sole_arms[union]

    def _in_place(self, place: Place, schema: dict[str, Any]) -> Iterator[Place]:
        yield from self._joined(place, schema)
        for keyword in ("anyOf", "oneOf"):
            for index in range(len(schema.get(keyword, ()))):
                yield (*place, keyword, str(index))
        for keyword in ("then", "else"):
            if keyword in schema:
                yield (*place, keyword)
        for name in schema.get("dependentSchemas", ()):
            yield (*place, "dependentSchemas", name)

    def types(self, group: Iterable[Place]) -> frozenset[str]:
        """Return the JSON types that a value which ``group`` describes may have; integers are numbers."""
        found = EVERY_TYPE
        for place in group:
            found &= self._types(place)
        return found

    def _types(self, place: Place) -> frozenset[str]:
        """Return the types of one place; each is worked out once, since many references may lead to it."""
        known = self._types_of.get(place)
        if known is None:
            self._types_of[place] = EVERY_TYPE  # a way that comes back says nothing; ``require_end`` refuses it
            known = self._types_of[place] = self._types_said(place)
        return known

    def _types_said(self, place: Place) -> frozenset[str]:
        schema = self[place]
        if not isinstance(schema, dict):
            return frozenset() if schema is False else EVERY_TYPE
        found = EVERY_TYPE
        if "type" in schema:
            said = schema["type"]
            found &= {"number" if kind == "integer" else kind for kind in ([said] if isinstance(said, str) else said)}
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if values is not None:
            found &= {_TYPE_OF[type(value)] for value in values}
        for keyword in ("$ref", "$dynamicRef"):
            target = self.resolve(place, schema.get(keyword))
            if target is not None:
                found &= self._types(target)
        for index in range(len(schema.get("allOf", ()))):
            found &= self._types((*place, "allOf", str(index)))
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                arms = range(len(schema[keyword]))
                found &= frozenset().union(*(self._types((*place, keyword, str(index))) for index in arms))
        return found

    # ------------------------------------------------------------------ going down into a value

    def properties(self, places: Iterable[Place]) -> dict[str, Group]:
        """Return key -> the places that describe its value, over all of ``places``."""
        found: dict[str, Group] = {}
        for place in places:
            schema = self[place]
            if isinstance(schema, dict):
                for name in schema.get("properties", ()):
                    found[name] = (*found.get(name, ()), (*place, "properties", name))
        return found

    def below(self, places: Iterable[Place], *keywords: str) -> Group:
        """Return the subschemas that stand under ``keywords`` in ``places``, maps and lists opened."""
        found: list[Place] = []
        for place in places:
            schema = self[place]
            if not isinstance(schema, dict):
                continue
            asked = {keyword: part for keyword, part in schema.items() if keyword in keywords}
            found.extend((*place, *child) for child in children(asked))
        return tuple(found)

    def descend(self, group: Group, key: str) -> Group:
        """Return what describes the value under ``key``; ``*``: any element of a list, any value of a map."""
        places = list(self.arms(group))
        named = self.properties(places).get(key, ())
        if named or key != "*":
            return named
        return self.below(places, "items", "prefixItems", "additionalProperties", "patternProperties")


def children(schema: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the way from a schema object to each of its direct subschemas."""
    for keyword, part in schema.items():
        if keyword in ONE_SCHEMA and isinstance(part, (dict, bool)):
            yield (keyword,)
        elif keyword in LIST_OF_SCHEMAS and isinstance(part, list):
            yield from ((keyword, str(index)) for index in range(len(part)))
        elif keyword in MAP_OF_SCHEMAS and isinstance(part, dict):
            yield from ((keyword, name) for name in part)


def _joined_uri(base: str, reference: object) -> str:
    """Resolve a reference against its base; what is no URI leads nowhere."""
    try:
        return urljoin(base, _text(reference))
    except ValueError:  # an unfinished IPv6 address
        return f"{base}/no-uri"


def pointer_to(place: Iterable[object]) -> str:
    """Return the JSON Pointer of a place, safe to print and bounded; empty for the root."""
    pointer = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in place)
    return escape(pointer[:MAX_POINTER_CHARS]) + ("…" if len(pointer) > MAX_POINTER_CHARS else "")


def named(place: Place) -> str:
    """Name a place in a message."""
    return f"the schema at {pointer_to(place)}" if place else "the schema"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
