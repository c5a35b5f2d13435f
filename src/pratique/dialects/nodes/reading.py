"""Read a JSON Schema as nodes: what every ``$ref``, ``allOf`` and union says of a value, put together by type.

Nothing is made narrower here. What a node cannot say (``not``, ``if``, a pattern of keys) is left out of it, and
the ledger notes that it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pratique.dialects.nodes.constraint import (
    ANNOTATIONS,
    NOT_EXCLUSIVE,
    STRUCTURE,
    Fate,
    Ledger,
    Source,
    Sources,
    pointer_of,
)
from pratique.dialects.nodes.matching import finds, keeps
from pratique.dialects.nodes.node import KINDS, Choice, Entry, Listing, Loose, Node, Record, Rule, Scalar, kind_of
from pratique.errors import Misuse
from pratique.show import show
from pratique.terms.schema_document import Document, Place

__all__ = ["MAX_NODES", "MAX_SCHEMA_DEPTH", "Reading", "is_same"]

MAX_NODES = 20_000
"""Nodes of one schema. The largest real schema seen has some 2,000; more is a schema that multiplies itself."""

MAX_SCHEMA_DEPTH = 50
"""Levels that lead from a value into what it holds, references counted. No endpoint takes more than ten, and a unit
has at most limits.max_depth, 8."""

MAX_JOINED_UNIONS = 3
"""Unions that hold together for one value. Their arms multiply; the ones after these are left to the boundary."""

_OF_KIND: Mapping[str, frozenset[str]] = {
    "object": frozenset({
        "additionalProperties", "dependencies", "dependentRequired", "dependentSchemas", "maxProperties",
        "minProperties", "patternProperties", "properties", "propertyNames", "required", "unevaluatedProperties",
    }),
    "array": frozenset({
        "additionalItems", "contains", "items", "maxItems", "minItems", "prefixItems", "unevaluatedItems",
        "uniqueItems",
    }),
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
    "number": frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}),
    "boolean": frozenset(),
    "null": frozenset(),
}  # fmt: skip
_RULES = frozenset().union(*_OF_KIND.values())
_OF_OTHERS = {kind: _RULES - own for kind, own in _OF_KIND.items()}
_KNOWN = _RULES | ANNOTATIONS | STRUCTURE | {"$dynamicRef", "anyOf", "const", "enum", "oneOf", "type"}
_LOWER = {"minimum", "exclusiveMinimum"}
_UPPER = {"maximum", "exclusiveMaximum"}
_LARGEST = {"minLength", "minItems", "minProperties"}
_SMALLEST = {"maxLength", "maxItems", "maxProperties"}

_NOT_TOLD_APART = "the compiler does not read this keyword"


class _State(NamedTuple):
    """What describes one value: schemas that all hold, unions of them that were opened, types still possible."""

    places: tuple[Place, ...]
    opened: frozenset[tuple[Place, str]]
    kinds: frozenset[str]


_EVERY = frozenset(KINDS)


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the schemas that hold together."""

    place: Place
    schema: Mapping[str, Any]


