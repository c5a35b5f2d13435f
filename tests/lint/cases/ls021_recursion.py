"""LS021: objects that hold themselves."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, JsonValue

from lint.case import Case, obj, tool
from pratique.contract import Contract

TEXT = {"type": "string"}
STEP = obj({"op": TEXT}, {"left": {"$ref": "#/$defs/step"}, "right": {"$ref": "#/$defs/step"}})


class Comment(BaseModel):
    """A tree of comments."""

    text: str
    replies: list[Comment]


class Folder(BaseModel):
    """Holds files, which hold folders."""

    files: list[File]


class File(BaseModel):
    """The other half of the circle."""

    name: str
    unpacked: Folder | None = None


class Flat(BaseModel):
    """Refers by id."""

    id: str
    parent: str | None


class Twice(BaseModel):
    """One definition in two places is no circle."""

    first: Flat
    second: Flat


class Free(BaseModel):
    """Any JSON value: nothing is described, so nothing is recursive."""

    value: JsonValue


FIRES: dict[str, Any] = {
    "a tree in which two keys hold the same": Case(
        obj({"run": {"$ref": "#/$defs/step"}}, **{"$defs": {"step": STEP}}), at=("/$defs/step",)
    ),
    "the root itself": Case(obj({"name": TEXT}, {"child": {"$ref": "#"}}), at=("",)),
    "a model": Case(Comment, at=("/$defs/Comment",)),
    "a circle of two is told once": Case(Folder, at=("/$defs/Folder",)),
    "a contract": Contract.items(Comment),
    "a tool": [tool(obj({"run": {"$ref": "#/$defs/step"}}, **{"$defs": {"step": STEP}}))],
    "a list that holds lists": obj(
        {"l": {"$ref": "#/$defs/l"}}, **{"$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}}
    ),
}
QUIET: dict[str, Any] = {
    "parts that refer by id": list[Flat],
    "one definition in two places": Twice,
    "any JSON value": Free,
    "a definition that nothing refers to": {**obj({"a": TEXT}), "$defs": {"step": STEP}},
    "what is deep and ends": obj({"a": obj({"a": obj({"a": TEXT})})}),
}
