"""Schemas that no author meant: one that cannot be read costs only itself, and nothing that stands in one raises."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lint.case import Case, obj, tool
from lint.test_rules import FILES
from pratique.lint import lint

TARGETS = ("openai/chat", "anthropic/tools", "google", "llama.cpp/gbnf")
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1e400, float("nan"), 10**400, "", "\ud800", "\x1b[31m", [], {}, [{}], {"type": "nope"},
    {"$ref": "#"}, {"enum": []}, {"pattern": "("}, {"$ref": "#/$defs/gone"}, {"allOf": [{"$ref": "#"}]},
)  # fmt: skip
WORDS = (
    "$ref", "$schema", "$id", "$defs", "additionalProperties", "allOf", "anyOf", "const", "default", "description",
    "enum", "examples", "if", "items", "maxItems", "minItems", "not", "oneOf", "pattern", "prefixItems", "properties",
    "propertyNames", "required", "title", "type",
)  # fmt: skip


def schemas() -> Iterator[dict[str, Any]]:
    """Yield the schemas of all rules' cases."""
    for file in FILES:
        module = importlib.import_module(f"lint.cases.{file}")
        for case in (*module.FIRES.values(), *module.QUIET.values()):
            target = case.target if isinstance(case, Case) else case
            found = target.get("inputSchema", target) if isinstance(target, dict) else None
            if isinstance(found, dict):
                yield found


SCHEMAS = list(schemas())


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every part of a value."""
    if way:
        yield way
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        yield from ways(part, (*way, key))


def mutated(schema: Any, rng: Random) -> Any:
    """Take a part out, put something odd in its place, or beside it."""
    schema = deepcopy(schema)
    found = list(ways(schema))
    if not found:
        return rng.choice(ODD)
    *outer, last = rng.choice(found)
    part = schema
    for key in outer:
        part = part[key]
    choice = rng.random()
    if choice < 0.2 and isinstance(part, dict):
        del part[last]
    elif choice < 0.5 and isinstance(part, dict):
        part[rng.choice(WORDS)] = rng.choice(ODD)
    else:
        part[last] = rng.choice(ODD)
    return schema


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_no_schema_raises_whatever_stands_in_it(rng: Random, times: int) -> None:
    """What is wrong with a schema is a finding; what is in it is told safely."""
    schema: Any = rng.choice(SCHEMAS)
    for _ in range(times):
        schema = mutated(schema, rng)
    if not isinstance(schema, dict):
        return
    report = lint([tool(schema, "odd"), tool(obj({"a": {"type": "boolean"}}), "sound")], target=TARGETS)
    assert len(report.subjects) == 2
    for finding in report.findings:
        told = str(finding)
        told.encode()
        assert "\x1b" not in told


@pytest.mark.parametrize("draft", ["http://example.invalid/own-language", 3, "\ud800"])
def test_a_tool_in_an_unknown_draft_costs_only_itself(draft: Any) -> None:
    """The list of a server is not lost for one of its tools."""
    bad = tool({"$schema": draft, "type": "object"}, "bad")
    report = lint([bad, tool(obj({"a": {"type": "string"}}), "good")])
    assert [finding.code for finding in report.findings if finding.subject == "tools/bad"] == ["LS000"]
    assert "tools/good" in {subject.name for subject in report.subjects}


def test_a_schema_that_doubles_itself_ends() -> None:
    """References that each refer twice to the next: a few thousand values of one level, written in a line each."""
    levels = 40
    definitions: dict[str, Any] = {
        f"l{index}": obj({"a": {"$ref": f"#/$defs/l{index + 1}"}, "b": {"$ref": f"#/$defs/l{index + 1}"}})
        for index in range(levels)
    }
    definitions[f"l{levels}"] = {"type": "string"}
    report = lint({"$ref": "#/$defs/l0", "$defs": definitions}, target=TARGETS)
    assert report.findings


def test_a_union_of_many_arms_is_compared_in_pairs_and_no_more() -> None:
    """Work is counted, not timed: a hundred arms that nothing tells apart give one finding."""
    arms = [obj({"id": {"type": "string"}}, {f"f{index}": {"type": "string"}}) for index in range(100)]
    report = lint({"anyOf": arms}, only=["LS002"])
    assert len(report.findings) == 1


def test_a_pattern_that_cannot_be_read_hides_no_other_fault() -> None:
    """The judge tells one fault at a time."""
    strange = {"type": "string", "pattern": "("}
    assert not lint(obj({"a": strange, "b": strange}), only=["LS000"]).findings
    (finding,) = lint(obj({"a": strange, "b": {"patternProperties": {"(": {}}}, "z": {"enum": None}})).findings
    assert finding.code == "LS000"
    assert "/properties/z/enum" in finding.message
    assert lint({"properties": {"pattern": 3}}).findings[0].code == "LS000"


def test_a_report_holds_no_nodes() -> None:
    """Of thousands of tools only the findings are kept; what was read is read again when somebody asks."""
    report = lint([tool(obj({"a": {"type": "string"}}), f"t{number}") for number in range(3)])
    assert not any({"schema", "view"} & vars(part).keys() for subject in report.subjects for part in subject.parts)
    assert report.subjects[0].main.view.fields
