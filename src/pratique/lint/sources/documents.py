"""A file as subjects: a JSON Schema, one tool, a saved list of tools, or an OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pratique.errors import Misuse
from pratique.lint.origin import JsonOrigin, JsonText, Origin
from pratique.lint.sources.objects import schema_subject
from pratique.lint.sources.openapi import is_openapi, operation_subjects
from pratique.lint.sources.tools import is_tool, tool_subject, tool_subjects, tools_in
from pratique.lint.sources.yaml_text import read_yaml
from pratique.lint.subject import Subject
from pratique.show import show

__all__ = ["document_subjects"]


def document_subjects(text: str, *, file: str = "") -> list[Subject]:
    """Make the subjects of what a file holds; what it is, its form tells.

    Shape: JSON, and YAML where the file's name says so. A list of tools stands bare, under ``tools``, or in the
        ``result`` of a JSON-RPC answer. Places in YAML are not known by line.
    Errors: Misuse for what is neither, nothing that can be linted, or too deep to be read.
    """
    text = text.removeprefix("\ufeff")
    is_yaml = file.endswith((".yaml", ".yml"))
    try:
        document = read_yaml(text, file) if is_yaml else _json(text, file)
        return _subjects(document, file, None if is_yaml else JsonText(text))
    except RecursionError as error:
        raise Misuse(
            f"{show(file or 'the text')} is nested too deep to be read", remedy="describe a flatter value"
        ) from error


def _subjects(document: Any, file: str, index: JsonText | None) -> list[Subject]:
    if is_openapi(document):
        return operation_subjects(document, file=file, text=index)
    found = tools_in(document)
    if found is not None:
        place, tools = found
        return tool_subjects(tools, file=file, text=index, at=place)
    origin = Origin() if index is None else JsonOrigin(file, index)
    if is_tool(document):
        return [tool_subject(document, origin)]
    if isinstance(document, Mapping) and not document.keys() & {"tools", "result"}:
        return [schema_subject(document, str(document.get("title") or file or "schema"), origin)]
    raise Misuse(
        f"{show(file or 'the text')} holds nothing that can be linted",
        remedy="give a JSON Schema, a tool, a list of tools (as tools/list answers), or an OpenAPI document",
    )


def _json(text: str, file: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Misuse(
            f"{show(file or 'the text')} is not JSON: {error}",
            remedy="give a JSON file; YAML is read from files named .yaml or .yml",
        ) from error
