"""Compile a JSON Schema into shapes: one for the units, one for the envelope around their list.

The schema is the contract: draft 2020-12, formats asserted, judged by ``jsonschema_rs`` and by nothing of
ours. What is ours is the cut: a document schema judges everything at once, and one bad unit would cost
the whole report. So the schema is taken apart where the list stands, each part with all that it refers to.

It refuses to fetch anything, and every keyword that would be silently inert.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic_core import InitErrorDetails, PydanticCustomError, SchemaValidator, ValidationError, core_schema

from pratique.errors import Code, Finding, Misuse
from pratique.limits import MAX_FINDINGS_PER_UNIT, Limits
from pratique.show import escape, show
from pratique.terms.markers import REFERENCES, UNKNOWN_REFERENCE
from pratique.terms.schema_document import (
    LIST_OF_SCHEMAS,
    MAP_OF_SCHEMAS,
    ONE_SCHEMA,
    Document,
    Group,
    Place,
    children,
    facts_of,
)
from pratique.terms.shape import Shape

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator
    from jsonschema_rs import ValidationError as Complaint

__all__ = ["CompiledSchema", "ListRules", "compile_json_schema"]

MAX_BACKTRACKS = 10_000
"""Steps back in one ``pattern`` with look-around or back-references on one string: about 30 ms of work. Other
patterns run in linear time. A string that needs more is refused."""

PART = "https://contract.invalid/part"
"""The name of a part that has its whole document with it; only a name, like the document's own."""

MAX_REASON_CHARS = 300
"""One message. A schema's own enumeration may be longer than anybody reads."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_OLDER = re.compile(r"https?://json-schema\.org/(?:draft-0[4-7]|draft/20(?:19-09|20-12))/schema#?")
_INERT = {
    "dependencies": "write dependentRequired or dependentSchemas",
    "$recursiveRef": "write $ref",
}
"""Keywords that older drafts judge by and 2020-12 does not know: it would pass over them without a word."""

LIST_RULE = Code(
    "validate.list_rule",
    "the list of admitted units breaks a rule of its own: minItems, uniqueItems, contains",
    "A rule on the list says nothing about any one unit, so it costs none; the delivery is not clean.",
    "look at what was quarantined; ask again when too few are left",
    "two units, where minItems is 3",
    "three units",
)

_LIST_KEYWORDS = (
    "minItems", "uniqueItems", "contains", "minContains", "maxContains", "anyOf", "oneOf", "not", "if", "then",
    "else", "enum", "const",
)  # fmt: skip
_NOT_COPIED = frozenset({"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions"})
_EMPTY_LIST = {"type": "array", "items": False}

_READ = SchemaValidator(core_schema.any_schema())
_MAYBE_NOT_FINITE = re.compile(r"NaN|Infinity|[0-9][eE]\+?[0-9]{3}|[0-9]{300}")


@dataclass(frozen=True, slots=True)
class ListRules:
    """Judge the list of admitted units as a whole, without costing any of them.

    Shape: called with the admitted values, in any order; returns findings with paths relative to the list.
    """

    schema: Mapping[str, Any]
    """JSON Schema of the list; counts for the fingerprint."""
    _judge: Draft202012Validator

    def __call__(self, values: Sequence[Any]) -> tuple[Finding, ...]:
        """Return what is wrong with the list."""
        if self._judge.is_valid(list(values)):
            return ()
        complaints = islice(self._judge.iter_errors(list(values)), MAX_FINDINGS_PER_UNIT)
        return tuple(
            LIST_RULE.finding(_reason(complaint), path="".join(f"[{json.dumps(key)}]" for key in complaint.instance_path))
            for complaint in complaints
        )


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """Hold one JSON Schema, taken apart where its list of units stands."""

    unit: Shape[dict[str, Any]]
    envelope: Shape[dict[str, Any]] | None
    """What stands around the list; None when there is no list, or nothing around it."""
    limits: Limits
    """As given, with the list's ``maxItems``."""
    title: str
    list_rules: ListRules | None
    """What is left of the list's own keywords; None when there are none."""


