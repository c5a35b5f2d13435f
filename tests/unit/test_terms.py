"""The contract decides, not the model's configuration; its fingerprint tells what it accepts; nonsense is refused."""
# ruff: noqa: E501 - the tables read better with one case a line

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import os
import subprocess
import sys
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic.dataclasses
import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Json,
    OnErrorOmit,
    PlainSerializer,
    RootModel,
    Strict,
    StringConstraints,
    Tag,
    create_model,
)
from pydantic_core import core_schema
from typing_extensions import NamedTuple, TypeAliasType, TypedDict

from pratique import (
    AuditOnly,
    Contract,
    Delivery,
    Limits,
    Locality,
    Misuse,
    Reason,
    Reference,
    Status,
    note,
)

T = TypeVar("T")


# ---------------------------------------------------------------------- lenient models

LENIENT = ConfigDict(
    extra="ignore", strict=False, coerce_numbers_to_str=True, allow_inf_nan=True, populate_by_name=True
)


class ExtraIgnored(BaseModel):
    model_config = ConfigDict(extra="ignore")
    a: int


class ExtraAllowed(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class ExtraTyped(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int] = Field(init=False)
    a: int


class Lax(BaseModel):
    model_config = ConfigDict(strict=False)
    a: int = 0
    b: Annotated[int, Field(strict=False)] = 0
    c: Annotated[int, Strict(False)] = 0
    f: float = 0
    yes: bool = False
    s: str = ""


class Coerced(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)
    s: str


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_to_lower=True)
    s: str


class StrippedField(BaseModel):
    s: Annotated[str, StringConstraints(strip_whitespace=True, to_upper=True)]


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True, extra="ignore")
    rank: int = Field(alias="Rank")


class Either(BaseModel):
    rank: int = Field(validation_alias=AliasChoices("r", "rk"))


class Omitting(BaseModel):
    xs: list[OnErrorOmit[int]]


