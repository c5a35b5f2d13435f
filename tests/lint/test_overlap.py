"""A proof of two overlapping arms is asked of all that stands around the union, and is looked for in bounded steps."""

from __future__ import annotations

from typing import Any

import pytest

from lint.case import obj
from pratique.dialects.words.instance import NoValue, parts_of_nodes
from pratique.lint import lint
from pratique.lint.overlap import MAX_STEPS, _Shared, overlap_of
from pratique.lint.view import View
from pratique.terms.schema_document import Document

NAME = {"type": "string"}
TWO = {"anyOf": [obj({"id": NAME}, {"a": NAME}), obj({"id": NAME}, {"b": NAME})]}

NO = {"$defs": {"No": {"not": {"required": ["id"]}}}}


def overlaps(schema: Any) -> int:
    """Return how many unions LS002 finds."""
    return len(lint(schema, only=["LS002"]).findings)


@pytest.mark.parametrize(
    "beside",
    [
        {"not": {"required": ["id"]}},
        {"propertyNames": {"maxLength": 1}},
        {"type": "object", "if": {"required": ["id"]}, "then": False},
        {"allOf": [{"not": {"required": ["id"]}}]},
        {"$ref": "#/$defs/No"},
    ],
)
@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_what_stands_beside_a_union_is_asked_too(beside: dict[str, Any], word: str) -> None:
    """The value fits both arms, and no value at all fits the whole."""
    arms = {word: TWO["anyOf"]}
    assert overlaps(arms) == 1
    assert overlaps({**arms, **beside, **NO}) == 0
    assert overlaps({"anyOf": [{**arms, **beside}, {"type": "null"}], **NO}) == 0
    assert overlaps({**arms, "not": {"required": ["other"]}}) == 1


def expressions(arms: int) -> dict[str, Any]:
    """Make a language: each operator has two operands, which are expressions."""
    operand = {"$ref": "#/$defs/E"}
    operators = [obj({"left": operand, "right": operand, "op": {"const": f"o{number}"}}) for number in range(arms)]
    return {"$ref": "#/$defs/E", "$defs": {"E": {"anyOf": [*operators, obj({"value": {"type": "number"}})]}}}


def doubled(levels: int) -> dict[str, Any]:
    """Make two trees that differ in the leaf alone: unions in unions, each of which holds two of the next."""
    definitions: dict[str, Any] = {f"a{levels}": {"const": "a"}, f"b{levels}": {"const": "b"}}
    for level in range(levels):
        for side in "ab":
            inner = {"$ref": f"#/$defs/{side}{level + 1}"}
            arms = [obj({"x": inner, "y": inner}, {f"o{number}": NAME}) for number in range(4)]
            definitions[f"{side}{level}"] = {"anyOf": arms}
    root = {"anyOf": [obj({"x": {"$ref": "#/$defs/a0"}}), obj({"x": {"$ref": "#/$defs/b0"}}, {"q": NAME})]}
    return {**root, "$defs": definitions}


@pytest.mark.parametrize("schema", [expressions(30), doubled(7)], ids=["expressions", "doubled"])
def test_unions_in_unions_take_bounded_steps(schema: dict[str, Any]) -> None:
    """Work is counted, not timed: what two nodes do not share is not looked for twice."""
    view = View(Document(schema), closed=False)
    union = view.unions[0].node
    arms = view.object_arms(union)
    assert overlap_of(view, arms) is None
    shared = _Shared(parts_of_nodes(view.document, arms))
    for one in arms:
        for other in arms:
            if one is not other:
                with pytest.raises(NoValue):
                    shared.value(one, other, 0)
    assert shared._steps < MAX_STEPS


def test_a_list_of_very_many_is_no_proof() -> None:
    """Nobody reads it, and it would have to be made."""
    rows = {"type": "array", "items": NAME, "minItems": 10**12}
    assert overlaps({"anyOf": [obj({"rows": rows}), obj({"rows": rows}, {"a": NAME})]}) == 0
