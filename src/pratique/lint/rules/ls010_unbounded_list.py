"""LS010: lists of objects have no greatest length."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.items import objects_in
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Spot

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at all lists of objects; a contract's own list is bounded by ``limits.max_items``.

    In a tool's arguments it is a warning: a call is short as a rule, and its server can refuse what is too much.
    """
    del settings
    level = Level.WARN if subject.kind is Kind.TOOL else None
    for part in subject.parts:
        for spot in part.view.listings:
            if _is_unbounded(spot):
                yield Remark(part, spot.place, f"the list of objects at {spot.path} may be of any length", level=level)


def _is_unbounded(spot: Spot) -> bool:
    items = spot.listing.items
    return spot.listing.max_items is None and items is not None and bool(objects_in(items))


_ITEM = {
    "type": "object", "properties": {"rank": {"type": "integer"}, "why": {"type": "string"}},
    "required": ["rank", "why"], "additionalProperties": False,
}  # fmt: skip


def _report(**bounds: int) -> dict[str, object]:
    return {
        "type": "object", "properties": {"recommendations": {"type": "array", "items": _ITEM, **bounds}},
        "required": ["recommendations"], "additionalProperties": False,
    }  # fmt: skip


RULE = Rule(
    code="LS010",
    name="unbounded-list",
    level=Level.ERROR,
    title="lists of objects have no greatest length",
    why="Long lists are where models drift and where a reply is cut off: each item more is a chance more that the "
    "whole breaks, and no max_tokens is enough for a list without end.",
    help='say "maxItems" (Pydantic: Field(max_length=…)), tell the number in the prompt, and ask again for more',
    evidence=(
        "source 004 T02: one recommendation for each of 16 workstreams, broken off after the seventh",
        "reports of attention that runs over in long outputs; LongArray-Extract",
    ),
    bad=_report(),
    good=_report(maxItems=7),
    check=_check,
)
