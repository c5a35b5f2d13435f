"""LS032: two listed values do the same.

A schema does not show it, unless it says the same words of both; else the caller must tell (``same_behaviour``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.lint.names import listed
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.vocabulary import Vocabulary, vocabularies

__all__ = ["RULE"]

_SAYS_NOTHING = re.compile(
    r"\W*|.*\b(deprecated|reserved|obsolete|unused|legacy|todo|tbd|undocumented|no description)\b.*", re.I | re.S
)
"""Words that stand at values which have nothing else in common."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    for part in subject.parts:
        for vocabulary in vocabularies(part.view):
            spot = vocabulary.spot
            for group in settings.same_behaviour:
                alike = [str(value) for value in vocabulary.values if str(value) in group]
                if len(alike) > 1:
                    yield Remark(part, spot.place, f"{listed(alike)} at {spot.path} are said to do the same")
            for alike in _told_alike(vocabulary):
                yield Remark(part, spot.place, f"{listed(alike)} at {spot.path} have the same description")


def _told_alike(vocabulary: Vocabulary) -> Iterator[list[str]]:
    groups: dict[str, list[str]] = {}
    for value, words in zip(vocabulary.values, vocabulary.told, strict=True):
        if not _SAYS_NOTHING.fullmatch(words):
            groups.setdefault(" ".join(words.casefold().rstrip(".").split()), []).append(str(value))
    yield from (group for group in groups.values() if 1 < len(group) < len(vocabulary.values) or len(group) == 2)


def _chaining(*told: tuple[str, str]) -> dict[str, object]:
    arms = [{"const": value, "description": words} for value, words in told]
    return {
        "type": "object",
        "properties": {"chaining": {"oneOf": arms}},
        "required": ["chaining"],
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS032",
    name="enum-same-behaviour",
    level=Level.INFO,
    title="two listed values do the same",
    why="A choice without a consequence costs thought and is made at random; who reads the log takes it for a "
    "decision.",
    help="keep one of them; or make the difference real, and say it in the description of each",
    evidence=(
        "mcp-exec: of the three chaining modes, sequential and independent ran the same code",
        "source 001: a choice between two values that differ in nothing was made wrongly in the wild",
    ),
    bad=_chaining(
        ("sequential", "Run the steps one after the other."),
        ("independent", "Run the steps one after the other."),
        ("bail_on_error", "Stop at the first step that fails."),
    ),
    good=_chaining(
        ("sequential", "Run the steps one after the other."), ("bail_on_error", "Stop at the first step that fails.")
    ),
    check=_check,
    judgement="Whether a value does the same is told by the caller, or concluded from the same words.",
)
