"""A JSON Schema becomes a contract: units, envelope and list are judged apart; nothing it says is dropped."""
# ruff: noqa: E501 - the tables read better with one case a line

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import SchemaValidator, ValidationError, core_schema

from pratique import Admission, Contract, Locality, Reason, Reference, Status
from pratique.errors import CODES, Misuse
from pratique.limits import Limits
from pratique.terms import REFERENCES, UNKNOWN_REFERENCE
from pratique.terms.json_schema import CompiledSchema, compile_json_schema
from pratique.terms.schema_bounds import MAX_SCHEMA_BYTES, MAX_SCHEMA_LEVELS, MAX_SCHEMA_STEPS
from pratique.terms.schema_drafts import as_2020_12

NUMBER = {"type": "number"}

# The daily triage report as its producers describe it: maxItems is their hint for a focus surface.
REPORT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "daily_triage_report",
    "type": "object",
    "required": ["summary", "recommendations"],
    "properties": {
        "summary": {"type": "string"},
        "recommendations": {
            "type": "array",
            "maxItems": 7,
            "items": {
                "type": "object",
                "required": ["rank", "candidate", "action", "why"],
                "properties": {
                    "rank": {"type": "integer"},
                    "candidate": {"type": "string"},
                    "action": {"type": "string"},
                    "why": {"type": "string"},
                    "confidence": {"type": "string"},
                    "wsjf": {
                        "type": "object",
                        "properties": {
                            "score": NUMBER,
                            "strategic_value": NUMBER,
                            "time_criticality": NUMBER,
                            "risk_reduction": NUMBER,
                            "opportunity_enablement": NUMBER,
                            "job_size": NUMBER,
                        },
                    },
                },
            },
        },
    },
}


def compile_it(
    schema: Any,
    at: str = "",
    *,
    one: bool = False,
    limits: Limits | None = None,
    references: dict[str, str] | None = None,
) -> CompiledSchema:
    path = tuple(at.split("/")) if at else ()
    return compile_json_schema(schema, at=path, one=one, limits=limits, references=references or {})


def unit_of(schema: Any, **options: Any) -> CompiledSchema:
    return compile_it({"type": "array", "items": schema}, **options)


def problems(compiled: CompiledSchema, value: object, **references: set[str]) -> list[tuple[str, tuple[Any, ...], str]]:
    """Judge a value, or a text, as a unit: (type, loc, message) of every problem."""
    return judged(compiled.unit.validator, value, **references)


def judged(validator: Any, value: object, **references: set[str]) -> list[tuple[str, tuple[Any, ...], str]]:
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        read = validator.validate_json(text, context={REFERENCES: references})
    except ValidationError as error:
        return [(told["type"], told["loc"], told["msg"]) for told in error.errors(include_url=False)]
    if not isinstance(value, str):
        assert read == value, "the value is not what was written"
    return []


def kinds(compiled: CompiledSchema, value: object, **references: set[str]) -> list[str]:
    return [kind for kind, _, _ in problems(compiled, value, **references)]


def remedy(schema: Any, at: str = "", **options: Any) -> str:
    with pytest.raises(Misuse) as raised:
        compile_it(schema, at, **options)
    assert raised.value.remedy in str(raised.value)
    return f"{raised.value.message} | {raised.value.remedy}"


# ---------------------------------------------------------------------- the report of the triage run


def recommendation(rank: int, **more: Any) -> dict[str, Any]:
    return {"rank": rank, "candidate": f"ws-{rank}", "action": "work-next", "why": "unblocks two", **more}


def test_the_triage_report_comes_apart() -> None:
    """Units, envelope and cap are what the schema says; a flat open unit is no nest of anything."""
    compiled = compile_it(REPORT, "recommendations")
    assert compiled.title == "daily_triage_report"
    assert compiled.limits == Limits(max_items=7)
    assert compiled.list_rules is None
    unit, envelope = compiled.unit, compiled.envelope
    assert unit.keys == {"rank", "candidate", "action", "why", "confidence", "wsjf"}
    assert unit.all_keys > unit.keys
    assert "job_size" in unit.all_keys
    assert not unit.shared_keys
    assert not unit.nested_any
    assert (unit.bounded, unit.depth, unit.core) == (False, 0, None)
    assert envelope is not None
    assert envelope.keys == {"summary"}
    assert problems(compiled, recommendation(1, wsjf={"score": 3.5})) == []
    assert kinds(compiled, {"rank": "1", "candidate": "a", "action": "b"}) == [
        "json_schema_required",
        "json_schema_type",
    ]


def test_a_sound_nine_item_report_keeps_seven_through_the_contract() -> None:
    """maxItems caps what is kept: the best seven are admitted, two are over the limit, the envelope stays."""
    contract = Contract.from_json_schema(REPORT, at="recommendations", order_by="rank")
    items = [recommendation(rank) for rank in (9, 1, 8, 2, 7, 3, 6, 4, 5)]
    admission = contract.admit(json.dumps({"summary": "nine of them", "recommendations": items}))
    assert [unit["rank"] for unit in admission.values] == [1, 2, 3, 4, 5, 6, 7]
    assert sorted(json.loads(unit.raw)["rank"] for unit in admission.quarantined) == [8, 9]
    assert admission.counts["over_limit"] == 2
    assert admission.envelope == {"summary": "nine of them"}
    assert admission.status is Status.PARTIAL
    assert contract.name == "daily_triage_report"


def test_one_bad_recommendation_costs_one() -> None:
    """A unit that breaks the schema goes to quarantine; the root's keywords cost no unit."""
    contract = Contract.from_json_schema(REPORT, at="recommendations")
    text = json.dumps({"recommendations": [recommendation(1), {"rank": 2}, recommendation(3)]})
    admission = contract.admit(text)
    assert [unit["rank"] for unit in admission.values] == [1, 3]
    assert [unit.reason for unit in admission.quarantined] == [Reason.SCHEMA]
    assert admission.envelope is None, "summary is required"


def test_a_schema_and_the_model_that_says_the_same_judge_alike() -> None:
    """Two compilers, one boundary: over every cut and every lost character the verdicts are the same."""
    from typing import Annotated, Literal

    from pydantic import BaseModel, Field

    class Wsjf(BaseModel):
        score: float

    class Unit(BaseModel):
        rank: Annotated[int, Field(ge=1)]
        candidate: Annotated[str, Reference("work")]
        action: Literal["work-next", "park"]
        wsjf: Wsjf | None = None

    class Envelope(BaseModel):
        summary: str

    wsjf = {**obj(score=NUMBER), "required": ["score"], "additionalProperties": False}
    unit = {
        **obj(
            rank={"type": "integer", "minimum": 1}, candidate={"type": "string"}, action={"enum": ["work-next", "park"]}
        ),
        "required": ["rank", "candidate", "action"],
        "additionalProperties": False,
    }
    unit["properties"]["wsjf"] = {"anyOf": [wsjf, {"type": "null"}]}
    schema = {
        "properties": {"summary": {"type": "string"}, "items": {"type": "array", "maxItems": 2, "items": unit}},
        "required": ["summary", "items"],
        "additionalProperties": False,
    }
    from_model = Contract.items(Unit, at="items", envelope=Envelope, limits=Limits(max_items=2), order_by="rank")
    from_schema = Contract.from_json_schema(
        schema, at="items", order_by="rank", reference_fields={"/candidate": "work"}
    )

    def verdict(admission: Admission[Any]) -> object:
        def plain(value: Any) -> Any:
            return value.model_dump(exclude_unset=True) if isinstance(value, BaseModel) else value

        refused = [(lost.reason, lost.raw) for lost in admission.quarantined]
        values = [plain(value) for value in admission.values]
        return admission.status, admission.truncated, values, plain(admission.envelope), refused

    units = [
        {"rank": 3, "candidate": "w1", "action": "park", "wsjf": {"score": 1.5}},
        {"rank": 1, "candidate": "w9", "action": "park"},
        {"rank": 2, "candidate": "w1", "action": "Park", "wsjf": None},
        {"rank": 0, "candidate": "w1", "action": "park"},
    ]
    text = json.dumps({"summary": "four", "items": units})
    texts = [text, *(text[:end] for end in range(len(text))), *(text[:at] + text[at + 1 :] for at in range(len(text)))]
    texts += [json.dumps(units), json.dumps({"items": units}), json.dumps({"summary": "x", "items": units, "more": 1})]
    for damaged in texts:
        got, expected = (
            verdict(contract.admit(damaged, references={"work": ["w1"]})) for contract in (from_schema, from_model)
        )
        assert got == expected, damaged


# ---------------------------------------------------------------------- where the list stands

UNIT = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
LIST = {"type": "array", "items": UNIT}


