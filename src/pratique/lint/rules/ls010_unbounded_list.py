"""LS010: lists of objects have no greatest length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.lint.items import objects_in
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Spot, View
from pratique.show import show

__all__ = ["RULE"]

MAX_DESCRIBED_CHARS = 4_000
"""Characters of one description that are read: a bound stands near its beginning."""

_BOUND = re.compile(
    r"\b(?:up to|at most|no more than|(?:a )?max(?:imum)?(?: of)?:?) [0-9]{1,6}\b(?![.,]?[0-9%]| ?[kKMG]?B\b)", re.I
)
"""Not of sizes and shares: ``up to 5 MB``."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at all lists of objects; a contract's own list is bounded by ``limits.max_items``.

    In a tool's arguments it is worth knowing: a call is short as a rule, and its server can refuse what is too much.
    Where words tell the bound, it is a warning there, too: it stands where nothing keeps it.
    """
    del settings
    for part in subject.parts:
        for spot in part.view.listings:
            if _is_unbounded(spot):
                told = _told(part.view, spot)
                message = f"the list of objects at {spot.path} may be of any length"
                message += f", and its description says {show(told)}" if told else ""
                level = (Level.WARN if told else Level.INFO) if subject.kind is Kind.TOOL else None
                yield Remark(part, spot.place, message, level=level)


def _is_unbounded(spot: Spot) -> bool:
    items = spot.listing.items
    return spot.listing.max_items is None and items is not None and bool(objects_in(items))


def _told(view: View, spot: Spot) -> str:
    """Return the words that tell the greatest length; empty when none do."""
    said = [view.said(spot.place).get("description"), view.described(spot.field) if spot.field else ""]
    found = _BOUND.search("\n".join(words for words in said if isinstance(words, str))[:MAX_DESCRIBED_CHARS])
    return found[0] if found else ""


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
    judgement="Arguments of tools are told as info, unless a description tells the greatest number.",
)
