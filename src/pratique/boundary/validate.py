"""Judge one unit's text by its own validator, and put its complaints into our words.

The validator runs on the unit's text, never on something parsed before by another parser: what is
checked is what was written. What no validator tells is checked here too: a key that comes twice, a run of
digits, and, where the type allows anything, depth and string length.

Neighbours: ``scan`` isolates units, ``repair`` edits those that fail here, ``guard`` compares units.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import jiter
from pydantic_core import ValidationError

from pratique.boundary.grammar import NUMBER, RE_SPACED_COLON, RE_STRING, STRING, WORD
from pratique.boundary.scan import walk_brackets
from pratique.errors import Code, Effect, Reason
from pratique.limits import MAX_FINDINGS_PER_UNIT, Limits
from pratique.show import escape, show
from pratique.terms import UNKNOWN_REFERENCE, Shape

__all__ = ["UNSOUND", "Outcome", "Problem", "Reader", "duplicate_in", "locate", "place_of"]

MISSING = Code(
    "validate.missing", "a required field is not there",
    "A missing value is never filled: the producer did not say it.",
    "send the field, or make it optional in the contract", '{"rank": 1}', '{"rank": 1, "why": "x"}', Reason.SCHEMA,
)  # fmt: skip
EXTRA = Code(
    "validate.extra", "a field that the contract does not know",
    "An ignored field is a silent loss: the producer meant something by it.",
    "remove the field, or add it to the contract", '{"rank": 1, "why": "x", "mood": "ok"}',
    '{"rank": 1, "why": "x"}', Reason.SCHEMA,
)  # fmt: skip
TYPE = Code(
    "validate.type", "a value of another type than the contract's",
    "Nothing is coerced: 4 apples are not 4, and \"4\" is not 4 either.",
    "send the value bare, in the contract's type", '{"rank": "4 apples", "why": "x"}', '{"rank": 4, "why": "x"}',
    Reason.SCHEMA,
)  # fmt: skip
CHOICE = Code(
    "validate.choice", "a value that is none of the allowed ones",
    "The nearest allowed value is a guess; a guess could be the opposite of what was meant.",
    "send one of the allowed values, exactly", '{"action": "do not park"}', '{"action": "park"}', Reason.SCHEMA,
)  # fmt: skip
BOUND = Code(
    "validate.bound", "a value outside the field's own bounds",
    "The bound is the contract's.", "send a value within the bounds", '{"rank": 0, "why": "x"}',
    '{"rank": 1, "why": "x"}', Reason.SCHEMA,
)  # fmt: skip
RULE = Code(
    "validate.rule", "a rule of the contract's own type failed",
    "The type's author wrote it; it holds for every producer.", "send a value that keeps the rule",
    reason=Reason.SCHEMA,
)  # fmt: skip
RAISED = Code(
    "validate.raised", "a validator of the contract's own type raised an error that is no validation error",
    "Producer content must not raise; the unit is refused and the others go on.",
    "let the validator raise ValueError", reason=Reason.SCHEMA,
)  # fmt: skip
DUPLICATE = Code(
    "validate.duplicate_key", "one key comes twice in one object",
    "Parsers keep the last and drop the first silently; which one was meant cannot be known.",
    "send each key once", '{"rank": 1, "rank": 2}', '{"rank": 1}', Reason.DUPLICATE_KEY,
)  # fmt: skip
NOT_FINITE = Code(
    "guard.not_finite", "a number that is NaN, infinite, or too large for a double",
    "RFC 8259 has no such numbers; 1e400 would silently become infinity.",
    "send a finite number", '{"score": 1e400}', '{"score": 1e300}', Reason.GUARDRAIL,
)  # fmt: skip
NAN = Code(
    "validate.nan", "NaN or Infinity stands where a JSON number should",
    "They are no JSON; every comparison with NaN is false, so rules on it pass or fail by accident.",
    "send a number, or leave an optional field out", '{"score": NaN}', '{"score": 0.5}', Reason.MALFORMED,
)  # fmt: skip
DIGITS = Code(
    "guard.number_digits", "a number with more digits than limits.max_number_digits",
    "Very long numbers cost more than linear time downstream and fit no column.",
    "send a number of sensible size", '{"rank": 1000… (400 digits)}', '{"rank": 1}', Reason.GUARDRAIL,
)  # fmt: skip
CHARS = Code(
    "guard.string_chars", "a string longer than limits.max_string_chars",
    "An endless string is a loop or an attack; both fill the consumer.",
    "send less, or raise limits.max_string_chars", '{"why": "aaaa… (5,000 characters)"}', '{"why": "short"}',
    Reason.GUARDRAIL,
)  # fmt: skip
DEPTH = Code(
    "guard.depth", "nesting deeper than limits.max_depth",
    "Deep nesting breaks recursive consumers.", "send a flatter unit, or raise limits.max_depth",
    '{"why": [[[[[[[[[1]]]]]]]]]}', '{"why": [1]}', Reason.GUARDRAIL,
)  # fmt: skip
SURROGATE = Code(
    "validate.lone_surrogate", "half of a surrogate pair stands alone",
    "It is no character and cannot be stored as UTF-8.", "send the whole character", '{"why": "\\ud800"}',
    '{"why": "\\ud83d\\ude00"}', Reason.MALFORMED,
)  # fmt: skip
CONTROL = Code(
    "validate.control_character", "a raw control character inside a string",
    "JSON requires it escaped; read literally, a lost quote would swallow a line end and pass.",
    "escape it, or switch the edit repair.control_escaped on", '{"why": "two\n lines"}', '{"why": "two\\n lines"}',
    Reason.MALFORMED,
)  # fmt: skip
REFERENCE = Code(
    "guard.reference_unknown", "a reference to something that does not exist",
    "The name may be invented; acting on it would be acting on nothing, or on something else.",
    "use one of the names that exist", '{"candidate": "ws-999"}', '{"candidate": "ws-1"}', Reason.ALLOW_LIST,
)  # fmt: skip

_RE_DIGITS = re.compile(r"[0-9]{2}")
_RE_SURROGATE = re.compile("[\ud800-\udfff]")
_RE_NUMBERS = re.compile(rf"{STRING}|({NUMBER})", re.DOTALL)
_RE_MEMBER = re.compile(rf"[\s,]*+({STRING})\s*+:\s*+", re.DOTALL)
_RE_VALUE = re.compile(rf"{STRING}|{NUMBER}|{WORD}", re.DOTALL)
_RE_GAP = re.compile(r"[\s,]*+")
_RE_ERROR_PLACE = re.compile(r" at line (\d+) column (\d+)$")
_RE_COLON = re.compile(r"\s*+:\s*+")
_TYPES = {
    "int": "int", "float": "float", "string": "str", "bool": "bool", "list": "list", "dict": "object",
    "model": "object", "dataclass": "object", "tuple": "list", "set": "list", "frozen_set": "list",
    "date": "date", "time": "time", "datetime": "datetime", "time_delta": "duration", "uuid": "UUID", "url": "URL",
    "decimal": "decimal", "none_required": "null", "bytes": "str",
}  # fmt: skip
_EXTRA = frozenset({"extra_forbidden", "unexpected_keyword_argument", "json_schema_additionalProperties",
                    "json_schema_unevaluatedProperties"})  # fmt: skip
_BOUNDS = frozenset({
    "greater_than", "greater_than_equal", "less_than", "less_than_equal", "multiple_of", "string_too_short",
    "string_too_long", "string_pattern_mismatch", "too_short", "too_long", "decimal_max_digits",
    "decimal_max_places",
    "json_schema_minLength", "json_schema_maxLength", "json_schema_minimum", "json_schema_maximum",
    "json_schema_exclusiveMinimum", "json_schema_exclusiveMaximum", "json_schema_multipleOf", "json_schema_minItems",
    "json_schema_maxItems", "json_schema_minProperties", "json_schema_maxProperties",
    "decimal_whole_digits", "url_too_long", "bytes_too_long", "bytes_too_short",
})  # fmt: skip


UNSOUND: Any = object()
"""Stands for the value of a unit about which there is any doubt."""

MAX_MESSAGE_CHARS = 300
"""A validator's own message, characters: it may quote what was written."""


