"""LS060: an object that names no key and takes no other: only an empty one fits."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.show import show

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look below the root, where a tool without arguments is one; an arm of a union may say that there is nothing."""
    del settings
    for part in subject.parts:
        view = part.view
        arms = {id(arm) for spot in view.unions for arm in view.object_arms(spot.node)}
        for spot in view.records:
            is_empty = not spot.record.fields and spot.record.rest is None
            if is_empty and spot.node is not view.root and id(spot.node) not in arms:
                place = spot.field.place if spot.field is not None else spot.place
                yield Remark(part, place, f"nothing but an empty object fits at {show(spot.path)[1:-1]}")


RULE = Rule(
    code="LS060",
    name="empty-object",
    level=Level.ERROR,
    title="an object names no key and takes no other",
    why="It reads like any object and lets nothing but {} through: what the producer means is refused, or the producer "
    "gives up and writes {}. Helpers of providers make such objects of maps without a word.",
    help="name its keys; for free keys leave additionalProperties out, or write a list of key and value",
    evidence=(
        "measured: anthropic 2.12.0 and pydantic-ai 2.68.0 write a map of numbers as an object without keys, closed",
        "field report: headers, metadata and schemas of one server, written as objects that take no key",
        "pydantic-ai issue 4117: a map came back as {}",
    ),
    bad={
        "type": "object",
        "properties": {"headers": {"type": "object", "properties": {}, "additionalProperties": False}},
        "required": ["headers"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"headers": {"type": "object", "additionalProperties": {"type": "string"}}},
        "required": ["headers"],
        "additionalProperties": False,
    },
    check=_check,
)
