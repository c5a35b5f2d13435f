"""llama.cpp's own grammars: its converter of JSON Schema, also under Ollama.

What the converter does not know it skips, with a line in the server's log at most: only what was seen to hold is sent.
"""

from __future__ import annotations

from pratique.dialects.dialect import Dialect
from pratique.dialects.profile import Cell, Known, Patterns, Profile, Support, cells
from pratique.dialects.tables import llama_cpp

__all__ = ["DIALECT"]

_PROBE = "bench.dialects_probe, llama.cpp as in llama-cpp-python 0.3.36, 2026-11-22"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_MEASURED = Known.MEASURED

_CELLS: dict[str, Cell] = {
    **cells(
        (
            "additionalProperties", "map", "items", "enum string", "enum boolean", "enum null", "const",
            "root union", "$defs", "type list",
        ),
        _ENFORCED, _MEASURED, _PROBE,
    ),
    **cells(("properties",), _ENFORCED, _MEASURED, _PROBE, "but for a property whose name is empty"),
    **cells(("type",), _ENFORCED, _MEASURED, _PROBE, "numbers have at most 16 digits before and after the point"),
    **cells(("required", "optional"), _ENFORCED, _MEASURED, _PROBE, "required keys are written first"),
    **cells(("open object",), _ENFORCED, _MEASURED, _PROBE, "only if it says true; absent is read as false"),
    **cells(("any",), _ENFORCED, _MEASURED, _PROBE, "{} only; true is refused"),
    **cells(("enum number",), _ENFORCED, _MEASURED, _PROBE, "in the spelling of the schema: 2 is not 2.0"),
    **cells(("anyOf",), _ENFORCED, _MEASURED, _PROBE, "not beside properties, its README says"),
    **cells(("$ref",), _ENFORCED, _MEASURED, _PROBE, "#/$defs/NAME, plain names; the README calls nested ones broken"),
    **cells(("recursion",), _ENFORCED, _MEASURED, _PROBE, "through $defs; a $ref to # is refused"),
    **cells(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _ENFORCED, _MEASURED, _PROBE,
        "integers up to 10 to the 18; ignored for numbers",
    ),
    **cells(("minLength", "maxLength"), _ENFORCED, _MEASURED, _PROBE, "up to 2,000; above, ignored or refused"),
    **cells(("minItems", "maxItems"), _ENFORCED, _MEASURED, _PROBE, "up to 1,999; above, ignored or refused"),
    **cells(
        ("pattern",), _ENFORCED, _MEASURED, _PROBE,
        "^…$ of a small part of the language; with anything else the whole pattern is ignored",
    ),
    **cells(
        ("format",), _ENFORCED, _MEASURED, _PROBE,
        "date and uuid; a time has three decimals of a second or none, which is too narrow; others are ignored",
    ),
    **cells(("title", "description", "default", "examples", "discriminator"), _IGNORED, _MEASURED, _PROBE),
    **cells(("oneOf",), _IGNORED, _MEASURED, _PROBE, "read as anyOf"),
    **cells(("allOf",), _REFUSED, _MEASURED, _PROBE, "branches are merged wrongly: too narrow"),
    **cells(("prefixItems",), _REFUSED, _MEASURED, _PROBE, "a correct list is not let through"),
    **cells(("patternProperties",), _REFUSED, _MEASURED, _PROBE, "a correct object is not let through"),
    **cells(("$ref siblings",), _IGNORED, _MEASURED, _PROBE, "what stands beside a $ref is skipped"),
    **cells(
        (
            "multipleOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "uniqueItems",
            "contains", "minContains", "maxContains", "propertyNames", "minProperties", "maxProperties",
        ),
        _IGNORED, _MEASURED, _PROBE, "skipped",
    ),
    **cells(
        ("unevaluatedProperties", "unevaluatedItems"), _UNKNOWN, _MEASURED, _PROBE,
        "the probe's texts were judged rightly, because objects and tuples are closed in any case",
    ),
}  # fmt: skip

DIALECT = Dialect(
    target="llama.cpp/gbnf",
    profile=Profile(
        endpoint="llama.cpp's server, response_format json_schema, its own grammars",
        models="any",
        read_on="2026-11-22",
        cells=_CELLS,
        formats=frozenset({"date", "uuid"}),
        patterns=Patterns(
            unanchored=False,
            max_repeat=1_999,
            beside_length=False,
            escaped=False,
            escapes=frozenset("^$.[]()|{}*+?"),
        ),
        required_first=True,
        integer_bounds_only=True,
        integer_multiples_only=True,
        no_empty_names=True,
        max_count=1_999,
        max_bound=10**18,
    ),
    schema_request=llama_cpp.schema_request,
    tool=llama_cpp.tool,
    tool_request=llama_cpp.tool_request,
)
