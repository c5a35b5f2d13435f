"""What Anthropic's structured outputs keep: JSON output and strict tools share one compiler.

Neither was sent a request by us. The firmest sources are the vendor's guide and the texts of its 400 answers.
"""

from __future__ import annotations

from pratique.dialects.profile import Bounds, Cell, Known, Patterns, Profile, Support, cells

__all__ = ["BOUNDS", "CELLS", "FORMATS", "PATTERNS", "structured"]

READ_ON = "2026-11-21"
MODELS = "Claude models that report the capability structured_outputs"

_GUIDE = "structured-outputs guide, 2026-07"
_SDK = "anthropic 2.12.0, transform_schema"
_REFUSALS = "400 texts quoted in litellm 1.109.1"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_DOCUMENTED, _UNVERIFIED = Known.DOCUMENTED, Known.UNVERIFIED

CELLS: dict[str, Cell] = {
    **cells(("type", "properties", "items", "$defs", "$ref"), _ENFORCED, _DOCUMENTED, _GUIDE),
    **cells(("required",), _ENFORCED, _DOCUMENTED, _GUIDE, "required keys are written first"),
    **cells(("optional",), _ENFORCED, _DOCUMENTED, _GUIDE, "at most 24 in a request"),
    **cells(("additionalProperties",), _ENFORCED, _DOCUMENTED, _GUIDE, "must stand on every object"),
    **cells(
        ("enum string", "const"), _ENFORCED, _DOCUMENTED, _GUIDE,
        "primitives only; the letter case of what comes back is not promised (the boundary restores it)",
    ),
    **cells(("enum number", "enum boolean", "enum null"), _ENFORCED, _DOCUMENTED, _GUIDE, "primitives only"),
    **cells(("anyOf", "type list"), _ENFORCED, _DOCUMENTED, _GUIDE, "at most 16 unions in a request"),
    **cells(("allOf",), _ENFORCED, _DOCUMENTED, _GUIDE, "not beside or around a $ref"),
    **cells(("pattern",), _ENFORCED, _DOCUMENTED, _GUIDE, "the SDK's own helper drops it all the same"),
    **cells(("format",), _ENFORCED, _DOCUMENTED, _GUIDE, "ten formats; another one is a 400"),
    **cells(("minItems",), _ENFORCED, _DOCUMENTED, _GUIDE, "0 or 1; more is a 400"),
    **cells(("title", "description"), _IGNORED, _DOCUMENTED, _GUIDE),
    **cells(("default",), _IGNORED, _DOCUMENTED, _GUIDE, "the SDK moves it into the description"),
    **cells(("discriminator",), _IGNORED, _UNVERIFIED, _REFUSALS, "unknown keywords are ignored, litellm says"),
    **cells(("examples",), _IGNORED, _UNVERIFIED, _REFUSALS, "unknown keywords are ignored, litellm says"),
    **cells(("oneOf",), _REFUSED, _DOCUMENTED, _REFUSALS, "Schema type 'oneOf' is not supported"),
    **cells(
        (
            "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
            "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "patternProperties", "propertyNames",
            "minProperties", "maxProperties",
        ),
        _REFUSED, _DOCUMENTED, _GUIDE,
    ),
    **cells(
        ("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "prefixItems"),
        _REFUSED, _DOCUMENTED, _SDK, "the helper cannot send it",
    ),
    **cells(
        ("unevaluatedProperties", "unevaluatedItems"), _UNKNOWN, _UNVERIFIED, _REFUSALS,
        "no source names it; unknown keywords are ignored, litellm says",
    ),
    **cells(("map", "open object"), _REFUSED, _DOCUMENTED, _GUIDE, "additionalProperties has to be false"),
    **cells(("any",), _REFUSED, _DOCUMENTED, _SDK, "the helper raises ValueError on a schema that says nothing"),
    **cells(("recursion",), _REFUSED, _DOCUMENTED, _GUIDE),
    **cells(("$ref siblings",), _REFUSED, _DOCUMENTED, _SDK, "the helper drops what stands beside a $ref"),
    **cells(("root union",), _UNKNOWN, _UNVERIFIED, _GUIDE, "the root is an object or a $ref to one in every example"),
}  # fmt: skip

FORMATS = frozenset({
    "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
})  # fmt: skip

PATTERNS = Patterns(beside_length=False, max_repeat=100)
"""The guide says that large counts are refused and not how large: 100 is our own bound, on the safe side."""

BOUNDS = Bounds(max_optional=24, max_unions=16, max_strict_tools=20)
"""Over all strict schemas of a request, counted without following a $ref. A grammar can be too large all the same."""


def structured(endpoint: str) -> Profile:
    """Return the profile of one endpoint that has structured outputs."""
    return Profile(
        endpoint=endpoint,
        models=MODELS,
        read_on=READ_ON,
        cells=CELLS,
        formats=FORMATS,
        patterns=PATTERNS,
        bounds=BOUNDS,
        root_object=True,
        closed_objects=True,
        loose_case=True,
        required_first=True,
        max_min_items=1,
    )
