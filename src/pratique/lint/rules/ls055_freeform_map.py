"""LS055: a value may be anything."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.nodes.node import Loose, Node, Record
from pratique.lint.mentions import explained_names
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Spot, View
from pratique.show import show

__all__ = ["RULE"]

_NAMES_KEYS = ("maxProperties", "patternProperties", "propertyNames")
"""Keywords that say something of keys which are not named."""

_NESTED = {
    frozenset({"object"}): "an object with any keys and any values",
    frozenset({"array"}): "a list of any values",
    frozenset({"array", "object"}): "an object or a list of any values",
}
"""What is said of the types that nest, where no other is taken."""

_RULES = frozenset({
    "additionalProperties", "format", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum",
    "pattern", "patternProperties", "prefixItems", "properties", "required",
})  # fmt: skip
"""Keywords that show which type is meant where ``type`` was forgotten."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at values of which nothing is said; other keys of an object that names some are LS005's.

    A tool without arguments has an object without keys at its root, and means none.
    """
    del settings
    for part in subject.parts:
        view = part.view
        # An arm that takes any object, beside arms that are objects, is LS002's.
        arms = {id(arm) for spot in view.unions for arm in view.object_arms(spot.node)}
        rests = arms | {id(spot.record.rest) for spot in view.records if spot.record.rest and _is_any(spot.record.rest)}
        told = _told(subject, view) if subject.kind is Kind.TOOL else None
        for spot in view.spots:
            what = "" if id(spot.node) in rests else _what(spot, view)
            if what and not (spot.path == "$" and subject.kind is Kind.TOOL):
                is_told = told is not None and (
                    spot.path.rstrip("[]") in told or bool(view.said(spot.place).get("description"))
                )
                level = Level.INFO if is_told else None
                place = spot.field.place if spot.field is not None else spot.place
                yield Remark(part, place, f"{show(spot.path)[1:-1]} may hold {what}", level=level)


def _is_any(rest: Node) -> bool:
    """Say whether other keys hold anything: that is told of their object, here or by LS005."""
    return isinstance(rest.form, Loose)


def _told(subject: Subject, view: View) -> frozenset[str]:
    """Return the ways to the values that are described in words: at the field, or in the tool's docstring."""
    explained = explained_names(subject.described)
    return frozenset(
        field.path
        for field in view.fields
        if view.described(field) or (field.owner.node is view.root and field.name in explained)
    )


def _what(spot: Spot, view: View) -> str:
    form = spot.node.form
    if isinstance(form, Loose) and {"object", "array"} & set(form.kinds) and not _RULES & view.said(spot.place).keys():
        return _NESTED.get(frozenset(form.kinds) - {"null"}, "a value of any type")
    return "an object with any keys and any values" if _is_free(spot, view) else ""


def _is_free(spot: Spot, view: View) -> bool:
    """Say whether it is an object that names no key and says nothing of its values."""
    form = spot.node.form
    if not isinstance(form, Record) or form.fields or form.rest is None:
        return False
    if not isinstance(form.rest.form, Loose) or "object" not in form.rest.form.kinds:
        return False
    said = [view.said(source.place) for source in (*form.sources, *form.rest_sources)] or [view.said(spot.place)]
    if any(keyword in schema for schema in said for keyword in _NAMES_KEYS):
        return False
    return not any("properties" in schema and "additionalProperties" not in schema for schema in said)


RULE = Rule(
    code="LS055",
    name="freeform-map",
    level=Level.WARN,
    title="a value may be anything",
    why="Nothing checks it, on either side: a wrong key, a nested text, a forged value are all sound. Strict modes "
    "refuse it or write it as text, and a model fills it by guessing.",
    help="name the keys; or write a list of objects that hold a key and a value of one type",
    evidence=(
        "OpenAI and Anthropic strict modes: every object is closed, and every value has a type",
        "pydantic-ai: its strict transformers cannot hold dict[str, Any]",
    ),
    bad={
        "type": "object",
        "properties": {"details": {"type": "object", "additionalProperties": {}}},
        "required": ["details"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"details": {"type": "object", "additionalProperties": {"type": "string"}}},
        "required": ["details"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="An argument of a tool that is described in words is told as info.",
)
