"""Attacks on the way back: what a producer did not write in the wire's shape must not become a value of the contract.

Each test holds a sound twin beside the attack, so that none passes because the contract refuses everything.
"""

from __future__ import annotations

import json
import threading
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from pratique import Admission, Contract, Delivery, Finding, Limits, Misuse, ToolCall, refuse

TARGET = "openai/chat"
"""It wants nulls, pairs, slots, boxes and values written as text."""


class Plain(BaseModel):
    """Fields that may be left out."""

    name: str
    tags: list[str] = []


class Loose(BaseModel):
    """A field of any type."""

    name: str
    what: Any


class Held(BaseModel):
    """A map that may be left out, and may be null."""

    name: str
    opt: dict[str, Any] | None = {"x": 1}


class Either(BaseModel):
    """Forms that the wire cannot tell apart."""

    what: int | list[int] | dict[str, Any]


class Many(BaseModel):
    """A map or a list: both are lists on the wire."""

    what: dict[str, Any] | list[Any]


class Placed(BaseModel):
    """A tuple."""

    at: tuple[int, str]


class Tree(BaseModel):
    """A type that is part of itself."""

    name: str
    kids: list[Tree] = []


class Park(BaseModel):
    """One of two commands."""

    kind: Literal["park"]
    note: str | None = "none was given"


class Move(BaseModel):
    """The other."""

    kind: Literal["move"]
    to: tuple[int, int]


class Approve(BaseModel):
    """Two classes with the same fields."""

    why: str


class Reject(BaseModel):
    """The opposite."""

    why: str


class Verdict(BaseModel):
    """A union that only the wire's box can tell apart."""

    said: Approve | Reject


OPEN = {
    "title": "Open", "type": "object", "required": ["name"],
    "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
}  # fmt: skip
COMMAND: Any = Annotated[Park | Move, Field(discriminator="kind")]


def _admit(contract: Contract[Any], *units: str, form: Any = None) -> Admission[Any]:
    compiled = contract.compile(TARGET, form=form)
    return contract.admit(f'{{"items": [{", ".join(units)}]}}', compiled=compiled)


def _codes(admission: Admission[Any]) -> list[str]:
    return [found.code for unit in admission.quarantined for found in unit.findings]


# ---------------------------------------------------------------------- what nobody wrote


@pytest.mark.parametrize("said", [Approve(why="x"), Reject(why="x")])
def test_a_box_is_never_admitted_as_another_variant_than_it_names(said: Approve | Reject) -> None:
    """To be refused, here or when it is compiled, is right; to approve what was rejected is not."""
    contract = Contract.items(Verdict)
    box = f'{{"variant": "{type(said).__name__}", "value": {{"why": "x"}}}}'
    try:
        values = _admit(contract, f'{{"said": {box}}}').values
    except Misuse:
        return
    assert values in ((), (Verdict(said=said),))


def test_a_union_is_led_back_when_only_a_union_inside_one_of_its_arms_is_boxed() -> None:
    """OpenAI wants objects of a union to begin differently; so the inner one is boxed, and the outer one is too."""

    class Words(BaseModel):
        low: str
        high: str

    class Counts(BaseModel):
        low: float
        high: int

    class Ranged(BaseModel):
        range: Words | Counts
        name: str

    class Named(BaseModel):
        name: str

    class Report(BaseModel):
        part: Ranged | Named

    contract = Contract.one(Report)
    compiled = contract.compile(TARGET)
    value = {"part": {"range": {"low": 0, "high": 0}, "name": ""}}
    written = compiled.lens.out(value)
    assert written["part"]["variant"] == "Ranged"
    assert written["part"]["value"]["range"]["variant"] == "Counts"
    admission = contract.admit(json.dumps(written), compiled=compiled)
    assert [unit.model_dump() for unit in admission.values] == [value]


@pytest.mark.parametrize("word", ["nul", "n", "nope", "nuLL", "null.5", "nan"])
def test_a_word_that_only_begins_like_null_is_no_null(word: str) -> None:
    """The lens takes a null away; what is no JSON must not leave with it."""
    contract = Contract.items(Plain)
    assert _admit(contract, '{"name": "a", "tags": null}').values == (Plain(name="a"),)
    admission = _admit(contract, f'{{"name": "a", "tags": {word}}}')
    assert admission.values == ()
    assert [unit.reason for unit in admission.quarantined] == ["malformed"]


def test_a_comment_behind_a_null_is_an_edit() -> None:
    """It is deleted before the lens looks, and told."""
    admission = _admit(Contract.items(Plain), '{"name": "a", "tags": null/*x*/}')
    assert [[edit.code for edit in found.edits] for found in admission.units] == [["repair.comment_deleted"]]


