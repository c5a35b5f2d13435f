"""What became of each constraint of a contract on the way to a provider: enforced, hinted, dropped, impossible.

The ledger is filled while the wire schema is written. One place of a contract's schema may be written in
several places of the wire schema; the worst that happened to a constraint is what counts.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from pratique.terms.schema_document import Document, Place

__all__ = [
    "ANNOTATIONS",
    "NOT_EXCLUSIVE",
    "OF_THE_LENS",
    "STRUCTURE",
    "Constraint",
    "Fate",
    "Ledger",
    "Source",
    "pointer_of",
]


class Fate(StrEnum):
    """Say what became of a constraint, from best to worst."""

    ENFORCED = "enforced"
    """The endpoint cannot write what breaks it."""
    HINTED = "hinted"
    """The endpoint is told in words; the boundary checks it."""
    DROPPED = "dropped"
    """The endpoint is not told; the boundary checks it."""
    IMPOSSIBLE = "impossible"
    """The endpoint cannot write what the contract takes there: it was closed out at the caller's word. What no endpoint
    could be asked for at all is refused, as Misuse, when the contract is compiled."""


_ORDER = {fate: index for index, fate in enumerate(Fate)}

# Source: JSON Schema 2020-12, core, meta-data, format and content vocabularies; OpenAPI 3.1 for discriminator.
ANNOTATIONS = frozenset({
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "contentEncoding",
    "contentMediaType", "contentSchema", "default", "definitions", "deprecated", "description", "discriminator",
    "else", "example", "examples", "id", "maxContains", "minContains", "readOnly", "then", "title", "writeOnly",
})  # fmt: skip
"""Keywords that judge nothing, or only together with one that is reported (``if``, ``contains``)."""

STRUCTURE = frozenset({"$ref", "allOf"})
"""Keywords that only lead to others, which are reported where they stand."""

OF_THE_LENS = ("/json_text", "/keys", "/places", "/variants")
"""Terms that only the wire's shape has: what breaks one of them is refused on the way back."""

NOT_EXCLUSIVE = "the compiler does not see that no value fits two of its forms"
"""Why a ``oneOf`` is dropped though its forms are kept."""


class Source(NamedTuple):
    """One assertion keyword at one place of a schema."""

    part: str
    """``unit``, ``envelope``, ``list`` or ``contract``."""
    place: Place
    keyword: str


Sources: TypeAlias = tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """Report one constraint of a contract and what became of it.

    Shape: ``pointer`` is a JSON Pointer into the schema of ``part``, keyword included; for ``contract`` it is the
        name of the term, ``/unique``.
    """

    part: str
    pointer: str
    value: Any
    fate: Fate
    why: str = ""
    """Why it is not enforced; empty when it is."""

    @property
    def keyword(self) -> str:
        """The keyword, the last part of the pointer."""
        return self.pointer.rpartition("/")[2]

    def to_dict(self) -> dict[str, Any]:
        """Return the constraint as plain JSON values."""
        return {
            "part": self.part, "pointer": self.pointer, "value": self.value, "fate": self.fate.value, "why": self.why,
        }  # fmt: skip


def pointer_of(place: Iterable[str]) -> str:
    """Return the JSON Pointer (RFC 6901) of a place."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in place)


class Ledger:
    """Note what becomes of each constraint; the worst counts."""

    __slots__ = ("_fates", "_whys")

    def __init__(self) -> None:
        self._fates: dict[Source, Fate] = {}
        self._whys: dict[Source, str] = {}

    def note(self, sources: Iterable[Source], fate: Fate, why: str = "") -> None:
        """Note the fate of some keywords."""
        for source in sources:
            known = self._fates.get(source)
            if known is None or _ORDER[fate] > _ORDER[known]:
                self._fates[source] = fate
                self._whys[source] = why

    def enforced(self, sources: Iterable[Source]) -> None:
        """Note that the wire schema holds them."""
        self.note(sources, Fate.ENFORCED)

    def fate_of(self, source: Source) -> Fate | None:
        """Return what is noted of one keyword."""
        return self._fates.get(source)

    def report(self, part: str, document: Document, visited: Container[Place]) -> list[Constraint]:
        """Report every assertion keyword of the places that were read, in the schema's own order.

        What stands below a keyword that is not followed (``not``, ``if``, ``contains``) is told with that keyword.
        A keyword that nobody noted was overlooked: it is told as dropped, never taken for enforced.
        """
        found = []
        for place, schema in document.schemas():
            if place not in visited:
                continue
            for keyword, value in schema.items():
                source = Source(part, place, keyword)
                if keyword in ANNOTATIONS or keyword in STRUCTURE or keyword.startswith("x-"):
                    continue
                fate = self._fates.get(source, Fate.DROPPED)
                why = self._whys.get(source, "the compiler did not account for it")
                found.append(Constraint(part, pointer_of((*place, keyword)), value, fate, why))
        return found
