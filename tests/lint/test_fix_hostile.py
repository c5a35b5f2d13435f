"""Whatever a schema calls its parts, and whatever it says of them, the source of a fix runs and keeps its law.

Names and words of a schema are anybody's: none of them becomes code when the source is run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest

from lint.case import found_by, obj
from lint.cases.ls001_derivable_discriminator import COMMAND, NAME, many, tagged, union
from lint.test_fix import SEED, named, union_in
from pratique.lint import lint
from pratique.lint.book import rule_of
from pratique.lint.fixing.literals import docstring, literal
from pratique.testing.oracle import Grammar, Unsupported

CODE = 'x"""\n    raise SystemExit("run")\n    """ + exit("run") + """\\'
WORDS = (
    CODE,
    'say "hi"',
    "ends \\",
    '""""',
    '"',
    "\x00\x1b[31m\u202e\ud800 \U0001f600",
    "a\n\n  b\r\n\tc",
    "'''",
    "\\u0022",
)
KEYS = (
    "class", "None", "model_config", "model_dump", "model_validate_x", "json", "copy", "schema", "self", "_x", "__x__",
    "__init__", "1", "", " ", "a²", "ª", "é", "str", "int", "list", "Any", "Field", "BaseModel", "Command", "command",
    "a-b", "a_b", "a b", "A", "a", "\U0001f600", "print", "Unified", CODE,
)  # fmt: skip
TITLES = ("none", "true", "any", "field", "base model", "config dict", "literal", "annotated", CODE, "漢", "1", "Str")


def two(item: Any, tag: str = "type", key: str = "commands") -> Any:
    """Make a union of one of something, and two or more of them."""
    return union(tagged(tag, "one", {key: many(1, 1, item)}), tagged(tag, "more", {key: many(2, 3, item)}))


def with_field(schema: Any, *, required: bool = True) -> Any:
    """Make the union of an element with one field."""
    return two(obj({"field": schema}) if required else obj({}, {"field": schema}))


