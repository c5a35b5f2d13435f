"""LS056: JSON in a string."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, Json

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


def text(description: str, name: str = "a", **more: Any) -> Any:
    """Make an object with one described text."""
    return obj({name: {"type": "string", "description": description, **more}})


class Parsed(BaseModel):
    """What pydantic takes out of a text."""

    fields: Json[dict[str, int]]


class Told(BaseModel):
    """In a contract, nullable."""

    issues: str | None = Field(None, description="JSON array of issue objects.")


FIRES: dict[str, Any] = {
    "a JSON string (mcp-atlassian)": Case(
        tool(text("(Optional) JSON string of fields to update. For 'assignee', give an id.", "fields")),
        at=("/properties/fields",), level=Level.ERROR,
    ),
    "as a JSON string (chrome-devtools)": text('Extra HTTP headers as a JSON string object, e.g. {"X": "value"}.'),
    "a JSON array, in a nullable field of a contract": Case(Contract.one(Told), at=("/properties/issues",)),
    "must be valid JSON": text("The arguments. Must be valid JSON."),
    "stringified": text("Stringified JSON with the options"),
    "in JSON format": text("Filter in JSON format"),
    "a media type": Parsed,
    "the name alone": obj({"arguments_json": {"type": "string"}}),
    "one of two ways to say it is a warning": Case(
        text("User identifier (email, name), or a JSON object string from search."), level=Level.WARN
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "a file": text("Path to the JSON file, such as trace.json"),
    "a path into JSON": text("JSONPath expression, or a JSON pointer: $.items[0]"),
    "what is returned": text("Query to run. Returns a JSON array of rows."),
    "an address": text("URL of the JSON document to fetch"),
    "a key in it": text("Name of the key in the JSON object"),
    "a format among others": text("Output format: 'json' or 'csv'"),
    "a function": text("A function. Its result has to be JSON-serializable."),
    "it may be a list as well": obj({
        "values": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                   "description": "Values. Can be a JSON string or a list."},
    }),
    "an object that is described": obj({"a": {**obj({"b": {"type": "string"}}), "description": "A JSON object"}}),
    "a flag": obj({"as_json": {"type": "boolean", "description": "as a JSON string"}}),
    "a file's name": obj({"package_json": {"type": "string"}}),
}  # fmt: skip