class OnErrorDefault:
    """What an author can write by hand: a bad value becomes the default."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_default_schema(handler(source), default=3, on_error="default")


class Defaulting(BaseModel):
    n: Annotated[int, OnErrorDefault()]


class Action(enum.Enum):
    PARK = "park"
    GO = "go"


class Level(enum.IntEnum):
    ONE = 1


class Enumerated(BaseModel):
    model_config = ConfigDict(use_enum_values=True, strict=False)
    action: Action = Action.GO
    level: Level = Level.ONE


class Fixed(BaseModel):
    one: Literal[1, "x"] = "x"
    yes: Literal[True] = True


@dataclasses.dataclass
class Plain:
    a: int
    b: list[int] = dataclasses.field(default_factory=list)


@pydantic.dataclasses.dataclass(config=ConfigDict(extra="allow", strict=False))
class Decorated:
    a: int


class Partial(TypedDict, total=False):
    a: int
    b: str


class Loose(TypedDict):
    __pydantic_config__ = LENIENT  # type: ignore[misc]  # pydantic's own way to configure a TypedDict
    a: int


class Inner(BaseModel):
    model_config = ConfigDict(extra="allow", strict=False, coerce_numbers_to_str=True)
    n: int
    s: str = "x"


class Outer(BaseModel):
    one: Inner
    several: list[Inner] = []
    maybe: Inner | None = None
    named: dict[str, Inner] = {}


class Holder(BaseModel, Generic[T]):
    model_config = ConfigDict(extra="ignore", strict=False)
    v: T


class Add(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False)
    kind: Literal["add"]
    n: int = 0


class Drop(BaseModel):
    kind: Literal["drop"]
    s: str = ""


Tagged = Annotated[Add | Drop, Field(discriminator="kind")]


def kind_of(value: Any) -> Any:
    return value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)


ByFunction = Annotated[Annotated[Add, Tag("add")] | Annotated[Drop, Tag("drop")], Discriminator(kind_of)]


class Tree(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False)
    n: int
    kids: list[Tree] = []


class Exact(BaseModel):
    model_config = ConfigDict(allow_inf_nan=True)
    d: Annotated[decimal.Decimal, Field(allow_inf_nan=True)]


class Dated(BaseModel):
    model_config = ConfigDict(strict=False, val_temporal_unit="milliseconds")
    at: dt.datetime = dt.datetime(2026, 1, 1)
    day: dt.date = dt.date(2026, 1, 1)
    hour: dt.time = dt.time(10)
    took: dt.timedelta = dt.timedelta(0)
    id: uuid.UUID = uuid.UUID(int=0)


class Floating(BaseModel):
    model_config = ConfigDict(allow_inf_nan=True, ser_json_inf_nan="strings")
    f: Annotated[float, Field(allow_inf_nan=True)]


class Collected(BaseModel):
    s: set[int] = set()
    f: frozenset[int] = frozenset()
    t: tuple[int, ...] = ()
    days: set[dt.date] = set()
    measured: set[float] = set()


class Step(enum.Enum):
    ONE = 1
    TWO = 2


class Mixed(enum.Enum):
    ONE = 1
    X = "x"


class Numbered(BaseModel):
    n: Step = Step.ONE
    m: Mixed = Mixed.X


Name = TypeAliasType("Name", str)


class Several(BaseModel):
    model_config = ConfigDict(strict=False)
    v: int | str = 0
    w: float | int = 0


class Pair(NamedTuple):
    a: int
    b: int = 2


class WithPair(BaseModel):
    pair: Pair


class Numbers(RootModel[list[int]]):
    model_config = ConfigDict(strict=False)


class Table(RootModel[dict[str, int]]):
    pass


class Rooted(BaseModel):
    r: Numbers
    t: Table = Table({})


class Sized(BaseModel):
    model_config = ConfigDict(str_max_length=1_000_000)
    s: Annotated[str, Field(max_length=1_000_000)] = ""
    i: int = 0


class Anything(BaseModel):
    a: Any = None
    d: dict[str, Any] = {}


class ByNameOnly(BaseModel):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=False, extra="allow")
    n: int = Field(alias="N")


class Quiet(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", revalidate_instances="never", validate_default=False)
    a: int


def nested(levels: int) -> str:
    text = '{"n": 1}'
    for _ in range(levels):
        text = f'{{"n": 1, "kids": [{text}]}}'
    return text


LONG = "a" * 4_001

SOUND: list[Any] = [
    (ExtraIgnored, '{"a": 1}', {"a": 1}),
    (ExtraAllowed, '{"a": 1}', {"a": 1}),
    (ExtraTyped, '{"a": 1}', {"a": 1}),
    (Lax, '{"a": 1, "f": 1, "yes": true, "s": "1"}', {"a": 1, "f": 1, "yes": True, "s": "1"}),
    (Coerced, '{"s": "1"}', {"s": "1"}),
    (Stripped, '{"s": " A "}', {"s": " A "}),
    (StrippedField, '{"s": " a "}', {"s": " a "}),
    (ByName, '{"rank": 1}', {"rank": 1}),
    (ByName, '{"Rank": 1}', {"rank": 1}),
    (Either, '{"r": 1}', {"rank": 1}),
    (Either, '{"rk": 1}', {"rank": 1}),
    (Omitting, '{"xs": [1, 2]}', {"xs": [1, 2]}),
    (Defaulting, '{"n": 1}', {"n": 1}),
    (Enumerated, '{"action": "park", "level": 1}', {"action": "park", "level": 1}),
    (Fixed, '{"one": 1, "yes": true}', {"one": 1, "yes": True}),
    (Plain, '{"a": 1, "b": [2]}', {"a": 1, "b": [2]}),
    (Decorated, '{"a": 1}', {"a": 1}),
    (Partial, '{"b": "x"}', {"b": "x"}),
    (Partial, "{}", {}),
    (Loose, '{"a": 1}', {"a": 1}),
    (Outer, '{"one": {"n": 1}, "several": [{"n": 2, "s": "y"}]}', {"one": {"n": 1}, "several": [{"n": 2, "s": "y"}]}),
    (Holder[int], '{"v": 1}', {"v": 1}),
    (Holder[Inner], '{"v": {"n": 1}}', {"v": {"n": 1}}),
    (Tagged, '{"kind": "add", "n": 1}', {"kind": "add", "n": 1}),
    (ByFunction, '{"kind": "drop", "s": "x"}', {"kind": "drop", "s": "x"}),
    (Add | Drop, '{"kind": "drop", "s": "x"}', {"kind": "drop", "s": "x"}),
    (Tree, nested(3), json.loads(nested(3))),
    (Exact, '{"d": 1.5}', {"d": "1.5"}),
    (Exact, '{"d": "0.1234567890123456789012"}', {"d": "0.1234567890123456789012"}),
    (Dated, '{"at": "2026-01-01T00:00:00", "day": "2026-01-02"}', {"at": "2026-01-01T00:00:00", "day": "2026-01-02"}),
    (Floating, '{"f": 1.5}', {"f": 1.5}),
    (Floating, '{"f": 1e308}', {"f": 1e308}),
    (Collected, '{"t": [1, 1]}', {"t": [1, 1]}),
    (Collected, '{"s": [1, 2], "f": [3]}', {"s": [1, 2], "f": [3]}),
    (Collected, '{"s": []}', {"s": []}),
    (Collected, '{"days": ["2026-01-01"]}', {"days": ["2026-01-01"]}),
    *((create_model("Keyed", by=(dict[kind, int], ...)), '{"by": {"park": 1}}', {"by": {"park": 1}}) for kind in (  # type: ignore[valid-type]  # a key's type is a value here
        Action, Literal["park"], Annotated[str, Field(min_length=1)], Annotated[str, AfterValidator(str)],
    )),
    (create_model("Named", by=(dict[Name, int], ...), name=(Name, ...)), '{"by": {"park": 1}, "name": "x"}', {"by": {"park": 1}, "name": "x"}),
    (Numbered, '{"n": 1, "m": "x"}', {"n": 1, "m": "x"}),
    (Several, '{"v": "1", "w": 1}', {"v": "1", "w": 1}),
    (WithPair, '{"pair": [1, 2]}', {"pair": [1, 2]}),
    (Rooted, '{"r": [1], "t": {"x": 1}}', {"r": [1], "t": {"x": 1}}),
    (Sized, f'{{"s": "{LONG[1:]}", "i": {10**300}}}', {"s": LONG[1:], "i": 10**300}),
    (Anything, '{"a": {"x": [1]}}', {"a": {"x": [1]}}),
    (ByNameOnly, '{"n": 1}', {"n": 1}),
    (Quiet, '{"a": 1}', {"a": 1}),
]  # fmt: skip

REFUSED: list[Any] = [
    (ExtraIgnored, '{"a": 1, "b": 2}'),
    (ExtraIgnored, '{"a": 1, "a": 2}'),
    (ExtraAllowed, '{"a": 1, "b": 2}'),
    (ExtraTyped, '{"a": 1, "b": 2}'),
    *((Lax, text) for text in (
        '{"a": "1"}', '{"a": 1.0}', '{"a": 1e0}', '{"a": true}', '{"a": null}', '{"b": "1"}', '{"c": "1"}', '{"f": "1.5"}',
        '{"f": true}', '{"yes": 1}', '{"yes": "yes"}', '{"s": 1}', '{"s": true}', '{"s": null}', '{"a": 1, "A": 1}',
    )),
    (Coerced, '{"s": 1}'),
    (Coerced, '{"s": 1.5}'),
    (ByName, '{"rank": 1, "Rank": 2}'),
    (ByName, '{"Rank": 1, "rank": 1}'),
    (ByName, '{"Rank": 1, "x": 1}'),
    (Either, '{"r": 1, "rk": 2}'),
    (Omitting, '{"xs": [1, "x"]}'),
    (Defaulting, '{"n": "x"}'),
    (Enumerated, '{"action": "GO AHEAD"}'),
    (Enumerated, '{"action": "Action.GO"}'),
    (Enumerated, '{"level": "1"}'),
    (Enumerated, '{"level": true}'),
    (Enumerated, '{"level": 1.0}'),
    (Fixed, '{"one": true}'),
    (Fixed, '{"one": 1.0}'),
    (Fixed, '{"yes": 1}'),
    *((Plain, text) for text in ('{"a": "1"}', '{"a": 1, "z": 1}', '{"a": 1, "b": ["1"]}', '{"a": 1, "a": 2}')),
    (Decorated, '{"a": "1"}'),
    (Decorated, '{"a": 1, "z": 1}'),
    *((Partial, text) for text in ('{"a": "1"}', '{"a": 1, "z": 1}', '{"a": 1, "a": 1}')),
    *((Loose, text) for text in ('{"a": "1"}', '{"a": 1, "z": 1}')),
    *((Outer, text) for text in (
        '{"one": {"n": "1"}}', '{"one": {"n": 1, "z": 2}}', '{"one": {"n": 1, "s": 2}}', '{"one": {"n": 1, "n": 2}}',
        '{"one": {"n": 1}, "several": [{"n": "1"}]}', '{"one": {"n": 1}, "several": [{"n": 1, "z": 1}]}',
        '{"one": {"n": 1}, "maybe": {"n": 1, "s": 5}}', '{"one": {"n": 1}, "named": {"k": {"n": 1, "z": 1}}}',
        '{"one": {"n": 1}, "named": {"k": {"n": 1}, "k": {"n": 2}}}',
    )),
    *((Holder[int], text) for text in ('{"v": "1"}', '{"v": 1, "w": 1}')),
    *((Holder[Inner], text) for text in ('{"v": {"n": "1"}}', '{"v": {"n": 1, "z": 1}}')),
    *((unit, text) for unit in (Tagged, ByFunction, Add | Drop) for text in (
        '{"kind": "add", "n": "1"}', '{"kind": "add", "s": "x"}', '{"kind": "add", "n": 1, "z": 1}', '{"kind": "none"}',
        '{"n": 1}', '{"kind": "drop", "s": 1}',
    )),
    *((Tree, text) for text in (
        '{"n": 1, "kids": [{"n": "2"}]}', '{"n": 1, "kids": [{"n": 2, "z": 1}]}', '{"n": 1, "kids": [{"n": 2, "n": 3}]}',
        nested(12),
    )),
    *((Exact, text) for text in ('{"d": "NaN"}', '{"d": "Infinity"}', '{"d": NaN}', '{"d": 1e400}', '{"d": true}', '{"d": "x"}')),
    *((Dated, text) for text in (
        '{"at": 1700000000}', '{"at": "2026-01-01"}', '{"day": 20000}', '{"day": "2026-01-01T00:00:00"}', '{"hour": 36000}',
        '{"took": 3600}', '{"id": 1}', '{"day": "1700000000"}', '{"took": "3600"}',
    )),
    *((Floating, text) for text in (
        '{"f": NaN}', '{"f": Infinity}', '{"f": -Infinity}', '{"f": 1e400}', '{"f": -1e400}', '{"f": "NaN"}', '{"f": "Infinity"}',
        '{"f": "1.5"}',
    )),
    (Collected, '{"s": [1, 1]}'),
    (Collected, '{"f": [1, 1]}'),
    (Collected, '{"days": ["2026-01-01", "2026-01-01"]}'),
    (Collected, '{"measured": [1, 1.0]}'),
    (Numbered, '{"n": 1.0}'),
    (Numbered, '{"n": true}'),
    (Numbered, '{"m": true}'),
    (Several, '{"v": 1.0}'),
    (Several, '{"v": true}'),
    (WithPair, '{"pair": ["1"]}'),
    (WithPair, '{"pair": {"a": 1, "z": 2}}'),
    (Rooted, '{"r": ["1"]}'),
    (Rooted, '{"r": [1], "t": {"x": "1"}}'),
    (Rooted, '{"r": [1], "t": {"x": 1, "x": 2}}'),
    *((Sized, text) for text in (f'{{"s": "{LONG}"}}', f'{{"i": {10**310}}}', f'{{"i": 1{"0" * 5000}}}', '{"s": "\\ud800"}')),
    *((Anything, text) for text in (
        '{"a": NaN}', '{"a": 1e400}', '{"a": [-Infinity]}', '{"a": ' + "[" * 9 + "]" * 9 + "}", f'{{"a": "{LONG}"}}',
        f'{{"d": {{"{LONG}": 1}}}}', '{"a": {"x": 1, "x": 2}}', '{"a": "\\ud800"}', f'{{"a": 1{"0" * 400}}}', '{"z": 1, "a": 1}',
    )),
    (ByNameOnly, '{"N": 1, "n": 1}'),
    (Quiet, '{"a": 1, "b": 1}'),
]  # fmt: skip


def as_written(value: Any, unit: Any) -> Any:
    """Return what a value says in JSON, without what its contract filled in."""
    adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(type(value) if not isinstance(value, dict) else unit)
    return adapter.dump_python(value, mode="json", exclude_unset=True)


@pytest.mark.parametrize(("unit", "text", "expected"), SOUND)
def test_a_sound_unit_is_admitted_as_it_was_written(unit: Any, text: str, expected: Any) -> None:
    """Whatever a model's own configuration: what is sound passes, unchanged and unedited."""
    admission = Contract.items(unit).admit(f"[{text}]")
    assert admission.status is Status.CLEAN
    (admitted,) = admission.units
    assert admitted.edits == ()
    got = as_written(admitted.value, unit)
    if dataclasses.is_dataclass(admitted.value):
        got = {name: part for name, part in got.items() if name in expected}
    assert got == expected


