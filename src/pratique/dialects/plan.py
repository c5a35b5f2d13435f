"""Plan how a contract is asked for: the wire schema or the tools, the lens, and what becomes of each constraint.

All that follows from the contract's schemas and the target alone, and is kept for the next contract that says the
same. Neighbours: ``nodes.reading`` makes nodes of the schemas, ``writing`` writes them for the target's profile,
``bounds`` counts; ``compiling`` makes a request of the plan.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from blake3 import blake3

from pratique.dialects.bounds import over
from pratique.dialects.dialect import Dialect, WireTool
from pratique.dialects.lens.boxes import Arm, Union, Wrapped
from pratique.dialects.lens.fields import Fields
from pratique.dialects.lens.places import Elements
from pratique.dialects.lens.step import Step, settle
from pratique.dialects.names import free_name, name_for
from pratique.dialects.nodes.constraint import Constraint, Ledger, Source
from pratique.dialects.nodes.matching import require_schema
from pratique.dialects.nodes.node import Choice, Entry, Listing, Node, Record, Rule, sources_of
from pratique.dialects.nodes.reading import Reading
from pratique.dialects.report import constraints_of, said_of_list
from pratique.dialects.writing import Schema, Writing
from pratique.errors import Misuse
from pratique.limits import MAX_RECURSION, Limits
from pratique.terms import Locality, Terms
from pratique.terms.schema_document import Document
from pratique.terms.schema_facts import Facts, facts_of

__all__ = ["Form", "Options", "Plan", "plan_of"]

Form: TypeAlias = Literal["schema", "tools", "words"]

RESULT, ITEMS = "result", "items"
"""The keys under which a value stands alone in the object that an endpoint wants at the root."""


@dataclass(frozen=True, slots=True)
class Options:
    """Hold how a contract is compiled."""

    form: Form | None = None
    """Ask by a schema, by tools or in words; None: as the target does."""
    docstrings: bool = False
    """Tell the docstrings of classes as descriptions."""
    open_objects: Literal["keep", "close"] = "keep"
    """What becomes of keys that an open object does not name where the endpoint wants it closed."""
    max_recursion: int = MAX_RECURSION
    """Levels of a recursive definition that are written out where the endpoint keeps no recursion."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows from the schemas alone, and is kept for the next contract that says the same."""

    schema: Mapping[str, Any]
    document: Step
    unit: Step
    unit_schema: Mapping[str, Any]
    """One unit on the wire, with its definitions."""
    facts: Facts
    """What is known of a unit on the wire before any is seen."""
    way: str
    """What, beside the contract, the shape on the wire hangs on."""
    at: tuple[str, ...]
    tools: tuple[WireTool, ...]
    tool_tags: Mapping[str, str]
    constraints: tuple[Constraint, ...]
    warnings: tuple[str, ...]


_CLOSED_OUT = "open_objects=close: the contract takes keys that an open object does not name, and none can be written"


_ONLY_NAMED = (
    "objects of one union are told apart by a name on the wire alone: one that fits an earlier variant too is refused "
    "under a later name; give the variants a field that tells them apart"
)


def plan_of(terms: Terms[Any], dialect: Dialect, form: Form, options: Options) -> Plan:
    """Plan a contract for one target; the same plan for the same schemas.

    Limits: linear in the schema's size.
    Errors: Misuse when a schema cannot be read, or the target would refuse what comes of it.
    """
    key = (_digest(terms), dialect.target, id(dialect.profile), form, options)
    kept = _PLANS.get(key)
    if kept is None:
        kept = _PLANS[key] = (dialect, _planned(_Asked(terms, dialect, form, options)))
        while len(_PLANS) > MAX_PLANS:
            _PLANS.pop(next(iter(_PLANS)), None)
    return kept[1]


MAX_PLANS = 512
"""Plans that are kept for the next contract that says the same; the oldest goes first. A plan holds no class of a
caller's, and takes some ten times the memory of its schema."""

