"""LS033: descriptions that list values, and those that only quote something."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique.lint.rule import Level


def text(description: str, name: str = "state", **more: Any) -> Any:
    """Make an object with one free text."""
    return obj({name: {"type": "string", "description": description, **more}})


class Item(BaseModel):
    """The vocabulary of source 004, in words."""

    action: Annotated[str, Field(description="One of work-next, needs-human, revisit, park or close-out.")]
    confidence: Annotated[str | None, Field(description="`high`, `medium` or `low`")] = None


class Listed(BaseModel):
    """The same, in the schema."""

    action: Annotated[Literal["work-next", "park"], Field(description="One of 'work-next' or 'park'.")]


FIRES: dict[str, Any] = {
    "a contract's own words": Case(Item, at=("/properties/action", "/properties/confidence"), level=Level.WARN),
    "three quoted values": text("Which issues: 'open', 'closed', or 'all'."),
    "three in brackets": text("Source format hint ('md', 'docx', 'html'). Detected if not provided."),
    "two after one of": text('One of "processes", "metrics".'),
    "two that are all that is said": text("'NEVER_COLLAPSE' or 'COLLAPSE_LISTS'"),
    "two after a dash": text('Granularity for metrics - "DAILY" or "WEEKLY".'),
    "each with a remark": text("Position: 'append' (default, as child), 'above' (before it), or 'below' (after it)"),
    "each with an explanation": text("Supported values are 'az' for Azure CLI and 'azd' for the developer CLI."),
    "a sentence for each": text("'off' - No filtering. 'moderate' - Some filtering. 'strict' - All of it."),
    "bullets": text('How to share it:\n- "reader": can read\n- "writer": can write\n- "owner": can give it away'),
    "bullets, of which one quotes something": Case(
        text(
            'Who may see it.\n- "off": Take "all who have the link" away.\n- "reader": may read\n- "writer": may write'
        ),
    ),
    "over two lines": text('Image width. One of "SMALL" (200px), "MEDIUM" (800px),\n"LARGE" (1600px).'),
    "bars": text("New state of the sprint (future|active|closed)"),
    "valid values without quotes": text("Sort order. Valid values: asc, desc, none."),
    "an element of a list": Case(
        obj({"kinds": {"type": "array", "items": {"type": "string"}, "description": "Any of 'a1', 'b2', 'c3'."}}),
        at=("/properties/kinds",),
    ),
    "a tool's argument that may be null": [
        tool(obj({"state": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "`on`, `off`, `auto`"}}))
    ],
    "a bound of the caller's own counts": Case(text("The order ('stars', 'forks')."), {"min_texts_listed": 2}),
    "a value that is called like a type": text('Action to perform - "create", "list", "update", or "delete".'),
}
QUIET: dict[str, Any] = {
    "it is an enum": Listed,
    "it has a pattern": text("One of 'a', 'b', 'c'.", pattern="^[abc]$"),
    "it has a format": text("One of 'a', 'b', 'c'.", format="date"),
    "examples, e.g.": text("Name of the emoji (e.g. 'thumbsup', 'rocket', 'eyes')"),
    "examples, such as": text("A key such as `Enter`, `Tab` or `Escape`"),
    "examples, Ex.": text('File system type to mount. Ex. "ext4", "xfs", "ntfs". Left out: "ext4".'),
    "examples, like": text("A time range like 'today', 'yesterday' or 'tomorrow'"),
    "common values are not all": text("The operation. Common values: 'read', 'update', 'delete'."),
    "possible values include": text("Possible values include 'read', 'update' and 'delete'."),
    "something else may stand": text("'tab', 'semicolon', 'comma' or a character."),
    "a number may stand": text("The assignee: 'none', 'any', or a user id."),
    "and so on": text("One of 'a', 'b', 'c', etc."),
    "values of another field": obj({
        "action": {"enum": ["create", "update", "delete"]},
        "task": {"type": "string", "description": 'Required for "create", "update" and "delete".'},
    }),
    "values of another free field": text('The task. Required for "update", "delete", and "move" actions.', "task_id"),
    "what it is used by": text('Colour of the match. Used by "add" and "update".', "color"),
    "names of other fields": obj({
        "where": {"type": "string", "description": "In place of `latitude`, `longitude` and `radius`."},
        "latitude": {"type": "number"}, "longitude": {"type": "number"}, "radius": {"type": "number"},
    }),
    "free language": text("Operators are 'and', 'or', 'not'.", "filter"),
    "a query may say anything": text("Search qualifiers: 'label', 'author', 'state'.", "query"),
    "ids": text("Issue key: 'PROJ-123', 'ACV-642', 'OPS-1'"),
    "file names and hosts": text("Domains: 'example.com', 'docs.example.com', 'main.py'"),
    "ranges and codes": text("'A1:D20', 'B:B', '2:3'"),
    "apostrophes are no quotes": text("The user's name, the team's name or the org's name"),
    "kinds of identifiers": text("Project (name, id or URL)"),
    "types in bars": text("Value as string|number|null"),
    "several in one text": text("Comma-separated list of keys: 'name', 'date', 'size'", "sort"),
    "one of the many": text("Use the id returned by one of the connect tools.", "connection"),
    "one quoted word": text("The literal name 'find'."),
    "a union with a list of values": obj({
        "a": {"anyOf": [{"enum": ["x", "y", "z"]}, {"type": "string"}], "description": "'x', 'y' or 'z'"}
    }),
    "a number": obj({"a": {"type": "integer", "description": "One of 'a', 'b', 'c'."}}),
    "what a remark behind a bullet quotes is no value": text('- `depth`: how deep; see "a" or "b"\n- more', "level"),
    "no description": text(""),
}  # fmt: skip