@pytest.mark.parametrize(("unit", "text"), REFUSED)
def test_what_a_lenient_model_would_swallow_is_refused(unit: Any, text: str) -> None:
    """Nothing is coerced, dropped, filled or made finite, whatever the model's own configuration says."""
    admission = Contract.items(unit).admit(f"[{text}]")
    assert admission.values == ()
    assert admission.status is Status.LOST
    assert [unit.raw for unit in admission.quarantined] == [text]


@pytest.mark.parametrize(
    ("unit", "text", "expected"),
    [
        (Exact, '{"d": 0.1234567890123456789012}', {"d": "0.12345678901234568"}),
        (Exact, '{"d": 1e-400}', {"d": "0"}),
        (Floating, '{"f": 0.1234567890123456789012}', {"f": 0.12345678901234568}),
        (Floating, '{"f": 1e-400}', {"f": 0.0}),
    ],
)
def test_a_json_number_is_rounded_to_a_double_on_its_way_into_a_float_or_decimal_field(
    unit: Any, text: str, expected: Any
) -> None:
    """A documented fact of reading, not a law: who needs every digit asks for a decimal as a string."""
    admission = Contract.items(unit).admit(f"[{text}]")
    assert admission.status is Status.CLEAN
    assert as_written(admission.values[0], unit) == expected


