"""LS013: the longest delivery does not fit into max_tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from pratique.contract import Contract
from pratique.dialects.nodes.node import Listing
from pratique.dialects.words.size import Size, Unbounded, max_tokens_for, worst_size
from pratique.errors import Misuse
from pratique.limits import Limits
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.thresholds import Thresholds
from pratique.show import show
from pratique.terms.schema_document import Document
from pratique.terms.terms import Locality

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Say nothing unless max_tokens is known, nor of a tool: a call is not the whole answer.

    For a type or a schema it is a warning: neither bounds each of its texts, so the size is a guess.
    """
    bounds = settings.thresholds
    if bounds.max_tokens is None or subject.kind is Kind.TOOL:
        return
    size = _size_of(subject, bounds.usual_text_chars)
    level = None if subject.terms is not None else Level.WARN
    if size is None:
        return
    if size.tokens_estimated is None:
        yield _unbounded(subject, size.unbounded, level)
    elif size.tokens_estimated > bounds.max_tokens * bounds.max_token_share:
        yield _too_long(subject, size, bounds, level)


def _unbounded(subject: Subject, found: Sequence[Unbounded], level: Level | None) -> Remark:
    first = found[0]
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    where = show(first.pointer) if first.part == "unit" else f"{first.part} {show(first.pointer)}"
    message = f"nothing bounds the longest delivery: {first.what} at {where}{more}"
    return Remark(subject.main, (), message, first.remedy, level)


def _too_long(subject: Subject, size: Size, bounds: Thresholds, level: Level | None) -> Remark:
    message = (
        f"the longest delivery takes some {size.tokens_estimated:,} tokens, "
        f"more than {bounds.max_token_share:.0%} of max_tokens, {bounds.max_tokens:,}"
    )
    help = f"bound what is asked for (fewer items, shorter text), or ask with max_tokens={max_tokens_for(size):,}"
    return Remark(subject.main, (), message, help, level)


def _size_of(subject: Subject, text_chars: int) -> Size | None:
    """Compute the size; None where no contract can be made of a type or a schema."""
    if subject.terms is not None:
        return worst_size(subject.terms)
    form = subject.main.view.root.form
    is_list = isinstance(form, Listing)
    try:
        contract = Contract.from_json_schema(
            _bounded(subject.main.schema, text_chars),
            locality=Locality.ITEM if is_list else Locality.ONE,
            limits=_NO_LIMITS,
        )
    except Misuse:
        return None
    size = worst_size(contract.terms)
    if isinstance(form, Listing) and form.max_items is None:
        return Size(None, None, None, None, (_ENDLESS, *size.unbounded))
    return size


_NO_LIMITS = Limits(max_string_chars=Limits().max_bytes)
"""A type or a schema has no limits beside what it says itself."""
_ENDLESS = Unbounded("unit", "/", "a list may have any number of elements", "say max_length (maxItems)")
_SAYS_MORE = frozenset({"additionalProperties", "allOf", "anyOf", "oneOf", "patternProperties", "$ref"})


def _bounded(schema: Mapping[str, Any], text_chars: int) -> dict[str, Any]:
    """Return a copy in which texts have a usual length, and objects no keys beside those they name.

    Only where nothing is said: LS005 and LS053 tell that. What is joined with other schemas stays as it is.
    """
    document = Document(deepcopy(dict(schema)))
    for place, part in document.schemas():
        if part.get("properties") and not _SAYS_MORE & part.keys() and place[-2:-1] != ("allOf",):
            part["additionalProperties"] = False
        if part.get("type") == "string" or (isinstance(part.get("type"), list) and "string" in part["type"]):
            part.setdefault("maxLength", text_chars)
    return document.root


_HEAD = """\
from pydantic import BaseModel
from pratique import Contract, Limits

class Recommendation(BaseModel):
    rank: int
    why: str
"""

RULE = Rule(
    code="LS013",
    name="token-budget",
    level=Level.ERROR,
    title="the longest delivery does not fit into max_tokens",
    why="A reply that reaches max_tokens is cut off in the middle of an item, and asking again with the same "
    "max_tokens cannot help.",
    help="raise max_tokens, or bound what is asked for: fewer items, shorter text",
    evidence=(
        "source 004 T01: 16 items were asked for with some 1,200 to 1,800 tokens; the reply broke off in the eighth",
        "MemOS #2320: a retry with the same max_tokens can never succeed",
    ),
    bad=_HEAD + "\ntarget = Contract.items(Recommendation, limits=Limits(max_items=16, max_string_chars=600))\n",
    good=_HEAD + "\ntarget = Contract.items(Recommendation, limits=Limits(max_items=4, max_string_chars=500))\n",
    check=_check,
    judgement="Tokens are estimated from characters by a ratio measured on replies of small models; which part of "
    "max_tokens may be used (max_token_share), and how long a text is that nothing bounds (usual_text_chars), is "
    "judgement. Nothing is said unless max_tokens is set.",
    thresholds={"max_tokens": 1800},
)
