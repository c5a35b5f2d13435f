"""What a schema engine keeps, keyword by keyword: the measured cells of the profiles, measured again.

Each case is a schema with texts that it allows and texts that it forbids. An engine compiles the schema and
judges the texts; what it got right makes the cell.

    enforced       every good text is let through, every bad one is not
    ignored        every good text is let through, some bad one too
    refused        the schema does not compile, or a good text is not let through (it says which)

Run in an environment of its own, which need not have pratique's dependencies:

    pip install llguidance; PYTHONPATH=src:. python -m bench.dialects_probe llguidance
    pip install torch xgrammar && … python -m bench.dialects_probe xgrammar
    pip download --no-deps --no-binary :all: llama-cpp-python; … -m bench.dialects_probe gbnf --source DIR

The last builds llama.cpp's own converter and grammar reader with g++. ``--target T`` compares what was measured
with the profile of a target, and fails where the profile promises more.
"""

from __future__ import annotations

import argparse
import atexit
import importlib
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pratique.dialects.dialect import dialect_of
from pratique.dialects.profile import ANNOTATIONS, Profile, Support

BUILD_S = 300
"""Seconds that a build, or a program's end, may take: eight files take about forty on one core."""


class Refused(Exception):
    """An engine says that it does not take a schema."""


class Case(NamedTuple):
    """One schema that uses a keyword or a form, and texts on both sides of it."""

    row: str
    """A row of the profiles, or what is asked beside them: ``pattern: unanchored``."""
    schema: Mapping[str, Any]
    good: tuple[Any, ...]
    bad: tuple[Any, ...]


class Verdict(NamedTuple):
    """What an engine did with all cases of a row."""

    support: Support
    note: str


_STRING: dict[str, Any] = {"type": "string"}
_INTEGER: dict[str, Any] = {"type": "integer"}
_NUMBER: dict[str, Any] = {"type": "number"}
_INTEGERS: dict[str, Any] = {"type": "array", "items": _INTEGER}


