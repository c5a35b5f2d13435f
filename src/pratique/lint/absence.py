"""Say whether a value may be null, and which fields of an object may be left out."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.nodes.node import Choice, Node, Scalar
from pratique.lint.view import Field, Spot, View

__all__ = ["optional_fields", "takes_null"]


def takes_null(node: Node) -> bool:
    """Say whether null is told as one of the values; where any value fits, nothing is told."""
    ahead, seen = [node], set[int]()
    while ahead:
        arm = ahead.pop()
        if id(arm) in seen or arm.never:
            continue
        seen.add(id(arm))
        form = arm.form
        if isinstance(form, Scalar) and form.kind == "null":
            return True
        if isinstance(form, Choice) and any(value is None for value in form.values):
            return True
        ahead += arm.arms
    return False


def optional_fields(view: View, spot: Spot) -> Iterator[Field]:
    """Yield the fields of one object that may be left out; one of a single value says what the object is, not more."""
    for field in view.fields_of(spot):
        form = field.node.form
        if not field.entry.required and not (isinstance(form, Choice) and len(form.values) == 1):
            yield field
