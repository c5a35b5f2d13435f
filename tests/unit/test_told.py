"""The contract in words: its text, its example, its size, by contrast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from pratique import Contract, Finding, Limits, Misuse, Reference, Status, refuse
from pratique.apps.triage import triage
from pratique.dialects.words.example import example_of, given_example
from pratique.dialects.words.framing import framed
from pratique.dialects.words.pattern import longest_match, matching_text
from pratique.dialects.words.phrases import MAX_HINT_VALUES, all_in_words, in_words
from pratique.dialects.words.size import (
    ASCII_ONLY,
    CHARS_PER_TOKEN,
    Size,
    Spelling,
    Unbounded,
    max_tokens_for,
    size_of,
    worst_size,
)
from pratique.dialects.words.told import UNCERTAIN, Told, told

ROOT = Path(__file__).parents[2]


class Summary(BaseModel):
    """A note for programmers."""

    summary: str


class Advice(BaseModel):
    """A note for programmers."""

    rank: Annotated[int, Field(ge=1, le=9, description="1 is the most urgent")]
    candidate: Annotated[str, Reference("workstream")]
    action: Literal["work-next", "park"] = "park"
    why: Annotated[str, Field(max_length=600)]


advice = Contract.items(
    Advice, at="items", envelope=Summary, limits=Limits(max_items=7), unique=("rank",), order_by="rank"
)


def words_of(contract: Contract[Any], **options: Any) -> str:
    """Return what is told before the example."""
    return told(contract.terms, **options).text.partition("\nAn example")[0]


# ---------------------------------------------------------------------- the text

GOLDEN = """\
Write one JSON object and nothing else: no code fence, no text before it or after it.

It is an object with these keys, and no others:
- "summary" (required): text
- "items" (required): a list of at most 7 elements, in the order of "rank", lowest first. Each element is an object \
with these keys, and no others:
  - "rank" (required): 1 is the most urgent. Write a whole number, from 1 to 9
  - "candidate" (required): text that must be one of: "ws-1", "ws-2"
  - "action" (may be left out, then it is "park"): one of "work-next", "park"
  - "why" (required): text, at most 600 characters

Rules:
- No text is longer than 4000 characters.
- No two elements have the same "rank": all that do are set aside.
- If there is nothing to say, write the object with an empty list under "items": []
- If uncertain, emit fewer well-formed items rather than more.

An example, for the form alone:

