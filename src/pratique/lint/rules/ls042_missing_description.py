"""LS042: a tool, or fields of an object, are not described.

One finding for an object, at its first field that nobody describes. A constant and a field with listed values say
themselves what they are; a list of described objects and a reference to one are described by them; a field that the
description of the whole explains (``limit: how many``) is described there. A tool without a
word is worse than a field without one: there is nothing but its name to choose it by.
"""

from __future__ import annotations

from collections.abc import Iterator

from pratique.dialects.nodes.node import Choice, Listing, Node
from pratique.lint.mentions import explained_names
from pratique.lint.names import listed
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Field, View

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    del settings
    if subject.kind is Kind.TOOL and not subject.described.strip():
        help_ = "say what it does, when to use it, and what comes back"
        yield Remark(subject.main, (), "the tool has no description", help_, Level.WARN)
    for part in subject.parts:
        for spot in part.view.records:
            fields = list(part.view.fields_of(spot))
            told = explained_names(subject.described) if spot.node is part.view.root else frozenset()
            bare = [field for field in fields if field.name not in told and not _is_told(part.view, field)]
            if bare:
                names = listed([field.name for field in bare])
                message = f"{len(bare)} of {len(fields)} fields of {spot.path} have no description: {names}"
                yield Remark(part, bare[0].place, message)


def _is_told(view: View, field: Field) -> bool:
    return bool(view.described(field).strip()) or _says_itself(view, field.node)


def _says_itself(view: View, node: Node, levels: int = 3) -> bool:
    """Say whether the listed values, or the description of what a value is made of, say what a field is."""
    form = node.form
    if isinstance(form, Choice):
        return any(isinstance(value, str) for value in form.values) or len(form.values) == 1
    below = [*node.arms, *([form.items] if isinstance(form, Listing) and form.items is not None else [])]
    return levels > 0 and any(
        bool(arm.described or view.said(view.place_of(arm)).get("description")) or _says_itself(view, arm, levels - 1)
        for arm in below
    )


def _person(**said: str) -> dict[str, object]:
    fields = {name: {"type": "string", **({"description": words} if words else {})} for name, words in said.items()}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


RULE = Rule(
    code="LS042",
    name="missing-description",
    level=Level.INFO,
    title="a tool or a field is not described",
    why="A name says what a field is called, not what belongs there: in which unit, how long, from whose point of "
    "view.",
    help="say in one sentence what belongs there: its unit, its form, and when to leave it out",
    evidence=(
        "856 tools of 103 MCP servers (arXiv 2602.14878): 97 % of the descriptions smell, 56 % have no clear purpose",
        "the same: mending them gained 5.85 points of success, and cost 67 % more steps",
    ),
    bad=_person(owner="", due="The day it is due, YYYY-MM-DD."),
    good=_person(owner="Login of who has to do it.", due="The day it is due, YYYY-MM-DD."),
    check=_check,
    judgement="That listed values need no description. Often a name is enough: it is only worth knowing.",
)
