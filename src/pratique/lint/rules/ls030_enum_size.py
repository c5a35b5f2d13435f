"""LS030: a list of values is long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.vocabulary import vocabularies

__all__ = ["RULE"]

_CODE = re.compile(r"[A-Z]{2,3}|[a-z]{2,3}([-_][A-Za-z]{2,4})?")
_CODES = "leave it so; where tokens count, take the form of the code as a pattern, and check it where it is read"
_RANGE = 'write it as a range: "type": "integer" with "minimum" and "maximum"'


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    bounds = settings.thresholds
    for part in subject.parts:
        for vocabulary in vocabularies(part.view):
            count = len(vocabulary.values)
            if count > bounds.warn_enum:
                level = Level.ERROR if count > bounds.error_enum else _level(vocabulary.values)
                help_ = _RANGE if _is_range(vocabulary.values) else _CODES if level is Level.INFO else ""
                spot = vocabulary.spot
                yield Remark(part, spot.place, f"{count} listed values at {spot.path}", help_, level)


def _level(values: Sequence[Any]) -> Level | None:
    """Codes of countries, currencies and languages are known by heart: their list is long, and no choice."""
    is_codes = all(isinstance(value, str) and _CODE.fullmatch(value) for value in values)
    return Level.INFO if is_codes else None


def _is_range(values: Sequence[Any]) -> bool:
    whole = sorted(value for value in values if isinstance(value, int) and not isinstance(value, bool))
    return len(whole) == len(values) and whole[-1] - whole[0] == len(whole) - 1


def _listed(count: int) -> dict[str, object]:
    values = [f"category-{index}" for index in range(count)]
    return {
        "type": "object",
        "properties": {"category": {"enum": values}},
        "required": ["category"],
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS030",
    name="enum-size",
    level=Level.WARN,
    title="a list of values is long",
    why="Each value is sent with each call and makes the grammar larger, and the more there are, the more of them are "
    "nearly right.",
    help="choose in two steps, a group and then a member; or take a text and check it as a reference: its allow-list "
    "comes with the call",
    evidence=(
        "OpenAI strict mode: at most 1,000 listed values (500 until 2025); 15,000 characters in a list of over 250",
        "Carrick, 8 schemas and 6 models: what endpoints and models make of large schemas",
    ),
    bad=_listed(21),
    good=_listed(20),
    check=_check,
    judgement="The bound of 20, and that lists of codes (countries, currencies, languages) are only worth knowing. The "
    "bound of 250 is a provider's.",
)
