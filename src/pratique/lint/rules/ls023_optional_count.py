"""LS023: many fields of an object may be left out."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.nodes.node import Choice
from pratique.lint.absence import optional_fields, takes_null
from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Spot, View
from pratique.lint.vocabulary import bare
from pratique.show import show

__all__ = ["RULE"]

_KINDS = frozenset({"action", "command", "endpoint", "kind", "method", "mode", "operation", "type"})
"""Last words of names of fields that say which of the others are meant."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Warn of those alone that neither take null nor say by a default what leaving them out means.

    Filters and settings of a tool are there to be left out: it is warned of where a choice says which belong together.
    """
    most = settings.thresholds.max_optional
    for part in subject.parts:
        for spot in part.view.records:
            optional = list(optional_fields(part.view, spot))
            if len(optional) <= most:
                continue
            unsaid = sum(not field.entry.default and not takes_null(field.node) for field in optional)
            told = f"{len(optional)} of {len(spot.record.fields)} fields at {spot.path} may be left out"
            if unsaid > most:
                told = f"{told}; {unsaid} of them have no default and take no null"
                if subject.kind is not Kind.TOOL:
                    yield Remark(part, spot.place, told)
                elif by := _divided_by(part.view, spot):
                    help_ = "make a variant, or a tool, of each value, with the fields that belong to it"
                    yield Remark(part, spot.place, f"{told}; {show(by)} decides which belong together", help_)
                else:
                    yield Remark(
                        part, spot.place, told, "split it by purpose, if calls fill in the wrong ones", Level.INFO
                    )
            else:
                yield Remark(part, spot.place, told, level=Level.INFO)


def _divided_by(view: View, spot: Spot) -> str:
    """Return the field that is called a kind or an act, and must be one of a few values; empty when there is none."""
    for field in view.fields_of(spot):
        form = bare(field.node).form
        is_told = field.entry.required or bool(field.entry.default)
        if is_told and isinstance(form, Choice) and len(form.values) > 2 and _KINDS & set(words_of(field.name)[-1:]):
            return field.name
    return ""


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
    judgement="How many are many. Where most take null, or have a default, it is only worth knowing; in a tool, too, "
    "unless a field such as type or mode divides them.",
)