def compile_json_schema(
    schema: Mapping[str, Any] | bool,
    *,
    at: tuple[str, ...],
    one: bool,
    limits: Limits | None,
    references: Mapping[str, str],
) -> CompiledSchema:
    """Take a JSON Schema apart into units, envelope and rules of the list.

    Shape: ``at`` is the path of keys to the list; empty when the schema is that of a bare list, or, with
        ``one``, of the unit itself. ``references`` maps a JSON Pointer inside the unit to the name of a
        reference; ``*`` in it stands for every element of a list and every value of a map.
        A schema that names an older draft is read as 2020-12.
    Limits: ``maxItems`` of the list becomes ``max_items``, or stays above it if the limit given is smaller.
    Errors: Misuse when it is no schema, refers to what is not in it, has no list at ``at``, says about the list
        what cannot be judged apart from the rest, uses a format nobody here can assert, or the ``schema`` extra
        is missing.
    Not checked: keys that the schema does not name. JSON Schema leaves an object open unless it says
        ``additionalProperties: false``, and the schema is the contract: an open unit may carry anything.
        Say it in the schema, or a damaged unit can be read with a part of its neighbour's keys.
    """
    document = Document(_root(schema))
    _refuse_inert(document, one)
    _compile(document.root, "the schema")
    title = document.root.get("title")
    title = title if isinstance(title, str) else ""
    if one:
        if at:
            raise Misuse("a contract for one unit has no list", remedy='leave out at=, or say locality="item"')
        return CompiledSchema(_shape(document, ((),), title, references), None, limits or Limits(), title, None)

    lists = _find_list(document, at)
    items = document.below(lists, "items")
    _refuse_lists(document, lists, items, at)
    bound, rules = _bound(document, lists, limits), _list_rules(document, lists)
    least = max((int(document[place].get("minItems", 0)) for place in _objects(document, lists)), default=0)
    if least > bound.max_items:
        raise Misuse(
            f"the list needs at least {least} units, but at most {bound.max_items} are kept",
            remedy=f"raise limits.max_items to {least} or more, or lower minItems",
        )
    envelope = _envelope(document, at, title) if at else None
    return CompiledSchema(_shape(document, items, title, references), envelope, bound, title, rules)


# ---------------------------------------------------------------------- the document


