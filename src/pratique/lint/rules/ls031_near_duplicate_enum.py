"""LS031: two listed values are nearly the same.

It makes sense for answers and for arguments alike: nobody can tell from the schema what the difference is.
"""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.nearness import near_pairs
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.vocabulary import vocabularies
from pratique.show import show

__all__ = ["RULE"]

MAX_PAIRS_TOLD = 3
"""Pairs named in one message."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    for part in subject.parts:
        for vocabulary in vocabularies(part.view):
            pairs = near_pairs(vocabulary.texts, settings.thresholds.min_chars_alike)
            if pairs:
                told = ", ".join(f"{show(one)} and {show(other)}" for one, other in pairs[:MAX_PAIRS_TOLD])
                more = f" and {len(pairs) - MAX_PAIRS_TOLD} more pairs" if len(pairs) > MAX_PAIRS_TOLD else ""
                spot = vocabulary.spot
                yield Remark(part, spot.place, f"values that are nearly the same at {spot.path}: {told}{more}")


def _state(*values: str) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"state": {"enum": list(values)}},
        "required": ["state"],
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS031",
    name="near-duplicate-enum",
    level=Level.WARN,
    title="two listed values are nearly the same",
    why="Which of the two is meant is a coin's throw for the producer, and a consumer that treats them differently "
    "acts on it. Restoring the case of a value is possible only where one value fits.",
    help="keep one of each pair and let the consumer accept the other from old payloads; if both are needed, give them "
    "names that say the difference",
    evidence=(
        "measured: 15 of 3,040 real schemas list such pairs: UNKNOWN beside Unknown, asc beside ASC",
        "openclaw #20229: two names for one thing are mixed up (cmd and command)",
        "pratique's own repair: the letter case of a value is restored only when the match is unique",
    ),
    bad=_state("open", "closed", "Closed"),
    good=_state("open", "closed"),
    check=_check,
    judgement="Which words are near: an s, a d, a separator, the case, a spelling; one letter only in words of at "
    "least nine.",
)
