"""LS050: numbers that can be computed, and numbers that only sound like it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from lint.case import Case, obj, tool
from pratique import Contract, Finding
from pratique.apps.triage.contract import Recommendation, Wsjf, triage
from pratique.lint.rule import Level
from pratique.terms import note

NUMBER = {"type": "number"}
TEXTS = {"type": "array", "items": {"type": "string"}}


def numbers(*names: str, **more: Any) -> Any:
    """Make an object of numbers, and more."""
    return obj({**dict.fromkeys(names, NUMBER), **more})


def items(*names: str) -> Any:
    """Make a list of objects of numbers, with a name."""
    return {"type": "array", "items": obj({"name": {"type": "string"}, **dict.fromkeys(names, NUMBER)})}


class Invoice(BaseModel):
    """A total that a validator recomputes."""

    total: float
    subtotal: float
    tax: float

    @model_validator(mode="after")
    def adds_up(self) -> Self:
        """Together ``total``, ``subtotal`` and ``tax`` add up."""
        if abs(self.total - self.subtotal - self.tax) > 0.01:
            raise ValueError("it does not add up")
        return self


class Bill(BaseModel):
    """The same without the validator."""

    total: float
    subtotal: float
    tax: float | None = None


class Margin(BaseModel):
    """A formula in words."""

    margin: Annotated[float, Field(description="(revenue - cost) / revenue")]
    revenue: float
    cost: float


class Ranked(BaseModel):
    """Both a rank and a score."""

    rank: int
    score: float
    name: str


def recomputed(item: Any) -> Iterator[Finding]:
    """Note a difference."""
    if item.total != item.subtotal + (item.tax or 0):
        yield note("it does not add up")


FIRES: dict[str, Any] = {
    "source 004: a score beside its components": Case(Wsjf, at=("/properties/score",), level=Level.WARN),
    "the triage without its check": Case(
        Contract.items(Recommendation, at="recommendations", unique=("rank",)), at=("/$defs/Wsjf/properties/score",)
    ),
    "a total and its parts, one of which may be null": Case(Bill, at=("/properties/total",)),
    "a formula in the description": Case(Margin, at=("/properties/margin",)),
    "the count of a list of that name": Case(
        obj({"file_count": NUMBER, "files": TEXTS}), at=("/properties/file_count",)
    ),
    "the same in camel case, in a tool": [tool(obj({"numFiles": {"type": "integer"}, "files": TEXTS}))],
    "number of": obj({"number_of_categories": NUMBER, "categories": TEXTS}),
    "a bare count beside the only list": obj({"count": NUMBER, "issues": TEXTS, "summary": {"type": "string"}}),
    "a total of what the items of a list cost": Case(
        obj({"total": NUMBER, "lines": items("price")}), at=("/properties/total",)
    ),
    "a total of parts of that name": Case(
        numbers("total_tokens", "prompt_tokens", "completion_tokens"), at=("/properties/total_tokens",)
    ),
    "an average of the numbers of a list": obj({"average_score": NUMBER, "scores": {"type": "array", "items": NUMBER}}),
    "an average of what objects in a list have": obj({"avg_rating": NUMBER, "reviews": items("rating")}),
    "an overall score over scores": numbers("overall_score", "clarity_score", "depth_score"),
    "an overall score over an object of scores": obj({"overall_score": NUMBER, "scores": numbers("clarity", "depth")}),
    "a final score over a list of criteria": obj({"final_score": NUMBER, "criteria": items("score")}),
    "a rank beside a score is only worth knowing": Case(
        obj({"items": items("rank", "score")}),
        at=("/properties/items/items/properties/rank",), level=Level.INFO,
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "the triage, whose check recomputes the score": triage,
    "a validator recomputes it": Invoice,
    "a contract's check recomputes it": Contract.one(Bill, checks=[recomputed]),
    "count inside other words": numbers("discount", "account", "country", "accounting"),
    "how many a tool is asked for": [tool(obj({"query": {"type": "string"}, "count": NUMBER, "domains": TEXTS}))],
    "one page of a list": obj({"total_count": NUMBER, "items": TEXTS, "next_page": NUMBER}),
    "a total of what is on other pages": obj(
        {"total": NUMBER, "page": NUMBER, "per_page": NUMBER, "results": items("id")}
    ),
    "a total alone": obj({"total": NUMBER, "currency": {"type": "string"}}),
    "a score and a confidence": obj({"score": NUMBER, "confidence": NUMBER, "why": {"type": "string"}}),
    "a score and its scale": numbers("score", "max_score", "min_score"),
    "scores side by side": numbers("relevance_score", "clarity_score", "depth_score"),
    "a score of a box in a picture": numbers("score", "x", "y", "width", "height"),
    "a score of a stretch of text": numbers("score", "start", "end", "page"),
    "a score beside counts of a post": obj(
        {"score": NUMBER, "comments": NUMBER, "time": NUMBER, "by": {"type": "string"}}
    ),
    "a number of a thought, and how many there will be": numbers("totalThoughts", "revisesThought", "fromThought"),
    "all rows, and those of this page": obj({"total_rows": NUMBER, "offset": NUMBER, "rows": TEXTS}),
    "all that there is, and a part of it": obj({"totalCount": NUMBER, "items": TEXTS}),
    "the ends of a range of ranks": obj({"levels": items("min_rank", "max_rank", "points")}),
    "a rank that tells items apart": Contract.items(Ranked, at="items", unique=("rank",)),
    "a rank without a score": obj({"items": items("rank")}),
    "a count of something else": obj({"retry_count": NUMBER, "files": TEXTS}),
    "a mean without what it is the mean of": numbers("mean", "median", "std", "min", "max"),
    "text that is called a total": obj({"total": {"type": "string"}, "subtotal": NUMBER, "tax": NUMBER}),
    "a budget is no part of a total": numbers("total_cost", "max_cost", "cost_limit"),
    "a summary is no sum": numbers("summary", "price", "tax"),
    "a formula with one other field": obj(
        {"x": {**NUMBER, "description": "twice as much + a bit of cost"}, "cost": NUMBER}
    ),
}
