"""Which objects take keys that they do not name, and whether that was said on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from pratique.lint.view import Spot, View
from pratique.terms.schema_document import Place

__all__ = ["Openness", "is_open", "openness_of"]


class Openness(StrEnum):
    """Say how an object came to take other keys."""

    CLOSED = "closed"
    MAP = "map"
    """What its other keys hold is described; or it names no key at all."""
    DECLARED = "declared"
    """``additionalProperties: true`` is written."""
    SILENT = "silent"
    """Nothing is said, and JSON Schema lets them in."""


def is_open(view: View, spot: Spot) -> bool:
    """Say whether an object with keys of its own takes others, of which nothing is said."""
    return openness_of(view, spot) in (Openness.DECLARED, Openness.SILENT)


def openness_of(view: View, spot: Spot) -> Openness:
    """Return how open an object is. Conditions (``if``, ``not``) are not looked at."""
    record = spot.record
    if record.rest is None:
        return Openness.CLOSED
    if not record.fields:
        return Openness.MAP
    found = Openness.SILENT
    for place in _places(spot):
        schema = view.said(place)
        rest = schema.get("additionalProperties")
        if schema.get("unevaluatedProperties") is False or "propertyNames" in schema:
            return Openness.CLOSED  # the names of other keys are bounded elsewhere
        if schema.get("patternProperties") or (isinstance(rest, dict) and rest):
            return Openness.MAP
        if rest is not None or schema.get("unevaluatedProperties") is not None:
            found = Openness.DECLARED
    return found


def _places(spot: Spot) -> Iterator[Place]:
    """Yield where an object is described: its own schemas, those that join them by allOf, and where it is met."""
    seen = {(), spot.place} if spot.path == "$" else {spot.place}
    seen |= {source.place for source in (*spot.record.sources, *spot.record.rest_sources)}
    if spot.field is not None:
        seen.add(spot.field.place)
    for place in list(seen):
        while len(place) >= 2 and place[-2] == "allOf":
            place = place[:-2]
            seen.add(place)
    yield from seen
