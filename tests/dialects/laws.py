"""The laws of a dialect, each as a function of one case and one target; they raise when the law is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import jsonschema_rs

from dialects.cases import Case, compiled_for, delivery_of
from pratique import Status
from pratique.dialects.dialect import dialect_of
from pratique.dialects.nodes.constraint import OF_THE_LENS
from pratique.terms.schema_document import MAP_OF_SCHEMAS, children
from pratique.testing.oracle import Grammar

__all__ = [
    "closed",
    "require_accepted",
    "require_kept_keywords",
    "require_promises",
    "require_same_in_pieces",
]

SAMPLES = 2
LOCAL_ONLY = frozenset({"format", "pattern", "patternProperties"})
"""Where a type's own validator knows more than its JSON Schema says: a duration that overflows, keys of a map."""


def require_accepted(case: Case, target: str, form: Any = None) -> int:
    """Require that each valid document, led out, is accepted, comes back the same, and is admitted.

    Returns how many were judged.
    """
    compiled = compiled_for(case, target, form)
    if compiled is None:
        return 0
    is_whole = compiled.form == "schema" or len(compiled.tools) == 1
    schemas = {"": compiled.schema} if is_whole else compiled.schema
    grammars = {name: Grammar(part) for name, part in schemas.items()}
    for document, units in zip(case.documents, case.units, strict=True):
        delivery = delivery_of(compiled, document, units)
        texts = [("", delivery.body.strip())] if is_whole else [(c.name, c.arguments) for c in delivery.tool_calls]
        for name, text in texts:
            assert grammars[name].accepts(text), (target, text, grammars[name].refused_at(text))
        if is_whole:
            back = compiled.lens.back(compiled.lens.out(document))
            assert without_nulls(back) == without_nulls(document), (target, document)
        plain = case.contract.admit(json.dumps(document))
        admission = case.contract.admit(delivery, compiled=compiled)
        assert admission.values == plain.values, (target, delivery.body, admission.findings)
        assert admission.envelope == plain.envelope, target
        assert admission.status is Status.CLEAN, (target, admission.findings)
    return len(case.documents)


def require_promises(case: Case, target: str, rng: Random) -> int:
    """Require that what the schema lets through comes back and is admitted, or breaks a declared residue.

    Shape: a case of one unit, whose contract's JSON Schema says what it takes. Returns how many texts were sampled.
    """
    compiled = compiled_for(case, target)
    if compiled is None or compiled.form != "schema":
        return 0
    grammar = Grammar(compiled.schema)
    schema = dict(case.contract.terms.unit.schema)
    if case.contract.terms.unit.core is not None:
        schema = closed(schema)
    kept = jsonschema_rs.Draft202012Validator(compiled.promised("unit"), validate_formats=True)
    full = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    beyond = LOCAL_ONLY & {row.keyword for row in compiled.residue}
    sampled = 0
    for _ in range(SAMPLES):
        text = grammar.sample(rng)
        if text is None:
            continue
        sampled += 1
        if case.contract.admit(text, compiled=compiled).values:
            continue
        try:
            back = compiled.lens.back(json.loads(text))
        except ValueError:  # what only the wire's shape has was broken: a key twice, a text that is no JSON
            assert any(row.pointer in OF_THE_LENS for row in compiled.residue), (target, text)
            continue
        assert kept.is_valid(back), (target, text)
        assert not full.is_valid(back) or beyond, (target, text)
    return sampled


def require_kept_keywords(case: Case, target: str) -> None:
    """Require that no keyword stands in a schema that the profile does not keep, and that its rules hold."""
    profile = dialect_of(target).profile
    compiled = compiled_for(case, target)
    if compiled is None:
        return
    for schema in compiled.schema.values() if len(compiled.tools) > 1 else [compiled.schema]:
        assert not profile.root_object or schema["type"] == "object", target
        for part in schemas_below(schema):
            for keyword in part.keys() - {"$defs", "enum"}:
                allowed = profile.accepts(keyword) if keyword == "description" else profile.keeps(keyword)
                assert allowed, (target, keyword)
            if part.get("type") == "object":
                assert part["additionalProperties"] is False or not profile.closed_objects, target
                late = [name not in part["required"] for name in part["properties"]]
                assert late == sorted(late) or not profile.required_first, target
                assert set(part["required"]) == set(part["properties"]) or profile.keeps("optional"), target


def require_same_in_pieces(case: Case, target: str, rng: Random) -> None:
    """Require that a stream of the wire text gives what the whole gives, and takes nothing back."""
    compiled = compiled_for(case, target)
    if compiled is None or compiled.form == "tools":
        return
    text = delivery_of(compiled, case.documents[0], case.units[0]).text
    size = rng.randrange(1, 40)
    stream = case.contract.via(compiled).stream([text[at : at + size] for at in range(0, len(text), size)])
    handed_out = [unit.value for unit in stream]
    whole = case.contract.admit(text, compiled=compiled)
    assert stream.admission.values == whole.values, target
    assert stream.admission.status is whole.status
    assert handed_out == list(whole.values)


def without_nulls(value: Any) -> Any:
    """Return a value without its null members: a null default and an absent field say the same."""
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


def closed(schema: Any, *, named: bool = False) -> Any:
    """Close every object of a pydantic schema, as a contract means it."""
    if isinstance(schema, dict):
        made = {key: closed(part, named=key in MAP_OF_SCHEMAS and not named) for key, part in schema.items()}
        if not named and isinstance(schema.get("properties"), dict):
            made["additionalProperties"] = False
        return made
    return [closed(part) for part in schema] if isinstance(schema, list) else schema


def schemas_below(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every schema object in a wire schema."""
    ahead: list[Any] = [schema]
    while ahead:
        part = ahead.pop()
        if isinstance(part, dict):
            yield part
            for way in children(part):
                inner: Any = part
                for key in way:
                    inner = inner[int(key)] if isinstance(inner, list) else inner[key]
                ahead.append(inner)
