"""llama.cpp built with llguidance: what it cannot hold it refuses, and never ignores."""

from __future__ import annotations

from pratique.dialects.dialect import Dialect
from pratique.dialects.profile import Cell, Known, Patterns, Profile, Support, cells
from pratique.dialects.tables import llama_cpp

__all__ = ["DIALECT"]

_PROBE = "bench.dialects_probe, llguidance 1.9.1, 2026-11-22"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_MEASURED = Known.MEASURED

_CELLS: dict[str, Cell] = {
    **cells(
        (
            "properties", "required", "optional", "additionalProperties", "open object", "map", "items", "enum string",
            "enum boolean", "enum null", "const", "anyOf", "root union", "allOf", "$ref", "$defs", "$ref siblings",
            "recursion", "type list", "any", "pattern", "minItems", "maxItems", "prefixItems", "patternProperties",
        ),
        _ENFORCED, _MEASURED, _PROBE,
    ),
    **cells(
        ("minProperties", "maxProperties"), _ENFORCED, _MEASURED, _PROBE,
        "where every named property is required; else it does not compile",
    ),
    **cells(("type",), _ENFORCED, _MEASURED, _PROBE, "1.0 is no integer here"),
    **cells(("enum number",), _ENFORCED, _MEASURED, _PROBE, "in the spelling of the schema: 2 is not 2.0"),
    **cells(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _ENFORCED, _MEASURED, _PROBE,
        "integers and numbers, up to 10 to the 18; a bounded number has no exponent",
    ),
    **cells(
        ("multipleOf",), _ENFORCED, _MEASURED, _PROBE,
        "integers up to 10 to the 8, above too narrow; 0.5 is kept too, but 0.07 does not compile",
    ),
    **cells(
        ("minLength", "maxLength"), _ENFORCED, _MEASURED, _PROBE,
        "code points, also beside a pattern or a format; no \\u escape inside",
    ),
    **cells(("format",), _ENFORCED, _MEASURED, _PROBE, "ten formats; another one does not compile"),
    **cells(("title", "description", "default", "examples", "discriminator"), _IGNORED, _MEASURED, _PROBE),
    **cells(("oneOf",), _REFUSED, _MEASURED, _PROBE, "does not compile unless it is told to read it as anyOf"),
    **cells(
        (
            "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "uniqueItems", "contains",
            "minContains", "maxContains", "propertyNames", "unevaluatedProperties", "unevaluatedItems",
        ),
        _REFUSED, _MEASURED, _PROBE, "does not compile",
    ),
}  # fmt: skip

DIALECT = Dialect(
    target="llama.cpp/llguidance",
    profile=Profile(
        endpoint="llama.cpp's server built with llguidance, response_format json_schema",
        models="any",
        read_on="2026-11-22",
        cells=_CELLS,
        formats=frozenset({
            "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
        }),
        patterns=Patterns(lazy=True, named_groups=True, letter_classes=True, flags=True),
        integer_multiples_only=True,
        required_counted_only=True,
        max_bound=10**18,
        max_multiple=10**8,
    ),
    schema_request=llama_cpp.schema_request,
    tool=llama_cpp.tool,
    tool_request=llama_cpp.tool_request,
)  # fmt: skip
