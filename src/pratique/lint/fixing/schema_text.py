"""Write nodes as a plain JSON Schema, draft 2020-12: what they say, and nothing of where it was said.

Not written: what nodes do not keep (``not``, conditions, patterns of keys).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pratique.dialects.nodes.graph import Graph
from pratique.dialects.nodes.node import KINDS, Choice, Entry, Listing, Loose, Node, Record, Scalar
from pratique.lint.fixing.literals import is_json
from pratique.lint.fixing.names import class_name, free_class_name

__all__ = ["schema_of"]


def schema_of(node: Node) -> dict[str, Any]:
    """Return the schema of a node; definitions that it refers to, and what is part of itself, are under ``$defs``."""
    writer = _Writer(node)
    schema = writer.form(node)
    return {**schema, "$defs": writer.definitions} if writer.definitions else schema


class _Writer:
    """Write nodes; a shared one once."""

    def __init__(self, root: Node) -> None:
        self.definitions: dict[str, Any] = {}
        self._graph = Graph([root])
        self._names: dict[int, str] = {}

    def node(self, node: Node) -> dict[str, Any]:
        if not (node.shared and node.name) and not self._graph.is_cyclic(node):
            return self.form(node)
        if id(node) not in self._names:
            plain = node.name if re.fullmatch(r"[\w.-]+", node.name, re.ASCII) else class_name(node.name)
            name = free_class_name(plain, self.definitions)
            self._names[id(node)] = name
            self.definitions[name] = {}  # it may refer to itself
            self.definitions[name] = self.form(node)
        return {"$ref": f"#/$defs/{self._names[id(node)]}"}

    def form(self, node: Node) -> dict[str, Any]:
        told = {"description": node.described} if node.described else {}
        form = node.form
        if node.never:
            return {"not": {}, **told}
        if form is None:
            return {"anyOf": [self.node(arm) for arm in node.arms], **told}
        if isinstance(form, Choice):
            listed = {"const": form.values[0]} if len(form.values) == 1 else {"enum": list(form.values)}
            return {**listed, **told}
        if isinstance(form, Loose):
            return {**({} if len(form.kinds) == len(KINDS) else {"type": list(form.kinds)}), **told}
        if isinstance(form, Scalar):
            return {"type": form.kind, **{rule.keyword: rule.value for rule in form.rules}, **told}
        return {**(self._listing(form) if isinstance(form, Listing) else self._record(form)), **told}

    def _listing(self, form: Listing) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "array"}
        if form.prefix:
            schema["prefixItems"] = [self.node(each) for each in form.prefix]
        schema["items"] = False if form.items is None else self.node(form.items)
        schema |= {rule.keyword: rule.value for rule in form.rules}
        schema |= {"minItems": form.min_items} if form.min_items else {}
        return schema | ({} if form.max_items is None else {"maxItems": form.max_items})

    def _record(self, form: Record) -> dict[str, Any]:
        rest: Any = False if form.rest is None else self.node(form.rest)
        return {
            "type": "object",
            "properties": {name: self._field(entry) for name, entry in form.fields.items()},
            "required": _required(form.fields.items()),
            **({} if rest == {} else {"additionalProperties": rest}),
            **{rule.keyword: rule.value for rule in form.rules},
        }

    def _field(self, entry: Entry) -> dict[str, Any]:
        told = {"description": entry.described} if entry.described else {}
        default = {"default": entry.default[0]} if entry.default and is_json(entry.default[0]) else {}
        return {**self.node(entry.node), **told, **default}


def _required(entries: Iterable[tuple[str, Entry]]) -> list[str]:
    return [name for name, entry in entries if entry.required]
