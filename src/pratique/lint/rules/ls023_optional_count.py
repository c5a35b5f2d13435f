"""LS023: many fields of an object may be left out."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.absence import optional_fields, takes_null
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Warn of those alone that neither take null nor say by a default what leaving them out means."""
    most = settings.thresholds.max_optional
    for part in subject.parts:
        for spot in part.view.records:
            optional = list(optional_fields(part.view, spot))
            if len(optional) <= most:
                continue
            bare = sum(not field.entry.default and not takes_null(field.node) for field in optional)
            told = f"{len(optional)} of {len(spot.record.fields)} fields at {spot.path} may be left out"
            if bare > most:
                yield Remark(part, spot.place, f"{told}; {bare} of them have no default and take no null")
            else:
                yield Remark(part, spot.place, told, level=Level.INFO)


def _fields(count: int) -> dict[str, object]:
    fields = {f"filter_{index}": {"type": "string"} for index in range(1, count + 1)}
    return {"type": "object", "properties": fields, "required": [], "additionalProperties": False}


RULE = Rule(
    code="LS023",
    name="optional-count",
    level=Level.WARN,
    title="many fields of an object may be left out",
    why="Models write null, or an empty text, for what they should leave out, and each such field is a chance to be "
    "refused; strict modes ask for every key anyway.",
    help="split the object by purpose, take null for absence, or ask for every key",
    evidence=(
        "hermes-agent #19652: null for optional keys is one of the five classes of repair that it needed",
        "mcp-exec: optional keys of the first version that nothing read were taken out of the third",
    ),
    bad=_fields(9),
    good=_fields(8),
    check=_check,
    judgement="How many are many. Where most take null, or have a default, it is only worth knowing.",
)