@pytest.mark.parametrize(
    ("schema", "at"),
    [
        pytest.param(LIST, "", id="bare list"),
        pytest.param({"items": UNIT}, "", id="bare list without a type"),
        pytest.param({"$ref": "#/$defs/l", "$defs": {"l": LIST}}, "", id="bare list behind a reference"),
        pytest.param({"type": "object", "properties": {"u": LIST}}, "u", id="named"),
        pytest.param({"properties": {"u": LIST}}, "u", id="root without a type"),
        pytest.param({"properties": {"a": {"properties": {"u": LIST}}}}, "a/u", id="deeper"),
        pytest.param({"properties": {"u": {"$ref": "#/$defs/l"}}, "$defs": {"l": LIST}}, "u", id="list by reference"),
        pytest.param(
            {"$ref": "#/$defs/root", "$defs": {"root": {"properties": {"u": LIST}}}}, "u", id="root by reference"
        ),
        pytest.param(
            {"properties": {"u": {"items": {"$ref": "#/$defs/u"}}}, "$defs": {"u": UNIT}}, "u", id="unit by reference"
        ),
        pytest.param({"properties": {"u": {"anyOf": [LIST, {"type": "null"}]}}}, "u", id="list or null"),
        pytest.param({"properties": {"u": {**LIST, "type": ["array", "null"]}}}, "u", id="list or null in one type"),
        pytest.param({"allOf": [{"properties": {"u": LIST}}, {"properties": {"s": {}}}]}, "u", id="in an allOf"),
        pytest.param(
            {"allOf": [{"properties": {"u": LIST}}, {"properties": {"u": {"items": {"type": "object"}}}}]},
            "u",
            id="in two places, both of which hold",
        ),
        pytest.param(
            {"$anchor": "top", "properties": {"u": {"$ref": "#list"}}, "x": {"y": {**LIST, "$anchor": "list"}},
             "$defs": {"l": {**LIST, "$anchor": "list"}}}, "u", id="by anchor",
        ),
        pytest.param(
            {"$id": "https://example.org/report", "properties": {"u": {"$ref": "/list"}},
             "$defs": {"l": {**LIST, "$id": "https://example.org/list"}}}, "u", id="by nested id",
        ),
        pytest.param({"properties": {"u": {"$ref": "#/x-lists/0"}}, "x-lists": [LIST]}, "u", id="an odd place"),
        pytest.param({"properties": {"a b%~/": LIST}}, "a b%~\x00", id="a key of odd characters"),
    ],
)  # fmt: skip
def test_the_list_is_found_and_its_items_are_the_units(schema: dict[str, Any], at: str) -> None:
    """Through properties, references, allOf and a nullable union, the unit schema is the same."""
    path = tuple(part.replace("\x00", "/") for part in at.split("/")) if at else ()
    compiled = compile_json_schema(schema, at=path, one=False, limits=None, references={})
    assert problems(compiled, {"id": 1}) == []
    assert kinds(compiled, {}) == ["json_schema_required"]
    assert kinds(compiled, {"id": "1"}) == ["json_schema_type"]
    assert compiled.unit.keys == {"id"}
    assert (compiled.envelope is None) == (not at), "there is an envelope where there is a place for the list in it"
    if compiled.envelope is not None:
        assert path[-1] not in compiled.envelope.keys


def test_one_judges_the_schema_itself() -> None:
    """With ``one`` the root is the unit, its title names it, and there is no envelope and no list."""
    compiled = compile_it({**UNIT, "title": "plan"}, one=True)
    assert (compiled.envelope, compiled.list_rules, compiled.title) == (None, None, "plan")
    assert compiled.limits == Limits()
    assert problems(compiled, {"id": 1}) == []
    assert kinds(compiled, {}) == ["json_schema_required"]


@pytest.mark.parametrize("identity", [None, "https://example.org/s/report.json", "report.json", "urn:uuid:1234", "#"])
@pytest.mark.parametrize(
    "reference",
    [
        "#/$defs/name",
        "#/properties/summary",
        "#name",
        "https://example.org/other#/$defs/inner",
        "https://example.org/other#inner",
        "#/$defs/other/$defs/inner",
        "#/properties/u/items/properties/own",
        "#/x-odd/a~1b%20c",
    ],
)
def test_references_in_a_unit_are_resolved_against_the_whole_document(identity: str | None, reference: str) -> None:
    """Whatever the root calls itself, a unit's references mean what they mean in the document."""
    name = {"type": "string", "minLength": 2}
    schema = {
        "type": "object",
        "properties": {
            "summary": name,
            "u": {"items": {"type": "object", "properties": {"ref": {"$ref": reference}, "own": name}}},
        },
        "x-odd": {"a/b c": name},
        "$defs": {
            "name": {**name, "$anchor": "name"},
            "other": {
                "$id": "https://example.org/other",
                "$defs": {"inner": {**name, "$anchor": "inner"}},
            },
        },
    }
    if identity is not None:
        schema["$id"] = identity
    compiled = compile_it(schema, "u")
    assert problems(compiled, {"ref": "ab"}) == []
    assert problems(compiled, {"ref": "a"}) == [
        ("json_schema_minLength", ("ref",), "the value is shorter than 2 characters")
    ]
    assert kinds(compiled, {"ref": 1}) == ["json_schema_type"]
    assert compiled.envelope is not None
    assert judged(compiled.envelope.validator, {"summary": "a"})[0][:2] == (
        "json_schema_minLength",
        ("summary",),
    )


def test_the_schema_shown_is_the_schema_judged() -> None:
    """``Shape.schema`` stands alone: compiled again by itself it gives the same verdicts."""
    import jsonschema_rs

    tree = {"type": "object", "properties": {"in": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    for extra in ({}, {"$id": "https://example.org/r"}, {"$defs": {"tree": {**tree, "$anchor": "t"}}}):
        compiled = compile_it(
            {"$defs": {"tree": tree}, "properties": {"u": {"items": {"$ref": "#/$defs/tree"}}}, **extra}, "u"
        )
        again = jsonschema_rs.Draft202012Validator(dict(compiled.unit.schema), offline=True)
        assert again.is_valid({"in": [{"in": []}]})
        assert not again.is_valid({"in": [{"in": [1]}]})
        assert kinds(compiled, {"in": [{"in": [1]}]}) == ["json_schema_type"]


def test_what_a_plain_unit_needs_comes_along_and_nothing_else() -> None:
    """Where references lead to ``$defs`` only, the unit's schema stays as readable as it was."""
    compiled = compile_it(
        {
            "$id": "https://example.org/report",
            "properties": {
                "u": {"items": {"properties": {"a": {"$ref": "#/$defs/a"}}}},
                "s": {"$ref": "#/$defs/c"},
            },
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}, "c": {"type": "string"}},
        },
        "u",
    )
    assert compiled.unit.schema == {
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}},
    }


def test_the_schema_is_read_once_and_left_alone() -> None:
    """The caller's schema is not changed, and changing it later changes no verdict."""
    schema = copy.deepcopy(REPORT)
    compiled = compile_it(schema, "recommendations")
    assert schema == REPORT
    schema["properties"]["recommendations"]["items"]["required"].append("confidence")
    assert problems(compiled, recommendation(1)) == []


# ---------------------------------------------------------------------- the cap and the list's own rules


@pytest.mark.parametrize(
    ("said", "given", "kept"),
    [
        (None, None, 10_000),
        (None, Limits(max_items=3), 3),
        (7, None, 7),
        (7.0, None, 7),
        (7, Limits(max_items=3), 3),
        (3, Limits(max_items=7), 3),
        (20_000, None, 20_000),
    ],
)
def test_the_smaller_of_max_items_and_the_limit_holds(said: float | None, given: Limits | None, kept: int) -> None:
    """maxItems becomes a limit; without limits it may be above the default."""
    schema = {"type": "array", "items": UNIT, **({} if said is None else {"maxItems": said})}
    compiled = compile_it(schema, limits=given)
    assert compiled.limits.max_items == kept
    assert compiled.list_rules is None, "the cap is no rule of the list"


def test_the_other_limits_stay() -> None:
    """Only the count is taken from the schema."""
    given = Limits(max_depth=3, max_items=9)
    assert compile_it({**LIST, "maxItems": 4}, limits=given).limits == Limits(max_depth=3, max_items=4)


@pytest.mark.parametrize(
    ("rule", "sound", "broken"),
    [
        ({"minItems": 2}, [{"id": 1}, {"id": 2}], [{"id": 1}]),
        ({"uniqueItems": True}, [{"id": 1}, {"id": 2}], [{"id": 1}, {"id": 1}]),
        ({"contains": {"properties": {"id": {"const": 1}}}}, [{"id": 1}], [{"id": 2}]),
        ({"contains": {"$ref": "#/properties/one"}}, [{"id": 1}], [{"id": 2}]),
        ({"contains": {"$ref": "#/$defs/one"}, "maxContains": 1}, [{"id": 1}], [{"id": 1}, {"id": 1}]),
        ({"not": {"contains": {"$ref": "#/$defs/one"}}}, [{"id": 2}], [{"id": 1}]),
        (
            {"if": {"minItems": 2}, "then": {"contains": {"$ref": "#/$defs/one"}}},
            [{"id": 2}],
            [{"id": 2}, {"id": 3}],
        ),
        ({"allOf": [{"minItems": 1}]}, [{"id": 1}], []),
        ({"unevaluatedItems": False, "minItems": 1}, [{"id": 1}], []),
    ],
)
def test_rules_of_the_list_are_judged_on_the_admitted_list(
    rule: dict[str, Any], sound: list[dict[str, int]], broken: list[dict[str, int]]
) -> None:
    """They cost no unit and do not judge the envelope; what they find says so."""
    one = {"properties": {"id": {"const": 1}}}
    for compiled in (
        compile_it({**LIST, **rule, "$defs": {"one": one}, "properties": {"one": one}}),
        compile_it({"properties": {"u": {**LIST, **rule}, "one": one}, "$defs": {"one": one}}, "u"),
        compile_it(
            {
                "properties": {"u": {"anyOf": [{**LIST, **rule}, {"type": "null"}]}, "one": one},
                "$defs": {"one": one},
            },
            "u",
        ),
    ):
        assert problems(compiled, broken[0] if broken else {"id": 1}) == []
        if compiled.envelope is not None:
            assert judged(compiled.envelope.validator, "{}") == []
        assert compiled.list_rules is not None
        assert compiled.list_rules(sound) == ()
        (finding,) = compiled.list_rules(broken)
        assert finding.code == "validate.list_rule"
        assert CODES[finding.code].reason is None, "no unit is refused for it"


