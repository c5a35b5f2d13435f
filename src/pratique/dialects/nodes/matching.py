"""Say whether a text or a number keeps one rule; of patterns and formats, by asking the contract's own judge.

Python's ``re`` reads patterns otherwise than JSON Schema does, and can be made to look for an end for years. Without
the package of the judge the answer is that nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pratique.dialects.nodes.constraint import pointer_of
from pratique.errors import Misuse
from pratique.show import escape, show
from pratique.terms.schema_document import Place
from pratique.terms.schema_validator import compiled

__all__ = ["finds", "has_format", "keeps", "require_schema", "schema_fault"]


def schema_fault(schema: Mapping[str, Any]) -> tuple[Place, str] | None:
    """Return where a schema is none by its metaschema, and why; None when it is one, or nobody here can tell."""
    try:
        import jsonschema_rs
    except ImportError:
        return None
    try:
        jsonschema_rs.Draft202012Validator(dict(schema), offline=True, validate_formats=False)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return tuple(map(str, getattr(error, "instance_path", ()))), escape(str(error).splitlines()[0])
    return None


def require_schema(schema: Mapping[str, Any]) -> None:
    """Refuse what a type says of itself (``WithJsonSchema``, say) when that is no JSON Schema.

    Errors: Misuse with the place. Where the judge's package is missing, nothing is checked.
    """
    fault = schema_fault(schema)
    if fault is not None:
        raise Misuse(
            f"what the type says of itself is no JSON Schema, at {show(pointer_of(fault[0]) or '/')}: {fault[1]}",
            remedy="correct what WithJsonSchema or json_schema_extra gives, by the metaschema of draft 2020-12",
        )


def finds(pattern: str, text: str) -> bool | None:
    """Say whether a pattern is found in a text; None when nobody here can tell."""
    return _holds("pattern", pattern, text)


def has_format(name: str, text: str) -> bool | None:
    """Say whether a text has a format; None when nobody here can tell."""
    return _holds("format", name, text)


def _holds(keyword: str, value: str, text: str) -> bool | None:
    judge = _judge(keyword, value)
    return None if judge is None else bool(judge.is_valid(text))


@lru_cache(maxsize=1024)
def _judge(keyword: str, value: str) -> Any:
    try:
        return compiled({keyword: value}, "the rule")
    except Misuse:
        return None


def keeps(value: Any, keyword: str, bound: Any) -> bool:
    """Say whether a text or number keeps a rule on its type; what nobody here can tell is kept.

    Source: JSON Schema 2020-12, validation vocabulary.
    """
    match keyword:
        case "minLength":
            return bool(len(value) >= bound)
        case "maxLength":
            return bool(len(value) <= bound)
        case "minimum":
            return bool(value >= bound)
        case "maximum":
            return bool(value <= bound)
        case "exclusiveMinimum":
            return bool(value > bound)
        case "exclusiveMaximum":
            return bool(value < bound)
        case "multipleOf":
            return not bound or Fraction(str(value)) % Fraction(str(bound)) == 0
        case "pattern":
            return finds(bound, value) is not False
        case "format":
            return has_format(bound, value) is not False
        case _:
            return True
