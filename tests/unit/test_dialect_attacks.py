"""Attacks on the compiler: contracts that were once made too narrow, promised too much, or cost without end."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from random import Random
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from pydantic import BaseModel, Field, NaiveDatetime, WithJsonSchema

from pratique import Compiled, Contract, Delivery, Finding, Limits, Locality, Misuse, Status, ToolCall, refuse
from pratique.dialects.nodes.constraint import OF_THE_LENS, Fate
from pratique.testing.oracle import Grammar

LIMITS = Limits(max_depth=60)
SAMPLES = 40
TEXT, WHOLE, NOTHING = {"type": "string"}, {"type": "integer"}, {"type": "null"}
GIVE_UP_S = 20
"""After which a process that would never end is ended."""

Schema = dict[str, Any]


def record(*optional: str, **fields: Any) -> Schema:
    """Write the schema of a closed object; ``optional`` names the fields that may be left out."""
    required = [name for name in fields if name not in optional]
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def contract_of(schema: Mapping[str, Any]) -> Contract[Any]:
    """Make a contract of one JSON object."""
    return Contract.from_json_schema(schema, locality=Locality.ONE, limits=LIMITS, name="c")


def compact(value: Any) -> str:
    """Write JSON as a decoder that is held to a schema does."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def require_way_there_and_back(schema: Schema, target: str, value: Any) -> None:
    """Require that a valid value can be written for a target, and comes back as it was."""
    assert jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(value)
    contract = contract_of(schema)
    compiled = contract.compile(target, form="schema")
    text = compact(compiled.lens.out(value))
    assert Grammar(compiled.schema).accepts(text), (text, compiled.schema)
    admission = contract.admit(text, compiled=compiled)
    assert admission.status is Status.CLEAN, admission.findings
    assert admission.values == (value,)


def leaks(schema: Mapping[str, Any], target: str) -> list[str]:
    """Return texts that a target can write although they break what it is told to enforce."""
    compiled = contract_of(schema).compile(target, form="schema")
    kept = jsonschema_rs.Draft202012Validator(compiled.promised("unit"), validate_formats=True)
    grammar = Grammar(compiled.schema)
    found = [text for seed in range(SAMPLES) if (text := grammar.sample(Random(seed))) is not None]
    assert found
    return [text for text in found if not _keeps(kept, compiled, text)]


def _keeps(kept: Any, compiled: Compiled, text: str) -> bool:
    """Say whether a text keeps the promise, or breaks what only the wire's shape has, as it was told."""
    try:
        return bool(kept.is_valid(compiled.lens.back(json.loads(text))))
    except ValueError:
        return any(row.pointer in OF_THE_LENS for row in compiled.residue)


def fate_of(compiled: Compiled, pointer: str) -> Fate:
    """Return what became of one constraint of the unit."""
    return next(row.fate for row in compiled.constraints if row.part == "unit" and row.pointer == pointer)


