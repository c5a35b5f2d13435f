"""Write nodes out as a schema that a profile accepts, with the lens that leads values there and texts back.

The schema written is never narrower than the nodes: what the profile cannot hold is left out, told in words
where there is a place for words, and noted in the ledger.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pratique.dialects.lens.boxes import Arm, Boxed, Optional, Union
from pratique.dialects.lens.fields import Fields, Pairs, Slot
from pratique.dialects.lens.places import REST, Elements, Slots, slot_name
from pratique.dialects.lens.step import Late, Listed, Same, Step, Whole
from pratique.dialects.lens.texts import Encoded, Spelled
from pratique.dialects.nodes.constraint import NOT_EXCLUSIVE, Fate, Ledger
from pratique.dialects.nodes.graph import children
from pratique.dialects.nodes.node import (
    KINDS,
    Choice,
    Entry,
    Listing,
    Loose,
    Node,
    Record,
    Rule,
    Scalar,
    kind_of,
    kinds_of,
    sources_of,
)
from pratique.dialects.outline import Outline, fixed
from pratique.dialects.profile import Profile
from pratique.dialects.words.phrases import all_in_words
from pratique.errors import Misuse
from pratique.limits import MAX_RECURSION

__all__ = ["MAX_WRITTEN", "Schema", "Writing"]

MAX_WRITTEN = 50_000
"""Places of one wire schema. Where references are not kept, every use of a definition is written out again."""

_EXACT_FORMATS = frozenset({"uuid"})
"""Formats whose shape says all. A date-time may have the shape and name a 30th of February."""

_SIBLING_NOTE = "as JSON text in this string"

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _At:
    """Where in the graph the writing stands: how deep inside which cycle."""

    component: int = -1
    level: int = 0
    inlined: bool = False
    """A definition is written in place of a reference, for the words beside it."""


class Writing:
    """Write one contract's nodes for one profile.

    Shape: ``open_objects`` says what becomes of objects that take any key where the profile wants them closed:
        ``keep`` writes the others as a list of pairs, ``close`` leaves them out.
    Limits: ``MAX_WRITTEN`` places; ``max_recursion`` levels of what the profile will not let recur.
    Errors: Misuse past ``MAX_WRITTEN``.
    """

    def __init__(
        self,
        profile: Profile,
        ledger: Ledger,
        roots: Sequence[Node],
        *,
        open_objects: Literal["keep", "close"] = "keep",
        max_recursion: int = MAX_RECURSION,
    ) -> None:
        self.definitions: dict[str, Schema] = {}
        self.shapes: set[str] = set()
        """Terms that only the wire's shape has, by name: see ``plan.SHAPES``."""
        self._profile = profile
        self._ledger = ledger
        self._open_objects = open_objects
        self._max_recursion = max_recursion
        self._outline = Outline(profile, roots)
        self._graph = self._outline.graph
        self._names: dict[tuple[int, int], str] = {}
        self._steps: dict[tuple[int, int], Step] = {}
        self._whole: Node | None = None
        self._lost: set[tuple[int, Fate]] = set()
        self._made: dict[int, tuple[Schema, Step]] = {}
        self._written = 0

    # ------------------------------------------------------------------ one node

    def root(self, node: Node, *, as_object: bool = False) -> tuple[Schema, Step]:
        """Return the schema of the outermost value, written in place, and its step; definitions are apart.

        Shape: ``as_object`` writes an object with free keys as an object that holds pairs, not as a list of them.
        """
        self._whole = node if as_object else None
        at = _At(self._graph.component(node)) if self._graph.is_cyclic(node) else _At()
        schema, step = self._inline(node, "", at, ())
        self._made[id(node)] = (schema, step)
        return schema, step

    def is_object(self, node: Node) -> bool:
        """Say whether a node is written as one object."""
        return self._outline.is_object(node)

    def schema_of(self, node: Node) -> Schema:
        """Return the schema of a node that was written; it may be a reference."""
        return self._made[id(node)][0]

    def step_of(self, node: Node) -> Step:
        """Return the step of a node that was written."""
        return self._made[id(node)][1]

    def write(
        self, node: Node, *, described: str = "", at: _At = _At(), extra: Sequence[str] = ()
    ) -> tuple[Schema, Step]:
        """Return the schema of a node, and its step of the lens.

        Shape: ``described`` stands in the place of the node's own description; ``extra`` are words after it.
        """
        schema, step = self._write(node, described, at, extra)
        self._made[id(node)] = (schema, step)  # the outermost of a recursive node is written last
        return schema, step

    def _write(self, node: Node, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        self._written += 1
        if self._written > MAX_WRITTEN:
            raise Misuse(
                f"the schema takes more than {MAX_WRITTEN:,} places in this dialect",
                remedy="its definitions are used in too many places, and this endpoint keeps no references: "
                "split the contract, or choose a target that keeps $ref",
            )
        if self._outline.turns(node) and not self._profile.keeps("recursion"):
            component = self._graph.component(node)
            at = replace(at, component=component, level=at.level + 1 if at.component == component else 0)
            if at.level >= self._outline.levels(node, self._max_recursion):
                why = f"kept in the first {at.level} levels of a recursive type, deeper it is text"
                return self._encoded(node, described, extra, why, Fate.HINTED if at.level else Fate.DROPPED)
        elif not self._graph.is_cyclic(node):
            at = at if self._profile.keeps("recursion") else _At(inlined=at.inlined)
        if self._stands_apart(node):
            return self._referred(node, described, at, extra)
        return self._inline(node, described, at, extra)

    def _stands_apart(self, node: Node) -> bool:
        """Say whether a node is written once, under ``$defs``."""
        if not self._profile.keeps("$ref"):
            return False
        if self._graph.is_cyclic(node):
            return self._outline.turns(node)
        is_large = isinstance(node.form, Record) or bool(node.arms and node.name)
        return (node.shared and is_large) or (is_large and self._graph.references(node) > 1)

    def _referred(self, node: Node, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        """Write a reference, and what it refers to if that is not written yet."""
        words = _sentence(described, *extra)
        siblings = not words or self._profile.keeps("$ref siblings")
        is_free = self._profile.keeps("anyOf") and self._profile.bounds.max_unions is None
        if not siblings and not is_free and not at.inlined and not self._graph.is_cyclic(node):
            # Only once on each way down: a chain of described definitions would double at every level.
            return self._inline(node, described, replace(at, inlined=True), extra)
        key = (id(node), at.level)
        if key not in self._names:
            name = self._names[key] = self._fresh(node.name, at.level)
            self.definitions[name] = {}
            schema, step = self._inline(node, "", replace(at, inlined=False), ())
            self.definitions[name].update(schema)
            self._steps[key] = step
        reference: Schema = {"$ref": f"#/$defs/{self._names[key]}"}
        step = self._steps.get(key) or Late(self._steps, key)
        if not words:
            return reference, step
        if siblings:
            return {**reference, "description": words}, step
        return {"anyOf": [reference], **self._told(words)} if is_free else reference, step

    def _fresh(self, name: str, level: int) -> str:
        base = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "Part"
        base = f"{base}_{level + 1}" if level else base
        found, number = base, 2
        while found in self.definitions:
            found, number = f"{base}_{number}", number + 1
        return found

    def _inline(self, node: Node, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        described = described or node.described
        self._ledger.enforced(node.sources)
        if node.never:
            return {"type": "null"}, Same()
        if node.form is None:
            return self._union(node, described, at, extra)
        form = node.form
        if isinstance(form, Loose):
            return self._loose(node, form, described, extra)
        if isinstance(form, Choice):
            return self._choice(form, described, extra)
        if isinstance(form, Scalar):
            return self._scalar(form, described, extra)
        if isinstance(form, Listing):
            return self._listing(form, described, at, extra)
        return self._record(node, form, described, at, extra)

    # ------------------------------------------------------------------ words

    def _told(self, *words: str) -> Schema:
        """Return the description, if there is one and the endpoint has a place for it."""
        sentence = _sentence(*words)
        return {"description": sentence} if sentence and self._profile.accepts("description") else {}

    def _hint(self, lost: Iterable[Rule], why: str = "the endpoint does not keep it") -> str:
        """Put rules that the wire cannot hold into words, and note them."""
        rules = list(lost)
        words = all_in_words({rule.keyword: rule.value for rule in rules}) if rules else ""
        told = bool(words) and self._profile.accepts("description")
        for rule in rules:
            said = told and bool(all_in_words({rule.keyword: rule.value}))
            self._ledger.note(rule.sources, Fate.HINTED if said else Fate.DROPPED, rule.unlike or why)
        return words

    # ------------------------------------------------------------------ values that are not looked into

    def _loose(self, node: Node, form: Loose, described: str, extra: Sequence[str]) -> tuple[Schema, Step]:
        if not self._profile.keeps("any"):
            return self._encoded(node, described, extra, "the endpoint wants to know the type of every value")
        self._ledger.enforced(form.sources)
        if len(form.kinds) == len(KINDS):
            return self._told(described, *extra), Same()
        if len(form.kinds) > 1 and not self._profile.keeps("type list"):
            return {"anyOf": [{"type": kind} for kind in form.kinds], **self._told(described, *extra)}, Same()
        kinds = list(form.kinds) if len(form.kinds) > 1 else form.kinds[0]
        return {"type": kinds, **self._told(described, *extra)}, Same()

    def _encoded(
        self, node: Node, described: str, extra: Sequence[str], why: str, fate: Fate = Fate.DROPPED
    ) -> tuple[Schema, Step]:
        """Write a value as JSON text in a string: everything about it is left to the boundary."""
        self._lose(node, why, fate)
        self.shapes.add("/json_text")
        like = f"like {node.name}, " if node.name and isinstance(node.form, Record | None) else ""
        return {"type": "string", **self._told(described, *extra, f"Write it {like}{_SIBLING_NOTE}.")}, Encoded()

    def _lose(self, root: Node, why: str, fate: Fate = Fate.DROPPED) -> None:
        """Note that nothing of what a node and those below it say is told."""
        ahead = [root]
        while ahead:
            node = ahead.pop()
            if (id(node), fate) in self._lost:
                continue
            self._lost.add((id(node), fate))
            self._ledger.note(sources_of(node), fate, why)
            ahead += children(node)

    # ------------------------------------------------------------------ scalars

    def _choice(self, form: Choice, described: str, extra: Sequence[str]) -> tuple[Schema, Step]:
        folded = [value.casefold() for value in form.values if isinstance(value, str)]
        if self._profile.loose_case and len(folded) > len(set(folded)):
            self._ledger.note(form.sources, Fate.HINTED, "the endpoint may write them in another letter case")
        else:
            self._ledger.enforced(form.sources)
        kinds = list(dict.fromkeys(map(kind_of, form.values)))
        if not self._outline.kept_as_enum(form):
            spellings = _spellings(form.values)
            return {"type": "string", "enum": list(spellings), **self._told(described, *extra)}, Spelled(spellings)
        values = [_plain_number(value) for value in form.values]
        told = self._told(described, *extra)
        if kinds == ["null"]:
            return {"type": "null", **told}, Same()
        if kinds == ["boolean"] and len(values) > 1:
            return {"type": "boolean", **told}, Same()
        types = list(dict.fromkeys(_type_of(value) for value in values))
        said = types[0] if len(types) == 1 else types
        if len(values) == 1 and self._profile.keeps("const") and not self._profile.const_as_enum:
            return {"type": said, "const": values[0], **told}, Listed(values)
        return {"type": said, "enum": values, **told}, Listed(values)

    def _scalar(self, form: Scalar, described: str, extra: Sequence[str]) -> tuple[Schema, Step]:
        self._ledger.enforced(form.sources)
        rules = [_whole(rule) for rule in form.rules] if form.kind == "integer" else list(form.rules)
        kept, lost = self._sorted_out(form.kind, rules)
        hint = self._hint(lost)
        for rule in kept:
            if rule.keyword == "format" and rule.value not in _EXACT_FORMATS:
                self._ledger.note(rule.sources, Fate.HINTED, "the endpoint keeps the shape of it, not its meaning")
            else:
                self._ledger.enforced(rule.sources)
        said = {rule.keyword: _plain_number(rule.value) for rule in kept}
        step = Whole() if form.kind in ("integer", "number") else Same()
        return {"type": form.kind, **said, **self._told(described, hint, *extra)}, step

    def _sorted_out(self, kind: str, rules: Sequence[Rule]) -> tuple[list[Rule], list[Rule]]:
        """Part the rules of a scalar into those that the endpoint keeps and the others."""
        kept: list[Rule] = []
        has_shape = False  # a pattern or a format stands there
        for rule in sorted(rules, key=lambda rule: rule.keyword not in ("pattern", "format")):
            word = rule.keyword
            is_kept = not rule.unlike and self._profile.holds(word, rule.value, kind)
            if word in ("pattern", "format"):
                is_kept = is_kept and not has_shape
            elif kind == "string":
                is_kept = is_kept and (self._profile.patterns.beside_length or not has_shape)
            if is_kept:
                kept.append(rule)
                has_shape = has_shape or word in ("pattern", "format")
        order = [rule for rule in rules if rule in kept]
        return order, [rule for rule in rules if rule not in kept]

    def _counts(self, count: int) -> bool:
        """Say whether the endpoint counts that far."""
        return self._profile.max_count is None or count <= self._profile.max_count

    # ------------------------------------------------------------------ lists

    def _listing(self, form: Listing, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        self._ledger.enforced(form.sources)
        prefix, items = form.prefix, form.items
        if form.max_items is not None and form.max_items <= len(prefix):
            prefix, items = prefix[: form.max_items], None
        if prefix and not self._profile.keeps("prefixItems"):
            return self._slots(form, prefix, items, described, at, extra)
        low = next((rule for rule in form.rules if rule.keyword == "minItems"), None)
        high = next((rule for rule in form.rules if rule.keyword == "maxItems"), None)
        lost = [rule for rule in form.rules if rule not in (low, high) and not self._profile.keeps(rule.keyword)]
        said: Schema = {}
        for rule in form.rules:
            if rule not in (low, high) and rule not in lost:
                said[rule.keyword] = rule.value
                self._ledger.enforced(rule.sources)
        if low is not None:
            most = self._profile.max_min_items
            sent = low.value if most is None else min(low.value, most)
            keeps = self._profile.keeps("minItems") and self._counts(sent)
            if keeps and sent:
                said["minItems"] = sent
            if sent != low.value or (not keeps and low.value):
                lost.append(low)
            else:
                self._ledger.enforced(low.sources)
        upper = form.max_items if high is not None or (items is None and not prefix) else None
        if items is None and prefix:
            said["items"] = False
            if high is not None:
                self._ledger.enforced(high.sources)
        elif upper is not None:
            if self._profile.keeps("maxItems") and self._counts(upper):
                said["maxItems"] = upper
                self._ledger.enforced(high.sources if high is not None else ())
            elif high is not None:
                lost.append(high)
        step: Step = Same()
        firsts: list[Step] = []
        if prefix:
            written = [self.write(node, at=at) for node in prefix]
            said["prefixItems"] = [schema for schema, _ in written]
            firsts = [first for _, first in written]
        if items is not None:
            said["items"], step = self.write(items, at=at)
        elif not prefix:
            if not self._profile.keeps("maxItems"):
                self._ledger.note(form.sources, Fate.DROPPED, "the endpoint cannot be told that a list is empty")
            said.setdefault("items", {"type": "null"})
        hint = self._hint(lost)
        ordered = {key: said[key] for key in ("prefixItems", "items") if key in said} | said
        return {"type": "array", **ordered, **self._told(described, hint, *extra)}, Elements(step, firsts)

    def _slots(
        self, form: Listing, prefix: Sequence[Node], items: Node | None, described: str, at: _At, extra: Sequence[str]
    ) -> tuple[Schema, Step]:
        """Write a list whose elements are told apart by place as an object with one field for each."""
        entries = {
            slot_name(index): Entry(node, index < form.min_items) for index, node in enumerate(prefix)
        }  # fmt: skip
        lost = [rule for rule in form.rules if rule.keyword == "uniqueItems"]
        for rule in form.rules:
            held = items is None if rule.keyword == "maxItems" else rule.value <= len(prefix)
            if held and rule.keyword != "uniqueItems":
                self._ledger.enforced(rule.sources)
            elif rule.keyword != "uniqueItems":
                lost.append(rule)
        if any(not entry.required for entry in entries.values()) or lost:
            # A list has no gaps, an object may: which fields may be left out together cannot be said.
            counts = [source for rule in form.rules if rule.keyword == "minItems" for source in rule.sources]
            self._ledger.note([*counts, *form.sources], Fate.DROPPED, "elements are written as fields")
            self.shapes.add("/places")
        properties: Schema = {}
        required: list[str] = []
        slots: list[Slot] = []
        for name, entry in entries.items():
            properties[name], slot = self._entry(entry, at)
            slots.append(slot)
            if slot.required:
                required.append(name)
        rest: Step | None = None
        rest_required = items is not None and not self._profile.keeps("optional")
        if items is not None:
            inner, rest = self.write(items, at=at)
            properties[REST] = {"type": "array", "items": inner}
            required += [REST] if rest_required else []
        hint = self._hint(lost)
        schema = self._object(properties, required, False)
        return {**schema, **self._told(described, hint, *extra)}, Slots(slots, rest, rest_required=rest_required)

    # ------------------------------------------------------------------ objects

    def _record(self, node: Node, form: Record, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        if not self._outline.has_names(form):
            return self._encoded(node, described, extra, "the endpoint takes no empty name")
        self._ledger.enforced(form.sources)
        rest = form.rest
        if rest is not None and isinstance(rest.form, Loose) and self._open_objects == "close" and form.fields:
            rest = None
            self.shapes.add("/open_objects")
        self._ledger.enforced(form.rest_sources)
        is_map = not form.fields and node is not self._whole
        if rest is not None and is_map and not self._outline.keeps_rest(rest):
            return self._pairs(form, rest, described, at, extra)
        properties: Schema = {}
        required: list[str] = []
        slots: dict[str, Slot] = {}
        for name in self._outline.in_order(node, form):
            entry = form.fields[name]
            properties[name], slots[name] = self._entry(entry, at)
            self._ledger.enforced(entry.sources)
            if slots[name].required:
                required.append(name)
        step: Step = Same()
        extras: str | None = None
        others: Any = False
        extras_required = False
        if rest is not None:
            written, step = self.write(rest, at=at)
            if self._outline.keeps_rest(rest):
                others = written or True
            else:
                self.shapes.add("/keys")
                extras = _free_name("additional_properties", form.fields)
                extras_required = not self._profile.keeps("optional")
                properties[extras] = self._pair_list(written, "Other fields of this object, if there are any.")
                required += [extras] if extras_required else []
        hint = self._counted(form)
        schema = self._object(properties, required, others)
        for rule in form.rules:
            if rule.keyword in schema:
                continue
            if self._is_kept_count(rule, form):
                schema[rule.keyword] = rule.value
        return (
            {**schema, **self._told(described, hint, *extra)},
            Fields(slots, step, extras, extras_required=extras_required),
        )

    def _is_kept_count(self, rule: Rule, form: Record) -> bool:
        """Say whether a bound on how many fields there are means on the wire what it means in the contract."""
        absent_as_null = not self._profile.keeps("optional") and any(not e.required for e in form.fields.values())
        as_pairs = form.rest is not None and not self._outline.keeps_rest(form.rest)
        only_required = not self._profile.required_counted_only or all(e.required for e in form.fields.values())
        return self._profile.keeps(rule.keyword) and only_required and not as_pairs and not absent_as_null

    def _counted(self, form: Record) -> str:
        """Note what becomes of the bounds on how many fields there are; return the words for those that are lost."""
        lost: list[Rule] = []
        always = sum(entry.required for entry in form.fields.values())
        for rule in form.rules:
            implied = (rule.keyword == "minProperties" and rule.value <= always) or (
                rule.keyword == "maxProperties" and form.rest is None and rule.value >= len(form.fields)
            )
            if implied or self._is_kept_count(rule, form):
                self._ledger.enforced(rule.sources)
            else:
                lost.append(rule)
        return self._hint(lost)

    def _pairs(self, form: Record, rest: Node, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        """Write an object with free keys as a list of pairs."""
        value, step = self.write(rest, at=at)
        self.shapes.add("/keys")
        bounds = {"minProperties": "minItems", "maxProperties": "maxItems"}
        said: Schema = {}
        lost: list[Rule] = []
        for rule in form.rules:
            word = bounds[rule.keyword]
            most = self._profile.max_min_items if word == "minItems" else None
            keeps = self._profile.keeps(word) and self._counts(rule.value)
            if keeps and (most is None or rule.value <= most):
                said[word] = rule.value
                self._ledger.enforced(rule.sources)
            else:
                lost.append(rule)
        hint = self._hint(lost)
        schema = self._pair_list(value, _sentence(described, hint, *extra))
        return {**schema, **said}, Pairs(step)

    def _pair_list(self, value: Schema, described: str) -> Schema:
        pair = self._object({"key": {"type": "string"}, "value": value}, ["key", "value"], False)
        return {"type": "array", "items": pair, **self._told(described, "Each key once.")}

    def _object(self, properties: Schema, required: Sequence[str], others: Any) -> Schema:
        # Some engines read an object that does not say it as closed, so it always says it.
        return {
            "type": "object", "properties": properties, "required": list(required), "additionalProperties": others,
        }  # fmt: skip

    def _entry(self, entry: Entry, at: _At) -> tuple[Schema, Slot]:
        """Write one field, and how it is left out."""
        if entry.required:
            schema, step = self.write(entry.node, described=entry.described, at=at)
            return schema, Slot(step, True)
        default = f"Default: {json.dumps(entry.default[0], ensure_ascii=False)}." if entry.default else ""
        if default and len(default) > MAX_DEFAULT_CHARS:
            default = ""
        if self._profile.keeps("optional"):
            extra = (default,) if default and entry.default != (None,) else ()
            schema, step = self.write(entry.node, described=entry.described, at=at, extra=extra)
            return schema, Slot(step, False)
        schema, step = self.write(entry.node, described=entry.described, at=at)
        takes_null = self._takes_null(schema, entry.node)
        if takes_null and entry.fills and entry.default == (None,):
            return schema, Slot(step, True, absent_is_null=True)
        words = "Null: left out." if not default else f"Null: left out. {default}"
        if not takes_null:
            return self._with_words(self._nullable(schema), words), Slot(step, True, null_is_absent=True)
        boxed = self._object({"value": schema}, ["value"], False)
        return {"anyOf": [boxed, {"type": "null"}], **self._told(words)}, Slot(
            Optional(step), True, null_is_absent=True
        )

    def _takes_null(self, schema: Schema, node: Node) -> bool:
        """Say whether null already means something where ``node`` was written as ``schema``."""
        if "$ref" in schema:
            return "null" in self._outline.plain_wire_kinds(node)
        if "anyOf" in schema:
            return any(self._takes_null(arm, node) for arm in schema["anyOf"])
        kind = schema.get("type", "null")
        return kind == "null" or (isinstance(kind, list) and "null" in kind)

    def _with_words(self, schema: Schema, words: str) -> Schema:
        bare = {key: part for key, part in schema.items() if key != "description"}
        return {**bare, **self._told(schema.get("description", ""), words)}

    def _nullable(self, schema: Schema) -> Schema:
        """Let a schema take null too."""
        kind = schema.get("type")
        is_scalar = isinstance(kind, str) and kind not in ("object", "array")
        if is_scalar and not {"enum", "const"} & schema.keys() and self._profile.keeps("type list"):
            return {**schema, "type": [kind, "null"]}
        told = {key: part for key, part in schema.items() if key == "description"}
        inner = {key: part for key, part in schema.items() if key != "description"}
        if set(inner) == {"anyOf"}:
            return {"anyOf": [*inner["anyOf"], {"type": "null"}], **told}
        return {"anyOf": [inner, {"type": "null"}], **told}

    # ------------------------------------------------------------------ unions

    def _union(self, node: Node, described: str, at: _At, extra: Sequence[str]) -> tuple[Schema, Step]:
        arms = self._outline.arms_of(node)
        for arm in node.arms:
            self._ledger.enforced(arm.sources)
        tag = self._outline.tag_of(arms)
        self._note_exclusive(node, arms, tag)
        if len(arms) == 1:
            return self.write(arms[0], described=described, at=at, extra=extra)
        if not self._profile.keeps("anyOf"):
            return self._encoded(node, described, extra, "the endpoint keeps no union")
        if any(isinstance(arm.form, Loose) for arm in arms) and not self._profile.keeps("any"):
            for arm in arms:  # JSON text in a string may be a value of any other arm, and breaks its rules unseen
                self._lose(arm, "a value of any type is written as text beside it")
        boxed = self._outline.is_boxed(arms, tag)
        names = _names_of(arms)
        schemas: list[Schema] = []
        found: list[Arm] = []
        for arm, name in zip(arms, names, strict=True):
            schema, step = self.write(arm, at=at)
            schemas.append(schema)
            values = fixed(arm.form, tag) if tag and isinstance(arm.form, Record) else frozenset[str]()
            told_by = (tag, values) if tag and values else None
            kinds = kinds_of(arm), self._outline.wire_kinds(arm)
            found.append(Arm(arm, step, *kinds, told_by, name))
        told = self._told(described, *extra)
        if boxed:
            named = [
                schema if arm.wire_kinds == {"null"} else self._object(
                    {"variant": self._fixed_string(arm.name), "value": schema}, ["variant", "value"], False
                )
                for arm, schema in zip(found, schemas, strict=True)
            ]  # fmt: skip
            if sum(isinstance(arm.node.form, Record) for arm in found) > 1:
                self.shapes.add("/variants")
            return {"anyOf": named, **told}, Boxed(found)
        merged = self._merged(schemas)
        return {**(merged or {"anyOf": schemas}), **told}, Union(found)

    def _merged(self, schemas: Sequence[Schema]) -> Schema | None:
        """Write a union of bare types as one list of types."""
        if not self._profile.keeps("type list") or not all(schema.keys() == {"type"} for schema in schemas):
            return None
        said = [schema["type"] for schema in schemas]
        kinds = [kind for kinds in said for kind in ([kinds] if isinstance(kinds, str) else kinds)]
        return {"type": list(dict.fromkeys(kinds))}

    def _fixed_string(self, value: str) -> Schema:
        if self._profile.keeps("const") and not self._profile.const_as_enum:
            return {"type": "string", "const": value}
        return {"type": "string", "enum": [value]}

    def _note_exclusive(self, node: Node, arms: Sequence[Node], tag: str | None) -> None:
        """``oneOf`` means that no two arms hold together: kept when types or a tag tell them apart."""
        if not node.exclusive:
            return
        kinds = [
            kind for arm in arms for kind in kinds_of(arm) if not (tag and kind == "object")
        ]  # fmt: skip
        alike = len(kinds) > len(set(kinds)) or any(arm.exclusive for arm in arms) or self._outline.has_twins(node)
        if alike:
            self._ledger.note(node.exclusive, Fate.DROPPED, NOT_EXCLUSIVE)
        else:
            self._ledger.enforced(node.exclusive)


MAX_DEFAULT_CHARS = 80
"""A longer default is not repeated in a description."""


def _sentence(*words: str) -> str:
    """Join words into one description; each part ends with a full stop."""
    parts = [word.strip() for word in words if word and word.strip()]
    return " ".join(part if part[-1] in ".!?:" else f"{part}." for part in parts) if len(parts) > 1 else "".join(parts)


def _names_of(arms: Sequence[Node]) -> list[str]:
    """Name the arms of a union, each differently, also without regard to letter case."""
    found: list[str] = []
    taken: set[str] = set()
    for arm in arms:
        form = arm.form
        base = arm.name or (form.kind if isinstance(form, Scalar) else "") or _noun(arm)
        name, number = base, 2
        while name.casefold() in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name.casefold())
        found.append(name)
    return found


def _noun(node: Node) -> str:
    form = node.form
    nouns = {Listing: "list", Record: "object", Choice: "choice", Loose: "other"}
    return nouns.get(type(form), "union")


def _free_name(name: str, taken: Iterable[str]) -> str:
    known = set(taken)
    while name in known:
        name += "_"
    return name


def _spellings(values: Sequence[Any]) -> dict[str, Any]:
    """Spell each value as a string of its own: a string as itself, another as its JSON text, unless two are alike."""
    plain = {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False): value for value in values}
    if len(plain) == len(values):
        return plain
    return {json.dumps(value, ensure_ascii=False): value for value in values}


def _plain_number(value: Any) -> Any:
    """Write a whole number without a fraction."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _type_of(value: Any) -> str:
    kind = kind_of(value)
    return "integer" if kind == "number" and isinstance(value, int) else kind


def _whole(rule: Rule) -> Rule:
    """Write a bound on an integer as an inclusive integer: every endpoint reads that the same."""
    low, high = rule.keyword in ("minimum", "exclusiveMinimum"), rule.keyword in ("maximum", "exclusiveMaximum")
    if not (low or high) or not math.isfinite(rule.value):
        return rule
    bound = math.ceil(rule.value) if low else math.floor(rule.value)
    if rule.keyword.startswith("exclusive") and bound == rule.value:
        bound += 1 if low else -1
    return Rule("minimum" if low else "maximum", bound, rule.sources)
