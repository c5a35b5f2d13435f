"""JSON Schema assertions put into plain English, for a producer that is told and not held.

``told`` uses it for whole contracts, the compiler for the ``description`` of what an endpoint cannot keep. One
function a keyword, in a table; a keyword that has no words gives "". Texts of the schema's author are trusted;
what is not plain in a value is written as a JSON escape.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from pratique.dialects.words.formats import FORMATS
from pratique.show import escape

__all__ = ["MAX_HINT_VALUES", "all_in_words", "and_list", "in_words", "joined", "json_text", "or_list", "phrases"]

MAX_HINT_VALUES = 50
"""Values of one enum that a hint lists; the rest is counted. A hint stands in the schema, and a schema has a size
limit everywhere. The prompt text lists all of them."""

MAX_HINT_DEPTH = 3
"""Levels of schemas inside a keyword (``not``, ``contains``) that one phrase opens: deeper ones are not readable as a
phrase, and a reference could lead round in a circle."""

_DEEPER = "a value with further rules"


class _Told(NamedTuple):
    """How far the words go."""

    max_values: int | None
    depth: int = 0

    def below(self) -> _Told:
        return self._replace(depth=self.depth + 1)


_Words: TypeAlias = Callable[[Any, _Told], str]


def in_words(keyword: str, value: Any, *, max_values: int | None = MAX_HINT_VALUES) -> str:
    """Put one assertion into a short phrase; "" when the keyword has no words.

    Limits: ``max_values`` of an enum are listed, None for all; ``MAX_HINT_DEPTH`` levels of inner schemas.
    Not checked: whether the value is one that the keyword may have.
    """
    return _in_words(keyword, value, _Told(max_values))


def all_in_words(keywords: Mapping[str, Any], *, max_values: int | None = MAX_HINT_VALUES) -> str:
    """Put several assertions on one value into one sentence, in an order that does not depend on theirs.

    Shape: a lower and an upper bound become one range; "" when none of the keywords has words.
    Limits: as ``in_words``.
    """
    sentence = joined(phrases(keywords, max_values=max_values))
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def phrases(keywords: Mapping[str, Any], *, max_values: int | None = MAX_HINT_VALUES) -> list[str]:
    """Return the phrases of several assertions on one value, in the order of ``all_in_words``."""
    return _phrases(keywords, _Told(max_values))


def json_text(value: Any) -> str:
    """Write a value as JSON on one line; characters that hide or reorder text as escapes."""
    text = json.dumps(value, ensure_ascii=False)
    return text if escape(text) == text else json.dumps(value)


def joined(parts: Iterable[str]) -> str:
    """Join phrases about one value: with commas, or with semicolons where one of them has a comma itself."""
    listed = [part for part in parts if part]
    return ("; " if any(", " in part for part in listed) else ", ").join(listed)


def and_list(parts: Iterable[str]) -> str:
    """Join phrases with commas and "and"."""
    return _listed(list(parts), "and")


def or_list(parts: Iterable[str]) -> str:
    """Join phrases with commas and "or"."""
    return _listed(list(parts), "or")


# ---------------------------------------------------------------------- putting phrases together


def _in_words(keyword: str, value: Any, told: _Told) -> str:
    words = _TABLE.get(keyword)
    return "" if words is None else words(value, told)


def _phrases(keywords: Mapping[str, Any], told: _Told) -> list[str]:
    found: list[str] = []
    spoken: set[str] = set()
    for keyword in _TABLE:
        if keyword not in keywords or keyword in spoken:
            continue
        partners = next((group for group in _GROUPS if keyword in group), None)
        if partners is None:
            found.append(_in_words(keyword, keywords[keyword], told))
            continue
        spoken |= set(partners)
        found.append(_GROUPS[partners](keywords, told))
    return [phrase for phrase in found if phrase]


def _schema(schema: Any, told: _Told) -> str:
    """Put a schema that stands inside a keyword into one phrase."""
    if schema is True or schema == {}:
        return "anything"
    if schema is False:
        return "nothing"
    if told.depth >= MAX_HINT_DEPTH or not isinstance(schema, Mapping):
        return _DEEPER
    return joined(_phrases(schema, told.below())) or "anything"


def _listed(parts: list[str], last: str) -> str:
    if len(parts) < 2:
        return "".join(parts)
    if any("," in part for part in parts):
        return "; ".join(parts[:-1]) + f"; {last} {parts[-1]}"
    return ", ".join(parts[:-1]) + f" {last} {parts[-1]}"


def _keys(names: Iterable[str]) -> str:
    return and_list(json_text(name) for name in names)


# ---------------------------------------------------------------------- one function a keyword

_TYPES = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false", "null": "null",
    "array": "a list", "object": "an object",
}  # fmt: skip


def _type(value: Any, _told: _Told) -> str:
    return or_list(_TYPES.get(kind, "") for kind in ([value] if isinstance(value, str) else value))


def _const(value: Any, _told: _Told) -> str:
    return f"exactly {json_text(value)}"


def _enum(values: Any, told: _Told) -> str:
    shown = [json_text(value) for value in values[: told.max_values]]
    left = len(values) - len(shown)
    if len(values) == 1:
        return f"exactly {shown[0]}"
    return f"one of {', '.join(shown)}" + (f" and {left} more" if left else "")


def _format(value: Any, _told: _Told) -> str:
    known = FORMATS.get(value) if isinstance(value, str) else None
    return f"in the format {json_text(value)}" if known is None else known.words


def _pattern(value: Any, _told: _Told) -> str:
    text = str(value)
    quoted = f"`{text}`" if "`" not in text and escape(text) == text else json_text(text)
    return f"matches the regular expression {quoted}"


def _multiple(value: Any, _told: _Told) -> str:
    return f"a multiple of {json_text(value)}"


def _at_least(unit: str) -> _Words:
    return lambda value, _told: "" if unit and value == 0 else f"at least {_many(value, unit)}"


def _at_most(unit: str) -> _Words:
    return lambda value, _told: f"at most {_many(value, unit)}"


def _many(count: Any, unit: str) -> str:
    if not unit:
        return json_text(count)
    return f"{json_text(count)} {unit[:-1] if count == 1 else unit}"


def _unique(value: Any, _told: _Told) -> str:
    return "no element twice" if value is True else ""


def _items(value: Any, told: _Told) -> str:
    if value is True or value == {}:
        return ""
    return "no further elements" if value is False else f"each element is {_schema(value, told)}"


def _prefix(value: Any, told: _Told) -> str:
    return and_list(f"element {place} is {_schema(part, told)}" for place, part in enumerate(value, 1))


def _properties(value: Any, told: _Told) -> str:
    return and_list(f"{json_text(name)} is {_schema(part, told)}" for name, part in value.items())


def _required(value: Any, _told: _Told) -> str:
    return f"with the {'key' if len(value) == 1 else 'keys'} {_keys(value)}" if value else ""


def _additional(value: Any, told: _Told) -> str:
    if value is True or value == {}:
        return ""
    return "no other keys" if value is False else f"the value of every other key is {_schema(value, told)}"


def _pattern_properties(value: Any, told: _Told) -> str:
    return and_list(
        f"the value of every key that {_pattern(name, told)} is {_schema(part, told)}" for name, part in value.items()
    )


def _property_names(value: Any, told: _Told) -> str:
    return "" if value is True or value == {} else f"every key is {_schema(value, told)}"


def _dependent_required(value: Any, _told: _Told) -> str:
    return and_list(
        f"with {json_text(name)} also {_keys(needed)}" for name, needed in value.items() if needed
    )  # fmt: skip


def _dependent_schemas(value: Any, told: _Told) -> str:
    return and_list(f"with {json_text(name)} also {_schema(part, told)}" for name, part in value.items())


def _union(value: Any, told: _Told) -> str:
    return or_list(dict.fromkeys(_schema(arm, told) for arm in value))


def _one_of(value: Any, told: _Told) -> str:
    return f"exactly one of these: {_union(value, told)}" if len(value) > 1 else _union(value, told)


def _all_of(value: Any, told: _Told) -> str:
    return and_list(_schema(part, told) for part in value)


def _not(value: Any, told: _Told) -> str:
    return f"not {_schema(value, told)}"


def _reference(value: Any, _told: _Told) -> str:
    return f"as {str(value).rpartition('/')[2] or 'the whole'}" if isinstance(value, str) else ""


# ---------------------------------------------------------------------- keywords that are said together


def _range(low: str, high: str, unit: str) -> _Words:
    """Make the words of a lower and an upper count."""

    def words(keywords: Any, told: _Told) -> str:
        least, most = keywords.get(low), keywords.get(high)
        if most is None:
            return "" if least is None else _at_least(unit)(least, told)
        if not least:
            return _at_most(unit)(most, told)
        return f"exactly {_many(most, unit)}" if least == most else f"{json_text(least)} to {_many(most, unit)}"

    return words


def _between(keywords: Any, _told: _Told) -> str:
    """Make the words of the bounds of a number."""
    said = {word: json_text(keywords[word]) for word in _BOUNDS if word in keywords}
    if said.keys() == {"minimum", "maximum"}:
        low, high = said["minimum"], said["maximum"]
        return f"exactly {low}" if low == high else f"from {low} to {high}"
    return " and ".join(f"{_BOUNDS[word]} {bound}" for word, bound in said.items())


def _contains(keywords: Any, told: _Told) -> str:
    if "contains" not in keywords:
        return ""
    inner = _schema(keywords["contains"], told)
    least, most = keywords.get("minContains", 1), keywords.get("maxContains")
    if most is None:
        return f"at least {_many(least, 'elements')} of this kind: {inner}" if least else ""
    many = f"exactly {_many(most, 'elements')}" if least == most else f"{least} to {_many(most, 'elements')}"
    return f"{many} of this kind: {inner}"


def _condition(keywords: Any, told: _Told) -> str:
    if "if" not in keywords:
        return ""
    said = [
        f"{word} {_schema(keywords[key], told)}"
        for key, word in (("then", "then it is"), ("else", "if not, it is"))
        if key in keywords and keywords[key] not in (True, {})
    ]
    return f"if it is {_schema(keywords['if'], told)}, {', '.join(said)}" if said else ""


_BOUNDS = {
    "minimum": "at least", "exclusiveMinimum": "greater than", "maximum": "at most", "exclusiveMaximum": "less than",
}  # fmt: skip
_LENGTH = _range("minLength", "maxLength", "characters")
_COUNT = _range("minItems", "maxItems", "elements")
_SIZE = _range("minProperties", "maxProperties", "keys")
_GROUPS: Mapping[tuple[str, ...], Callable[[Any, _Told], str]] = {
    ("minLength", "maxLength"): _LENGTH,
    tuple(_BOUNDS): _between,
    ("minItems", "maxItems"): _COUNT,
    ("contains", "minContains", "maxContains"): _contains,
    ("minProperties", "maxProperties"): _SIZE,
    ("if", "then", "else"): _condition,
}


def _together(words: _Words, keyword: str) -> _Words:
    """Let the words of a group speak for one keyword of it."""
    return lambda value, told: words({keyword: value}, told)


_TABLE: Mapping[str, _Words] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "format": _format,
    "minLength": _together(_LENGTH, "minLength"),
    "maxLength": _together(_LENGTH, "maxLength"),
    "minimum": _together(_between, "minimum"),
    "exclusiveMinimum": _together(_between, "exclusiveMinimum"),
    "maximum": _together(_between, "maximum"),
    "exclusiveMaximum": _together(_between, "exclusiveMaximum"),
    "multipleOf": _multiple,
    "pattern": _pattern,
    "minItems": _together(_COUNT, "minItems"),
    "maxItems": _together(_COUNT, "maxItems"),
    "prefixItems": _prefix,
    "items": _items,
    "unevaluatedItems": lambda value, _told: "no further elements" if value is False else "",
    "uniqueItems": _unique,
    "contains": _together(_contains, "contains"),
    "required": _required,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "unevaluatedProperties": lambda value, _told: "no other keys" if value is False else "",
    "propertyNames": _property_names,
    "minProperties": _together(_SIZE, "minProperties"),
    "maxProperties": _together(_SIZE, "maxProperties"),
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "$ref": _reference,
    "$dynamicRef": _reference,
    "allOf": _all_of,
    "anyOf": _union,
    "oneOf": _one_of,
    "not": _not,
    "if": _together(_condition, "if"),
}
"""The words of each keyword, in the order in which they are said. ``then``, ``else``, ``minContains`` and
``maxContains`` say nothing alone."""