@pytest.mark.parametrize(
    "others",
    [
        "null",
        '{"x": "1"}',
        '"[]"',
        '[{"key": "x", "value": "1", "why": "z"}]',
        '[{"key": "x", "value": "1"}, {"key": "y"}]',
        '[{"key": 5, "value": "1"}]',
    ],
)
def test_other_fields_that_are_no_pairs_do_not_become_a_field_of_their_own(others: str) -> None:
    """An open object takes any key, also the one under which the wire keeps the others."""
    contract = Contract.from_json_schema({"type": "array", "items": OPEN})
    unit = '{{"name": "a", "size": null, "additional_properties": {}}}'
    assert _admit(contract, unit.format('[{"key": "x", "value": "1"}]')).values == ({"name": "a", "x": 1},)
    assert _admit(contract, unit.format(others)).values == ()


def test_a_field_that_is_said_to_be_left_out_is_not_set_by_a_pair() -> None:
    """One field, two claims: null under its name, a value among the others."""
    contract = Contract.from_json_schema({"type": "array", "items": OPEN})
    twice = '{"name": "a", "size": null, "additional_properties": [{"key": "size", "value": "5"}]}'
    assert _admit(contract, twice).values == ()


@pytest.mark.parametrize(
    "box",
    [
        '{"variant": "integer", "value": [1]}',
        '{"variant": "list", "value": 5}',
        '{"variant": "object", "value": 5}',
        '{"variant": "intger", "value": 5}',
        '{"variant": "integer", "value": 5, "why": "x"}',
    ],
)
def test_a_box_whose_name_and_value_contradict_each_other_is_refused(box: str) -> None:
    """Neither the value alone nor the box itself, read as a map, is what was written."""
    contract = Contract.items(Either)
    assert _admit(contract, '{"what": {"variant": "integer", "value": 5}}').values == (Either(what=5),)
    assert _admit(contract, f'{{"what": {box}}}').values == ()


@pytest.mark.parametrize("pair", ['{"key": "y"}', '{"key": "y", "value": "1", "why": "z"}'])
def test_a_map_with_one_bad_pair_is_not_read_as_a_list(pair: str) -> None:
    """The box says which of the two it is."""
    contract = Contract.items(Many)
    unit = '{{"what": {{"variant": "object", "value": [{{"key": "x", "value": "1"}}{}]}}}}'
    assert _admit(contract, unit.format("")).values == (Many(what={"x": 1}),)
    assert _admit(contract, unit.format(f", {pair}")).values == ()


@pytest.mark.parametrize(
    "box",
    [
        '{"value": [{"key": "k", "value": "1"}], "why": "x"}',
        json.dumps('{"value": [{"key": "k", "value": "1"}]}'),
    ],
)
def test_the_box_of_a_field_that_may_be_left_out_is_never_its_value(box: str) -> None:
    """A map of anything would take the box and the pairs in it; so it does with a box that came as a string."""
    contract = Contract.items(Held)
    sound = '{"name": "a", "opt": {"value": [{"key": "k", "value": "1"}]}}'
    assert _admit(contract, sound).values == (Held(name="a", opt={"k": 1}),)
    values = _admit(contract, f'{{"name": "a", "opt": {box}}}').values
    assert values in ((), (Held(name="a", opt={"k": 1}),))


@pytest.mark.parametrize(
    "written",
    ['{"a": 1,}', '{"a": 1', "{'a': 1}", "[NaN]", '{"a": 1} and more', '"a', "[" * 300 + "]" * 300],
)
def test_damaged_json_text_in_a_string_is_no_string(written: str) -> None:
    """The producer was asked for a value as JSON text; an object that lost a bracket is not a text about it."""
    contract = Contract.items(Loose)
    assert _admit(contract, '{"name": "a", "what": "{\\"a\\": 1}"}').values == (Loose(name="a", what={"a": 1}),)
    assert _admit(contract, f'{{"name": "a", "what": {json.dumps(written)}}}').values == ()


def test_a_raw_control_character_in_json_text_is_told() -> None:
    """Elsewhere it makes a unit malformed, unless the contract switches the edit on; then the edit is told."""
    assert Contract.items(Loose).admit('[{"name": "a", "what": "x\ny"}]').values == ()
    admission = _admit(Contract.items(Loose), '{"name": "a", "what": "{\n\\"a\\": 1}"}')
    assert [unit.edits for unit in admission.units if not unit.edits] == []


def test_the_letter_case_of_a_variant_is_an_edit() -> None:
    """It is told, and not made when the contract switches it off."""
    unit = '{"what": {"variant": "INTEGER", "value": 5}}'
    assert _admit(Contract.items(Either, edits=()), unit).values == ()
    admission = _admit(Contract.items(Either), unit)
    assert [[edit.code for edit in found.edits] for found in admission.units] == [["repair.case_restored"]]


# ---------------------------------------------------------------------- what was written and is lost


def test_arguments_that_are_a_string_of_the_object_are_refused_visibly() -> None:
    """A variant's tool puts its tag into an object, not into a string; nothing is lost, and nothing misread."""
    contract = Contract.items(COMMAND)
    compiled = contract.compile(TARGET, form="tools")
    for arguments in ('{"to": {"_0": 1, "_1": 2}}', json.dumps('{"to": {"_0": 1, "_1": 2}}')):
        admission = contract.admit(Delivery(tool_calls=(ToolCall("move", arguments),)), compiled=compiled)
        assert admission.values == ((Move(kind="move", to=(1, 2)),) if arguments.startswith("{") else ())
        assert len(admission.quarantined) + len(admission.values) == 1


