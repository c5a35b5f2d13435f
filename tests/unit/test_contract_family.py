"""The family of contracts and the oracle: what the laws of the dialects and their bench stand on."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from bench.dialects.family import SIZE, model_of, nodes_of, random_instance, random_spec, size_of, text_of
from bench.dialects.family_strategies import instances, specs
from bench.dialects.fixtures import FIXTURES
from bench.dialects.instance import FREE_LENGTH, PATTERNS
from bench.dialects.judge import Candidate, Case, Outcome, Score, case_of, codes_of, judge, told_in, unwrapped
from bench.dialects.model import wrapped
from bench.dialects.ours import TARGETS, candidate_of
from bench.dialects.page import BEGIN, END, Page, write_page
from bench.dialects.peers.asking import REQUIREMENTS
from bench.dialects.peers.wire import Wire
from bench.dialects.readable import from_openapi, read
from bench.dialects.run import main
from bench.dialects.spec import Spec, fields_of
from bench.dialects.table import refused_by
from bench.dialects.trial import Tally, contestants, peer_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pratique import Misuse
from pratique.dialects.dialect import dialect_of, targets
from pratique.testing.oracle import Grammar, Unsupported

SEEDS = range(150)
KINDS = {
    "str", "format", "int", "float", "bool", "null", "any", "literal", "enum", "nullable", "list", "set", "tuple",
    "map", "union", "tagged", "model",
}  # fmt: skip


def closed(spec: Spec) -> Spec:
    """Close every model, as our contracts do."""
    copy: Spec = json.loads(json.dumps(spec))
    for model in copy["models"].values():
        if "base" not in model:
            model["extra"] = "forbid"
    return copy


def adapter_of(spec: Spec) -> TypeAdapter[Any]:
    """Build a spec's type and what judges it."""
    return TypeAdapter(model_of(spec))


# ------------------------------------------------------------------------- specs


@pytest.mark.parametrize("seed", SEEDS)
def test_every_instance_is_sound(seed: int) -> None:
    """What the family calls an instance passes the strict and closed validation of its own model."""
    spec = random_spec(Random(seed))
    adapter = adapter_of(spec)
    for at in range(5):
        instance = random_instance(spec, Random(1_000 * seed + at))
        adapter.validate_json(text_of(instance), strict=True, extra="forbid")


@pytest.mark.parametrize("name", FIXTURES)
def test_every_instance_of_a_fixture_is_sound(name: str) -> None:
    """A contract by name has sound instances like a random one."""
    adapter = adapter_of(FIXTURES[name])
    for at in range(50):
        instance = random_instance(FIXTURES[name], Random(at))
        adapter.validate_json(text_of(instance), strict=True, extra="forbid")


def test_a_spec_is_plain_json() -> None:
    """A spec that went through JSON, as to a peer's process, is the same spec."""
    for spec in (*FIXTURES.values(), *(random_spec(Random(seed)) for seed in SEEDS)):
        assert json.loads(json.dumps(spec)) == spec


def test_a_seed_gives_one_spec_and_one_instance() -> None:
    """The same seed makes the same contract and the same instance: a run can be repeated."""
    for seed in SEEDS:
        assert random_spec(Random(seed)) == random_spec(Random(seed))
        spec = random_spec(Random(seed))
        assert text_of(random_instance(spec, Random(7))) == text_of(random_instance(spec, Random(7)))


def test_every_kind_is_reached() -> None:
    """A few hundred random contracts hold every kind of node, every constraint and every form of field."""
    kinds: set[str] = set()
    rules: set[str] = set()
    for seed in range(400):
        spec = random_spec(Random(seed))
        kinds.update(node["kind"] for node in nodes_of(spec))
        rules.update(rule for node in nodes_of(spec) for rule in node)
        for model in spec["models"].values():
            rules.update(model)
            rules.update(key for field in model["fields"] for key in field)
            rules.add(f"extra {model.get('extra')}")
    assert kinds == KINDS
    assert {
        "ge", "gt", "le", "lt", "multiple_of", "min", "max", "pattern", "keys", "rest", "value", "tag", "alias",
        "default", "description", "doc", "base", "extra ignore", "extra forbid", "extra allow",
    } <= rules  # fmt: skip


