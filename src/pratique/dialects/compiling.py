"""Compile the terms of a contract for one target: a request part, the lens, and what became of each constraint.

Neighbours: ``plan`` says what to ask with; the target's ``dialect`` makes a request of it; ``contract`` gives the
result its way back through the boundary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from blake3 import blake3

from pratique.dialects.dialect import Dialect, WireSchema, WireTool, dialect_of
from pratique.dialects.lens.unit import UnitLens
from pratique.dialects.names import name_for
from pratique.dialects.nodes.constraint import Constraint, Fate, Ledger
from pratique.dialects.nodes.reading import Reading
from pratique.dialects.plan import Form, Options, Plan, plan_of
from pratique.dialects.promise import promised
from pratique.dialects.report import constraints_of
from pratique.dialects.words.example import given_example
from pratique.dialects.words.told import told
from pratique.errors import Misuse
from pratique.limits import MAX_RECURSION_ASKED
from pratique.show import escape, show
from pratique.terms import Locality, Shape, Terms
from pratique.terms.schema_document import Document

__all__ = ["Compiled", "compile_terms"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A contract, compiled for one target.

    Shape: ``request`` is the part of a request that asks for it, as keyword arguments of the provider's own client;
        plain dicts. ``schema`` is the schema in it; where each variant is a tool, a schema for each tool's name.
        ``lens`` leads a whole delivery's value out to the wire (``out``) and back.
    """

    target: str
    form: Form
    request: Mapping[str, Any]
    schema: Mapping[str, Any]
    lens: UnitLens
    tools: tuple[Mapping[str, Any], ...]
    constraints: tuple[Constraint, ...]
    """Every constraint of the contract and what became of it."""
    warnings: tuple[str, ...]
    terms: Terms[Any]
    """The terms in the wire's shape: what the boundary holds a delivery to."""
    fingerprint: str
    """The fingerprint of the contract that was compiled."""
    _source: Terms[Any] = field(repr=False)
    """The terms that were compiled."""
    _plan: Plan | None = field(repr=False)
    """What they were compiled by; None when they were told in words."""

    def promised(self, part: str = "unit") -> dict[str, Any]:
        """Return the JSON Schema of what the target is sure to keep of the contract's unit or envelope."""
        shape = {"unit": self._source.unit, "envelope": self._source.envelope}.get(part)
        if shape is None:
            raise Misuse(f"the contract has no {show(part)}", remedy='ask for "unit", or "envelope" where it has one')
        return promised(shape.schema, self.constraints, part)

    def terms_for(self, terms: Terms[Any]) -> Terms[Any]:
        """Return ``terms`` in the wire's shape. They accept what the compiled ones accept, but may have checks and
        classes of their own."""
        if self._plan is None or terms is self._source:
            return terms if self._plan is None else self.terms
        return _wire_terms(terms, self._plan)

    @property
    def residue(self) -> tuple[Constraint, ...]:
        """What the target does not enforce: the boundary checks it."""
        return tuple(constraint for constraint in self.constraints if constraint.fate is not Fate.ENFORCED)


def compile_terms(terms: Terms[Any], target: str | Dialect, options: Options, examples: Sequence[Any] = ()) -> Compiled:
    """Compile ``terms`` for ``target``.

    Shape: ``examples`` are plain JSON values in the contract's own shape: of tools for variants, units; else documents.

    Limits: linear in the schema's size; see ``reading``, ``writing`` and the profile's bounds.
    Errors: Misuse for an unknown target, a schema that cannot be read, and one that is over the target's limits.
    """
    dialect = target if isinstance(target, Dialect) else dialect_of(target)
    target = dialect.target
    _require_options(options)
    form = options.form or dialect.default_form
    _require_form(dialect, form)
    if form == "words":
        return _compile_words(terms, target, options)
    plan = plan_of(terms, dialect, form, options)
    schema = deepcopy(plan.schema)  # the plan is kept for others; what goes out is the caller's own
    warnings = plan.warnings
    tools: tuple[Mapping[str, Any], ...] = ()
    if form == "tools":
        assert dialect.tool is not None
        assert dialect.tool_request is not None
        tools = tuple(map(dialect.tool, _with_examples(terms, plan, examples)))
        request = dialect.tool_request([dict(tool) for tool in tools])
    else:
        assert dialect.schema_request is not None
        request = dialect.schema_request(WireSchema(name_for(terms.name, dialect.profile), "", schema))
        warnings += ("a schema has no place for examples: put them into the prompt",) if examples else ()
    return Compiled(
        target=target, form=form, request=request, schema=schema, lens=UnitLens(plan.document), tools=tools,
        constraints=plan.constraints, warnings=warnings, terms=_wire_terms(terms, plan),
        fingerprint=terms.fingerprint, _source=terms, _plan=plan,
    )  # fmt: skip


