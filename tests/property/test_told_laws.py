"""Laws of the contract in words: the example passes, nothing is left out, nothing leaks, the worst size is one."""

from __future__ import annotations

import json
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from pratique import Contract, Limits, Status
from pratique.dialects.words.framing import Framing, framed
from pratique.dialects.words.size import ASCII_ONLY, PLAIN, worst_size
from pratique.dialects.words.told import UNCERTAIN, told

SECRET = "for programmers only"
"""Stands in every docstring of every generated class."""

SETTINGS = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXT = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from('"\\\n\t🚢')
"""What models write: no control characters but line ends and tabs."""


class Kind(NamedTuple):
    """A type of a field, what must be told of it, and its JSON values."""

    type: Any
    words: tuple[str, ...]
    values: st.SearchStrategy[Any]


def keys(prefix: str) -> st.SearchStrategy[str]:
    """Return names of fields."""
    return st.integers(0, 999).map(lambda number: f"{prefix}{number}")


@st.composite
def texts(draw: st.DrawFn) -> Kind:
    """Text with bounds."""
    low = draw(st.integers(0, 5))
    high = low + draw(st.integers(1, 40))
    kind = Annotated[str, Field(min_length=low, max_length=high)]
    values = st.text(TEXT, min_size=low, max_size=high)
    return Kind(kind, (f"{low} to {high} characters" if low else f"at most {high} character",), values)


@st.composite
def numbers(draw: st.DrawFn) -> Kind:
    """A whole number or a float with bounds."""
    low = draw(st.integers(-1000, 1000))
    high = low + draw(st.integers(0, 5000))
    if draw(st.booleans()):
        words = (f"exactly {low}",) if low == high else (f"from {low} to {high}",)
        return Kind(Annotated[int, Field(ge=low, le=high)], words, st.integers(low, high))
    words = (f"greater than {low} and at most {high + 1}",)
    values = st.floats(low, high + 1, exclude_min=True)
    return Kind(Annotated[float, Field(gt=low, le=high + 1)], words, values)


@st.composite
def choices(draw: st.DrawFn) -> Kind:
    """One of a few values."""
    values = draw(st.lists(st.text('abcé"\\ 🚢', min_size=1, max_size=6), min_size=1, max_size=70, unique=True))
    words = tuple(json.dumps(value, ensure_ascii=False) for value in values)
    return Kind(Literal[tuple(values)], words, st.sampled_from(values))


PLAIN_KINDS = st.sampled_from([
    Kind(bool, ("true or false",), st.booleans()),
    Kind(date, ("a date",), st.dates().map(str)),
    Kind(Annotated[str, Field(pattern=r"^[a-c]{2}-\d{1,3}$")], (r"`^[a-c]{2}-\d{1,3}$`",),
         st.from_regex(r"\A[a-c]{2}-[0-9]{1,3}\Z")),
])  # fmt: skip


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Kind]) -> Kind:
    """A list with bounds."""
    item = draw(inner)
    low, more = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    kind = Annotated[list[item.type], Field(min_length=low, max_length=low + more)]  # type: ignore[name-defined]  # made here
    words = f"{low} to {low + more} elements" if low else f"at most {more} element"
    return Kind(kind, (words, *item.words), st.lists(item.values, min_size=low, max_size=low + more))


@st.composite
def pairs(draw: st.DrawFn, inner: st.SearchStrategy[Kind]) -> Kind:
    """A tuple of two."""
    first, second = draw(inner), draw(inner)
    kind = tuple[first.type, second.type]  # type: ignore[name-defined]  # made here
    words = ("exactly 2 elements", *first.words, *second.words)
    return Kind(kind, words, st.tuples(first.values, second.values).map(list))


@st.composite
def maps(draw: st.DrawFn, inner: st.SearchStrategy[Kind]) -> Kind:
    """A map of at most a few keys."""
    value = draw(inner)
    most = draw(st.integers(1, 3))
    kind = Annotated[dict[str, value.type], Field(max_length=most)]  # type: ignore[name-defined]  # made here
    words = (f"at most {most} key", *value.words)
    return Kind(kind, words, st.dictionaries(st.text(TEXT, max_size=9), value.values, max_size=most))


@st.composite
def maybes(draw: st.DrawFn, inner: st.SearchStrategy[Kind]) -> Kind:
    """A value or null."""
    value = draw(inner)
    return Kind(value.type | None, ("null", *value.words), st.none() | value.values)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Kind]) -> Kind:
    """A model, with a docstring that is for programmers, and fields of which some may be left out."""
    named = draw(st.dictionaries(keys("field_"), inner, min_size=1, max_size=4))
    fields: dict[str, Any] = {}
    needed: dict[str, st.SearchStrategy[Any]] = {}
    free: dict[str, st.SearchStrategy[Any]] = {}
    words: list[str] = []
    for name, kind in named.items():
        words += (f'"{name}"', *kind.words)
        said = Field(description=f"what {name} means")
        words.append(f"what {name} means")
        if draw(st.booleans()):
            fields[name], free[name] = (kind.type | None, Field(None, description=f"what {name} means")), kind.values
            words.append("may be left out, then it is null")
        else:
            fields[name], needed[name] = (kind.type, said), kind.values
    model = create_model(f"Model{draw(st.integers(0, 9999))}", __doc__=SECRET, **fields)
    return Kind(model, tuple(words), st.fixed_dictionaries(needed, optional=free))


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[Kind]) -> Kind:
    """A closed union of tagged models."""
    arms: list[Kind] = []
    for tag in ("first", "second", "third")[: draw(st.integers(2, 3))]:
        field = draw(inner)
        fields: dict[str, Any] = {"kind": (Literal[tag], ...), "value": (field.type, ...)}
        made = create_model(f"{tag.title()}{draw(st.integers(0, 9999))}", __doc__=SECRET, **fields)
        arms.append(
            Kind(
                made,
                (f'exactly "{tag}"', *field.words),
                st.fixed_dictionaries({"kind": st.just(tag), "value": field.values}),
            )
        )
    union = arms[0].type
    for arm in arms[1:]:
        union = union | arm.type
    words = tuple(word for arm in arms for word in arm.words)
    return Kind(Annotated[union, Field(discriminator="kind")], words, st.one_of(*(arm.values for arm in arms)))