def test_a_unit_without_the_key_that_the_endpoint_wanted_around_it_is_led_back() -> None:
    """A list without its key is taken too."""
    contract = Contract.one(COMMAND)
    compiled = contract.compile(TARGET)
    for text in (
        '{"result": {"kind": "move", "to": {"_0": 1, "_1": 2}}}',
        '{"kind": "move", "to": {"_0": 1, "_1": 2}}',
    ):
        assert contract.admit(text, compiled=compiled).values == (Move(kind="move", to=(1, 2)),)


def _nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"name": "z"}
    for _ in range(levels):
        value = {"name": "a", "kids": [value]}
    return value


@pytest.mark.parametrize(("levels", "is_led_back"), [(5, True), (30, True), (60, False), (90, False)])
def test_what_nests_is_led_back_as_deep_as_a_lens_looks(levels: int, is_led_back: bool) -> None:
    """``limits.max_depth`` may be 200, a lens looks 64 levels deep: what is deeper is refused, and told so."""
    contract = Contract.items(Tree, limits=Limits(max_depth=200))
    compiled = contract.compile(TARGET)
    units = [_nested(levels)]
    assert contract.admit(json.dumps(units)).status == "clean"
    admission = contract.admit(json.dumps(compiled.lens.out(units)), compiled=compiled)
    told = [finding.code for unit in admission.quarantined for finding in unit.findings]
    assert (admission.status == "clean", told) == (is_led_back, [] if is_led_back else ["validate.wire_shape"])


# ---------------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("unit", "wrong"),
    [
        ('{"at": {"_0": "W", "_1": "x"}}', '"W"'),
        ('{"at": {"_0": 1, "_1": 55}}', "55"),
    ],
)
def test_a_finding_in_a_slot_points_at_the_slot(unit: str, wrong: str) -> None:
    """The slots stand in order: each value stays where it is."""
    admission = _admit(Contract.items(Placed), unit)
    (found,) = admission.quarantined[0].findings
    assert found.span is not None
    assert admission.delivery.body[slice(*found.span)] == wrong


# ---------------------------------------------------------------------- bounds


def _called_deep(frames: int, call: Callable[[], Any]) -> Any:
    return call() if frames == 0 else _called_deep(frames - 1, call)


def test_a_nested_text_raises_nothing_in_a_caller_that_is_nested_itself() -> None:
    """700 of Python's 1,000 calls are the caller's; without a lens 960 may be."""
    contract = Contract.items(Tree)
    compiled = contract.compile(TARGET)
    text = '{"name": "z", "kids": null}'
    for _ in range(48):
        text = f'{{"name": "a", "kids": [{text}]}}'
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(_called_deep(700, lambda: contract.admit(f'{{"items": [{text}]}}', compiled=compiled)).status)
        except RecursionError as error:
            came.append(type(error))

    thread = threading.Thread(target=run)  # its stack begins empty, whatever runs the tests
    thread.start()
    thread.join()
    assert came == ["lost"]


MAX_BYTES_A_CHAR = 80
"""Memory that leading a text back may take for each of its characters, where each is a value or a comma. Judging
without a lens takes six; a delivery may have 64 MB."""


def test_memory_is_a_small_multiple_of_the_text() -> None:
    """One small object an element, and no list for it."""

    class Wide(BaseModel):
        name: str = "a"
        rows: list[int]

    contract = Contract.items(Wide)
    compiled = contract.compile(TARGET)
    text = f'{{"items": [{{"name": null, "rows": [{"1," * 100_000}1]}}]}}'
    tracemalloc.start()
    try:
        admission = contract.admit(text, compiled=compiled)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert admission.status == "clean"
    assert peak / len(text) < MAX_BYTES_A_CHAR


# ---------------------------------------------------------------------- which contract


def test_what_was_not_compiled_is_a_mistake_with_a_remedy() -> None:
    """The name of a target is an easy slip."""
    target: Any = TARGET
    with pytest.raises(Misuse, match="compile"):
        Contract.items(Plain).admit("[]", compiled=target)


def _up_to(bound: int) -> tuple[Contract[Any], type[BaseModel]]:
    class Sized(BaseModel):
        size: int

    def small(unit: Sized) -> Iterable[Finding]:
        return _too_large(unit.size, bound)

    return Contract.items(Sized, checks=[small]), Sized


def _too_large(size: int, bound: int) -> Iterator[Finding]:
    if size > bound:
        yield refuse("too large", path="size")


def test_a_contract_judges_by_its_own_checks_and_gives_its_own_values() -> None:
    """A fingerprint holds the names of checks and classes; what was compiled of a twin must not bring the twin's."""
    (strict, _), (wide, sized) = _up_to(5), _up_to(100)
    assert strict.terms.fingerprint == wide.terms.fingerprint
    admission = wide.admit('{"items": [{"size": 50}]}', compiled=strict.compile(TARGET))
    assert [type(value) for value in admission.values] == [sized]
