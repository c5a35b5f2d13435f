"""Write nodes as Python source: Pydantic models, and annotations for everything else.

What Pydantic cannot say, or would not run (a pattern of another engine), is left out: the type takes more then, never
less. Names and words of the schema are anybody's; ``literals`` and ``names`` make them safe.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Any

from pratique.dialects.nodes.fitting import fits
from pratique.dialects.nodes.node import Choice, Entry, Listing, Loose, Node, Record, Rule, Scalar
from pratique.lint.fixing.literals import docstring, is_json, literal
from pratique.lint.fixing.names import class_name, field_name, free_class_name

__all__ = ["Module", "class_name"]

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_BOUNDS = {
    "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern", "minimum": "ge", "maximum": "le",
    "exclusiveMinimum": "gt", "exclusiveMaximum": "lt", "multipleOf": "multiple_of",
}  # fmt: skip
_LOOSE = {
    "object": "dict[str, Any]", "array": "list[Any]", "string": "str", "number": "float", "boolean": "bool",
    "null": "None",
}  # fmt: skip


class Module:
    """Write the classes of some nodes, each once, inner ones first."""

    def __init__(self) -> None:
        self._classes: dict[int, str] = {}
        self._written: list[str] = []
        self._open: set[int] = set()

    def source(self, *functions: str) -> str:
        """Return all classes, then some functions, with the imports that they need."""
        body = "\n\n\n".join([*self._written, *functions])
        typing = [name for name in ("Annotated", "Any", "Literal") if re.search(rf"\b{name}\b", body)]
        pydantic = [name for name in ("BaseModel", "ConfigDict", "Field") if re.search(rf"\b{name}\b", body)]
        imports = ["from __future__ import annotations", ""]
        imports += [f"from typing import {', '.join(typing)}", ""] if typing else []
        imports += [f"from pydantic import {', '.join(pydantic)}"]
        return "\n".join(imports) + "\n\n\n" + body + "\n"

    def annotation(self, node: Node, name: str) -> str:
        """Return the annotation of a node's values; ``name`` is for a class that has none."""
        form = node.form
        if isinstance(form, Record) and (form.fields or form.rest is None):
            return self.model(node, name)
        if id(node) in self._open:
            return "Any"  # it is part of itself, and no class stands between
        self._open.add(id(node))
        try:
            return self._annotation(node, name)
        finally:
            self._open.discard(id(node))

    def _annotation(self, node: Node, name: str) -> str:
        form = node.form
        if form is None:
            arms = dict.fromkeys(self.annotation(arm, f"{name}{n}") for n, arm in enumerate(node.arms, 1))
            return "Any" if "Any" in arms or not arms else " | ".join(arms)
        if isinstance(form, Choice):
            return _listed(form)
        if isinstance(form, Loose):
            return "Any" if len(form.kinds) == len(_LOOSE) else " | ".join(_LOOSE[kind] for kind in form.kinds)
        if isinstance(form, Scalar):
            return _annotated(_TYPES[form.kind], [bound for rule in form.rules for bound in _bound(rule, form.kind)])
        if isinstance(form, Listing):
            return self._listing(form, name)
        return f"dict[str, {'Any' if form.rest is None else self.annotation(form.rest, name)}]"

    def model(self, node: Node, name: str) -> str:
        """Write the class of an object, unless it is written; return its name."""
        if id(node) in self._classes:
            return self._classes[id(node)]
        form = node.form
        assert isinstance(form, Record)
        title = free_class_name(class_name(node.name or name), self._classes.values())
        self._classes[id(node)] = title
        names: dict[str, str] = {}
        for key in form.fields:
            names[key] = field_name(key, names.values())
        fields = [self._field(key, names[key], entry, title) for key, entry in form.fields.items()]
        is_open = isinstance(form.rest and form.rest.form, Loose)
        extra = '"forbid"' if form.rest is None else '"ignore"' if is_open else '"allow"'
        lines = [f"class {title}(BaseModel):", f"    {docstring(node.described or 'One value.')}", ""]
        lines += [f"    model_config = ConfigDict(extra={extra})", "", *fields]
        self._written.append("\n".join(lines).rstrip())
        return title

    def _listing(self, form: Listing, name: str) -> str:
        bounds = [f"min_length={form.min_items}"] if 0 < form.min_items <= sys.maxsize else []
        bounds += (
            [f"max_length={form.max_items}"] if form.max_items is not None and form.max_items < sys.maxsize else []
        )
        if not form.prefix:
            inner = "Any" if form.items is None else self.annotation(form.items, class_name(name, singular=True))
            return _annotated(f"list[{inner}]", bounds)
        if form.items is None and form.min_items == len(form.prefix):
            each = [self.annotation(part, f"{name}{n}") for n, part in enumerate(form.prefix, 1)]
            return f"tuple[{', '.join(each)}]"
        return _annotated("list[Any]", bounds)

    def _field(self, key: str, name: str, entry: Entry, owner: str) -> str:
        annotation = self.annotation(entry.node, owner + class_name(key))
        said = [f"alias={literal(key)}"] if name != key else []
        said += [f"description={literal(entry.described)}"] if entry.described else []
        if not entry.required:
            default = _default(entry, annotation)
            takes_none = default != "None" or {"None", "Any"} & set(annotation.split(" | "))
            annotation = annotation if takes_none else f"{annotation} | None"
            return f"    {name}: {annotation} = " + (f"Field({', '.join([default, *said])})" if said else default)
        return f"    {name}: {annotation}" + (f" = Field({', '.join(said)})" if said else "")


