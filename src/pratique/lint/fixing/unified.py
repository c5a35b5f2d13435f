"""Make one type of a union whose tag can be derived, and a function that converts what was written for the union.

Everything that the union took, the unified type takes once it is converted; what it takes more is what the tag alone
kept out: the mistakes that the tag made possible.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pratique.dialects.nodes.node import Choice, Entry, Listing, Node, Record, Scalar
from pratique.lint.derivation import Arm, Derivation, kinds_of
from pratique.lint.fixing.python_text import Module
from pratique.lint.fixing.schema_text import schema_of
from pratique.lint.likeness import is_alike
from pratique.lint.rule import Fix

__all__ = ["fix_of", "unified"]


def unified(found: Derivation, name: str = "") -> Node:
    """Return the node of the one type; ``name`` is for one whose arms' names have nothing in common."""
    longest = max(found.arms, key=lambda arm: len(arm.fields))
    fields = {name: _joined(name, found) if name in found.keys else entry for name, entry in longest.fields.items()}
    forms = [arm.node.form for arm in found.arms]
    rest = next((form.rest for form in forms if isinstance(form, Record) and form.rest is not None), None)
    return Node(name=_name(found) or name, form=Record(fields, rest))


def fix_of(found: Derivation, name: str = "") -> Fix:
    """Return the unified type as a schema and as Python source, with the converter."""
    node = unified(found, name)
    module = Module()
    title = module.model(node, node.name or "Unified")
    python = module.source(_converter(found), _derived(found))
    return Fix(f'{title}: one type, without "{found.tag}"', schema_of(node), python)


def _name(found: Derivation) -> str:
    """Name the type by what the names of the arms have in common, else by its field."""
    names = [arm.node.name for arm in found.arms]
    common = ""
    for letters in zip(*(reversed(name) for name in names), strict=False):
        if len(set(letters)) > 1:
            break
        common = letters[0] + common
    start = next((index for index, letter in enumerate(common) if letter.isupper()), None)
    return common[start:] if start is not None and len(common[start:]) > 2 else ""


def _joined(name: str, found: Derivation) -> Entry:
    """Return the one field that takes all that the arms took there."""
    entries = [arm.fields[name] for arm in found.arms if name in arm.fields]
    first = next((arm.fields[name] for arm in found.arms if name in arm.fields and arm.one is None), entries[0])
    nodes = [entry.node for entry in entries]
    forms = [node.form for node in nodes]
    lists = [form for form in forms if isinstance(form, Listing)]
    choices = [form for form in forms if isinstance(form, Choice)]
    node = nodes[0]
    if all(is_alike(node, other) for other in nodes[1:]):
        pass
    elif len(lists) == len(nodes):
        node = _one_list(lists, first.node)
    elif len(choices) == len(nodes):
        node = Node(form=Choice(tuple(value for form in choices for value in form.values)))
    elif len(nodes) > 1:
        whole = _one_range([form for form in forms if isinstance(form, Scalar)]) if found.how == "range" else None
        node = whole or Node(arms=tuple(nodes))
    return replace(first, node=node, required=len(entries) == len(found.arms))


def _one_list(lists: Sequence[Listing], like: Node) -> Node:
    most = [form.max_items for form in lists]
    at_most = None if None in most else max(bound for bound in most if bound is not None)
    telling = like.form if isinstance(like.form, Listing) else lists[0]
    kept = tuple(rule for rule in telling.rules if rule.keyword not in ("minItems", "maxItems"))
    form = replace(telling, min_items=min(each.min_items for each in lists), max_items=at_most, rules=kept)
    return Node(described=like.described, form=form)


def _one_range(forms: Sequence[Scalar]) -> Node | None:
    """Return one number when the ranges follow on each other without a gap; else None."""
    if any(form.kind != "integer" for form in forms):
        return None
    bounds = [{rule.keyword: rule for rule in form.rules} for form in forms]
    if any({"exclusiveMinimum", "exclusiveMaximum", "multipleOf"} & each.keys() for each in bounds):
        return None
    spans = sorted(bounds, key=lambda each: each["minimum"].value if "minimum" in each else float("-inf"))
    for less, more in pairwise(spans):
        if less["maximum"].value + 1 != more["minimum"].value:
            return None
    ends = [spans[0].get("minimum"), spans[-1].get("maximum")]
    return Node(form=Scalar("integer", tuple(rule for rule in ends if rule is not None)))


# ---------------------------------------------------------------------- Python source of the way over