def calls_of(work: Callable[[], object]) -> int:
    """Count the Python functions that a piece of work calls."""
    calls = 0

    def count(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        del frame, arg
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def compile_calls(schema: Mapping[str, Any], target: str) -> int:
    """Count what one compilation costs."""
    contract = contract_of(schema)
    return calls_of(lambda: contract.compile(target, form="schema"))


# ---------------------------------------------------------------------- too narrow

BY_FORMAT = record(
    u={
        "anyOf": [
            record("o", d={"type": "string", "format": "date"}, o=WHOLE),
            record("o", d={"type": "string", "format": "ipv4"}, o=WHOLE),
        ]
    }
)


def test_arms_that_only_a_format_tells_apart_are_chosen_by_it() -> None:
    """The name that stands before a value is that of an arm which takes it."""
    require_way_there_and_back(BY_FORMAT, "openai/chat", {"u": {"d": "1.2.3.4"}})


def test_an_arm_is_chosen_as_the_judge_reads_a_pattern() -> None:
    r"""``\W`` takes an accented letter in JSON Schema, and not in Python."""
    odd = {"type": "string", "pattern": r"^\W$"}
    schema = record(u={"anyOf": [record("o", s=WHOLE, o=WHOLE), record("o", s=odd, o=WHOLE)]})
    require_way_there_and_back(schema, "openai/chat", {"u": {"s": "é"}})


def test_a_described_null_among_named_arms_stays_a_null() -> None:
    """What is written about a null does not make it a variant that values never have."""
    null = {"type": "null", "description": "nothing was found"}
    schema = record(u={"anyOf": [null, record("b", a=WHOLE, b=WHOLE), record("c", a=TEXT, c=WHOLE)]})
    require_way_there_and_back(schema, "openai/chat", {"u": None})


@pytest.mark.parametrize("target", ["openai/chat", "mistral", "portable"])
@pytest.mark.parametrize("value", [{}, {"y": 1}, {"x": None, "y": 1}, {"x": "s", "y": 1}])
@pytest.mark.parametrize(
    "rule", [{}, {"dependentRequired": {"x": ["y"]}}, {"not": {"required": ["x"], "maxProperties": 1}}]
)
def test_absent_stays_absent_where_null_is_the_default(target: str, value: Any, rule: Schema) -> None:
    """To JSON Schema an absent key and a null are two values, whatever the default says."""
    nullable = {"type": ["string", "null"], "default": None}
    schema = {**record("x", "y", x=nullable, y=WHOLE), **rule}
    if jsonschema_rs.validator_for(schema).is_valid(value):
        require_way_there_and_back(schema, target, value)


def test_counts_that_are_written_as_fractions_are_sent_whole() -> None:
    """``minItems: 1.0`` is 1; endpoints want the integer."""
    lists = {"type": "array", "items": WHOLE, "minItems": 1.0, "maxItems": 3.0}
    pairs = {"type": "object", "additionalProperties": WHOLE, "minProperties": 1.0}
    require_way_there_and_back(record(t=lists, m=pairs), "openai/chat", {"t": [1], "m": {"a": 1}})


@pytest.mark.parametrize(
    ("unit", "text"), [(NaiveDatetime, "2020-01-01T00:00:00"), (dt.time, "10:00:00"), (dt.timedelta, "-P1D")]
)
def test_what_a_type_reads_beyond_its_format_can_be_written(unit: Any, text: str) -> None:
    """Pydantic calls it date-time, time or duration, and RFC 3339 wants an offset and knows no minus."""

    class Unit(BaseModel):
        at: unit

    contract = Contract.one(Unit, name="c")
    assert contract.admit(compact({"at": text})).status is Status.CLEAN
    compiled = contract.compile("llama.cpp/llguidance")
    assert Grammar(compiled.schema).accepts(compact({"at": text}))


def test_a_typed_pattern_takes_letters_of_every_alphabet_on_the_wire_too() -> None:
    r"""Pydantic's ``\w`` is Unicode's; an engine's is ASCII's."""

    class Unit(BaseModel):
        name: str = Field(pattern=r"^\w+$")

    text = compact({"name": "José"})
    contract = Contract.one(Unit, name="c")
    assert contract.admit(text).status is Status.CLEAN
    assert Grammar(contract.compile("llama.cpp/llguidance").schema).accepts(text)


# ---------------------------------------------------------------------- the lens


@pytest.mark.parametrize("tag", ['a"b', "c\nd", "back\\slash"])
@pytest.mark.parametrize("target", ["openai/chat", "anthropic/messages"])
def test_a_tag_is_itself_however_it_is_escaped(target: str, tag: str) -> None:
    """An arm is found by what its tag says, not by how JSON writes it."""
    pairs = {"type": "object", "additionalProperties": WHOLE}
    schema = record(u={"anyOf": [record("y", k={"const": tag}, y=pairs), record("x", k={"const": "plain"}, x=WHOLE)]})
    require_way_there_and_back(schema, target, {"u": {"k": tag, "y": {"q": 1}}})


@pytest.mark.parametrize("target", ["openai/chat", "anthropic/messages"])
def test_tags_that_differ_in_letter_case_alone_are_told_apart(target: str) -> None:
    """An exact tag wins; letter case is only forgiven where one arm alone can be meant."""
    pairs = {"type": "object", "additionalProperties": WHOLE}
    schema = record(u={"anyOf": [record("x", k={"const": "a"}, x=WHOLE), record("y", k={"const": "A"}, y=pairs)]})
    require_way_there_and_back(schema, target, {"u": {"k": "A", "y": {"q": 1}}})


@pytest.mark.parametrize("number", [10**400, 1e308], ids=["integer", "double"])
def test_a_huge_number_is_led_out(number: float) -> None:
    """No number is too large to find its arm."""
    schema = record(u={"anyOf": [{"type": "number", "multipleOf": 0.1}, {"type": "integer", "minimum": 3}]})
    assert contract_of(schema).compile("openai/chat").lens.out({"u": number}) == {"u": number}


# ---------------------------------------------------------------------- promised and not kept


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("target", ["openai/chat", "anthropic/messages"])
def test_a_list_with_a_gap_is_a_declared_residue(target: str, closed: bool) -> None:
    """Fields ``_1`` without ``_0`` make no list: then nobody may call ``type: array`` enforced."""
    listed = {"type": "array", "prefixItems": [WHOLE, TEXT], **({"items": False} if closed else {})}
    assert leaks(record(t=listed), target) == []


def test_unevaluated_properties_of_a_cousin_are_not_called_enforced() -> None:
    """``additionalProperties: false`` beside an allOf says nothing for the keys that its arm does not know."""
    arm = {"properties": {"a": WHOLE}, "unevaluatedProperties": False}
    schema = {**record("a", "b", a=WHOLE, b=WHOLE), "allOf": [arm]}
    assert leaks(schema, "llama.cpp/llguidance") == []


def test_a_union_that_was_dropped_is_not_promised() -> None:
    """Past three joined unions one is left out: its arms are not kept because they are kept elsewhere."""
    definitions = {"A": {"type": "integer", "minimum": 100}, "B": {"type": "string", "pattern": "^x$"}}
    strict = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    wide = [{"anyOf": [TEXT, WHOLE]} for _ in range(3)]
    schema = {"$defs": definitions, **record("y", x={"allOf": [*wide, strict]}, y=strict)}
    assert leaks(schema, "llama.cpp/llguidance") == []


def test_a_pattern_with_a_class_of_spaces_is_no_promise() -> None:
    r"""``\s`` takes U+0085 in an engine and not in JSON Schema."""
    compiled = contract_of(record(u={"type": "string", "pattern": r"^\s$"})).compile("llama.cpp/llguidance")
    writes_more = Grammar(compiled.schema).accepts(compact({"u": "\x85"}))
    assert not writes_more or fate_of(compiled, "/properties/u/pattern") is not Fate.ENFORCED


@pytest.mark.parametrize(
    "arms",
    [
        [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}],
        [{"$ref": "#/$defs/A"}, {"anyOf": [{"$ref": "#/$defs/A"}, WHOLE]}],
    ],
)
def test_one_of_arms_that_overlap_is_not_called_enforced(arms: list[Schema]) -> None:
    """An arm that is read once although it stands twice still fits twice."""
    compiled = contract_of({"$defs": {"A": record(x=WHOLE)}, **record(u={"oneOf": arms})}).compile("vllm")
    assert fate_of(compiled, "/properties/u/oneOf") is not Fate.ENFORCED