{
  "summary": "summary 1",
  "items": [
    {
      "rank": 1,
      "candidate": "ws-1",
      "action": "work-next",
      "why": "why 1"
    },
    {
      "rank": 2,
      "candidate": "ws-2",
      "why": "why 2"
    }
  ]
}
"""
KNOWN = {"workstream": frozenset({"ws-2", "ws-1"})}


def test_the_whole_text_of_one_contract() -> None:
    """Form, fields, caps, rules, example; nothing else."""
    assert told(advice.terms, references=KNOWN).text == GOLDEN


def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    """Three processes with different seeds write the same text."""
    program = (
        "import hashlib; from pratique.apps.triage import triage; from pratique.dialects.words.told import told;"
        "names = {'workstream': frozenset(f'ws-{n}' for n in range(20))};"
        "print(hashlib.sha256(told(triage.terms, references=names).text.encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True,
            check=True, timeout=120, text=True,
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64


def test_ndjson_puts_the_envelope_on_the_first_line() -> None:
    """And the boundary reads just that: envelope and units, clean."""
    made = told(advice.terms, framing="ndjson", references=KNOWN)
    assert "The first line is an object with these keys" in made.text
    assert "Each line after it, at most 7 lines, in the order of" in made.text
    assert made.example is not None
    assert len(made.example.splitlines()) == 3
    admission = advice.admit(made.example, references={"workstream": ["ws-1", "ws-2"]})
    assert (admission.status, len(admission.values)) == (Status.CLEAN, 2)
    assert admission.envelope == Summary(summary="summary 1")


class Noted(BaseModel):
    """An envelope that may be empty."""

    note: str = ""


@pytest.mark.parametrize(
    ("contract", "empty", "rule"),
    [
        (advice, '{"summary": "s", "items": []}', 'write the object with an empty list under "items": []'),
        (Contract.items(Advice), "[]", "write []"),
        (Contract.items(Advice, at="items"), '{"items": []}', 'write {"items": []}'),
        (Contract.items(Advice, at="/a/items"), '{"a": {"items": []}}', 'write {"a": {"items": []}}'),
        (Contract.items(Advice, at="items", envelope=Noted), '{"items": []}', 'write the object with an empty list'),
    ],
)  # fmt: skip
def test_nothing_can_be_said_as_it_is_told(contract: Contract[Any], empty: str, rule: str) -> None:
    """What the text tells a producer to write is read as empty: well-formed, and no unit. On one line in NDJSON."""
    assert contract.admit(empty, references=KNOWN).status is Status.EMPTY
    assert f"- If there is nothing to say, {rule}" in words_of(contract)
    in_lines = 'one line, the object of the first line with "items": [] in it' if contract.terms.envelope else rule
    assert in_lines in words_of(contract, framing="ndjson")


def test_an_empty_envelope_line_is_left_out() -> None:
    """The boundary would take {} for a broken unit."""
    contract = Contract.items(Advice, at="items", envelope=Noted)
    assert "Leave the first line out when it would be empty." in words_of(contract, framing="ndjson")
    assert contract.admit('{}\n{"rank": 1, "candidate": "a", "why": "b"}', references=KNOWN).status is not Status.CLEAN
    assert framed(contract.terms, [{"rank": 1}], {}, "ndjson") == '{"rank": 1}'


class Nested(BaseModel):
    """An envelope with the list two keys down."""

    report: Summary


def test_lines_that_cannot_be_told_apart_are_refused() -> None:
    """A nested list has no envelope line, and one key in both makes a line ambiguous; a document passes."""
    nested = Contract.items(Advice, at="/report/items", envelope=Nested)
    shared = Contract.items(Advice, at="items", envelope=Advice)
    for contract in (nested, shared):
        with pytest.raises(Misuse, match='framing="document"'):
            told(contract.terms, framing="ndjson")
        assert told(contract.terms).example is not None
    assert '- "report" (required): an object with these keys, and no others:' in words_of(nested)
    with pytest.raises(Misuse, match="framing cannot be"):
        told(advice.terms, framing="yaml")  # type: ignore[arg-type]  # what is refused


def test_names_that_exist_are_listed_and_escaped() -> None:
    """Without an allow-list the text says what they name; an unknown reference is refused."""
    assert "text that must name an existing workstream" in words_of(advice)
    listed = told(advice.terms, references={"workstream": frozenset({'a"b', "c\u202ed\nx"})})
    assert r'must be one of: "a\"b", "c\u202ed\nx"' in listed.text
    assert "\u202e" not in listed.text
    assert listed.example is not None
    assert "its names are made up" not in listed.text
    with pytest.raises(Misuse, match="declared: workstream"):
        told(advice.terms, references={"person": frozenset()})


def test_a_reference_without_any_name_is_told() -> None:
    """No example can name what does not exist."""
    made = told(advice.terms, references={"workstream": frozenset()})
    assert "and there is none" in made.text
    assert (made.example, len(made.warnings)) == (None, 1)


class Plan(BaseModel):
    """A note for programmers."""

    kind: Literal["plan"] = "plan"
    steps: Annotated[list[str], Field(min_length=1, max_length=3)]


class Refuse(BaseModel):
    """A note for programmers."""

    kind: Literal["refuse"] = "refuse"
    why: str


def test_the_variant_for_declining_is_told() -> None:
    """With its tag, which is required though it has a default; the example is no refusal."""
    contract = Contract.one(Annotated[Plan | Refuse, Field(discriminator="kind")], refusal=Refuse)
    made = told(contract.terms)
    assert 'If you cannot do it, answer with the variant Refuse: "kind" is "refuse".' in made.text
    assert made.text.count('- "kind" (required): exactly') == 2
    assert made.example is not None
    assert contract.admit(made.example).status is Status.CLEAN
    assert UNCERTAIN not in made.text


def test_a_tag_with_a_default_stands_in_every_example() -> None:
    """Left out, nobody could tell the variants apart: the second unit, without all that may be left out, has it too."""
    found = example_of(Contract.items(Annotated[Plan | Refuse, Field(discriminator="kind")]).terms)
    assert found is not None
    assert [unit["kind"] for unit in found.units] == ["plan", "refuse"]


def test_the_variant_for_declining_may_have_no_tag() -> None:
    """Then it is named alone."""

    class Cannot(BaseModel):
        because: str

    contract = Contract.one(Plan | Cannot, refusal=Cannot)
    assert "answer with the variant Cannot." in words_of(contract)


class Tree(BaseModel):
    """A note for programmers."""

    name: str
    children: list[Tree] = []


def test_a_recursive_type_is_described_once() -> None:
    """And named where it comes again."""
    text = words_of(Contract.items(Tree))
    assert text.count('"children"') == 1
    assert text.count("a Tree value (see below)") == 2
    assert "Nest at most 8 levels" in text
    assert "Nest at most" not in words_of(advice)


class Colour(Enum):
    """A note for programmers."""

    RED = "red"
    BLUE = "blue"


class Everything(BaseModel):
    """A note for programmers."""

    pair: tuple[int, str]
    table: dict[str, int]
    codes: dict[Annotated[str, Field(pattern=r"^[a-z]{2}$")], bool]
    colours: Annotated[set[Colour], Field(min_length=1)]
    when: date
    either: int | list[str]
    anything: Any
    other_name: Annotated[int, Field(alias="other-name", examples=[42])]
    nested: Annotated[Summary, Field(description="Said beside a reference.")] | None = None


def test_every_kind_of_value_is_told_and_made() -> None:
    """Tuples, maps, patterns of keys, sets, dates, unions, anything, aliases, descriptions beside a reference."""
    contract = Contract.one(Everything)
    made = told(contract.terms)
    for words in (
        "a list of exactly 2 elements:", "element 1: a whole number", "under every key: a whole number",
        "every key that matches the regular expression `^[a-z]{2}$`: true or false", '"red"', '"blue"',
        "no element twice",
        'a date, like "2026-11-21"', "a whole number or a list; each element is text", "any JSON value", '"other-name"',
        "Said beside a reference",
    ):  # fmt: skip
        assert words in made.text
    assert "note for programmers" not in made.text
    assert "note for programmers" in told(contract.terms, docstrings=True).text
    assert made.example is not None
    admission = contract.admit(made.example)
    assert admission.status is Status.CLEAN
    assert admission.values[0].other_name == 42
    assert admission.values[0].nested is not None


def test_uniqueness_and_order_use_the_keys_that_are_written() -> None:
    """Not the names of the fields."""

    class Aliased(BaseModel):
        number: Annotated[int, Field(alias="nr")]
        page: int

    contract = Contract.items(Aliased, unique=[("number", "page")], order_by="-number", keep="first")
    text = words_of(contract)
    assert 'No two elements have the same "nr" and "page" together: of those that do, only the first counts.' in text
    assert 'in the order of "nr", highest first' in text


def test_a_batch_says_that_its_commands_belong_together() -> None:
    """Items do not."""
    words = "All elements belong together: one that is wrong costs all of them."
    assert words in words_of(Contract.batch(Plan))
    assert words not in words_of(Contract.items(Plan))


SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "The whole report.",
    "properties": {
        "items": {
            "type": "array",
            "minItems": 1,
            "maxItems": 5,
            "items": {
                "description": "One entry.",
                "type": "object",
                "properties": {
                    "size": {"type": "integer", "minimum": 1, "not": {"const": 7}},
                    "marks": {"type": "array", "items": {"type": "integer"}, "contains": {"const": 3}},
                },
                "required": ["size"],
                "additionalProperties": False,
                "dependentRequired": {"marks": ["size"]},
                "if": {"required": ["marks"]},
                "then": {"properties": {"size": {"minimum": 4}}},
            },
        }
    },
    "required": ["items"],
}


def test_a_json_schema_is_told_with_what_it_says_of_the_list() -> None:
    """Descriptions are its author's own words, and are told; an empty list is not offered where one is due."""
    contract = Contract.from_json_schema(SCHEMA, at="items")
    text = words_of(contract)
    for words in (
        "The whole report", "One entry", "others may come too", "at most 5 elements", "at least 1 element",
        "but not exactly 7", "at least 1 of its elements being exactly 3", 'with "marks" also "size"',
        "if it is an object",
        "then it is also an object", "at least 4",
    ):  # fmt: skip
        assert words in text
    assert "nothing to say" not in text
    assert told(contract.terms).example is not None


