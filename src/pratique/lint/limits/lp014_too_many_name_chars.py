"""LP014: names and listed values have more characters than the endpoint takes."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import over_bound
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    return over_bound(subject, settings, "max_name_chars")


RULE = Rule(
    code="LP014",
    name="too-many-name-chars",
    level=Level.ERROR,
    title="names and listed values have more characters than the endpoint takes",
    why="Names of properties and definitions, listed values and constants are counted together; the request is "
    "refused above the bound.",
    help="shorten the names, or split the answer over several calls",
    evidence=("OpenAI's structured-outputs guide, 2026: at most 120,000 characters of names, enum and const values",),
    bad='fields = {f"{number:0130}": {"type": "string"} for number in range(1_000)}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    good='fields = {f"{number:0120}": {"type": "string"} for number in range(1_000)}\n'
    'target = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n',
    check=_check,
    target="openai/responses",
)