def _closed(required: list[str] | None = None, /, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


_NODE = _closed(["v"], v=_INTEGER, next={"$ref": "#/$defs/Node"})
_TREE = _closed(["v", "kids"], v=_INTEGER, kids={"type": "array", "items": {"$ref": "#/$defs/Tree"}})
_CAT = _closed(kind={"const": "cat"}, lives=_INTEGER)
_DOG = _closed(kind={"const": "dog"}, name=_STRING)
_DAY, _NO_DAY = "2024-02-29", "yesterday"

CASES: tuple[Case, ...] = (
    Case("type", _STRING, ("a", "", "é𝒳\n\"\\"), (1, None, ["a"], {})),
    Case("type", _INTEGER, (0, -3, 12345), (1.5, "1", None)),
    Case("type", _NUMBER, (0, -3, 1.5, 1e30), ("1", None)),
    Case("type", {"type": "boolean"}, (True, False), (0, "true")),
    Case("type", {"type": "null"}, (None,), (0, "null")),
    Case("properties", _closed(a=_INTEGER, b=_STRING), ({"a": 1, "b": "x"},), ({"a": "1", "b": "x"}, [])),
    Case("required", _closed(["a"], a=_INTEGER, b=_STRING), ({"a": 1}, {"a": 1, "b": "x"}), ({}, {"b": "x"})),
    Case("optional", _closed([], a=_INTEGER, b=_STRING), ({}, {"a": 1}, {"b": "x"}, {"a": 1, "b": "x"}), ({"a": "1"},)),
    Case("optional", _closed(["a"], a=_INTEGER, b=_STRING, c=_INTEGER),
         ({"a": 1}, {"a": 1, "c": 2}, {"a": 1, "b": "x", "c": 2}), ({"b": "x"}, {"a": 1, "b": 2})),
    Case("additionalProperties", _closed(a=_INTEGER), ({"a": 1},), ({"a": 1, "z": 2},)),
    Case(
        "open object: unsaid", {"type": "object", "properties": {"a": _INTEGER}, "required": ["a"]},
        ({"a": 1}, {"a": 1, "z": [2]}), ({"a": "1"}, {"z": 1}),
    ),
    Case(
        "open object", {"type": "object", "properties": {"a": _INTEGER}, "required": ["a"],
                        "additionalProperties": True},
        ({"a": 1}, {"a": 1, "z": [2]}), ({"a": "1"}, {"z": 1}),
    ),
    Case("map", {"type": "object", "additionalProperties": _INTEGER}, ({}, {"a": 1}, {"a": 1, "é": 2}), ({"a": "1"},)),
    Case(
        "map", _closed(m={"type": "object", "additionalProperties": _closed(v=_INTEGER)}),
        ({"m": {}}, {"m": {"x": {"v": 1}, "": {"v": 2}}}), ({"m": {"x": 1}}, {"m": {"x": {}}}),
    ),
    Case(
        "map", {"type": "object", "properties": {"a": _STRING}, "required": ["a"], "additionalProperties": _INTEGER},
        ({"a": "x"}, {"a": "x", "b": 1}), ({"a": 1}, {"a": "x", "b": "y"}),
    ),
    Case("items", _INTEGERS, ([], [1], [1, 2]), (["1"], {}, [1, None])),
    Case("items", {"type": "array", "items": _CAT}, ([{"kind": "cat", "lives": 9}],), ([{"kind": "cat"}], [1])),
    Case("enum string", {"enum": ["a", "b c", 'q"\\é']}, ("a", "b c", 'q"\\é'), ("c", "", 1)),
    Case("enum string", {"type": "string", "enum": ["a", "ab"]}, ("a", "ab"), ("abc", None)),
    Case("enum number", {"enum": [1, -2]}, (1, -2), (3, "1", 12)),
    Case("enum number", {"type": "integer", "enum": [1, 2]}, (1, 2), (3, "1", 12)),
    Case("enum number", {"enum": [1.5, 2]}, (1.5, 2), (1, 1.55)),
    Case("enum boolean", {"enum": [True]}, (True,), (False, "true")),
    Case("enum null", {"enum": ["a", None]}, ("a", None), ("null", "b")),
    Case("const", {"const": "a"}, ("a",), ("b", "ab")),
    Case("const", {"const": 7}, (7,), (77, "7")),
    Case("const", {"const": 1.5}, (1.5,), (1, 1.55)),
    Case("const", {"const": True}, (True,), (False,)),
    Case("const", {"const": None}, (None,), ("null",)),
    Case("const", _closed(v={"type": "string", "const": "a"}), ({"v": "a"},), ({"v": "b"},)),
    Case("const: list or object", {"const": {"a": [1]}}, ({"a": [1]},), ({"a": [2]}, {})),
    Case("anyOf", {"anyOf": [_STRING, _INTEGER]}, ("a", 1), (None, 1.5)),
    Case("anyOf", {"anyOf": [_CAT, _DOG]}, ({"kind": "cat", "lives": 9}, {"kind": "dog", "name": "x"}),
         ({"kind": "cat", "name": "x"}, {"kind": "cow"})),
    Case("anyOf", _closed(v={"anyOf": [_closed(a=_INTEGER), _closed(a=_INTEGER, b=_STRING), {"type": "null"}]}),
         ({"v": {"a": 1}}, {"v": {"a": 1, "b": "x"}}, {"v": None}), ({"v": {"b": "x"}}, {"v": 1})),
    Case("root union", {"anyOf": [_CAT, _DOG]}, ({"kind": "cat", "lives": 9}, {"kind": "dog", "name": "x"}),
         ({"kind": "cow"},)),
    Case("oneOf", {"oneOf": [_CAT, _DOG]}, ({"kind": "cat", "lives": 9}, {"kind": "dog", "name": "x"}),
         ({"kind": "cow"},)),
    Case("oneOf", {"oneOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 9}]}, (-1, 10), (0, 5)),
    Case("allOf", {"allOf": [{"type": "integer", "minimum": 0}, {"maximum": 9}]}, (0, 5), (-1, 10, "a")),
    Case("allOf", {"allOf": [{"type": "object", "properties": {"a": _INTEGER}, "required": ["a"]},
                             {"type": "object", "properties": {"b": _INTEGER}, "required": ["b"]}]},
         ({"a": 1, "b": 2},), ({"a": 1}, {"b": 2})),
    Case("not", {"type": "integer", "not": {"const": 3}}, (1, 33), (3,)),
    Case("if", {"type": "object", "properties": {"a": {"type": "boolean"}, "b": _INTEGER}, "required": ["a"],
                "additionalProperties": False, "if": {"properties": {"a": {"const": True}}},
                "then": {"required": ["b"]}}, ({"a": False}, {"a": True, "b": 1}), ({"a": True},)),
    Case("then", {"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 2}}, (3, 12), (13,)),
    Case("else", {"type": "integer", "if": {"minimum": 10}, "else": {"minimum": 5}}, (12, 6), (3,)),
    Case("dependentRequired", {**_closed([], a=_INTEGER, b=_INTEGER), "dependentRequired": {"a": ["b"]}},
         ({}, {"b": 1}, {"a": 1, "b": 2}), ({"a": 1},)),
    Case("dependentSchemas", {**_closed([], a=_INTEGER, b=_INTEGER), "dependentSchemas": {"a": {"required": ["b"]}}},
         ({}, {"b": 1}, {"a": 1, "b": 2}), ({"a": 1},)),
    Case("$ref", {**_closed(c={"$ref": "#/$defs/Cat"}), "$defs": {"Cat": _CAT}}, ({"c": {"kind": "cat", "lives": 9}},),
         ({"c": {"kind": "cat"}}, {"c": 1})),
    Case("$ref", {"$ref": "#/$defs/Cat", "$defs": {"Cat": _CAT}}, ({"kind": "cat", "lives": 9},), ({"kind": "cat"},)),
    Case("$ref", {**_closed(l={"type": "array", "items": {"$ref": "#/$defs/Any"}}),
                  "$defs": {"Any": {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
                            "Cat": _CAT, "Dog": _DOG}},
         ({"l": [{"kind": "cat", "lives": 9}, {"kind": "dog", "name": "x"}]},), ({"l": [{"kind": "cow"}]}, {"l": [1]})),
    Case("$defs", {**_closed(a={"$ref": "#/$defs/N"}), "$defs": {"N": _INTEGER}}, ({"a": 1},), ({"a": "1"},)),
    Case("$defs: escaped name", {**_closed(a={"$ref": "#/$defs/a~1b"}), "$defs": {"a/b": _INTEGER}}, ({"a": 1},),
         ({"a": "1"},)),
    Case("$ref siblings", {**_closed(a={"$ref": "#/$defs/N", "minimum": 5}), "$defs": {"N": _INTEGER}}, ({"a": 5},),
         ({"a": 4},)),
    Case("$ref siblings: description",
         {**_closed(a={"$ref": "#/$defs/N", "description": "d"}), "$defs": {"N": _INTEGER}},
         ({"a": 5},), ({"a": "4"},)),
    Case("recursion", {"$ref": "#/$defs/Node", "$defs": {"Node": _NODE}},
         ({"v": 1}, {"v": 1, "next": {"v": 2, "next": {"v": 3}}}), ({"v": 1, "next": {}}, {"v": 1, "next": 1})),
    Case("recursion", {**_closed(t={"$ref": "#/$defs/Tree"}), "$defs": {"Tree": _TREE}},
         ({"t": {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3, "kids": []}]}]}},),
         ({"t": {"v": 1, "kids": [{"v": 2}]}},)),
    Case("recursion: to the root", {**_closed(["v"], v=_INTEGER, next={"$ref": "#"})}, ({"v": 1, "next": {"v": 2}},),
         ({"v": 1, "next": {}},)),
    Case("type list", {"type": ["string", "null"]}, ("a", None), (1,)),
    Case("type list", _closed(a={"type": ["integer", "string"], "minimum": 2, "maxLength": 1}), ({"a": 2}, {"a": "x"}),
         ({"a": None}, {"a": 1}, {"a": "xy"})),
    Case("any", _closed(a={}), ({"a": 1}, {"a": None}, {"a": [{"b": "c"}]}), ({},)),
    Case("any: true", _closed(a=True), ({"a": 1}, {"a": [{"b": "c"}]}), ({},)),
    Case("minimum", {**_INTEGER, "minimum": 5}, (5, 6, 50, 1234567), (4, -5, 0)),
    Case("minimum", {**_INTEGER, "minimum": -5}, (-5, 0, 7), (-6, -50)),
    Case("maximum", {**_INTEGER, "maximum": 42}, (42, 0, -100), (43, 100)),
    Case("maximum", {**_INTEGER, "minimum": -3, "maximum": 117}, (-3, 0, 117, 20), (-4, 118, 200)),
    Case("exclusiveMinimum", {**_INTEGER, "exclusiveMinimum": 5}, (6, 50), (5, 4)),
    Case("exclusiveMaximum", {**_INTEGER, "exclusiveMaximum": 5}, (4, -9), (5, 6)),
    Case("minimum: number", {**_NUMBER, "minimum": 0.5}, (0.5, 0.75, 3, 12.25), (0.4, 0, -1)),
    Case("minimum: number", {**_NUMBER, "minimum": 2}, (2, 2.0, 12.25), (1.9, 0, -1)),
    Case("maximum: number", {**_NUMBER, "maximum": 1.5}, (1.5, 1, -7.25, 0.1), (1.51, 2, 10)),
    Case("exclusiveMinimum: number", {**_NUMBER, "exclusiveMinimum": 0}, (0.1, 1), (0, -1, 0.0)),
    Case("exclusiveMaximum: number", {**_NUMBER, "exclusiveMaximum": 1}, (0.9, -1), (1, 1.5, 1.0)),
    Case("number bounds: exponent", {**_NUMBER, "minimum": 1}, ("1e3", "1.5E+2"), ("1e-3",)),
    Case("type: exponent", _NUMBER, ("1e3", "-1.5E-20"), ("1e",)),
    Case("type: long number", _NUMBER, ("12345678901234567890", "0.12345678901234567890"), ("1.",)),
    Case("type: long integer", _INTEGER, ("12345678901234567890123", "-98765432109876543210"), ("1.5",)),
    Case("type: integer with fraction", _INTEGER, ("1.0",), ("1.5",)),
    Case("multipleOf", {**_INTEGER, "multipleOf": 5}, (0, 5, 35), (1, 36)),
    Case("multipleOf: 9,973", {**_INTEGER, "multipleOf": 9_973}, (0, 9_973 * 12_345, -9_973), (1, 9_974)),
    Case("multipleOf: 10 to the 8", {**_INTEGER, "multipleOf": 10**8}, (0, 3 * 10**8), (1, 10**8 + 1)),
    Case("multipleOf: 10 to the 9", {**_INTEGER, "multipleOf": 10**9}, (0, 3 * 10**9), (1, 10**9 + 1)),
    Case("multipleOf: number, 0.07", {**_NUMBER, "multipleOf": 0.07}, (0.07, 0.14), (0.08,)),
    Case("minimum: 10 to the 18", {**_INTEGER, "minimum": -(10**18), "maximum": 10**18}, (-(10**18), 0, 10**18),
         (10**18 + 1,)),
    Case("minimum: 64 bits", {**_INTEGER, "minimum": -(2**63), "maximum": 2**63 - 1}, (-(2**63), 0, 2**63 - 1),
         (2**63,)),
    Case("maximum: number, 10 to the 18", {**_NUMBER, "minimum": 0, "maximum": 10**18}, (0, 0.5, 10**18), (-0.5,)),
    Case("maximum: number, 10 to the 20", {**_NUMBER, "minimum": 0, "maximum": 1e20}, (0, 0.5, 10**20), (-0.5,)),
    Case("properties: odd names", _closed(**{"a b": _INTEGER, 'q"\\': _INTEGER, "é\n": _INTEGER}),
         ({"a b": 1, 'q"\\': 2, "é\n": 3},), ({"a b": 1},)),
    Case("properties: empty name", _closed(**{"": _INTEGER}), ({"": 1},), ({},)),
    Case("multipleOf: number", {**_NUMBER, "multipleOf": 0.5}, (0.5, 3, 1.5), (0.3, 1.25)),
    Case("multipleOf: with bounds", {**_INTEGER, "multipleOf": 5, "minimum": 10, "maximum": 30}, (10, 25, 30),
         (5, 11, 35)),
    Case("minLength", {**_STRING, "minLength": 2}, ("ab", "é𝒳", "abc"), ("a", "", "𝒳")),
    Case("maxLength", {**_STRING, "maxLength": 2}, ("ab", "é𝒳", ""), ("abc",)),
    Case("minLength", {**_STRING, "minLength": 1}, ("\n", '"a', "\\", "\x1f"), ("",)),
    Case("maxLength", {**_STRING, "maxLength": 2}, ("\n", '"a', "\\", "\x1f"), ("\n\n\n",)),
    Case("maxLength: 1,000", {**_STRING, "maxLength": 1_000}, ("ab", "x" * 1_000), ("x" * 1_001,)),
    Case("maxLength: 2,000", {**_STRING, "maxLength": 2_000}, ("ab", "x" * 2_000), ("x" * 2_001,)),
    Case("minLength: 4,000", {**_STRING, "minLength": 4_000}, ("x" * 4_000,), ("x" * 3_999,)),
    Case("maxItems: 4,000", {**_INTEGERS, "maxItems": 4_000}, ([1] * 4_000,), ([1] * 4_001,)),
    Case("minProperties: of many", {"type": "object", "additionalProperties": _INTEGER, "minProperties": 3},
         ({"a": 1, "b": 2, "c": 3},), ({"a": 1, "b": 2},)),
    Case("minProperties: beside required",
         {**_closed(a=_INTEGER), "additionalProperties": _INTEGER, "minProperties": 2}, ({"a": 1, "b": 2},),
         ({"a": 1},)),
    Case("maxProperties: beside required",
         {**_closed(a=_INTEGER), "additionalProperties": _INTEGER, "maxProperties": 2},
         ({"a": 1, "b": 2}, {"a": 1}), ({"a": 1, "b": 2, "c": 3},)),
    Case("minProperties: of three optional", {**_closed([], a=_INTEGER, b=_INTEGER, c=_INTEGER), "minProperties": 2},
         ({"a": 1, "b": 2}, {"a": 1, "c": 2}), ({"a": 1},)),
    Case("maxProperties: of three optional", {**_closed([], a=_INTEGER, b=_INTEGER, c=_INTEGER), "maxProperties": 2},
         ({"a": 1, "b": 2}, {"a": 1, "c": 2}), ({"a": 1, "b": 2, "c": 3},)),
    Case("prefixItems: items false", {"type": "array", "prefixItems": [_INTEGER, _STRING], "items": False,
                                      "minItems": 2}, ([1, "a"],), ([1], [1, "a", 2])),
    Case("maxLength: 4,000", {**_STRING, "maxLength": 4_000}, ("ab", "x" * 4_000), ("x" * 4_001,)),
    Case("maxLength: escapes", {**_STRING, "maxLength": 2}, ('"\\u00e9\\n"', '"\\"\\\\"'), ('"\\u00e9\\n\\n"',)),
    Case("maxLength: surrogate pair escaped", {**_STRING, "maxLength": 1}, ('"\\ud835\\udcb3"',), ('"ab"',)),
    Case("pattern", {**_STRING, "pattern": "^[a-z]{2,4}$"}, ("ab", "abcd"), ("a", "abcde", "AB")),
    Case("pattern", {**_STRING, "pattern": r"^[0-9]{3}-(x|yz)+\.?[^\"]*$"}, ("123-x", "123-xyz.a"), ("12-x", "123-")),
    Case("pattern: digit class", {**_STRING, "pattern": r"^\d+$"}, ("123",), ("a", "")),
    Case("pattern: group of no capture", {**_STRING, "pattern": "^(?:x|y)+$"}, ("x", "yx"), ("a", "")),
    Case("pattern: escaped sign", {**_STRING, "pattern": r"^a\.b\/c\-d$"}, ("a.b/c-d",), ("a_b/c-d",)),
    Case("pattern: letters beyond ASCII", {**_STRING, "pattern": "^[à-ü]+é$"}, ("àé",), ("a",)),
    Case("pattern: empty", {**_STRING, "pattern": "^$"}, ("",), ("a",)),
    Case("pattern: unanchored", {**_STRING, "pattern": "abc"}, ("abc", "xabcx"), ("ab",)),
    Case("pattern: start alone", {**_STRING, "pattern": "^abc"}, ("abc", "abcx"), ("xabc",)),
    Case("pattern: end alone", {**_STRING, "pattern": "abc$"}, ("abc", "xabc"), ("abcx",)),
    Case("pattern: alternatives", {**_STRING, "pattern": "^a$|^b$"}, ("a", "b"), ("ab", "c")),
    Case("pattern: half anchored", {**_STRING, "pattern": "^a|b$"}, ("ax", "xb"), ("xa", "bx")),
    Case("pattern: look-ahead", {**_STRING, "pattern": "^(?=a)[a-z]+$"}, ("ab",), ("ba",)),
    Case("pattern: negative look-ahead", {**_STRING, "pattern": "^(?!a)[a-z]+$"}, ("ba",), ("ab",)),
    Case("pattern: look-behind", {**_STRING, "pattern": "^[a-z]+(?<=b)$"}, ("ab",), ("ba",)),
    Case("pattern: back reference", {**_STRING, "pattern": r"^(a|b)\1$"}, ("aa", "bb"), ("ab",)),
    Case("pattern: word boundary", {**_STRING, "pattern": r"^\bab\b$"}, ("ab",), ("a",)),
    Case("pattern: dot, no character escaped", {**_STRING, "pattern": "^.$"}, ("a", "é", "𝒳"), ("ab",)),
    Case("pattern: negated class, no character escaped", {**_STRING, "pattern": "^[^a]$"}, ("b", "é"), ("a",)),
    Case("pattern: space class", {**_STRING, "pattern": r"^\s$"}, (" ", "\t"), ("a",)),
    Case("pattern: count 100", {**_STRING, "pattern": "^[a-z]{0,100}$"}, ("", "a" * 100), ("a" * 101,)),
    Case("pattern: two counts of 100", {**_STRING, "pattern": "^[a-z]{0,100}-[a-z]{0,100}$"}, ("-", "a-" + "a" * 100),
         ("a" * 101 + "-",)),
    Case("pattern: lazy", {**_STRING, "pattern": "^a+?b$"}, ("ab", "aab"), ("b",)),
    Case("pattern: named group", {**_STRING, "pattern": "^(?<n>a)$"}, ("a",), ("b",)),
    Case("pattern: letter class", {**_STRING, "pattern": r"^\p{Lu}+$"}, ("A", "É"), ("a", "1")),
    Case("pattern: \\w of ASCII", {**_STRING, "pattern": r"^\w+$"}, ("aZ_9",), ("-", "")),
    Case("pattern: \\w of é", {**_STRING, "pattern": r"^\W$"}, ("é",), ("a",)),
    Case("pattern: \\d of ٣", {**_STRING, "pattern": r"^\D$"}, ("٣",), ("3",)),
    Case("pattern: dot", {**_STRING, "pattern": "^.$"}, ("a", "é", "𝒳", '"'), ("\n", "ab")),
    Case("pattern: negated class", {**_STRING, "pattern": "^[^a]$"}, ("b", "é", "\n", '"', "\\"), ("a",)),
    Case("pattern: escaped in text", {**_STRING, "pattern": "^é$"}, ("é", '"\\u00e9"'), ("e",)),
    Case("pattern: flags", {**_STRING, "pattern": "^(?i:a)$"}, ("a", "A"), ("b",)),
    Case("pattern: count 1,000", {**_STRING, "pattern": "^a{0,1000}$"}, ("", "a" * 1_000), ("a" * 1_001,)),
    Case("pattern: count 20,000", {**_STRING, "pattern": "^a{0,20000}$"}, ("", "a" * 20_000), ("a" * 20_001,)),
    Case("beside length: pattern", {**_STRING, "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 3}, ("ab", "abc"),
         ("a", "abcd", "AB")),
    Case("beside length: format", {**_STRING, "format": "email", "maxLength": 6}, ("a@b.co",), ("aaaa@b.co",)),
    Case("pattern: beside format", {**_STRING, "format": "date", "pattern": "^2024"}, (_DAY,), ("2023-01-01",)),
    Case("minItems", {**_INTEGERS, "minItems": 1}, ([1], [1, 2]), ([],)),
    Case("minItems", {**_INTEGERS, "minItems": 3}, ([1, 2, 3],), ([], [1, 2])),
    Case("maxItems", {**_INTEGERS, "maxItems": 2}, ([], [1, 2]), ([1, 2, 3],)),
    Case("maxItems", {**_INTEGERS, "maxItems": 0}, ([],), ([1],)),
    Case("uniqueItems", {**_INTEGERS, "uniqueItems": True}, ([], [1, 2]), ([1, 1],)),
    Case("prefixItems", {"type": "array", "prefixItems": [_INTEGER, _STRING], "minItems": 2, "maxItems": 2},
         ([1, "a"],), ([1], ["a", 1], [1, "a", 2])),
    Case("prefixItems", {"type": "array", "prefixItems": [_STRING], "items": _INTEGER, "minItems": 1},
         (["a"], ["a", 1, 2]), ([1], ["a", "b"])),
    Case("contains", {"type": "array", "items": _INTEGER, "contains": {"const": 3}}, ([3], [1, 3]), ([], [1])),
    Case("minContains", {"type": "array", "items": _INTEGER, "contains": {"const": 3}, "minContains": 2}, ([3, 3],),
         ([3],)),
    Case("maxContains", {"type": "array", "items": _INTEGER, "contains": {"const": 3}, "maxContains": 1}, ([3],),
         ([3, 3],)),
    Case("patternProperties", {"type": "object", "patternProperties": {"^x_": _INTEGER}, "additionalProperties": False},
         ({}, {"x_a": 1}), ({"x_a": "1"}, {"y": 1})),
    Case("patternProperties: beside properties", {"type": "object", "properties": {"a": _STRING}, "required": ["a"],
                               "patternProperties": {"^x_": _INTEGER}, "additionalProperties": False},
         ({"a": "s"}, {"a": "s", "x_a": 1}), ({"a": 1}, {"a": "s", "x_a": "1"}, {"a": "s", "y": 1})),
    Case("propertyNames",
         {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": _INTEGER},
         ({}, {"ab": 1}), ({"A": 1},)),
    Case("minProperties", {"type": "object", "additionalProperties": _INTEGER, "minProperties": 1}, ({"a": 1},), ({},)),
    Case("minProperties", {**_closed([], a=_INTEGER, b=_INTEGER), "minProperties": 1}, ({"a": 1}, {"b": 1}), ({},)),
    Case("maxProperties", {"type": "object", "additionalProperties": _INTEGER, "maxProperties": 1}, ({}, {"a": 1}),
         ({"a": 1, "b": 2},)),
    Case("maxProperties", {**_closed([], a=_INTEGER, b=_INTEGER), "maxProperties": 1}, ({}, {"a": 1}, {"b": 1}),
         ({"a": 1, "b": 2},)),
    Case("unevaluatedProperties", {"type": "object", "properties": {"a": _INTEGER}, "required": ["a"],
                                   "unevaluatedProperties": False}, ({"a": 1},), ({"a": 1, "b": 2},)),
    Case("unevaluatedItems", {"type": "array", "prefixItems": [_INTEGER], "minItems": 1, "unevaluatedItems": False},
         ([1],), ([1, 2],)),
    Case("title", {"title": "t", **_closed(a={**_INTEGER, "title": "A"})}, ({"a": 1},), ({"a": "1"},)),
    Case("description", {"description": "d", **_closed(a={**_INTEGER, "description": "A"})}, ({"a": 1},),
         ({"a": "1"},)),
    Case("default", _closed([], a={**_INTEGER, "default": 3}), ({}, {"a": 1}), ({"a": "1"},)),
    Case("examples", _closed(a={**_INTEGER, "examples": [3]}), ({"a": 1},), ({"a": "1"},)),
    Case("discriminator", {"anyOf": [_CAT, _DOG], "discriminator": {"propertyName": "kind"}},
         ({"kind": "cat", "lives": 9},), ({"kind": "cow"},)),
    Case("key order: another", _closed(a=_INTEGER, b=_INTEGER), ({"b": 1, "a": 2},), ({"a": 1},)),
    Case("key order: required not first", _closed(["b"], a=_INTEGER, b=_INTEGER), ({"a": 1, "b": 2},), ({"a": 1},)),
    Case("key order: required first", _closed(["b"], a=_INTEGER, b=_INTEGER), ({"b": 2, "a": 1},), ({"a": 1},)),
    Case("key order: const not first", {"anyOf": [_closed(n=_INTEGER, k={"const": "a"}),
                                                  _closed(n=_INTEGER, k={"const": "b"})]},
         ({"n": 1, "k": "a"}, {"n": 1, "k": "b"}), ({"n": 1, "k": "c"},)),
    Case("layout: indented", _closed(a=_INTEGERS), ('{\n  "a": [\n    1,\n    2\n  ]\n}',), ('{"a": [1,]}',)),
    Case("layout: compact", _closed(a=_INTEGERS), ('{"a":[1,2]}',), ('{"a":[1,]}',)),
    *(
        Case(f"format: {name}", {**_STRING, "format": name}, good, bad)
        for name, good, bad in (
            ("date-time", ("2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5+01:00"), (_DAY, _NO_DAY)),
            ("time", ("10:00:00Z", "10:00:00.25+01:00"), ("10", _NO_DAY)),
            ("date", (_DAY,), ("2024-13-01", _NO_DAY)),
            ("duration", ("P1D", "PT1H30M", "P2W"), ("1 day", "P")),
            ("email", ("ada@example.org",), ("ada", "@example.org")),
            ("idn-email", ("ада@example.org",), ("ada",)),
            ("hostname", ("example.org", "a-b.example"), ("-a-", "a b")),
            ("idn-hostname", ("пример.example",), ("a b",)),
            ("ipv4", ("127.0.0.1",), ("256.0.0.1", "1.2.3")),
            ("ipv6", ("::1", "2001:db8::ff00:42:8329"), ("12345::", "x")),
            ("uri", ("https://example.org/a?b#c", "urn:isbn:1"), ("a b", "//x")),
            ("uri-reference", ("/a?b", "https://example.org"), ("a b",)),
            ("iri", ("https://пример.example/",), ("a b",)),
            ("iri-reference", ("/é",), ("a b",)),
            ("uuid", ("123e4567-e89b-12d3-a456-426614174000",), ("123e4567", "")),
            ("uri-template", ("/a/{b}",), ("{",)),
            ("json-pointer", ("", "/a/0"), ("a",)),
            ("relative-json-pointer", ("0/a",), ("/a",)),
            ("regex", ("^a$",), ("(",)),
        )
    ),
)  # fmt: skip
CASES_FORMATS = frozenset(case.row.removeprefix("format: ") for case in CASES if case.row.startswith("format: "))
"""Formats that are probed."""
SPELLINGS = (
    "number bounds: exponent", "type: exponent", "type: long number", "type: long integer",
    "type: integer with fraction", "maxLength: escapes", "maxLength: surrogate pair escaped",
    "pattern: escaped in text",
)  # fmt: skip
"""Rows that ask for one spelling of a value: an engine that wants another one loses no value, but for long numbers."""
UNSAID = ("open object: unsaid", "any: true", "$defs: escaped name", "recursion: to the root", "const: list or object",
          "prefixItems: items false", "$ref siblings: description")  # fmt: skip
"""Rows of forms that the compiler never writes, or writes otherwise."""
_AS_WRITTEN = (*SPELLINGS[:5], "layout: indented", "layout: compact")
"""Rows whose texts are JSON already; in other rows only a string that begins and ends with a quote is."""

Acceptor = Callable[[str], bool]


def text_of(row: str, value: Any) -> str:
    """Return the JSON text that an engine is to judge."""
    if isinstance(value, str) and (row in _AS_WRITTEN or (len(value) > 1 and value[0] == value[-1] == '"')):
        return value
    return json.dumps(value, ensure_ascii=False)


def llguidance(_source: str | None) -> tuple[str, Callable[[Mapping[str, Any]], Acceptor]]:
    """Return the engine that the profile ``llama.cpp/llguidance`` speaks of."""
    guidance: Any = importlib.import_module("llguidance")

    def compiled(schema: Mapping[str, Any]) -> Acceptor:
        try:
            return _guided(guidance, guidance.LLMatcher.grammar_from_json_schema(json.dumps(schema)))
        except ValueError as cause:
            raise Refused(str(cause)) from cause

    return f"llguidance {version('llguidance')}", compiled


def gbnf(source: str | None) -> tuple[str, Callable[[Mapping[str, Any]], Acceptor]]:
    """Return llama.cpp's own converter and its own reader of grammars, built from the source that is given."""
    if source is None:
        raise SystemExit("gbnf needs --source: the unpacked source of llama-cpp-python, which holds llama.cpp's")
    program = _built(Path(source))

    def compiled(schema: Mapping[str, Any]) -> Acceptor:
        running = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert running.stdin is not None
        assert running.stdout is not None
        sent, answered = running.stdin, running.stdout
        weakref.finalize(sent, running.kill)

        def asked(line: bytes) -> bytes:
            sent.write(line + b"\n")
            sent.flush()
            return answered.readline().strip()

        said = asked(json.dumps(schema).encode())
        if said != b"taken":
            running.wait(BUILD_S)
            raise Refused((said + b" " + answered.read()).decode().strip())
        return lambda text: asked(text.encode().hex().encode()) == b"1"

    return f"llama.cpp as in {Path(source).resolve().name}", compiled


def _built(source: Path) -> str:
    folder = Path(tempfile.mkdtemp(prefix="dialects_probe_"))
    atexit.register(shutil.rmtree, folder)
    tree = source / "vendor" / "llama.cpp"
    if not tree.is_dir():
        raise SystemExit(f"there is no vendor/llama.cpp under {source.name}")
    (folder / "judge.cpp").write_text(_JUDGE, "utf-8")
    parts = [str(tree / part) for part in _PARTS]
    folders = [f"-I{tree / name}" for name in ("common", "include", "ggml/include", "vendor", "src")]
    built = folder / "judge"
    subprocess.run(
        ["g++", "-std=c++17", "-O1", *folders, str(folder / "judge.cpp"), *parts, "-o", str(built)],
        check=True,
        timeout=BUILD_S,
    )
    return str(built)


_PARTS = (
    "common/json-schema-to-grammar.cpp", "common/json-schema.cpp", "common/json.cpp", "common/trie.cpp",
    "common/unicode.cpp", "src/llama-grammar.cpp", "src/unicode.cpp", "src/unicode-data.cpp",
)  # fmt: skip
"""Files of llama.cpp that make a grammar of a schema and read it; all they need besides stands in ``_JUDGE``."""

_JUDGE = r"""
#include "json-schema-to-grammar.h"
#include "json.h"
#include "llama-grammar.h"
#include "llama-impl.h"
#include "llama-vocab.h"
#include "../src/unicode.h" // common/ has a unicode.h of its own
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

// What the parts call elsewhere in llama.cpp. Of a vocabulary nothing is asked: texts are judged by code points.
extern "C" [[noreturn]] void ggml_abort(const char *, int, const char *, ...) { std::abort(); }
void llama_log_internal(ggml_log_level, const char *, ...) {}
bool llama_vocab::is_eog(llama_token) const { std::abort(); }
const std::string & llama_vocab::token_to_piece(llama_token) const { std::abort(); }
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const { std::abort(); }
std::string string_repeat(const std::string & text, size_t times) {
    std::string made;
    while (times--) made += text;
    return made;
}
std::string string_join(const std::vector<std::string> & parts, const std::string & between) {
    std::string made;
    for (size_t i = 0; i < parts.size(); i++) made += (i ? between : "") + parts[i];
    return made;
}
std::vector<std::string> string_split(const std::string & text, const std::string & at) {
    std::vector<std::string> parts;
    size_t from = 0, to;
    while ((to = text.find(at, from)) != std::string::npos) {
        parts.push_back(text.substr(from, to - from));
        from = to + at.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

static bool judged(const std::string & grammar, const std::string & text) {
    llama_grammar * reader = llama_grammar_init_impl(nullptr, grammar.c_str(), "root", false, nullptr, 0, nullptr, 0);
    bool alive = true, done = false;
    for (auto point : unicode_cpts_from_utf8(text)) {
        llama_grammar_accept(reader, point);
        if (!(alive = !llama_grammar_get_stacks(reader).empty())) break;
    }
    if (alive) for (const auto & stack : llama_grammar_get_stacks(reader)) done = done || stack.empty();
    llama_grammar_free_impl(reader);
    return done;
}

int main() {
    std::string line, grammar;
    std::getline(std::cin, line);
    try { grammar = json_schema_to_grammar(common_json::parse(line), true); }
    catch (const std::exception & failure) { std::cout << failure.what() << std::endl; return 1; }
    llama_grammar * reader = llama_grammar_init_impl(nullptr, grammar.c_str(), "root", false, nullptr, 0, nullptr, 0);
    if (!reader) { std::cout << "llama.cpp cannot read its own grammar" << std::endl; return 1; }
    llama_grammar_free_impl(reader);
    std::cout << "taken" << std::endl;
    while (std::getline(std::cin, line)) {
        std::string text;
        for (size_t i = 0; i + 1 < line.size(); i += 2) text += char(std::stoi(line.substr(i, 2), nullptr, 16));
        std::cout << (judged(grammar, text) ? 1 : 0) << std::endl;
    }
}
"""


def xgrammar(_source: str | None) -> tuple[str, Callable[[Mapping[str, Any]], Acceptor]]:
    """Return the engine that vLLM uses unless told otherwise."""
    engine: Any = importlib.import_module("xgrammar")
    stop = 256
    vocabulary = engine.TokenizerInfo(
        [*(bytes([byte]) for byte in range(256)), b"<stop>"], engine.VocabType.RAW, stop_token_ids=[stop]
    )
    compiler = engine.GrammarCompiler(vocabulary, max_threads=1)

    def compiled(schema: Mapping[str, Any]) -> Acceptor:
        try:
            grammar = compiler.compile_json_schema(json.dumps(schema))
        except RuntimeError as cause:
            raise Refused(str(cause)) from cause

        def accepts(text: str) -> bool:
            matcher = engine.GrammarMatcher(grammar)
            return bool(matcher.accept_string(text) and matcher.accept_token(stop))

        return accepts

    return f"xgrammar {version('xgrammar')}", compiled


ENGINES = {"llguidance": llguidance, "gbnf": gbnf, "xgrammar": xgrammar}


def _guided(guidance: Any, grammar: str) -> Acceptor:
    tokens = guidance.LLTokenizer("byte")
    bad, messages = guidance.LLMatcher.validate_grammar_with_warnings(grammar, tokens)
    if bad:
        raise Refused(messages[0])

    def accepts(text: str) -> bool:
        matcher = guidance.LLMatcher(tokens, grammar, log_level=0)
        written = tokens.tokenize_bytes(text.encode())
        return bool(matcher.try_consume_tokens(written) == len(written) and matcher.is_accepting())

    return accepts


def measured(compiled: Callable[[Mapping[str, Any]], Acceptor]) -> list[tuple[Case, Verdict]]:
    """Return what an engine does with each case."""
    return [(case, _verdict(case, compiled)) for case in CASES]


def by_row(verdicts: Iterable[tuple[Case, Verdict]]) -> dict[str, Verdict]:
    """Return the worst verdict of each row."""
    worst: dict[str, Verdict] = {}
    for case, fresh in verdicts:
        if case.row not in worst or _WORST.index(fresh.support) > _WORST.index(worst[case.row].support):
            worst[case.row] = fresh
    return worst


_WORST = (Support.ENFORCED, Support.IGNORED, Support.REFUSED)


def _verdict(case: Case, compiled: Callable[[Mapping[str, Any]], Acceptor]) -> Verdict:
    try:
        accepts = compiled(case.schema)
    except Refused as refusal:
        return Verdict(Support.REFUSED, " ".join(str(refusal).split())[:100])
    shut_out = [text for value in case.good if not accepts(text := text_of(case.row, value))]
    if shut_out:
        return Verdict(Support.REFUSED, f"does not let through {shut_out[0][:60]}")
    let_in = [text for value in case.bad if accepts(text := text_of(case.row, value))]
    if let_in:
        return Verdict(Support.IGNORED, f"lets through {let_in[0][:60]}")
    return Verdict(Support.ENFORCED, "")


def overpromised(profile: Profile, verdicts: Iterable[tuple[Case, Verdict]]) -> Iterator[str]:
    """Yield each case that a profile says is kept and was not, or is accepted and was refused."""
    for case, verdict in verdicts:
        said = promise(profile, case)
        if said is Support.ENFORCED and verdict.support is not Support.ENFORCED:
            yield f"{case.row}: the profile says enforced, measured {verdict.support.value}: {verdict.note}"
        elif said is Support.IGNORED and verdict.support is Support.REFUSED:
            yield f"{case.row}: the profile says ignored, measured refused: {verdict.note}"


def promise(profile: Profile, case: Case) -> Support:
    """Return what a profile says of a case: the worst of what it says of the keywords and forms that are in it."""
    keyword, _, _ = case.row.partition(": ")
    if case.row in SPELLINGS or keyword in ("key order", "layout") or case.row in UNSAID:
        return Support.UNKNOWN
    schema, kind = case.schema, case.schema.get("type")
    if profile.no_empty_names and "" in schema.get("properties", ()):
        return Support.UNKNOWN
    named, required = schema.get("properties", {}).keys(), schema.get("required", ())
    if keyword in ("minProperties", "maxProperties") and profile.required_counted_only and named - {*required}:
        return Support.UNKNOWN
    if keyword in ANNOTATIONS:
        return profile.support(keyword)
    words = [word for word in schema if word in _SCALAR] if kind in ("string", "integer", "number", "array") else []
    said = [profile.support(keyword), *map(profile.support, words)] if keyword in profile.cells else []
    if not all(_is_sent(profile, schema, word) for word in words):
        return Support.UNKNOWN
    said = said or list(map(profile.support, words)) or [Support.UNKNOWN]
    return max(said, key=(*_WORST, Support.UNKNOWN).index)


_SCALAR = (
    "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems",
)  # fmt: skip


def _is_sent(profile: Profile, schema: Mapping[str, Any], word: str) -> bool:
    has_shape = "format" in schema or ("pattern" in schema and word != "pattern")
    if has_shape and word in ("pattern", "minLength", "maxLength"):
        return word != "pattern" and profile.patterns.beside_length and profile.holds(word, schema[word], "string")
    return profile.holds(word, schema[word], schema["type"])


def main(argv: list[str]) -> int:
    """Print the table of one engine; with ``--target``, what the profile promises beyond it."""
    arguments = argparse.ArgumentParser(prog="bench.dialects_probe", description=main.__doc__)
    arguments.add_argument("engine", choices=sorted(ENGINES))
    arguments.add_argument("--source", help="for gbnf: the unpacked source distribution of llama-cpp-python")
    arguments.add_argument("--target", help="compare with the profile of this target")
    told = arguments.parse_args(argv)
    name, compiled = ENGINES[told.engine](told.source)
    verdicts = measured(compiled)
    rows = by_row(verdicts)
    print(f"{datetime.now(UTC):%Y-%m-%d}; {name}; Python {platform.python_version()}; {len(CASES)} cases\n")
    print("| row | measured | note |\n|---|---|---|")
    for row, verdict in rows.items():
        print(f"| {row} | {verdict.support.value} | {verdict.note.replace('|', chr(92) + '|')} |")
    wrong = list(overpromised(dialect_of(told.target).profile, verdicts)) if told.target else []
    print("".join(f"\n{line}" for line in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
