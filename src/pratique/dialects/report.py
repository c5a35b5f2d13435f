"""Report what became of each constraint: of the unit, the envelope, the list, and of the terms that no schema says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pratique.dialects.nodes.constraint import Constraint, Fate, Ledger, Source
from pratique.terms import Locality, Terms
from pratique.terms.json_schema import ListRules
from pratique.terms.schema_document import Document

__all__ = ["SHAPES", "constraints_of", "said_of_list"]

SHAPES: Mapping[str, tuple[str, Fate, str]] = {
    "/json_text": (
        "each text is JSON", Fate.HINTED,
        "a value that the endpoint cannot be asked for is written as text in a string",
    ),
    "/keys": ("each key once", Fate.HINTED, "an object is written as a list of pairs"),
    "/open_objects": ("close", Fate.IMPOSSIBLE, "keys that an open object does not name cannot be written"),
    "/places": ("no gap between elements", Fate.DROPPED, "elements are written as fields, and a list has no gaps"),
    "/variants": (
        "each value fits the variant that it is named", Fate.DROPPED,
        "a name stands on the wire where the contract has none",
    ),
}  # fmt: skip
"""Terms that only the wire's shape has: value, fate, why."""


def said_of_list(terms: Terms[Any]) -> Mapping[str, Any]:
    """Return what a JSON Schema says of the list of units as a whole."""
    return terms.list_rules.schema if isinstance(terms.list_rules, ListRules) else {}


def constraints_of(
    terms: Terms[Any],
    ledger: Ledger,
    unit_document: Document,
    envelope_document: Document | None,
    visited: Mapping[str, set[Any]],
    shapes: Iterable[str],
) -> tuple[Constraint, ...]:
    """Report all constraints: of the unit, the envelope, the list, and those that no schema says."""
    found = ledger.report("unit", unit_document, visited["unit"])
    if envelope_document is not None:
        found += ledger.report("envelope", envelope_document, visited["envelope"])
    for keyword, value in said_of_list(terms).items():
        fate = ledger.fate_of(Source("list", (), keyword)) or Fate.DROPPED
        why = "" if fate is Fate.ENFORCED else "it is about the list as a whole"
        found.append(Constraint("list", f"/{keyword}", value, fate, why))
    capped = ledger.fate_of(Source("contract", ("limits",), "max_items")) or Fate.DROPPED
    bounds = "a limit of the boundary"

    def beyond(name: str, value: Any, why: str, fate: Fate = Fate.DROPPED) -> None:
        found.append(Constraint("contract", name, value, fate, why))

    if terms.locality is not Locality.ONE:
        beyond("/limits/max_items", terms.limits.max_items, "" if capped is Fate.ENFORCED else bounds, capped)
    for limit in ("max_bytes", "max_depth", "max_string_chars", "max_number_digits"):
        beyond(f"/limits/{limit}", getattr(terms.limits, limit), bounds)
    found += [Constraint("contract", name, *SHAPES[name]) for name in sorted(shapes)]
    for identity in terms.unique:
        beyond("/unique", list(identity), "a schema says nothing about two units together")
    for name in sorted(terms.declared_references):
        beyond("/references", name, "the names that exist come with each call")
    for check in terms.checks:
        beyond("/checks", getattr(check, "__qualname__", type(check).__qualname__), "a rule of the contract's own")
    for rule in (*terms.unit.beyond_schema, *(terms.envelope.beyond_schema if terms.envelope else ())):
        beyond("/rules", rule, "the JSON Schema of the type does not show it")
    return tuple(found)