def test_a_shared_definition_is_told_once() -> None:
    """A schema whose references double at each step stays small."""
    doubling: dict[str, Any] = {
        f"d{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "ab"}}
        for n in range(40)
    }  # fmt: skip
    schema = {"$ref": "#/$defs/d0", "$defs": {**doubling, "d40": {"type": "string", "maxLength": 3}}}
    contract = Contract.from_json_schema(schema, locality="one", limits=Limits(max_depth=60))
    text = words_of(contract)
    assert all(text.count(f"A d{n} value is ") == 1 for n in range(1, 40))
    assert text.count("text, at most 3 characters") == 2


def test_a_chain_of_definitions_is_told_flat() -> None:
    """Each is used once; from some level on they stand under their names."""
    chain: dict[str, Any] = {
        f"d{n}": {"type": "object", "properties": {f"p{n}": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(40)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": {**chain, "d40": {"const": "the end"}}}
    text = words_of(Contract.from_json_schema(schema, locality="one", limits=Limits(max_depth=60)))
    assert all(text.count(f'"p{n}"') == 1 for n in range(40))
    assert 'exactly "the end"' in text
    assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) < 50


# ---------------------------------------------------------------------- the example


def test_an_example_in_the_schema_that_does_not_fit_is_refused_by_its_pointer() -> None:
    """Also one that would not have been used; one that fits passes, and is used."""

    class Wrong(BaseModel):
        size: Annotated[int, Field(ge=1, examples=[3, 0])]

    class Right(BaseModel):
        size: Annotated[int, Field(ge=1, examples=[3, 5])]

    with pytest.raises(Misuse, match="/properties/size/examples/1"):
        told(Contract.one(Wrong).terms)
    found = example_of(Contract.items(Right).terms)
    assert found is not None
    assert found.units == ({"size": 3}, {"size": 5})


def test_an_example_in_the_envelope_is_checked_too() -> None:
    """It stands in the same text."""

    class Wrong(BaseModel):
        summary: Annotated[str, Field(max_length=3, examples=["too long"])]

    with pytest.raises(Misuse, match="/properties/summary/examples/0"):
        told(Contract.items(Plan, at="items", envelope=Wrong).terms)


class Even(BaseModel):
    """A unit with a rule of its own that no schema shows."""

    code: str

    @field_validator("code")
    @classmethod
    def _known(cls, code: str) -> str:
        if code != "swordfish":
            raise ValueError("unknown code")
        return code


def test_where_no_example_passes_none_is_given() -> None:
    """The text says none, and a warning asks the author for one, which then stands in the text."""
    contract = Contract.items(Even)
    made = told(contract.terms)
    assert made.example is None
    assert "An example" not in made.text
    assert made.warnings == ("no example was found that the contract admits clean: give one with example=…",)
    given = told(contract.terms, example='[{"code": "swordfish"}]\n')
    assert given == Told(given.text, '[{"code": "swordfish"}]')
    assert given.text.endswith('[{"code": "swordfish"}]\n')


@pytest.mark.parametrize("text", ['[{"code": "other"}]', "no JSON", '[{"code": "swordfish",}]', "[]", ""])
def test_a_given_example_must_be_admitted_clean_and_without_an_edit(text: str) -> None:
    """A wrong example teaches a producer to be wrong."""
    with pytest.raises(Misuse, match="does not admit the example clean"):
        given_example(Contract.items(Even).terms, text)


def test_a_note_on_the_example_is_a_warning() -> None:
    """The contract's checks say something about every unit."""

    def remarks(_unit: Plan) -> list[Finding]:
        return [replace(refuse("odd"), effect=Finding("x", "y").effect.NOTE)]

    made = told(Contract.items(Plan, checks=[remarks]).terms)
    assert made.example is not None
    assert "odd" in made.warnings[0]


def test_a_check_that_refuses_the_first_try_may_pass_another() -> None:
    """Several are made; here only a rank above 2 passes."""

    def late(unit: Advice) -> list[Finding]:
        return [] if unit.rank > 2 else [refuse("too early")]

    found = example_of(Contract.items(Advice, checks=[late]).terms)
    assert found is not None
    assert all(unit["rank"] > 2 for unit in found.units)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"^WS-\d{1,4}$", ["WS-0", "WS-1"]),
        (r"cat|dog", ["cat", "dog"]),
        (r"^[^a-c]+$", ["d", "e"]),
        (r"^(?=.*x)[a-z]{3}x$", ["aaax", "bbbx"]),
        (r"\p{L}", [None, None]),
        (r"(.)\1", [None, None]),
        (r"(", [None, None]),
    ],
)
def test_a_text_is_made_from_a_pattern_or_not_at_all(pattern: str, texts: list[str | None]) -> None:
    """What cannot be made piece by piece is given up."""
    assert [matching_text(pattern, turn) for turn in range(2)] == texts