def test_a_union_inside_a_value_that_is_written_as_text_is_not_called_enforced() -> None:
    """Where recursion ends, the anyOf stands in a string with all else."""
    schema = {
        "$defs": {"A": record(n={"anyOf": [{"$ref": "#/$defs/A"}, NOTHING]})}, "$ref": "#/$defs/A",
    }  # fmt: skip
    compiled = contract_of(schema).compile("anthropic/messages")
    assert fate_of(compiled, "/$defs/A/properties") is Fate.HINTED
    assert fate_of(compiled, "/$defs/A/properties/n/anyOf") is Fate.HINTED


def test_values_that_differ_in_letter_case_alone_are_no_promise_of_an_endpoint_that_changes_it() -> None:
    """Anthropic may answer with other capitals, and nothing can restore which was meant."""
    compiled = contract_of(record(u={"enum": ["a", "A"]})).compile("anthropic/messages")
    assert fate_of(compiled, "/properties/u/enum") is not Fate.ENFORCED


def test_a_type_that_its_schema_does_not_tell_has_a_rule_beyond_it() -> None:
    """A complex number is any string to its schema: what more there is, stands in the residue."""

    class Unit(BaseModel):
        z: complex

    contract = Contract.one(Unit, name="c")
    assert contract.admit(compact({"z": "no number"})).values == ()
    assert any(row.pointer == "/rules" for row in contract.compile("vllm").residue)


