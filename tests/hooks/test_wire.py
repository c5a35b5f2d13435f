"""What stands in a reply as text: it is taken as it was sent, or written anew, and never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pratique.hooks.wire import as_sent, elements_of, json_text, member_of


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [deep(100_000), {"a": deep(100_000)}, {1, 2}, object()])
def test_what_cannot_be_written_is_no_text(value: Any) -> None:
    """Nothing is made up in its place, and the boundary refuses it as malformed."""
    assert json_text(value) == ""
    assert as_sent("{}", value) == ""


@pytest.mark.parametrize("part", ["[" * 100_000, "", "{", "nul", '{"a": 1} and more', "\ud800"])
def test_a_part_that_is_no_json_is_written_anew(part: str) -> None:
    """From the value that the SDK has."""
    assert as_sent(part, {"a": 1}) == '{"a": 1}'


@pytest.mark.parametrize(
    ("part", "value", "same"),
    [
        ('{ "a" : 1.50 }', {"a": 1.5}, True),
        ('{"a": 1, "a": 2}', {"a": 2}, True),
        ('{"a": 1, "a": 2}', {"a": 1}, False),
        ('{"a": 1}', {"a": True}, False),
        ('{"a": 1}', {"a": 1.0}, False),
        ('{"a": "\\u00e9"}', {"a": "é"}, True),
        ('{"a": 1, "b": 2}', {"b": 2, "a": 1}, False),
        ('"{}"', "{}", True),
    ],
)
def test_a_part_is_taken_when_it_reads_as_what_the_sdk_has(part: str, value: Any, same: bool) -> None:
    """And only then."""
    assert (as_sent(part, value) == part) == same


def test_members_and_elements_are_found() -> None:
    """In the text itself, spaces and all."""
    body = '{"x": "}", "params": {"arguments": { "a" : [1, {"b": 2} , "]"] }}}'
    assert member_of(body, "params", "arguments") == '{ "a" : [1, {"b": 2} , "]"] }'
    assert elements_of(member_of(body, "params", "arguments", "a")) == ["1", '{"b": 2}', '"]"']
    assert elements_of(member_of(body, "params", "nothing")) == []


@pytest.mark.parametrize("body", ["", "{", "[", "]", '{"params"', '{"params": {"arguments"', "\x00", "[" * 10_000])
def test_whatever_the_body_is_nothing_is_raised(body: str) -> None:
    """Some part of it comes back, and ``as_sent`` does not believe it."""
    assert member_of(body, "params", "arguments") in body
    assert as_sent(member_of(body, "params", "arguments"), {"a": 1}) == json.dumps({"a": 1})
    elements_of(body)
