"""Refuse a JSON Schema that would cost without end: too large, nested too deep, or referring in doublings.

A schema may come from anywhere, and forty definitions that each name the next one twice are a page long and
take 2 to the 40 steps to judge one value. Nothing is expanded here: the steps are counted on the references.
Neighbours: ``json_schema`` asks before anything else is done with a schema; ``schema_document`` finds the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pratique.errors import Misuse
from pratique.terms.schema_document import Document, Place, children, named, pointer_to

__all__ = [
    "MAX_SCHEMA_BYTES",
    "MAX_SCHEMA_LEVELS",
    "MAX_SCHEMA_STEPS",
    "require_bounded",
    "require_bytes",
    "require_end",
]

MAX_SCHEMA_BYTES = 1024 * 1024
"""One schema as compact JSON in ASCII, bytes. To take one of this size apart costs about two seconds and a
hundred times its memory; the one provider that states a bound takes 120,000 characters of names and values."""

MAX_SCHEMA_LEVELS = 128
"""Nesting of one schema, levels of JSON; also schemas that lead from one to the next for the same value, by
``$ref`` or a union. The judge reads 255 levels of JSON, and our own walk of them costs stack."""

MAX_SCHEMA_STEPS = 10_000
"""Schemas that judge one value in one place, each counted as often as something leads to it. A union of a
thousand variants takes a few thousand."""

_RE_SURROGATE = re.compile("[\ud800-\udfff]")
_IN_PLACE = frozenset({"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"})


def require_bounded(schema: object) -> None:
    """Require that a schema is small and flat enough to be read.

    Limits: MAX_SCHEMA_BYTES, counted from below and no further; MAX_SCHEMA_LEVELS. Linear, no recursion.
    Errors: Misuse, with the place that is too deep (so for a value that contains itself), or that holds a text
        which no UTF-8 can carry.
    Not checked: whether it is JSON, or a schema.
    """
    least_bytes = _least_bytes(schema)
    ahead = [_members(schema)]
    way: list[object] = []
    while ahead:
        member = next(ahead[-1], None)
        if member is None:
            ahead.pop()
            del way[-1:]
            continue
        key, part = member
        least_bytes += _least_bytes(part) + (len(key) if isinstance(key, str) else 0)
        require_bytes(least_bytes)
        if any(isinstance(text, str) and _RE_SURROGATE.search(text) for text in member):
            raise Misuse(
                f"the schema holds half of a character, at {pointer_to((*way, key))}",
                remedy="write the character itself; a lone surrogate is no text that JSON can carry",
            )
        if isinstance(part, (dict, list, tuple)):
            if len(ahead) == MAX_SCHEMA_LEVELS:
                raise Misuse(
                    f"the schema is nested more than {MAX_SCHEMA_LEVELS} levels deep, at {pointer_to((*way, key))}",
                    remedy="give the inner schemas a name in $defs, and write $ref where they are used",
                )
            ahead.append(_members(part))
            way.append(key)


def require_bytes(size_bytes: int) -> None:
    """Require that a schema of this size, as compact JSON in ASCII, is no larger than MAX_SCHEMA_BYTES."""
    if size_bytes > MAX_SCHEMA_BYTES:
        raise Misuse(
            f"the schema is larger than {MAX_SCHEMA_BYTES} bytes",
            remedy="take out what this contract does not need: definitions that nothing uses, long descriptions",
        )


def require_end(document: Document) -> None:
    """Require that judging one value in one place comes to an end, and soon.

    Limits: MAX_SCHEMA_STEPS, MAX_SCHEMA_LEVELS. Linear in the schema, whatever its references multiply to.
    Errors: Misuse, with the place where too many steps begin, or whose reference leads back to itself.
    Not checked: what recursion costs over the levels of a value; ``limits.max_depth`` bounds those.
    """
    steps: dict[Place, int] = {}
    levels: dict[Place, int] = {}
    for place, inner in _inner_first(document):
        steps[place] = 1 + sum(steps[other] for other in inner)
        levels[place] = 1 + max((levels[other] for other in inner), default=0)
        if steps[place] > MAX_SCHEMA_STEPS:
            raise Misuse(
                f"{named(place)} judges one value in more than {MAX_SCHEMA_STEPS} steps: each of its references "
                "counts as often as something leads to it",
                remedy="say once what is said in several arms, or give the arms a tag and fewer conditions",
            )
        if levels[place] > MAX_SCHEMA_LEVELS:
            raise Misuse(
                f"{named(place)} leads to more than {MAX_SCHEMA_LEVELS} schemas, one after the other, for one value",
                remedy="refer to the last of them",
            )


def _inner_first(document: Document) -> Iterator[tuple[Place, list[Place]]]:
    """Yield every place with those that judge the same value for it, after them."""
    done: set[Place] = set()
    for begin, _ in document.schemas():
        way: dict[Place, list[Place]] = {}
        ahead = [begin]
        while ahead:
            place = ahead[-1]
            if place in done:
                ahead.pop()
            elif place in way:
                yield place, way.pop(place)
                done.add(place)
            else:
                inner = way[place] = list(_in_place(document, place))
                back = next((other for other in inner if other in way), None)
                if back is not None:
                    raise Misuse(
                        f"{named(back)} leads back to itself for the same value, which would never be judged",
                        remedy="take that $ref out, or write it below properties or items",
                    )
                ahead.extend(inner)


def _in_place(document: Document, place: Place) -> Iterator[Place]:
    """Yield the schemas that judge a value because the one at ``place`` does."""
    schema = document[place]
    if isinstance(schema, dict):
        yield from ((*place, *way) for way in children(schema) if way[0] in _IN_PLACE)
        for keyword in ("$ref", "$dynamicRef"):
            target = document.resolve(place, schema.get(keyword))
            if target is not None:
                yield target


def _members(part: object) -> Iterator[tuple[object, Any]]:
    if isinstance(part, dict):
        return iter(part.items())
    return iter(enumerate(part)) if isinstance(part, (list, tuple)) else iter(())


def _least_bytes(part: object) -> int:
    """Return how many bytes a value takes at least, without what it holds."""
    if isinstance(part, str):
        return len(part) + 2
    return 3 * len(part) + 2 if isinstance(part, dict) else 1
