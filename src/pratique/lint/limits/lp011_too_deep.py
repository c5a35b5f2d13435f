"""LP011: objects and lists nest deeper than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_depth")


RULE = Rule(
    code="LP011",
    name="too-deep",
    level=Level.ERROR,
    title="objects and lists nest deeper than the endpoint takes",
    why="The request is refused before a model sees it. Definitions count on their own: a reference begins anew.",
    help="flatten it: refer by id instead of nesting, or put the inner part into $defs",
    evidence=("OpenAI's structured-outputs guide, 2026: at most 10 levels; 5 until 2025",),
    bad='target = {"type": "string"}\n'
    "for _ in range(11):\n"
    '    target = {"type": "object", "properties": {"in": target}, "required": ["in"], "additionalProperties": '
    "False}\n",
    good='target = {"type": "string"}\n'
    "for _ in range(10):\n"
    '    target = {"type": "object", "properties": {"in": target}, "required": ["in"], "additionalProperties": '
    "False}\n",
    check=_check,
    target="openai/responses",
)
