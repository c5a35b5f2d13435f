"""LS005: objects take keys that they do not name."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.names import listed
from pratique.lint.openness import Openness, openness_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.variants import are_variants
from pratique.lint.view import Spot

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Leave variants of unions to LS003, and maps to LS055.

    A tool is told once, as worth knowing: most servers check arguments themselves, and say nothing of other keys.
    """
    del settings
    for part in subject.parts:
        unions = [part.view.object_arms(spot.node) for spot in part.view.unions]
        arms = {id(arm) for union in unions if are_variants(union) for arm in union}
        found = [(spot, openness_of(part.view, spot)) for spot in part.view.records if id(spot.node) not in arms]
        opened = [(spot, how) for spot, how in found if how in (Openness.SILENT, Openness.DECLARED)]
        if subject.kind is not Kind.TOOL:
            for spot, how in opened:
                level = Level.INFO if how is Openness.DECLARED else None
                yield Remark(part, spot.place, f"the object at {spot.path} takes any other key", level=level)
        elif opened:
            yield _told_once(part, [spot for spot, _ in opened])


def _told_once(part: Part, spots: list[Spot]) -> Remark:
    paths = [spot.path for spot in spots]
    told = f"the object at {paths[0]} takes any other key"
    if len(paths) > 1:
        told = f"{len(paths)} objects take any other key: {listed(paths)}"
    return Remark(part, spots[0].place, told, level=Level.INFO)


_RUN = {"type": "object", "properties": {"program": {"type": "string"}}, "required": ["program"]}

RULE = Rule(
    code="LS005",
    name="open-object",
    level=Level.WARN,
    title="objects take keys that they do not name",
    why="A key that is misspelt, or meant for another object, is dropped without a word, and its value is lost; "
    "OpenAI's strict mode refuses such a schema.",
    help='say "additionalProperties": false (Pydantic: extra="forbid")',
    evidence=(
        "source 001: a key that belonged one level up was silently ignored",
        "OpenAI, structured outputs: additionalProperties: false is required on every object",
    ),
    bad=_RUN,
    good={**_RUN, "additionalProperties": False},
    check=_check,
    judgement='Only worth knowing for a tool, and where "additionalProperties": true is written: somebody meant it.',
)