# ---------------------------------------------------------------------- tools


def variants(*arms: Schema) -> Schema:
    """Write a union of records."""
    return {"anyOf": list(arms)}


def require_call(schema: Schema, target: str, name: str, value: Any) -> None:
    """Require that a tool takes the arguments of one variant, and that they come back as it."""
    contract = contract_of(schema)
    compiled = contract.compile(target, form="tools")
    assert all(wire["type"] == "object" for wire in compiled.schema.values())
    wire = compiled.lens.out(value)
    arguments = compact({key: part for key, part in wire.items() if key != "k"})
    assert Grammar(compiled.schema[name]).accepts(arguments), (arguments, compiled.schema[name])
    admission = contract.admit(Delivery(tool_calls=(ToolCall(name, arguments),)), compiled=compiled)
    assert admission.values == (value,), admission.findings


def test_a_count_of_fields_counts_the_tag_that_a_tool_leaves_out() -> None:
    """With the tag in the tool's name, one field fewer has to be there."""
    counted = {**record(k={"const": "a"}, x=WHOLE, y=WHOLE), "minProperties": 3, "maxProperties": 3}
    free = {**counted, "required": ["k"], "additionalProperties": WHOLE}
    value = {"k": "a", "x": 1, "y": 2}
    require_call(variants(counted, record(k={"const": "b"})), "llama.cpp/llguidance", "a", value)
    require_call(variants(free, record(k={"const": "b"})), "openai/chat", "a", value)


