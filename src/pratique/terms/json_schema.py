"""Compile a JSON Schema into shapes: one for the units, one for the envelope around their list.

The schema is the contract: draft 2020-12, formats asserted. A document schema judges everything at once,
and one bad unit would cost the whole report. So it is taken apart where the list stands: the units, what
stands around them, and what is said about the list itself are judged apart.

It refuses to drop anything the schema says: what cannot be judged apart is a Misuse, with the remedy.
Neighbours: ``schema_document`` finds the way, ``schema_parts`` cuts, ``schema_validator`` judges.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from pratique.errors import Code, Finding, Misuse
from pratique.limits import MAX_FINDINGS_PER_UNIT, Limits
from pratique.show import escape, show
from pratique.terms.schema_bounds import require_bounded, require_bytes, require_end
from pratique.terms.schema_document import Document, Group, Place, named
from pratique.terms.schema_drafts import as_2020_12
from pratique.terms.schema_facts import facts_of
from pratique.terms.schema_parts import document_without_list, keywords_of, schema_of
from pratique.terms.schema_validator import SchemaJudge, WrittenKeys, compiled, part_at, reason_of
from pratique.terms.shape import Shape

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["CompiledSchema", "ListRules", "compile_json_schema"]

_LIST_KEYWORDS = (
    "anyOf", "const", "contains", "else", "enum", "if", "maxContains", "minContains", "minItems", "not",
    "oneOf", "then", "uniqueItems",
)  # fmt: skip
"""What a schema may say about a list as a whole. Not here: ``items`` and ``unevaluatedItems``, which judge
units, and ``maxItems``, which is a limit."""

LIST_RULE = Code(
    "validate.list_rule",
    "the admitted units together break a rule of their list",
    "minItems, uniqueItems or contains say nothing about any one unit, so they cost none; but the list is "
    "not what the contract asks for, and the delivery is not clean.",
    "look at what was quarantined; ask again when too few units are left",
    "two units, where minItems is 3",
    "three units",
)


@dataclass(frozen=True, slots=True)
class ListRules:
    """Judge the list of admitted units as a whole, without costing any of them.

    Shape: called with the admitted values; returns findings whose paths are relative to the list.
    """

    schema: Mapping[str, Any]
    """JSON Schema of the list; it counts for the fingerprint."""
    _judge: Draft202012Validator

    def __call__(self, values: Sequence[Any]) -> tuple[Finding, ...]:
        """Return what is wrong with the list."""
        listed = list(values)
        if self._judge.is_valid(listed):
            return ()
        complaints = islice(self._judge.iter_errors(listed), MAX_FINDINGS_PER_UNIT)
        return tuple(
            LIST_RULE.finding(reason_of(complaint), path=_relative(part_at(listed, complaint.instance_path)[0]))
            for complaint in complaints
        )


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """Hold one JSON Schema, taken apart where its list of units stands."""

    unit: Shape[dict[str, Any]]
    envelope: Shape[dict[str, Any]] | None
    """What stands around the list; None for a bare list and for one unit."""
    limits: Limits
    """As given, with the list's ``maxItems``."""
    title: str
    list_rules: ListRules | None
    """What is said about the list itself; None when nothing is."""


def compile_json_schema(
    schema: Mapping[str, Any] | bool,
    *,
    at: tuple[str, ...],
    one: bool,
    limits: Limits | None,
    references: Mapping[str, str],
) -> CompiledSchema:
    """Take a JSON Schema apart into units, envelope and rules of the list.

    Shape: ``at`` is the path of keys to the list; empty when the schema is that of a bare list or, with
        ``one``, of the unit itself. ``references`` maps a JSON Pointer inside the unit to the name of a
        reference; ``*`` in it stands for every element of a list and every value of a map. A schema of an
        older draft is read as 2020-12 (``schema_drafts``).
    Limits: MAX_SCHEMA_BYTES, MAX_SCHEMA_LEVELS, MAX_SCHEMA_STEPS, MAX_PLACES. ``maxItems`` of the list becomes
        ``max_items``, unless the limits given are smaller.
    Errors: Misuse when it is no schema, refers to what is not in it, has no list at ``at``, says of the
        list what cannot be judged apart, or uses a format that nobody here can assert; when it costs without
        end (``schema_bounds``); when the ``schema`` extra is missing.
    Not checked: keys that the schema does not name. JSON Schema leaves an object open unless it says
        ``additionalProperties: false``, and the schema is the contract: what an open unit carries besides is
        admitted as it was written.
    """
    root = _root(schema)
    compiled(root, "the schema", mask=None)
    document = Document(root)
    require_end(document)
    if not one:
        _refuse_dynamic(document)
    title = root.get("title")
    title = title if isinstance(title, str) else ""
    if one:
        if at:
            raise Misuse("a contract for one unit has no list", remedy="leave at= out, or locality=Locality.ONE")
        bound = limits or Limits()
        return CompiledSchema(_unit(document, ((),), title, references, bound, one=True), None, bound, title, None)
    lists = _find_list(document, at)
    bound = _bound(document, lists, limits)
    return CompiledSchema(
        _unit(document, document.below(lists, "items"), title, references, bound, one=False),
        _envelope(document, at, title, bound) if at else None,
        bound,
        title,
        _list_rules(document, lists),
    )