def _listed(form: Choice) -> str:
    if all(isinstance(value, (str, int, bool)) or value is None for value in form.values):
        return f"Literal[{', '.join(map(literal, form.values))}]"
    return "Any"


def _default(entry: Entry, annotation: str) -> str:
    """Return the source of the declared default; ``None`` for one that does not fit, or that holds more than it shows.

    A type checker takes a list or an object for a default only where no class or tuple is meant by it.
    """
    if not entry.default or not is_json(entry.default[0]) or not fits(entry.node, entry.default[0]):
        return "None"
    value = entry.default[0]
    if isinstance(value, (list, dict)):
        plain = annotation.removeprefix("Annotated[")
        is_plain = plain.startswith("list[" if isinstance(value, list) else "dict[")
        return (
            literal(value) if is_plain and (not value or plain.startswith(("list[Any]", "dict[str, Any]"))) else "None"
        )
    is_whole = isinstance(value, float) and value.is_integer() and "float" not in annotation
    return literal(int(value) if is_whole else value)


def _bound(rule: Rule, kind: str) -> list[str]:
    """Return what a rule says to pydantic's ``Field``; nothing for what it would not take."""
    word, value = _BOUNDS.get(rule.keyword), rule.value
    if word is None:
        return []
    if word == "pattern":
        return [f"pattern={literal(value)}"] if _is_readable(value) else []
    if word in ("min_length", "max_length"):
        return [f"{word}={value}"] if value <= sys.maxsize else []
    if isinstance(value, float) and not math.isfinite(value):
        return []
    if kind == "integer":
        whole = {"ge": math.ceil, "lt": math.ceil, "le": math.floor, "gt": math.floor}
        if word == "multiple_of":
            return [f"{word}={int(value)}"] if value and value == int(value) else []
        return [f"{word}={whole[word](value)}"]
    return [f"{word}={value!r}"] if abs(value) < sys.float_info.max and word != "multiple_of" else []


def _is_readable(pattern: Any) -> bool:
    """Say whether pydantic's engine reads a pattern: it knows no look-around, for one."""
    from pydantic_core import SchemaError, SchemaValidator
    from pydantic_core.core_schema import str_schema

    try:
        SchemaValidator(str_schema(pattern=pattern))
    except (SchemaError, TypeError, ValueError):
        return False
    return True


def _annotated(kind: str, bounds: list[str]) -> str:
    return f"Annotated[{kind}, Field({', '.join(bounds)})]" if bounds else kind
