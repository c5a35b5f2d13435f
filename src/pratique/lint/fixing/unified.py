"""Make one type of a union whose tag can be derived, and a function that converts what was written for the union.

Everything that the union took, the unified type takes once it is converted; what it takes more is what the tag alone
kept out: the mistakes that the tag made possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pratique.dialects.nodes.node import Choice, Entry, Listing, Node, Record, Scalar, kinds_of
from pratique.lint.derivation import Arm, Derivation
from pratique.lint.fixing.literals import doc_text, literal
from pratique.lint.fixing.python_text import Module
from pratique.lint.fixing.schema_text import schema_of
from pratique.lint.likeness import is_alike
from pratique.lint.rule import Fix
from pratique.show import escape

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
    return Fix(f'{title}: one type, without "{escape(found.tag)}"', schema_of(node), python)


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
    shared = {"uniqueItems"}.intersection(*({rule.keyword for rule in each.rules} for each in lists))
    kept = tuple(rule for rule in telling.rules if rule.keyword in shared)
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
    tag, (key, *_) = literal(found.tag), found.keys
    lines = [
        "def without_tag(payload: dict[str, Any]) -> dict[str, Any]:",
        f'    """Convert a payload that was written with \'{doc_text(found.tag)}\'; a converted one stays as it is."""',
        f"    rest = {{name: value for name, value in payload.items() if name != {tag}}}",
    ]
    for arm in found.arms:
        lines += [f"    {line}" for line in (*_one_to_list(arm, key), *_strange_keys(found, arm))]
    return "\n".join([*lines, "    return rest"])


def _strange_keys(found: Derivation, arm: Arm) -> Iterator[str]:
    """Leave out what an open arm took under a key that is another arm's: to this one it said nothing."""
    form = arm.node.form
    strange = [key for key in found.keys if key not in arm.fields]
    if strange and isinstance(form, Record) and form.rest is not None:
        yield f"if payload.get({literal(found.tag)}) == {literal(arm.value)}:"
        yield from (f"    rest.pop({literal(key)}, None)" for key in strange)


def _one_to_list(arm: Arm, key: str) -> Iterator[str]:
    if arm.one is None:
        return
    name = literal(key)
    if arm.one:
        one = literal(arm.one)
        yield f"if {one} in rest and {name} not in rest:"
        yield f"    rest[{name}] = [rest.pop({one})]"
        return
    form = arm.fields[key].node.form
    assert isinstance(form, Listing)
    assert form.items is not None
    assert isinstance(form.items.form, Record)
    fields = literal(list(form.items.form.fields))
    yield f"if {name} not in rest:"
    yield f"    rest[{name}] = [{{name: rest.pop(name) for name in {fields} if name in rest}}]"


def _derived(found: Derivation) -> str:
    """Write the function that says what the tag said."""
    kinds = dict.fromkeys(type(arm.value).__name__ for arm in found.arms)
    lines = [
        f"def tag_of(payload: dict[str, Any]) -> {' | '.join(kinds)}:",
        f'    """Derive what \'{doc_text(found.tag)}\' said, from a payload of the unified type."""',
    ]
    if found.how == "presence":
        lines += _by_presence(found)
    else:
        lines += [f"    told = payload[{literal(found.keys[0])}]"]
        lines += [f"    {line}" for line in _by_value(found, "told")]
    return "\n".join(lines)


def _by_presence(found: Derivation) -> Iterator[str]:
    if len(found.keys) > 1:
        for arm in sorted(found.arms, key=lambda arm: -len(arm.fields)):
            last = next((key for key in reversed(_added(found)) if key in arm.fields), None)
            if last is not None:
                yield f"    if {_absent('payload', last, [arm], is_not='not ')}:"
                yield f"        return {literal(arm.value)}"
        yield f"    return {literal(min(found.arms, key=lambda arm: len(arm.fields)).value)}"
        return
    key = found.keys[0]
    absent = next(arm for arm in found.arms if key not in arm.fields)
    there = tuple(arm for arm in found.arms if key in arm.fields)
    yield f"    if {_absent('payload', key, there)}:"
    yield f"        return {literal(absent.value)}"
    if len(there) == 1:
        yield f"    return {literal(there[0].value)}"
        return
    yield f"    told = payload[{literal(key)}]"
    yield from (f"    {line}" for line in _by_value(replace(found, arms=there), "told"))


def _absent(payload: str, key: str, arms: Sequence[Arm], *, is_not: str = "") -> str:
    """Write the question whether a key is absent; null says so too, where it is no value of its own."""
    if any("null" in kinds_of(arm.fields[key].node) for arm in arms):
        return f"{literal(key)} {'' if is_not else 'not '}in {payload}"
    return f"{payload}.get({literal(key)}) is {is_not}None"


def _added(found: Derivation) -> list[str]:
    """Return the keys in the order in which the arms add them."""
    return sorted(found.keys, key=lambda key: -sum(key in arm.fields for arm in found.arms))


def _by_value(found: Derivation, told: str) -> Iterator[str]:
    """Write the choice among arms that all have the field; the last one needs no question."""
    key = found.keys[0]
    arms = sorted(found.arms, key=lambda arm: not _is_narrow(arm, key))
    for arm in arms[:-1]:
        node = arm.fields[key].node
        yield f"if {_of_type(node, told) if found.how == 'type' else _question(node, told)}:"
        yield f"    return {literal(arm.value)}"
    yield f"return {literal(arms[-1].value)}"


def _is_narrow(arm: Arm, key: str) -> bool:
    """Say whether an arm takes exactly one length: asked first, since another arm may take it too."""
    form = arm.fields[key].node.form
    return isinstance(form, Listing) and form.min_items == form.max_items


_PYTHON = {"string": "str", "number": "(int, float)", "boolean": "bool", "object": "dict", "array": "list"}


def _question(node: Node, told: str) -> str:
    """Write the question whether a value is one of a node's, where the nodes of all arms exclude each other."""
    form = node.form
    if isinstance(form, Choice):
        return f"{told} in {literal(form.values)}"
    if isinstance(form, Listing) and (form.min_items or form.max_items is not None):
        return _between(f"len({told})", form.min_items or None, form.max_items)
    if isinstance(form, Scalar) and form.kind in ("integer", "number") and form.rules:
        signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
        bounds = [f"{told} {signs[rule.keyword]} {rule.value}" for rule in form.rules if rule.keyword in signs]
        return " and ".join(bounds)
    return _of_type(node, told)


def _of_type(node: Node, told: str) -> str:
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