def test_a_contract_uses_the_rules_of_the_list_and_they_cost_no_unit() -> None:
    """They are part of the terms; what they say is a finding on the delivery."""
    contract = Contract.from_json_schema({**LIST, "minItems": 2})
    assert contract.terms.list_rules is not None
    admission = contract.admit('[{"id": 1}]')
    assert admission.values == ({"id": 1},)
    assert [finding.code for finding in admission.findings] == ["validate.list_rule"]
    assert admission.status is Status.PARTIAL


@pytest.mark.parametrize("locality", [*Locality, "item", "one", "batch"])
def test_a_locality_may_be_given_by_its_name(locality: Locality | str) -> None:
    """What comes out of a configuration file is text."""
    schema = UNIT if locality == "one" else {"items": UNIT}
    assert Contract.from_json_schema(schema, locality=locality).terms.locality is Locality(locality)


def test_an_unknown_locality_is_misuse() -> None:
    """The remedy names the three there are."""
    with pytest.raises(Misuse) as raised:
        Contract.from_json_schema({"items": UNIT}, locality="items")
    assert raised.value.message == "no locality is called 'items'"
    assert raised.value.remedy == "use Locality.ITEM, ONE or BATCH"


def test_a_list_with_nothing_but_items_has_no_rules() -> None:
    """A type, a cap and annotations are no rules."""
    said = {"description": "x", "default": [], "examples": [[]], "maxItems": 3, "unevaluatedItems": False}
    assert compile_it({**LIST, **said}).list_rules is None


# ---------------------------------------------------------------------- the envelope

ENVELOPES: list[tuple[str, dict[str, Any], dict[str, Any], list[str]]] = [
    ("a list that is required", {"required": ["u"]}, {}, []),
    ("a sibling that is required", {"required": ["s"]}, {}, ["json_schema_required"]),
    ("a sibling's type", {"properties": {"s": {"type": "string"}}}, {"s": 1}, ["json_schema_type"]),
    ("a closed root", {"additionalProperties": False}, {}, []),
    ("a closed root and a stranger", {"additionalProperties": False}, {"x": 1}, ["json_schema_additionalProperties"]),
    ("unevaluated", {"unevaluatedProperties": False, "allOf": [{"properties": {"s": {}}}]}, {"s": 1}, []),
    ("unevaluated stranger", {"unevaluatedProperties": False}, {"x": 1}, ["json_schema_unevaluatedProperties"]),
    ("property names", {"propertyNames": {"maxLength": 1}}, {"ss": 1}, ["json_schema_propertyNames"]),
    ("enough keys, the list's among them", {"minProperties": 2}, {"s": 1}, []),
    ("too few keys", {"minProperties": 2}, {}, ["json_schema_minProperties"]),
    ("what the list asks for", {"dependentRequired": {"u": ["s"]}}, {}, ["json_schema_required"]),
    ("what the list asks for, there", {"dependentRequired": {"u": ["s"]}}, {"s": 1}, []),
    ("what asks for the list", {"dependentRequired": {"s": ["u"]}}, {"s": 1}, []),
    ("dependentSchemas", {"dependentSchemas": {"u": {"required": ["s"]}}}, {}, ["json_schema_required"]),
    ("allOf", {"allOf": [{"required": ["s", "u"]}]}, {}, ["json_schema_required"]),
    ("a condition met", {"if": {"required": ["s"]}, "then": {"required": ["t"]}}, {"s": 1}, ["json_schema_required"]),
    ("a condition not met", {"if": {"required": ["s"]}, "then": {"required": ["t"]}}, {}, []),
    ("a union", {"anyOf": [{"required": ["s"]}, {"required": ["t"]}]}, {}, ["json_schema_anyOf"]),
    ("a union met", {"oneOf": [{"required": ["s"]}, {"required": ["t"]}]}, {"t": 1}, []),
    ("not", {"not": {"required": ["s"]}}, {"s": 1}, ["json_schema_not"]),
    ("a reference to the unit", {"properties": {"s": {"$ref": "#/$defs/unit"}}}, {"s": {}}, ["json_schema_required"]),
    ("a reference into the list", {"properties": {"s": {"$ref": "#/properties/u/items"}}}, {"s": {}},
     ["json_schema_required"]),
    ("a root by reference", {"$ref": "#/$defs/more"}, {"m": 1}, ["json_schema_type"]),
    ("a pattern beside the list", {"patternProperties": {"^x_": {"type": "string"}}}, {"x_a": 1},
     ["json_schema_type"]),
    ("a const at the root", {"properties": {"kind": {"const": "report"}}}, {"kind": "Report"}, ["json_schema_enum"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "value", "expected"), [case[1:] for case in ENVELOPES], ids=[c[0] for c in ENVELOPES])
def test_what_stands_at_the_root_judges_the_envelope_and_costs_no_unit(
    rule: dict[str, Any], value: dict[str, Any], expected: list[str]
) -> None:
    """The envelope's text comes without its list; the root's keywords judge it as if the list were there."""
    schema = {
        "type": "object",
        **rule,
        "properties": {"u": {**LIST, "minItems": 1, "maxItems": 2}, **rule.get("properties", {})},
        "$defs": {"unit": UNIT, "more": {"properties": {"m": {"type": "string"}}}},
    }
    compiled = compile_it(schema, "u")
    assert problems(compiled, {"id": 1}) == []
    assert compiled.envelope is not None
    assert [kind for kind, _, _ in judged(compiled.envelope.validator, value)] == expected
    left_in = {**value, "u": [{"no": "unit"}]}
    assert [kind for kind, _, _ in judged(compiled.envelope.validator, left_in)] == expected


def test_there_is_an_envelope_even_when_nothing_is_said_about_it() -> None:
    """A place for the list is a place in an envelope."""
    compiled = compile_it({"properties": {"u": LIST}}, "u")
    assert compiled.envelope is not None
    assert compiled.envelope.keys == frozenset()
    assert judged(compiled.envelope.validator, {"any": "thing"}) == []
    assert judged(compiled.envelope.validator, "[]")[0][0] == "json_schema_type"


def test_the_way_to_a_deep_list_is_judged_too() -> None:
    """Every object on the way keeps its own rules; only the list is taken out."""
    inner = {"type": "object", "required": ["u", "n"], "properties": {"u": LIST, "n": {"type": "integer"}}}
    compiled = compile_it({"required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": inner}}, "a/u")
    assert compiled.envelope is not None
    judge = compiled.envelope.validator
    assert judged(judge, {"a": {"n": 1}}) == []
    assert [problem[:2] for problem in judged(judge, {"a": {}})] == [("json_schema_required", ("a", "n"))]
    assert [problem[:2] for problem in judged(judge, {})] == [("json_schema_required", ("a",))]
    assert [problem[:2] for problem in judged(judge, {"a": 1})] == [("json_schema_type", ("a",))]


# ---------------------------------------------------------------------- JSON texts and their problems


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"id": 1', '{"id": 01}', '{"id": 1} x', '{"id": "\n"}', '{"id": "\\ud800"}', "{'id': 1}", '{"id": .5}',
     '{"id": ' + "[" * 300 + "]" * 300 + "}", '{"id": ' + "9" * 5000 + "}", '{"id": "\udc80"}'],
)  # fmt: skip
def test_what_is_no_json_gets_pydantics_own_error(text: str) -> None:
    """The boundary knows these by type and words, whoever compiled the unit."""
    with pytest.raises(ValidationError) as expected:
        SchemaValidator(core_schema.any_schema()).validate_json(text)
    with pytest.raises(ValidationError) as got:
        compile_it(LIST).unit.validator.validate_json(text)
    assert got.value.errors(include_url=False) == expected.value.errors(include_url=False)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1E+400", "1" + "0" * 400 + ".5"])
def test_a_number_that_is_none_is_not_taken_for_null(number: str) -> None:
    """The judge knows no NaN and would read null; a schema that allows null must not let it pass."""
    compiled = unit_of({"properties": {"a": {"type": ["null", "number"]}}})
    text = f'{{"b": [{{"c": {number}}}], "a": {number}}}'
    assert [told[:2] for told in problems(compiled, text)] == [
        ("finite_number", ("b", 0, "c")),
        ("finite_number", ("a",)),
    ]
    assert problems(compiled, '{"a": null, "b": "NaN Infinity 1e400"}') == []