def test_a_string_of_digits_is_a_datetime_in_seconds_since_1970() -> None:
    """A documented fact: pydantic reads it so in strict JSON mode, for a datetime and for nothing else."""

    class Meeting(BaseModel):
        at: dt.datetime

    admission = Contract.items(Meeting).admit('[{"at": "1700000000"}]')
    assert admission.status is Status.CLEAN
    assert admission.value.at == dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC)


@pytest.mark.parametrize("unit", [Outer, Holder[Inner], Tree, Tagged, Plain, Loose])
def test_strictness_does_not_leak_back_into_the_model(unit: Any) -> None:
    """Making a contract leaves the caller's own type as lenient as it was."""
    before = pydantic.TypeAdapter(unit).json_schema()
    Contract.items(unit)
    assert pydantic.TypeAdapter(unit).json_schema() == before
    assert Inner.model_validate({"n": "1", "s": 2, "z": 3}).model_dump() == {"n": 1, "s": "2", "z": 3}


def test_what_the_author_wrote_himself_stays() -> None:
    """A validator is the contract's own rule, even one that changes the value; it is not overruled."""

    class Careful(BaseModel):
        n: Annotated[int, AfterValidator(lambda n: n * 2)]

    assert Contract.items(Careful).admit('[{"n": 2}]').values[0].n == 4


def test_a_validator_that_raises_something_else_costs_its_unit_and_no_other() -> None:
    """A bug in a type's own validator is no crash of the boundary, and what it says is escaped."""

    class Boom(BaseModel):
        n: int

        @pydantic.model_validator(mode="after")
        def explode(self) -> Boom:
            if self.n == 2:
                raise RuntimeError("boom \x1b[31m")
            return self

    admission = Contract.items(Boom).admit('[{"n": 1}, {"n": 2}, {"n": 3}]')
    assert [unit.n for unit in admission.values] == [1, 3]
    (lost,) = admission.quarantined
    assert "\x1b" not in str(lost.findings[0])


def test_a_default_is_told() -> None:
    """What the contract filled in is named, field by field; nothing else is filled."""
    (unit,) = Contract.items(Lax).admit('[{"a": 1}]').units
    assert unit.defaulted == ("b", "c", "f", "yes", "s")


def test_an_unknown_field_of_a_dataclass_has_the_code_of_an_unknown_field() -> None:
    """One fault, one code, whatever kind of type the unit is."""
    for unit in (ExtraAllowed, Loose):
        (lost,) = Contract.items(unit).admit('[{"a": 1, "z": 1}]').quarantined
        assert [finding.code for finding in lost.findings] == ["validate.extra"]


@pytest.mark.parametrize("unit", [Plain, Decorated])
def test_an_unknown_field_of_a_dataclass_is_called_so(unit: Any) -> None:
    """The same, for the two kinds of dataclass."""
    (lost,) = Contract.items(unit).admit('[{"a": 1, "z": 1}]').quarantined
    assert [finding.code for finding in lost.findings] == ["validate.extra"]


# ---------------------------------------------------------------------- references


class Deep(BaseModel):
    here: Annotated[str, Reference("work")]
    maybe: Annotated[str, Reference("work")] | None = None
    listed: list[Annotated[str, Reference("people")]] = []
    by_key: dict[str, Annotated[str, Reference("people")]] = {}
    either: Annotated[str, Reference("work")] | int = 0
    pair: tuple[int, Annotated[str, Reference("people")]] = (0, "ada")
    kids: list[Deep] = []


class ToolA(TypedDict):
    kind: Literal["a"]
    target: Annotated[str, Reference("files")]


@dataclasses.dataclass
class ToolB:
    kind: Literal["b"]
    who: Annotated[str, Reference("people")]