class Reading:
    """Read the places of one schema as nodes, each once.

    Shape: ``closed`` says that an object which does not say ``additionalProperties`` takes no other keys, as a
        typed contract means it; ``docstrings`` keeps the descriptions of definitions.
    """

    def __init__(self, document: Document, part: str, ledger: Ledger, *, closed: bool, docstrings: bool) -> None:
        self._document = document
        self._part = part
        self._ledger = ledger
        self._closed = closed
        self._docstrings = docstrings
        self.visited: set[Place] = set()
        """Every place that was read."""
        self._tagged: dict[tuple[int, str], Node] = {}
        self._nodes: dict[_State, Node] = {}
        self._depth = 0

    def node(self, place: Place = (), kinds: Iterable[str] = KINDS) -> Node:
        """Return the node of one place, for values of some types.

        Errors: Misuse for a reference to what is not there, and for a schema that is too large or too deep.
        """
        return self._node(_State((place,), frozenset(), frozenset(kinds)))

    # ------------------------------------------------------------------ states

    def _node(self, state: _State) -> Node:
        state = self._alias(state)
        if self._document.types(state.places) <= state.kinds:
            state = state._replace(kinds=_EVERY)
        known = self._nodes.get(state)
        if known is not None:
            return known
        if len(self._nodes) >= MAX_NODES:
            raise Misuse(
                f"the schema says more than {MAX_NODES:,} things",
                remedy="its unions multiply each other, or it is too large for any provider: split the contract",
            )
        if self._depth >= MAX_SCHEMA_DEPTH:
            raise Misuse(
                f"the schema is more than {MAX_SCHEMA_DEPTH} levels deep, at {show(pointer_of(state.places[0]))}",
                remedy="describe a flatter value: no provider takes one that is so deep",
            )
        node = Node()
        self._nodes[state] = node
        self._depth += 1
        try:
            self._fill(node, state)
        finally:
            self._depth -= 1
        return node

    def _alias(self, state: _State) -> _State:
        """Follow a place that only refers to another one, so that both are one node."""
        seen = set()
        while len(state.places) == 1 and state.places[0] not in seen:
            place = state.places[0]
            seen.add(place)
            self.visited.add(place)
            schema = self._document[place]
            if not isinstance(schema, dict):
                break
            says = schema.keys() - ANNOTATIONS
            if says == {"$ref"}:
                state = state._replace(places=(self._target(place, schema["$ref"]),))
                continue
            sole = next((word for word in ("allOf", "anyOf", "oneOf") if says == {word} and len(schema[word]) == 1), "")
            if not sole:
                break
            self._ledger.enforced([self._source(place, sole)])
            state = state._replace(places=((*place, sole, "0"),))
        return state

    def _target(self, place: Place, reference: Any) -> Place:
        target = self._document.resolve(place, reference)
        if target is None:
            raise Misuse(
                f"the schema at {show(pointer_of(place) or '/')} refers to {show(str(reference))}, which is not in it",
                remedy="put what it refers to into $defs; nothing is fetched",
            )
        return target

    def _source(self, place: Place, keyword: str) -> Source:
        return Source(self._part, place, keyword)

    def _drop(self, parts: Iterable[_Part], keywords: Iterable[str], why: str) -> None:
        words = list(keywords)
        for part in parts:
            self._ledger.note(
                [self._source(part.place, word) for word in words if word in part.schema], Fate.DROPPED, why
            )

    def _together(self, state: _State) -> list[_Part] | None:
        """Return all schemas that hold for the value; None when one of them says that none does."""
        found: list[_Part] = []
        ahead = list(reversed(state.places))
        seen: set[Place] = set()
        while ahead:
            place = ahead.pop()
            if place in seen:
                continue
            seen.add(place)
            self.visited.add(place)
            schema = self._document[place]
            if schema is False:
                return None
            if not isinstance(schema, dict):
                continue
            found.append(_Part(place, schema))
            below = [(*place, "allOf", str(index)) for index in range(len(schema.get("allOf", ())))]
            if "$ref" in schema:
                below.insert(0, self._target(place, schema["$ref"]))
            ahead.extend(reversed(below))
        return found

    def _fill(self, node: Node, state: _State) -> None:
        parts = self._together(state)
        if parts is None:
            node.never = True
            return
        self._name(node, state)
        for part in parts:
            self._drop([part], part.schema.keys() - _KNOWN, _NOT_TOLD_APART)
        self._drop(parts, ("$dynamicRef", "additionalItems", "dependencies"), _NOT_TOLD_APART)
        unions = [
            (part, word)
            for part in parts
            for word in ("anyOf", "oneOf")
            if word in part.schema and (part.place, word) not in state.opened
        ]
        if len(unions) + len(state.opened) > MAX_JOINED_UNIONS:
            for part, word in unions[MAX_JOINED_UNIONS - len(state.opened) :]:
                self._drop([part], [word], "too many unions hold together here")
            unions = unions[: max(0, MAX_JOINED_UNIONS - len(state.opened))]
        if unions:
            self._open(node, state, parts, *unions[0])
        else:
            self._fill_kinds(node, state, parts)

    def _name(self, node: Node, state: _State) -> None:
        """Give a node its name and its description, from the place where it is said first."""
        place = state.places[0]
        if len(state.places) == 1 and len(place) >= 2 and place[-2] in ("$defs", "definitions"):
            node.name, node.shared = place[-1], True
        told = self._document[place]
        title = told.get("title") if isinstance(told, dict) else None
        node.name = node.name or (title if isinstance(title, str) else "")
        if len(state.places) == 1:
            node.described = self.described(place)

    def described(self, place: Place) -> str:
        """Return what the schema at a place says of its value, for people; a class's own docstring is no such word."""
        schema = self._document[place]
        words = schema.get("description") if isinstance(schema, dict) else None
        is_definition = not place or place[-2:-1] in (("$defs",), ("definitions",))
        leaks = self._closed and is_definition and not self._docstrings
        return words.strip() if isinstance(words, str) and not leaks else ""

    # ------------------------------------------------------------------ unions

    def _open(self, node: Node, state: _State, parts: list[_Part], union: _Part, word: str) -> None:
        """Make a union of its arms, each joined with all else that holds."""
        said = {key for part in parts for key in part.schema.keys() - ANNOTATIONS - {"$ref", "allOf"}}
        is_alone = said == {word} and sum(word in part.schema for part in parts) == 1
        opened = state.opened | {(union.place, word)}
        arms: list[Node] = []
        is_twice = False
        for index in range(len(union.schema[word])):
            arm = (*union.place, word, str(index))
            if is_alone:
                found = self._node(_State((arm,), frozenset(), state.kinds))
            else:
                found = self._node(_State((*state.places, arm), opened, state.kinds))
                found.name = found.name or self._arm_name(arm)
            found = self._with_tag(found, union.schema)
            is_twice = is_twice or found in arms
            if not found.never and found not in arms:
                arms.append(found)
        source = self._source(union.place, word)
        node.sources = (source,)
        if word == "oneOf" and is_twice:
            self._ledger.note([source], Fate.DROPPED, NOT_EXCLUSIVE)
        elif word == "oneOf" and len(arms) > 1:
            node.exclusive = (source,)
        _unite(node, arms)

    def _with_tag(self, arm: Node, union: Mapping[str, Any]) -> Node:
        """Ask for the tag of a typed union in an arm that has a default for it: the union cannot do without."""
        said = union.get("discriminator")
        tag: str | None = said.get("propertyName") if isinstance(said, dict) and self._closed else None
        if (
            tag is None
            or not isinstance(arm.form, Record)
            or tag not in arm.form.fields
            or arm.form.fields[tag].required
        ):
            return arm
        known = self._tagged.get((id(arm), tag))
        if known is None:
            entry = replace(arm.form.fields[tag], required=True)
            form = replace(arm.form, fields={**arm.form.fields, tag: entry})
            known = Node(arm.name, arm.described, (), form, arm.sources, (), arm.shared)
            self._tagged[(id(arm), tag)] = known
        return known

    def _arm_name(self, arm: Place) -> str:
        schema = self._document[arm]
        if not isinstance(schema, dict):
            return ""
        if isinstance(schema.get("$ref"), str):
            return str(schema["$ref"]).rpartition("/")[2]
        title = schema.get("title")
        return title if isinstance(title, str) else ""

    # ------------------------------------------------------------------ one value, by type

    def _fill_kinds(self, node: Node, state: _State, parts: list[_Part]) -> None:
        kinds, integer = _kinds_of(parts, state.kinds)
        sources = self._sources(parts, "type")
        if any("enum" in part.schema or "const" in part.schema for part in parts):
            self._choose(node, parts, kinds, integer, sources)
            return
        if not kinds:
            node.never = True
            return
        ruled = [kind for kind in KINDS if kind in kinds and self._has_rules(kind, parts, integer)]
        plain = tuple(kind for kind in KINDS if kind in kinds and kind not in ruled)
        if len(kinds) == 1:
            self._form(node, next(iter(kinds)), integer, parts, sources)
            return
        if not ruled and {"object", "array"} & set(plain):
            node.form = Loose(plain, sources)
            return
        arms = [self._node(state._replace(kinds=frozenset({kind}))) for kind in ruled]
        if {"object", "array"} & set(plain):
            arms.append(Node(form=Loose(plain, sources)))
        else:
            arms += [Node(form=Scalar(kind, (), sources)) for kind in plain]
        _unite(node, [arm for arm in arms if not arm.never])

    def _has_rules(self, kind: str, parts: list[_Part], integer: bool) -> bool:
        if kind == "number" and integer:
            return True
        return not all(_OF_KIND[kind].isdisjoint(part.schema) for part in parts)

    def _sources(self, parts: Iterable[_Part], *keywords: str) -> Sources:
        return tuple(
            self._source(part.place, keyword) for part in parts for keyword in keywords if keyword in part.schema
        )

    def _choose(self, node: Node, parts: list[_Part], kinds: frozenset[str], integer: bool, sources: Sources) -> None:
        """Keep the listed values that nothing else said refuses."""
        listed = [
            part.schema["enum"] if word == "enum" else [part.schema[word]]
            for part in parts
            for word in ("enum", "const")
            if word in part.schema
        ]
        others = [{_key_of(value) for value in other} for other in listed[1:]]
        values = [value for value in listed[0] if all(_key_of(value) in other for other in others)]
        values = [value for value in values if _is_of(value, kinds, integer)]
        checked = {"minLength", "maxLength", *_LOWER, *_UPPER}
        rules = [
            (word, part.schema[word])
            for part in parts
            for word in sorted(checked & part.schema.keys())
        ]  # fmt: skip
        values = [value for value in values if all(_holds(value, word, bound) for word, bound in rules)]
        self._ledger.enforced(self._sources(parts, *checked))
        self._drop(parts, _RULES - checked, "it stands beside a list of values")
        distinct = {_key_of(value): value for value in reversed(values)}
        node.never = not distinct
        found = tuple(reversed(distinct.values()))
        node.form = Choice(found, (*sources, *self._sources(parts, "enum", "const")))

    def _form(self, node: Node, kind: str, integer: bool, parts: list[_Part], sources: Sources) -> None:
        self._skip_other_kinds(kind, parts)
        if kind == "object":
            self._record(node, parts, sources)
        elif kind == "array":
            self._listing(node, parts, sources)
        else:
            name = "integer" if kind == "number" and integer else kind
            rules = tuple(map(self._alike, self._rules(parts, _OF_KIND[kind])))
            node.form = Scalar(name, rules, sources)
            node.never = not _leaves_any(rules, integer=name == "integer")

    def _alike(self, rule: Rule) -> Rule:
        """Mark a rule that pydantic or JSON Schema reads otherwise than endpoints do."""
        if rule.keyword == "format" and self._closed and rule.value in _WIDER_FORMATS:
            return replace(rule, unlike="a time without an offset is one to pydantic, and none to an endpoint")
        classes = _WIDER_CLASSES if self._closed else _WIDER_SPACE
        if rule.keyword == "pattern" and classes.search(rule.value.replace("\\\\", "")):
            told = "it matches more than ASCII here and not there; write [0-9] or [A-Za-z_] to have it enforced"
            return replace(rule, unlike=told)
        return rule

    def _skip_other_kinds(self, kind: str, parts: list[_Part]) -> None:
        """Keywords of other types judge nothing here."""
        others = _OF_OTHERS[kind]
        for part in parts:
            if not others.isdisjoint(part.schema):
                self._ledger.enforced(self._sources([part], *others))

    def _rules(self, parts: list[_Part], keywords: Iterable[str]) -> tuple[Rule, ...]:
        """Join what several schemas say by the same keyword: the tightest bound; of patterns, each."""
        rules: list[Rule] = []
        said = [
            Rule(word, _counted(word, part.schema[word]), (self._source(part.place, word),))
            for part in parts
            for word in sorted(frozenset(keywords) & part.schema.keys())
        ]
        for side, larger in ((_LOWER, True), (_UPPER, False)):
            bounds = [rule for rule in said if rule.keyword in side]
            if bounds:
                tight = _tightest(bounds, larger=larger)
                rules.append(replace(tight, sources=tuple(source for rule in bounds for source in rule.sources)))
        for rule in said:
            if rule.keyword in _LOWER or rule.keyword in _UPPER:
                continue
            twin = next((known for known in rules if known.keyword == rule.keyword), None)
            if twin is None:
                rules.append(rule)
            elif rule.keyword in _LARGEST or rule.keyword in _SMALLEST:
                pick = max if rule.keyword in _LARGEST else min
                rules[rules.index(twin)] = Rule(rule.keyword, pick(twin.value, rule.value), twin.sources + rule.sources)
            elif twin.value == rule.value:
                rules[rules.index(twin)] = replace(twin, sources=twin.sources + rule.sources)
            else:
                self._ledger.note(rule.sources, Fate.DROPPED, "another schema says the same keyword of this value")
        return tuple(rules)

    # ------------------------------------------------------------------ lists

    def _listing(self, node: Node, parts: list[_Part], sources: Sources) -> None:
        rules = self._rules(parts, {"minItems", "maxItems", "uniqueItems"})
        rules = tuple(rule for rule in rules if rule.keyword != "uniqueItems" or rule.value is True)
        self._drop(parts, ("contains", "unevaluatedItems"), "a list cannot be told what one of its elements is like")
        if any(part.schema.get("uniqueItems") is False for part in parts):
            self._ledger.enforced(
                source
                for source in self._sources(parts, "uniqueItems")
                if self._document[source.place]["uniqueItems"] is False
            )
        longest = max((len(part.schema.get("prefixItems", ())) for part in parts), default=0)
        prefix = [self._child(self._elements(parts, index)) for index in range(longest)]
        items: Node | None = self._child(self._elements(parts, None))
        sources += self._sources(parts, "prefixItems", "items")
        low = next((int(rule.value) for rule in rules if rule.keyword == "minItems"), 0)
        high = next((int(rule.value) for rule in rules if rule.keyword == "maxItems"), None)
        cut = next((index for index, first in enumerate(prefix) if first.never), len(prefix))
        if cut < len(prefix) or (items is not None and items.never):
            prefix, items = prefix[:cut], None
            high = len(prefix) if high is None else min(high, len(prefix))
        if high is not None and high < low:
            node.never = True
        node.form = Listing(items, tuple(prefix), low, high, rules, sources)

    def _elements(self, parts: list[_Part], index: int | None) -> list[Place]:
        """Return what describes the element at an index; None: those after all that are told by place."""
        found: list[Place] = []
        for part in parts:
            prefix = part.schema.get("prefixItems", ())
            if index is not None and index < len(prefix):
                found.append((*part.place, "prefixItems", str(index)))
            elif "items" in part.schema:
                found.append((*part.place, "items"))
        return found

    def _child(self, places: Iterable[Place]) -> Node:
        """Return the node of what several schemas say of one inner value."""
        distinct = tuple(dict.fromkeys(places))
        if not distinct:
            return Node(form=Loose())
        return self._node(_State(distinct, frozenset(), _EVERY))

    # ------------------------------------------------------------------ objects

    def _record(self, node: Node, parts: list[_Part], sources: Sources) -> None:
        rules = self._rules(parts, {"minProperties", "maxProperties"})
        why = "it is about keys that are not known beforehand"
        self._drop(parts, ("propertyNames", "dependentRequired", "dependentSchemas"), why)
        names = dict.fromkeys(name for part in parts for name in part.schema.get("properties", ()))
        required: dict[str, list[Source]] = {}
        for part in parts:
            for name in part.schema.get("required", ()):
                required.setdefault(name, []).append(self._source(part.place, "required"))
        names.update(dict.fromkeys(required))
        fields: dict[str, Entry] = {}
        for name in names:
            places = self._under(parts, name)
            is_required = name in required
            if places is None:
                node.never = node.never or is_required
                continue
            child = self._child(places)
            if child.never:
                node.never = node.never or is_required
                continue
            fields[name] = Entry(
                child,
                is_required,
                next((words for words in map(self.described, places) if words), ""),
                next(((self._document[place]["default"],) for place in places if self._has_default(place)), ()),
                tuple(required.get(name, ())),
                self._closed,
            )
        rest, rest_sources = self._rest(parts)
        closed_out = names.keys() - fields.keys()
        if closed_out and rest is not None:
            self._drop(parts, ("properties",), "a key that is forbidden where others are free")
        sources += self._sources(parts, "properties")
        node.form = Record(fields, rest, rules, sources, rest_sources)

    def _has_default(self, place: Place) -> bool:
        schema = self._document[place]
        return isinstance(schema, dict) and "default" in schema

    def _under(self, parts: list[_Part], name: str) -> list[Place] | None:
        """Return what describes the value under a key; None when the key is forbidden."""
        found: list[Place] = []
        for part in parts:
            before = len(found)
            doubtful = False
            if name in part.schema.get("properties", ()):
                found.append((*part.place, "properties", name))
            for pattern in part.schema.get("patternProperties", ()):
                matches = finds(pattern, name)
                if matches is None:
                    doubtful = True
                    self._drop([part], ("patternProperties",), "nobody here can read its pattern")
                elif matches:
                    found.append((*part.place, "patternProperties", pattern))
            if len(found) == before and not doubtful and self._says_rest(part):
                if self._document[(*part.place, "additionalProperties")] is False:
                    return None
                found.append((*part.place, "additionalProperties"))
        return None if any(self._document[place] is False for place in found) else found

    def _says_rest(self, part: _Part) -> bool:
        return "additionalProperties" in part.schema

    def _rest(self, parts: list[_Part]) -> tuple[Node | None, Sources]:
        """Return what describes the values under keys that are not named."""
        places: list[Place] = []
        unions: list[list[Place]] = []
        sources = self._sources(parts, "additionalProperties")
        closed = self._closed and any("properties" in part.schema for part in parts)
        if closed:  # a model takes no other fields in a contract, whatever its own configuration says
            self._ledger.enforced(sources)
            self._drop(parts, ("patternProperties", "unevaluatedProperties"), _NOT_TOLD_APART)
            return None, sources
        for part in parts:
            patterns = list(part.schema.get("patternProperties", ()))
            if patterns:
                self._drop([part], ("patternProperties", "additionalProperties"), "a pattern of keys cannot be told")
                arms: list[Place] = [(*part.place, "patternProperties", pattern) for pattern in patterns]
                if self._says_rest(part):
                    arms.append((*part.place, "additionalProperties"))
                elif not self._closed:
                    continue  # any other key takes anything; pydantic means none by it
                unions.append([place for place in arms if self._document[place] is not False])
            elif self._says_rest(part):
                places.append((*part.place, "additionalProperties"))
        for part in parts:
            if part.schema.get("additionalProperties") is False:
                self._ledger.enforced(self._sources([part], "unevaluatedProperties"))
            else:
                self._drop([part], ("unevaluatedProperties",), "which keys are left over depends on the value")
        if any(self._document[place] is False for place in places):
            return None, sources
        if unions:
            for place in places:
                self._ledger.note([self._source(place[:-1], place[-1])], Fate.DROPPED, "a pattern of keys is beside it")
            if not unions[0]:
                return None, sources
            union = Node()
            _unite(union, list(dict.fromkeys(self._child([place]) for place in unions[0])))
            return union, sources
        if places:
            rest = self._child(places)
            return (None if rest.never else rest), sources
        return Node(form=Loose()), sources