def test_most_specs_are_small() -> None:
    """Most random contracts have fewer than 25 nodes, none more than six times what was asked for."""
    sizes = sorted(size_of(random_spec(Random(seed))) for seed in range(400))
    assert sizes[len(sizes) * 6 // 10] < 25
    assert sizes[-1] <= 6 * SIZE


def test_recursion_is_reached_and_ends() -> None:
    """Some contracts hold themselves, and their instances end below the contract's own depth."""
    recursive = 0
    for seed in range(400):
        spec = random_spec(Random(seed))
        if not _is_recursive(spec):
            continue
        recursive += 1
        for at in range(5):
            assert _depth(random_instance(spec, Random(at))) <= 8
    assert recursive >= 10


def test_optional_fields_come_absent_and_present() -> None:
    """An optional field is absent in some instances, null in some, and filled in some."""
    seen = {
        ("label" in instance, "retries" in instance, instance.get("retries", 0) is None)
        for instance in (random_instance(FIXTURES["Corners"], Random(at)) for at in range(100))
    }
    assert len(seen) >= 5


def test_bounds_are_hit_exactly() -> None:
    """Instances of a bounded field reach both of its bounds."""
    spec: Spec = {
        "name": "Bounded",
        "root": {"kind": "model", "name": "M"},
        "models": {
            "M": {
                "name": "M",
                "fields": [
                    {"name": "text", "of": {"kind": "str", "min": 2, "max": 5}},
                    {"name": "whole", "of": {"kind": "int", "gt": 0, "lt": 50, "multiple_of": 7}},
                    {"name": "parts", "of": {"kind": "list", "of": {"kind": "null"}, "min": 1, "max": 4}},
                ],
            }
        },
        "enums": {},
    }
    found = [random_instance(spec, Random(at)) for at in range(100)]
    assert {len(instance["text"]) for instance in found} == {2, 3, 4, 5}
    assert {instance["whole"] for instance in found} >= {7, 49}
    assert {len(instance["parts"]) for instance in found} == {1, 2, 3, 4}


def test_texts_hold_escapes_and_unicode() -> None:
    """Strings and keys of instances reach quotes, backslashes, control characters, emoji and the empty key."""
    texts = "".join(
        text_of(random_instance(random_spec(Random(seed)), Random(at))) for seed in range(100) for at in range(5)
    )
    for piece in ('\\"', "\\\\", "\\n", "\\u0000", "\\u007f", "é", "😀", '"":'):
        assert piece in texts


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_has_strings_that_match(pattern: str) -> None:
    """What the family writes for a pattern matches it, at every length that it may be asked for."""
    adapter: TypeAdapter[Any] = adapter_of({
        "name": "P",
        "root": {"kind": "model", "name": "M"},
        "models": {"M": {"name": "M", "fields": [{"name": "a", "of": {"kind": "str", "pattern": pattern}}]}},
        "enums": {},
    })  # fmt: skip
    for length in range(1, 9):
        for at in range(20):
            text = PATTERNS[pattern](Random(at), length)
            adapter.validate_json(text_of({"a": text}))
            assert pattern not in FREE_LENGTH or len(text) == length


@given(spec=specs(), choices=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_the_strategies_draw_sound_instances(spec: Spec, choices: st.DataObject) -> None:
    """Contracts and instances that Hypothesis draws are as sound as seeded ones."""
    instance = choices.draw(instances(spec))
    adapter_of(spec).validate_json(text_of(instance), strict=True, extra="forbid")


# ------------------------------------------------------------------------- oracle


def test_the_oracle_tells_right_from_wrong() -> None:
    """A grammar accepts what its schema allows and refuses what it does not, and says where."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1}, "b": {"type": "string", "maxLength": 2}},
        "required": ["a"],
        "additionalProperties": False,
    }
    grammar = Grammar(schema)
    assert grammar.accepts('{"a":1}')
    assert grammar.accepts('{"a":12,"b":"😀é"}')
    assert not grammar.accepts('{"a":0}')
    assert not grammar.accepts('{"b":"x"}')
    assert not grammar.accepts('{"a":1,"b":"xyz"}')
    assert not grammar.accepts('{"a":1,"c":1}')
    assert grammar.refused_at('{"a":1}') is None
    assert grammar.refused_at('{"a":1,"c":1}') == 8
    assert grammar.refused_at('{"a":1') == 6


def test_the_oracle_refuses_what_it_does_not_know() -> None:
    """A keyword that llguidance does not know is an error in its words, never silence."""
    with pytest.raises(Unsupported, match="uniqueItems"):
        Grammar({"type": "array", "uniqueItems": True})
    with pytest.raises(Unsupported):
        Grammar({"type": "object", "properties": {"a": {"$ref": "#/$defs/Nowhere"}}})


@pytest.mark.parametrize("seed", SEEDS)
def test_every_sample_is_accepted(seed: int) -> None:
    """A sample is whole JSON without a key twice, and the grammar that it was drawn from accepts it."""
    grammar = _grammar(random_spec(Random(seed)))
    if grammar is None:
        return
    for at in range(6):
        text = grammar.sample(Random(at))
        assert text is not None
        assert grammar.accepts(text)
        json.loads(text, object_pairs_hook=_once)


def test_samples_of_a_plain_closed_contract_are_sound() -> None:
    """Where the schema says all that the contract says, nothing that the grammar lets through fails the contract."""
    for name in ("PlanProposal", "ExecStepsTagged", "ExecSteps", "Recommendation", "InheritedTag", "MapOrPairs"):
        spec = closed(FIXTURES[name])
        grammar = _grammar(spec)
        assert grammar is not None, name
        adapter = adapter_of(spec)
        for at in range(30):
            text = grammar.sample(Random(at))
            assert text is not None
            adapter.validate_json(text, strict=True, extra="forbid")


def test_a_leak_is_found() -> None:
    """A schema that says less than its contract has samples that the contract refuses."""
    spec = closed(FIXTURES["Recommendation"])
    schema = adapter_of(spec).json_schema()
    del schema["properties"]["rank"]["minimum"]
    samples = [Grammar(schema).sample(Random(at)) for at in range(60)]
    assert any(sample is not None and json.loads(sample)["rank"] < 1 for sample in samples)


def test_samples_reach_the_corners() -> None:
    """Samples leave optional keys out and write them, hold escapes, non-ASCII, spaces, fractions and nulls."""
    grammar = _grammar(closed(FIXTURES["Recommendation"]))
    assert grammar is not None
    samples = [sample for at in range(300) if (sample := grammar.sample(Random(at)))]
    for key in ("confidence", "wsjf"):
        holding = sum(f'"{key}"' in sample for sample in samples)
        assert 0 < holding < len(samples)
    joined = "".join(samples)
    for piece in ("\\", "null", ".", "\n"):
        assert piece in joined
    assert not joined.isascii()


def test_a_sample_ends() -> None:
    """Recursion, long minimum lengths and patterns in the middle of a text end within the bound."""
    node: dict[str, Any] = {
        "type": "object",
        "properties": {
            "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
            "all": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["next", "all"],
        "additionalProperties": False,
    }
    hard: list[dict[str, Any]] = [
        node,
        {"type": "string", "minLength": 500},
        {"type": "string", "pattern": "fix"},
        {"type": "string", "pattern": "^[a-f0-9]{64}$"},
        {"type": "integer", "multipleOf": 7, "minimum": 1},
        {"type": "array", "items": {}, "minItems": 5},
        {},
    ]
    for schema in hard:
        grammar = Grammar(schema)
        for at in range(20):
            text = grammar.sample(Random(at), limit_chars=100)
            assert text is not None, schema
            assert len(text) <= 2_000


def test_a_sample_that_cannot_end_is_none() -> None:
    """A type without a finite value gives None, not a hang."""
    endless = {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"], "additionalProperties": False}
    assert Grammar(endless).sample(Random(0), limit_chars=50) is None


# ------------------------------------------------------------------------- the judge


def candidate(schema: Any, *, strict: bool = True, told: frozenset[str] = frozenset(), case: Case) -> Candidate:
    """Make a candidate whose shape is the contract's own, as a peer's is."""
    return Candidate(
        schema=schema,
        strict=strict,
        out=lambda value: value,
        back=lambda text: text,
        refusal=lambda text: codes_of(case.contract.admit(text)),
        told=told,
    )


def judged(spec: Spec, schema: Any, **how: Any) -> Score:
    """Judge a schema as somebody's compilation of a contract."""
    case = case_of(spec, Random(1), instances=20)
    target = how.pop("target", "")
    profile = dialect_of(target).profile if target else None
    found = candidate(schema, case=case, **how)
    return judge(case, found, Random(2), samples=40, profile=profile, sample_chars=200)


def test_the_judge_lets_a_faithful_schema_through() -> None:
    """A schema that says what the contract says refuses nothing, leaks nothing, and is whole."""
    spec = closed(FIXTURES["Recommendation"])
    score = judged(spec, adapter_of(spec).json_schema())
    assert (score.over, score.leaks, score.endless, score.pairs, score.samples) == (0, 0, 0, 20, 40)
    assert score.outcomes == {Outcome.WHOLE: 1}


def test_the_judge_finds_an_over_constraint() -> None:
    """A map written as an object without keys refuses every instance that has an entry."""
    spec = closed(FIXTURES["Corners"])
    schema = adapter_of(spec).json_schema()
    del schema["properties"]["unique"]["uniqueItems"]
    faithful = judged(spec, json.loads(json.dumps(schema)))
    schema["properties"]["counts"] = {"type": "object", "properties": {}, "additionalProperties": False}
    score = judged(spec, schema)
    assert faithful.over == 0
    assert score.over >= 5
    assert score.outcomes == {Outcome.REFUSES: 1}


def test_defaults_filled_in_are_no_over_constraint() -> None:
    """A schema that requires every key loses nothing by that: the defaults can be written."""
    spec = closed(FIXTURES["Recommendation"])
    schema = adapter_of(spec).json_schema()
    schema["required"] = list(schema["properties"])
    assert judged(spec, schema).over == 0


def test_the_judge_finds_leaks_told_and_untold() -> None:
    """A bound that was left out leaks; naming it in a description makes the leak a told one."""
    spec = closed(FIXTURES["Recommendation"])
    schema = adapter_of(spec).json_schema()
    del schema["properties"]["rank"]["minimum"]
    silent = judged(spec, schema)
    assert silent.leaks > 0
    assert silent.leaks_told == 0
    assert silent.leaking.keys() == {"minimum"}
    assert silent.outcomes == {Outcome.LEAKS: 1}
    own = adapter_of(spec).json_schema()
    schema["properties"]["rank"]["description"] = "{minimum: 1}"
    told = judged(spec, schema, told=told_in(schema, own))
    assert (told.leaks, told.leaks_told) == (silent.leaks, silent.leaks)
    assert told.outcomes == {Outcome.WHOLE: 1}


def test_a_description_of_the_contract_tells_nothing() -> None:
    """Only what the compiler added counts as told, not what the contract's author wrote."""
    own = {"properties": {"a": {"description": "the minimum length of a unique pattern"}}}
    assert told_in(own, own) == frozenset()
    assert told_in({**own, "description": "Note: minimum length: 2."}, own) == {"minLength"}


def test_what_is_not_strict_is_not_whole() -> None:
    """A faithful schema that the endpoint was not asked to keep is counted apart."""
    spec = closed(FIXTURES["Recommendation"])
    schema = adapter_of(spec).json_schema()
    assert judged(spec, schema, strict=False).outcomes == {Outcome.LOOSE: 1}
    assert judged(spec, schema, strict=False, target="openai/chat").refused_by_table == 0
    assert judged(spec, schema, strict=True, target="openai/chat").refused_by_table == 1


def test_leaks_of_unknown_keys_alone_are_counted_apart() -> None:
    """Open objects, with nothing else wrong, are told from leaks of every other kind."""
    spec = FIXTURES["PlanProposal"]
    case = case_of(spec, Random(1), instances=5)
    schema = json.loads(json.dumps(case.own).replace('"additionalProperties": false, ', ""))
    assert 'additionalProperties": false' not in json.dumps(schema)
    score = judge(case, candidate(schema, case=case), Random(2), samples=40, profile=None, sample_chars=200)
    assert score.leaks_of_keys == score.leaks > 0
    assert score.outcomes == {Outcome.KEYS: 1}


def test_the_table_is_put_to_a_schema() -> None:
    """What an endpoint's table refuses is found wherever it stands; an annotation is counted apart."""
    spec = FIXTURES["Corners"]
    score = judged(spec, adapter_of(spec).json_schema(), target="openai/chat")
    assert {"map", "prefixItems", "uniqueItems", "open object", "any"} <= score.forbidden.keys()
    assert score.notes.keys() == {"default"}
    assert score.outcomes == {Outcome.DECLINED: 1}
    tree = adapter_of(FIXTURES["Tree"]).json_schema()
    assert "recursion" in refused_by(dialect_of("anthropic/messages").profile, tree)
    assert "recursion" not in refused_by(dialect_of("openai/chat").profile, tree)
    inherited = adapter_of(FIXTURES["InheritedTag"]).json_schema()
    assert "same first key in a union" in refused_by(dialect_of("openai/chat").profile, inherited)
    plain = {
        "type": "object", "properties": {"uniqueItems": {"type": "string"}}, "required": ["uniqueItems"],
        "additionalProperties": False,
    }  # fmt: skip
    assert refused_by(dialect_of("openai/chat").profile, plain) == set()


def test_a_schema_is_eased_only_as_far_as_it_must() -> None:
    """What the oracle reads stays; a word that it lacks is taken out and counted."""
    assert read({"type": "array", "items": {"type": "integer"}})[1] == 0
    grammar, taken = read({"type": "array", "items": {"type": "integer"}, "uniqueItems": True})
    assert taken == 1
    assert grammar.accepts("[1,1]")
    assert not grammar.accepts('["a"]')
    with pytest.raises(Unsupported):
        read({"$ref": "/nowhere"})


def test_the_openapi_form_is_read_as_json_schema() -> None:
    """Types in capitals, nullable and counts written as text mean what they mean there."""
    form = {
        "type": "OBJECT",
        "properties": {
            "type": {"type": "STRING", "nullable": True},
            "n": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "1"},
        },
        "required": ["type", "n"],
        "propertyOrdering": ["type", "n"],
    }
    grammar = Grammar(from_openapi(form))
    assert grammar.accepts('{"type":null,"n":[1]}')
    assert not grammar.accepts('{"type":null,"n":[]}')
    assert not grammar.accepts('{"type":null,"n":[1],"more":1}')


# ------------------------------------------------------------------------- the peers


def test_the_wire_takes_requests_down() -> None:
    """The first body that a call sends is returned with what the call raised; a call that sends none returns None."""
    wire = Wire()

    def send() -> None:
        question = Request(wire.url + "/v1/x", data=b'{"schema": {"type": "object"}}', method="POST")
        urlopen(question, timeout=10)

    body, raised = wire.taken(send)
    assert body == {"schema": {"type": "object"}}
    assert isinstance(raised, HTTPError)
    raised.close()
    assert wire.taken(lambda: None) == (None, None)


def test_every_peer_has_its_environment_pinned() -> None:
    """Each peer's package stands with one exact version in its requirements file, and its name is its own."""
    everybody = contestants()
    assert len({name for _, name in everybody}) == len(everybody)
    for module, name in everybody:
        if not module:
            continue
        peer = peer_of(module, name)
        pins = (REQUIREMENTS / f"{peer.environment}.txt").read_text(encoding="utf-8").split()
        assert all("==" in pin for pin in pins)
        assert any(pin.partition("==")[0].partition("[")[0] == peer.package for pin in pins), name
        assert not peer.target or peer.target in targets()


def test_a_union_stands_in_a_model_for_those_that_take_only_classes() -> None:
    """A union at the root is given as a model with one field, and taken out of it again."""
    spec = FIXTURES["PlanProposal"]
    model = wrapped(spec, model_of(spec))
    out, back = unwrapped(spec)
    value = random_instance(spec, Random(1))
    assert list(model.model_fields) == ["result"]
    assert json.loads(back(text_of(out(value)))) == value


def test_ours_is_judged_through_the_same_harness() -> None:
    """Pratique compiles a contract by name for every target of the bench, refuses no instance, leaks nothing untold."""
    case = case_of(FIXTURES["PlanProposal"], Random(3), instances=10)
    for target in TARGETS:
        score = judge(
            case,
            candidate_of(case, target),
            Random(4),
            samples=10,
            profile=dialect_of(target).profile,
            sample_chars=200,
        )
        assert score.outcomes == {Outcome.WHOLE: 1}, (target, score)


def test_a_wrong_option_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that nobody has and a count below one are refused before anything runs."""
    assert main(["--only", "nobody"]) == 2
    assert main(["--samples", "0", "--only", "openai"]) == 2
    told = capsys.readouterr().err
    assert "nobody is called" in told
    assert "--samples is less than 1" in told


def test_the_page_is_written_between_its_markers(tmp_path: Path) -> None:
    """What stands outside the markers stays; without markers nothing is written."""
    score = judged(closed(FIXTURES["Recommendation"]), adapter_of(closed(FIXTURES["Recommendation"])).json_schema())
    tally = Tally("somebody", "openai/chat", package="some", version="1", call="f(x)", named=score)
    absent = Tally("absent", "google", reason="its environment is missing")
    page = Page([tally, absent], 1, 1, 1, 1, machine="m", date="d", oracle="o", pydantic="p")
    path = tmp_path / "page.md"
    path.write_text(f"before\n{BEGIN}\nstale words\n{END}\nafter\n", encoding="utf-8")
    write_page(page, path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "stale words" not in text
    assert "| somebody | openai/chat | 1 (100 %) |" in text
    assert "- absent: its environment is missing" in text
    path.write_text("no markers", encoding="utf-8")
    with pytest.raises(Misuse, match="markers"):
        write_page(page, path)
    assert path.read_text(encoding="utf-8") == "no markers"


# ------------------------------------------------------------------------- ours


def _grammar(spec: Spec) -> Grammar | None:
    """Compile the model's own schema, unless llguidance does not know a keyword of it."""
    try:
        return Grammar(adapter_of(spec).json_schema())
    except Unsupported:
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def _is_recursive(spec: Spec) -> bool:
    def below(name: str) -> set[str]:
        part: Spec = {
            **spec,
            "root": {"kind": "tuple", "of": [field["of"] for field in fields_of(spec, name)]},
            "models": {},
        }
        return {node["name"] for node in nodes_of(part) if node["kind"] == "model"}

    for start in spec["models"]:
        reached, pending = set[str](), below(start)
        while pending:
            name = pending.pop()
            reached.add(name)
            pending |= below(name) - reached
        if start in reached:
            return True
    return False


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0
