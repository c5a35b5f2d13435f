"""Laws: what a target is asked for is the contract, no narrower and, but for the residue, no wider.

For generated contracts in every locality, and every target, with llguidance as the judge of schemas:
each valid document, led out through the lens, is accepted (nothing is over-constrained); texts sampled from the
schema come back and are admitted, or break a declared residue (nothing leaks); out and back is the same document; no
keyword stands in a schema that its profile does not keep; a stream of it gives what the whole gives.

The contracts are taken by number, always the same ones; ``bench/dialects`` runs more of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from bench.dialects.oracle import Grammar

from dialects.cases import FORMS, SCHEMA_TARGETS, Case, case_of, compiled_for, delivery_of, seeds
from pratique import Compiled, Status
from pratique.dialects.dialect import dialect_of
from pratique.terms.schema_document import MAP_OF_SCHEMAS, children

CONTRACTS = 60
"""Contracts a target; every form comes ten times."""
SAMPLES = 3
LOCAL_ONLY = frozenset({"format", "pattern", "patternProperties"})
"""Where a type's own validator knows more than its JSON Schema says: a duration that overflows, keys of a map."""


def cases(many: int = CONTRACTS) -> Iterator[tuple[int, Case, Random]]:
    """Yield contracts in all forms."""
    for number, (spec, rng) in enumerate(seeds(0, many)):
        yield number, case_of(spec, FORMS[number % len(FORMS)], rng), rng


def without_nulls(value: Any) -> Any:
    """Return a value without its null members: a null default and an absent field say the same."""
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


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


def closed(schema: Any, *, named: bool = False) -> Any:
    """Close every object of a pydantic schema, as a contract means it."""
    if isinstance(schema, dict):
        made = {key: closed(part, named=key in MAP_OF_SCHEMAS and not named) for key, part in schema.items()}
        if not named and isinstance(schema.get("properties"), dict):
            made["additionalProperties"] = False
        return made
    return [closed(part) for part in schema] if isinstance(schema, list) else schema


@pytest.mark.parametrize("target", SCHEMA_TARGETS)
def test_each_valid_document_is_accepted_and_comes_back(target: str) -> None:
    """Over-constraint is 0, and the lens takes nothing and adds nothing."""
    judged = 0
    for number, case, _ in cases():
        compiled = compiled_for(case, target)
        if compiled is None:
            continue
        whole = compiled.form == "schema" or len(compiled.tools) == 1
        grammar = Grammar(compiled.schema) if whole else None
        for document, units in zip(case.documents, case.units, strict=True):
            if not whole and not isinstance(document, (list, dict)):
                continue
            listed = document if whole or len(units) == 1 else list(units)
            delivery = delivery_of(compiled, listed)
            if grammar is not None:
                text = delivery.body.strip()
                assert grammar.accepts(text), (number, target, text, grammar.refused_at(text))
                back = compiled.lens.back(compiled.lens.out(document))
                assert without_nulls(back) == without_nulls(document), (number, target)
            plain = case.contract.admit(json.dumps(document))
            admission = case.contract.admit(delivery, compiled=compiled)
            assert admission.values == plain.values, (number, target, delivery.body, admission.findings)
            assert admission.status is Status.CLEAN, (number, target, admission.findings)
            if whole:
                assert admission.envelope == plain.envelope, (number, target)
            judged += 1
    assert judged >= CONTRACTS


@pytest.mark.parametrize("target", SCHEMA_TARGETS)
def test_what_a_target_can_write_is_admitted_or_breaks_a_declared_residue(target: str) -> None:
    """Undeclared leaks are 0: what comes back keeps all that was told as enforced."""
    sampled = 0
    for number, (spec, rng) in enumerate(seeds(0, CONTRACTS)):
        case = case_of(spec, "one", rng, 1)
        compiled = compiled_for(case, target)
        if compiled is None or compiled.form != "schema":
            continue
        grammar = Grammar(compiled.schema)
        schema = closed(dict(case.contract.terms.unit.schema))
        kept = jsonschema_rs.Draft202012Validator(compiled.promised("unit"), validate_formats=True)
        full = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        beyond = LOCAL_ONLY & {row.keyword for row in compiled.residue}
        for _ in range(SAMPLES):
            text = grammar.sample(rng)
            if text is None:
                continue
            sampled += 1
            if case.contract.admit(text, compiled=compiled).values:
                continue
            back = compiled.lens.back(json.loads(text))
            assert kept.is_valid(back), (number, target, text)
            twice = any("twice" in told.message for told in _findings(case, compiled, text))
            assert not full.is_valid(back) or twice or beyond, (number, target, text)
    assert sampled >= CONTRACTS or dialect_of(target).default_form == "tools"


def _findings(case: Case, compiled: Compiled, text: str) -> Iterator[Any]:
    admission = case.contract.admit(text, compiled=compiled)
    yield from admission.findings
    for unit in admission.quarantined:
        yield from unit.findings


@pytest.mark.parametrize("target", SCHEMA_TARGETS)
def test_no_keyword_stands_that_the_profile_does_not_keep(target: str) -> None:
    """What an endpoint ignores is as little sent as what it refuses; a description alone is for its reader."""
    profile = dialect_of(target).profile
    for number, case, _ in cases():
        compiled = compiled_for(case, target)
        if compiled is None:
            continue
        for schema in compiled.schema.values() if len(compiled.tools) > 1 else [compiled.schema]:
            for part in schemas_below(schema):
                for keyword in part:
                    if keyword == "description":
                        assert profile.accepts(keyword), (number, target)
                    elif keyword not in ("$defs", "enum"):
                        assert profile.keeps(keyword), (number, target, keyword)
                if part.get("type") == "object" and profile.closed_objects:
                    assert part["additionalProperties"] is False
                if part.get("type") == "object" and not profile.keeps("optional"):
                    assert set(part["required"]) == set(part["properties"])
        if profile.root_object:
            for schema in compiled.schema.values() if len(compiled.tools) > 1 else [compiled.schema]:
                assert schema["type"] == "object"


@pytest.mark.parametrize("target", ["anthropic/messages", "openai/chat", "portable"])
def test_a_stream_in_wire_shape_gives_what_the_whole_gives(target: str) -> None:
    """The lens works unit by unit, so a stream needs no more than a unit."""
    for number, case, rng in cases(30):
        compiled = compiled_for(case, target)
        if compiled is None:
            continue
        text = delivery_of(compiled, case.documents[0]).text
        size = rng.randrange(1, 40)
        stream = case.contract.via(compiled).stream([text[at : at + size] for at in range(0, len(text), size)])
        handed_out = list(stream)
        whole = case.contract.admit(text, compiled=compiled)
        assert stream.admission.values == whole.values, (number, target)
        assert stream.admission.status is whole.status
        assert [unit.value for unit in handed_out] == list(whole.values)
