"""What OpenAI's strict mode keeps: chat completions and responses share one compiler.

Neither was sent a request by us. The firmest sources are the vendor's guide and what others probed live.
"""

from __future__ import annotations

from pratique.dialects.profile import Bounds, Cell, Known, Patterns, Profile, Support, cells

__all__ = ["strict"]

READ_ON = "2026-11-21"
MODELS = "models with structured outputs at the vendor's own endpoint; not fine-tuned ones, not Azure's"

_GUIDE = "structured-outputs guide, 2026"
_CLIENT = "pydantic-ai 2.68.0, OpenAI profile"
_PROBED = "pydantic-ai PR 7400, live probe, 2026-08"
_ENFORCED, _IGNORED, _REFUSED, _UNKNOWN = Support
_MEASURED, _DOCUMENTED, _UNVERIFIED = Known

CELLS: dict[str, Cell] = {
    **cells(("type", "properties", "items", "$defs", "recursion", "type list"), _ENFORCED, _DOCUMENTED, _GUIDE),
    **cells(("$ref",), _ENFORCED, _DOCUMENTED, _GUIDE, "# and #/$defs/NAME only"),
    **cells(("required",), _ENFORCED, _DOCUMENTED, _GUIDE, "has to name every property"),
    **cells(("additionalProperties",), _ENFORCED, _DOCUMENTED, _GUIDE, "must stand on every object"),
    **cells(("enum string", "enum number", "const"), _ENFORCED, _DOCUMENTED, _GUIDE, "at most 1,000 values in all"),
    **cells(("enum boolean",), _ENFORCED, _UNVERIFIED, _GUIDE, "the guide shows strings and numbers; needs its type"),
    **cells(
        ("enum null",), _UNKNOWN, _UNVERIFIED, _GUIDE,
        "a null beside other values is not shown; a branch of type null is",
    ),
    **cells(
        ("anyOf",), _ENFORCED, _DOCUMENTED, _GUIDE,
        "not at the root; two objects of one anyOf may not begin with the same key (openai-python issue 2193)",
    ),
    **cells(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"),
        _ENFORCED, _DOCUMENTED, _GUIDE, "not for fine-tuned models",
    ),
    **cells(
        ("minLength", "maxLength"), _ENFORCED, _MEASURED, _PROBED,
        "accepted and kept at the vendor's own endpoint; the guide does not list them, other hosts refuse them",
    ),
    **cells(("pattern",), _ENFORCED, _DOCUMENTED, _GUIDE, "no look-around"),
    **cells(("format",), _ENFORCED, _DOCUMENTED, _GUIDE, "nine formats; another one is a 400"),
    **cells(("description",), _IGNORED, _DOCUMENTED, _GUIDE),
    **cells(("title",), _IGNORED, _UNVERIFIED, "openai 3.54.0, to_strict_json_schema", "the SDK leaves it in"),
    **cells(("default",), _REFUSED, _DOCUMENTED, _CLIENT, "'default' is not permitted; the SDK leaves it in"),
    **cells(("discriminator", "examples"), _UNKNOWN, _UNVERIFIED, _CLIENT, "the client removes or never sends it"),
    **cells(("oneOf",), _REFUSED, _DOCUMENTED, "openai-agents issue 1091", "'oneOf' is not permitted"),
    **cells(
        ("allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
        _REFUSED, _DOCUMENTED, _GUIDE,
    ),
    **cells(
        (
            "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties",
            "unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems",
        ),
        _REFUSED, _DOCUMENTED, _CLIENT, "on the client's list of keywords that strict mode refuses",
    ),
    **cells(("prefixItems",), _REFUSED, _UNVERIFIED, _CLIENT, "needs items beside it; the client refuses a tuple"),
    **cells(("optional",), _REFUSED, _DOCUMENTED, _GUIDE, "every property must be required; null stands for absent"),
    **cells(("map", "open object"), _REFUSED, _DOCUMENTED, _GUIDE, "additionalProperties has to be false"),
    **cells(("any",), _REFUSED, _UNVERIFIED, _CLIENT, "inferred: every node needs a type"),
    **cells(("root union",), _REFUSED, _DOCUMENTED, _GUIDE, "the root may not be an anyOf"),
    **cells(("$ref siblings",), _REFUSED, _DOCUMENTED, _CLIENT, "an anyOf with the $ref alone may have siblings"),
}  # fmt: skip

FORMATS = frozenset({
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
})  # fmt: skip

PATTERNS = Patterns(beside_length=False)
"""Back references and word boundaries are not spoken of, a length beside a pattern neither: not sent."""

BOUNDS = Bounds(
    max_properties=5_000,
    max_depth=10,
    max_enum_values=1_000,
    max_enum_chars=15_000,
    many_enum_values=250,
    max_name_chars=120_000,
)
"""Counted for the root and for each definition on its own, references not followed."""


def strict(endpoint: str) -> Profile:
    """Return the profile of one endpoint that has strict mode."""
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
        distinct_first_keys=True,
        integer_multiples_only=True,  # 0.25 is spoken of nowhere, and the engine that is measured gets 199.5 wrong
    )