class Problem(NamedTuple):
    """One complaint about one unit. Shape: ``loc`` is the path inside the unit."""

    code: Code
    message: str
    loc: tuple[str | int, ...]
    kind: str = ""
    """The validator's own name for it."""
    effect: Effect = Effect.REFUSE
    place: tuple[int, int] | None = None
    """Where in the unit's text, when it is known better than by ``loc``."""


@dataclass(slots=True)
class Outcome:
    """What became of one unit's text: a value, or a reason and problems."""

    value: Any = None
    reason: Reason | None = None
    problems: Sequence[Problem] = ()
    edits: Sequence[Any] = ()
    text: str = ""
    """The text that was validated, edited; empty: as written, or as its edits make it."""
    back: Any = None
    """Leads places in a text that was edited, decoded or led through a lens back to the unit as delivered."""


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, dict):
        return "object"
    return type(value).__name__


def _got(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return f"{_type_name(value)} of {len(value)}"
    return f"{_type_name(value)} {show(value)}"


_REASON_ORDER = (Reason.MALFORMED, Reason.DUPLICATE_KEY, Reason.SCHEMA, Reason.GUARDRAIL, Reason.ALLOW_LIST)


class Reader:
    """Read units of one shape in one delivery.

    ``spaced`` says that the text has white space between a key and its colon somewhere; then a duplicate
    key cannot be found by counting ``":`` and every unit is looked at by a parser that tells.
    """

    __slots__ = ("_context", "_count", "_limits", "_long", "_shape", "_spaced", "_sure", "_text", "_validate")

    def __init__(self, shape: Shape[Any], limits: Limits, context: Mapping[str, Any], text: str) -> None:
        self._shape = shape
        self._limits = limits
        self._context = context
        self._validate = shape.validator.validate_json
        self._count = shape.count_keys
        self._sure = shape.bounded and shape.lens is None
        self._text: str | None = text
        self._spaced = self._long = False

    def look(self, text: str) -> None:
        """Take another text, whose units are read from now on."""
        self._text = text
        self._look()

    def _look(self) -> None:
        """Look over the whole text once, when the first unit of it is read."""
        if self._text is not None:
            self._spaced = RE_SPACED_COLON.search(self._text) is not None
            self._long = has_long_number(self._text, self._limits.max_number_digits)
            self._text = None

    @property
    def long_numbers(self) -> bool:
        """Whether a number over the limit stands somewhere in the text."""
        if self._text is not None:
            self._look()
        return self._long

    def sound(self, text: str) -> Any:
        """Return the value of a unit in which nothing is wrong; ``UNSOUND`` at any doubt, for ``read`` to look at."""
        if self._text is not None:
            self._look()
        if self._spaced or self._long or not self._sure or self._count is None:
            return UNSOUND
        try:
            value = self._validate(text, context=self._context)
        except Exception:  # noqa: BLE001  # caller's code: a validator may raise anything; ``read`` says what it was
            return UNSOUND
        return value if text.count('":') - text.count('\\":') == self._count(value) else UNSOUND

    def read(self, text: str) -> Outcome | None:
        """Judge one unit's text; None when it is no JSON.

        Not checked: other units, references without an allow-list, the contract's own checks.
        """
        if self._text is not None:
            self._look()
        try:
            value = self._validate(text, context=self._context)
        except ValidationError as error:
            return self._refused(error, text)
        except Exception as error:  # noqa: BLE001  # caller's code: validators that raise what is no validation error
            problem = Problem(RAISED, f"{type(error).__name__}: {show(str(error))}", ())
            return Outcome(reason=Reason.SCHEMA, problems=[problem], text=text)
        problems = self._unsaid(value, text)
        if problems:
            return Outcome(reason=_reason_of(problems), problems=problems, text=text)
        return Outcome(value, text=text)

    def _unsaid(self, value: Any, text: str) -> list[Problem]:
        """Find what a validator does not tell: duplicate keys, long numbers, and caps where all is allowed."""
        problems: list[Problem] = []
        count = self._count
        if (
            count is None
            or self._spaced
            or not self._shape.bounded
            or text.count('":') - text.count('\\":') != count(value)
        ):
            problems += duplicate_in(text)
        if self._long:
            problems += self._long_numbers(text)
        if not self._shape.bounded and not problems:
            problems += self._structure(text)
        return problems

    def _long_numbers(self, text: str) -> list[Problem]:
        limit = self._limits.max_number_digits
        found = []
        for number in _RE_NUMBERS.finditer(text):
            if number[1] and len(number[1]) > limit:
                longest = max(len(run) for run in re.findall(r"[0-9]+", number[1]))
                if longest > limit:
                    found.append(
                        Problem(
                            DIGITS, f"a number of {longest:,} digits; the limit is {limit}", (), place=number.span()
                        )
                    )
        return found

    def _structure(self, text: str) -> list[Problem]:
        """Check depth, strings and finiteness of a unit whose type allows anything."""
        limits = self._limits
        try:
            tree = jiter.from_json(text.encode())
        except ValueError:
            return []
        problems: list[Problem] = []
        pending: list[tuple[Any, tuple[str | int, ...]]] = [(tree, ())]
        while pending and len(problems) < MAX_FINDINGS_PER_UNIT:
            part, loc = pending.pop()
            strings: Iterable[str] = ()
            if isinstance(part, (dict, list)):
                if len(loc) + 1 > limits.max_depth:
                    problems.append(Problem(DEPTH, f"nesting deeper than {limits.max_depth} levels", loc))
                    continue
                children = part.items() if isinstance(part, dict) else enumerate(part)
                pending += [(child, (*loc, name)) for name, child in children]
                strings = part.keys() if isinstance(part, dict) else ()
            elif isinstance(part, str):
                strings = (part,)
            for string in strings:
                if len(string) > limits.max_string_chars:
                    problems.append(_too_long(len(string), limits, loc))
            if isinstance(part, float) and not math.isfinite(part):
                problems.append(_not_finite(part, text, loc))
        return problems

    def _refused(self, error: ValidationError, text: str) -> Outcome | None:
        """Translate the validator's complaints; None when the text is no JSON."""
        problems: list[Problem] = []
        for told in error.errors(include_url=False)[:MAX_FINDINGS_PER_UNIT]:
            kind = told["type"]
            if kind in ("json_invalid", "string_unicode") and not told["loc"]:
                return None
            problems.append(self._problem(kind, told, text))
        problems += self._unsaid_of_refused(text)
        return Outcome(reason=_reason_of(problems), problems=problems, text=text)

    def _unsaid_of_refused(self, text: str) -> list[Problem]:
        return duplicate_in(text) + (self._long_numbers(text) if self._long else [])

    def _problem(self, kind: str, told: Any, text: str) -> Problem:
        loc, value, context = tuple(told["loc"]), told["input"], told.get("ctx") or {}
        if kind == "missing" or kind == "json_schema_required" or kind == "union_tag_not_found":
            name = loc[-1] if kind == "missing" and loc else ""
            return Problem(MISSING, f"missing required field {show(str(name))}" if name else told["msg"], loc, kind)
        if kind in _EXTRA:
            return Problem(EXTRA, f"unknown field {show(str(loc[-1]))}", loc, kind)
        if kind in ("literal_error", "enum", "union_tag_invalid", "json_schema_enum", "json_schema_const"):
            expected = context.get("expected") or context.get("expected_tags")
            got = context.get("tag", value) if kind == "union_tag_invalid" else value
            message = (
                f"expected {expected}, got {_got(got)}"
                if expected
                else f"{escape_message(told['msg'])}, got {_got(got)}"
            )
            return Problem(CHOICE, message, loc, kind)
        if kind == "finite_number" or (isinstance(value, float) and not math.isfinite(value)):
            return _not_finite(value, text, loc, kind)
        if kind == UNKNOWN_REFERENCE:
            return Problem(REFERENCE, f"{told['msg']} {show(value)} does not exist", loc, kind)
        if kind in ("string_too_long", "url_too_long") and context.get("max_length") == self._limits.max_string_chars:
            return _too_long(len(value) if isinstance(value, str) else 0, self._limits, loc)
        if kind == "pratique_depth":
            return Problem(DEPTH, f"nesting deeper than {self._limits.max_depth} levels", loc)
        if kind in _BOUNDS:
            return Problem(BOUND, f"{_bound_message(told['msg'])}, got {_bound_got(value)}", loc, kind)
        if kind.endswith(("_type", "_parsing")) or kind in ("json_schema_type", "none_required", "is_instance_of"):
            stem = kind.removesuffix("_type").removesuffix("_parsing")
            name = _TYPES.get(stem, "")
            message = (
                f"expected {name}, got {_got(value)}" if name else f"{escape_message(told['msg'])}, got {_got(value)}"
            )
            return Problem(TYPE, message, loc, kind)
        return Problem(RULE, f"{escape_message(told['msg'])}, got {_bound_got(value)}", loc, kind)


def _not_finite(value: object, text: str, loc: tuple[str | int, ...], kind: str = "") -> Problem:
    """Tell a number that is none from one that is too large."""
    if isinstance(value, float) and (math.isnan(value) or "Infinity" in text):
        return Problem(NAN, "NaN or Infinity is no JSON number", loc, kind)
    return Problem(NOT_FINITE, "a number too large for a double", loc, kind)


def escape_message(message: str) -> str:
    """Make a validator's message safe to print: it may quote what the producer wrote."""
    cut = len(message) - MAX_MESSAGE_CHARS
    return escape(message) if cut <= 0 else f"{escape(message[:MAX_MESSAGE_CHARS])}… ({cut} more characters)"


def _bound_message(message: str) -> str:
    return escape_message(message).replace("Input should be", "expected a value").replace("should have", "must have")


def _bound_got(value: object) -> str:
    if isinstance(value, str) and len(value) > 80:
        return f"str of {len(value):,} characters"
    return _got(value)


def _too_long(chars: int, limits: Limits, loc: tuple[str | int, ...]) -> Problem:
    return Problem(CHARS, f"a string of {chars:,} characters; the limit is {limits.max_string_chars:,}", loc)


def _reason_of(problems: list[Problem]) -> Reason:
    """Return the first reason in the order of the steps."""
    reasons = {problem.code.reason for problem in problems}
    return next(reason for reason in _REASON_ORDER if reason in reasons)


def duplicate_key(text: str) -> str | None:
    """Return a key that comes twice in one object of a JSON text, or None."""
    told = _duplicate(text)
    return told[0] if told else None


def duplicate_in(text: str) -> list[Problem]:
    """Find a key that comes twice in one object of a JSON text; its place is where it stands again.

    Limits: linear in ``text``.
    """
    told = _duplicate(text)
    if told is None:
        return []
    key, value = told
    last = deque(RE_STRING.finditer(text, 0, value), maxlen=1)
    place = next((found.span() for found in last if _RE_COLON.fullmatch(text, found.end(), value)), None)
    return [Problem(DUPLICATE, f"key {show(key)} comes twice", (), place=place)]


def _duplicate(text: str) -> tuple[str, int] | None:
    """Return a key that comes twice in one object, and where its second value begins."""
    try:
        jiter.from_json(text.encode("utf-8", "surrogatepass"), catch_duplicate_keys=True)
    except ValueError as error:
        found = re.match(r'Detected duplicate key "(.*)" at line', str(error), re.DOTALL)
        return (found[1], place_of(str(error), text)) if found else None
    return None


def place_of(message: str, text: str) -> int:
    """Return the offset of the line and column that a JSON parser's message ends in; 0 when it has none."""
    found = _RE_ERROR_PLACE.search(message)
    if found is None:
        return 0
    before = 0
    for _ in range(int(found[1]) - 1):
        before = text.find("\n", before) + 1
    column = int(found[2])
    line = text[before : before + column].encode("utf-8", "surrogatepass")[: max(0, column - 1)]
    return min(before + len(line.decode("utf-8", "ignore")), max(0, len(text) - 1))


def has_long_number(text: str, max_digits: int, start: int = 0, stop: int | None = None) -> bool:
    """Say whether a run of more than ``max_digits`` digits may stand in ``text[start:stop]``.

    A run that long covers several neighbours of a stride, so only every n-th character is looked at;
    a hit there is then looked at closely.
    """
    stride, sampled, long = _digit_runs(max_digits)
    for found in sampled.finditer(text[start:stop:stride]):
        begin = start + max(0, (found.start() - 1) * stride)
        if long.search(text, begin, start + (found.end() + 1) * stride):
            return True
    return False


@lru_cache(maxsize=64)
def _digit_runs(max_digits: int) -> tuple[int, re.Pattern[str], re.Pattern[str]]:
    """Return the stride, and the patterns of a sampled and of a whole run that is too long."""
    stride = max(1, max_digits // 4)
    sampled = 3 if stride > 1 else max_digits
    return stride, re.compile(f"[0-9]{{{sampled},}}"), re.compile(f"[0-9]{{{max_digits + 1}}}")


def locate(text: str, loc: tuple[str | int, ...]) -> tuple[int, int]:
    """Find the place of a path in a JSON text; parts that are not there (union arms) are passed over.

    Units: offsets into ``text``. Limits: linear. Errors: the nearest enclosing value when nothing fits.
    """
    span, _ = _followed(text, loc)
    return span


def _followed(text: str, loc: tuple[str | int, ...]) -> tuple[tuple[int, int], list[str | int]]:
    """Follow a path as far as it is written; return the place it leads to, and the parts that were there."""
    at = _RE_GAP.match(text, 0).end()  # type: ignore[union-attr]  # matches the empty string too
    span = (at, _value_end(text, at))
    written: list[str | int] = []
    for part in loc:
        inner = _member(text, span, part) if isinstance(part, str) else _element(text, span, part)
        if inner is not None:
            span = inner
            written.append(part)
    return span, written


def _value_end(text: str, at: int) -> int:
    if text[at : at + 1] in ("{", "["):
        walk = walk_brackets(text, at, len(text))
        return walk.end
    found = _RE_VALUE.match(text, at)
    return found.end() if found else min(len(text), at + 1)


def _member(text: str, span: tuple[int, int], key: str) -> tuple[int, int] | None:
    if text[span[0] : span[0] + 1] != "{":
        return None
    at = span[0] + 1
    while True:
        member = _RE_MEMBER.match(text, at, span[1])
        if member is None:
            return None
        end = _value_end(text, member.end())
        if member[1][1:-1] == key:
            return member.end(), end
        at = end


def _element(text: str, span: tuple[int, int], index: int) -> tuple[int, int] | None:
    if text[span[0] : span[0] + 1] != "[":
        return None
    at = span[0] + 1
    for _ in range(index + 1):
        gap = _RE_GAP.match(text, at, span[1])
        start = gap.end() if gap else at
        if start >= span[1] or text[start] == "]":
            return None
        at = _value_end(text, start)
    return start, at


def written_loc(text: str, problem: Problem) -> tuple[str | int, ...]:
    """Return a problem's path without the parts that nobody wrote: the arms of a union."""
    if not text or problem.place is not None:
        return problem.loc
    _, kept = _followed(text, problem.loc)
    if problem.code is MISSING and problem.loc and (not kept or kept[-1] != problem.loc[-1]):
        kept.append(problem.loc[-1])
    return tuple(kept)


def elements(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the elements of the list at ``start``, in one pass."""
    at = start + 1
    while True:
        gap = _RE_GAP.match(text, at, stop)
        begin = gap.end() if gap else at
        if begin >= stop - 1 or text[begin] == "]":
            return
        at = _value_end(text, begin)
        yield begin, at


def key_place(text: str, loc: tuple[str | int, ...]) -> tuple[int, int]:
    """Find the place of the last key of a path itself, for a field that should not be there."""
    start, _ = locate(text, loc)
    quote = text.rfind('"', 0, max(0, text.rfind(":", 0, start)))
    begin = text.rfind('"', 0, quote)
    return (begin, quote + 1) if begin >= 0 else (start, start + 1)


def surrogate_in(text: str) -> tuple[int, int] | None:
    """Return the place of a lone surrogate in ``text`` itself (a byte that was no UTF-8), or None."""
    found = _RE_SURROGATE.search(text)
    return found.span() if found else None
