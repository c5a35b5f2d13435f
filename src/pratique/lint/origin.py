"""Where a subject was written, so that a finding can point at a line: a JSON file, a Python module, or nowhere."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pratique.terms.schema_document import Place
from pratique.text import Lines, Span

__all__ = ["JsonOrigin", "JsonText", "Location", "Origin", "PythonOrigin"]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Location:
    """One stretch of a file.

    Units: ``span`` counts code points into the file's text.
    """

    file: str
    lines: Lines
    span: Span


class Origin:
    """Know nothing: the subject came from a process or was made in memory."""

    file = ""
    """The file as it was named; empty when there is none."""

    def locate(self, part: str, place: Place) -> Location | None:
        """Return where a place of a part's schema is written; None when nobody knows."""
        del part, place
        return None


class JsonText:
    """Index the places of one JSON text; done once, when first asked.

    Limits: linear in the text, times its depth.
    """

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)

    @cached_property
    def spans(self) -> Mapping[Place, Span]:
        """Place -> the key of the member, or where the element begins."""
        found: dict[Place, Span] = {}
        around: list[tuple[Place, int]] = []  # each open bracket: its place, and the index in it; -1 in an object
        place: Place = ()
        is_key = False
        for token in _TOKEN.finditer(self.lines.text):
            char = token[0]
            if char in "}]":
                around.pop()
            elif char == ",":
                outer, index = around[-1]
                around[-1] = (outer, index + 1 if index >= 0 else -1)
                place = (*outer, str(index + 1))
                is_key = index < 0
            elif is_key:
                place = (*around[-1][0], json.loads(char))
                found[place] = Span(token.start(), token.end())
                is_key = False
            elif char != ":":
                found.setdefault(place, Span(token.start(), token.end()))
                if char in "{[":
                    around.append((place, -1 if char == "{" else 0))
                    place = (*place, "0")
                    is_key = char == "{"
        return found


class JsonOrigin(Origin):
    """Find places in a JSON text.

    Shape: ``base`` leads from the text's root to the subject's schema. A place that is not in the text (a newer draft
        has it elsewhere) is told as the nearest one around it.
    """

    def __init__(self, file: str, text: JsonText, base: Place = ()) -> None:
        self.file = file
        self._text = text
        self._base = base

    def inside(self, *keys: str) -> JsonOrigin:
        """Return the origin of what stands further in."""
        return JsonOrigin(self.file, self._text, (*self._base, *keys))

    def locate(self, part: str, place: Place) -> Location:
        """Return the member that stands at the place: its key, or where the element begins."""
        del part
        whole = (*self._base, *place)
        while whole and whole not in self._text.spans:
            whole = whole[:-1]
        return Location(self.file, self._text.lines, self._text.spans.get(whole, Span(0, 0)))


class PythonOrigin(Origin):
    """Find the classes and fields of types in the files that define them.

    Shape: ``types`` are the types that were linted, by part; classes are found by walking what their fields hold, and
        by the name that pydantic gives to a definition.
    """

    def __init__(self, file: str, types: Mapping[str, Any]) -> None:
        self.file = file
        self._types = types
        self._known: dict[str, Mapping[str, type]] = {}

    def locate(self, part: str, place: Place) -> Location | None:
        """Return the field, else the class, that a place of a part's schema is made of."""
        classes = self._classes(part)
        owner, rest = classes.get(""), place
        if place[:1] == ("$defs",):
            owner, rest = classes.get(place[1]), place[2:]
        if owner is None:
            return None
        field = rest[1] if rest[:1] == ("properties",) and len(rest) > 1 else ""
        return _found(owner, field)

    def _classes(self, part: str) -> Mapping[str, type]:
        """Return name -> class, for all classes that the part's type holds; under ``""`` the type itself."""
        if part not in self._known:
            found: dict[str, type] = {}
            seen: dict[int, Any] = {}
            ahead: list[Any] = [self._types.get(part)]
            while ahead:
                below: list[Any] = []
                for kind in ahead:
                    if id(kind) not in seen:
                        seen[id(kind)] = kind
                        below += _inside(kind)
                        if isinstance(kind, type):
                            found.setdefault(kind.__name__, kind)
                ahead = below
            root = self._types.get(part)
            self._known[part] = {**found, "": root} if isinstance(root, type) else found
        return self._known[part]


def _inside(kind: Any) -> Iterator[Any]:
    """Yield the types that a type is made of."""
    yield from get_args(getattr(kind, "__value__", kind))
    if isinstance(kind, type):
        for base in kind.__mro__:
            if base.__module__.partition(".")[0] not in _FOREIGN:
                yield from _hinted(base)


_FOREIGN = frozenset({"builtins", "pydantic", "typing"})
"""Packages whose classes have no field of the caller's; to evaluate their hints takes longer than all else here."""


def _hinted(base: type) -> tuple[Any, ...]:
    try:
        return tuple(get_type_hints(base, include_extras=True).values())
    except (NameError, TypeError):  # a name that only the type checker sees
        return ()


def _found(owner: type, field: str) -> Location | None:
    """Return the line of a field in a class or one of its bases; of the class when the field is not written there."""
    for base in owner.__mro__ if field else ():
        written = _written(base)
        named = None if written is None else _member(written[2], field)
        if written is not None and named is not None:
            return Location(written[0], written[1], _span_of(written[1], named))
    written = _written(owner)
    return None if written is None else Location(written[0], written[1], _span_of(written[1], written[2]))


def _written(kind: type) -> tuple[str, Lines, ast.ClassDef] | None:
    """Return the file of a class, its text, and the statement that defines it; None when there is none."""
    try:
        file = inspect.getsourcefile(kind)
        found = None if file is None else _classes_in(file)
    except (OSError, TypeError, SyntaxError, UnicodeDecodeError):
        return None
    statement = None if found is None else found[2].get(kind.__name__)
    return None if found is None or statement is None else (found[0], found[1], statement)


def _member(node: ast.ClassDef, field: str) -> ast.AnnAssign | None:
    """Return the statement that declares a field, by its name or its alias."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            aliases = [
                keyword.value.value
                for call in ast.walk(statement)
                if isinstance(call, ast.Call)
                for keyword in call.keywords
                if keyword.arg in ("alias", "validation_alias") and isinstance(keyword.value, ast.Constant)
            ]
            if field in (statement.target.id, *aliases):
                return statement
    return None


def _span_of(lines: Lines, node: ast.AnnAssign | ast.ClassDef) -> Span:
    """Return the first line of a statement, from its first to its last character there."""
    line = lines.line_span(node.lineno)
    end = line.end if node.end_lineno != node.lineno else line.start + (node.end_col_offset or 0)
    return Span(line.start + node.col_offset, max(line.start + node.col_offset + 1, min(end, line.end)))


@lru_cache(maxsize=256)
def _classes_in(file: str) -> tuple[str, Lines, Mapping[str, ast.ClassDef]]:
    """Read the classes that a file defines, by name; of two of one name the first."""
    text = Path(file).read_text(encoding="utf-8")
    classes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]
    return _from_here(file), Lines(text), {node.name: node for node in reversed(classes)}


def _from_here(file: str) -> str:
    """Name a file as it is seen from the current directory, when it is below it: reports are read elsewhere, too."""
    here = Path.cwd()
    path = Path(file)
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