_WIDER_FORMATS = frozenset({"date-time", "duration", "time"})
_WIDER_CLASSES = re.compile(r"\\[dDwWsSbB]")
_WIDER_SPACE = re.compile(r"\\[sS]")


def _counted(keyword: str, value: Any) -> Any:
    """Write a count without a fraction: JSON Schema takes 1.0 for one."""
    return int(value) if keyword in _LARGEST or keyword in _SMALLEST else value


def _leaves_any(rules: Sequence[Rule], *, integer: bool) -> bool:
    """Say whether the bounds leave a value between them."""
    low = next((rule for rule in rules if rule.keyword in _LOWER), None)
    high = next((rule for rule in rules if rule.keyword in _UPPER), None)
    bounds = {rule.keyword: rule.value for rule in rules}
    if bounds.get("minLength", 0) > bounds.get("maxLength", math.inf):
        return False
    if low is None or high is None:
        return True
    least, most = (math.ceil(low.value), math.floor(high.value)) if integer else (low.value, high.value)
    open_low = low.keyword.startswith("exclusive") and least == low.value
    open_high = high.keyword.startswith("exclusive") and most == high.value
    if integer:
        return bool(least + open_low <= most - open_high)
    return bool(least < most or (least == most and not open_low and not open_high))


def _unite(node: Node, arms: list[Node]) -> None:
    """Make a node the union of its arms; a union of one arm is that arm."""
    distinct = list(dict.fromkeys(arms))
    if not distinct:
        node.never = True
    node.arms = tuple(distinct)


