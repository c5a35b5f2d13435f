"""LS050: a number can be computed from its siblings.

Quiet where a check or a validator reads the field: there somebody recomputes it, or looks at it at least. In the
arguments of a tool, a bare ``count`` is how many are asked for: there only the count of a list of that name is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from pratique.dialects.nodes.node import Choice, Listing, Node, Record, Scalar
from pratique.lint.mentions import MAX_DESCRIBED_CHARS
from pratique.lint.names import listed, words_of
from pratique.lint.nearness import stem
from pratique.lint.own_rules import checks_of, names_in, types_of, validators_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.view import Field
from pratique.lint.vocabulary import bare

__all__ = ["RULE"]

_SUM = frozenset({"total", "totals", "sum", "subtotal", "grand"})
_COUNT = frozenset({"count", "counts", "cnt", "num", "number", "of", "total", "the"})
_MEAN = frozenset({"average", "avg", "mean"})
_WHOLE = frozenset({"aggregate", "average", "avg", "combined", "composite", "final", "global", "mean", "overall", "sum",
                    "total", "weighted"})  # fmt: skip
"""Words that make a score one over others."""
_SCORES = frozenset({"points", "rating", "ratings", "score", "scores", "subscore", "subscores"})
_GROUPS = _SCORES | {"breakdown", "categories", "components", "criteria", "dimensions", "factors"}
"""Last words of names for several scores in one object or list."""
_AMOUNTS = frozenset({"amount", "cost", "discount", "failed", "fee", "fees", "passed", "price", "shipping", "skipped",
                      "subtotal", "tax", "taxes", "tip", "total", "vat"})  # fmt: skip
"""Last words of names for numbers that are added up."""
_BOUNDS = frozenset({"budget", "cap", "limit", "max", "maximum", "min", "minimum", "page", "percent", "per", "rate",
                     "ratio", "target", "threshold"})  # fmt: skip
"""Words of numbers that are no part of a sum."""
_PAGES = frozenset({"after", "cursor", "has", "limit", "more", "next", "offset", "page", "pages", "skip", "start"})
"""Words of a list that is only a part of what is counted."""
_PLACES = frozenset(
    {
        "begin",
        "bottom",
        "column",
        "end",
        "height",
        "id",
        "index",
        "lat",
        "latitude",
        "left",
        "line",
        "lon",
        "longitude",
        "offset",
        "page",
        "right",
        "start",
        "time",
        "timestamp",
        "top",
        "width",
        "year",
    }
)
"""Words of numbers that say where something is: a score beside them is no sum of them."""
_FORMULA = re.compile(
    r"[\w)]\s*[+*×÷]\s*[\w(]|[\w)]\s/\s[\w(]|\b(?:sum|average|mean|product|total|ratio|difference) of\b|"
    r"\b(?:computed|calculated|derived) (?:from|as|by)\b|\bdivided by\b",
    re.I,
)

_Found: TypeAlias = tuple[str, ...]
"""The siblings that a value can be computed from; none when it cannot."""
_Look: TypeAlias = Callable[[Field, Sequence[Field], bool], _Found]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    del settings
    looked_at = _looked_at(subject)
    is_tool = subject.kind is Kind.TOOL
    for part in subject.parts:
        for spot in part.view.records:
            fields = list(part.view.fields_of(spot))
            for field in fields if len(fields) > 1 else ():
                if _is_number(field.node) and field.name not in looked_at:
                    others = [other for other in fields if other is not field]
                    yield from _told(subject, part, field, _of(part, field, others, is_tool), others)


def _of(part: Part, field: Field, others: Sequence[Field], is_tool: bool) -> _Found:
    words = set(words_of(field.name))
    looks: list[tuple[bool, _Look]] = [
        (bool(words & _COUNT - {"of", "the"}), _counted),
        (bool(words & _SUM), _summed),
        (bool(words & _MEAN), _averaged),
        (words_of(field.name)[-1:] == ("score",), _scored),
    ]
    found = next((found for fits, look in looks if fits and (found := look(field, others, is_tool))), ())
    return found if found or is_tool else _by_formula(part, field, others)


def _told(subject: Subject, part: Part, field: Field, of: _Found, others: Sequence[Field]) -> Iterator[Remark]:
    if of:
        yield Remark(part, field.place, f"{field.path} can be computed from {listed(of)}")
    elif words_of(field.name)[-1:] == ("rank",) and subject.kind is not Kind.TOOL and "[]" in field.owner.path:
        is_key = subject.terms is not None and any(field.name in keys for keys in subject.terms.unique)
        scores = tuple(other.name for other in others if _is_number(other.node) and _ends(other.name, _SCORES))
        if scores and not is_key and not _BOUNDS & set(words_of(field.name)):
            told = f"{field.path} follows from the order of {listed(scores)}"
            yield Remark(part, field.place, told, "sort by the score; or keep it as what tells items apart", Level.INFO)


def _looked_at(subject: Subject) -> frozenset[str]:
    """Return the names that a check or a validator reads."""
    rules = [*checks_of(subject)]
    rules += [rule for part in subject.parts for kind in types_of(part, subject) for rule, _ in validators_of(kind)]
    return frozenset().union(*(rule.attributes | rule.texts for rule in rules))


# ---------------------------------------------------------------------- what can be computed from what


def _counted(field: Field, others: Sequence[Field], is_tool: bool) -> _Found:
    core = [stem(word) for word in words_of(field.name) if word not in _COUNT]
    lists = [other for other in others if isinstance(bare(other.node).form, Listing)]
    is_page = any(_PAGES & set(words_of(other.name)) for other in others)
    if core:
        counted = tuple(other.name for other in lists if [stem(word) for word in words_of(other.name)] == core)
        return () if is_page and "total" in words_of(field.name) else counted[:1]
    is_bare = words_of(field.name) == ("count",) and len(lists) == 1
    return (lists[0].name,) if is_bare and not is_page and not is_tool else ()


def _summed(field: Field, others: Sequence[Field], is_tool: bool) -> _Found:
    del is_tool
    words = frozenset(words_of(field.name)) - _SUM
    last = frozenset(words_of(field.name)[-1:])
    parts = tuple(
        other.name
        for other in others
        if _is_number(other.node)
        and not (_BOUNDS | {"total", "sum"}) & set(words_of(other.name))
        and _ends(other.name, last if words else _AMOUNTS)
        and words <= set(words_of(other.name))
    )
    core = frozenset(map(stem, words))
    return parts if len(parts) > 1 and words_of(field.name) != ("subtotal",) else _in_list(core, others, _AMOUNTS)


def _averaged(field: Field, others: Sequence[Field], is_tool: bool) -> _Found:
    del is_tool
    core = frozenset(map(stem, words_of(field.name))) - _MEAN
    parts = tuple(
        other.name
        for other in others
        if core and _is_number(other.node) and core < set(map(stem, words_of(other.name)))
        and not (_BOUNDS | {"median", "std", "stdev"}) & set(words_of(other.name))
    )  # fmt: skip
    return parts if len(parts) > 1 else _in_list(core, others, frozenset())


def _scored(field: Field, others: Sequence[Field], is_tool: bool) -> _Found:
    del is_tool
    core = set(words_of(field.name)) - {"score"}
    if core - _WHOLE:
        return ()
    parts = tuple(other.name for other in others if _is_number(other.node) and _is_one_score(other.name))
    if len(parts) > 1:
        return parts
    for other in others:
        if _ends(other.name, _GROUPS) and _is_group(bare(other.node)):
            return (other.name,)
    names = [other.name for other in others]
    is_all = not core and len(names) > 2 and all(_is_number(other.node) for other in others)
    return tuple(names) if is_all and not any(_is_place(name) for name in names) else ()


def _by_formula(part: Part, field: Field, others: Sequence[Field]) -> _Found:
    """Return the numbers that the description of a number computes it from."""
    said = part.view.described(field)[:MAX_DESCRIBED_CHARS]
    if not _FORMULA.search(said):
        return ()
    numbers = [other.name for other in others if _is_number(other.node)]
    named = names_in(said, frozenset(numbers))
    return tuple(name for name in numbers if name in named) if len(named) > 1 else ()


def _in_list(core: frozenset[str], others: Sequence[Field], amounts: frozenset[str]) -> _Found:
    """Return the list whose numbers, or whose objects' numbers, are added up or averaged."""
    for other in others:
        form = bare(other.node).form
        if not isinstance(form, Listing) or form.items is None:
            continue
        item = bare(form.items)
        named = set(map(stem, words_of(other.name)))
        if _is_number(item) and (not core or core == named):
            return (other.name,)
        if isinstance(item.form, Record):
            for name, entry in item.form.fields.items():
                fits = core <= set(map(stem, words_of(name))) if core else _ends(name, amounts)
                if fits and _is_number(entry.node):
                    return (f"{other.name}[].{name}",)
    return ()


