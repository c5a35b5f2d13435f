"""Judge plain values by one place of a schema, as the boundary would: examples, defaults, JSON in descriptions.

What judges is ``jsonschema_rs``, an extra: where it is not installed, nothing is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pratique.errors import Misuse
from pratique.lint.view import View
from pratique.terms.schema_document import Place
from pratique.terms.schema_parts import keywords_of, schema_of
from pratique.terms.schema_validator import MAX_BACKTRACKS, reason_of

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

__all__ = ["complaints", "takes", "told"]

MAX_VALUE_CHARS = 20_000
"""Characters of a value that is judged, as JSON; a larger example is nobody's reading."""

MAX_VALUE_DEPTH = 12
"""Levels of a value that is judged: against a recursive union each level multiplies the work."""


def complaints(view: View, place: Place, value: Any, *, formats: bool) -> Iterator[ValidationError]:
    """Yield what the schema at a place has against a value; nothing when that cannot be judged.

    Shape: ``formats`` says whether ``format`` is asserted; unknown formats never are.
    """
    judge = _judge(view, place, formats)
    if judge is not None and _is_small(value):
        yield from judge.iter_errors(value)


def told(complaint: ValidationError) -> str:
    """Say in words what is wrong, and where in the value."""
    way = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in complaint.instance_path)
    return f"{reason_of(complaint)} at ${way}" if way else reason_of(complaint)


def takes(view: View, chosen: Mapping[Place, tuple[str, ...]], value: Any) -> bool:
    """Say whether the chosen keywords of some places take a value; True when that cannot be judged."""
    judge = _chosen(view, tuple(chosen.items()))
    return judge is None or bool(judge.is_valid(value))


@lru_cache(maxsize=64)
def _judge(view: View, place: Place, formats: bool) -> Draft202012Validator | None:
    return _compiled(schema_of(view.document, (place,)), formats=formats)


@lru_cache(maxsize=64)
def _chosen(view: View, chosen: tuple[tuple[Place, tuple[str, ...]], ...]) -> Draft202012Validator | None:
    schema = keywords_of(view.document, dict(chosen))
    return None if schema is None else _compiled(schema, formats=False)


def _compiled(schema: Mapping[str, Any], *, formats: bool) -> Draft202012Validator | None:
    """Compile a schema; None when it is no sound one, which other rules tell."""
    try:
        import jsonschema_rs
    except ImportError:
        return None
    try:
        return jsonschema_rs.Draft202012Validator(
            dict(schema),
            validate_formats=formats,
            ignore_unknown_formats=True,
            mask="the value",
            offline=True,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=MAX_BACKTRACKS),
        )
    except (Misuse, ValueError, jsonschema_rs.ReferencingError):
        return None


def _is_small(value: Any) -> bool:
    """Say whether a value can be judged at little cost, and holds no number that JSON does not have."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    depth = deepest = 0
    for char in text[: MAX_VALUE_CHARS + 1]:
        depth += (char in "{[") - (char in "}]")
        deepest = max(deepest, depth)
    return len(text) <= MAX_VALUE_CHARS and deepest <= MAX_VALUE_DEPTH
