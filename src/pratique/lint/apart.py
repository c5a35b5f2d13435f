"""Say by what some values of one field exclude each other: a length, a type, listed values, a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from pratique.dialects.nodes.node import Choice, Listing, Node, Scalar, kinds_of
from pratique.dialects.nodes.reading import is_same
from pratique.lint.likeness import is_alike_elements
from pratique.show import show

__all__ = ["Apart", "How", "apart", "in_words"]

How: TypeAlias = Literal["length", "presence", "type", "values", "range"]

Apart: TypeAlias = tuple[How, list[str], bool]
"""By what; for each node, what of it; whether each value says one of them alone."""


def apart(nodes: Sequence[Node]) -> Apart | None:
    """Say by what some nodes exclude each other; None when two of them take the same value."""
    for look in (_by_length, _by_type, _by_values, _by_range):
        found = look(nodes)
        if found is not None:
            return found
    return None


def _by_length(nodes: Sequence[Node]) -> Apart | None:
    forms = [node.form for node in nodes if isinstance(node.form, Listing)]
    if len(forms) < len(nodes) or not all(is_alike_elements(forms[0], form) for form in forms[1:]):
        return None
    spans = [(form.min_items, math.inf if form.max_items is None else form.max_items) for form in forms]
    told = [_spanin_words(*span) for span in spans]
    if _is_disjoint(spans):
        return "length", told, True
    # One arm holds exactly one, another one any number: the tag is not even 1:1, and says nothing all the same.
    alone = [span for span in spans if span == (1, 1)]
    others = [span for span in spans if span != (1, 1)]
    if len(alone) == 1 and len(others) == 1 and others[0][1] > 1:
        return "length", told, False
    return None


def _by_type(nodes: Sequence[Node]) -> Apart | None:
    kinds = [kinds_of(node) for node in nodes]
    if any(not each for each in kinds) or sum(map(len, kinds)) != len(frozenset().union(*kinds)):
        return None
    return "type", [" or ".join(sorted(each)) for each in kinds], True


def _by_values(nodes: Sequence[Node]) -> Apart | None:
    forms = [node.form for node in nodes if isinstance(node.form, Choice)]
    if len(forms) < len(nodes):
        return None
    values = [value for form in forms for value in form.values]
    # Equal as JSON or as Python: the derivation is written in Python, where True is 1.
    if any(is_same(value, other) or value == other for at, value in enumerate(values) for other in values[:at]):
        return None
    return "values", [" or ".join(map(in_words, form.values)) for form in forms], True


def _by_range(nodes: Sequence[Node]) -> Apart | None:
    forms = [node.form for node in nodes if isinstance(node.form, Scalar)]
    if len(forms) < len(nodes) or {form.kind for form in forms} - {"integer", "number"}:
        return None
    is_whole = all(form.kind == "integer" for form in forms)
    spans = [_range_of(form, is_whole=is_whole) for form in forms]
    if None in spans or not _is_disjoint([span for span in spans if span is not None]):
        return None
    return "range", [_spanin_words(*span) for span in spans if span is not None], True


def _range_of(form: Scalar, *, is_whole: bool) -> tuple[float, float] | None:
    """Return the least and the largest number; None when a bound is exclusive and numbers are not whole."""
    bounds = {rule.keyword: rule.value for rule in form.rules}
    if not is_whole and {"exclusiveMinimum", "exclusiveMaximum"} & bounds.keys():
        return None
    low, high = bounds.get("minimum", -math.inf), bounds.get("maximum", math.inf)
    if "exclusiveMinimum" in bounds:
        low = max(low, _whole(bounds["exclusiveMinimum"], math.floor) + 1)
    if "exclusiveMaximum" in bounds:
        high = min(high, _whole(bounds["exclusiveMaximum"], math.ceil) - 1)
    return (_whole(low, math.ceil), _whole(high, math.floor)) if is_whole else (low, high)


def _whole(bound: float, rounded: Callable[[float], int]) -> float:
    return bound if bound in (-math.inf, math.inf) else rounded(bound)


def _is_disjoint(spans: Sequence[tuple[float, float]]) -> bool:
    ordered = sorted(spans)
    return all(less[1] < more[0] for less, more in pairwise(ordered))


def _spanin_words(low: float, high: float) -> str:
    if low == high:
        return _number(low)
    if high == math.inf:
        return f"{_number(low)} or more"
    return f"at most {_number(high)}" if low in (-math.inf, 0) else f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return show(value) if isinstance(value, int) else f"{value:g}"


def in_words(value: Any) -> str:
    """Return a JSON value as it is told."""
    return f'"{value}"' if isinstance(value, str) else show(value)
