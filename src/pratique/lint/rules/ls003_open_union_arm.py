"""LS003: variants of a union take keys that they do not name."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.nodes.node import Record
from pratique.lint.names import listed
from pratique.lint.openness import is_open
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.variants import are_variants, tag_of, variant_names
from pratique.lint.view import Spot

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at each union once, a union inside it included."""
    del settings
    tagged = Level.INFO if subject.kind is Kind.TOOL else Level.WARN
    for part in subject.parts:
        spots = {id(spot.node): spot for spot in part.view.records}
        inner = {id(arm) for spot in part.view.unions for arm in spot.node.arms}
        for spot in part.view.unions:
            if id(spot.node) not in inner:
                yield from _open_arms(part, spot, spots, tagged)


def _open_arms(part: Part, spot: Spot, spots: dict[int, Spot], tagged: Level) -> Iterator[Remark]:
    arms = part.view.object_arms(spot.node)
    # One object of which any of some keys must come is LS005's; beside a free map no variant can be closed.
    if not are_variants(arms) or any(isinstance(arm.form, Record) and not arm.form.fields for arm in arms):
        return
    met = [spots.get(id(arm)) for arm in arms]
    names = variant_names(arms)
    opened = [name for name, its in zip(names, met, strict=True) if its is not None and is_open(part.view, its)]
    if opened:
        # A tag decides which variant is meant; what is lost then is the surplus, not the choice.
        level = tagged if tag_of(arms) else None
        message = f"{len(opened)} of {len(arms)} variants take keys that they do not name: {listed(opened)}"
        yield Remark(part, spot.place, message, level=level)


_ADD = {"type": "object", "properties": {"add": {"type": "string"}, "at": {"type": "integer"}}, "required": ["add"]}
_DROP = {"type": "object", "properties": {"drop": {"type": "string"}}, "required": ["drop"]}

RULE = Rule(
    code="LS003",
    name="open-union-arm",
    level=Level.ERROR,
    title="variants of a union take keys that they do not name",
    why="A value that mixes two variants fits the open one, and the keys of the other are dropped without a word; "
    "closed variants refuse the mixture with one clear error.",
    help='say "additionalProperties": false in each variant (Pydantic: extra="forbid")',
    evidence=(
        "slop-writer #23: open variants dropped fields silently; forbidding extras in each mended it",
        "source 001: extra fields on the wrong variant were silently ignored",
        "source 000: every variant of the plan is closed, so that an injected model cannot add to it",
    ),
    bad={"type": "object", "properties": {"edit": {"anyOf": [_ADD, _DROP]}}},
    good={
        "type": "object",
        "properties": {
            "edit": {"anyOf": [{**_ADD, "additionalProperties": False}, {**_DROP, "additionalProperties": False}]}
        },
    },
    check=_check,
    judgement="With a tag that tells the variants apart it is a warning: the choice is safe, surplus keys are not. In "
    "a tool it is then only worth knowing, as any open object (LS005).",
)
