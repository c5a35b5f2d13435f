"""One case of a lint rule: what is linted, how, and what has to be found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pratique.dialects.dialect import dialect_of
from pratique.lint.finding import LintFinding
from pratique.lint.linting import lint_subjects
from pratique.lint.rule import Level, Rule, Settings
from pratique.lint.sources.objects import subject_of
from pratique.lint.sources.tools import tool_subjects
from pratique.lint.thresholds import Thresholds

__all__ = ["Case", "example_target", "found_by", "obj", "tool"]


@dataclass(frozen=True)
class Case:
    """Lint ``target`` with settings of its own.

    Shape: ``at`` are the pointers that must be reported, all of them and no others; None: any, at least one.
        ``level`` is the level that every finding must have; None: any.
    """

    target: Any
    thresholds: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    same_behaviour: tuple[tuple[str, ...], ...] = ()
    at: tuple[str, ...] | None = None
    level: Level | None = None


def found_by(rule: Rule, case: Any) -> tuple[LintFinding, ...]:
    """Return what one rule finds in a case; a list is a list of tools."""
    case = case if isinstance(case, Case) else Case(case)
    settings = Settings(
        Thresholds(**case.thresholds),
        tuple(map(dialect_of, case.targets or ((rule.target,) if rule.target else ()))),
        case.same_behaviour,
    )
    subjects = tool_subjects(case.target) if isinstance(case.target, list) else [subject_of(case.target)]
    return lint_subjects(subjects, settings=settings, only=[rule.code]).findings


def example_target(example: Any) -> Any:
    """Return what an example of a rule lints: the schema itself, or ``target`` of its Python source."""
    if not isinstance(example, str):
        return example
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, "example", "exec", dont_inherit=True), names)
    return names["target"]


def obj(required: Mapping[str, Any] | None = None, /, optional: Mapping[str, Any] | None = None, **more: Any) -> Any:
    """Make the schema of a closed object."""
    fields = {**(required or {}), **(optional or {})}
    return {
        "type": "object", "properties": fields, "required": list(required or {}), "additionalProperties": False, **more,
    }  # fmt: skip


def tool(schema: Mapping[str, Any], name: str = "search", description: str = "Search the catalogue.") -> dict[str, Any]:
    """Make an MCP tool."""
    return {"name": name, "description": description, "inputSchema": dict(schema)}
