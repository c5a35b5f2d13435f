"""Say whether two nodes take the same values, as far as their structure shows: names and descriptions do not count."""

from __future__ import annotations

from pratique.dialects.nodes.node import Choice, Entry, Form, Listing, Loose, Node, Record, Rule, Scalar
from pratique.dialects.nodes.reading import is_same

__all__ = ["is_alike", "is_alike_entry"]


def is_alike(one: Node, other: Node, met: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Say whether two nodes have the same structure.

    Limits: each pair of nodes is compared once on a way down: cycles end.
    Not checked: what nodes do not keep (conditions, ``not``); two structures that mean the same and are written
        otherwise are not alike.
    """
    pair = (id(one), id(other))
    if one is other or pair in met:
        return True
    met |= {pair}
    if one.never or other.never or len(one.arms) != len(other.arms):
        return one.never and other.never
    if one.arms:
        return all(is_alike(arm, its, met) for arm, its in zip(one.arms, other.arms, strict=True))
    return _is_alike_form(one.form, other.form, met)


def _is_alike_form(one: Form | None, other: Form | None, met: frozenset[tuple[int, int]]) -> bool:
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return one.kind == other.kind and _said(one.rules) == _said(other.rules)
    if isinstance(one, Choice) and isinstance(other, Choice):
        return _is_same_set(one, other)
    if isinstance(one, Loose) and isinstance(other, Loose):
        return set(one.kinds) == set(other.kinds)
    if isinstance(one, Listing) and isinstance(other, Listing):
        same = _said(one.rules) == _said(other.rules)
        return same and is_alike_elements(one, other, met)
    if isinstance(one, Record) and isinstance(other, Record):
        return _is_alike_record(one, other, met)
    return one is other


def is_alike_elements(one: Listing, other: Listing, met: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Say whether two lists have the same elements, however many of them."""
    if len(one.prefix) != len(other.prefix) or (one.items is None) != (other.items is None):
        return False
    pairs = [*zip(one.prefix, other.prefix, strict=True)]
    if one.items is not None and other.items is not None:
        pairs.append((one.items, other.items))
    return all(is_alike(mine, its, met) for mine, its in pairs)


def _is_alike_record(one: Record, other: Record, met: frozenset[tuple[int, int]]) -> bool:
    if one.fields.keys() != other.fields.keys() or _said(one.rules) != _said(other.rules):
        return False
    if (one.rest is None) != (other.rest is None):
        return False
    if one.rest is not None and other.rest is not None and not is_alike(one.rest, other.rest, met):
        return False
    return all(is_alike_entry(entry, other.fields[name], met) for name, entry in one.fields.items())


def is_alike_entry(one: Entry, other: Entry, met: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Say whether two fields take the same values and are as necessary."""
    return one.required == other.required and is_alike(one.node, other.node, met)


def _is_same_set(one: Choice, other: Choice) -> bool:
    if len(one.values) != len(other.values):
        return False
    return all(any(is_same(value, its) for its in other.values) for value in one.values)


def _said(rules: tuple[Rule, ...]) -> dict[str, object]:
    """Return what rules say, a bound of nothing left out."""
    return {rule.keyword: rule.value for rule in rules if not (rule.keyword == "minItems" and rule.value == 0)}
