"""LS043: a rule over several fields stands in Python alone, and no description tells it.

For contracts and types: a JSON Schema or a tool shows no Python. A docstring of the class counts as a description. A
validator that never refuses has no rule, and a check that only notes costs no unit.
"""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.names import listed
from pratique.lint.own_rules import checks_of, names_in, types_of, validators_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Part, Subject
from pratique.terms.schema_document import Place

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    del settings
    for part in subject.parts:
        for kind in types_of(part, subject):
            place = _place_of(part, kind)
            if place is not None:
                yield from _of_type(part, place, kind)
    yield from _of_contract(subject)


def _of_type(part: Part, place: Place, kind: type) -> Iterator[Remark]:
    properties = part.view.said(place).get("properties")
    names = _spelled(kind, frozenset(properties or ()))
    for rule, by_key in validators_of(kind):
        read = rule.reads(frozenset(names), by_key=by_key)
        fields = tuple(name for name in names if name in read)
        if rule.refuses and len(fields) > 1 and not _is_told(part, place, {names[name] for name in fields}):
            yield Remark(part, place, _message(f"the validator {rule.name} of {kind.__name__}", fields))


def _of_contract(subject: Subject) -> Iterator[Remark]:
    part = subject.main
    for rule in checks_of(subject):
        for spot in part.view.records if rule.refuses else ():
            names = frozenset(spot.record.fields)
            read = rule.reads(names, by_key=subject.python is None)
            fields = tuple(name for name in spot.record.fields if name in read)
            if len(fields) > 1:
                if not _is_told(part, spot.place, set(fields)):
                    yield Remark(part, spot.place, _message(f"the check {rule.name} of the contract", fields))
                break


def _message(who: str, fields: tuple[str, ...]) -> str:
    return f"{who} refuses by {listed(fields)} together, and no description tells how they belong together"


def _spelled(kind: type, properties: frozenset[str]) -> dict[str, str]:
    """Return the fields of a class, each with its name in the schema."""
    fields = getattr(kind, "__pydantic_fields__", {})
    found = {}
    for name, field in fields.items():
        spellings = [alias for alias in (field.validation_alias, field.alias, name) if alias in properties]
        found[name] = str(spellings[0]) if spellings else name
    return found


def _place_of(part: Part, kind: type) -> Place | None:
    """Return where the schema describes a class: its definition, else the root when it is called like that."""
    place = ("$defs", kind.__name__)
    if place in part.view.document:
        return place
    return () if part.view.said(()).get("title") == kind.__name__ else None


def _is_told(part: Part, place: Place, fields: set[str]) -> bool:
    """Say whether the object's description names two of some fields, or one field's description another."""
    told = part.view.said(place).get("description")
    if isinstance(told, str) and len(names_in(told, frozenset(fields))) > 1:
        return True
    for name in fields:
        said = part.view.said((*place, "properties", name)).get("description")
        if isinstance(said, str) and names_in(said, frozenset(fields - {name})):
            return True
    return False


_RANGE = """
from pydantic import BaseModel, Field, model_validator

class Leave(BaseModel):
    first: int = Field(description="Day of the year.")
    last: int = Field(description="{last}")

    @model_validator(mode="after")
    def in_order(self):
        if self.last < self.first:
            raise ValueError("last comes before first")
        return self

target = Leave
"""

RULE = Rule(
    code="LS043",
    name="hidden-cross-field-rule",
    level=Level.WARN,
    title="a rule over several fields stands in Python alone",
    why="A validator is no part of the JSON Schema: the producer cannot keep a rule that it was never told, and learns "
    "it by losing a unit.",
    help="say the rule in the description of one of the fields, or of the object, and name the fields there",
    evidence=(
        "mcp-exec V3: its rules across commands are not in the JSON Schema that it exports, so no model sees them",
    ),
    bad=_RANGE.format(last="Day of the year."),
    good=_RANGE.format(last="Day of the year, not before `first`."),
    check=_check,
    judgement="A description that names the fields is taken for one that tells the rule.",
)