def test_large_integers_stay_exact() -> None:
    """An integer that fits no double is judged and kept as it was written."""
    large = 2**100 + 1
    compiled = unit_of({"properties": {"a": {"maximum": large}}})
    assert compiled.unit.validator.validate_json(f'{{"a": {large}}}') == {"a": large}
    assert kinds(compiled, f'{{"a": {large + 1}}}') == ["json_schema_maximum"]


def test_a_key_that_comes_twice_is_left_to_the_boundary_to_count() -> None:
    """The last one counts here; ``count_keys`` is one short of what was written."""
    compiled = compile_it(LIST)
    value = compiled.unit.validator.validate_json('{"id": 1, "id": 2}')
    assert value == {"id": 2}
    assert compiled.unit.count_keys is not None
    assert compiled.unit.count_keys(value) == 1
    assert compiled.unit.count_keys({"a": [{"b": {"c": 1, "d": []}}, {"e": None}], "f": {}}) == 6


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null", "true", '[{"id": 1}]'])
def test_a_unit_is_an_object_even_if_the_schema_does_not_say_so(text: str) -> None:
    """A contract's units are objects; a schema without a type would let anything pass."""
    compiled = unit_of({"properties": {"id": {}}})
    assert problems(compiled, text) == [("json_schema_type", (), "expected an object")]


PROBLEMS: list[tuple[dict[str, Any], Any, tuple[str, tuple[Any, ...], str]]] = [
    ({"type": "integer"}, "1", ("type", (), "expected integer")),
    ({"type": ["string", "null"]}, 1, ("type", (), "expected null or string")),
    ({"enum": ["a", "b", 3]}, "A", ("enum", (), 'expected one of "a", "b", 3')),
    ({"const": "a"}, "A", ("enum", (), 'expected "a"')),
    ({"minLength": 3}, "ab", ("minLength", (), "the value is shorter than 3 characters")),
    ({"maximum": 3}, 4, ("maximum", (), "the value is greater than the maximum of 3")),
    ({"pattern": "^[{]a[}]$"}, "b", ("pattern", (), 'does not match the pattern "^[{]a[}]$"')),
    ({"format": "date"}, "soon", ("format", (), 'the value is not a "date"')),
    ({"format": "uuid"}, "no", ("format", (), 'the value is not a "uuid"')),
    ({"format": "email"}, "no", ("format", (), 'the value is not a "email"')),
    ({"required": ["k"]}, {}, ("required", ("k",), 'missing required field "k"')),
    ({"dependentRequired": {"a": ["k"]}}, {"a": 1}, ("required", ("k",), 'missing required field "k"')),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"x\x1b": 1},
     ("additionalProperties", ("x\x1b",), 'unknown field "x\\x1b"')),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"x": 1},
     ("unevaluatedProperties", ("x",), 'unknown field "x"')),
    ({"properties": {"a": False}}, {"a": 1}, ("falseSchema", ("a",), "nothing may stand here")),
    ({"propertyNames": {"pattern": "^a"}}, {"b\x1b": 1},
     ("propertyNames", (), 'the key "b\\x1b" is refused: does not match the pattern "^a"')),
    ({"items": {"type": "integer"}}, [1, "x"], ("type", (1,), "expected integer")),
    ({"uniqueItems": True}, [1, 1.0], ("uniqueItems", (), "an element comes twice")),
    ({"contains": {"type": "integer"}}, ["x"],
     ("contains", (), "too few or too many elements are what the list must contain")),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1,
     ("anyOf", (), "fits none of the forms: expected string; expected null")),
    ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, ("oneOf", (), "fits more than one form")),
    ({"not": {"type": "string"}}, "x", ("not", (), '{"type":"string"} is not allowed for the value')),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "problem"), PROBLEMS)
def test_a_complaint_names_its_keyword_its_place_and_what_was_due(
    schema: dict[str, Any], value: Any, problem: tuple[str, tuple[Any, ...], str]
) -> None:
    """One problem, at the place itself, in words that quote nothing the producer wrote unescaped."""
    keyword, loc, message = problem
    assert problems(unit_of({"properties": {"v": schema}}), {"v": value}) == [
        (f"json_schema_{keyword}", ("v", *loc), message)
    ]


def test_where_the_judge_loses_a_key_the_place_is_the_value_around_it() -> None:
    """It leaves empty keys out of its paths and takes "2" and "02" for one; nothing is guessed and nothing raises."""
    compiled = unit_of({"additionalProperties": {"items": {"type": "integer"}}})
    assert problems(compiled, {"": [1, "x"]}) == [("json_schema_type", (), "expected integer")]
    assert problems(compiled, {"2": ["x"], "02": [1]}) == [("json_schema_type", (), "expected integer")]
    shut = {"properties": {"a": {"properties": {"b": {}}, "additionalProperties": False}}}
    closed = unit_of({"properties": {"": shut, "a": {}}})
    assert kinds(closed, {"": {"a": {"z": 1}}, "a": [1]}) == ["json_schema_additionalProperties"]


@pytest.mark.parametrize("key", ["0", "00", "2", "02", "+2", "-1", "18446744073709551616", " ", "a/b~c", '"'])
def test_the_place_of_a_complaint_has_its_keys_as_they_were_written(key: str) -> None:
    """A key that looks like a number stays a key."""
    compiled = unit_of({"additionalProperties": {"items": {"type": "integer"}}})
    assert problems(compiled, {key: [1, "x"]}) == [("json_schema_type", (key, 1), "expected integer")]
    closed = unit_of({"properties": {"v": {"type": "object", "required": [key], "additionalProperties": False}}})
    assert problems(closed, {"v": {}}) == [
        ("json_schema_required", ("v", key), f"missing required field {json.dumps(key)}")
    ]


KINDS = {
    "oneOf": [
        {"properties": {"kind": {"const": "add"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"properties": {"kind": {"const": "drop"}, "id": {"type": "string"}}, "required": ["kind", "id"]},
    ]
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "add", "n": "1"}, ("json_schema_type", ("n",), "expected integer")),
        ({"kind": "drop"}, ("json_schema_required", ("id",), 'missing required field "id"')),
        ({"kind": "Add", "n": 1}, ("json_schema_enum", ("kind",), 'expected one of "add", "drop"')),
    ],
)
def test_a_union_that_fails_says_what_is_wrong_in_the_arm_that_was_meant(
    value: object, expected: tuple[str, tuple[str, ...], str]
) -> None:
    """The tag chooses the arm; a tag that is none of them is the problem."""
    assert problems(unit_of(KINDS), value) == [expected]


def test_a_value_that_may_be_null_fails_as_what_it_is() -> None:
    """``enum or null`` fails as an enum, where the letter case can be restored."""
    compiled = unit_of({"properties": {"v": {"anyOf": [{"enum": ["park"]}, {"type": "null"}]}}})
    assert problems(compiled, {"v": "Park"}) == [("json_schema_enum", ("v",), 'expected "park"')]
    assert problems(compiled, {"v": None}) == []


def test_a_hostile_unit_cannot_flood_a_report() -> None:
    """A thousand wrong elements, a thousand unknown keys: fifty problems each, and short ones."""
    compiled = unit_of({"properties": {"v": {"items": {"type": "integer"}}}, "additionalProperties": False})
    assert len(problems(compiled, {"v": ["x"] * 1_000})) == 50
    assert len(problems(compiled, {f"k{n}": 1 for n in range(1_000)})) == 50
    assert all(len(message) < 400 for _, _, message in problems(compiled, {"k" * 100_000: 1}))
    endless = unit_of({"properties": {"v": {"enum": [f"choice {n}" for n in range(1_000)]}}})
    assert all(len(message) <= 300 for _, _, message in problems(endless, {"v": "x" * 100_000}))


def test_ten_thousand_bad_keys_cost_no_more_than_reading_them() -> None:
    """The judge copies the object into every complaint about a key: only the first is asked for."""
    compiled = unit_of({"propertyNames": {"maxLength": 2}, "properties": {"a": {"type": "integer"}}})
    assert kinds(compiled, {f"k{n:05}": 1 for n in range(10_000)}) == ["json_schema_propertyNames"]
    assert kinds(compiled, {"a": "x", "b": 1}) == ["json_schema_type"]


