"""Say whether a value fits a node, as far as the node tells: which arm of a union a value is.

Source: JSON Schema 2020-12, validation vocabulary, for the rules on scalars and lengths.
"""

from __future__ import annotations

import math
from typing import Any

from pratique.dialects.nodes.matching import keeps
from pratique.dialects.nodes.node import Choice, Listing, Loose, Node, Record, Scalar, kind_of
from pratique.dialects.nodes.reading import is_same

__all__ = ["fits"]


def fits(node: Node, value: Any) -> bool:
    """Say whether ``value`` keeps all that ``node`` says.

    Not checked: what the reading left out of the node; patterns and formats where ``jsonschema_rs`` is missing.
    """
    if node.never:
        return False
    if node.form is None:
        return any(fits(arm, value) for arm in node.arms)
    form = node.form
    kind = kind_of(value)
    if isinstance(form, Loose):
        return kind in form.kinds
    if isinstance(form, Choice):
        return any(is_same(value, listed) for listed in form.values)
    if isinstance(form, Scalar):
        if form.kind == "integer":
            right = kind == "number" and (not isinstance(value, float) or value.is_integer())
        else:
            right = kind == form.kind
        return right and all(keeps(value, rule.keyword, rule.value) for rule in form.rules)
    if isinstance(form, Listing):
        return kind == "array" and _fits_list(form, value)
    return kind == "object" and _fits_record(form, value)


def _fits_list(form: Listing, value: list[Any]) -> bool:
    if len(value) < form.min_items or (form.max_items is not None and len(value) > form.max_items):
        return False
    if any(rule.keyword == "uniqueItems" for rule in form.rules) and _repeats(value):
        return False
    if not all(fits(node, element) for node, element in zip(form.prefix, value, strict=False)):
        return False
    others = value[len(form.prefix) :]
    return not others or (form.items is not None and all(fits(form.items, element) for element in others))


def _fits_record(form: Record, value: dict[str, Any]) -> bool:
    if any(entry.required and name not in value for name, entry in form.fields.items()):
        return False
    bounds = {rule.keyword: rule.value for rule in form.rules}
    if not bounds.get("minProperties", 0) <= len(value) <= bounds.get("maxProperties", math.inf):
        return False
    for name, part in value.items():
        node = form.fields[name].node if name in form.fields else form.rest
        if node is None or not fits(node, part):
            return False
    return True


def _repeats(values: list[Any]) -> bool:
    return any(is_same(value, other) for index, value in enumerate(values) for other in values[:index])
