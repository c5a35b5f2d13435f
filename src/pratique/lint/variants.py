"""The variants of a union of objects: what tells them apart, and how they are called in a message."""

from __future__ import annotations

from collections.abc import Sequence

from pratique.dialects.nodes.node import Choice, Node, Record

__all__ = ["are_variants", "tag_of", "variant_names"]


def are_variants(arms: Sequence[Node]) -> bool:
    """Say whether the arms have fields of their own; else they say of one object which of its keys must come."""
    owners = {
        frozenset(source.place for source in arm.form.sources if source.keyword == "properties")
        for arm in arms
        if isinstance(arm.form, Record)
    }
    return len(owners) > 1


def tag_of(arms: Sequence[Node]) -> str:
    """Return the key whose values tell all variants apart; empty when there is none."""
    records = [arm.form for arm in arms if isinstance(arm.form, Record)]
    if len(records) < 2 or len(records) < len(arms):
        return ""
    for key in records[0].fields:
        values = [_values(record, key) for record in records]
        if all(values) and len(set().union(*values)) == sum(map(len, values)):
            return key
    return ""


def variant_names(arms: Sequence[Node]) -> list[str]:
    """Return how each variant is called: by the value of its tag, by its definition or title, else by its place."""
    tag = tag_of(arms)
    names = [next(iter(sorted(_values(arm.form, tag))), "") if isinstance(arm.form, Record) else "" for arm in arms]
    names = [name or arm.name for name, arm in zip(names, arms, strict=True)]
    # A title that stands around the union is no variant's own name.
    return [name if name and names.count(name) == 1 else f"variant {index}" for index, name in enumerate(names, 1)]


def _values(record: Record, key: str) -> frozenset[str]:
    """Return the texts that a key is one of; empty when it may be anything else."""
    entry = record.fields.get(key)
    form = None if entry is None else entry.node.form
    if not isinstance(form, Choice) or not all(isinstance(value, str) for value in form.values):
        return frozenset()
    return frozenset(form.values)