def _is_group(node: Node) -> bool:
    """Say whether a value holds several scores: an object of numbers, a list of objects with one."""
    if isinstance(node.form, Record):
        entries = node.form.fields.values()
        return len(entries) > 1 and all(_is_number(entry.node) for entry in entries)
    item = bare(node.form.items) if isinstance(node.form, Listing) and node.form.items is not None else node
    return isinstance(item.form, Record) and any(
        _ends(name, _SCORES) and _is_number(entry.node) for name, entry in item.form.fields.items()
    )


def _is_one_score(name: str) -> bool:
    words = set(words_of(name))
    return _ends(name, _SCORES) and not words & (_BOUNDS | _WHOLE)


def _is_place(name: str) -> bool:
    return _ends(name, _PLACES) or any(len(word) == 1 and word.isalpha() for word in words_of(name))


def _is_number(node: Node) -> bool:
    form = bare(node).form
    if isinstance(form, Choice):
        return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in form.values)
    return isinstance(form, Scalar) and form.kind in ("integer", "number")


def _ends(name: str, words: frozenset[str]) -> bool:
    return bool(words & set(words_of(name)[-1:]))


def _estimate(*names: str) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {name: {"type": "number"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS050",
    name="derived-value",
    level=Level.WARN,
    title="a number can be computed from its siblings",
    why="Models compute badly and do not look back: the value contradicts what it stands beside, and then nobody knows "
    "which of the two was meant.",
    help="leave it out and compute it after the delivery is admitted; or let a check of the contract recompute it",
    evidence=(
        "source 004: wsjf.score stood beside its five components",
        "the daily triage here: the score is recomputed, and a difference is a finding",
    ),
    bad=_estimate("score", "value", "urgency", "job_size"),
    good=_estimate("value", "urgency", "job_size"),
    check=_check,
    judgement="It goes by names. An overall score may be meant as a judgement of its own: say so in its description, "
    "and ignore this.",
)