@pytest.mark.parametrize("target", ["openai/chat", "anthropic/tools"])
def test_a_variant_with_free_keys_and_nothing_but_its_tag_is_a_tool_that_takes_an_object(target: str) -> None:
    """A tool's arguments are an object, even where free keys are written as a list of pairs."""
    free = {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"], "additionalProperties": TEXT}
    compiled = contract_of(variants(free, record(k={"const": "b"}))).compile(target, form="tools")
    assert {wire["type"] for wire in compiled.schema.values()} == {"object"}


def test_variants_that_share_a_tag_value_are_not_called_exclusive() -> None:
    """Two tools of one tag may write the same unit, which fits both arms."""
    arms = [record(k={"const": "a"}, x=WHOLE), record("y", k={"const": "a"}, x=WHOLE, y=WHOLE)]
    contract = contract_of({"oneOf": arms})
    compiled = contract.compile("openai/chat", form="tools")
    assert contract.admit(compact({"k": "a", "x": 1})).values == ()
    assert fate_of(compiled, "/oneOf") is not Fate.ENFORCED


def test_a_tool_whose_name_lost_its_tag_still_tells_it() -> None:
    """A tag that no name can spell is told in the tool's description: nothing else says which variant it is."""
    arms = (record(k={"const": "größer"}, x=WHOLE), record(k={"const": "日本"}, x=WHOLE))
    tools = contract_of(variants(*arms)).compile("openai/chat", form="tools").tools
    assert "日本" in json.dumps(tools, ensure_ascii=False)


def test_names_that_collide_once_cleaned_lead_back_to_their_own_variant() -> None:
    """Every tool has a name of its own, and the boundary knows whose."""
    tags = ("a b", "a.b", "a_b", "q" * 70, "q" * 71)
    schema = variants(*(record(k={"const": tag}, x=WHOLE) for tag in tags))
    contract = contract_of(schema)
    compiled = contract.compile("openai/chat", form="tools")
    names = {tag: name for name, tag in compiled.terms.unit.tools.items()}
    assert sorted(names) == sorted(tags)
    assert all(len(name) <= 64 for name in names.values())
    for tag in tags:
        admission = contract.admit(Delivery(tool_calls=(ToolCall(names[tag], '{"x":1}'),)), compiled=compiled)
        assert admission.values == ({"k": tag, "x": 1},)


# ---------------------------------------------------------------------- cost and crashes


def nested_one_of(levels: int) -> Schema:
    union: Schema = TEXT
    for level in range(levels):
        union = {"oneOf": [{"type": ["integer", "boolean"][level % 2]}, union]}
    return record(u=union)


def graph_of(many: int) -> Schema:
    """Write definitions that all refer to each other."""
    fields = {f"p{index}": {"$ref": f"#/$defs/D{index}"} for index in range(many)}
    definitions = {f"D{index}": record(**fields) for index in range(many)}
    return {"$defs": definitions, **record(r={"type": "array", "items": {"$ref": "#/$defs/D0"}})}


def twice_described(levels: int) -> Schema:
    """Write definitions of which each uses the next one twice, with a description at each use."""
    definitions: dict[str, Schema] = {f"D{levels}": record(z=WHOLE)}
    for level in range(levels):
        use = {"$ref": f"#/$defs/D{level + 1}", "description": "one of two"}
        definitions[f"D{level}"] = record(a=use, b=use)
    return {"$defs": definitions, "$ref": "#/$defs/D0"}


def test_unions_in_unions_cost_in_proportion() -> None:
    """Twice as many levels take no more than four times the work: it was two to the power of them."""
    assert compile_calls(nested_one_of(12), "openai/chat") <= 4 * compile_calls(nested_one_of(6), "openai/chat")


def test_a_long_list_of_values_costs_in_proportion() -> None:
    """Twice as many values take no more than three times the work: each was compared with each."""
    few, many = (record(u={"enum": [f"v{index}" for index in range(size)]}) for size in (300, 600))
    assert compile_calls(many, "llama.cpp/llguidance") <= 3 * compile_calls(few, "llama.cpp/llguidance")


def test_definitions_that_all_refer_to_each_other_cost_in_proportion() -> None:
    """The work grows as the references do: what is lost is noted once, not once for each place."""
    few, many = graph_of(10), graph_of(20)
    grown = len(compact(many)) / len(compact(few))
    assert compile_calls(many, "anthropic/messages") <= 1.5 * grown * compile_calls(few, "anthropic/messages")


@pytest.mark.parametrize("target", ["openai/chat", "anthropic/messages", "google", "vllm"])
def test_a_description_beside_a_reference_does_not_multiply_the_schema(target: str) -> None:
    """Twice the definitions are no more than three times the schema, where the endpoint keeps references."""
    few, many = (
        len(compact(contract_of(twice_described(levels)).compile(target, form="schema").schema)) for levels in (4, 8)
    )
    assert many <= 3 * few


@pytest.mark.parametrize("step", ["compile", "out"])
def test_a_pattern_that_backtracks_without_end_ends(step: str) -> None:
    """The compiler matches patterns of the contract itself, and those may come from anywhere."""
    schemas = {
        "compile": {"type": "object", "properties": {"a" * 40 + "!": WHOLE}, "patternProperties": {"^(a+)+$": TEXT}},
        "out": record(
            u={
                "anyOf": [
                    record("o", s={"type": "string", "pattern": "^(a+)+$"}, o=WHOLE),
                    record("p", s=TEXT, p=WHOLE),
                ]
            }
        ),
    }
    program = (
        "import json, sys\n"
        "from pratique import Contract, Locality\n"
        "contract = Contract.from_json_schema(json.loads(sys.argv[1]), locality=Locality.ONE, name='c')\n"
        "lens = contract.compile('openai/chat').lens\n"
        "lens.out({'u': {'s': 'a' * 40 + '!'}})\n"
    )
    subprocess.run([sys.executable, "-c", program, json.dumps(schemas[step])], check=True, timeout=GIVE_UP_S)


def test_the_deepest_schema_compiles_far_down_a_stack() -> None:
    """An agent's framework may have used four hundred frames already."""
    inner: Schema = record(x=WHOLE)
    definitions = {"D45": inner}
    for level in range(45):
        definitions[f"D{level}"] = record(n={"$ref": f"#/$defs/D{level + 1}"})
    contract = contract_of({"$defs": definitions, "$ref": "#/$defs/D0"})

    def down(frames: int) -> Compiled:
        return contract.compile("llama.cpp/llguidance") if frames == 0 else down(frames - 1)

    assert down(400).schema
    definitions |= {f"D{level}": record(n={"$ref": f"#/$defs/D{level + 1}"}) for level in range(45, 98)}
    definitions["D98"] = inner
    with pytest.raises(Misuse, match="more than 50 levels deep"):
        contract_of({"$defs": definitions, "$ref": "#/$defs/D0"}).compile("llama.cpp/llguidance")


def test_a_cycle_is_written_out_once_before_it_becomes_text() -> None:
    """``max_recursion`` counts how often a type is inside of itself, not how many types lie between."""
    many = 7
    definitions = {
        f"D{index}": record(
            **{"n": {"type": "array", "items": {"$ref": f"#/$defs/D{(index + 1) % many}"}}, f"m{index}": TEXT}
        )
        for index in range(many)
    }
    compiled = contract_of({"$defs": definitions, "$ref": "#/$defs/D0"}).compile("anthropic/messages")
    written = json.dumps(compiled.schema)
    assert all(f'"m{index}"' in written for index in range(many))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5}, {"anyOf": 5}, {"enum": 5}, {"type": "string", "pattern": 5}, {"$ref": "#/nope"}, {"$ref": 5},
        {"$defs": 5}, {"type": "integer", "multipleOf": 0}, {"type": "string", "minLength": -1},
        {"type": "string", "pattern": "("},
    ],
)  # fmt: skip
def test_a_type_whose_own_schema_is_none_is_a_misuse(schema: Any) -> None:
    """A class may say anything of itself; what is no JSON Schema is refused with a remedy, and never sent."""

    class Unit(BaseModel):
        a: Annotated[Any, WithJsonSchema(schema)]

    with pytest.raises(Misuse):
        Contract.one(Unit, name="c").compile("openai/chat")


