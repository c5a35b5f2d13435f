"""The judge: one compiled contract against its own instances, and what a decoder could write against the contract.

Two questions to a schema. *Over-constraint*: is there a sound instance of the contract that the schema refuses?
An instance counts as let through when it is written as it is or with its defaults filled in: a dialect without
optional keys loses nothing by that. *Leak*: is there a text that the schema lets through and the contract
refuses? A leak is *told* when the keyword that it breaks was told apart: in a description that the compiler
added, or for us in the residue.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bench.dialects.instance import random_instance, text_of
from bench.dialects.model import RESULT, is_wrapped, model_of
from bench.dialects.readable import read
from bench.dialects.spec import Spec
from bench.dialects.table import refused_by
from pratique import Admission, Contract, Limits
from pratique.dialects.profile import ANNOTATIONS, Profile
from pratique.testing.oracle import Unsupported

__all__ = [
    "Candidate",
    "Case",
    "Outcome",
    "Score",
    "case_of",
    "codes_of",
    "judge",
    "not_compiled",
    "told_in",
    "unwrapped",
]

LIMITS = Limits(max_depth=64, max_string_chars=100_000)
"""Wider than what a sample can be: its size is no matter of the schema."""

_KEYWORDS = {
    "missing": "required", "extra_forbidden": "additionalProperties", "literal_error": "enum", "enum": "enum",
    "greater_than": "exclusiveMinimum", "greater_than_equal": "minimum", "less_than": "exclusiveMaximum",
    "less_than_equal": "maximum", "multiple_of": "multipleOf", "string_pattern_mismatch": "pattern",
    "string_too_short": "minLength", "string_too_long": "maxLength", "union_tag_not_found": "required",
    "union_tag_invalid": "enum",
}  # fmt: skip
"""Pydantic's error types by the keyword that says the same; types that end in ``_type`` are ``type``."""
_FORMATS = ("date", "time", "uuid", "timezone")
_RULES = {"validate.rule": "uniqueItems", "validate.duplicate_key": "keys"}
"""What a contract refuses and its model lets pass, by the code: a set's element twice, a key twice."""
_WORDS = {
    "minimum": r"minimum(?! length| number)", "exclusiveMinimum": r"exclusive ?minimum|exclusive lower|greater than",
    "maximum": r"maximum(?! length| number)", "exclusiveMaximum": r"exclusive ?maximum|exclusive upper|less than",
    "multipleOf": r"multiple", "pattern": r"pattern|match", "minLength": r"min(imum )?length",
    "maxLength": r"max(imum )?length", "minItems": r"minItems|minimum number of items",
    "maxItems": r"maxItems|maximum number of items", "minProperties": r"minProperties|minimum number of prop",
    "maxProperties": r"maxProperties|maximum number of prop", "uniqueItems": r"unique", "format": r"format",
    "prefixItems": r"prefixItems|leading items", "patternProperties": r"patternProperties",
    "propertyNames": r"propertyNames",
}  # fmt: skip
"""How a keyword is told in a description, by any of the peers."""
_NEAR = {
    "minItems": ("minProperties", "prefixItems", "uniqueItems"), "maxItems": ("maxProperties", "prefixItems"),
    "type": ("prefixItems",),
    "minLength": ("propertyNames",), "maxLength": ("propertyNames",), "pattern": ("patternProperties", "propertyNames"),
    "required": ("prefixItems",),
}  # fmt: skip
"""Keywords that give the same error: told is told under either name."""


class Outcome(StrEnum):
    """Say the worst that became of a contract, from best to worst."""

    WHOLE = "whole"
    """Asked for strictly, and nothing of the below."""
    KEYS = "leaks unknown keys only"
    """Its objects are open: a model that ignores unknown keys drops them, a contract refuses."""
    LEAKS = "leaks, untold"
    REFUSES = "refuses sound instances"
    LOOSE = "not strict"
    DECLINED = "the endpoint refuses it (400)"
    """By its own table; or the oracle cannot read the schema."""
    NONE = "no request"