def _converter(found: Derivation) -> str:
    """Write the function from a payload of the union to one of the unified type."""
    tag, (key, *_) = json.dumps(found.tag), found.keys
    lines = [
        "def without_tag(payload: dict[str, Any]) -> dict[str, Any]:",
        f'    """Convert a payload that was written with {found.tag!r}; a converted one stays as it is."""',
        f"    rest = {{name: value for name, value in payload.items() if name != {tag}}}",
    ]
    for arm in found.arms:
        lines += [f"    {line}" for line in _one_to_list(arm, key)]
    return "\n".join([*lines, "    return rest"])


def _one_to_list(arm: Arm, key: str) -> Iterator[str]:
    if arm.one is None:
        return
    name = json.dumps(key)
    if arm.one:
        one = json.dumps(arm.one)
        yield f"if {one} in rest and {name} not in rest:"
        yield f"    rest[{name}] = [rest.pop({one})]"
        return
    form = arm.fields[key].node.form
    assert isinstance(form, Listing)
    assert form.items is not None
    assert isinstance(form.items.form, Record)
    fields = json.dumps(list(form.items.form.fields))
    yield f"if {name} not in rest:"
    yield f"    rest[{name}] = [{{name: rest.pop(name) for name in {fields} if name in rest}}]"


def _derived(found: Derivation) -> str:
    """Write the function that says what the tag said."""
    lines = [
        "def tag_of(payload: dict[str, Any]) -> str:",
        f'    """Derive what {found.tag!r} said, from a payload of the unified type."""',
    ]
    if found.how == "presence":
        lines += _by_presence(found)
    else:
        lines += [f"    told = payload[{json.dumps(found.keys[0])}]"]
        lines += [f"    {line}" for line in _by_value(found, "told")]
    return "\n".join(lines)


def _by_presence(found: Derivation) -> Iterator[str]:
    if len(found.keys) > 1:
        for arm in sorted(found.arms, key=lambda arm: -len(arm.fields)):
            last = next((key for key in reversed(_added(found)) if key in arm.fields), None)
            if last is not None:
                yield f"    if payload.get({json.dumps(last)}) is not None:"
                yield f"        return {json.dumps(arm.value)}"
        yield f"    return {json.dumps(min(found.arms, key=lambda arm: len(arm.fields)).value)}"
        return
    key = found.keys[0]
    absent = next(arm for arm in found.arms if key not in arm.fields)
    yield f"    told = payload.get({json.dumps(key)})"
    yield "    if told is None:"
    yield f"        return {json.dumps(absent.value)}"
    there = tuple(arm for arm in found.arms if key in arm.fields)
    if len(there) == 1:
        yield f"    return {json.dumps(there[0].value)}"
        return
    yield from (f"    {line}" for line in _by_value(replace(found, arms=there), "told"))


def _added(found: Derivation) -> list[str]:
    """Return the keys in the order in which the arms add them."""
    return sorted(found.keys, key=lambda key: -sum(key in arm.fields for arm in found.arms))


def _by_value(found: Derivation, told: str) -> Iterator[str]:
    """Write the choice among arms that all have the field; the last one needs no question."""
    key = found.keys[0]
    arms = sorted(found.arms, key=lambda arm: not _is_narrow(arm, key))
    for arm in arms[:-1]:
        yield f"if {_question(arm.fields[key].node, told)}:"
        yield f"    return {json.dumps(arm.value)}"
    yield f"return {json.dumps(arms[-1].value)}"


def _is_narrow(arm: Arm, key: str) -> bool:
    """Say whether an arm takes exactly one length: asked first, since another arm may take it too."""
    form = arm.fields[key].node.form
    return isinstance(form, Listing) and form.min_items == form.max_items


_PYTHON = {"string": "str", "number": "(int, float)", "boolean": "bool", "object": "dict", "array": "list"}


def _question(node: Node, told: str) -> str:
    """Write the question whether a value is one of a node's, where the nodes of all arms exclude each other."""
    form = node.form
    if isinstance(form, Choice):
        return f"{told} in {list(form.values)!r}"
    if isinstance(form, Listing) and (form.min_items or form.max_items is not None):
        return _between(f"len({told})", form.min_items or None, form.max_items)
    if isinstance(form, Scalar) and form.kind in ("integer", "number") and form.rules:
        signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
        bounds = [f"{told} {signs[rule.keyword]} {rule.value}" for rule in form.rules if rule.keyword in signs]
        return " and ".join(bounds)
    return " or ".join(_type_question(kind, told) for kind in sorted(kinds_of(node)))


def _type_question(kind: str, told: str) -> str:
    if kind == "null":
        return f"{told} is None"
    beside = f" and not isinstance({told}, bool)" if kind == "number" else ""
    return f"isinstance({told}, {_PYTHON[kind]}){beside}"


def _between(what: str, low: int | None, high: int | None) -> str:
    if low is not None and low == high:
        return f"{what} == {low}"
    return f"{'' if low is None else f'{low} <= '}{what}{'' if high is None else f' <= {high}'}"
