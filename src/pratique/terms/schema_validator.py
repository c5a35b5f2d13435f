"""Judge a JSON text by a JSON Schema, and put the complaints into the form that the boundary knows.

The judge is ``jsonschema_rs`` (the ``schema`` extra, imported here alone and only when a schema is
compiled). It refuses to fetch: a reference to anything outside the schema is an error, never a request.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic_core import InitErrorDetails, PydanticCustomError, SchemaValidator, ValidationError, core_schema

from pratique.errors import Misuse
from pratique.limits import MAX_FINDINGS_PER_UNIT
from pratique.show import escape, show
from pratique.terms.markers import REFERENCES, UNKNOWN_REFERENCE
from pratique.terms.schema_document import Document, Place, pointer_to
from pratique.terms.shape import KeyCounter

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator
    from jsonschema_rs import ValidationError as Complaint

__all__ = ["SchemaJudge", "WrittenKeys", "compiled", "part_at", "reason_of"]

MAX_BACKTRACKS = 10_000
"""Steps back in one ``pattern`` with look-around or back-references, on one string. Other patterns run in
linear time. A string that needs more steps is refused."""

MAX_REASON_CHARS = 300
"""One message. A schema's own enumeration may be longer than anybody reads."""

MAX_CHARS_TOLD_IN_FULL = 20_000
"""Length of a refused unit, characters, up to which every complaint is told; of a longer one, the first. The
judge makes all of its complaints before it gives the first away, at about fifty times the cost of judging."""

TOO_DEEP = "pratique_depth"
"""Type of the error for a unit that is nested too deep to be judged."""

Loc: TypeAlias = tuple[str | int, ...]

_READ = SchemaValidator(core_schema.any_schema())
_MAYBE_NOT_FINITE = re.compile(r"NaN|Infinity|[0-9][eE]\+?[0-9]{3}|[0-9]{300}")


def compiled(schema: dict[str, Any], role: str, *, mask: str | None = "the value") -> Draft202012Validator:
    """Compile a self-contained schema; messages say ``mask`` instead of what the producer wrote.

    Errors: Misuse when it is none, refers to what is not in it, or ``jsonschema_rs`` is not installed; with the
        place in the schema.
    """
    try:
        import jsonschema_rs
    except ImportError as error:
        raise Misuse(
            "reading a JSON Schema needs the package jsonschema-rs, which is not installed",
            remedy="pip install 'pratique[schema]'",
        ) from error
    try:
        return jsonschema_rs.Draft202012Validator(
            schema,
            validate_formats=True,
            ignore_unknown_formats=False,
            mask=mask,
            offline=True,  # else it would read http:, https: and file: references
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=MAX_BACKTRACKS),
        )
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        place: Place = tuple(str(key) for key in getattr(error, "instance_path", ()))
        reason = str(getattr(error, "message", error))
        if isinstance(getattr(error, "kind", None), jsonschema_rs.ValidationErrorKind.Referencing):
            place = _said_at(schema, reason)
            remedy = "put what it refers to into $defs, with its $id; nothing is fetched"
        elif place[-1:] == ("format",):
            reason = reason.partition(".")[0]  # what follows is advice on the judge's own options
            remedy = "take the format out, or write it as a pattern; a format that is not asserted judges nothing"
        else:
            remedy = "correct it by the metaschema of draft 2020-12"
        where = f" at {pointer_to(place)}" if place else ""
        raise Misuse(f"{role} is no JSON Schema{where}: {escape(reason)[:MAX_REASON_CHARS]}", remedy=remedy) from error


def _said_at(schema: dict[str, Any], reason: str) -> Place:
    """Find the name or reference that the judge cannot follow: it quotes it, and does not say where it stands."""
    for place, part in Document(schema).schemas():
        for keyword in ("$ref", "$dynamicRef", "$id"):
            said = part.get(keyword)
            if isinstance(said, str) and any(
                quoted and f"{quoted}'" in reason for quoted in (said, said.partition("#")[2])
            ):
                return (*place, keyword)
    return ()


