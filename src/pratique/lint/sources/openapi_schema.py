"""Schemas of an OpenAPI document in the words of JSON Schema, with all that they refer to under ``$defs``.

OpenAPI 3.0 has ``nullable``, and reads a union's tag from its ``discriminator``, which asserts nothing in JSON Schema:
there the tag is asked for in each arm. Source: OpenAPI 3.0.3 and 3.1.1, Schema Object and Discriminator Object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from pratique.terms.schema_document import LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA, Place

__all__ = ["SCHEMAS", "Definitions", "place_named", "standing_at"]

SCHEMAS: Place = ("components", "schemas")


class Definitions:
    """Translate schemas of one document, and gather what they refer to.

    Shape: ``places`` is where in the document each definition stands.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.places: dict[str, Place] = {}
        self._document = document

    def complete(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return a schema with the definitions that it refers to; what is not in the document stays a reference."""
        made = self._schema(schema)
        definitions: dict[str, Any] = {}
        while missing := [name for name in self.places if name not in definitions]:
            for name in missing:
                definitions[name] = self._schema(standing_at(self._document, self.places[name]))
        return {**made, "$defs": definitions} if definitions else dict(made)

    def _schema(self, schema: Any) -> Any:
        if not isinstance(schema, Mapping):
            return schema
        found = {key: self._under(key, part) for key, part in schema.items() if key != "nullable"}
        if isinstance(found.get("$ref"), str):
            found["$ref"] = self._reference(found["$ref"])
        if schema.get("nullable") is True and isinstance(found.get("type"), str):
            found["type"] = [found["type"], "null"]
            if isinstance(found.get("enum"), list) and None not in found["enum"]:
                found["enum"] = [*found["enum"], None]
        for word in ("oneOf", "anyOf"):
            if isinstance(found.get(word), list):
                found[word] = [*self._tagged(schema, schema[word], found[word])]
        return found

    def _under(self, keyword: str, part: Any) -> Any:
        """Translate what stands under a keyword, where that is schemas; a default, say, is a value."""
        if keyword in MAP_OF_SCHEMAS and isinstance(part, Mapping):
            return {name: self._schema(schema) for name, schema in part.items()}
        if keyword in LIST_OF_SCHEMAS and isinstance(part, list):
            return [self._schema(schema) for schema in part]
        return self._schema(part) if keyword in ONE_SCHEMA else part

    def _reference(self, reference: str) -> str:
        place = place_named(reference)
        if place is None or standing_at(self._document, place) is None:
            return reference
        known = next((name for name, at in self.places.items() if at == place), None)
        if known is None:
            plain = place[-1] if place[:-1] == SCHEMAS else "_".join(place)
            known = plain if plain not in self.places else f"{plain}_{len(self.places)}"
            self.places[known] = place
        return "#/$defs/" + quote(known.replace("~", "~0").replace("/", "~1"), safe="~")

    def _tagged(self, union: Mapping[str, Any], written: list[Any], arms: list[Any]) -> Iterator[Any]:
        """Ask for the tag that a discriminator tells of, in arms that do not list its values themselves."""
        said = union.get("discriminator")
        tag = said.get("propertyName") if isinstance(said, Mapping) else None
        for before, arm in zip(written, arms, strict=True):
            reference = before.get("$ref") if isinstance(before, Mapping) and len(before) == 1 else None
            place = place_named(reference) if isinstance(reference, str) else None
            if not isinstance(tag, str) or not isinstance(said, Mapping) or place is None or self._lists(place, tag):
                yield arm
            else:
                yield {**arm, "properties": {tag: {"enum": _values_of(place, said)}}, "required": [tag]}

    def _lists(self, place: Place, tag: str) -> bool:
        """Say whether a schema lists the values of a tag, or cannot be looked into."""
        schema = standing_at(self._document, place)
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(properties, Mapping) or tag not in properties:
            return True
        own = properties[tag]
        return not isinstance(own, Mapping) or bool({"$ref", "allOf", "const", "enum"} & own.keys())


def _values_of(place: Place, discriminator: Mapping[str, Any]) -> list[str]:
    """Return what the tag of a variant is: what the mapping has for it, else its name."""
    mapping = discriminator.get("mapping")
    pairs = mapping.items() if isinstance(mapping, Mapping) else ()
    named = [value for value, target in pairs if place == (place_named(str(target)) or (*SCHEMAS, target))]
    return named or [place[-1]]


def place_named(reference: str) -> Place | None:
    """Return the place that a reference into the document itself leads to; None for another."""
    if not reference.startswith("#/"):
        return None
    return tuple(unquote(key).replace("~1", "/").replace("~0", "~") for key in reference[2:].split("/"))


def standing_at(document: Any, place: Place) -> Any:
    """Return what stands at a place; None when nothing does."""
    for key in place:
        if isinstance(document, list) and key.isdecimal():
            document = document[int(key)] if int(key) < len(document) else None
        else:
            document = document.get(key) if isinstance(document, Mapping) else None
    return document
