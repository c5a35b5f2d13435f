"""Read a JSON Schema of an older draft as draft 2020-12: the same judgements in the words of today.

Only what is exact is translated. A keyword of an older draft that 2020-12 would pass over without a word is
either translated or refused; and what a draft itself would have passed over (the neighbours of ``$ref``, a
keyword that came later) holds: somebody wrote it, and a contract does not drop what its schema says.
Neighbours: ``json_schema`` reads the schema's text before, and takes the result apart.

==============  =====================================  ==========================================
draft           says                                   is read as
==============  =====================================  ==========================================
04              ``exclusiveMinimum: true``, a bound    ``exclusiveMinimum: 5``
04              ``id``                                 ``$id``, where a reference needs it
04 to 07        ``$id: "#name"``                       ``$anchor: "name"``
04 to 07        ``dependencies``                       ``dependentRequired``, ``dependentSchemas``
04 to 2019-09   ``items: […]``, ``additionalItems``    ``prefixItems``, ``items``
2019-09         ``$recursiveRef: "#"``                 ``$ref: "#"``, where that is the same
==============  =====================================  ==========================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

from pratique.errors import Misuse
from pratique.show import show
from pratique.terms.schema_document import Place, children, named, pointer_to

__all__ = ["DRAFT", "as_2020_12"]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS = re.compile(r"https?://json-schema\.org/(?:draft-0([4-7])|draft/(2019-09|2020-12))/schema#?")
_RE_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")

Found = dict[int, tuple[Place, dict[str, Any]]]
"""The schema objects of one document by identity, each with its place; a parsed JSON text shares none."""


def as_2020_12(root: dict[str, Any]) -> dict[str, Any]:
    """Return a schema as draft 2020-12, without ``$schema``; ``root`` is used up.

    Shape: the form of a keyword tells its draft where it leaves no doubt, also without ``$schema``; ``id`` is
        the name of a schema only where draft 04 is named.
    Limits: linear in the schema.
    Errors: Misuse for a draft that is none, and for what has no exact reading, with the place.
    Not checked: whether it is a schema; the judge does that afterwards.
    Source: the core and validation documents of each draft, and the change logs of 2019-09 and 2020-12.
    """
    draft = _draft(root, ())
    found = _schemas(root)
    for place, schema in found.values():
        if place:
            _draft(schema, place)
    pointers = [(schema, _moved(root, found, schema["$ref"])) for _, schema in found.values() if _is_local(schema)]
    _name(found, draft)
    _unwind(found, draft)
    for place, schema in found.values():
        _bounds(place, schema)
        _items(place, schema)
        _dependencies(place, schema)
    for schema, pointer in pointers:
        schema["$ref"] = pointer
    return root


# ---------------------------------------------------------------------- what there is


def _draft(schema: dict[str, Any], place: Place) -> str:
    """Take ``$schema`` out and return the draft it names; 2020-12 when there is none."""
    said = schema.pop("$schema", DRAFT)
    known = _DRAFTS.fullmatch(said) if isinstance(said, str) else None
    if known is None:
        raise Misuse(
            f"{named(place)} is written in a language of its own, {show(said)}",
            remedy=f'write it in draft 2020-12: "$schema": "{DRAFT}"',
        )
    return known[1] or known[2]


def _schemas(root: dict[str, Any]) -> Found:
    """Find every schema object: where a keyword of any draft has one, and where a pointer leads."""
    found: Found = {}
    ahead: list[tuple[Place, Any]] = [((), root)]
    while ahead:
        place, schema = ahead.pop()
        if not isinstance(schema, dict) or id(schema) in found:
            continue
        found[id(schema)] = place, schema
        if _is_local(schema):
            keys = _keys_of(schema["$ref"])
            ahead.append((keys, _part(root, keys)))
        ways = (*children(schema), *_old_children(schema))
        ahead.extend(((*place, *way), _part(schema, way)) for way in reversed(ways))
    return found


def _old_children(schema: dict[str, Any]) -> Iterator[Place]:
    """Yield the way to each subschema under a keyword that 2020-12 does not have."""
    if isinstance(schema.get("additionalItems"), dict):
        yield ("additionalItems",)
    if isinstance(schema.get("items"), list):
        yield from (("items", str(index)) for index in range(len(schema["items"])))
    if isinstance(schema.get("dependencies"), dict):
        yield from (("dependencies", name) for name in schema["dependencies"])


def _part(whole: Any, way: Place) -> Any:
    """Return what stands at the end of a way; None where nothing does."""
    for key in way:
        if isinstance(whole, dict):
            whole = whole.get(key)
        elif isinstance(whole, list) and key.isascii() and key.isdigit() and int(key) < len(whole):
            whole = whole[int(key)]
        else:
            return None
    return whole


# ---------------------------------------------------------------------- names and references


def _is_local(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("$ref"), str) and schema["$ref"].startswith("#/")


def _keys_of(reference: str) -> Place:
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in unquote(reference)[2:].split("/"))


def _moved(root: dict[str, Any], found: Found, reference: str) -> str:
    """Return a pointer of the document as it will be, where keywords on its way get a new name."""
    part: Any = root
    keys = []
    for key in _keys_of(reference):
        schema = part if id(part) in found else {}
        new = key
        if key == "items" and isinstance(schema.get("items"), list):
            new = "prefixItems"
        elif key == "additionalItems" and isinstance(schema.get("items"), list):
            new = "items"
        elif key == "dependencies" and isinstance(schema.get("dependencies"), dict):
            new = "dependentSchemas"
        keys.append(new)
        part = _part(part, (key,))
    if keys == list(_keys_of(reference)):
        return reference
    return "#" + quote("".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys), safe="/~")


def _name(found: Found, draft: str) -> None:
    """Give schemas their names as 2020-12 writes them.

    Draft 04 names a schema by ``id``, and so do tools that number every property. Where all references are
    pointers into the document, the names are left alone: nothing asks for them, and many are no URI.
    """
    if draft not in ("4", "6", "7"):
        return
    references = [schema["$ref"] for _, schema in found.values() if isinstance(schema.get("$ref"), str)]
    if draft == "4" and any(reference != "#" and not reference.startswith("#/") for reference in references):
        for _, schema in found.values():
            if isinstance(schema.get("id"), str):
                schema.setdefault("$id", schema.pop("id"))
    for place, schema in found.values():
        name = schema.get("$id")
        if not isinstance(name, str):
            continue
        if (
            "$ref" in schema and place
        ):  # these drafts pass over what stands beside $ref, and this changes where it leads
            del schema["$id"]
            continue
        base, _, anchor = name.partition("#")
        if anchor:
            del schema["$id"]
            if _RE_ANCHOR.fullmatch(anchor):
                schema.setdefault("$anchor", anchor)
            if base:
                schema["$id"] = base


def _unwind(found: Found, draft: str) -> None:
    """Read ``$recursiveRef`` where it can only lead to the document's own root."""
    named_ones = [place for place, schema in found.values() if place and "$id" in schema]
    anchored = [place for place, schema in found.values() if schema.pop("$recursiveAnchor", False) is True]
    for place, schema in found.values():
        if "$recursiveRef" not in schema:
            continue
        if schema["$recursiveRef"] != "#" or (named_ones and anchored) or anchored not in ([], [()]):
            raise Misuse(
                f"{named(place)} says $recursiveRef: what it leads to depends on the way to it", remedy="write $ref"
            )
        del schema["$recursiveRef"]
        _also(schema, "$ref", "#")
    words = {word for _, schema in found.values() for word in ("contains", "unevaluatedItems") if word in schema}
    if draft == "2019-09" and len(words) == 2:
        raise Misuse(
            "the schema says contains and unevaluatedItems, which draft 2020-12 reads otherwise than 2019-09",
            remedy="take one of the two out, or write the schema in draft 2020-12",
        )