def _root(schema: Mapping[str, Any] | bool) -> dict[str, Any]:
    """Copy the schema as plain JSON, so that nobody changes it under the contract."""
    if isinstance(schema, bool) or not isinstance(schema, Mapping):
        raise Misuse(
            f"a schema of units must be an object, not {show(schema)}",
            remedy='give the parsed JSON Schema, {"type": "object", "properties": …}',
        )
    try:
        root: dict[str, Any] = json.loads(json.dumps(dict(schema), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise Misuse(
            f"the schema is not JSON: {escape(str(error))}", remedy="give plain values: json.loads(file.read_text())"
        ) from error
    said = root.pop("$schema", DRAFT)
    if not (isinstance(said, str) and _OLDER.fullmatch(said)):
        raise Misuse(
            f"the schema is written in a language of its own, {show(said)}",
            remedy=f'write it in draft 2020-12: "$schema": "{DRAFT}"',
        )
    return root


def _refuse_inert(document: Document, one: bool) -> None:
    """Refuse what a validator of 2020-12 would pass over, and what cannot be judged out of its place."""
    for place, schema in document.schemas():
        for keyword, remedy in _INERT.items():
            if keyword in schema:
                raise Misuse(f"{_where(place)} uses {keyword}, which draft 2020-12 does not know", remedy=remedy)
        if "$dynamicRef" in schema and not one:
            raise Misuse(
                f"{_where(place)} uses $dynamicRef, whose target depends on the way to it; units are judged one by one",
                remedy="write $ref",
            )
        if place and schema.get("$schema", DRAFT) != DRAFT:
            raise Misuse(f"{_where(place)} is in another draft than its document", remedy="take its $schema out")


def _at(place: Place) -> str:
    return " at " + "/".join(("", *place)) if place else ""


def _where(place: Place) -> str:
    return f"the schema at {'/'.join(('', *place))}" if place else "the schema"


def _objects(document: Document, places: Group) -> Group:
    return tuple(place for place in places if isinstance(document[place], dict))


# ---------------------------------------------------------------------- the list


def _find_list(document: Document, at: tuple[str, ...]) -> Group:
    """Return all schemas that describe the list, going down from the root.

    A schema may describe one value in several places (``allOf``, ``$ref``). All of them hold, so all are
    taken. What holds only under a condition (``if``, a union's arm) cannot be taken along: the condition
    is about the envelope, its consequence about units, and nobody sees both. It is refused, not dropped.
    """
    group: Group = ((),)
    for depth, key in enumerate(at):
        here = tuple(document.together(group))
        found = document.properties(here).get(key, ())
        way = show("/".join(at[: depth + 1]))
        if not found:
            raise Misuse(f"the schema describes no property {way}", remedy=_lists_in(document, group, at[:depth]))
        for place in (*here, *document.conditional(group)):
            named = place not in here and key in document.properties((place,))
            patterns = [pattern for _, pattern in _patterns(document, place) if _matches(pattern, key)]
            if named or patterns:
                raise Misuse(
                    f"{_where(place)} says something else about {way}, which the list is cut out of",
                    remedy="describe the list in one place, under properties; write the condition as a check",
                )
        group = found
    lists = tuple(document.together(group))
    if "array" not in document.types(group):
        remedy = _lists_in(document, group, at)
        raise Misuse(f"the schema describes no list{' at ' + show('/'.join(at)) if at else ''}", remedy=remedy)
    if not at and not document.below(lists, "items", "prefixItems") and not _says_list(document, lists):
        raise Misuse("the schema describes a document, not a list of units", remedy=_lists_in(document, group, at))
    return lists


def _says_list(document: Document, places: Group) -> bool:
    return "object" not in document.types(places)


def _patterns(document: Document, place: Place) -> Iterator[tuple[Place, str]]:
    schema = document[place]
    if isinstance(schema, dict):
        for pattern in schema.get("patternProperties", ()):
            yield (*place, "patternProperties", pattern), pattern


def _matches(pattern: str, key: str) -> bool:
    return not _compile({"patternProperties": {pattern: False}}, "the pattern").is_valid({key: None})


def _lists_in(document: Document, group: Group, at: tuple[str, ...]) -> str:
    """Say what could have been meant: the lists that do stand in the schema."""
    found = sorted(
        "/".join(("", *at, name))
        for name, described in document.properties(document.together(group)).items()
        if document.types(described) == {"array"}
    )
    said = " or ".join(f"at={show(pointer[1:] if pointer.count('/') == 1 else pointer)}" for pointer in found[:3])
    return f"say {said}" if said else 'say where the list of units stands, at="items"; or locality=Locality.ONE'


def _refuse_lists(document: Document, lists: Group, items: Group, at: tuple[str, ...]) -> None:
    """Refuse a list whose units have no one schema."""
    place = _where(lists[0]) if at else "the list"
    if document.below(lists, "prefixItems"):
        raise Misuse(
            f"{place} has prefixItems: its elements are told apart by their place, units are not",
            remedy="describe every unit with items; units of several kinds with items: {oneOf: […]}",
        )
    if not items:
        raise Misuse(
            f"{place} has no items: nothing is said about its units",
            remedy='describe the unit with items, or say items: {"type": "object"} to take any object',
        )


def _bound(document: Document, lists: Group, limits: Limits | None) -> Limits:
    """Take ``maxItems`` over: it caps what is kept and never costs the document."""
    bounds = [int(document[place]["maxItems"]) for place in _objects(document, lists) if "maxItems" in document[place]]
    if 0 in bounds:
        raise Misuse("the list may hold nothing: maxItems is 0", remedy="raise maxItems to 1 or more")
    if limits is not None:
        bounds.append(limits.max_items)
    return replace(limits or Limits(), **({"max_items": min(bounds)} if bounds else {}))


def _list_rules(document: Document, lists: Group) -> ListRules | None:
    """Gather what is said about the list itself.

    Not taken: ``items`` and ``unevaluatedItems``, which judge units; ``maxItems``, which is a limit; and the
    union whose one telling arm is among ``lists`` already.
    """
    rules = []
    for place in _objects(document, lists):
        schema = document[place]
        kept = {}
        for keyword in _LIST_KEYWORDS:
            joined = any(other[: len(place) + 1] == (*place, keyword) for other in lists)
            if keyword in schema and not joined:
                kept[keyword] = _copied(document, place, keyword, schema[keyword], {})
        if kept.keys() - {"minContains", "maxContains", "then", "else"}:
            rules.append(kept)
    if not rules:
        return None
    whole = _standing_alone(document, rules[0] if len(rules) == 1 else {"allOf": rules})
    return ListRules(whole, _compile(whole, "the list's own rule", "the list"))


# ---------------------------------------------------------------------- the envelope


def _envelope(document: Document, at: tuple[str, ...], title: str) -> Shape[dict[str, Any]]:
    """Compile what is said about all that stands around the list.

    The boundary cuts the list out of the text before the envelope is read. Judged on that text, a root that
    requires its list would fail every time; judged without the keywords that name it, ``dependentRequired``,
    ``minProperties`` and ``additionalProperties: false`` would mean something else. So the list stays, empty:
    the key is there for every keyword that asks for keys, and what is said about the list's inside is left
    out, because it is judged where the units are. An envelope that is not an object at all still fails.
    """
    spine = _without_list(document, ((),), at)
    schema = _standing_alone(document, spine)
    inner = Document(schema)
    facts = facts_of(inner, ((),))
    apart = {at[0]} if len(at) == 1 else set()
    return Shape(
        validator=_Validator(_compile(schema, "the envelope"), title or "envelope", (), at),
        schema=schema,
        core=None,
        keys=frozenset(facts.keys - apart),
        all_keys=frozenset(facts.all_keys - apart),
        shared_keys=frozenset(facts.keys & facts.in_lists),
        nested_any=facts.nested_any,
        bounded=False,
        depth=0,
        choices={folded: frozenset(found) for folded, found in facts.choices.items()},
        tags=facts.tags,
        references=frozenset(),
        audit_only=(),
        count_keys=_count_keys,
    )


def _without_list(document: Document, group: Group, at: tuple[str, ...]) -> dict[str, Any]:
    """Copy the schemas on the way to the list; put an empty list where it stands."""
    if not at:
        return dict(_EMPTY_LIST)
    joined = set(document.together(group))
    parts = [_on_the_way(document, place, at, joined) for place in group]
    return parts[0] if len(parts) == 1 else {"allOf": parts}


def _on_the_way(document: Document, place: Place, at: tuple[str, ...], joined: set[Place]) -> dict[str, Any]:
    schema = document[place]
    if not isinstance(schema, dict):
        return {} if schema else {"not": {}}
    copied: dict[str, Any] = {}
    target = document.resolve(place, schema.get("$ref"))
    replaced = {
        child: _on_the_way(document, child, at, joined - {place})
        for child in joined - {place}
        if child[: len(place)] == place and child[len(place) :] in set(children(schema))
    }
    if at[0] in schema.get("properties", ()):
        below = (*place, "properties", at[0])
        replaced[below] = _without_list(document, (below,), at[1:])
    for keyword, part in schema.items():
        if keyword not in _NOT_COPIED and not (keyword == "$ref" and target in joined):
            copied[keyword] = _copied(document, place, keyword, part, replaced)
    if target in joined and target != place:
        copied["allOf"] = [*copied.get("allOf", ()), _on_the_way(document, target, at, joined - {place})]
    return copied


# ---------------------------------------------------------------------- parts that stand alone


def _copied(document: Document, place: Place, keyword: str, part: Any, replaced: Mapping[Place, Any]) -> Any:
    """Copy one keyword out of its place: what stands below it still means what it meant there."""

    def moved(child: Place) -> Any:
        return replaced[child] if child in replaced else _moved(document, child)

    if keyword == "$ref" and not document.is_plain:
        target = document.resolve(place, part)
        return part if target is None else document.uri(target)
    if keyword in ONE_SCHEMA and isinstance(part, dict):
        return moved((*place, keyword))
    if keyword in LIST_OF_SCHEMAS:
        return [moved((*place, keyword, str(index))) for index in range(len(part))]
    if keyword in MAP_OF_SCHEMAS:
        return {name: moved((*place, keyword, name)) for name in part}
    return part


def _moved(document: Document, place: Place) -> Any:
    """Return a schema that means, anywhere, what the one at ``place`` means there."""
    schema = document[place]
    if isinstance(schema, bool) or document.is_plain:
        return schema
    return {"$ref": document.uri(place)}


def _standing_alone(document: Document, part: dict[str, Any]) -> dict[str, Any]:
    """Give a part all that it refers to.

    Where all references lead to ``$defs``, those that are needed come along; otherwise the whole document
    does, as one embedded resource under its own name, and the part points into it.
    """
    if not document.is_plain:
        return {"$id": PART, **part, "$defs": {"document": {**document.root, "$id": document.base}}}
    definitions = document.root.get("$defs", {})
    needed: dict[str, Any] = {}
    ahead = [part]
    while ahead:
        for _, schema in Document(ahead.pop()).schemas():
            reference = schema.get("$ref", "")
            name = reference.removeprefix("#/$defs/").split("/")[0].replace("~1", "/").replace("~0", "~")
            if reference and name in definitions and name not in needed:
                needed[name] = definitions[name]
                ahead.append({"allOf": [definitions[name]]})
    return {**part, "$defs": dict(sorted(needed.items()))} if needed else part


# ---------------------------------------------------------------------- the unit


def _shape(document: Document, group: Group, title: str, references: Mapping[str, str]) -> Shape[dict[str, Any]]:
    """Compile the units."""
    if "object" not in document.types(group):
        raise Misuse(
            f"{_where(group[0])} describes units that are no JSON objects",
            remedy='wrap the value in an object with one property, {"value": …}',
        )
    if group == ((),):
        schema = document.root
    else:
        parts = [_moved(document, place) for place in group]
        parts = [part if isinstance(part, dict) else {} for part in parts]
        schema = _standing_alone(document, parts[0] if len(parts) == 1 else {"allOf": parts})
    facts = facts_of(document, group)
    return Shape(
        validator=_Validator(
            _compile(schema, "the unit"), title or "unit", _pointers(document, group, facts.all_keys, references), ()
        ),
        schema=schema,
        core=None,
        keys=frozenset(facts.keys),
        all_keys=frozenset(facts.all_keys),
        shared_keys=frozenset(facts.keys & facts.in_lists),
        nested_any=facts.nested_any,
        bounded=False,
        depth=0,
        choices={folded: frozenset(found) for folded, found in facts.choices.items()},
        tags=facts.tags,
        references=frozenset(references.values()),
        audit_only=(),
        count_keys=_count_keys,
    )


def _pointers(
    document: Document, group: Group, keys: set[str], references: Mapping[str, str]
) -> tuple[tuple[Place, str], ...]:
    """Read the pointers of the reference fields."""
    found = []
    for pointer, name in references.items():
        parts = pointer.removeprefix("/").split("/")
        place = tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
        described = group
        for key in place:
            described = document.descend(described, key) if described else ()
        if not described:
            raise Misuse(
                f"reference_fields points to {show(pointer)}, but the schema of the unit describes nothing there",
                remedy=f"use a JSON Pointer inside the unit, /tasks/*/owner; keys: {', '.join(sorted(keys)) or 'none'}",
            )
        if not any("string" in document.types((one,)) for one in described):
            raise Misuse(
                f"reference_fields points to {show(pointer)}, which is no string",
                remedy="point at the string that names something; /tasks/* is every element of a list",
            )
        if not isinstance(name, str) or not name:
            raise Misuse(f"the reference at {show(pointer)} has no name", remedy='write {"/candidate": "workstream"}')
        found.append((place, name))
    return tuple(found)


def _count_keys(value: Any) -> int:
    """Count the keys that the producer must have written to give ``value``."""
    total = 0
    ahead = [value]
    while ahead:
        part = ahead.pop()
        if isinstance(part, dict):
            total += len(part)
            ahead.extend(part.values())
        elif isinstance(part, list):
            ahead.extend(part)
    return total
