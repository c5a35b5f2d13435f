"""LS001: a tag that only repeats what the rest says; the union of source 001, disguises of it, and honest unions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique import Contract
from pratique.lint.rule import Level

COMMAND_FIELDS = {
    "program": {"type": "string"},
    "args": {"type": "array", "items": {"type": "string"}},
}
COMMAND = {"type": "object", "properties": COMMAND_FIELDS, "required": ["program"]}


def union(*arms: Any, word: str = "anyOf") -> Any:
    """Make a union."""
    return {word: list(arms)}


def tagged(tag: str, value: str, required: dict[str, Any], optional: dict[str, Any] | None = None) -> Any:
    """Make an arm that is not closed, as zod writes it: the tag first."""
    schema = obj({tag: {"type": "string", "const": value}, **required}, optional)
    del schema["additionalProperties"]
    return schema


def many(low: int, high: int | None = None, items: Any = COMMAND) -> Any:
    """Make a list of a length."""
    return {"type": "array", "items": items, "minItems": low, **({} if high is None else {"maxItems": high})}


STEP = union(
    tagged("type", "command", {"program": COMMAND_FIELDS["program"]}, {"args": COMMAND_FIELDS["args"]}),
    tagged("type", "pipeline", {"commands": many(2)}),
)
"""The union of source 001: one command spreads its fields, a pipeline lists at least two of them."""


class Command(BaseModel):
    """One program."""

    program: str
    args: list[str] = []


class Single(Command):
    """The pydantic form of the same: the fields are inherited."""

    type: Literal["command"]


class Pipeline(BaseModel):
    """At least two."""

    type: Literal["pipeline"]
    commands: Annotated[list[Command], Field(min_length=2)]


class Step(BaseModel):
    """A nested position."""

    step: Annotated[Single | Pipeline, Field(discriminator="type")]


class DepBump(BaseModel):
    """An arm of source 000, with fields of its own."""

    kind: Literal["dep_bump"]
    package: str
    to_version: str
    rationale: str


class Override(BaseModel):
    """Another one."""

    kind: Literal["override"]
    package: str
    pin: str
    manifest_path: str
    rationale: str


class Rewrite(BaseModel):
    """Another one."""

    kind: Literal["callsite_rewrite"]
    files: list[str]
    diff: str
    rationale: str


class Refuse(BaseModel):
    """The refusal."""

    kind: Literal["refuse"]
    rationale: str


PlanProposal = Annotated[DepBump | Override | Rewrite | Refuse, Field(discriminator="kind")]
NAME = {"type": "string"}

FIRES: dict[str, Any] = {
    "the StepSchema of source 001": Case(STEP, at=("",), level=Level.ERROR),
    "the same as a oneOf": {"oneOf": STEP["anyOf"]},
    "the same in an exec tool, in the list of its steps": Case(
        tool(obj({"steps": {"type": "array", "items": STEP}}), "exec"), at=("/properties/steps/items",)
    ),
    "the same as pydantic models in a nested position": Step,
    "the same as the unit of a contract": Contract.items(Annotated[Single | Pipeline, Field(discriminator="type")]),
    "another tag name": union(
        tagged("mode", "solo", {"commands": many(1, 1)}), tagged("mode", "chain", {"commands": many(2)})
    ),
    "a list of one in both arms: the tag is not even 1:1": union(
        tagged("type", "one", {"commands": many(1, 1)}), tagged("type", "several", {"commands": many(1)})
    ),
    "one element under its own key": union(
        tagged("type", "command", {"command": COMMAND}), tagged("type", "pipeline", {"commands": many(2)})
    ),
    "one text, or a list of texts under the plural": union(
        tagged("kind", "file", {"path": NAME}), tagged("kind", "files", {"paths": many(2, items=NAME)})
    ),
    "the presence of a key instead of a length: a warning, since the tag may mean more": Case(
        union(
            tagged("type", "command", {"program": NAME}),
            tagged("type", "pipeline", {"program": NAME, "pipe_to": COMMAND}),
        ),
        level=Level.WARN,
    ),
    "three arms by length": union(
        tagged("type", "single", {"commands": many(1, 1)}),
        tagged("type", "pair", {"commands": many(2, 2)}),
        tagged("type", "pipeline", {"commands": many(3)}),
    ),
    "three arms: none, one, several": union(
        tagged("type", "empty", {"note": NAME}),
        tagged("type", "single", {"note": NAME, "commands": many(1, 1)}),
        tagged("type", "pipeline", {"note": NAME, "commands": many(2)}),
    ),
    "three arms, each with one key more": union(
        tagged("scope", "repo", {"repo": NAME}),
        tagged("scope", "file", {"repo": NAME, "path": NAME}),
        tagged("scope", "line", {"repo": NAME, "path": NAME, "line": {"type": "integer"}}),
    ),
    "the type of a value": union(
        tagged("type", "text", {"value": NAME}), tagged("type", "number", {"value": {"type": "number"}})
    ),
    "two tags that say the same": Case(
        union(
            tagged("shape", "circle", {"sides": {"const": 0}, "size": NAME}),
            tagged("shape", "square", {"sides": {"const": 4}, "size": NAME}),
        ),
        at=("",),
    ),
    "ranges of a number": union(
        tagged("size", "small", {"count": {"type": "integer", "minimum": 1, "maximum": 9}}),
        tagged("size", "large", {"count": {"type": "integer", "minimum": 10}}),
    ),
    "a union in a list in a list": obj(
        {"rows": {"type": "array", "items": {"type": "array", "items": STEP}}},
    ),
    "a nullable union": obj({"step": {"anyOf": [*STEP["anyOf"], {"type": "null"}]}}),
    "arms by reference": {
        **obj({"step": {"oneOf": [{"$ref": "#/$defs/One"}, {"$ref": "#/$defs/Many"}]}}),
        "$defs": {"One": STEP["anyOf"][0], "Many": STEP["anyOf"][1]},
    },
}
QUIET: dict[str, Any] = {
    "PlanProposal: the arms have fields of their own": PlanProposal,
    "PlanProposal as a contract with its refusal": Contract.one(PlanProposal, refusal=Refuse),
    "one plan and its refusal: a forgotten plan must not refuse": union(
        tagged("kind", "refuse", {"why": NAME}), tagged("kind", "plan", {"why": NAME, "diff": NAME})
    ),
    "an act that a forgotten key would turn into another one": union(
        tagged("op", "delete", {"id": NAME}), tagged("op", "rename", {"id": NAME, "to": NAME})
    ),
    "arms that are alike but for the tag: then the tag is the information": union(
        tagged("direction", "north", {"steps": {"type": "integer"}}),
        tagged("direction", "south", {"steps": {"type": "integer"}}),
    ),
    "lengths that overlap": union(
        tagged("type", "short", {"rows": many(1, 5)}), tagged("type", "long", {"rows": many(3)})
    ),
    "lists of other things": union(
        tagged("type", "ids", {"rows": many(1, 1, NAME)}), tagged("type", "objects", {"rows": many(2)})
    ),
    "an optional key may be absent in both": union(
        tagged("type", "a", {"x": NAME}), tagged("type", "b", {"x": NAME}, {"y": NAME})
    ),
    "types that overlap": union(
        tagged("type", "text", {"value": NAME}), tagged("type", "date", {"value": {"type": "string", "format": "date"}})
    ),
    "texts of two meanings under names that have nothing in common": union(
        tagged("type", "mail", {"to": NAME}), tagged("type", "labels", {"labels": many(1, items=NAME)})
    ),
    "no tag at all": union(obj({"a": NAME}), obj({"b": NAME})),
    "the unified shape itself": obj({"commands": many(1)}),
    "a sum of four content blocks": union(
        tagged("type", "text", {"text": NAME}),
        tagged("type", "image", {"url": NAME, "alt": NAME}),
        tagged("type", "tool_use", {"name": NAME, "input": {"type": "object"}}),
        tagged("type", "citation", {"text": NAME, "source": NAME}),
    ),
}