def test_a_text_from_a_pattern_keeps_its_length() -> None:
    """Repetitions run until it is long enough."""
    made = matching_text("^[a-z]+$", min_chars=12, max_chars=20)
    assert made is not None
    assert 12 <= len(made) <= 20
    assert matching_text("^[a-z]{5}$", max_chars=4) is None


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [("^WS-[0-9]{1,4}$", 7), ("^a*$", None), ("[0-9]{4}", None), ("^a|b$", None), ("(", None), ("^(a|bcd)?$", 3)],
)
def test_a_pattern_bounds_a_text_only_when_it_takes_all_of_it(pattern: str, longest: int | None) -> None:
    """A pattern that is searched for says nothing about what stands around it."""
    assert longest_match(pattern) == longest


# ---------------------------------------------------------------------- the words


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"maxLength": 600}, "At most 600 characters."),
        ({"minLength": 1, "maxLength": 600}, "1 to 600 characters."),
        ({"minLength": 1}, "At least 1 character."),
        ({"minLength": 0}, ""),
        ({"minItems": 7, "maxItems": 7}, "Exactly 7 elements."),
        ({"minimum": 1, "maximum": 7}, "From 1 to 7."),
        ({"exclusiveMinimum": 0, "maximum": 0.5}, "Greater than 0 and at most 0.5."),
        ({"multipleOf": 0.5}, "A multiple of 0.5."),
        ({"pattern": "^a|b$"}, "Matches the regular expression `^a|b$`."),
        ({"pattern": "`"}, 'Matches the regular expression "`".'),
        ({"format": "date"}, 'A date, like "2026-11-21".'),
        ({"format": "made-up"}, 'In the format "made-up".'),
        ({"uniqueItems": True}, "No element twice."),
        ({"uniqueItems": False}, ""),
        ({"const": None}, "Exactly null."),
        ({"enum": ["a", 1, None]}, 'One of "a", 1, null.'),
        ({"contains": {"type": "integer"}, "minContains": 2}, "At least 2 elements of this kind: a whole number."),
        ({"contains": True, "minContains": 0}, ""),
        ({"propertyNames": {"maxLength": 3}}, "Every key is at most 3 characters."),
        ({"dependentRequired": {"a": ["b", "c"]}}, 'With "a" also "b" and "c".'),
        ({"not": {"type": "null"}}, "Not null."),
        ({"if": {"type": "string"}, "then": {"maxLength": 3}}, "If it is text, then it is at most 3 characters."),
        ({"minProperties": 1, "maxProperties": 1}, "Exactly 1 key."),
        ({"additionalProperties": False}, "No other keys."),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "Text or null."),
        ({"title": "x", "then": {}, "maxContains": 3}, ""),
        ({"maximum": 3, "type": "integer", "minimum": 1}, "A whole number, from 1 to 3."),
    ],
)
def test_keywords_in_words(keywords: dict[str, Any], words: str) -> None:
    """One sentence, whatever order the keywords come in."""
    assert all_in_words(keywords) == words
    assert all_in_words(dict(reversed(keywords.items()))) == words


