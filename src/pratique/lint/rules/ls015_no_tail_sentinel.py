"""LS015: an item that is cut off can pass for a whole one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pratique.dialects.nodes.node import Choice, Listing, Node, Record, Scalar, kind_of
from pratique.lint.items import items_of
from pratique.lint.names import listed
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.variants import variant_names
from pratique.lint.view import Spot, View
from pratique.terms.schema_document import Place

__all__ = ["RULE"]


class _End(NamedTuple):
    """How an object ends, where its end does not show that it is one."""

    place: Place
    what: str
    help: str
    level: Level | None = None


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell each list once, at the first of its variants that ends weakly."""
    del settings
    for items in items_of(subject):
        spots = {id(spot.node): spot for spot in items.part.view.records}
        ends = [_weak_end(items.part.view, spots, spot.node) for spot in items.arms]
        names = variant_names([spot.node for spot in items.arms])
        weak = [(name, end) for name, end in zip(names, ends, strict=True) if end is not None]
        if weak:
            end = min((end for _, end in weak), key=lambda end: end.level is not None)
            of = f", as in {len(weak)} of {len(ends)} variants: {listed([name for name, _ in weak])}"
            message = f"items end with {end.what}{of if len(ends) > 1 else ''}"
            yield Remark(items.part, end.place, message, end.help, end.level)


def _weak_end(view: View, spots: dict[int, Spot], node: Node) -> _End | None:
    """Follow the last key of an object, and of the object that it holds, down to what ends the item."""
    seen: set[int] = set()
    while id(node) in spots and id(node) not in seen:
        seen.add(id(node))
        fields = list(view.fields_of(spots[id(node)]))
        if not fields:
            return None
        last = fields[-1]
        if not last.entry.required:
            what = f"{last.path}, which may be left out"
            return _End(last.place, what, "end items with a required key: move one that is always there to the end")
        forms = [last.node, *last.node.arms]
        if any(map(_is_weak_number, forms)):
            what = f"{last.path}, a number: cut short, it is still one"
            return _End(last.place, what, "end items with a required text, or with a number of one digit")
        if any(map(_is_free_list, forms)):
            what = f"{last.path}, a list: cut short, it is still one"
            return _End(last.place, what, "end items with a required text", Level.INFO)
        node = next((inner for inner in forms if isinstance(inner.form, Record)), node)
    return None


def _is_free_list(node: Node) -> bool:
    form = node.form
    return isinstance(form, Listing) and form.items is not None and form.max_items != form.min_items


def _is_weak_number(node: Node) -> bool:
    """Say whether the first digits of a number can be another one that fits."""
    form = node.form
    if isinstance(form, Choice):
        texts = sorted(json.dumps(value) for value in form.values if kind_of(value) == "number")
        return any(longer.startswith(shorter) for shorter, longer in pairwise(texts))
    if not isinstance(form, Scalar) or form.kind not in ("integer", "number"):
        return False
    if form.kind == "number":
        return True
    low, high = _bounds(form)
    return 10 * max(low, 1) <= high or 10 * max(-high, 1) <= -low


def _bounds(form: Scalar) -> tuple[float, float]:
    """Return the least and the greatest whole number."""
    rules = {rule.keyword: rule.value for rule in form.rules}
    low, high = [-math.inf], [math.inf]
    if "minimum" in rules:
        low.append(math.ceil(rules["minimum"]))
    if "exclusiveMinimum" in rules:
        low.append(math.floor(rules["exclusiveMinimum"]) + 1)
    if "maximum" in rules:
        high.append(math.floor(rules["maximum"]))
    if "exclusiveMaximum" in rules:
        high.append(math.ceil(rules["exclusiveMaximum"]) - 1)
    return max(low), min(high)


def _items(*names: str) -> dict[str, object]:
    fields = {name: {"type": "string"} for name in names}
    item = {"type": "object", "properties": fields, "required": ["id", "why"], "additionalProperties": False}
    return {"type": "array", "items": item, "maxItems": 7}


RULE = Rule(
    code="LS015",
    name="no-tail-sentinel",
    level=Level.WARN,
    title="an item that is cut off can pass for a whole one",
    why="Tools that close what was cut off, or lose a stretch, make an object that fits the schema when the keys that "
    "are missing may be missing, and a number that lost its last digits is a number still.",
    help="end items with a required text: optional keys and numbers before it",
    evidence=(
        "measured here, a report cut at 1,670 places and repaired by json_repair: a wrong item in 35.0 %",
        "the same with the last key required instead of optional: 0.0 %",
    ),
    bad=_items("id", "why", "note"),
    good=_items("id", "note", "why"),
    check=_check,
    judgement="pratique itself never admits an item that was cut off, whatever it ends with; other readers do, and "
    "people who look at the draft. That a list at the end is only worth knowing is judgement.",
)