def _kinds_of(parts: Iterable[_Part], possible: frozenset[str]) -> tuple[frozenset[str], bool]:
    """Return the JSON types that all schemas allow, and whether numbers must be integers."""
    integer = False
    kinds = possible
    for part in parts:
        if "type" in part.schema:
            said = part.schema["type"]
            listed = {said} if isinstance(said, str) else set(said)
            integer = integer or ("integer" in listed and "number" not in listed)
            kinds &= {"number" if kind == "integer" else kind for kind in listed}
    return kinds, integer


def _is_of(value: Any, kinds: frozenset[str], integer: bool) -> bool:
    if kind_of(value) not in kinds:
        return False
    return not (integer and isinstance(value, float) and not value.is_integer())


def _key_of(value: Any) -> tuple[str, Any]:
    """Return what equal values have in common, as JSON Schema compares: 1 and 1.0 are equal, 1 and true are not."""
    kind = kind_of(value)
    if kind == "object":
        return kind, frozenset((name, _key_of(part)) for name, part in value.items())
    return kind, tuple(map(_key_of, value)) if kind == "array" else value


def is_same(one: Any, other: Any) -> bool:
    """Say whether two values are equal as JSON Schema compares them."""
    return _key_of(one) == _key_of(other)


def _holds(value: Any, keyword: str, bound: Any) -> bool:
    """Say whether a scalar keeps a rule; a rule of another type holds."""
    kind = "string" if keyword in _OF_KIND["string"] else "number"
    return kind_of(value) != kind or keeps(value, keyword, bound)


def _tightest(bounds: list[Rule], *, larger: bool) -> Rule:
    """Return the bound that leaves the least; an exclusive one is tighter than an inclusive one."""

    def key(rule: Rule) -> tuple[Any, bool]:
        return (rule.value if larger else -rule.value, rule.keyword.startswith("exclusive"))

    return max(bounds, key=key)
