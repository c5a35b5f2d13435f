"""What each rewrite looks like on the wire, and what is refused before anything is sent."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from pratique import Compiled, Contract, Delivery, Fate, Locality, Misuse, Status, ToolCall, targets
from pratique.dialects.dialect import dialect_of

STRICT = ["anthropic/messages", "openai/chat", "openai/responses", "bedrock/converse"]


class Base(BaseModel):
    """For programmers: the token is in the vault."""

    note: str = ""


class Read(Base):
    """For programmers too."""

    path: str
    kind: Literal["read"]


class Write(Base):
    """And this."""

    path: str
    text: Annotated[str, Field(description="what to write")]
    kind: Literal["write"] = "write"


STEP = Annotated[Read | Write, Field(discriminator="kind")]


def definitions(compiled: Compiled) -> dict[str, Any]:
    """Return the definitions of a compiled schema."""
    return dict(compiled.schema["$defs"])


@pytest.mark.parametrize("target", STRICT)
def test_the_tag_comes_first_in_every_closed_arm(target: str) -> None:
    """Inherited fields come first in Python, and a tag with a default is not required there."""
    compiled = Contract.items(STEP, at="steps").compile(target)
    for name in ("Read", "Write"):
        arm = definitions(compiled)[name]
        assert next(iter(arm["properties"])) == arm["required"][0] == "kind"
        assert arm["additionalProperties"] is False
    assert "oneOf" not in str(compiled.schema)
    assert "discriminator" not in str(compiled.schema)


@pytest.mark.parametrize("target", targets())
def test_docstrings_stay_at_home_unless_asked(target: str) -> None:
    """A field's description is told; a class's docstring is for programmers."""
    contract = Contract.one(STEP, name="step")
    told = str(contract.compile(target).request)
    assert "vault" not in told
    assert "programmers" not in told
    assert "what to write" in told
    assert "programmers" in str(contract.compile(target, docstrings=True).request)


def test_a_union_at_the_root_is_wrapped_and_a_list_too() -> None:
    """Where the root has to be an object, a value that is none stands in one, and is led out of it."""
    one, listed = Contract.one(STEP, name="step"), Contract.items(STEP)
    assert list(one.compile("openai/chat").schema["properties"]) == ["result"]
    compiled = listed.compile("openai/chat")
    assert list(compiled.schema["properties"]) == ["items"]
    assert compiled.lens.out([]) == {"items": []}
    assert "anyOf" in one.compile("llama.cpp/llguidance").schema


class Level(IntEnum):
    """Numbers with names."""

    LOW = 1
    HIGH = 2


class Colour(Enum):
    """A mixed bag."""

    RED = "red"
    TWO = 2


class Corners(BaseModel):
    """One field for each rewrite."""

    level: Level
    colour: Colour
    marks: set[Literal["a", "b"]]
    pair: tuple[int, str]
    counts: dict[str, int]
    note: str | None = "none"


def test_odd_values_sets_and_tuples_have_a_form_in_every_dialect() -> None:
    """What a dialect lacks is written as what it has."""
    openai = Contract.one(Corners).compile("openai/chat").schema["properties"]
    assert openai["level"]["enum"] == [1, 2]
    assert openai["colour"]["enum"] == ["red", 2]
    assert openai["marks"]["type"] == "array"
    assert "No element twice" in openai["marks"]["description"]
    assert list(openai["pair"]["properties"]) == ["_0", "_1"]
    assert list(openai["counts"]["items"]["properties"]) == ["key", "value"]
    mistral = Contract.one(Corners).compile("mistral").schema["properties"]
    assert mistral["level"]["enum"] == ["1", "2"]


def test_a_null_of_the_contracts_own_is_told_from_one_of_the_lens() -> None:
    """Absent, null and a value are three things, and stay three."""
    contract = Contract.one(Corners)
    compiled = contract.compile("openai/chat")
    whole = {"level": 1, "colour": 2, "marks": ["b"], "pair": [1, "x"], "counts": {}}
    for value in (whole, {**whole, "note": None}, {**whole, "note": "x"}):
        assert compiled.lens.back(compiled.lens.out(value)) == value


def test_what_was_compiled_once_is_not_compiled_again() -> None:
    """The same words and rules have one plan; other words have their own, with the same fingerprint."""

    def unit(words: str) -> Contract[Any]:
        return Contract.from_json_schema(
            {"type": "object", "properties": {"a": {"type": "string", "description": words}}, "required": ["a"]},
            locality=Locality.ONE, name="unit",
        )  # fmt: skip

    first, same, other = unit("one"), unit("one"), unit("two")
    assert first.fingerprint == same.fingerprint == other.fingerprint
    assert first.compile("google").lens.step is same.compile("google").lens.step
    assert other.compile("google").schema["properties"]["a"]["description"] == "two"


def fields(many: int, *, required: bool = True, name: str = "f") -> dict[str, Any]:
    """Return the schema of an object with many fields."""
    names = [f"{name}{number}" for number in range(many)]
    return {
        "type": "object", "properties": {key: {"type": "string"} for key in names}, "additionalProperties": False,
        "required": names if required else [],
    }  # fmt: skip


def nested(levels: int) -> dict[str, Any]:
    """Return the schema of an object of so many levels."""
    schema = fields(1)
    for _ in range(levels - 1):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return schema


def union(many: int) -> dict[str, Any]:
    """Return the schema of an object with so many unions in it."""
    each = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]}
    return {**fields(many), "properties": {f"f{number}": each for number in range(many)}}


def listing(many: int, chars: int = 4) -> dict[str, Any]:
    """Return the schema of an object with one field of so many listed values."""
    values = [f"{number:0{chars}}" for number in range(many)]
    return {**fields(1), "properties": {"f0": {"type": "string", "enum": values}}}


@pytest.mark.parametrize(
    ("target", "fits", "is_over", "said"),
    [
        (
            "anthropic/messages",
            fields(24, required=False),
            fields(25, required=False),
            "25 optional properties, at most 24",
        ),
        ("anthropic/messages", union(16), union(17), "17 unions, at most 16"),
        ("openai/chat", nested(10), nested(11), "11 levels of nested objects and lists, at most 10"),
        ("openai/chat", listing(1000), listing(1001), "1,001 listed values, at most 1,000"),
        ("openai/chat", listing(251, 59), listing(251, 60), "15,060 characters in one list of values, at most 15,000"),
        (
            "openai/chat",
            fields(600, name="n" * 196),
            fields(620, name="n" * 196),
            "characters of names and listed values",
        ),
    ],
)
def test_each_limit_is_counted_before_anything_is_sent(
    target: str, fits: dict[str, Any], is_over: dict[str, Any], said: str
) -> None:
    """At the limit a contract is compiled; over it, the refusal says the count, the limit and what to do."""

    def contract(schema: dict[str, Any]) -> Contract[Any]:
        return Contract.from_json_schema(schema, locality=Locality.ONE, name="unit")

    assert contract(fits).compile(target).schema
    with pytest.raises(Misuse, match=said) as refused:
        contract(is_over).compile(target)
    assert "choose another target" in refused.value.remedy


def test_too_many_strict_tools_are_refused() -> None:
    """Twenty, for Anthropic."""

    def tools(many: int) -> Contract[Any]:
        arms = [
            {
                "type": "object", "properties": {"kind": {"const": f"k{number}"}}, "required": ["kind"],
                "additionalProperties": False,
            }
            for number in range(many)
        ]  # fmt: skip
        return Contract.from_json_schema({"anyOf": arms}, locality=Locality.ONE, name="tools")

    assert len(tools(20).compile("anthropic/tools").tools) == 20
    with pytest.raises(Misuse, match="21 strict tools, at most 20"):
        tools(21).compile("anthropic/tools")


class Opaque:
    """No type that Pydantic knows."""


class Holder(BaseModel):
    """A model with a field of such a type."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    inner: Opaque


