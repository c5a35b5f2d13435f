"""LP013: one list of values has more characters than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_enum_chars")


RULE = Rule(
    code="LP013",
    name="long-list-of-values",
    level=Level.ERROR,
    title="one list of values has more characters than the endpoint takes",
    why="A list of more than 250 values is counted by its characters, too, and refused above the bound.",
    help="shorten the values, or declare a Reference and give the names with the call",
    evidence=(
        "OpenAI's structured-outputs guide, 2026: an enum of more than 250 string values has at most 15,000 characters",
    ),
    bad='fields = {"city": {"type": "string", "enum": [f"city-{number:060}" for number in range(251)]}}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    good='fields = {"city": {"type": "string", "enum": [f"city-{number:060}" for number in range(250)]}}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    check=_check,
    target="openai/responses",
)