_PLANS: dict[tuple[str, str, int, Form, Options], tuple[Dialect, Plan]] = {}
"""With the dialect, so that nothing else takes its place under its ``id``."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a plan is made of."""

    terms: Terms[Any]
    dialect: Dialect
    form: Form
    options: Options


def _digest(terms: Terms[Any]) -> str:
    """Digest all that a plan depends on. The fingerprint leaves out words, and a plan holds them."""
    said = [
        terms.fingerprint, terms.name, terms.unit.schema, terms.envelope.schema if terms.envelope else None,
        terms.unit.core is not None,
    ]  # fmt: skip
    return blake3(json.dumps(said, sort_keys=False).encode()).hexdigest(length=16)


# ---------------------------------------------------------------------- the document


def _planned(key: _Asked) -> Plan:
    """Read the contract's schemas and write them for the target."""
    terms, options = key.terms, key.options
    ledger = Ledger()
    for shape in (terms.unit, terms.envelope):
        if shape is not None and shape.core is not None:
            require_schema(shape.schema)
    unit_document = Document(dict(terms.unit.schema))
    reading = Reading(
        unit_document, "unit", ledger, closed=terms.unit.core is not None, docstrings=options.docstrings
    )  # fmt: skip
    unit = reading.node((), ("object",))
    if unit.never:
        raise Misuse(
            f"no object fits the unit of {terms.name}",
            remedy="correct the schema: two of its rules contradict each other",
        )
    visited = {"unit": reading.visited}
    envelope: Node | None = None
    envelope_document = Document(dict(terms.envelope.schema)) if terms.envelope else None
    if terms.envelope is not None and envelope_document is not None:
        around = Reading(
            envelope_document, "envelope", ledger, closed=terms.envelope.core is not None, docstrings=options.docstrings
        )  # fmt: skip
        envelope = around.node((), ("object",))
        visited["envelope"] = around.visited
    if key.form == "tools" and envelope is None:
        variants = _variants(unit, terms)
        if variants:
            tag, arms = variants
            return _tools_of_variants(key, ledger, unit_document, visited, unit, tag, arms)
    return _document(key, ledger, unit_document, envelope_document, visited, unit, envelope)


def _document(
    key: _Asked,
    ledger: Ledger,
    unit_document: Document,
    envelope_document: Document | None,
    visited: Mapping[str, set[Any]],
    unit: Node,
    envelope: Node | None,
) -> Plan:
    terms, dialect = key.terms, key.dialect
    profile = dialect.profile
    listed: Node | None = None
    at = terms.at
    if terms.locality is Locality.ONE:
        document = unit
    else:
        listed = Node(form=Listing(unit, rules=_list_rules(terms), max_items=_most(terms)))
        document = listed
        if terms.at:
            document = _around(envelope or Node(form=Record({}, None)), terms.at, listed, ledger)
        elif profile.root_object or key.form == "tools":
            at = (ITEMS,)
            document = Node(form=Record({ITEMS: Entry(listed, True)}, None))
    roots = [document]
    wrapped = Node(form=Record({RESULT: Entry(document, True)}, None)) if listed is None else None
    if wrapped is not None:
        roots.append(wrapped)
    writing = Writing(
        profile, ledger, roots, open_objects=key.options.open_objects, max_recursion=key.options.max_recursion
    )  # fmt: skip
    wants_object = key.form == "tools" or (profile.root_object and not profile.keeps("root union"))
    if wrapped is not None and wants_object and not writing.is_object(document):
        schema, _ = writing.root(wrapped)
        step: Step = Wrapped(RESULT, writing.step_of(document))
        unit_step = step
    else:
        schema, step = writing.root(document)
        unit_step = step if listed is None else writing.step_of(unit)
        if listed is not None and at != terms.at:
            step = Wrapped(ITEMS, writing.step_of(listed))
    unit_schema = {**(schema if listed is None else writing.schema_of(unit)), "$defs": writing.definitions}
    whole = {**schema, **({"$defs": writing.definitions} if writing.definitions else {})}
    tools = (
        (WireTool(name_for(terms.tool_name, dialect.profile), unit.described, whole),) if key.form == "tools" else ()
    )
    _require_bounds([whole], key, len(tools))
    settle(step)
    settle(unit_step)
    return Plan(
        schema=whole,
        document=step,
        unit=unit_step,
        unit_schema=unit_schema,
        facts=_facts(unit_schema),
        way=_way(key),
        at=at,
        tools=tools,
        tool_tags={},
        constraints=constraints_of(terms, ledger, unit_document, envelope_document, visited, writing.shapes),
        warnings=_warnings(writing.shapes),
    )