class Outer(BaseModel):
    """One level further out."""

    held: Holder


def test_a_model_with_a_type_of_its_own_is_a_mistake_with_a_remedy() -> None:
    """No schema can be made of it, so no contract is."""
    with pytest.raises(Misuse, match=r"at /held/inner: .*Opaque") as refused:
        Contract.one(Outer)
    assert "types that JSON has" in refused.value.remedy


def test_every_constraint_has_a_fate_a_place_and_a_reason() -> None:
    """What is not enforced says why, and its pointer leads to what it is about."""
    contract = Contract.one(Corners)
    schema: Any = contract.terms.unit.schema
    for target in targets():
        for row in contract.compile(target).constraints:
            assert bool(row.why) or row.fate is Fate.ENFORCED, (target, row)
            if row.part == "unit":
                part = schema
                for key in row.pointer[1:].split("/"):
                    part = part[int(key)] if isinstance(part, list) else part[key]
                assert part == row.value


@pytest.mark.parametrize("target", targets())
def test_what_is_sent_is_the_callers_own(target: str) -> None:
    """Whoever writes into a request changes nothing for the next one."""
    contract = Contract.one(Corners)
    first = contract.compile(target)
    before = str(first.request)
    assert isinstance(first.schema, dict)
    first.schema.clear()
    assert str(contract.compile(target).request) == before
    assert dialect_of(target).target == target


@pytest.mark.parametrize("target", ["anthropic/tools", "openai/chat", "bedrock/converse"])
def test_a_tool_is_called_by_the_name_that_the_endpoint_takes(target: str) -> None:
    """A contract's name may be no name for a tool; what was sent is what comes back."""
    contract = Contract.items(Read, name="Größte Aufgaben, heute!")
    compiled = contract.compile(target, form="tools")
    call = ToolCall("Gr_te_Aufgaben_heute", '{"items": [{"path": "a", "kind": "read"}]}')
    assert call.name in str(compiled.request)
    assert contract.admit(Delivery(tool_calls=(call,)), compiled=compiled).status is Status.CLEAN