def test_of_a_very_long_unit_the_first_complaint_is_told() -> None:
    """All complaints are made at once, so their number is bounded by the unit's length."""
    compiled = unit_of({"properties": {"v": {"items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}})
    assert len(problems(compiled, {"v": ["x"] * 40})) == 40
    assert len(problems(compiled, {"v": ["x"] * 100_000})) == 1


def test_a_pattern_that_backtracks_without_end_refuses_the_string() -> None:
    """Work on one string is bounded; what cannot be told within the bound is refused."""
    compiled = unit_of({"properties": {"v": {"pattern": r"(a)\1+(a+)+(a+)+$"}}})
    assert kinds(compiled, {"v": "a" * 4_000 + "b"}) == ["json_schema_pattern"]


def test_a_nested_unit_cannot_make_a_recursive_schema_run_for_ever() -> None:
    """Two arms at each of 150 levels are 2^150 ways to judge it: depth is looked at first."""
    arms = [{"properties": {"t": {"const": tag}, "in": {"$ref": "#/$defs/tree"}}} for tag in ("a", "b")]
    tree = {"type": "object", "oneOf": [{**arm, "required": ["t"]} for arm in arms]}
    compiled = compile_it({"items": {"$ref": "#/$defs/tree"}, "$defs": {"tree": tree}})

    def nested(levels: int) -> str:
        return '{"t": "a", "in": ' * (levels - 1) + '{"t": "a"}' + "}" * (levels - 1)

    assert problems(compiled, nested(8)) == []
    assert problems(compiled, nested(9)) == [("pratique_depth", ("in",) * 8, "nesting deeper than 8 levels")]
    assert kinds(compiled, nested(150)) == ["pratique_depth"]
    assert kinds(compiled, '{"t": ' + "[" * 150 + "]" * 150 + "}") == ["pratique_depth"]
    shallow = compile_it({"items": {"type": "object"}}, limits=Limits(max_depth=1))
    assert kinds(shallow, {"a": []}) == ["pratique_depth"]
    assert kinds(shallow, {"a": "[[[[{{{{"}) == []


# ---------------------------------------------------------------------- references


def test_a_reference_field_is_looked_up_at_any_depth() -> None:
    """Every value that a pointer leads to must be in the allow-list that came with the call."""
    compiled = unit_of(
        {
            "properties": {
                "candidate": {"type": "string"},
                "also": {"type": ["string", "null"]},
                "tasks": {"items": {"properties": {"owner": {"type": "string"}}}},
                "by_day": {"additionalProperties": {"type": "string"}},
                "a/b~c": {"type": "string"},
            }
        },
        references={
            "/candidate": "work",
            "also": "work",
            "/tasks/*/owner": "people",
            "/by_day/*": "people",
            "/a~1b~0c": "work",
        },
    )
    assert compiled.unit.references == {"work", "people"}
    value = {
        "candidate": "w1", "also": "w9", "tasks": [{"owner": "ada"}, {"owner": "eve"}, {}],
        "by_day": {"mon": "ada", "tue": "eve"}, "a/b~c": "w8",
    }  # fmt: skip
    assert problems(compiled, value) == [], "no allow-list, no verdict"
    assert problems(compiled, value, work={"w1"}, people={"ada"}) == [
        (UNKNOWN_REFERENCE, ("also",), "work"),
        (UNKNOWN_REFERENCE, ("tasks", 1, "owner"), "people"),
        (UNKNOWN_REFERENCE, ("by_day", "tue"), "people"),
        (UNKNOWN_REFERENCE, ("a/b~c",), "work"),
    ]
    assert problems(compiled, {"candidate": "w1", "also": None}, work={"w1"}) == [], "null names nothing"
    assert kinds(compiled, {"candidate": 1}, work={"w1"}) == ["json_schema_type"], "the schema comes first"


def test_a_reference_to_what_is_no_string_names_nothing() -> None:
    """An open schema may let a number stand there; a number is on no list of names."""
    compiled = unit_of({"properties": {"c": {}}}, references={"/c": "work"})
    for value in (1, True, ["w1"], {"w1": 1}):
        assert kinds(compiled, {"c": value}, work={"w1"}) == [UNKNOWN_REFERENCE]


# ---------------------------------------------------------------------- what is known beforehand


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


TEXT = {"type": "string"}
FACTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("flat and open", obj(a=TEXT), {"keys": "a", "all_keys": "a"}),
    ("flat and closed", {**obj(a=TEXT), "additionalProperties": False}, {"keys": "a", "all_keys": "a"}),
    ("an object inside", obj(a=obj(b=TEXT)), {"keys": "a", "all_keys": "a b"}),
    ("a list of strings", obj(a={"type": "array", "items": TEXT}), {"keys": "a", "all_keys": "a"}),
    ("a list of known objects", obj(a={"type": "array", "items": obj(b=TEXT)}), {"keys": "a", "all_keys": "a b"}),
    ("a list of objects with a key of the unit", obj(a={"items": obj(a=TEXT, b=TEXT)}, c=TEXT),
     {"keys": "a c", "all_keys": "a b c", "shared": "a", "nested_any": False}),
    ("an object in an object in a list", obj(a={"type": "array", "items": obj(b=obj(a=TEXT))}),
     {"keys": "a", "all_keys": "a b"}),
    ("a list of lists of objects", obj(a={"type": "array", "items": {"type": "array", "items": obj(a=TEXT)}}),
     {"keys": "a", "all_keys": "a", "shared": "a"}),
    ("a list of anything", obj(a={"type": "array"}), {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("a list of whatever", obj(a={"type": "array", "items": True}),
     {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("a list of objects of anything", obj(a={"type": "array", "items": {"type": "object"}}),
     {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("a list of maps", obj(a={"type": "array", "items": {"type": "object", "additionalProperties": NUMBER}}),
     {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("a list of empty objects", obj(a={"type": "array", "items": {"type": "object", "additionalProperties": False}}),
     {"keys": "a", "all_keys": "a"}),
    ("a map of numbers", obj(a={"type": "object", "additionalProperties": NUMBER}), {"keys": "a", "all_keys": "a"}),
    ("a map of lists of anything", obj(a={"type": "object", "additionalProperties": {"type": "array"}}),
     {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("a map by pattern", obj(a={"type": "object", "patternProperties": {"^x": obj(b=TEXT)}}),
     {"keys": "a", "all_keys": "a b"}),
    ("an object of anything", obj(a={"type": "object"}), {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("anything", obj(a={}), {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("anything, said by a remark", obj(a={"description": "free"}), {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("an enumeration needs no type", obj(a={"enum": ["x", 1]}),
     {"keys": "a", "all_keys": "a", "choices": {"x": {"x"}}}),
    ("nothing said of the unit", {"type": "object"}, {"nested_any": True}),
    ("a pair", obj(a={"type": "array", "prefixItems": [TEXT, obj(a=TEXT)], "items": False}),
     {"keys": "a", "all_keys": "a", "shared": "a"}),
    ("a pair and more", obj(a={"type": "array", "prefixItems": [TEXT]}),
     {"keys": "a", "all_keys": "a", "nested_any": True}),
    ("allOf", {"allOf": [obj(a=TEXT), {"$ref": "#/$defs/b"}]}, {"keys": "a b", "all_keys": "a b"}),
    ("allOf joins what it says of one key",
     {"allOf": [obj(a={"type": "array"}), {"properties": {"a": {"items": obj(b=TEXT)}}}]},
     {"keys": "a", "all_keys": "a b"}),
    ("a union of lists", obj(a={"anyOf": [{"type": "array", "items": obj(a=TEXT)}, {"type": "array"}]}),
     {"keys": "a", "all_keys": "a", "shared": "a", "nested_any": True}),
    ("a union in which an arm has the same key otherwise",
     {"anyOf": [obj(a=TEXT), obj(a={"type": "array", "items": obj(a=TEXT)})]},
     {"keys": "a", "all_keys": "a", "shared": "a"}),
    ("a union of requirements", {**obj(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     {"keys": "a b", "all_keys": "a b"}),
    ("then", {**obj(a=TEXT), "if": {"required": ["a"]}, "then": {"properties": {"b": TEXT}}},
     {"keys": "a b", "all_keys": "a b"}),
    ("a tree", {"$ref": "#/$defs/tree"}, {"keys": "in n", "all_keys": "in n", "shared": "in n"}),
    ("choices", obj(a={"enum": ["Park", "park", 1, None]}, b=obj(c={"items": {"const": "Drop"}})),
     {"keys": "a b", "all_keys": "a b c", "choices": {"park": {"Park", "park"}, "drop": {"Drop"}}}),
    ("tags", KINDS, {"keys": "id kind n", "all_keys": "id kind n", "tags": {"add": "kind", "drop": "kind"},
                     "choices": {"add": {"add"}, "drop": {"drop"}}}),
    ("tags by reference, in an enumeration of one",
     {"anyOf": [{"$ref": "#/$defs/x"}, {"allOf": [{"$ref": "#/$defs/y"}]}]},
     {"keys": "t", "all_keys": "t", "tags": {"x": "t", "y": "t"}, "choices": {"x": {"x"}, "y": {"y"}}}),
    ("no tag where one arm has none", {"anyOf": [obj(t={"const": "x"}), obj(u=TEXT)]},
     {"keys": "t u", "all_keys": "t u", "choices": {"x": {"x"}}}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), [fact[1:] for fact in FACTS], ids=[fact[0] for fact in FACTS])
def test_what_the_boundary_knows_beforehand(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """Keys, nesting, choices and tags of a unit, from its schema alone; alike wherever it stands."""
    definitions = {
        "b": obj(b=TEXT),
        "tree": obj(n=TEXT, **{"in": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}),
        "x": obj(t={"const": "x"}),
        "y": obj(t={"enum": ["y"]}),
    }
    for compiled in (
        compile_it({"type": "array", "items": schema, "$defs": definitions}),
        compile_it({**schema, "$defs": definitions}, one=True),
        compile_it({"properties": {"u": {"items": schema}}, "$defs": definitions, "$anchor": "x"}, "u"),
    ):
        unit = compiled.unit
        assert {
            "keys": " ".join(sorted(unit.keys)),
            "all_keys": " ".join(sorted(unit.all_keys)),
            "shared": " ".join(sorted(unit.shared_keys)),
            "nested_any": unit.nested_any,
            "choices": {folded: set(found) for folded, found in unit.choices.items()},
            "tags": unit.tags,
        } == {
            "keys": "",
            "all_keys": "",
            "shared": "",
            "nested_any": False,
            "choices": {},
            "tags": {},
            **expected,
        }


# ---------------------------------------------------------------------- what makes no sense

MISUSES: list[tuple[str, Any, str, dict[str, Any], str]] = [
    ("true", True, "", {}, "give the parsed JSON Schema"),
    ("false", False, "", {}, "give the parsed JSON Schema"),
    ("a text", json.dumps(LIST), "", {}, "give the parsed JSON Schema"),
    ("no JSON", {"enum": [object()]}, "", {}, "give what json.loads returns"),
    ("NaN", {"maximum": float("nan")}, "", {}, "give what json.loads returns"),
    ("a type that is none", {"type": "strin"}, "", {}, "correct it by the metaschema of draft 2020-12"),
    ("a bound that is none", {"properties": {"u": {"minItems": "2"}}}, "u", {}, "at /properties/u/minItems"),
    ("a pattern that is none", {"properties": {"u": {"pattern": "("}}}, "u", {}, "correct it by the metaschema"),
    ("items of an older draft", {"items": [UNIT]}, "", {}, "items: {oneOf"),
    ("a list of no places", obj(a={"items": []}), "", {"one": True}, "at /properties/a/prefixItems"),
    ("places in two drafts", obj(a={"items": [TEXT], "prefixItems": [TEXT]}), "", {"one": True}, "at /properties/a"),
    ("the rest in another draft", obj(a={"prefixItems": [TEXT], "additionalItems": False}), "", {"one": True},
     "items for the rest"),
    ("another language", {**LIST, "$schema": "https://example.org/mine"}, "", {}, '"$schema": "https://json-schema.org/'),
    ("dependencies of draft 03", obj(a={"dependencies": {"a": "b"}}), "", {"one": True},
     "/properties/a/dependencies neither a list"),
    ("an exclusive bound without one", obj(a={"exclusiveMinimum": True}), "", {"one": True}, "at /properties/a says"),
    ("$recursiveRef to one of several", obj(a={"$recursiveRef": "#", "$id": "https://example.org/a",
                                              "$recursiveAnchor": True}), "", {"one": True}, "write $ref"),
    ("$recursiveRef elsewhere", obj(a={"$recursiveRef": "#/$defs/a"}), "", {"one": True}, "write $ref"),
    ("contains, read otherwise", {"$schema": "https://json-schema.org/draft/2019-09/schema",
                                  "properties": {"a": {"contains": TEXT, "unevaluatedItems": False}}}, "",
     {"one": True}, "take one of the two out"),
    ("$dynamicRef", {**LIST, "items": {**UNIT, "properties": {"a": {"$dynamicRef": "#a"}}, "$dynamicAnchor": "a"}},
     "", {}, "write $ref"),
    ("another language inside", {**LIST, "$defs": {"a": {"$schema": "https://example.org/mine"}}}, "", {},
     "the schema at /$defs/a is written in a language of its own"),
    ("a format nobody asserts", {**LIST, "items": obj(a={"format": "int32"})}, "", {}, "take the format out"),
    ("a web reference", {**LIST, "items": {"$ref": "https://example.org/unit"}}, "", {}, "nothing is fetched"),
    ("a local server", {**LIST, "items": {"$ref": "http://127.0.0.1:9/unit"}}, "", {}, "nothing is fetched"),
    ("a file", {**LIST, "items": {"$ref": "file:///etc/hostname"}}, "", {}, "put what it refers to into $defs"),
    ("a reference to nothing", {**LIST, "items": {"$ref": "#/$defs/no"}}, "", {}, "put what it refers to into $defs"),
    ("where a reference leads nowhere", obj(a={"items": {"$ref": "#/$defs/no"}}), "", {"one": True},
     "at /properties/a/items/$ref: Pointer '/$defs/no' does not exist"),
    ("where a reference is none", obj(a={"$ref": "http://["}), "", {"one": True}, "at /properties/a/$ref: Invalid URI"),
    ("where a name is none", obj(a={"$id": "http://["}), "", {"one": True}, "at /properties/a/$id: Invalid URI"),
    ("a key with a slash", obj(**{"a/b~": {"type": "strin"}}), "", {"one": True}, "at /properties/a~1b~0/type"),
    ("half a character", obj(a={"const": "\ud800"}), "", {"one": True}, "at /properties/a/const"),
    ("half a character in a key", obj(**{"\udfff": {}}), "", {"one": True}, "at /properties/\\udfff"),
    ("an unused web reference", {**LIST, "$defs": {"a": {"$ref": "https://example.org/a"}}}, "", {}, "put what it refers to"),
    ("no such property", {"properties": {"units": LIST}}, "u", {}, 'say at="units"'),
    ("no such property, deeper", {"properties": {"a": {"properties": {"units": LIST}}}}, "a/u", {},
     'say at="/a/units"'),
    ("no list there", {"properties": {"u": UNIT, "v": LIST}}, "u", {}, "describes no list at"),
    ("an object inside the place", {"properties": {"u": obj(v=LIST)}}, "u", {}, 'say at="/u/v"'),
    ("a document, and nobody says where", REPORT, "", {}, 'say at="recommendations"'),
    ("a document without a type", {"properties": {"u": LIST}}, "", {}, 'say at="u"'),
    ("a unit where a list is due", UNIT, "", {}, "locality=Locality.ONE"),
    ("a place in a single unit", UNIT, "u", {"one": True}, "leave at= out"),
    ("no items", {"type": "array"}, "", {}, "describe the unit with items"),
    ("prefixItems", {"type": "array", "prefixItems": [UNIT]}, "", {}, "oneOf"),
    ("prefixItems and items", {**LIST, "prefixItems": [UNIT]}, "", {}, "oneOf"),
    ("units that are no objects", {"type": "array", "items": {"type": "string"}}, "", {}, "wrap the value in an object"),
    ("units that nothing can be", {"type": "array", "items": False}, "", {}, "wrap the value in an object"),
    ("one unit that is a list", LIST, "", {"one": True}, "wrap the value in an object"),
    ("a list of nothing", {**LIST, "maxItems": 0}, "", {}, "raise maxItems"),
    ("more than is kept", {**LIST, "minItems": 3, "maxItems": 2}, "", {}, "lower minItems"),
    ("more than the limit", {**LIST, "minItems": 3}, "", {"limits": Limits(max_items=2)}, "raise maxItems and limits"),
    ("a condition on the list", {"properties": {"u": LIST}, "then": {"properties": {"u": {"maxItems": 1}}},
                                 "if": {"required": ["s"]}}, "u", {}, "write the condition as a check"),
    ("a condition by the list", {"properties": {"u": LIST}, "if": {"properties": {"u": {"minItems": 1}}},
                                 "then": {"required": ["s"]}}, "u", {}, "write the condition as a check"),
    ("a union over the list", {"properties": {"u": LIST}, "oneOf": [{"properties": {"u": {"minItems": 1}}},
                                                                   {"required": ["e"]}]}, "u", {}, "as a check"),
    ("a list forbidden", {"properties": {"u": LIST}, "not": {"properties": {"u": {"minItems": 9}}}}, "u", {},
     "as a check"),
    ("a pattern over the list", {"properties": {"u": LIST}, "patternProperties": {"^u": {"maxItems": 1}}}, "u", {},
     "describe the list under properties alone"),
    ("a reference to nothing in the unit", LIST, "", {"references": {"/no": "work"}}, "its keys are: id"),
    ("a reference to the unit itself", LIST, "", {"references": {"": "work"}}, "use a JSON Pointer inside the unit"),
    ("a reference to a number", LIST, "", {"references": {"/id": "work"}}, "point at the string"),
    ("a reference without a name", {"items": obj(a=TEXT)}, "", {"references": {"/a": ""}}, "workstream"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "at", "options", "words"),
    [misuse[1:] for misuse in MISUSES],
    ids=[misuse[0] for misuse in MISUSES],
)
def test_a_schema_that_makes_no_sense_is_refused_with_the_remedy(
    schema: Any, at: str, options: dict[str, Any], words: str
) -> None:
    """The caller learns at construction, and learns what to write instead."""
    assert words in remedy(schema, at, **options)


def test_nothing_is_read_from_the_disk(tmp_path: Any) -> None:
    """A schema that lies there and fits is not read either."""
    file = tmp_path / "unit.json"
    file.write_text(json.dumps(UNIT))
    assert "nothing is fetched" in remedy({"type": "array", "items": {"$ref": file.as_uri()}})


def test_a_missing_judge_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is not part of the base; who needs it is told how to get it."""
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    assert "pip install 'pratique[schema]'" in remedy(LIST)


def test_importing_the_room_does_not_import_the_judge() -> None:
    """``import pratique`` and the terms need the base dependencies only."""
    import subprocess

    code = "import sys, pratique.terms.json_schema; sys.exit('jsonschema_rs' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---------------------------------------------------------------------- older drafts

DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019 = (
    f"http{secure}://json-schema.org/{draft}/schema{end}"
    for secure, draft, end in (
        ("", "draft-04", "#"),
        ("", "draft-06", "#"),
        ("", "draft-07", ""),
        ("s", "draft/2019-09", ""),
    )
)

READINGS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("an exclusive minimum", DRAFT_4, {"minimum": 5, "exclusiveMinimum": True}, {"exclusiveMinimum": 5}),
    ("an exclusive maximum", DRAFT_4, {"maximum": 5, "exclusiveMaximum": True}, {"exclusiveMaximum": 5}),
    ("a bound that is not exclusive", DRAFT_4, {"minimum": 5, "exclusiveMinimum": False}, {"minimum": 5}),
    ("a number that is exclusive", DRAFT_6, {"exclusiveMinimum": 5}, {"exclusiveMinimum": 5}),
    ("keys that need keys", DRAFT_4, {"dependencies": {"a": ["b"]}}, {"dependentRequired": {"a": ["b"]}}),
    ("keys that need a schema", DRAFT_7, {"dependencies": {"a": {"maxProperties": 1}, "b": False}},
     {"dependentSchemas": {"a": {"maxProperties": 1}, "b": False}}),
    ("both kinds", DRAFT_7, {"dependencies": {"a": ["b"], "b": {"maxProperties": 2}}},
     {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"maxProperties": 2}}}),
    ("places of a list", DRAFT_4, {"items": [TEXT, {"type": "integer"}]}, {"prefixItems": [TEXT, {"type": "integer"}]}),
    ("places and the rest", DRAFT_7, {"items": [TEXT], "additionalItems": {"type": "integer"}},
     {"prefixItems": [TEXT], "items": {"type": "integer"}}),
    ("places and no rest", DRAFT_2019, {"items": [TEXT], "additionalItems": False},
     {"prefixItems": [TEXT], "items": False}),
    ("a rest of nothing", DRAFT_7, {"items": TEXT, "additionalItems": False}, {"items": TEXT, "additionalItems": False}),
    ("old forms inside old forms", DRAFT_4,
     {"items": [{"dependencies": {"a": {"items": [{"minimum": 1, "exclusiveMinimum": True}]}}}]},
     {"prefixItems": [{"dependentSchemas": {"a": {"prefixItems": [{"exclusiveMinimum": 1}]}}}]}),
    ("a pointer through a list", DRAFT_7, {"items": [TEXT], "additionalItems": {"$ref": "#/items/0"}},
     {"prefixItems": [TEXT], "items": {"$ref": "#/prefixItems/0"}}),
    ("a pointer through dependencies", DRAFT_7,
     {"dependencies": {"a b": {"maxProperties": 1}}, "properties": {"b": {"$ref": "#/dependencies/a%20b"}}},
     {"dependentSchemas": {"a b": {"maxProperties": 1}}, "properties": {"b": {"$ref": "#/dependentSchemas/a%20b"}}}),
    ("a pointer to what is no keyword", DRAFT_4, {"properties": {"items": {"$ref": "#/x/items"}},
                                                 "x": {"items": {"minimum": 1, "exclusiveMinimum": True}}},
     {"properties": {"items": {"$ref": "#/x/items"}}, "x": {"items": {"exclusiveMinimum": 1}}}),
    ("an anchor", DRAFT_6, {"items": {"$ref": "#t"}, "definitions": {"t": {"$id": "#t", "type": "string"}}},
     {"items": {"$ref": "#t"}, "definitions": {"t": {"$anchor": "t", "type": "string"}}}),
    ("an id that is asked for", DRAFT_4,
     {"id": "http://example.org/a", "items": {"$ref": "b"}, "definitions": {"b": {"id": "b", "type": "string"}}},
     {"$id": "http://example.org/a", "items": {"$ref": "b"}, "definitions": {"b": {"$id": "b", "type": "string"}}}),
    ("an anchor of draft 04", DRAFT_4, {"items": {"$ref": "#t"}, "definitions": {"t": {"id": "#t", "type": "string"}}},
     {"items": {"$ref": "#t"}, "definitions": {"t": {"$anchor": "t", "type": "string"}}}),
    ("ids that nothing asks for", DRAFT_4, {"id": "a", "items": {"id": "#c", "type": "string"}},
     {"id": "a", "items": {"id": "#c", "type": "string"}}),
    ("a name beside a reference", DRAFT_7,
     {"items": {"$id": "http://example.org/b", "$ref": "#/definitions/t"}, "definitions": {"t": TEXT}},
     {"items": {"$ref": "#/definitions/t"}, "definitions": {"t": TEXT}}),
    ("a tree", DRAFT_2019, {"properties": {"a": {"$recursiveRef": "#"}}, "$recursiveAnchor": True, "maxProperties": 1},
     {"properties": {"a": {"$ref": "#"}}, "maxProperties": 1}),
    ("a draft that is named inside", DRAFT_4, {"items": {"$schema": DRAFT_4, "minimum": 1, "exclusiveMinimum": True}},
     {"items": {"exclusiveMinimum": 1}}),
    ("words in values", DRAFT_4, {"enum": [{"dependencies": {"a": ["b"]}, "$schema": 1}, {"items": ["a"]}]},
     {"enum": [{"dependencies": {"a": ["b"]}, "$schema": 1}, {"items": ["a"]}]}),
    ("keys that are called like keywords", DRAFT_4, {"properties": {"$schema": TEXT, "dependencies": {"items": [TEXT]}}},
     {"properties": {"$schema": TEXT, "dependencies": {"prefixItems": [TEXT]}}}),
]  # fmt: skip

VALUES: list[Any] = [
    None, True, 0, 1, 4, 5, 6, -1.5, 5.5, "", "a", [], ["a"], [1], ["a", 1], ["a", "b"], ["a", 1, "c"], [5, 6], [[], "a"],
    {}, {"a": 1}, {"b": 2}, {"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, {"a b": 1}, {"a b": 1, "b": 1}, {"b": {"x": 1, "y": 2}},
    {"a": {"a": {}}}, {"a": {"a": {}, "b": 1}}, {"items": 1}, {"items": 0.5}, {"items": [1]}, {"items": [0, 1]},
    [{"a": [1]}], [{"a": [0]}], [{"a": 1}], {"dependencies": {"a": ["b"]}, "$schema": 1}, {"$schema": 1}, {"dependencies": [1]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("draft", "schema", "expected"), [reading[1:] for reading in READINGS], ids=[reading[0] for reading in READINGS]
)
def test_an_older_drafts_words_are_read_as_todays(draft: str, schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """And the judge of that draft gives the same verdict on the old words as today's on the new."""
    import jsonschema_rs

    asked = {"$schema": draft, **schema}
    read = as_2020_12(copy.deepcopy(asked))
    assert read == expected
    then, now = jsonschema_rs.validator_for(asked, offline=True), jsonschema_rs.Draft202012Validator(read, offline=True)
    verdicts = [then.is_valid(value) for value in VALUES]
    assert [now.is_valid(value) for value in VALUES] == verdicts


@pytest.mark.parametrize(
    "schema", [reading[2] for reading in READINGS if reading[1] == DRAFT_4 and "$ref" not in str(reading)]
)
def test_the_form_tells_its_draft_where_no_schema_names_one(schema: dict[str, Any]) -> None:
    """A list under items, a boolean bound and dependencies mean one thing only."""
    named = as_2020_12({"$schema": DRAFT_4, **copy.deepcopy(schema)})
    assert as_2020_12(copy.deepcopy(schema)) == named


@st.composite
def old_schemas(draw: st.DrawFn, level: int = 2) -> dict[str, Any]:
    """Draw a schema of draft 04 with the keywords that changed since."""
    inner = old_schemas(level=level - 1) if level else st.just({"type": "integer"})
    bound = st.integers(0, 3)
    schema: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["object", "array", "integer", ["array", "object"]]),
                "items": st.one_of(inner, st.lists(inner, min_size=1, max_size=2)),
                "additionalItems": st.one_of(st.booleans(), inner),
                "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
                "dependencies": st.dictionaries(st.sampled_from("ab"), st.one_of(inner, st.just(["b"])), min_size=1),
                "allOf": st.lists(inner, min_size=1, max_size=2),
                "not": inner,
            },
        )
    )
    for word in ("minimum", "maximum"):
        if draw(st.booleans()):
            schema[word] = draw(bound)
            exclusive = draw(st.sampled_from([None, True, False]))
            schema.update({} if exclusive is None else {f"exclusive{word.capitalize()}": exclusive})
    return schema


_SMALL = st.recursive(
    st.integers(0, 4),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(old_schemas(), st.lists(_SMALL, min_size=5, max_size=5))
def test_draft_04_and_its_reading_judge_alike(schema: dict[str, Any], values: list[Any]) -> None:
    """Whatever the words are combined to: the judge of draft 04 and that of 2020-12 agree."""
    import jsonschema_rs

    then = jsonschema_rs.Draft4Validator(schema, offline=True)
    now = jsonschema_rs.Draft202012Validator(as_2020_12(copy.deepcopy(schema)), offline=True)
    assert [now.is_valid(value) for value in values] == [then.is_valid(value) for value in values]


def test_what_an_older_draft_passed_over_holds() -> None:
    """What stands beside $ref, and a keyword that came later: somebody wrote it, and it is not dropped."""
    beside = {"$schema": DRAFT_7, **obj(a={"$ref": "#/definitions/a", "maxLength": 2}), "definitions": {"a": TEXT}}
    later = {"$schema": DRAFT_4, "if": {"required": ["a"]}, "then": {"required": ["b"]}}
    for schema, value in ((beside, {"a": "long"}), (later, {"a": "1"})):
        assert kinds(compile_it(schema, one=True), value) != []


def test_a_reference_in_old_words_still_finds_its_unit() -> None:
    """The whole way: taken apart, with the units judged by what the old words say."""
    unit = {"dependencies": {"a": ["b"]}, "properties": {"a": {"minimum": 0, "exclusiveMinimum": True}}}
    schema = {"$schema": DRAFT_4, "definitions": {"u": {"type": "object", **unit}},
              "properties": {"u": {"type": "array", "items": {"$ref": "#/definitions/u"}}}}  # fmt: skip
    compiled = compile_it(schema, "u")
    assert kinds(compiled, {"a": 1, "b": 1}) == []
    assert kinds(compiled, {"a": 1}) == ["json_schema_required"]
    assert kinds(compiled, {"a": 0, "b": 1}) == ["json_schema_exclusiveMinimum"]


# ---------------------------------------------------------------------- what would cost without end


def nested(levels: int) -> dict[str, Any]:
    """Return a schema of objects in objects."""
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


def doubling(levels: int, keyword: str = "allOf") -> dict[str, Any]:
    """Return a schema whose every definition names the next one twice."""
    named = {f"d{at}": {keyword: [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**named, f"d{levels}": {"type": "object"}}}


def chained(links: int) -> dict[str, Any]:
    """Return a schema of definitions that only lead on."""
    named = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(links)}
    return {"$ref": "#/$defs/d0", "$defs": {**named, f"d{links}": {"type": "object"}}}


def crossing(*lengths: int) -> dict[str, Any]:
    """Return a schema of rings that turn together: what judges a value comes back after their product."""
    rings = {
        f"r{length}-{at}": obj(n={"$ref": f"#/$defs/r{length}-{(at + 1) % length}"})
        for length in lengths
        for at in range(length)
    }
    return {"type": "object", "allOf": [{"$ref": f"#/$defs/r{length}-0"} for length in lengths], "$defs": rings}


def containing_itself() -> dict[str, Any]:
    loop: list[Any] = []
    loop.append(loop)
    return {"enum": loop}


def shared_over_and_over() -> dict[str, Any]:
    shared: dict[str, Any] = {"type": "object"}
    for _ in range(60):
        shared = {"properties": {"a": shared, "b": shared}}
    return shared


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        pytest.param(nested(10_000), f"more than {MAX_SCHEMA_LEVELS} levels deep, at /properties/a/", id="deep"),
        pytest.param(containing_itself(), "levels deep, at /enum/0/0", id="contains itself"),
        pytest.param(shared_over_and_over(), f"larger than {MAX_SCHEMA_BYTES} bytes", id="shared"),
        pytest.param({"description": "x" * 10_000_000}, f"larger than {MAX_SCHEMA_BYTES} bytes", id="one long text"),
        pytest.param(
            obj(**{f"p{at}": TEXT for at in range(300_000)}), f"larger than {MAX_SCHEMA_BYTES} bytes", id="many keys"
        ),
        pytest.param(doubling(40), f"more than {MAX_SCHEMA_STEPS} steps", id="doubling"),
        pytest.param(doubling(40, "anyOf"), f"more than {MAX_SCHEMA_STEPS} steps", id="doubling arms"),
        pytest.param(chained(10_000), f"more than {MAX_SCHEMA_LEVELS} schemas, one after the other", id="a chain"),
        pytest.param(
            crossing(2, 3, 5, 7, 11, 13, 17, 19), "the same ones over and over", id="rings", marks=pytest.mark.slow
        ),
        pytest.param({"$ref": "#"}, "leads back to itself", id="itself"),
        pytest.param(obj(a={"not": {"$ref": "#/properties/a"}}), "/properties/a leads back to itself", id="not itself"),
    ],
)
def test_a_schema_that_would_cost_without_end_is_refused(schema: dict[str, Any], words: str) -> None:
    """By what it would cost, before it costs it: nothing is expanded."""
    assert words in remedy(schema, one=True)


def test_a_schema_at_each_bound_is_taken() -> None:
    """The bounds are inclusive."""
    levels = nested((MAX_SCHEMA_LEVELS - 1) // 2)
    assert remedy(nested(MAX_SCHEMA_LEVELS // 2), one=True)
    empty = len(json.dumps({"type": "object", "description": ""}, separators=(",", ":")))
    large = {"type": "object", "description": "x" * (MAX_SCHEMA_BYTES - empty)}
    assert remedy({**large, "description": large["description"] + "x"}, one=True)
    many = {"type": "object", "anyOf": [{}] * (MAX_SCHEMA_STEPS - 1)}
    assert remedy({**many, "anyOf": [{}] * MAX_SCHEMA_STEPS}, one=True)
    far = chained(MAX_SCHEMA_LEVELS - 2)
    assert remedy(chained(MAX_SCHEMA_LEVELS), one=True)
    for schema in (levels, large, many, far):
        assert problems(compile_it(schema, one=True), {"a": {"a": {}}}) == []


def test_recursion_that_goes_into_the_value_is_no_cost_without_end() -> None:
    """A tree names itself below its own properties and items."""
    tree = obj(kids={"type": "array", "items": {"$ref": "#"}}, next={"anyOf": [{"$ref": "#"}, {"type": "null"}]})
    assert problems(compile_it(tree, one=True), {"kids": [{"next": {"kids": []}}], "next": None}) == []


def test_one_definition_used_many_times_is_no_doubling() -> None:
    """Ten thousand keys that share one definition take one step each."""
    wide = {**obj(**{f"k{at}": {"$ref": "#/$defs/t"} for at in range(2_000)}), "$defs": {"t": TEXT}}
    assert kinds(compile_it(wide, one=True), {"k7": 1}) == ["json_schema_type"]


def calls_to_compile(schema: dict[str, Any]) -> int:
    """Count the Python functions that are called to compile a schema."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        compile_it(schema, one=True)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf", "$defs", "properties"])
def test_the_work_of_compiling_grows_with_the_schema(keyword: str) -> None:
    """Twice the arms, definitions or properties: about twice the calls, never their square."""

    def wide(count: int) -> dict[str, Any]:
        arms = [obj(**{f"k{at}": {"type": "string"}}) for at in range(count)]
        named = {f"d{at}": arm for at, arm in enumerate(arms)}
        used = {"properties": {name: {"$ref": f"#/$defs/{name}"} for name in named}} if keyword == "$defs" else {}
        return {"type": "object", keyword: arms if keyword.endswith("Of") else named, **used}

    compile_it(wide(10), one=True)
    assert calls_to_compile(wide(800)) < 2.5 * calls_to_compile(wide(400))


FORMATS = {
    "date": "2026-02-30", "date-time": "2026-02-03", "time": "25:00:00Z", "duration": "1 day", "email": "a", "idn-email": "a",
    "hostname": "-a", "idn-hostname": "〮a", "ipv4": "1.2.3.256", "ipv6": "::g", "uri": "a", "uri-reference": "\\a",
    "iri": "a", "iri-reference": "\\a", "uri-template": "{a", "uuid": "123456789", "json-pointer": "a",
    "relative-json-pointer": "/a", "regex": "(",
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("draft", ["draft-04", "draft-07", "draft/2020-12"])
def test_a_format_is_asserted_whatever_the_draft(draft: str, name: str) -> None:
    """Also where the draft that is named did not know it yet."""
    schema = {"$schema": f"https://json-schema.org/{draft}/schema", **obj(a={"format": name})}
    assert kinds(compile_it(schema, one=True), {"a": FORMATS[name]}) == ["json_schema_format"]


@pytest.mark.parametrize("draft", ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"])
def test_an_older_draft_that_says_the_same_is_read_as_2020_12(draft: str) -> None:
    """Most schemas in use name an older draft and use nothing that changed since."""
    compiled = compile_it({**LIST, "$schema": f"http://json-schema.org/{draft}/schema#"})
    assert kinds(compiled, {"id": "1"}) == ["json_schema_type"]


def test_an_open_unit_stays_open() -> None:
    """JSON Schema decides: without additionalProperties: false any key may come, and stays in the value."""
    assert problems(compile_it(LIST), {"id": 1, "mood": "fine"}) == []


def test_an_open_object_is_not_mistaken_for_what_stands_in_it() -> None:
    """Where any object may be the unit, the outermost one is: a key of the schema's further in says nothing."""
    contract = Contract.from_json_schema({"type": "object", "properties": {"type": {"type": "string"}}}, locality="one")
    written = {"links": [{"rel": "self"}], "properties": {"type": "manual"}}
    assert contract.admit(json.dumps(written)).values == (written,)