@pytest.mark.parametrize(
    ("unit", "names"),
    [
        (Deep, {"work", "people"}),
        (ToolA, {"files"}),
        (ToolB, {"people"}),
        (Annotated[ToolA | ToolB, Field(discriminator="kind")], {"files", "people"}),
        (Holder[Deep], {"work", "people"}),
        (Holder[Annotated[str, Reference("own")]], {"own"}),
        (Lax, set()),
    ],
)
def test_every_reference_of_a_type_is_known(unit: Any, names: set[str]) -> None:
    """At any depth, in lists, maps, unions, optional fields and recursive types."""
    assert Contract.items(unit).terms.declared_references == names


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"here": "w1"}', None),
        ('{"here": "w9"}', Reason.ALLOW_LIST),
        ('{"here": "w1", "maybe": null}', None),
        ('{"here": "w1", "maybe": "w9"}', Reason.ALLOW_LIST),
        ('{"here": "w1", "listed": ["ada", "eve"]}', Reason.ALLOW_LIST),
        ('{"here": "w1", "listed": ["ada"]}', None),
        ('{"here": "w1", "by_key": {"eve": "ada"}}', None),
        ('{"here": "w1", "by_key": {"ada": "eve"}}', Reason.ALLOW_LIST),
        ('{"here": "w1", "either": 9}', None),
        ('{"here": "w1", "pair": [1, "eve"]}', Reason.ALLOW_LIST),
        ('{"here": "w1", "kids": [{"here": "w9"}]}', Reason.ALLOW_LIST),
        ('{"here": "W1"}', Reason.ALLOW_LIST),
        ('{"here": "w1 "}', Reason.ALLOW_LIST),
    ],
)
def test_a_reference_that_names_nothing_costs_its_unit(text: str, reason: Reason | None) -> None:
    """A name passes only if it is on the list that came with the call, exactly."""
    admission = Contract.items(Deep).admit(f"[{text}]", references={"work": ["w1"], "people": {"ada"}})
    assert [unit.reason for unit in admission.quarantined] == ([] if reason is None else [reason])
    assert admission.status is (Status.CLEAN if reason is None else Status.LOST)


def test_a_reference_that_fails_beside_another_arm_of_a_union_is_a_schema_fault() -> None:
    """The unit is refused all the same; the other arm's type is at fault too, so the reason is ``schema``."""
    text = '[{"here": "w1", "either": "w9"}]'
    (lost,) = Contract.items(Deep).admit(text, references={"work": ["w1"], "people": ["ada"]}).quarantined
    assert lost.reason is Reason.SCHEMA
    assert {finding.code for finding in lost.findings} == {"guard.reference_unknown", "validate.type"}


def test_an_empty_allow_list_lets_nothing_pass() -> None:
    """Nothing exists, so nothing can be named; that is not the same as no list."""
    contract = Contract.items(ToolA)
    text = '[{"kind": "a", "target": "x"}]'
    assert contract.admit(text, references={"files": []}).values == ()
    unlisted = contract.admit(text)
    assert len(unlisted.values) == 1
    assert unlisted.status is Status.PARTIAL
    assert [finding.code for finding in unlisted.findings] == ["guard.reference_unchecked"]


def test_a_declared_reference_without_a_list_can_be_made_to_refuse() -> None:
    """``references="refuse"``: an unchecked name passes nowhere."""
    admission = Contract.items(ToolA, references="refuse").admit('[{"kind": "a", "target": "x"}]')
    assert admission.values == ()
    assert admission.status is Status.LOST


def test_a_key_of_a_map_may_be_a_reference() -> None:
    """A plan that maps existing work to something else: a key passes like any other name."""

    class Scores(BaseModel):
        by_work: dict[Annotated[str, Reference("work")], int]

    contract = Contract.items(Scores)
    assert contract.admit('[{"by_work": {"w1": 3}}]', references={"work": ["w1"]}).status is Status.CLEAN
    (lost,) = contract.admit('[{"by_work": {"w9": 3}}]', references={"work": ["w1"]}).quarantined
    assert lost.reason is Reason.ALLOW_LIST


def test_audit_only_fields_are_known_by_path() -> None:
    """Prompt builders look for them, at any depth."""

    class Note(BaseModel):
        text: Annotated[str, AuditOnly()]

    class Report(BaseModel):
        note: Note
        notes: list[Note] = []
        why: Annotated[str, AuditOnly()]

    assert Contract.items(Report).terms.unit.audit_only == ("/note/text", "/notes/*/text", "/why")


# ---------------------------------------------------------------------- the fingerprint

PROGRAM = """
import json, sys
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from pratique import Contract, Limits, Reference

class Envelope(BaseModel):
    summary: str

class Unit(BaseModel):
    rank: Annotated[int, Field(ge=1)]
    action: Literal["go", "park", "split", "close"]
    who: Annotated[str, Reference("people")]
    what: Annotated[str, Reference("work")]
    tags: set[str] = {"a", "b", "c", "d"}

schema = {"properties": {"u": {"items": {"properties": {"a": {"enum": ["x", "y"]}}}}}}
print(json.dumps([
    Contract.items(Unit, at="u", envelope=Envelope, unique=("rank", ("who", "what")), limits=Limits(max_items=7)).fingerprint,
    Contract.from_json_schema(schema, at="u").fingerprint,
]))
"""


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    """Neither the hash seed nor the run changes it."""
    seen = set()
    for seed in ("0", "1", "4242"):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(run.stdout)
    assert len(seen) == 1
    assert all(print_.startswith("b3:") and len(print_) == 35 for print_ in json.loads(seen.pop()))


def unit_with(**fields: Any) -> type[BaseModel]:
    return create_model("Unit", **fields)


def prints(*contracts: Contract[Any]) -> set[str]:
    return {contract.fingerprint for contract in contracts}


class Rule(BaseModel):
    rank: int
    who: str


class Summary(BaseModel):
    summary: str


class OtherSummary(BaseModel):
    summary: int


def check_one(_: Any) -> list[Any]:
    return [note("x")]


def check_two(_: Any) -> list[Any]:
    return []


def key_one(unit: Any) -> Any:
    return unit.rank


def rule(**changed: Any) -> Contract[Rule]:
    return Contract.items(Rule, **{"at": "items", "envelope": Summary, "name": "rule", **changed})


