"""What is linted: a contract, a type, a JSON Schema or a tool, with the schema as the model will see it.

Neighbours: ``sources`` make subjects of what people have; rules look at them.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from pratique.errors import Misuse
from pratique.lint.origin import Origin
from pratique.lint.view import View
from pratique.terms.schema_document import Document
from pratique.terms.schema_drafts import as_2020_12
from pratique.terms.terms import Terms

__all__ = ["Kind", "Part", "Subject"]


class Kind(StrEnum):
    """Say what a subject is: some rules make sense for one kind only."""

    CONTRACT = "contract"
    """The boundary judges it: its objects are closed, its list is read unit by unit."""
    TYPE = "type"
    """A Pydantic model, dataclass, TypedDict or union, validated by itself."""
    SCHEMA = "schema"
    """A JSON Schema for a whole answer."""
    TOOL = "tool"
    """The arguments of one tool: one call is one unit."""


class Part:
    """One schema of a subject: ``unit`` and ``envelope`` of a contract, else ``schema``."""

    def __init__(self, name: str, written: Mapping[str, Any] | Misuse, *, closed: bool = False) -> None:
        self.name = name
        self.closed = closed
        self._written = written
        """What was written; or why there is no schema, which is told when somebody asks for it."""

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema as draft 2020-12; what was written is not changed.

        Errors: Misuse for a draft that there is not, for what has no exact reading, and where there is no schema.
        """
        if isinstance(self._written, Misuse):
            raise self._written
        return as_2020_12(deepcopy(dict(self._written)))

    @cached_property
    def view(self) -> View:
        """The schema as rules look at it.

        Errors: Misuse for one that cannot be read.
        """
        return View(Document(self.schema), closed=self.closed)

    def forget(self) -> None:
        """Let go of what was read; it is read again when somebody asks. A report of thousands holds no nodes."""
        for read in ("schema", "view"):
            if read in vars(self):
                delattr(self, read)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """Hold one thing to be linted."""

    name: str
    kind: Kind
    parts: tuple[Part, ...]
    """The main one first."""
    described: str = ""
    """What is told of it as a whole: a tool's description."""
    terms: Terms[Any] | None = None
    """A contract's terms."""
    python: Any = None
    """The type, or the unit's type, where there is one."""
    origin: Origin = field(default_factory=Origin)
    offered_with: tuple[str, ...] = ()
    """Names of all tools that are offered together with this one, itself included."""

    @property
    def main(self) -> Part:
        """The schema of the unit, or the only one."""
        return self.parts[0]
