"""Python objects as subjects: contracts, types, JSON Schemas as dicts, tools as dicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError

from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.lint.origin import Origin, PythonOrigin
from pratique.lint.sources.tools import is_tool, tool_subject
from pratique.lint.subject import Kind, Part, Subject
from pratique.show import show

__all__ = ["subject_of"]


def subject_of(found: Any, name: str = "", *, file: str = "") -> Subject:
    """Make a subject of what a caller has.

    Shape: a ``Contract``; a type that pydantic validates (model, dataclass, TypedDict, union); a dict that is a tool
        (of MCP, Anthropic or OpenAI) or a JSON Schema. ``name`` is how findings call it; empty: its own name.
    Errors: Misuse for anything else.
    """
    if isinstance(found, Contract):
        return _contract_subject(found, name, file)
    if isinstance(found, Mapping):
        if is_tool(found):
            return tool_subject(found, Origin())
        return schema_subject(found, name or str(found.get("title") or "schema"), Origin())
    return _type_subject(found, name, file)


def schema_subject(schema: Mapping[str, Any], name: str, origin: Origin) -> Subject:
    """Make a subject of one JSON Schema; older drafts are read as 2020-12."""
    part = Part("schema", schema)
    return Subject(name, Kind.SCHEMA, (part,), _text(schema, "description"), origin=origin)


def _contract_subject(contract: Contract[Any], name: str, file: str) -> Subject:
    terms = contract.terms
    shapes = {"unit": terms.unit, **({} if terms.envelope is None else {"envelope": terms.envelope})}
    parts = tuple(Part(part, shape.schema, closed=shape.core is not None) for part, shape in shapes.items())
    types = {part: shape.python for part, shape in shapes.items()}
    return Subject(
        name or contract.name, Kind.CONTRACT, parts, terms=terms, python=types["unit"],
        origin=PythonOrigin(file, types),
    )  # fmt: skip


def _type_subject(found: Any, name: str, file: str) -> Subject:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(found)
        schema = adapter.json_schema()
    except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError, TypeError) as error:
        raise Misuse(
            f"{show(found)} cannot be linted: {str(error).splitlines()[0]}",
            remedy="give a Contract, a type that pydantic validates, a JSON Schema or a tool",
        ) from error
    own = name or str(getattr(found, "__name__", "") or schema.get("title") or "type")
    plain = json.loads(json.dumps(schema, default=str))
    return Subject(
        own, Kind.TYPE, (Part("schema", plain),), _text(schema, "description"), python=found,
        origin=PythonOrigin(file, {"schema": found}),
    )  # fmt: skip


def _text(schema: Mapping[str, Any], keyword: str) -> str:
    said = schema.get(keyword)
    return said if isinstance(said, str) else ""