class SchemaJudge:
    """Read one JSON text as an object, or raise pydantic's ``ValidationError``.

    Shape: ``references`` are pairs of a path and a reference's name; ``cut_out`` is the path of the list that
        was cut out of the text, where an empty one is put back for the judge, and for it alone.
        ``names_keys``: the schema says ``propertyNames`` somewhere.
    Limits: ``max_depth`` levels. A recursive schema with unions costs up to (arms ** depth) steps, so depth is
        looked at first: a hundred nested objects against two arms would never end.
    """

    __slots__ = ("_cut_out", "_judge", "_max_depth", "_names_keys", "_references", "_title")

    def __init__(
        self,
        judge: Draft202012Validator,
        title: str,
        *,
        max_depth: int,
        names_keys: bool = False,
        references: tuple[tuple[tuple[str, ...], str], ...] = (),
        cut_out: tuple[str, ...] = (),
    ) -> None:
        self._judge = judge
        self._title = title
        self._max_depth = max_depth
        self._names_keys = names_keys
        self._references = references
        self._cut_out = cut_out

    def validate_json(self, text: str, /, *, context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the object that ``text`` is.

        Errors: ValidationError of type ``json_invalid`` when it is no JSON, ``finite_number`` for a number
            that is none, ``pratique_depth`` for nesting that is too deep to be judged,
            ``json_schema_<keyword>`` for the schema's complaints (``const`` is ``enum``).
        Not checked: keys that come twice (the last one counts here), string length, digits.
        """
        value = _READ.validate_json(text)
        problems = _not_finite(value) if _MAYBE_NOT_FINITE.search(text) else []
        if not problems and text.count("{") + text.count("[") > self._max_depth:
            problems = _too_deep(value, self._max_depth)
        problems = problems or self._complaints(value, text) or self._unknown(value, context)
        if problems:
            raise ValidationError.from_exception_data(self._title, problems[:MAX_FINDINGS_PER_UNIT])
        assert isinstance(value, dict)
        return value

    def _complaints(self, value: Any, text: str) -> list[InitErrorDetails]:
        if not isinstance(value, dict):
            return [_problem("type", "expected an object", (), value)]
        judged = _with_empty_list(value, self._cut_out)
        if self._judge.is_valid(judged):
            return []
        told = islice(self._errors(judged, text), MAX_FINDINGS_PER_UNIT)
        problems = [problem for complaint in told for problem in _told(complaint, judged)]
        return problems or [_problem("refused", "the schema refuses it and does not say why", (), value)]

    def _errors(self, judged: Any, text: str) -> Iterable[Complaint]:
        # A complaint of propertyNames holds a copy of its whole object: n bad keys would cost n * n.
        if not self._names_keys and len(text) <= MAX_CHARS_TOLD_IN_FULL:
            return self._judge.iter_errors(judged)
        try:
            self._judge.validate(judged)
        except ValueError as first:
            return [cast("Complaint", first)]
        return []

    def _unknown(self, value: Any, context: Mapping[str, Any] | None) -> list[InitErrorDetails]:
        """Look the references up. A null is no reference; what is no string names nothing."""
        allowed = (context or {}).get(REFERENCES, {})
        return [
            InitErrorDetails(type=PydanticCustomError(UNKNOWN_REFERENCE, name), loc=loc, input=named)
            for path, name in self._references
            if allowed.get(name) is not None
            for loc, named in _pointed(value, path)
            if named is not None and not (isinstance(named, str) and named in allowed[name])
        ]


class WrittenKeys(KeyCounter):
    """Count every key at any depth: a plain value holds all that was written."""

    __slots__ = ()

    def __call__(self, value: Any) -> int:
        """Return how many keys the producer must have written to give ``value``."""
        return self.total((value,))

    def total(self, values: Sequence[Any]) -> int:
        """Return the same for many values, without recursion."""
        found = 0
        ahead = list(values)
        while ahead:
            part = ahead.pop()
            if isinstance(part, dict):
                found += len(part)
                ahead.extend(part.values())
            elif isinstance(part, list):
                ahead.extend(part)
        return found


def _with_empty_list(value: dict[str, Any], at: tuple[str, ...]) -> dict[str, Any]:
    """Return the envelope with an empty list at ``at``, if the objects around it are there."""
    if not at:
        return value
    if len(at) == 1:
        return {**value, at[0]: []}
    inner = value.get(at[0])
    return {**value, at[0]: _with_empty_list(inner, at[1:])} if isinstance(inner, dict) else value


def _pointed(value: Any, path: tuple[str, ...]) -> Iterator[tuple[Loc, Any]]:
    """Yield every value that a pointer leads to, with its path; ``*`` is every element or value."""
    found: list[tuple[Loc, Any]] = [((), value)]
    for key in path:
        ahead: list[tuple[Loc, Any]] = []
        for loc, part in found:
            if isinstance(part, dict) and key in part:
                ahead.append(((*loc, key), part[key]))
            elif key == "*" and isinstance(part, (dict, list)):
                ahead.extend(((*loc, name), child) for name, child in _inside(part))
        found = ahead
    yield from found


def _not_finite(value: Any) -> list[InitErrorDetails]:
    """Find the numbers that JSON does not have; the judge would take them for null."""
    found: list[InitErrorDetails] = []
    ahead: list[tuple[Loc, Any]] = [((), value)]
    while ahead:
        loc, part = ahead.pop()
        if isinstance(part, float) and not math.isfinite(part):
            found.append(InitErrorDetails(type="finite_number", loc=loc, input=part))
        elif isinstance(part, (dict, list)):
            ahead.extend(((*loc, name), child) for name, child in reversed(list(_inside(part))))
    return found


def _too_deep(value: Any, max_depth: int) -> list[InitErrorDetails]:
    """Find the first value that stands more than ``max_depth`` levels deep."""
    ahead: list[tuple[Loc, Any]] = [((), value)]
    while ahead:
        loc, part = ahead.pop()
        if isinstance(part, (dict, list)):
            if len(loc) >= max_depth:
                kind = PydanticCustomError(TOO_DEEP, "nesting deeper than {max_depth} levels", {"max_depth": max_depth})
                return [InitErrorDetails(type=kind, loc=loc, input=part)]
            ahead.extend(((*loc, name), child) for name, child in _inside(part))
    return []


def _inside(part: dict[str, Any] | list[Any]) -> Iterator[tuple[str | int, Any]]:
    yield from part.items() if isinstance(part, dict) else enumerate(part)


# ---------------------------------------------------------------------- complaints, put into words


def _problem(keyword: str, reason: str, loc: Sequence[str | int], value: Any) -> InitErrorDetails:
    # pydantic takes a message for a template, and a schema's own words may hold braces: they are its context.
    kind = PydanticCustomError(f"json_schema_{keyword}", "{reason}", {"reason": reason[:MAX_REASON_CHARS]})
    return InitErrorDetails(type=kind, loc=tuple(loc), input=value)


def _told(complaint: Complaint, whole: Any) -> Iterator[InitErrorDetails]:
    """Put one complaint about a part of ``whole`` into words and give it its place.

    A union that fails says only that it fails. When all arms but one are out of the question (another type,
    another tag), what is wrong is what the remaining arm says; when the tag is none of theirs, it is the tag.
    """
    kind: Any = complaint.kind
    keyword, path = kind.name, complaint.instance_path
    if keyword in ("anyOf", "oneOf"):
        arms = [arm for arm in kind.context if arm]
        fitting = [arm for arm in arms if not _is_out(arm, path)]
        if len(fitting) == 1:
            yield from (problem for inner in fitting[0] for problem in _told(inner, whole))
            return
        tags = [inner for arm in arms for inner in arm if _is_tag(inner, path)]
        if not fitting and tags and all(tag.instance_path == tags[0].instance_path for tag in tags):
            options = [option for tag in tags for option in _options(tag)]
            yield _problem("enum", _one_of(options), *part_at(whole, tags[0].instance_path))
            return
    loc, value = part_at(whole, path)
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        held = value if isinstance(value, dict) else {}
        for name in kind.unexpected[:MAX_FINDINGS_PER_UNIT]:
            yield _problem(keyword, f"unknown field {show(name)}", (*loc, name), held.get(name))
    elif keyword == "required":
        yield _problem(keyword, f"missing required field {show(kind.property)}", (*loc, kind.property), value)
    else:
        yield _problem("enum" if keyword == "const" else keyword, reason_of(complaint), loc, value)


def part_at(whole: Any, path: Sequence[str | int]) -> tuple[Loc, Any]:
    """Return what stands at a complaint's path, and the path with its keys as they were written.

    The judge's paths are not exact: it gives the keys ``"2"`` and ``"02"`` as the number 2, and leaves an empty
    key out. Where no single key fits, the place is the value around it.
    """
    loc: Loc = ()
    for step in path:
        if isinstance(whole, dict):
            keys = [key for key in whole if key == step or (isinstance(step, int) and _is_number(key, step))]
        else:
            keys = [step] if isinstance(whole, list) and isinstance(step, int) and step < len(whole) else []
        if len(keys) != 1:
            break
        loc, whole = (*loc, keys[0]), whole[keys[0]]
    return loc, whole


def _is_number(key: str, number: int) -> bool:
    return key.removeprefix("+").lstrip("0") == str(number or "") and key.removeprefix("+") != ""


def _is_out(arm: list[Complaint], loc: Sequence[str | int]) -> bool:
    """Say whether an arm of a union was not meant: the value has another type, or another tag."""
    return any((inner.kind.name == "type" and inner.instance_path == loc) or _is_tag(inner, loc) for inner in arm)


def _is_tag(complaint: Complaint, loc: Sequence[str | int]) -> bool:
    return complaint.kind.name in ("const", "enum") and len(complaint.instance_path) <= len(loc) + 1


def _options(complaint: Complaint) -> list[Any]:
    kind: Any = complaint.kind
    return [kind.expected_value] if kind.name == "const" else list(kind.options)


def _one_of(options: Sequence[Any]) -> str:
    shown = list(dict.fromkeys(json.dumps(option, ensure_ascii=False) for option in options))
    return escape("expected " + (shown[0] if len(shown) == 1 else "one of " + ", ".join(shown)))


_REASONS: Mapping[str, Callable[[Any], str]] = {
    "const": lambda kind: _one_of([kind.expected_value]),
    "contains": lambda _: "too few or too many elements are what the list must contain",
    "enum": lambda kind: _one_of(kind.options),
    "falseSchema": lambda _: "nothing may stand here",
    "pattern": lambda kind: getattr(kind, "error", "") or f"does not match the pattern {show(kind.pattern)}",
    "propertyNames": lambda kind: f"the key {show(kind.error.instance)} is refused: {reason_of(kind.error)}",
    "type": lambda kind: "expected " + " or ".join(kind.types),
    "uniqueItems": lambda _: "an element comes twice",
}
"""Where the validator's own words would quote the producer, or would tell less than they could."""


def reason_of(complaint: Complaint) -> str:
    """Say in words what is wrong. What the producer wrote goes in through ``show`` alone."""
    kind: Any = complaint.kind
    make = _REASONS.get(kind.name)
    if make is not None:
        return make(kind)
    if kind.name in ("anyOf", "oneOf"):
        reasons = dict.fromkeys(reason_of(inner) for arm in kind.context for inner in arm)
        fits_more = any(not arm for arm in kind.context)
        return "fits more than one form" if fits_more else "fits none of the forms: " + "; ".join(reasons)
    return escape(complaint.message)
