"""Write nodes as Python source: Pydantic models, and annotations for everything else."""

from __future__ import annotations

import json
import keyword
import re
from typing import Any

from pratique.dialects.nodes.node import Choice, Entry, Listing, Loose, Node, Record, Scalar

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
        if form is None:
            return " | ".join(dict.fromkeys(self.annotation(arm, f"{name}{n}") for n, arm in enumerate(node.arms, 1)))
        if isinstance(form, Choice):
            return _literal(form)
        if isinstance(form, Loose):
            return "Any" if len(form.kinds) == len(_LOOSE) else " | ".join(_LOOSE[kind] for kind in form.kinds)
        if isinstance(form, Scalar):
            bounds = [f"{_BOUNDS[rule.keyword]}={rule.value!r}" for rule in form.rules if rule.keyword in _BOUNDS]
            return _annotated(_TYPES[form.kind], bounds)
        if isinstance(form, Listing):
            return self._listing(form, name)
        if not form.fields and form.rest is not None:
            return f"dict[str, {self.annotation(form.rest, name)}]"
        return self.model(node, name)

    def model(self, node: Node, name: str) -> str:
        """Write the class of an object, unless it is written; return its name."""
        if id(node) in self._classes:
            return self._classes[id(node)]
        form = node.form
        assert isinstance(form, Record)
        title = self._free(class_name(node.name or name))
        self._classes[id(node)] = title
        fields = [self._field(key, entry, title) for key, entry in form.fields.items()]
        extra = '"forbid"' if form.rest is None else '"ignore"'
        told = node.described.replace("\\", "\\\\").replace('"""', "'''").strip() if node.described else ""
        lines = [f"class {title}(BaseModel):", f'    """{told or "One value."}"""', ""]
        lines += [f"    model_config = ConfigDict(extra={extra})", "", *fields]
        self._written.append("\n".join(lines).rstrip())
        return title

    def _listing(self, form: Listing, name: str) -> str:
        if form.prefix:
            inner = [self.annotation(each, f"{name}{n}") for n, each in enumerate(form.prefix, 1)]
            return f"tuple[{', '.join(inner)}]" if form.items is None else "list[Any]"
        inner_type = "Any" if form.items is None else self.annotation(form.items, class_name(name, singular=True))
        bounds = [f"min_length={form.min_items}"] if form.min_items else []
        bounds += [] if form.max_items is None else [f"max_length={form.max_items}"]
        return _annotated(f"list[{inner_type}]", bounds)

    def _field(self, key: str, entry: Entry, owner: str) -> str:
        name = re.sub(r"\W", "_", key)
        name = f"{name}_" if keyword.iskeyword(name) or not re.match(r"[A-Za-z]", name) else name
        name = name if re.match(r"[A-Za-z]", name) else f"field_{name}"
        annotation = self.annotation(entry.node, owner + class_name(key))
        said = [f"alias={json.dumps(key)}"] if name != key else []
        said += [f"description={_text(entry.described)}"] if entry.described else []
        if not entry.required:
            default = repr(entry.default[0]) if entry.default else "None"
            annotation = annotation if entry.default or "None" in annotation.split(" | ") else f"{annotation} | None"
            return f"    {name}: {annotation} = " + (f"Field({', '.join([default, *said])})" if said else default)
        return f"    {name}: {annotation}" + (f" = Field({', '.join(said)})" if said else "")

    def _free(self, name: str) -> str:
        taken = set(self._classes.values())
        found, number = name, 2
        while found in taken:
            found, number = f"{name}{number}", number + 1
        return found


def _literal(form: Choice) -> str:
    if all(isinstance(value, (str, int, bool)) or value is None for value in form.values):
        return f"Literal[{', '.join(_text(v) if isinstance(v, str) else repr(v) for v in form.values)}]"
    return "Any"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


def _annotated(kind: str, bounds: list[str]) -> str:
    return f"Annotated[{kind}, Field({', '.join(bounds)})]" if bounds else kind


def class_name(name: str, *, singular: bool = False) -> str:
    """Return a name for a class: letters and digits, each word with a capital; ``singular`` drops an s."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    joined = "".join(word[:1].upper() + word[1:] for word in words) or "Value"
    joined = joined if joined[0].isalpha() else f"Value{joined}"
    return (
        joined[:-1] if singular and len(joined) > 3 and joined.endswith("s") and not joined.endswith("ss") else joined
    )