RULES: list[Any] = [
    {"at": "/other/items"},
    {"envelope": OtherSummary},
    {"envelope": None},
    {"name": "other"},
    {"version": "2"},
    *({"limits": Limits(**{name.name: 1})} for name in dataclasses.fields(Limits)),
    {"unique": ("rank",)},
    {"unique": (("rank", "who"),)},
    {"order_by": "rank"},
    {"order_by": "-rank"},
    {"order_by": key_one},
    {"checks": [check_one]},
    {"checks": [check_two]},
    {"edits": ()},
    {"frames": "last"},
    {"keep": "first"},
    {"references": "refuse"},
]


@pytest.mark.parametrize("change", RULES, ids=lambda change: next(iter(change)))
def test_every_rule_of_a_contract_changes_its_fingerprint(change: dict[str, Any]) -> None:
    """Two contracts that judge differently are told apart."""
    assert rule(**change).fingerprint != rule().fingerprint
    assert rule().fingerprint == rule().fingerprint


def test_the_locality_and_the_refusal_change_the_fingerprint() -> None:
    """One unit, a list, a batch and a plan that may be declined are four contracts."""
    contracts: list[Contract[Any]] = [
        Contract.items(Drop, name="x", references="refuse"),
        Contract.batch(Drop, name="x"),
        Contract.one(Drop, name="x"),
        Contract.one(Add | Drop, name="x"),
        Contract.one(Add | Drop, name="x", refusal=Drop),
    ]
    assert len(prints(*contracts)) == len(contracts)


def doubled(value: Any) -> Any:
    return value * 2


FIELDS: list[Any] = [
    ({"a": (int, ...)}, {"a": (str, ...)}),
    ({"a": (int, ...)}, {"b": (int, ...)}),
    ({"a": (int, ...)}, {"a": (int, 1)}),
    ({"a": (int, 1)}, {"a": (int, 2)}),
    ({"a": (int, ...)}, {"a": (Annotated[int, Field(ge=1)], ...)}),
    ({"a": (str, ...)}, {"a": (Annotated[str, Field(pattern="^a")], ...)}),
    ({"a": (str, ...)}, {"a": (Annotated[str, Field(max_length=3)], ...)}),
    ({"a": (Literal["a"], ...)}, {"a": (Literal["a", "b"], ...)}),
    ({"a": (list[int], ...)}, {"a": (list[str], ...)}),
    ({"a": (int, Field(alias="b"))}, {"a": (int, ...)}),
    ({"a": (uuid.UUID, ...)}, {"a": (str, ...)}),
    ({"a": (str, ...)}, {"a": (Annotated[str, Reference("w")], ...)}),
    ({"a": (Annotated[str, Reference("v")], ...)}, {"a": (Annotated[str, Reference("w")], ...)}),
    ({"a": (str, ...)}, {"a": (Annotated[str, AuditOnly()], ...)}),
    ({"a": (Annotated[str, Reference("w")], ...), "b": (str, ...)},
         {"a": (str, ...), "b": (Annotated[str, Reference("w")], ...)}),
    ({"a": (int, ...)}, {"a": (Annotated[int, AfterValidator(doubled)], ...)}),
    ({"a": (dt.datetime, ...)}, {"a": (AwareDatetime, ...)}),
    ({"a": (dt.datetime, ...)}, {"a": (Annotated[dt.datetime, Field(gt=dt.datetime(2020, 1, 1))], ...)}),
    ({"a": (decimal.Decimal, ...)}, {"a": (Annotated[decimal.Decimal, Field(max_digits=5)], ...)}),
    ({"a": (int, Field(validation_alias=AliasChoices("a", "b")))}, {"a": (int, ...)}),
    ({"a": (list[int], Field(default_factory=list))}, {"a": (list[int], Field(default_factory=lambda: [1]))}),
    ({"a": (dict[str, int], {"title": 1})}, {"a": (dict[str, int], {"title": 2})}),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), FIELDS)
def test_every_rule_of_a_type_changes_the_fingerprint(first: dict[str, Any], second: dict[str, Any]) -> None:
    """What a field accepts, what it is called, what it refers to, what is filled in."""
    pair = [Contract.items(unit_with(**fields), name="x") for fields in (first, second)]
    assert len(prints(*pair)) == 2


def test_words_do_not_change_the_fingerprint() -> None:
    """Titles, descriptions, examples and docstrings are told to producers and judge nothing."""

    class Quiet_(BaseModel):
        a: int

    class Loud(BaseModel):
        """Say much."""

        model_config = ConfigDict(title="A loud one")
        a: int = Field(title="the a", description="what it is", examples=[1, 2])

    class Shown(BaseModel):
        a: Annotated[int, PlainSerializer(str)]

    assert len(prints(*(Contract.items(unit, name="x") for unit in (Quiet_, Loud, Shown)))) == 1


@pytest.mark.parametrize("name", ["title", "description", "examples", "properties", "default"])
def test_a_property_may_be_called_like_a_keyword(name: str) -> None:
    """``title`` as a field of the unit is no title: it counts, at any depth."""
    inner = [unit_with(**{name: (kind, ...)}) for kind in (int, str)]
    for outer in ("a", name):
        pair = [Contract.items(unit_with(**{outer: (kind, ...)}), name="x") for kind in inner]
        assert len(prints(*pair)) == 2
    schema = [{"items": {"properties": {name: {"properties": {name: {"type": kind}}}}}} for kind in ("string", "null")]
    assert len(prints(*(Contract.from_json_schema(one, name="x") for one in schema))) == 2


