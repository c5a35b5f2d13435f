"""The variants of a union of objects: what tells them apart, and how they are called in a message."""

from __future__ import annotations

from collections.abc import Sequence

from pratique.dialects.nodes.node import Choice, Node, Record

__all__ = ["tag_of", "variant_names"]


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
    found = []
    for index, arm in enumerate(arms, 1):
        values = _values(arm.form, tag) if isinstance(arm.form, Record) and tag else ()
        found.append(sorted(values)[0] if values else arm.name or f"variant {index}")
    return found


def _values(record: Record, key: str) -> frozenset[str]:
    """Return the texts that a key is one of; empty when it may be anything else."""
    entry = record.fields.get(key)
    form = None if entry is None else entry.node.form
    if not isinstance(form, Choice) or not all(isinstance(value, str) for value in form.values):
        return frozenset()
    return frozenset(form.values)
