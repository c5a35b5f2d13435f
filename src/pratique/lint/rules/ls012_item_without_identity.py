"""LS012: nothing in an item says which one it is."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.identity import is_identity
from pratique.lint.items import items_of
from pratique.lint.names import listed
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.view import Spot
from pratique.terms.terms import Locality

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at items that can be lost alone: a batch is lost as a whole, and its order is its identity."""
    del settings
    terms = subject.terms
    if terms is not None and (terms.unique or terms.unit.references or terms.locality is Locality.BATCH):
        return
    for items in items_of(subject):
        if any(map(_has_identity, items.arms)):
            continue
        optional = [name for spot in items.arms for name in _identities(spot)]
        said = f"only {listed(optional)} might, and may be left out" if optional else "it has no id, rank or name"
        yield Remark(items.part, items.arms[0].place, f"nothing says which item is which at {items.path}: {said}")


def _has_identity(spot: Spot) -> bool:
    """Say whether a field that is always there tells the item apart; one field alone is its own identity."""
    fields = spot.record.fields
    return len(fields) < 2 or any(fields[name].required for name in _identities(spot))


def _identities(spot: Spot) -> list[str]:
    return [name for name, entry in spot.record.fields.items() if is_identity(name, entry.node)]


def _items(**first: object) -> dict[str, object]:
    fields = {**first, "verdict": {"type": "string"}, "why": {"type": "string"}}
    item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "array", "items": item, "maxItems": 7}


RULE = Rule(
    code="LS012",
    name="item-without-identity",
    level=Level.WARN,
    title="nothing in an item says which one it is",
    why="When an item is lost, the ones after it move up: whoever counts takes each for its neighbour. An item that "
    "carries its own id or rank can be matched, found twice, and asked for again.",
    help="add a required id or rank, and name it in the contract: unique=('rank',)",
    evidence=(
        "source 004 T03: items are recovered one by one after a break, and their place in the list is lost",
        "measured here: forged items are caught by unique ranks and ids alone",
    ),
    bad=_items(),
    good=_items(rank={"type": "integer", "minimum": 1}),
    check=_check,
    judgement="Which fields tell items apart is told by their names; a contract says it by unique= or Reference.",
)
