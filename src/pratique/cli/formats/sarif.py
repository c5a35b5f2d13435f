"""SARIF 2.1.0, for code scanning and editors.

Units: lines, columns and character offsets count code points, as ``columnKind`` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from pratique import __version__
from pratique.cli.checked import Checked, Diagnostic
from pratique.cli.terminal import Terminal
from pratique.errors import CODES, Effect
from pratique.text import Lines, Span

__all__ = ["log", "region", "render", "uri"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Effect.REFUSE: "error", Effect.NOTE: "note"}


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield one log with one run over all files."""
    del terminal
    rules: dict[str, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    files: list[dict[str, Any]] = []
    for checked in judged:
        for one in checked.diagnostics:
            rules.setdefault(one.code, _rule(one))
            results.append(_result(checked, one, list(rules).index(one.code)))
        files.append({"location": {"uri": uri(checked.file)}, "description": {"text": checked.summary}})
    yield log(list(rules.values()), results, files)


def log(rules: Sequence[Any], results: Sequence[Any], artifacts: Sequence[Any]) -> str:
    """Write one log with one run."""
    driver = {"name": "pratique", "semanticVersion": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "artifacts": artifacts, "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(one: Diagnostic) -> dict[str, Any]:
    code = CODES.get(one.code)
    rule: dict[str, Any] = {"id": one.code, "defaultConfiguration": {"level": _LEVELS[one.effect]}}
    if code is not None:
        rule["shortDescription"] = {"text": code.title}
        rule["fullDescription"] = {"text": code.why}
    if code is not None or one.help:
        rule["help"] = {"text": code.help if code is not None else one.help}
    return rule


def _result(checked: Checked, one: Diagnostic, rule: int) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": uri(checked.file)}}
    if one.span:
        location["region"] = region(checked.lines, one.span)
    properties: dict[str, Any] = {"path": one.path, "effect": one.effect.value}
    if one.unit is not None:
        properties["unit"] = one.unit
    if one.reason is not None:
        properties["quarantined"] = one.reason.value
    return {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": _LEVELS[one.effect],
        "message": {"text": f"{one.message}; {one.help}" if one.help else one.message},
        "locations": [{"physicalLocation": location, "logicalLocations": [{"fullyQualifiedName": one.path}]}],
        "properties": properties,
    }


def region(lines: Lines, span: Span) -> dict[str, Any]:
    """Write one stretch of a text."""
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }


def uri(file: str) -> str:
    """Write a file's name as a relative reference."""
    name = file.replace(os.sep, "/")
    return "stdin" if name == "<stdin>" else quote(name.encode("utf-8", "surrogateescape"))
