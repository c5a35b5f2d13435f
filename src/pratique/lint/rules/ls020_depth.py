"""LS020: objects and lists nest deep."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell the deepest place. A tool's arguments begin a level lower, in an object that nobody chose."""
    bounds = settings.thresholds
    mild = Level.INFO if subject.kind is Kind.TOOL else None
    for part in subject.parts:
        deepest = max(part.view.spots, key=lambda spot: spot.depth)
        if deepest.depth > bounds.warn_depth:
            is_error = deepest.depth > bounds.error_depth
            bound = bounds.error_depth if is_error else bounds.warn_depth
            yield Remark(
                part, deepest.place, f"{deepest.depth} levels of objects and lists, down to {deepest.path}",
                f"flatten it to at most {bound}: refer by id instead of nesting, or ask for the parts apart",
                Level.ERROR if is_error else mild,
            )  # fmt: skip


def _nested(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}, "required": ["in"], "additionalProperties": False}
    return schema


RULE = Rule(
    code="LS020",
    name="depth",
    level=Level.WARN,
    title="objects and lists nest deep",
    why="Each level costs accuracy, some models send what is deep as JSON text in a string, and each bracket that is "
    "lost costs more.",
    help="flatten it: refer by id instead of nesting, or ask for the parts apart",
    evidence=(
        "DeepJSONEval (arXiv 2509.25922): accuracy falls with nesting depth",
        "Carrick, 8 schemas and 6 models: a nested object of 7 levels came back as a string",
        "OpenAI strict mode: at most 10 levels, 5 until 2025",
    ),
    bad=_nested(4),
    good=_nested(3),
    check=_check,
    judgement="Where to draw the line: the measurements show a fall, not a step. Below the bound of an error, a tool "
    "is told as info: a list of objects with a list in each is four levels already.",
)