# ---------------------------------------------------------------------- the document


def _root(schema: Mapping[str, Any] | bool) -> dict[str, Any]:
    """Copy the schema as plain JSON, so that nobody changes it under the contract, and read it as 2020-12."""
    if not isinstance(schema, Mapping):
        raise Misuse(
            f"a schema of units must be an object, not {show(schema)}",
            remedy='give the parsed JSON Schema, {"type": "object", "properties": …}',
        )
    whole = dict(schema)
    require_bounded(whole)
    try:
        text = json.dumps(whole, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Misuse(
            f"the schema is not JSON: {escape(str(error))}",
            remedy="give what json.loads returns: plain values",
        ) from error
    require_bytes(len(text))
    root: dict[str, Any] = json.loads(text)
    return as_2020_12(root)


def _refuse_dynamic(document: Document) -> None:
    """Refuse what means something else outside its place."""
    for place, schema in document.schemas():
        if "$dynamicRef" in schema:
            raise Misuse(
                f"{named(place)} says $dynamicRef: what it leads to depends on the way to it, and units are "
                "judged one by one",
                remedy="write $ref",
            )


def _relative(path: Sequence[str | int]) -> str:
    return "".join(f"[{json.dumps(part)}]" for part in path)


# ---------------------------------------------------------------------- the list


def _find_list(document: Document, at: tuple[str, ...]) -> Group:
    """Return all schemas that describe the list, going down from the root.

    A schema may describe one value in several places (``allOf``, ``$ref``). All of them hold, so all are
    taken. What holds only under a condition (``if``, an arm of a union) cannot be taken along: the
    condition is about the envelope, its consequence about units, and nobody sees both. It is refused, not
    dropped.
    """
    group: Group = ((),)
    for depth, key in enumerate(at):
        here = tuple(document.together(group))
        found = document.properties(here).get(key, ())
        way = show("/".join(at[: depth + 1]))
        if not found:
            raise Misuse(f"the schema describes no property {way}", remedy=_meant(document, group, at[:depth]))
        for place in (*here, *document.conditional(group)):
            elsewhere = place not in here and key in document.properties((place,))
            if elsewhere or _has_pattern(document, place, key):
                raise Misuse(
                    f"{named(place)} says more about {way}, which is judged apart from it",
                    remedy="describe the list under properties alone; write the condition as a check",
                )
        group = found
    lists = tuple(document.together(group))
    what = show("/".join(at)) if at else "the root"
    if "array" not in document.types(group):
        raise Misuse(f"the schema describes no list at {what}", remedy=_meant(document, group, at))
    if document.below(lists, "prefixItems"):
        raise Misuse(
            f"the list at {what} has prefixItems: its elements are told apart by their place, units are not",
            remedy="describe every unit with items; units of several kinds with items: {oneOf: […]}",
        )
    if not document.below(lists, "items"):
        raise Misuse(
            f"the schema has no items for the list at {what}: nothing is said about its units",
            remedy=_meant(document, group, at)
            if "object" in document.types(group)
            else 'describe the unit with items; items: {"type": "object"} takes any object',
        )
    return lists


def _has_pattern(document: Document, place: Place, key: str) -> bool:
    """Say whether a ``patternProperties`` of this place judges the value under ``key`` too."""
    schema = document[place]
    patterns = schema.get("patternProperties", {}) if isinstance(schema, dict) else {}
    judge = compiled({"patternProperties": dict.fromkeys(patterns, False)}, "the pattern")
    return not judge.is_valid({key: None})


def _meant(document: Document, group: Group, at: tuple[str, ...]) -> str:
    """Say what could have been meant: the lists that do stand in the schema."""
    described = document.properties(document.together(group))
    names = sorted(name for name, places in described.items() if document.types(places) == {"array"})
    pointers = [show("/".join(("", *at, name)) if at else name) for name in names[:3]]
    if pointers:
        return "say " + " or ".join(f"at={pointer}" for pointer in pointers)
    return 'say where the list of units stands, at="items"; or locality=Locality.ONE when there is one unit'


def _bound(document: Document, lists: Group, limits: Limits | None) -> Limits:
    """Take ``maxItems`` over: it caps what is kept and never costs the document."""
    schemas = [document[place] for place in lists if isinstance(document[place], dict)]
    bounds = [int(schema["maxItems"]) for schema in schemas if "maxItems" in schema]
    if 0 in bounds:
        raise Misuse("the list may hold nothing: its maxItems is 0", remedy="raise maxItems to 1 or more")
    if limits is not None:
        bounds.append(limits.max_items)
    bound = replace(limits or Limits(), max_items=min(bounds)) if bounds else Limits()
    least = max((int(schema.get("minItems", 0)) for schema in schemas), default=0)
    if least > bound.max_items:
        raise Misuse(
            f"the list needs at least {least} units, but at most {bound.max_items} are kept",
            remedy=f"lower minItems, or raise maxItems and limits.max_items to {least}",
        )
    return bound


def _list_rules(document: Document, lists: Group) -> ListRules | None:
    """Gather what is said about the list itself; a union whose one telling arm is in ``lists`` is no rule."""
    chosen: dict[Place, tuple[str, ...]] = {}
    for place in lists:
        schema = document[place]
        inner = {other[len(place)] for other in lists if len(other) > len(place) and other[: len(place)] == place}
        if isinstance(schema, dict):
            chosen[place] = tuple(word for word in _LIST_KEYWORDS if word in schema and word not in inner)
    whole = keywords_of(document, chosen)
    return None if whole is None else ListRules(whole, compiled(whole, "the list's rule", mask="the list"))


# ---------------------------------------------------------------------- the shapes


def _unit(
    document: Document, group: Group, title: str, references: Mapping[str, str], limits: Limits, *, one: bool
) -> Shape[dict[str, Any]]:
    if "object" not in document.types(group):
        raise Misuse(
            f"{named(group[0])} describes units that are no JSON objects",
            remedy='wrap the value in an object with one property, {"value": …}',
        )
    schema = schema_of(document, group)
    paths = _reference_paths(document, group, references)
    judge = SchemaJudge(
        compiled(schema, "the unit"),
        title or "unit",
        max_depth=limits.max_depth,
        names_keys=_names_keys(document),
        references=paths,
    )
    shape = _shape(judge, schema, document, group, frozenset(references.values()), frozenset())
    if one and not _asks_for_keys(document, group):
        shape = replace(shape, any_object=True)
    marks = tuple(sorted(f"{pointer} refers to {name}" for pointer, name in references.items()))
    return replace(shape, beyond_schema=marks)


def _asks_for_keys(document: Document, group: Group) -> bool:
    """Say whether an object without any of the schema's keys is refused."""
    return any(
        isinstance(schema, dict) and (schema.get("required") or schema.get("additionalProperties") is False)
        for schema in (document[place] for place in document.together(group))
    )


def _envelope(document: Document, at: tuple[str, ...], title: str, limits: Limits) -> Shape[dict[str, Any]]:
    """Compile what is said about all that stands around the list.

    The boundary cuts the list out of the text before the envelope is read. Judged on that text, a root that
    requires its list would fail every time; judged without the keywords that name the list,
    ``dependentRequired``, ``minProperties`` and ``additionalProperties: false`` would come to mean something
    else. So the list stays, and is empty: its key is there for every keyword that asks for keys. What is said
    about the inside of the list is left out, because it is judged where the units are.
    """
    schema = document_without_list(document, at)
    judge = SchemaJudge(
        compiled(schema, "the envelope"),
        title or "envelope",
        max_depth=limits.max_depth,
        names_keys=_names_keys(document),
        cut_out=at,
    )
    taken = frozenset(at) if len(at) == 1 else frozenset()
    return _shape(judge, schema, Document(schema), ((),), frozenset(), taken)


def _names_keys(document: Document) -> bool:
    return any("propertyNames" in schema for _, schema in document.schemas())


def _shape(
    judge: SchemaJudge,
    schema: dict[str, Any],
    document: Document,
    group: Group,
    references: frozenset[str],
    taken: frozenset[str],
) -> Shape[dict[str, Any]]:
    facts = facts_of(document, group)
    return Shape(
        validator=judge,
        schema=schema,
        core=None,
        keys=frozenset(facts.keys) - taken,
        all_keys=frozenset(facts.all_keys) - taken,
        shared_keys=frozenset(facts.keys & facts.in_lists),
        nested_any=facts.nested_any,
        bounded=False,
        depth=0,
        choices={folded: frozenset(found) for folded, found in facts.choices.items()},
        tags=facts.tags,
        references=references,
        audit_only=(),
        count_keys=WrittenKeys(),
    )


def _reference_paths(
    document: Document, group: Group, references: Mapping[str, str]
) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Read the pointers of the reference fields; each must lead to a string that the schema describes."""
    found = []
    for pointer, name in references.items():
        if not isinstance(name, str) or not name:
            raise Misuse(f"the reference at {show(pointer)} has no name", remedy='write {"/candidate": "workstream"}')
        parts = str(pointer).removeprefix("/").split("/")
        path = tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
        described = group
        for key in path:
            described = document.descend(described, key)
        if not described:
            known = ", ".join(sorted(document.properties(document.arms(group)))) or "none"
            raise Misuse(
                f"reference_fields points to {show(pointer)}, and the unit's schema describes nothing there",
                remedy=f"use a JSON Pointer inside the unit, like /tasks/*/owner; its keys are: {known}",
            )
        if not any("string" in document.types((place,)) for place in described):
            raise Misuse(
                f"reference_fields points to {show(pointer)}, which is no string",
                remedy="point at the string that names something; /tasks/* is every element of a list",
            )
        found.append((path, name))
    return tuple(found)
