"""Every target says what it accepts, how that is known, and makes requests of the shape its endpoint takes."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from datetime import date
from typing import Any

import pytest
from bench.dialects_probe import CASES, CASES_FORMATS, SPELLINGS, UNSAID, promise, text_of

from pratique.dialects import targets as folder
from pratique.dialects.dialect import Dialect, WireSchema, WireTool, dialect_of, targets
from pratique.dialects.profile import ANNOTATIONS, FORMS, KEYWORDS, Bounds, Known, Patterns, Profile, Support
from pratique.errors import Misuse

MADE_OF_OTHERS, SENDS_NO_SCHEMA = "portable", "prompt"
WITH_TABLE = [target for target in targets() if target != SENDS_NO_SCHEMA]
ENDPOINTS = [target for target in WITH_TABLE if target != MADE_OF_OTHERS]
FILES = [found.name for found in pkgutil.iter_modules(folder.__path__)]

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"rank": {"type": "integer"}},
    "required": ["rank"],
    "additionalProperties": False,
}
ANSWER = WireSchema("ranking", "A rank.", SCHEMA)
TOOL = WireTool("rank", "Give a rank.", SCHEMA, ({"rank": 1},))


def profile_of(target: str) -> Profile:
    """Return the profile of a target."""
    return dialect_of(target).profile


class TestFiles:
    """A target is a file."""

    def test_the_targets_are_the_ones_we_promise(self) -> None:
        """A new one is a new file and a new line here."""
        assert targets() == (
            "anthropic/messages", "anthropic/tools", "bedrock/converse", "google", "llama.cpp/gbnf",
            "llama.cpp/llguidance", "mistral", "openai/chat", "openai/responses", "portable", "prompt", "vllm",
        )  # fmt: skip

    @pytest.mark.parametrize("file", FILES)
    def test_a_file_is_named_as_its_target_and_shows_nothing_else(self, file: str) -> None:
        """Its one public name is DIALECT."""
        module = importlib.import_module(f"{folder.__name__}.{file}")
        assert re.sub(r"[/.]", "_", module.DIALECT.target) == file
        assert module.__all__ == ["DIALECT"]

    def test_a_wrong_target_gets_the_nearest_and_all(self) -> None:
        """A slip of the pen costs one look at the message."""
        with pytest.raises(Misuse, match=r"did you mean openai/chat\?.*anthropic/messages.*vllm") as raised:
            dialect_of("openai/chats")
        assert "openai/chats" in raised.value.message

    def test_a_target_like_nothing_gets_all(self) -> None:
        """There is no nearest to name, and the text is made safe."""
        with pytest.raises(Misuse) as raised:
            dialect_of("\x1b[31m")
        assert "did you mean" not in str(raised.value)
        assert "\x1b" not in str(raised.value)

    @pytest.mark.parametrize("near", ["openai_chat", "..targets.openai_chat", "google ", ""])
    def test_a_file_name_is_no_target(self, near: str) -> None:
        """Only the declared names are imported."""
        with pytest.raises(Misuse):
            dialect_of(near)


@pytest.mark.parametrize("target", WITH_TABLE)
class TestTable:
    """A table speaks of everything, and says how it knows."""

    def test_it_has_a_cell_for_every_keyword_and_form(self, target: str) -> None:
        """What is not established says so in a cell of its own."""
        assert set(profile_of(target).cells) == {*KEYWORDS, *ANNOTATIONS, *FORMS}

    def test_every_cell_names_its_source(self, target: str) -> None:
        """A cell is as good as what stands behind it."""
        assert [name for name, cell in profile_of(target).cells.items() if not cell.source.strip()] == []

    def test_what_asserts_nothing_is_never_called_kept(self, target: str) -> None:
        """There is nothing to keep about a title."""
        assert [name for name in ANNOTATIONS if profile_of(target).keeps(name)] == []

    def test_it_was_read_on_a_day(self, target: str) -> None:
        """The date is an ISO date."""
        assert date.fromisoformat(profile_of(target).read_on).isoformat() == profile_of(target).read_on

    def test_formats_are_listed_where_the_keyword_is_kept_and_nowhere_else(self, target: str) -> None:
        """An empty list beside a kept keyword would say two things."""
        assert profile_of(target).keeps("format") == bool(profile_of(target).formats)

    def test_bounds_are_whole_numbers_above_nothing(self, target: str) -> None:
        """A bound of zero would refuse every schema."""
        bounds = profile_of(target).bounds
        values = [getattr(bounds, name) for name in Bounds.__slots__]
        assert [value for value in values if value is not None and value < 1] == []

    def test_its_name_rule_is_a_rule(self, target: str) -> None:
        """It takes the plainest name, and not the empty one."""
        rule = re.compile(profile_of(target).tool_name)
        assert rule.fullmatch("ranking_1")
        assert not rule.fullmatch("")

    def test_a_plain_object_can_be_asked_for(self, target: str) -> None:
        """Without these the compiler would have nothing to write."""
        least = ("type", "properties", "required", "items", "additionalProperties", "enum string")
        assert [name for name in least if not profile_of(target).keeps(name)] == []

    def test_a_closed_world_is_not_called_open(self, target: str) -> None:
        """Who wants every object closed keeps no map and no open object."""
        profile = profile_of(target)
        assert not (profile.closed_objects and (profile.keeps("map") or profile.keeps("open object")))


def test_the_prompt_has_no_table_and_no_requests() -> None:
    """All of a contract is said in words there."""
    dialect = dialect_of(SENDS_NO_SCHEMA)
    assert (dialect.profile.cells, dialect.default_form) == ({}, "words")
    assert (dialect.schema_request, dialect.tool, dialect.tool_request) == (None, None, None)


GOLDEN_SCHEMA: dict[str, dict[str, Any]] = {
    "anthropic/messages": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
    "bedrock/converse": {
        "outputConfig": {
            "textFormat": {
                "type": "json_schema",
                "structure": {
                    "jsonSchema": {
                        "schema": '{"type":"object","properties":{"rank":{"type":"integer"}},'
                        '"required":["rank"],"additionalProperties":false}',
                        "name": "ranking",
                        "description": "A rank.",
                    }
                },
            }
        }
    },
    "google": {"config": {"response_mime_type": "application/json", "response_json_schema": SCHEMA}},
    "llama.cpp/gbnf": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "ranking", "schema": SCHEMA, "strict": True},
        }
    },
    "mistral": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "ranking", "description": "A rank.", "schema": SCHEMA, "strict": True},
        }
    },
    "openai/responses": {
        "text": {
            "format": {
                "type": "json_schema",
                "name": "ranking",
                "description": "A rank.",
                "schema": SCHEMA,
                "strict": True,
            }
        }
    },
    "portable": {"name": "ranking", "description": "A rank.", "schema": SCHEMA},
    "vllm": {"structured_outputs": {"json": SCHEMA}},
}
GOLDEN_SCHEMA["openai/chat"] = GOLDEN_SCHEMA["mistral"]
GOLDEN_SCHEMA["llama.cpp/llguidance"] = GOLDEN_SCHEMA["llama.cpp/gbnf"]

_FUNCTION = {"name": "rank", "description": "Give a rank.", "parameters": SCHEMA}
GOLDEN_TOOLS: dict[str, dict[str, Any]] = {
    "anthropic/tools": {
        "tools": [
            {
                "name": "rank",
                "description": "Give a rank.",
                "input_schema": SCHEMA,
                "strict": True,
                "input_examples": [{"rank": 1}],
            }
        ]
    },
    "bedrock/converse": {
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "rank",
                        "description": "Give a rank.",
                        "inputSchema": {"json": SCHEMA},
                        "strict": True,
                    }
                }
            ]
        }
    },
    "google": {
        "config": {
            "tools": [
                {
                    "function_declarations": [
                        {"name": "rank", "description": "Give a rank.", "parameters_json_schema": SCHEMA}
                    ]
                }
            ],
            "tool_config": {"function_calling_config": {"mode": "VALIDATED"}},
        }
    },
    "llama.cpp/gbnf": {"tools": [{"type": "function", "function": _FUNCTION}]},
    "llama.cpp/llguidance": {"tools": [{"type": "function", "function": _FUNCTION}]},
    "mistral": {"tools": [{"type": "function", "function": {**_FUNCTION, "strict": True}}]},
    "openai/chat": {"tools": [{"type": "function", "function": {**_FUNCTION, "strict": True}}]},
    "openai/responses": {"tools": [{"type": "function", **_FUNCTION, "strict": True}]},
    "portable": {"tools": [{"name": "rank", "description": "Give a rank.", "schema": SCHEMA}]},
    "vllm": {"tools": [{"type": "function", "function": _FUNCTION}], "tool_choice": "required"},
}


def tools_asked(dialect: Dialect, tool: WireTool) -> dict[str, Any]:
    """Return the request part that offers one tool."""
    assert dialect.tool is not None
    assert dialect.tool_request is not None
    return dialect.tool_request([dialect.tool(tool)])


class TestRequests:
    """Requests are plain JSON of the shape that the endpoint takes."""

    @pytest.mark.parametrize("target", targets())
    def test_a_schema_is_asked_for_in_the_shape_of_the_endpoint(self, target: str) -> None:
        """The shape is held word for word; a target without one says so."""
        asked = dialect_of(target).schema_request
        assert (asked and asked(ANSWER)) == GOLDEN_SCHEMA.get(target)

    @pytest.mark.parametrize("target", targets())
    def test_tools_are_offered_in_the_shape_of_the_endpoint(self, target: str) -> None:
        """The shape is held word for word; a target without tools says so."""
        dialect = dialect_of(target)
        assert (dialect.tool and tools_asked(dialect, TOOL)) == GOLDEN_TOOLS.get(target)
        assert (dialect.tool is None) == (dialect.tool_request is None)

    @pytest.mark.parametrize("target", sorted(GOLDEN_SCHEMA))
    def test_a_schema_request_is_json_and_leaves_out_what_is_empty(self, target: str) -> None:
        """An empty description is not sent as an empty text."""
        asked = dialect_of(target).schema_request
        assert asked is not None
        sent = json.loads(json.dumps(asked(WireSchema("ranking", "", SCHEMA))))
        assert target == MADE_OF_OTHERS or '"description": ""' not in json.dumps(sent)

    @pytest.mark.parametrize("target", sorted(GOLDEN_TOOLS))
    def test_a_tool_request_is_json_and_leaves_out_what_is_empty(self, target: str) -> None:
        """Neither an empty description nor an empty list of examples is sent."""
        sent = json.dumps(tools_asked(dialect_of(target), WireTool("rank", "", SCHEMA)))
        assert json.loads(sent)
        assert target == MADE_OF_OTHERS or '"description": ""' not in sent
        assert "examples" not in sent

    @pytest.mark.parametrize("target", targets())
    def test_what_a_target_is_asked_with_it_has(self, target: str) -> None:
        """The form that is used unless told is one that the target can make."""
        dialect = dialect_of(target)
        made = {"schema": dialect.schema_request, "tools": dialect.tool, "words": dialect.profile}
        assert made[dialect.default_form] is not None


class TestPortable:
    """What is portable is kept by every endpoint: computed here a second time, cell by cell."""

    def test_it_keeps_what_all_keep_and_nothing_more(self) -> None:
        """One endpoint that does not keep a keyword takes it away."""
        portable = profile_of(MADE_OF_OTHERS)
        for name in (*KEYWORDS, *ANNOTATIONS, *FORMS):
            assert portable.keeps(name) == all(profile_of(target).keeps(name) for target in ENDPOINTS), name
            assert portable.accepts(name) == all(profile_of(target).accepts(name) for target in ENDPOINTS), name

    def test_a_cell_is_that_of_an_endpoint_that_is_worst(self) -> None:
        """Its source names the endpoint, and no endpoint that is as bad is less sure."""
        order = [Support.ENFORCED, Support.IGNORED, Support.UNKNOWN, Support.REFUSED]
        for name, cell in profile_of(MADE_OF_OTHERS).cells.items():
            target, _, source = cell.source.partition(": ")
            assert profile_of(target).cells[name].source == source
            theirs = [profile_of(each).cells[name] for each in ENDPOINTS]
            assert order.index(cell.support) == max(order.index(each.support) for each in theirs)
            same = [each for each in theirs if each.support is cell.support]
            assert list(Known).index(cell.known) == max(list(Known).index(each.known) for each in same)

    def test_its_bounds_are_the_smallest(self) -> None:
        """A bound that one endpoint has holds."""
        for name in Bounds.__slots__:
            theirs = [getattr(profile_of(target).bounds, name) for target in ENDPOINTS]
            known = [bound for bound in theirs if bound is not None]
            assert getattr(profile_of(MADE_OF_OTHERS).bounds, name) == (min(known) if known else None), name

    def test_a_rule_that_one_endpoint_has_holds(self) -> None:
        """Rules are joined, counts are the smallest, formats are those of all."""
        portable, theirs = profile_of(MADE_OF_OTHERS), [profile_of(target) for target in ENDPOINTS]
        rules = [name for name, value in vars_of(portable).items() if isinstance(value, bool)]
        assert len(rules) == 10
        for rule in rules:
            assert getattr(portable, rule) == any(getattr(each, rule) for each in theirs), rule
        assert portable.formats == {name for name in theirs[0].formats if all(name in each.formats for each in theirs)}
        assert portable.max_min_items == 1
        for most in ("max_count", "max_bound", "max_multiple"):
            known = [getattr(each, most) for each in theirs if getattr(each, most) is not None]
            assert getattr(portable, most) == min(known), most
        assert portable.read_on == min(each.read_on for each in theirs)

    @pytest.mark.parametrize("case", [case for case in CASES if "pattern" in case.schema], ids=str)
    def test_a_pattern_is_portable_when_every_endpoint_takes_it(self, case: Any) -> None:
        """No pattern passes the intersection that one endpoint would not take."""
        pattern = case.schema["pattern"]
        if profile_of(MADE_OF_OTHERS).patterns.takes(pattern):
            assert [target for target in ENDPOINTS if not profile_of(target).patterns.takes(pattern)] == []


def vars_of(profile: Profile) -> dict[str, Any]:
    """Return the fields of a profile."""
    return {name: getattr(profile, name) for name in Profile.__slots__}


class TestHolds:
    """Whether an assertion is kept can hang on its value and on the type it is said of."""

    @pytest.mark.parametrize(
        ("target", "keyword", "value", "kind", "kept"),
        [
            ("anthropic/tools", "minItems", 1, "array", True), ("anthropic/tools", "minItems", 2, "array", False),
            ("anthropic/tools", "minimum", 1, "integer", False), ("openai/chat", "minItems", 2, "array", True),
            ("llama.cpp/gbnf", "minimum", 1, "integer", True), ("llama.cpp/gbnf", "minimum", 1, "number", False),
            ("llama.cpp/gbnf", "maxLength", 1_999, "string", True),
            ("llama.cpp/gbnf", "maxLength", 2_001, "string", False),
            ("llama.cpp/gbnf", "maximum", 10**18, "integer", True),
            ("llama.cpp/gbnf", "minimum", -(10**18) - 1, "integer", False),
            ("llama.cpp/llguidance", "multipleOf", 5, "integer", True),
            ("llama.cpp/llguidance", "multipleOf", 10**9, "integer", False),
            ("llama.cpp/llguidance", "multipleOf", 0.07, "number", False),
            ("llama.cpp/llguidance", "minimum", 0.5, "number", True),
            ("openai/chat", "format", "uuid", "string", True), ("openai/chat", "format", "uri", "string", False),
            ("vllm", "pattern", "^a$", "string", True), ("vllm", "pattern", "a", "string", False),
            ("vllm", "uniqueItems", True, "array", False), ("prompt", "minimum", 1, "integer", False),
        ],
    )  # fmt: skip
    def test_a_value_is_held_or_not(self, target: str, keyword: str, value: Any, kind: str, kept: bool) -> None:
        """Beyond what was measured or documented nothing is promised."""
        assert profile_of(target).holds(keyword, value, kind) == kept


class TestPatterns:
    """A pattern is taken only when all that it holds is kept."""

    @pytest.mark.parametrize(
        ("pattern", "rule"),
        [
            ("(?=a)b", "look_around"), ("a(?<!b)", "look_around"), (r"(a)\1", "back_references"),
            (r"(?<n>a)\k<n>", "back_references"), (r"\bab", "word_boundary"), ("abc", "unanchored"),
            ("^abc", "unanchored"), ("abc$", "unanchored"), ("^a|b$", "unanchored"), ("^a$|^b$", "unanchored"),
            (r"^a\$", "unanchored"), ("a+?", "lazy"), ("a{2}?", "lazy"), ("a*+", "lazy"), ("(?<n>a)", "named_groups"),
            ("(?P<n>a)", "named_groups"), (r"\p{L}", "letter_classes"), (r"[\P{L}]", "letter_classes"),
            ("(?i:a)", "flags"), ("(?i)a", "flags"), ("a.b", "escaped"), ("[^a]", "escaped"), (r"\s", "escaped"),
            (r"\W", "escaped"), ('a"b', "escaped"), (r"a\\b", "escaped"), ("[a\"]", "escaped"), (r"\n", "escaped"),
        ],
    )  # fmt: skip
    def test_each_rule_is_asked(self, pattern: str, rule: str) -> None:
        """The pattern passes with every rule open, and not with this one shut."""
        wide: dict[str, Any] = dict.fromkeys(
            (
                "look_around", "back_references", "word_boundary", "unanchored", "lazy", "named_groups",
                "letter_classes", "flags", "escaped",
            ),
            True,
        )  # fmt: skip
        assert Patterns(**wide).takes(pattern)
        assert not Patterns(**{**wide, rule: False}).takes(pattern)

    @pytest.mark.parametrize("pattern", ["a^b", "a$b", "(^a)", "(a$)b"])
    def test_an_anchor_inside_is_never_taken(self, pattern: str) -> None:
        """No engine that was measured reads it everywhere."""
        assert not Patterns(look_around=True, lazy=True, flags=True).takes(pattern)

    @pytest.mark.parametrize(
        "pattern",
        ["^abc$", "^[a-z]{2,4}$", r"^[0-9]+(x|y)*$", r"^a\.b$", "^(?:a|b)$", r"^[\[\]]$", "^[.^$|(]+$", "^$", r"^a\($"],
    )
    def test_the_plain_part_of_the_language_is_taken_by_every_engine(self, pattern: str) -> None:
        """Letters, classes, groups, choices, counts, escaped signs."""
        measured = [profile_of(name).patterns for name in ("llama.cpp/gbnf", "llama.cpp/llguidance", "vllm")]
        assert [rules.takes(pattern) for rules in measured] == [True] * 3

    @pytest.mark.parametrize(
        ("pattern", "count"),
        [("^a{7}$", 7), ("^a{2,7}$", 7), ("^a{7,}$", 7), ("^(a{7}){3}$", 21), ("^(a{2}b{7}){3}c{4}$", 21), ("^a+$", 1),
         ("^[{]9}$", 1), (r"^\{9\}$", 1), ("^(a{7}b|c)$", 7), ("^((a{2}){3}){4}$", 24)],
    )  # fmt: skip
    def test_counts_of_nested_groups_are_multiplied(self, pattern: str, count: int) -> None:
        """A hundred times a hundred is ten thousand, however it is written."""
        assert Patterns(max_repeat=count).takes(pattern)
        assert count == 1 or not Patterns(max_repeat=count - 1).takes(pattern)

    def test_a_long_pattern_is_read_once(self) -> None:
        """A hundred thousand open groups are read without recursion."""
        assert Patterns().takes("(" * 100_000)
        assert Patterns().takes("\\\\" * 50_000)


class TestProbe:
    """The cases of the probe are right, so that what it measures is what it says."""

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_a_validator_judges_every_case_as_the_probe_says(self, case: Any) -> None:
        """Good texts are valid, bad ones are not; formats are asserted."""
        jsonschema_rs = pytest.importorskip("jsonschema_rs")
        validator = jsonschema_rs.Draft202012Validator(dict(case.schema), validate_formats=True)
        for values, wanted in ((case.good, True), (case.bad, False)):
            for value in values:
                try:
                    read = json.loads(text_of(case.row, value))
                except ValueError:
                    assert not wanted
                else:
                    assert validator.is_valid(read) == wanted, value

    def test_every_keyword_and_form_is_probed(self) -> None:
        """A row that nobody measures could say anything."""
        assert {*KEYWORDS, *ANNOTATIONS, *FORMS} - {case.row for case in CASES} - {"format"} == set()

    def test_every_promised_format_is_probed(self) -> None:
        """So is every format that a profile lists."""
        assert {name for target in WITH_TABLE for name in profile_of(target).formats} <= CASES_FORMATS

    def test_a_promise_is_made_for_most_cases(self) -> None:
        """The comparison with a profile is not empty: the engine that keeps most is held to most."""
        promised = [case for case in CASES if promise(profile_of("llama.cpp/llguidance"), case) is Support.ENFORCED]
        assert len(promised) > len(CASES) // 2
        assert {*SPELLINGS, *UNSAID} <= {case.row for case in CASES}
