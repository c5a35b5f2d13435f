"""``pratique lint``: what makes wrong output likely, before any call.

Only the signature stands here: what the command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

__all__ = ["FailOn", "Format", "LevelName", "lint"]

Format: TypeAlias = Literal["full", "concise", "json", "ndjson", "sarif", "github", "junit"]
LevelName: TypeAlias = Literal["error", "warn", "info"]
FailOn: TypeAlias = Literal["error", "warn", "info", "never"]


def lint(
    linted: Annotated[
        list[str] | None,
        Parameter(
            name="TARGET",
            allow_leading_hyphen=True,
            help="A contract or type as MODULE:NAME, a MODULE (all its contracts), or a file: a JSON Schema, a tool, a "
            "saved tools/list, an OpenAPI document; YAML when the name says so. - is standard input, JSON.",
        ),
    ] = None,
    /,
    *,
    mcp: Annotated[
        str | None,
        Parameter(
            metavar="COMMAND",
            help="Start an MCP server by this command (no shell), ask it for its tools, and end it.",
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        Parameter(metavar="NAME=VALUE", negative="", help="With --mcp: a variable for the server. Repeatable."),
    ] = None,
    timeout_s: Annotated[
        float | None, Parameter(metavar="S", help="With --mcp: seconds the server has for its list. Default: 60.")
    ] = None,
    target: Annotated[
        list[str] | None,
        Parameter(
            metavar="TARGET",
            negative="",
            help="An endpoint whose limits count, as openai/chat; all for every one. Repeatable. Without it no limit "
            "of a provider is looked at.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None, Parameter(metavar="CODE", negative="", help="Run this rule alone. Repeatable.")
    ] = None,
    ignore: Annotated[
        list[tuple[str, str, str]] | None,
        Parameter(
            metavar="CODE PATH REASON",
            negative="",
            help="Leave a rule's findings out at some places: --ignore LS022 'tools/search#*' 'upstream'. Repeatable. "
            "The reason is not optional.",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None, Parameter(metavar="N", help="The max_tokens that the call will ask with, for LS013.")
    ] = None,
    level: Annotated[
        LevelName | None, Parameter(metavar="LEVEL", help="The mildest level that is shown. Default: warn.")
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        Parameter(metavar="LEVEL", help="The mildest level that makes the exit code 1, or never. Default: error."),
    ] = None,
    fix: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print what would mend it in place of the report: Python source with the unified type and a converter "
            "for old payloads. With --format json: the schema, too. Nothing is rewritten.",
        ),
    ] = False,
    statistics: Annotated[
        bool, Parameter(negative="", help="Print how often each rule fired in place of the findings.")
    ] = False,
    show_ignored: Annotated[bool, Parameter(negative="", help="List what was ignored, each with its reason.")] = False,
    format_: Annotated[
        Format | None,
        Parameter(
            name="--format",
            metavar="FORMAT",
            help="full (the default: each finding with its source line), concise (one line a finding), json (one "
            "object), ndjson (one line a finding, then the summary), sarif, github, junit.",
        ),
    ] = None,
    config: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            help="Where [tool.pratique.lint] stands. Default: pyproject.toml in this directory or the nearest above.",
        ),
    ] = None,
    no_color: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print without colour. NO_COLOR and FORCE_COLOR are respected; what is not a terminal gets none.",
        ),
    ] = False,
) -> int:
    """Lint contracts, types, schemas and tools."""
    from pratique.cli.linted.run_lint import Call, run_lint

    return run_lint(
        Call(
            linted=tuple(linted or ()),
            mcp=mcp,
            env=tuple(env or ()),
            timeout_s=timeout_s,
            target=tuple(target or ()),
            only=tuple(only or ()),
            ignore=tuple(ignore or ()),
            max_tokens=max_tokens,
            level=level,
            fail_on=fail_on,
            fix=fix,
            statistics=statistics,
            show_ignored=show_ignored,
            format=format_,
            config=config,
            no_color=no_color,
        )
    )