TREE = {"$ref": "#/$defs/Tree"}
SHAPES: dict[str, Any] = {
    "keys": two(obj(dict.fromkeys(KEYS, NAME))),
    "keys that may be left out, with defaults": two(obj({}, {key: {"type": "integer", "default": 3} for key in KEYS})),
    **{f"a description, {index}": two({**COMMAND, "description": words}) for index, words in enumerate(WORDS[:5])},
    **{f"a field's description, {n}": with_field({**NAME, "description": words}) for n, words in enumerate(WORDS[:5])},
    **{f"a title, {index}": two({**COMMAND, "title": title}) for index, title in enumerate(TITLES)},
    "a tag that is code": two(COMMAND, tag=CODE),
    "a key that is code": two(COMMAND, key=CODE),
    "a tag beyond the first plane": union(
        tagged("\U0001f600", "\U0001f601", {"c": many(1, 1)}), tagged("\U0001f600", CODE, {"c": many(2, 3)})
    ),
    "titles that are the same": two(obj({"a": obj({"x": NAME}, title="Same"), "b": obj({"y": NAME}, title="Same")})),
    "titles that are the same as names": two(obj({"a": obj({"x": NAME}, title="A b"), "b": obj({}, title="AB")})),
    "a tree": {**two(TREE), "$defs": {"Tree": obj({"name": NAME}, {"below": {"type": "array", "items": TREE}})}},
    "a tree without a name": two({**obj({"v": NAME}, {"below": {"$ref": "#/anyOf/0/properties/commands/items"}})}),
    "a list of lists without end": {**two(TREE), "$defs": {"Tree": {"type": "array", "items": TREE}}},
    "a name with a slash": {**two({"$ref": "#/$defs/a~1b%20c"}), "$defs": {"a/b c": COMMAND}},
    "an infinite default": with_field({"type": "number", "default": float("inf")}, required=False),
    "a default of another type": with_field({"type": "integer", "default": "x"}, required=False),
    "a whole default with a fraction": with_field({"type": "integer", "default": 1.0}, required=False),
    "an object as a default": with_field({**COMMAND, "default": {"program": "x"}}, required=False),
    "a list as a default": with_field({"type": "array", "items": NAME, "default": ["a", CODE]}, required=False),
    "a list of objects as a default": with_field({"type": "array", "items": COMMAND, "default": [{}]}, required=False),
    "a map with a default": with_field({"type": "object", "additionalProperties": NAME, "default": {}}, required=False),
    "a null default": with_field({"type": ["string", "null"], "default": None}, required=False),
    "a pattern that pydantic does not read": with_field({"type": "string", "pattern": "^(?!x)[a-c]$"}),
    "a pattern": with_field({"type": "string", "pattern": "^[\"'\\\\]+$"}),
    "a number without end": with_field({"type": "number", "maximum": 10**400}),
    "an integer of many digits": with_field({"type": "integer", "maximum": 10**400, "minimum": 10**400 - 1}),
    "an integer between fractions": with_field({"type": "integer", "minimum": 1.5, "exclusiveMaximum": 4.5}),
    "an integer that is a multiple of a half": with_field({"type": "integer", "multipleOf": 0.5}),
    "a number that is a multiple of a tenth": with_field({"type": "number", "multipleOf": 0.1, "maximum": 2}),
    "a text of any length": with_field({"type": "string", "maxLength": 10**30}),
    "odd values": with_field({"enum": [1.5, None, [1], {"a": CODE}, CODE, True, 0]}),
    "values of several types": with_field({"enum": [CODE, None, True, 2, "\U0001f600"]}),
    "a tuple": with_field({"type": "array", "prefixItems": [NAME, COMMAND], "items": False, "minItems": 2}),
    "a tuple that may be shorter": with_field({"type": "array", "prefixItems": [NAME, COMMAND], "items": False}),
    "a tuple with more behind it": with_field({"type": "array", "prefixItems": [NAME], "items": {"type": "integer"}}),
    "a map": two({"type": "object", "additionalProperties": COMMAND}),
    "an object without fields": two(obj({})),
    "several types": with_field({"type": ["string", "integer", "null", "array", "object"]}),
    "anything": with_field({}),
    "nothing": two(obj({}, {"field": {"not": {}}})),
    "a truth value as a tag": union(
        obj({"many": {"const": False}, "c": many(1, 1, NAME)}), obj({"many": {"const": True}, "c": many(2, 3, NAME)})
    ),
    "a number as a tag": union(
        obj({"n": {"const": 1}, "c": many(1, 1, NAME)}), obj({"n": {"const": 2}, "c": many(2, 3, NAME)})
    ),
    "a tag under allOf": union(
        {"allOf": [obj({"t": {"const": "a"}}, additionalProperties=True), obj({"c": many(1, 1, NAME)}, {"t": {}})]},
        obj({"t": {"const": "b"}, "c": many(2, 3, NAME)}),
    ),
    "a key that may be null": union(
        tagged("t", "a", {"n": NAME}), tagged("t", "b", {"n": NAME, "more": {"type": ["string", "null"]}})
    ),
    "each with a key more that may be null": union(
        tagged("t", "a", {"n": NAME}),
        tagged("t", "b", {"n": NAME, "m": {"type": ["string", "null"]}}),
        tagged("t", "c", {"n": NAME, "m": {"type": ["string", "null"]}, "o": NAME}),
    ),
    "elements that differ in one arm": union(
        tagged("t", "a", {"c": {**many(1, 1, NAME), "uniqueItems": True}}), tagged("t", "b", {"c": many(2, 3, NAME)})
    ),
    "truth beside numbers": union(
        tagged("t", "a", {"v": {"enum": [1, "x", 0]}}), tagged("t", "b", {"v": {"enum": [True, False]}})
    ),
    "fractions as bounds of integers": union(
        tagged("t", "a", {"v": {"type": "integer", "minimum": 0, "maximum": 4}}),
        tagged("t", "b", {"v": {"type": "integer", "exclusiveMinimum": 4.5, "maximum": 9}}),
    ),
    "many digits as bounds": union(
        tagged("t", "a", {"v": {"type": "integer", "minimum": 10**400 - 1, "maximum": 10**400}}),
        tagged("t", "b", {"v": {"type": "integer", "minimum": 10**400 + 1, "maximum": 10**400 + 2}}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("claim", SHAPES)
def test_the_law_holds_for_odd_shapes(claim: str) -> None:
    """The source runs without a warning; old payloads convert once, are taken, and give the tag back."""
    schema, finding = union_in(SHAPES[claim])
    assert finding.fix is not None
    assert "\n" not in finding.fix.title
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = named(finding)
        model = names[finding.fix.title.partition(":")[0]]
        model.model_rebuild(_types_namespace=names)
    tag = next(key for key in schema["anyOf"][0]["properties"] if key not in finding.fix.schema["properties"])
    judge = jsonschema_rs.validator_for(dict(finding.fix.schema))
    try:
        grammar, rng, drawn = Grammar(schema), Random(SEED), set()
    except Unsupported:  # numbers that no machine word holds, say: then it is enough that the source runs
        return
    for _ in range(25):
        text = grammar.sample(rng)
        if text is None:
            continue
        payload = json.loads(text)
        converted = names["without_tag"](payload)
        assert judge.is_valid(converted), (payload, converted)
        model.model_validate_json(json.dumps(converted))
        assert names["tag_of"](converted) == payload[tag], payload
        assert names["without_tag"](converted) == converted
        drawn.add(payload[tag])
    assert len(drawn) > 1 or claim in ("nothing", "a list of lists without end"), "the law was not tried on every arm"


@pytest.mark.parametrize("words", WORDS)
def test_no_words_end_a_literal(words: str) -> None:
    """Neither a text nor a docstring; the text comes back as it was."""
    assert eval(literal(words)) == words
    assert eval(literal({words: [words, 1.5, None]})) == {words: [words, 1.5, None]}
    source = f"def told():\n    {docstring(words)}\n"
    made: dict[str, Any] = {}
    exec(compile(source, "told", "exec", dont_inherit=True), made)
    assert source.encode()
    assert made["told"].__doc__.startswith(words[:1].replace("\r", "")) or not words.strip()


def test_what_an_open_arm_took_under_a_key_of_another_is_left_out() -> None:
    """The union took it and passed it over; the unified type would refuse it."""
    arms = union(tagged("t", "a", {"n": NAME}), tagged("t", "b", {"n": NAME, "more": {"type": "array", "items": NAME}}))
    (finding,) = found_by(rule_of("LS001"), arms)
    assert finding.fix is not None
    names = named(finding)
    payload = {"t": "a", "n": "x", "more": 3}
    assert jsonschema_rs.is_valid(arms, payload)
    assert names["without_tag"](payload) == {"n": "x"}
    assert names["tag_of"]({"n": "x"}) == "a"


@pytest.mark.parametrize(
    "schema",
    [
        union({**tagged("t", "a", {"c": many(1, 1)}), "additionalProperties": NAME},
              {**tagged("t", "b", {"c": many(2)}), "additionalProperties": {"type": "integer"}}),
        union(tagged("t", "a", {"v": {"type": "integer", "maximum": 4}}),
              tagged("t", "b", {"v": {"type": "integer", "exclusiveMinimum": 3.5}})),
        union(tagged("t", "a", {"v": {"enum": [1, "x"]}}), tagged("t", "b", {"v": {"enum": [True, "y"]}})),
        union(obj({"t": {"const": True}, "id": NAME, "at": NAME}), obj({"t": {"const": False}, "id": NAME})),
        union(obj({"t": {"enum": ["a", "b"]}, "c": many(1, 1)}), obj({"t": {"enum": ["c"]}, "c": many(2)})),
        union(obj({"t": {"const": 1}, "c": many(1, 1)}), obj({"t": {"const": True}, "c": many(2)})),
    ],
    ids=["keys of other types", "ranges that meet", "1 and true", "a decision", "two values of a tag", "1 or true"],
)  # fmt: skip
def test_a_tag_that_says_more_is_left_alone(schema: Any) -> None:
    """It could not be derived, or not without loss."""
    assert not lint(schema, only=["LS001"]).findings


@pytest.mark.slow
def test_the_source_of_every_odd_shape_type_checks_and_runs(tmp_path: Path) -> None:
    """As modules, in one strict call, and with warnings as errors."""
    for number, target in enumerate(SHAPES.values()):
        (finding,) = found_by(rule_of("LS001"), target)
        assert finding.fix is not None
        (tmp_path / f"fix_{number}.py").write_text(finding.fix.python, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    imports = "; ".join(f"import fix_{number}" for number in range(len(SHAPES)))
    for command in ([*mypy, *map(str, tmp_path.glob("*.py"))], [sys.executable, "-W", "error", "-c", imports]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