def kinds(levels: int) -> st.SearchStrategy[Kind]:
    """Return types of fields, nested so many levels."""
    flat = texts() | numbers() | choices() | PLAIN_KINDS
    if not levels:
        return flat
    inner = kinds(levels - 1)
    return flat | lists(inner) | pairs(inner) | maps(inner) | maybes(flat) | objects(inner) | unions(flat)


class Around(BaseModel):
    """For programmers only."""

    summary: Annotated[str, Field(max_length=50, description="the whole in a sentence")]


class Case(NamedTuple):
    """A contract, what its text must say, and its units."""

    contract: Contract[Any]
    words: tuple[str, ...]
    units: st.SearchStrategy[list[Any]]
    envelope: Any


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Return contracts of every locality, with and without an envelope."""
    unit = draw(objects(kinds(2)) | unions(kinds(1)))
    form = draw(st.sampled_from(["one", "bare", "at", "envelope", "batch"]))
    if form == "one":
        return Case(Contract.one(unit.type), unit.words, st.lists(unit.values, min_size=1, max_size=1), None)
    most = draw(st.integers(1, 4))
    limits = Limits(max_items=most)
    words = (*unit.words, f"at most {most} ", UNCERTAIN)
    units = st.lists(unit.values, min_size=1, max_size=most)
    if form == "envelope":
        contract = Contract.items(unit.type, at="items", envelope=Around, limits=limits)
        return Case(contract, (*words, '"summary"', "the whole in a sentence"), units, {"summary": "🚢" * 50})
    if form == "batch":
        return Case(Contract.batch(unit.type, limits=limits), words, units, None)
    return Case(Contract.items(unit.type, at="items" if form == "at" else "", limits=limits), words, units, None)


def as_written(text: str, framing: Framing, *, ascii_only: bool = False) -> str:
    """Write a delivery as a producer would: characters as they are, or all of them in ASCII."""
    if framing == "document":
        return json.dumps(json.loads(text), ensure_ascii=ascii_only, indent=2)
    return "\n".join(json.dumps(json.loads(line), ensure_ascii=ascii_only) for line in text.split("\n"))


FRAMINGS: st.SearchStrategy[Framing] = st.sampled_from(["document", "ndjson"])


@SETTINGS
@given(cases(), FRAMINGS)
def test_the_example_is_admitted_clean_as_it_is_framed(case: Case, framing: Framing) -> None:
    """Every generated contract gets an example, and no edit is needed to read it."""
    made = told(case.contract.terms, framing=framing)
    assert made.example is not None
    assert made.warnings == ()
    admission = case.contract.admit(made.example)
    assert admission.status is Status.CLEAN
    assert [edit for unit in admission.units for edit in unit.edits] == []
    assert made.text.endswith(f"\n\n{made.example}\n")


@SETTINGS
@given(cases(), FRAMINGS)
def test_every_name_value_bound_and_meaning_is_told(case: Case, framing: Framing) -> None:
    """Field names, all values of enums, bounds, descriptions, defaults and caps stand in words before the example."""
    words = told(case.contract.terms, framing=framing).text.partition("\nAn example")[0]
    assert [word for word in case.words if word not in words] == []


@SETTINGS
@given(cases(), FRAMINGS)
def test_no_docstring_leaks(case: Case, framing: Framing) -> None:
    """Unless it is asked for: then it is there."""
    assert SECRET.lower() not in told(case.contract.terms, framing=framing).text.lower()
    assert SECRET.lower() in told(case.contract.terms, framing=framing, docstrings=True).text.lower()


@SETTINGS
@given(cases(), FRAMINGS, st.data())
def test_the_worst_size_bounds_every_valid_delivery(case: Case, framing: Framing, data: st.DataObject) -> None:
    """In characters and in bytes, as models write it and in ASCII alone; tokens are never more than bytes."""
    units = data.draw(case.units)
    # After an envelope's line, lines that are all {} are not known for units: docs/prompt.md says so.
    assume(framing == "document" or case.envelope is None or any(units))
    text = as_written(framed(case.contract.terms, units, case.envelope, framing), framing)
    assert case.contract.admit(text).status is Status.CLEAN
    plain = worst_size(case.contract.terms, framing=framing, spelling=PLAIN)
    assert plain.unbounded == ()
    assert plain.chars is not None
    assert plain.utf8_bytes is not None
    assert (len(text) <= plain.chars, len(text.encode()) <= plain.utf8_bytes) == (True, True)
    escaped = (
        json.dumps(json.loads(text), indent=2) if framing == "document" else text.encode("unicode_escape").decode()
    )
    ascii_only = worst_size(case.contract.terms, framing=framing, spelling=ASCII_ONLY)
    assert ascii_only.chars is not None
    assert len(escaped) <= ascii_only.chars


@SETTINGS
@given(cases())
def test_the_text_is_the_same_each_time(case: Case) -> None:
    """Nothing in it depends on when or how often it is made."""
    assert told(case.contract.terms) == told(case.contract.terms)