def test_a_keyword_alone_has_words() -> None:
    """``in_words`` says what ``all_in_words`` would, as a phrase."""
    assert in_words("maxLength", 600) == "at most 600 characters"
    assert in_words("maximum", 7) == "at most 7"
    assert in_words("x-unknown", 7) == ""


def test_a_long_enum_is_cut_in_hints_alone() -> None:
    """The prompt text lists every value; a hint lists the first and counts the rest."""
    values = [f"v{number}" for number in range(500)]
    hint = all_in_words({"enum": values})
    assert hint.count('"v') == MAX_HINT_VALUES
    assert hint.endswith(f"and {500 - MAX_HINT_VALUES} more.")

    class Wide(BaseModel):
        value: Literal[tuple(values)]  # type: ignore[valid-type]  # made here

    text = words_of(Contract.one(Wide))
    assert all(f'"{value}"' in text for value in values)


def test_hidden_characters_of_a_value_are_escaped() -> None:
    """As JSON escapes, so that the value stays the same."""
    assert in_words("const", "a\u202eb") == 'exactly "a\\u202eb"'
    assert in_words("const", "é🚢") == 'exactly "é🚢"'


# ---------------------------------------------------------------------- the size


def test_the_worst_size_of_a_known_contract() -> None:
    """Counted by hand: brackets and line ends, an indent of 2, a field of at most 3 digits, one of 2 characters."""

    class Small(BaseModel):
        n: Annotated[int, Field(ge=0, le=999)]
        t: Annotated[str, Field(max_length=2)]

    contract = Contract.one(Small)
    longest = json.dumps({"n": 999, "t": '""'}, indent=2)
    size = worst_size(contract.terms)
    assert size.chars is not None
    assert len(longest) <= size.chars <= len(longest) + 8
    assert size.tokens_at_most == size.utf8_bytes
    assert worst_size(contract.terms, spelling=ASCII_ONLY).chars == size.chars + 2 * (12 - 2)