ITEM = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
SCHEMAS: list[Any] = [
    ({"items": ITEM}, {"items": {**ITEM, "required": ["a"]}}, {}, {}),
    ({"items": ITEM}, {"items": ITEM, "maxItems": 3}, {}, {}),
    ({"items": ITEM}, {"items": {**ITEM, "additionalProperties": False}}, {}, {}),
    ({"items": ITEM}, {"items": ITEM}, {}, {"reference_fields": {"/a": "w"}}),
    ({"properties": {"u": {"items": ITEM}}}, {"properties": {"u": {"items": ITEM}}, "required": ["s"]}, {"at": "u"}, {"at": "u"}),
    ({"items": ITEM}, {"items": ITEM, "minItems": 3}, {}, {}),
    ({"items": ITEM}, {"items": ITEM}, {"reference_fields": {"/a": "w"}}, {"reference_fields": {"/b": "w"}}),
    ({"items": {**ITEM, "dependentRequired": {"title": ["a"]}}}, {"items": {**ITEM, "dependentRequired": {"title": ["b"]}}},
         {}, {}),
    ({"items": {"properties": {"a": {"const": {"title": 1}}}}}, {"items": {"properties": {"a": {"const": {"title": 2}}}}},
         {}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "options", "other_options"), SCHEMAS)
def test_every_rule_of_a_json_schema_changes_the_fingerprint(
    first: Any, second: Any, options: dict[str, Any], other_options: dict[str, Any]
) -> None:
    """The same law for contracts that come from a JSON Schema."""
    one = Contract.from_json_schema(first, name="x", **options)
    other = Contract.from_json_schema(second, name="x", **other_options)
    assert one.fingerprint != other.fingerprint


def test_words_of_a_json_schema_do_not_change_the_fingerprint() -> None:
    """A title or a remark in the schema judges nothing."""
    loud = {"title": "A list", "description": "of units", "$comment": "x", "items": {**ITEM, "title": "A unit"}}
    assert (
        len(prints(Contract.from_json_schema({"items": ITEM}, name="x"), Contract.from_json_schema(loud, name="x")))
        == 1
    )


# ---------------------------------------------------------------------- contracts that make no sense


class Listed(BaseModel):
    items: list[int]


class Unspeakable(BaseModel):
    x: Annotated[int, Field(json_schema_extra={"a": object()})]  # what no JSON can hold


class Endless(BaseModel):
    x: Annotated[int, Field(json_schema_extra={"a": float("inf")})]  # nor this


class Calling(BaseModel):
    x: Callable[[], int]


class Forward(BaseModel):
    x: Nowhere  # type: ignore[name-defined]  # noqa: F821 - a name that is never defined


@dataclasses.dataclass
class Pathed:
    a: Annotated[int, Field(validation_alias=AliasPath("r", 0))]


class Stranger(BaseModel):
    kind: Literal["stranger"]


Untyped: Any = Contract
"""The same contract, where the type checker would already have said no."""
UntypedLimits: Any = Limits


MISUSES: list[Any] = [
    (lambda: Untyped.items(Rule, limits={"max_items": 7}), "write limits=Limits(max_items=7)"),
    (lambda: UntypedLimits(max_items=0), "leave max_items out to get the default, 10000"),
    (lambda: UntypedLimits(max_depth=True), "leave max_depth out to get the default, 8"),
    (lambda: UntypedLimits(max_bytes="7"), "leave max_bytes out"),
    (lambda: Untyped.items(Rule, at=5), 'write at="recommendations"'),
    (lambda: Untyped.items(Rule, at=None), 'write at="recommendations"'),
    (lambda: Untyped.items(Rule, envelope=Summary), 'say at="items"'),
    (lambda: Untyped.items(Rule, at="items", envelope=Listed), "take that field out of the envelope"),
    (lambda: Untyped.items(Rule, at="items", envelope=int), "wrap it in a model"),
    (lambda: Untyped.items(Rule, unique="rank"), "write unique=('rank',)"),
    (lambda: Untyped.items(Rule, unique=("nope",)), "use one of: rank, who"),
    (lambda: Untyped.items(Rule, unique=(("rank", "nope"),)), "use one of: rank, who"),
    (lambda: Untyped.items(Rule, order_by="nope"), "use one of: rank, who"),
    (lambda: Untyped.items(Rule, order_by="-"), "use one of: rank, who"),
    (lambda: Untyped.items(Rule, checks=[5]), "pass a function"),
    (lambda: Untyped.items(Rule, edits=["repair.nope"]), "use: repair.case_restored"),
    (lambda: Untyped.items(Rule, frames="some"), 'use "only", "first", "last" or "all"'),
    (lambda: Untyped.items(Rule, keep="last"), 'use "none" or "first"'),
    (lambda: Untyped.items(Rule, references="maybe"), 'use "partial" or "refuse"'),
    (lambda: Untyped.one(Add | Drop, refusal=Drop(kind="drop")), "write refusal="),
    *((lambda unit=unit: Untyped.items(unit), "wrap it in a model") for unit in (
        int, list[Rule], Rule | int, Rule | None, Any, None, RootModel[list[int]], dict[str, int], Literal["a"], Pair, Action,
    )),
    *((lambda unit=unit: Untyped.items(unit), "give a Pydantic model, a dataclass, a TypedDict") for unit in (
        object(), type("Mute", (), {}), "Rule", (Rule, Rule), Calling, Forward,
    )),
    (lambda: Untyped.items(Rule).admit("[]", references={"w": ["x"]}), "declare it with Annotated[str, Reference"),
    (lambda: Untyped.from_json_schema({"items": ITEM}, unique=("nope",)), "use one of: a, b"),
    (lambda: Untyped.from_json_schema(True), "give the parsed JSON Schema"),
    (lambda: Untyped.from_json_schema(ITEM), "locality=Locality.ONE"),
    (lambda: Untyped.from_json_schema(ITEM, at="u", locality=Locality.ONE), "leave at= out"),
    (lambda: Untyped.items(Unspeakable), "give a Pydantic model, a dataclass, a TypedDict"),
    (lambda: Untyped.items(Endless), "give the field a JSON schema of plain values"),
    (lambda: Untyped.items(Rule, unique=(5,)), 'write unique=("rank", ("page", "field"))'),
    (lambda: Untyped.items(Rule, checks=check_one), "write checks=[my_check]"),
    (lambda: Untyped.items(Rule).admit("[]", producer="robot"), "use model, agent or person"),
    (lambda: Untyped.items(Rule).admit(None), "give text, UTF-8 bytes, or a Delivery"),
    (lambda: Untyped.items(Rule).admit("[]", finish_reason=5), "pass the provider's own word, or None"),
    (lambda: Untyped.items(ToolA).admit("[]", references={"files": None}), "write references={'files': [...]}"),
    (lambda: Untyped.items(Rule).admit(5), "give text, UTF-8 bytes, or a Delivery"),
    (lambda: Untyped.items(Rule).admit([1, 2]), "give text, UTF-8 bytes, or a Delivery"),
    (lambda: Untyped.items(ToolA).admit("[]", references={"files": "abc"}), "write references={'files': [...]}"),
    (lambda: Untyped.items(Rule).admit(Delivery(text="[]"), finish_reason="length"), "give them to Delivery(…)"),
    (lambda: Untyped.items(Rule).admit(Delivery(text="[]"), producer="model"), "give them to Delivery(…)"),
    (lambda: Untyped.items(Rule, unique=((),)), 'write unique=("rank", ("page", "field"))'),
    (lambda: Untyped.items(Rule, unique=("rank.nope",)), "name fields that the type has"),
    (lambda: Untyped.items(Rule, order_by=5), 'write order_by="rank"'),
    (lambda: Untyped.one(Add | Drop, refusal=Stranger), "make the unit a union"),
    (lambda: Untyped.one(Drop, refusal=Drop), "make the unit a union"),
    (lambda: Untyped.items(Rule, at="/a~2"), "write ~0 for ~ and ~1 for /"),
    (lambda: Untyped.from_json_schema({"items": ITEM}, locality="some"), "use Locality.ITEM, ONE or BATCH"),
    (lambda: Reference(""), 'write Reference("workstream")'),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), MISUSES)