def _also(schema: dict[str, Any], keyword: str, value: Any) -> None:
    """Say one thing more, beside what the schema may say with the same keyword."""
    said = schema.setdefault(keyword, {} if isinstance(value, dict) else value)
    if isinstance(said, dict) and not said.keys() & value.keys():
        said.update(value)
    elif said != value:
        schema["allOf"] = [*schema.get("allOf", ()), {keyword: value}]


# ---------------------------------------------------------------------- keywords


def _bounds(place: Place, schema: dict[str, Any]) -> None:
    """Draft 04: ``exclusiveMinimum`` is a boolean that sharpens ``minimum``."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        said = schema.get(exclusive)
        if not isinstance(said, bool):
            continue
        if said and bound not in schema:
            raise Misuse(
                f"{named(place)} says {exclusive}: true without {bound}",
                remedy=f"write the bound itself: {exclusive}: 5",
            )
        del schema[exclusive]
        if said:
            schema[exclusive] = schema.pop(bound)


def _items(place: Place, schema: dict[str, Any]) -> None:
    """Before 2020-12: a list under ``items`` is one schema for each place, ``additionalItems`` for the rest."""
    if "prefixItems" in schema and ("additionalItems" in schema or isinstance(schema.get("items"), list)):
        raise Misuse(
            f"{named(place)} describes the places of a list in two drafts at once",
            remedy="write prefixItems for the first elements and items for the rest",
        )
    if not isinstance(schema.get("items"), list):
        return  # without the list form, additionalItems means nothing in any draft
    schema["prefixItems"] = schema.pop("items")
    if "additionalItems" in schema:
        schema["items"] = schema.pop("additionalItems")


def _dependencies(place: Place, schema: dict[str, Any]) -> None:
    """Before 2019-09: a list of keys and a schema were one keyword."""
    if "dependencies" not in schema:
        return
    said = schema.pop("dependencies")
    where = pointer_to((*place, "dependencies"))
    if not isinstance(said, dict) or not all(isinstance(part, (dict, bool, list)) for part in said.values()):
        raise Misuse(
            f"the schema says at {where} neither a list of keys nor a schema for each key",
            remedy="write dependentRequired or dependentSchemas",
        )
    required = {name: part for name, part in said.items() if isinstance(part, list)}
    schemas = {name: part for name, part in said.items() if not isinstance(part, list)}
    if required:
        _also(schema, "dependentRequired", required)
    if schemas:
        _also(schema, "dependentSchemas", schemas)