def test_what_has_no_bound_has_no_size() -> None:
    """It is named by part, pointer and remedy; asking for tokens is refused with the same."""
    size = worst_size(Contract.one(Everything).terms)
    assert (size.chars, size.utf8_bytes, size.tokens_at_most, size.tokens_estimated) == (None, None, None, None)
    pointers = [found.pointer for found in size.unbounded]
    assert pointers == [
        "/properties/table", "/properties/codes", "/properties/either/anyOf/1", "/properties/anything",
    ]  # fmt: skip
    with pytest.raises(Misuse, match=r'unit "/properties/table".*max_length \(maxProperties\)'):
        max_tokens_for(size)
    assert str(Unbounded("unit", "/a", "b", "c")) == "unit /a: b; c"


def test_a_recursive_contract_is_bounded_by_its_depth() -> None:
    """A chain of eight; a tree with lists of any length is not."""

    class Chain(BaseModel):
        name: Annotated[str, Field(max_length=3)]
        next: Chain | None = None

    eight = worst_size(Contract.one(Chain).terms).chars
    four = worst_size(Contract.one(Chain, limits=Limits(max_depth=4)).terms).chars
    assert eight is not None
    assert four is not None
    assert eight > four
    assert worst_size(Contract.items(Tree).terms).chars is None


def test_max_tokens_is_the_estimate_with_headroom_below_the_ceiling() -> None:
    """Headroom below 1 would plan for a cut."""
    size = Size(1000, 2000, 2000, 400)
    assert max_tokens_for(size) == 500
    assert max_tokens_for(size, headroom=2) == 800
    assert max_tokens_for(size, headroom=100) == 2000
    for headroom in (0.9, float("nan"), True, "2"):
        with pytest.raises(Misuse, match="headroom cannot be"):
            max_tokens_for(size, headroom=headroom)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(Misuse, match="chars_per_token cannot be"):
        worst_size(advice.terms, chars_per_token=0)
    with pytest.raises(Misuse, match="bytes_per_char"):
        Spelling(bytes_per_char=0)


def test_the_triage_report_fits_into_what_is_computed() -> None:
    """Seven recommendations with every field at its longest."""
    made = told(triage.terms)
    size = worst_size(triage.terms)
    assert size.chars is not None
    assert size.chars > 7 * 600 + 2000
    assert size_of(made.text).chars == len(made.text)
    assert size_of("é").utf8_bytes == 2


def test_a_token_of_real_replies_is_hardly_shorter_than_assumed() -> None:
    """Usage against characters: the replies that ended by themselves, with at least 100 tokens and a unit in them."""
    file = ROOT.parent / "shared" / "data" / "model_replies.jsonl"
    if not file.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{file.name} is missing")
        pytest.skip(f"{file.name} is not beside the repository")
    replies = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    ratios = sorted(
        len(reply["raw"]) / reply["usage"]["completion_tokens"]
        for reply in replies
        if reply["finish_reason"] == "stop"
        and reply["usage"]["completion_tokens"] >= 100
        and reply["n_items_recovered"]
    )
    assert len(ratios) == 47
    assert ratios[0] >= CHARS_PER_TOKEN
    assert (round(ratios[0], 2), round(ratios[23], 2)) == (2.63, 3.13)


def test_what_python_may_read_otherwise_one_day_is_no_warning() -> None:
    """A pattern of somebody's schema holds ``--`` in a class; warnings are errors here."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^[+--]{2}$"}}, "required": ["a"]}
    contract = Contract.from_json_schema(schema, locality="one", name="unit")
    assert "^[+--]{2}$" in told(contract.terms).text
