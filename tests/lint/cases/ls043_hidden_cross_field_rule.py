"""LS043: validators and checks over several fields, told and untold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass

from lint.case import Case, obj, tool
from pratique import Contract, Finding, refuse
from pratique.apps.triage.contract import triage
from pratique.lint.rule import Level
from pratique.terms import note
from pratique.terms.terms import Locality


class Span(BaseModel):
    """A stretch of days."""

    first: int
    last: int

    @model_validator(mode="after")
    def in_order(self) -> Self:
        """Not empty."""
        if self.last < self.first:
            raise ValueError("the wrong way round")
        return self


class Holder(BaseModel):
    """The class with the rule stands further in, in a list."""

    spans: list[Span]


class Asserted(BaseModel):
    """Which of them."""

    text: str | None = None
    path: str | None = None

    @model_validator(mode="after")
    def exactly_one(self) -> Self:
        """Only one."""
        assert (self.text is None) != (self.path is None), "one of them"
        return self


class Before(BaseModel):
    """What comes in."""

    kind: str
    size: int

    @model_validator(mode="before")
    @classmethod
    def sized(cls, values: Any) -> Any:
        """Small ones."""
        if values["kind"] == "small" and values.get("size", 0) > 3:
            raise ValueError("too large")
        return values


class Later(BaseModel):
    """A field's validator that looks at another field."""

    start: int
    end: int

    @field_validator("end")
    @classmethod
    def after_start(cls, value: int, info: ValidationInfo) -> int:
        """Later."""
        if value < info.data["start"]:
            raise ValueError("too early")
        return value


class Aliased(BaseModel):
    """Names that the schema writes otherwise."""

    low: Annotated[int, Field(alias="lowerBound")]
    high: Annotated[int, Field(alias="upperBound")]

    @model_validator(mode="after")
    def in_order(self) -> Self:
        """In order."""
        if self.high < self.low:
            raise ValueError("no")
        return self


@pydantic_dataclass
class Sized:
    """A dataclass has validators, too."""

    width: int
    height: int

    @model_validator(mode="after")
    def not_square(self) -> Self:
        """Long."""
        if self.width == self.height:
            raise ValueError("square")
        return self


class ToldAbove(Span):
    """A stretch of days; ``last`` is not before ``first``."""


class ToldAtTheField(BaseModel):
    """Which of them."""

    text: Annotated[str | None, Field(description="Leave it out when a path is given.")] = None
    path: str | None = None

    @model_validator(mode="after")
    def exactly_one(self) -> Self:
        """Only one."""
        if (self.text is None) == (self.path is None):
            raise ValueError("one of them")
        return self


class ToldInWords(BaseModel):
    """The start date comes before the end date."""

    start_date: str
    end_date: str

    @model_validator(mode="after")
    def in_order(self) -> Self:
        """In order."""
        if self.end_date < self.start_date:
            raise ValueError("no")
        return self


class Normal(BaseModel):
    """A validator that never refuses has no rule."""

    name: str
    label: str = ""

    @model_validator(mode="after")
    def with_label(self) -> Self:
        """Label it."""
        self.label = self.label or self.name
        return self


class Even(BaseModel):
    """A rule on one field is not across fields."""

    size: int
    other: int

    @model_validator(mode="after")
    def even(self) -> Self:
        """Even."""
        if self.size % 2:
            raise ValueError("odd")
        return self

    @field_validator("size", "other")
    @classmethod
    def small(cls, value: int) -> int:
        """Small."""
        if value > 9:
            raise ValueError("large")
        return value


class Plain(BaseModel):
    """Two numbers."""

    a: int
    b: int


class Ruled(BaseModel):
    """Two numbers, of which ``a`` is not more than ``b``."""

    a: int
    b: int


def ordered(item: Any) -> Iterator[Finding]:
    """Refuse what is not in order."""
    if item.a > item.b:
        yield refuse("not in order")


def noted(item: Any) -> Iterator[Finding]:
    """Note what is not in order."""
    if item.a > item.b:
        yield note("not in order")


def keyed(item: Any) -> Iterator[Finding]:
    """Refuse by keys."""
    if item["a"] > item["b"]:
        yield refuse("not in order")


@dataclass(frozen=True)
class Ordered:
    """A check that is an object."""

    def __call__(self, item: Any) -> Iterator[Finding]:
        """Refuse."""
        yield from ordered_inside(item) if item.a > item.b else [refuse("no")]


def ordered_inside(item: Any) -> Iterator[Finding]:
    """Refuse further in."""
    return ordered(item)


NUMBERS = obj({"a": {"type": "integer"}, "b": {"type": "integer"}})
FIRES: dict[str, Any] = {
    "an untold rule over two fields": Case(Span, at=("",), level=Level.WARN),
    "of a class further in": Case(Holder, at=("/$defs/Span",)),
    "in a contract": Case(Contract.items(Span, at="spans"), at=("",)),
    "an assertion": Asserted,
    "keys of what comes in": Before,
    "a field's validator that looks at another one": Later,
    "fields with other names in the schema": Aliased,
    "a dataclass": Case(Sized, at=("",)),
    "a contract's check": Case(Contract.one(Plain, checks=[ordered]), at=("",), level=Level.WARN),
    "a check that is a lambda": Contract.one(
        Plain, checks=[lambda item: [refuse("no")] if item.a > item.b else []]
    ),
    "a check that is an object": Contract.one(Plain, checks=[Ordered()]),
    "a check of a schema's units, by key": Contract.from_json_schema(NUMBERS, locality=Locality.ONE, checks=[keyed]),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "the docstring names the fields": ToldAbove,
    "a field's description names the other": ToldAtTheField,
    "the names as words": ToldInWords,
    "a validator that never refuses": Normal,
    "rules on one field each": Even,
    "a contract's check, told": Contract.one(Ruled, checks=[ordered]),
    "a check that only notes": Contract.one(Plain, checks=[noted]),
    "the daily triage, which only notes": triage,
    "no rules": Plain,
    "a schema and a tool have no Python": [tool(NUMBERS)],
}