def _facts(schema: Mapping[str, Any]) -> Facts:
    return facts_of(Document(dict(schema)), ((),))


def _warnings(shapes: Iterable[str]) -> tuple[str, ...]:
    told = {"/open_objects": _CLOSED_OUT, "/variants": _ONLY_NAMED}
    return tuple(words for shape, words in told.items() if shape in shapes)


def _way(key: _Asked) -> str:
    return f"{key.dialect.target} {key.form} {key.options.open_objects} {key.options.max_recursion}"


def _around(envelope: Node, at: Sequence[str], listed: Node, ledger: Ledger) -> Node:
    """Put the list of units into a copy of the envelope, where it stands."""
    if envelope.form is None:
        arms = tuple(_around(arm, at, listed, ledger) for arm in envelope.arms)
        return replace_node(envelope, arms=arms)
    record = envelope.form if isinstance(envelope.form, Record) else Record({}, None)
    known = record.fields.get(at[0])
    if len(at) == 1:
        inner = listed
        if known is not None:  # it is a list without its units there, and they are written where they stand
            ledger.enforced(sources_of(known.node))
    else:
        inner = _around(known.node if known else Node(form=Record({}, None)), at[1:], listed, ledger)
    known = record.fields.get(at[0])
    entry = Entry(inner, True, known.described if known else "", (), known.sources if known else ())
    return replace_node(envelope, form=replace(record, fields={**record.fields, at[0]: entry}))


def replace_node(node: Node, *, form: Record | None = None, arms: tuple[Node, ...] = ()) -> Node:
    """Copy a node with another form or other arms."""
    return Node(
        node.name, node.described, arms or node.arms, form or node.form, node.sources, node.exclusive, False, node.never
    )  # fmt: skip


def _most(terms: Terms[Any]) -> int | None:
    return terms.limits.max_items if terms.limits.max_items < Limits().max_items else None


def _list_rules(terms: Terms[Any]) -> tuple[Rule, ...]:
    """Return what is said of the list of units itself: the cap on how many are kept, and the schema's own rules."""
    rules = []
    most = _most(terms)
    if most is not None:
        rules.append(Rule("maxItems", most, (Source("contract", ("limits",), "max_items"),)))
    said = said_of_list(terms)
    for keyword in ("minItems", "uniqueItems"):
        if keyword in said:
            rules.append(Rule(keyword, said[keyword], (Source("list", (), keyword),)))
    return tuple(rules)


# ---------------------------------------------------------------------- tools


def _variants(unit: Node, terms: Terms[Any]) -> tuple[str, list[Node]] | None:
    """Return the tag and the arms of a closed union whose every variant can be a tool."""
    keys = set(terms.unit.tags.values())
    if len(keys) != 1 or unit.form is not None:
        return None
    tag = keys.pop()
    arms = [arm for arm in unit.arms if isinstance(arm.form, Record)]
    values = [_tag_values(arm, tag) for arm in arms]
    if len(arms) != len(unit.arms) or not all(values) or len(arms) < 2:
        return None
    if len({value for listed in values for value in listed}) < sum(map(len, values)):
        return None  # one tag stands for two variants: its name does not say which
    return tag, arms


