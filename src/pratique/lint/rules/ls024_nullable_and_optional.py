"""LS024: a field may be left out, and may be null."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.lint.absence import optional_fields, takes_null
from pratique.lint.names import listed
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.view import Field, Spot
from pratique.show import show
from pratique.terms.schema_document import Place

__all__ = ["RULE"]

MAX_DESCRIBED_CHARS = 20_000
"""Characters of a tool's description that are read."""

_SAME_HELP = "leave it so, or take no null: the type alone, and a key that need not come"
_NULL = re.compile(r"\b(?:null|none)\b", re.IGNORECASE)


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell the fields of one object together; a description that speaks of null says what it means.

    A tool's description speaks for its arguments: "null clears it".
    """
    del settings
    is_told = subject.kind is Kind.TOOL and _NULL.search(subject.described[:MAX_DESCRIBED_CHARS]) is not None
    for part in subject.parts:
        for spot in part.view.records:
            twofold = [field for field in optional_fields(part.view, spot) if takes_null(field.node)]
            if twofold:
                yield from _told(part, spot, twofold, is_told=is_told and spot.node is part.view.root)


def _told(part: Part, spot: Spot, twofold: list[Field], *, is_told: bool) -> Iterator[Remark]:
    same = [field for field in twofold if field.entry.default == (None,)]
    unsaid = (field for field in twofold if not field.entry.default)
    doubtful = [field for field in unsaid if not is_told and not _NULL.search(part.view.described(field))]
    if same:
        message = f"{_listed(same)} may be left out or null, which means the same"
        yield Remark(part, _place(spot, same), message, _SAME_HELP, Level.INFO)
    if doubtful:
        message = f"{_listed(doubtful)} may be left out or null, and nothing says whether that is the same"
        yield Remark(part, _place(spot, doubtful), message)
    for field in twofold:
        if field.entry.default and field.entry.default != (None,) and not is_told:
            default = show(field.entry.default[0])
            message = f"{show(field.name)} may be left out, which means {default}, and may be null"
            yield Remark(part, field.place, message)


def _listed(fields: list[Field]) -> str:
    return listed([field.name for field in fields])


def _place(spot: Spot, fields: list[Field]) -> Place:
    return fields[0].place if len(fields) == 1 else spot.place


def _with(**due: object) -> dict[str, object]:
    fields = {"title": {"type": "string"}, "due": {"type": ["string", "null"], **due}}
    return {"type": "object", "properties": fields, "additionalProperties": False}


RULE = Rule(
    code="LS024",
    name="nullable-and-optional",
    level=Level.WARN,
    title="a field may be left out, and may be null",
    why="Absence has two spellings: models use now one, now the other, and code that tells them apart by accident "
    "(delete it, or leave it as it is) does what nobody asked for.",
    help="keep one: require the key and take null, or take no null; or say what null means, in the description or by a "
    "default of null",
    evidence=("hermes-agent #19652: null in the place of an absent key is one of the five classes of repair",),
    bad={**_with(), "required": ["title"]},
    good={**_with(), "required": ["title", "due"]},
    check=_check,
    judgement="Where the default is null, both mean the same, and it is only worth knowing.",
)