@dataclass(frozen=True, slots=True)
class Case:
    """One contract with its instances, each as it is and with its defaults filled in."""

    spec: Spec
    adapter: TypeAdapter[Any]
    contract: Contract[Any]
    own: dict[str, Any]
    """The schema that Pydantic makes of it."""
    instances: Sequence[tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One compiled contract, whoever compiled it.

    ``out`` puts a value of the contract into the schema's shape, ``back`` returns the contract's text for one of
    the schema's, ``refusal`` names the codes for which the contract refuses a text in the schema's shape (none: it
    admits it), and ``told`` names the keywords that were told apart.
    """

    schema: Any
    strict: bool
    out: Callable[[Any], Any]
    back: Callable[[str], str]
    refusal: Callable[[str], frozenset[str]]
    told: frozenset[str]
    warned: bool = False


@dataclass(slots=True)
class Score:
    """What came of some contracts, added up."""

    specs: int = 0
    compiled: int = 0
    strict: int = 0
    refused_by_table: int = 0
    unread: int = 0
    """Schemas that the oracle cannot read at all: not judged further."""
    eased: int = 0
    pairs: int = 0
    over: int = 0
    over_told: int = 0
    samples: int = 0
    plain_refused: int = 0
    leaks: int = 0
    leaks_told: int = 0
    leaks_of_keys: int = 0
    """Of those not told, the ones in which nothing is wrong but keys that the contract does not know."""
    endless: int = 0
    """Samples that found no end."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    forbidden: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    """Annotations that the table says are refused: told, and held against nobody."""
    leaking: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    @property
    def whole(self) -> int:
        """Contracts that came through."""
        return self.outcomes[Outcome.WHOLE]

    def add(self, other: Score) -> None:
        """Add another score to this one."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def case_of(spec: Spec, rng: Random, instances: int) -> Case:
    """Build a contract and its instances."""
    kind = model_of(spec)
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    values = [random_instance(spec, rng) for _ in range(instances)]
    return Case(
        spec, adapter, Contract.one(kind, name="Unit", limits=LIMITS), adapter.json_schema(),
        [(value, _filled(adapter, value)) for value in values],
    )  # fmt: skip


def judge(
    case: Case, candidate: Candidate, rng: Random, *, samples: int, profile: Profile | None, sample_chars: int
) -> Score:
    """Put one compiled contract to the test."""
    score = Score(specs=1, compiled=1, strict=int(candidate.strict))
    if profile is not None and candidate.strict:  # an endpoint that holds to nothing refuses nothing
        refused = refused_by(profile, candidate.schema)
        score.forbidden.update(refused - set(ANNOTATIONS))
        score.notes.update(refused & set(ANNOTATIONS))
        score.refused_by_table = int(bool(score.forbidden))
    try:
        grammar, eased = read(candidate.schema)
    except Unsupported as error:
        score.unread = 1
        score.outcomes[_outcome(score)] += 1
        score.examples.append(f"unread: {case.spec['name']}: {error}")
        return score
    score.eased = int(eased > 0)
    for forms in case.instances:
        score.pairs += 1
        texts = [text_of(candidate.out(form)) for form in forms]
        if not any(map(grammar.accepts, texts)):
            score.over += 1
            score.over_told += int(candidate.warned)
            score.examples.append(f"over: {case.spec['name']}: {texts[0]}")
    for _ in range(samples):
        text = grammar.sample(rng, limit_chars=sample_chars)
        if text is None:
            score.endless += 1
            continue
        score.samples += 1
        _judge_sample(case, candidate, text, score)
    score.outcomes[_outcome(score)] += 1
    return score


def _outcome(score: Score) -> Outcome:
    if score.forbidden or score.unread:
        return Outcome.DECLINED
    if not score.strict:
        return Outcome.LOOSE
    if score.over or score.endless:  # what finds no end has no value that a decoder could finish
        return Outcome.REFUSES
    untold = score.leaks - score.leaks_told
    return Outcome.LEAKS if untold > score.leaks_of_keys else Outcome.KEYS if untold else Outcome.WHOLE


_OF_THE_LENS = frozenset({"json_text", "keys", "places", "variants"})
"""What only the shape on the wire has, by the names under which the residue tells it."""


def _judge_sample(case: Case, candidate: Candidate, text: str, score: Score) -> None:
    try:
        back = candidate.back(text)
    except ValueError as refused:  # what only the shape on the wire has was broken: the way back refuses it
        score.plain_refused += 1
        score.leaks += 1
        if candidate.told & _OF_THE_LENS:
            score.leaks_told += 1
        else:
            score.examples.append(f"leak ({refused}): {case.spec['name']}: {text}")
        return
    if not _is_valid(case.adapter, back):
        score.plain_refused += 1
    codes = candidate.refusal(text)
    if not codes:
        return
    score.leaks += 1
    broken = _broken(case.adapter, back, codes)
    score.leaking.update(broken)
    if any(name in candidate.told for keyword in broken for name in (keyword, *_NEAR.get(keyword, ()))):
        score.leaks_told += 1
    else:
        score.leaks_of_keys += int(broken == {"additionalProperties"})
        score.examples.append(f"leak ({', '.join(sorted(broken))}): {case.spec['name']}: {text}")


def not_compiled(reason: str) -> Score:
    """Return the score of a contract for which there was no request."""
    return Score(specs=1, outcomes=Counter([Outcome.NONE]), refusals=Counter([reason]))


def told_in(schema: Any, own: Any) -> frozenset[str]:
    """Return the keywords that a schema's descriptions tell and the contract's own do not."""
    words = "\n".join(set(_descriptions(schema)) - set(_descriptions(own)))
    return frozenset(name for name, pattern in _WORDS.items() if re.search(pattern, words, re.IGNORECASE))


def unwrapped(spec: Spec) -> tuple[Callable[[Any], Any], Callable[[str], str]]:
    """Return how a peer's value is put around a contract's, and a contract's text taken from a peer's."""
    if not is_wrapped(spec):
        return (lambda value: value), (lambda text: text)
    return (lambda value: {RESULT: value}), (lambda text: text_of(json.loads(text).get(RESULT)))


def codes_of(admission: Admission[Any]) -> frozenset[str]:
    """Return why an admission has no value; nothing when it has one."""
    if len(admission.values) == 1:
        return frozenset()
    found = [finding.code for unit in admission.quarantined for finding in unit.findings]
    return frozenset(found or [finding.code for finding in admission.findings])


def _descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, part in schema.items():
            if name == "description" and isinstance(part, str):
                yield part
            else:
                yield from _descriptions(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _descriptions(part)


def _filled(adapter: TypeAdapter[Any], value: Any) -> Any:
    """Write an instance with all its defaults."""
    read_value = adapter.validate_json(text_of(value), strict=True)
    return adapter.dump_python(read_value, mode="json", by_alias=True, warnings=False)


def _is_valid(adapter: TypeAdapter[Any], text: str) -> bool:
    """Say what a peer says of an answer: the model's own validation, as it is configured."""
    try:
        adapter.validate_json(text)
    except ValidationError:
        return False
    return True


def _broken(adapter: TypeAdapter[Any], text: str, codes: frozenset[str]) -> set[str]:
    """Return the keywords that a text breaks, as far as the model tells; else what the contract says."""
    try:
        adapter.validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        return set(_keywords(found["type"] for found in error.errors(include_url=False, include_input=False)))
    return {_RULES.get(code, code) for code in codes}


def _keywords(kinds: Iterable[str]) -> Iterator[str]:
    for kind in kinds:
        if kind in _KEYWORDS:
            yield _KEYWORDS[kind]
        elif kind in ("too_short", "too_long"):
            yield "minItems" if kind == "too_short" else "maxItems"
        elif kind.startswith(_FORMATS):
            yield "format"
        elif kind.endswith("_type"):
            yield "type"
        else:
            yield kind
