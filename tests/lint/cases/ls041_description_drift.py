"""LS041: descriptions that name what is not there, and those that name something else."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lint.case import Case, obj, tool
from pratique import Contract
from pratique.lint.rule import Level

TEXT = {"type": "string"}


def text(description: str, name: str = "state") -> Any:
    """Make an object with one described text."""
    return obj({name: {**TEXT, "description": description}})


def told(description: str, **fields: Any) -> Any:
    """Make a tool whose description says something."""
    return [tool(obj(fields or {"query": TEXT, "max_results": TEXT}), description=description)]


def chosen(description: str, *values: str) -> Any:
    """Make a described list of values."""
    return obj({"mode": {"enum": list(values), "description": description}})


class Step(BaseModel):
    """One step; a single command has the `step_type` field set to command."""

    commands: Annotated[list[str], Field(description="What to run. Ignored if `skip_all` is set.")]


class Sound(BaseModel):
    """One step; the `commands` field says what to run when `mode` is `fast`."""

    commands: Annotated[list[str], Field(description="What to run, see the `mode` field.")]
    mode: Literal["fast", "slow"]


OPEN_STEP = {"type": "object", "properties": {"program": TEXT, "args": {"type": "array", "items": TEXT}}}
OPEN_EXEC = {"type": "object", "properties": {"steps": {"type": "array", "items": OPEN_STEP}, "note": TEXT}}

FIRES: dict[str, Any] = {
    "a parameter that is called otherwise": Case(
        told("Search. When the `maxResults` parameter is left out, 10 are found."), at=("",), level=Level.WARN
    ),
    "a parameter in quotes": told('When the "results_filter" parameter is empty, all kinds are found.'),
    "a parameter without quotes": told("The page_size argument says how many."),
    "two arguments before their names": told("Takes the arguments `needle` as text."),
    "use name=value": Case(told("Get a node. Use format='docs' for the documentation."), at=("",)),
    "a field of a type that is gone": Case(Step, at=("", "/properties/commands")),
    "the same in a contract": Case(Contract.one(Step), at=("", "/properties/commands")),
    "an argument's description": Case(
        [tool(text("Needs the `start_index` parameter, too."))], at=("/properties/state",)
    ),
    "a value that was renamed": Case(
        chosen("How: 'fast', 'slow' or 'parallel'.", "fast", "slow", "both"), at=("/properties/mode",)
    ),
    "a default that is not listed": chosen("How to run it. Defaults to 'safe'.", "fast", "slow"),
    "source 001: a key of JSON that nothing has, where anything is taken": Case(
        [tool(OPEN_EXEC, description='Run. Example: {"steps": [{"type": "command", "program": "ls", "args": []}]}')],
        at=("",),
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "names that are there": Sound,
    "an argument that is there": told("The `max_results` parameter says how many; use max_results=5 for a few."),
    "a value that is there": told("The `deep` argument of mode.", mode={"enum": ["deep", "flat"]}),
    "another tool by its name": [
        tool(obj({"id": TEXT}), "get_issue", "Get one. Use state='open' with list_issues to find ids."),
        tool(obj({"state": TEXT}), "list_issues", "List them. See the `issue_id` parameter of get_issue."),
    ],
    "another tool by its call": told("Then use it: summarize(summary=true) with the `key_id` parameter of it."),
    "a field of what comes back": told("Rows are under the `row_list` field; when `next_page` is there, ask again."),
    "a parameter that is not there, as it says": told("There is no `offset` parameter."),
    "what was removed": told("The `old_name` parameter was removed in version 2."),
    "the parameters of a URL": told("Sets the per_page parameter of the HTTP API."),
    "a command line": told("Runs git with the `dry_run` argument of the command line."),
    "environment variables": told("Set ALLOW_WRITE=true to allow it, and the API_KEY variable."),
    "markup": told('Text with <div style="page-break-before: always"> and <img width="300">.'),
    "types and common words": told("The `string` parameter `null` and the `items` parameter, `true` or `false`."),
    "file names and commands": told("Reads `README.md` and `package.json`, runs `npm install` in `src/app`."),
    "query languages": text("Filters like state=open or label='bug' AND author=me", "query"),
    "the equation's own parameter": text("An equation string with parameter 'T' for temperature."),
    "what a field of anything holds": obj(
        {"fields": {"type": "object", "description": "Any of the `story_points` field and the `sprint_id` field."}}
    ),
    "examples of a value": chosen("How, e.g. 'fast', 'slow' or 'turbo'.", "fast", "slow", "both"),
    "values of another list": obj({
        "mode": {"enum": ["fast", "slow"], "description": "'fast', 'slow'; for 'grep' only."},
        "tool": {"enum": ["grep", "find"]},
    }),
    "another case of a value": chosen("'Fast', 'Slow' or 'Both'", "fast", "slow", "both"),
    "the default of a value that is listed": chosen("Defaults to 'fast'.", "fast", "slow"),
    "a default that is none": chosen("Default: 'none'.", "fast", "slow"),
    "JSON that keeps the schema": [
        tool(OPEN_EXEC, description='Run. Example: {"steps": [{"program": "ls", "args": []}]}')
    ],
    "JSON of an object that says it takes more": [
        tool({**OPEN_STEP, "additionalProperties": True}, description='Example: {"program": "ls", "args": [], "x": 1}')
    ],
    "a schema without names": {"type": "object", "description": "The `foo_bar` field and the `baz` property."},
}  # fmt: skip