def _tag_values(arm: Node, tag: str) -> tuple[str, ...]:
    entry = arm.form.fields.get(tag) if isinstance(arm.form, Record) else None
    form = entry.node.form if entry is not None and entry.required else None
    return tuple(form.values) if isinstance(form, Choice) and all(isinstance(v, str) for v in form.values) else ()


def _tools_of_variants(
    key: _Asked,
    ledger: Ledger,
    unit_document: Document,
    visited: Mapping[str, set[Any]],
    unit: Node,
    tag: str,
    arms: Sequence[Node],
) -> Plan:
    """Make one tool of each variant. The tool's name says which it is, so the tag is left out of its arguments."""
    terms, dialect = key.terms, key.dialect
    tools: list[WireTool] = []
    tags: dict[str, str] = {}
    steps: list[Arm] = []
    shapes: set[str] = set()
    ledger.enforced(unit.sources)
    ledger.enforced(unit.exclusive)
    for arm in arms:
        assert isinstance(arm.form, Record)
        for value in _tag_values(arm, tag):
            entry = arm.form.fields[tag]
            assert isinstance(entry.node.form, Choice)
            ledger.enforced([*entry.sources, *entry.node.form.sources])
            others = {name: field for name, field in arm.form.fields.items() if name != tag}
            bare = replace_node(arm, form=replace(arm.form, fields=others, rules=_less_one(arm.form.rules)))
            writing = Writing(
                dialect.profile, ledger, [bare], open_objects=key.options.open_objects,
                max_recursion=key.options.max_recursion,
            )  # fmt: skip
            schema, step = writing.root(bare, as_object=True)
            if isinstance(step, Fields):
                step.passes = tag
            shapes |= writing.shapes
            name = free_name(name_for(value, dialect.profile), tags)
            tags[name] = value
            schema = {part: said for part, said in schema.items() if part != "description"}
            whole = {**schema, **({"$defs": writing.definitions} if writing.definitions else {})}
            stands_for = "" if name == value else f'Stands for "{tag}": {json.dumps(value, ensure_ascii=False)}.'
            tools.append(WireTool(name, " ".join(filter(None, (arm.described, stands_for))), whole))
            kinds = frozenset({"object"})
            steps.append(Arm(arm, step, kinds, kinds, (tag, frozenset({value})), name))
    _require_bounds([tool.schema for tool in tools], key, len(tools))
    unit_step = Union(steps)
    settle(unit_step)
    document: Step = unit_step if terms.locality is Locality.ONE else Elements(unit_step)
    settle(document)
    wire = _any_of(tools)
    return Plan(
        schema={tool.name: tool.schema for tool in tools},
        document=document,
        unit=unit_step,
        unit_schema=wire,
        facts=_facts(wire),
        way=_way(key),
        at=terms.at,
        tools=tuple(tools),
        tool_tags=tags,
        constraints=constraints_of(terms, ledger, unit_document, None, visited, shapes),
        warnings=_warnings(shapes),
    )


def _less_one(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Count one field less: the tag is not among a tool's arguments."""
    counts = ("minProperties", "maxProperties")
    return tuple(replace(rule, value=max(0, rule.value - 1)) if rule.keyword in counts else rule for rule in rules)


def _any_of(tools: Sequence[WireTool]) -> Schema:
    """Return one schema of what all tools take, each with its own definitions inside."""
    return {
        "anyOf": [{**tool.schema, "$id": f"https://contract.invalid/tool/{index}"} for index, tool in enumerate(tools)]
    }


# ---------------------------------------------------------------------- limits and report


def _require_bounds(schemas: Sequence[Mapping[str, Any]], key: _Asked, tools: int) -> None:
    """Refuse what the endpoint would refuse for its size."""
    profile = key.dialect.profile
    found = over(schemas, profile.bounds, tools=tools)
    if found:
        raise Misuse(
            f"{key.dialect.target} would refuse the schema of {key.terms.name}: {'; '.join(found)}",
            remedy="split the contract, make fields required, or choose another target: prompt takes any",
        )