def test_a_required_field_that_no_value_fits_is_a_misuse() -> None:
    """No integer lies between 2.2 and 2.8: the contract is refused, not sent as a schema that nothing satisfies."""
    schema = record(a={"type": "integer", "minimum": 2.2, "maximum": 2.8})
    with pytest.raises(Misuse, match="no object fits"):
        contract_of(schema).compile("openai/chat")


# ---------------------------------------------------------------------- what is shared


class Unit(BaseModel):
    """A unit with a field that may be left out."""

    a: int
    kind: Literal["x"] | None = None


def test_a_contract_judges_by_its_own_checks_whoever_compiled() -> None:
    """Two functions of one name give one fingerprint, and are two rules all the same."""

    def checked(found: list[Finding]) -> Contract[Unit]:
        return Contract.one(Unit, name="c", checks=[lambda _: found])

    strict, lenient = checked([refuse("never")]), checked([])
    compiled = strict.compile("openai/chat")
    try:
        admission = lenient.admit('{"a":1,"kind":null}', compiled=compiled)
    except Misuse:
        return
    assert admission.status is Status.CLEAN


def test_a_promise_can_be_changed_without_changing_the_contract() -> None:
    """What is handed out is the caller's own, down to the lists in it."""
    contract = contract_of(record(u={"enum": ["x", "y"]}))
    compiled = contract.compile("vllm")
    compiled.promised("unit")["properties"]["u"]["enum"].append("z")
    assert contract.terms.unit.schema["properties"]["u"]["enum"] == ["x", "y"]
    assert compiled.promised("unit")["properties"]["u"]["enum"] == ["x", "y"]


def test_a_compiled_schema_can_be_changed_without_changing_the_next() -> None:
    """Plans are kept for whoever compiles the same next; nobody can reach into them."""
    schema = record(u={"enum": ["x", "y"]}, v=record(w=WHOLE))
    first = contract_of(schema).compile("openai/chat")
    said = compact(first.schema)
    first.request["response_format"]["json_schema"]["schema"]["properties"]["v"]["properties"].clear()
    properties: Any = first.schema["properties"]
    properties["u"]["enum"].append("z")
    assert compact(contract_of(schema).compile("openai/chat").schema) == said


def test_equal_fingerprints_with_other_words_are_compiled_apart() -> None:
    """Words are no part of what a contract accepts, and of what a producer is told they are."""
    one, other = (contract_of(record(a={**WHOLE, "description": words})) for words in ("first", "second"))
    assert one.fingerprint == other.fingerprint
    assert one.compile("vllm").schema["properties"]["a"]["description"] == "first"
    assert other.compile("vllm").schema["properties"]["a"]["description"] == "second"