def test_a_contract_that_makes_no_sense_is_refused_with_the_remedy(make: Callable[[], Any], words: str) -> None:
    """The caller learns at once, by one exception, and learns what to write instead."""
    with pytest.raises(Misuse) as raised:
        make()
    assert words in raised.value.remedy
    assert str(raised.value) == f"{raised.value.message}; {raised.value.remedy}"


PATH = ("an AliasPath reads a part of a value and drops the rest", "describe the whole value")
LAZY = ("an Iterable is not validated until somebody iterates it", "write list[...]")
ENCODED = (
    "the text inside a Json field cannot be held to limits",
    "write the inner type itself: a string that wholly encodes it is decoded once",
)
KEYS = ("a dict whose keys are read as numbers may merge two keys", "write dict[str, ...]")
LISTED = "put it on the element: list[Annotated[str, Reference('w')]]"

LOSSY: list[Any] = [
    (lambda: unit_with(a=(int, Field(validation_alias=AliasPath("r", 0)))), *PATH),
    (lambda: unit_with(a=(int, Field(validation_alias=AliasPath("r", "x")))), *PATH),
    (lambda: unit_with(a=(int, Field(validation_alias=AliasChoices("q", AliasPath("r", 0))))), *PATH),
    (lambda: Pathed, *PATH),
    (lambda: unit_with(a=(Iterable[int], ())), *LAZY),
    (lambda: unit_with(a=(list[Iterable[int]] | None, None)), *LAZY),
    (lambda: unit_with(a=(Json[list[int]], ...)), *ENCODED),
    (lambda: unit_with(a=(Json[list[int]] | None, None)), *ENCODED),
    *((lambda kind=kind: unit_with(a=(kind, ...)), *KEYS) for kind in (
        dict[int, str], dict[float, str], dict[dt.date, str], dict[uuid.UUID, str], dict[str | int, str], Mapping[int, str],
        defaultdict[int, str], Counter[int], dict[Level, str], dict[Literal[1], str],
    )),
    *((lambda kind=kind: unit_with(a=(Annotated[kind, Reference("w")], ...)), f"Reference('w') stands on a {name}, which names nothing itself", LISTED)
      for kind, name in (
        (list[str], "list"), (set[str], "set"), (frozenset[str], "frozenset"), (tuple[str, ...], "tuple"), (dict[str, str], "dict"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message", "remedy"), LOSSY)
def test_a_type_that_would_drop_a_part_of_what_was_written_is_refused_with_the_remedy(
    make: Callable[[], Any], message: str, remedy: str
) -> None:
    """It is refused when the contract is made, before any unit could lose something."""
    with pytest.raises(Misuse) as raised:
        Contract.items(make())
    assert (raised.value.message, raised.value.remedy) == (message, remedy)


def test_a_reference_on_a_list_that_may_be_left_out_is_refused_too() -> None:
    """A list names nothing itself, whatever stands around it."""
    with pytest.raises(Misuse, match="names nothing itself"):
        Contract.items(unit_with(a=(Annotated[list[str] | None, Reference("w")], None)))


def test_the_remedies_for_lossy_types_work() -> None:
    """What a message tells to write is taken: the inner type for Json, a reference on the element."""

    class Told(BaseModel):
        encoded: list[int]
        names: list[Annotated[str, Reference("w")]]

    text = '[{"encoded": "[1]", "names": ["x"]}]'
    admission = Contract.items(Told).admit(text, references={"w": ["x"]})
    assert admission.status is Status.CLEAN
    assert admission.values == (Told(encoded=[1], names=["x"]),)
    assert [edit.code for unit in admission.units for edit in unit.edits] == ["repair.decoded_once"]


def test_a_contract_cannot_be_changed_by_mistake() -> None:
    """Terms are frozen, and so are limits and shapes: a contract is safe to share."""
    contract = rule()
    for target, name in ((contract.terms, "keep"), (contract.terms.unit, "keys"), (contract.terms.limits, "max_items")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(target, name, None)
