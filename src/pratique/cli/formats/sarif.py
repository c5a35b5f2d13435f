"""SARIF 2.1.0, for code scanning and editors.

Units: lines, columns and character offsets count code points, as ``columnKind`` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from pratique import __version__
from pratique.cli.checked import Checked, Diagnostic
from pratique.cli.terminal import Terminal
from pratique.errors import CODES, Effect

__all__ = ["render"]

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
        files.append({"location": {"uri": _uri(checked)}, "description": {"text": checked.summary}})
    driver = {"name": "pratique", "semanticVersion": __version__, "rules": list(rules.values())}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": files,
        "results": results,
    }
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


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
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(checked)}}
    if one.span:
        start = checked.lines.position(one.span.start)
        end = checked.lines.position(one.span.end)
        location["region"] = {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
            "charOffset": one.span.start,
            "charLength": one.span.end - one.span.start,
        }
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


def _uri(checked: Checked) -> str:
    name = checked.file.replace(os.sep, "/")
    return "stdin" if name == "<stdin>" else quote(name.encode("utf-8", "surrogateescape"))