def _with_examples(terms: Terms[Any], plan: Plan, examples: Sequence[Any]) -> list[WireTool]:
    """Give each tool its own schema to keep, and the examples that are calls of it, in wire shape."""
    found: dict[str, list[Any]] = {tool.name: [] for tool in plan.tools}
    variants = {tag: name for name, tag in plan.tool_tags.items()}
    for example in examples:
        given_example(terms, _delivered(terms, example, alone=bool(variants)))
        if variants:
            tag = next(iter(terms.unit.tags.values()))
            found[variants[example[tag]]].append(UnitLens(plan.unit).out(example))
        else:
            found[plan.tools[0].name].append(UnitLens(plan.document).out(example))
    return [
        replace(tool, schema=deepcopy(tool.schema), examples=tuple(found[tool.name]))
        for tool in plan.tools
    ]  # fmt: skip


def _delivered(terms: Terms[Any], example: Any, *, alone: bool) -> str:
    """Write an example as the delivery that it stands for; ``alone``: it is one unit of a list."""
    whole = example
    if alone and terms.locality is not Locality.ONE:
        whole = [example]
        for key in reversed(terms.at):
            whole = {key: whole}
    try:
        return json.dumps(whole)
    except (TypeError, ValueError) as error:
        raise Misuse(
            f"an example is not JSON: {escape(str(error))}", remedy="give plain values, as json.loads returns them"
        ) from error


def _compile_words(terms: Terms[Any], target: str, options: Options) -> Compiled:
    """Tell the contract in words: nothing is enforced, and nothing changes its shape."""
    text = told(terms, docstrings=options.docstrings)
    ledger = Ledger()
    documents, visited = [], {}
    for part, shape in (("unit", terms.unit), ("envelope", terms.envelope)):
        document = Document(dict(shape.schema)) if shape is not None else None
        documents.append(document)
        if shape is not None and document is not None:
            reading = Reading(document, part, ledger, closed=shape.core is not None, docstrings=options.docstrings)
            reading.node((), ("object",))
            visited[part] = reading.visited
    assert documents[0] is not None
    rows = constraints_of(terms, ledger, documents[0], documents[1], visited, ())
    why = "words bind nobody"
    constraints = tuple(
        row if row.part == "contract" and not row.pointer.startswith(_TOLD) else replace(row, fate=Fate.HINTED, why=why)
        for row in rows
    )
    return Compiled(
        target=target, form="words", request={"text": text.text}, schema={}, lens=UnitLens(), tools=(),
        constraints=constraints, warnings=text.warnings, terms=terms, fingerprint=terms.fingerprint,
        _source=terms, _plan=None,
    )  # fmt: skip


_TOLD = ("/limits/max_items", "/limits/max_depth", "/limits/max_string_chars", "/unique", "/references")
"""Terms beyond the schema that the text speaks of."""


def _require_options(options: Options) -> None:
    levels = options.max_recursion
    if isinstance(levels, bool) or not isinstance(levels, int) or not 0 <= levels <= MAX_RECURSION_ASKED:
        raise Misuse(
            f"max_recursion cannot be {show(levels)}",
            remedy=f"give a whole number of levels from 0 to {MAX_RECURSION_ASKED}",
        )
    if options.open_objects not in ("keep", "close"):
        raise Misuse(f"open_objects cannot be {show(options.open_objects)}", remedy='use "keep" or "close"')


def _require_form(dialect: Dialect, form: str) -> None:
    can = {
        "schema": dialect.schema_request is not None,
        "tools": dialect.tool is not None and dialect.tool_request is not None,
        "words": True,
    }
    if form not in can:
        raise Misuse(f"a contract cannot be told in the form {show(form)}", remedy='use "schema", "tools" or "words"')
    if not can[form]:
        raise Misuse(
            f"{dialect.target} takes no {form}",
            remedy="use " + " or ".join(f'form="{name}"' for name, takes in can.items() if takes),
        )


# ---------------------------------------------------------------------- the way back


def _wire_terms(terms: Terms[Any], plan: Plan) -> Terms[Any]:
    """Return the terms in the wire's shape."""
    tools = {name: tag for name, tag in plan.tool_tags.items() if name != tag}
    unit = terms.unit if plan.unit.idle and not tools else _wire_shape(terms.unit, plan, tools)
    envelope = terms.envelope
    if envelope is not None and not plan.document.idle:
        envelope = replace(envelope, lens=UnitLens(plan.document))
    whole = plan.tools[0].name if plan.tools and not plan.tool_tags else terms.tool_name
    if unit is terms.unit and envelope is terms.envelope and (plan.at, whole) == (terms.at, terms.tool_name):
        return terms
    digest = blake3(f"{terms.fingerprint} {plan.way}".encode()).hexdigest(length=16)
    return replace(terms, unit=unit, envelope=envelope, at=plan.at, tool=whole, fingerprint=f"b3:{digest}")


def _wire_shape(shape: Shape[Any], plan: Plan, tools: Mapping[str, str]) -> Shape[Any]:
    """Return a shape whose keys are the wire's, and whose values are the contract's."""
    facts = plan.facts
    return replace(
        shape,
        schema=plan.unit_schema,
        keys=shape.keys | facts.keys,
        all_keys=shape.all_keys | facts.all_keys,
        shared_keys=shape.shared_keys | frozenset(facts.keys & facts.in_lists),
        nested_any=shape.nested_any or facts.nested_any,
        lens=None if plan.unit.idle else UnitLens(plan.unit),
        tools=tools,
    )
