"""Law: RFC 8259. Any sound JSON report comes out as the values that went in, without an edit, clean."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from damage.laws import broken_laws
from damage.report import Style, contract_of, make_report
from damage.strategies import hostile_text, json_objects, json_text
from pratique import Admission, Contract, Limits, Status

LONG = Limits(max_string_chars=20_000, max_depth=16)


class Part(BaseModel):
    """A nested object."""

    label: str
    amount: float
    notes: list[str]


class Rich(BaseModel):
    """A unit with every kind of value, and names that other steps look for."""

    name: str
    arguments: list[Part]
    score: float
    count: int
    flag: bool
    maybe: str | None
    table: dict[str, int]
    summary: str
    last: Annotated[int, Field(ge=0)]


class Around(BaseModel):
    """An envelope that shares a key with the unit."""

    summary: str
    extra: dict[str, list[str]]
    number: float


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
PARTS = st.fixed_dictionaries(
    {"label": hostile_text(), "amount": FLOATS, "notes": st.lists(hostile_text(), max_size=3)}
)
UNITS = st.fixed_dictionaries(
    {
        "name": hostile_text(),
        "arguments": st.lists(PARTS, max_size=2),
        "score": FLOATS,
        "count": st.integers(-(10**40), 10**40),
        "flag": st.booleans(),
        "maybe": st.none() | hostile_text(),
        "table": st.dictionaries(hostile_text(20), st.integers(-5, 5), max_size=3),
        "summary": hostile_text(),
        "last": st.integers(0, 10),
    }
)
AROUND = {
    "summary": hostile_text(),
    "extra": st.dictionaries(hostile_text(20), st.lists(hostile_text(), max_size=2), max_size=2),
    "number": FLOATS,
}
REPORTS = st.fixed_dictionaries({**AROUND, "items": st.lists(UNITS, min_size=1, max_size=4)})
TAIL_REPORTS = st.fixed_dictionaries({"items": st.lists(UNITS, min_size=1, max_size=4), **AROUND})


class Inside(BaseModel):
    """What stands beside a list that is two keys down."""

    note: str


class Deep(BaseModel):
    """An envelope of two levels."""

    summary: str
    data: Inside


POINTER = Contract.items(Rich, at="/data/items", envelope=Deep, limits=LONG)
REPORT = Contract.items(Rich, at="items", envelope=Around, limits=LONG)
LIST = Contract.items(Rich, limits=LONG)
ONE = Contract.one(Rich, limits=LONG)
BATCH = Contract.batch(Rich, limits=LONG)


def _same(admission: Admission[Any], units: list[Any], text: str) -> None:
    where = f"{admission!r} {[str(finding) for finding in admission.all_findings[:3]]} of {text}"
    assert admission.status is Status.CLEAN, where
    got = [value.model_dump() if isinstance(value, BaseModel) else value for value in admission.values]
    assert json.dumps(got, sort_keys=True) == json.dumps(units, sort_keys=True), where
    assert not any(unit.edits for unit in admission.units)
    assert not admission.envelope_edits
    assert not admission.all_findings
    assert not admission.truncated
    assert not broken_laws(admission)


@settings(max_examples=250, deadline=None)
@given(json_text(REPORTS | TAIL_REPORTS))
def test_a_report_comes_out_as_it_went_in(written: tuple[str, Any]) -> None:
    """Envelope and units, whatever their strings hold, in any spelling."""
    text, value = written
    admission = REPORT.admit(text)
    _same(admission, value["items"], text)
    assert admission.envelope.model_dump() == {key: value[key] for key in ("summary", "extra", "number")}


POINTED = st.fixed_dictionaries(
    {
        "summary": hostile_text(),
        "data": st.fixed_dictionaries({"items": st.lists(UNITS, min_size=1, max_size=3), "note": hostile_text()}),
    }
)


@settings(max_examples=100, deadline=None)
@given(json_text(POINTED))
def test_a_list_two_keys_down_comes_out_as_it_went_in(written: tuple[str, Any]) -> None:
    """A pointer to the list, and an envelope of two levels around it."""
    text, value = written
    admission = POINTER.admit(text)
    _same(admission, value["data"]["items"], text)
    assert admission.envelope.model_dump() == {"summary": value["summary"], "data": {"note": value["data"]["note"]}}


@settings(max_examples=150, deadline=None)
@given(json_text(st.lists(UNITS, min_size=1, max_size=4)))
def test_a_bare_list_comes_out_as_it_went_in(written: tuple[str, Any]) -> None:
    """A list without an envelope."""
    _same(LIST.admit(written[0]), written[1], written[0])


@settings(max_examples=150, deadline=None)
@given(st.lists(UNITS, min_size=2, max_size=4), st.booleans())
def test_lines_come_out_as_they_went_in(units: list[Any], ascii_only: bool) -> None:
    """One unit a line."""
    text = "\n".join(json.dumps(unit, ensure_ascii=ascii_only) for unit in units)
    _same(LIST.admit(text), units, text)


@settings(max_examples=150, deadline=None)
@given(json_text(UNITS))
def test_one_unit_comes_out_as_it_went_in(written: tuple[str, Any]) -> None:
    """A contract for one."""
    _same(ONE.admit(written[0]), [written[1]], written[0])


@settings(max_examples=100, deadline=None)
@given(json_text(st.lists(UNITS, min_size=1, max_size=3)))
def test_a_batch_comes_out_as_it_went_in(written: tuple[str, Any]) -> None:
    """A contract for all or nothing."""
    _same(BATCH.admit(written[0]), written[1], written[0])


@settings(max_examples=100, deadline=None)
@given(json_text(REPORTS))
def test_bytes_and_text_give_the_same(written: tuple[str, Any]) -> None:
    """UTF-8 bytes are read as their text."""
    text, _ = written
    assert REPORT.admit(text.encode()).to_dict() == REPORT.admit(text).to_dict()


@settings(max_examples=150, deadline=None)
@given(json_text(st.lists(json_objects(), min_size=1, max_size=4)))
def test_objects_of_any_kind_come_out_as_they_went_in(written: tuple[str, Any]) -> None:
    """A schema that allows any object: nothing is known of its keys."""
    contract = Contract.from_json_schema({"type": "array", "items": {"type": "object"}}, limits=LONG)
    text, units = written
    admission = contract.admit(text)
    where = f"{admission!r} {[str(finding) for finding in admission.all_findings[:3]]} of {text}"
    assert admission.status is Status.CLEAN, where
    assert json.dumps(list(admission.values)) == json.dumps(units), where


@pytest.mark.parametrize("style", tuple(Style))
@settings(max_examples=40, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_the_damage_reports_are_clean_before_damage(style: Style, rng) -> None:  # type: ignore[no-untyped-def]  # hypothesis gives its own Random
    """What the damage suite starts from is admitted whole."""
    report = make_report(rng, style=style)
    _same(contract_of(style).admit(report.text), list(report.truth), report.text)


@pytest.mark.parametrize("items", ["[]", "[ ]", "[\n]"])
def test_an_empty_list_is_empty_and_nothing_else(items: str) -> None:
    """Well-formed, no unit: neither clean nor lost."""
    admission = REPORT.admit(f'{{"summary": "s", "extra": {{}}, "number": 1.0, "items": {items}}}')
    assert admission.status is Status.EMPTY
    assert not admission.truncated
    assert not admission.refusing_findings
    assert admission.envelope.summary == "s"
