"""Make a worked example of a contract: made from the schema, proven by the boundary, or not given at all.

The schema is read as nodes, a value is written for each, and the whole is admitted like any delivery. What the
contract's own checks refuse is not given away: a wrong example teaches a producer to be wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic_core import ValidationError

from pratique.boundary.admission import Admission, Status
from pratique.boundary.admit import admit
from pratique.boundary.delivery import delivery_of
from pratique.dialects.nodes.node import Node
from pratique.dialects.words.framing import Framing, framed
from pratique.dialects.words.instance import Maker, NoValue, Parts, parts_of_shape
from pratique.errors import Misuse
from pratique.show import show
from pratique.terms.shape import Shape
from pratique.terms.terms import Locality, Terms

__all__ = ["Example", "example_of", "given_example"]

MAX_TRIES = 48
"""Examples that are made and admitted before it is given up: a contract whose checks refuse so many wants an example
by its author."""

MAX_AUTHOR_EXAMPLES = 1_000
"""Examples in a schema that are tried out; each costs one validation of a unit."""

_TWO = 2
"""Units in an example of a list: the smallest number that shows a list."""


@dataclass(frozen=True, slots=True)
class Example:
    """One delivery that the contract admits, clean and without an edit.

    Shape: ``units`` and ``envelope`` are plain JSON values in the contract's shape.
    """

    text: str
    """As a producer would write it."""
    units: tuple[Any, ...]
    envelope: Any = None
    notes: tuple[str, ...] = ()
    """What the contract's checks note about it all the same."""


def example_of(
    terms: Terms[Any], *, framing: Framing = "document", references: Mapping[str, frozenset[str]] | None = None
) -> Example | None:
    """Make an example of a delivery; None when none was found that the contract admits clean.

    Shape: two units for a list that may hold two, the first with all that may be left out. Values come from
        ``examples``, ``enum``, ``const`` and the bounds in the schema; names from the allow-lists, where given.
    Limits: ``MAX_TRIES`` deliveries are tried.
    Errors: Misuse for an example in the schema that the contract refuses, with its pointer.
    Not checked: examples inside a variant of a nested union that no made unit takes.
    """
    known = dict(references or {})
    makers = _Makers(terms, known)
    makers.check_author_examples()
    second: Example | None = None
    for units, envelope in islice(makers.plans(), MAX_TRIES):
        text = framed(terms, units, envelope, framing)
        admission = _judged(terms, text, units, known)
        if admission.status is not Status.CLEAN or len(admission.values) != len(units) or _edited(admission):
            continue
        notes = tuple(str(finding) for finding in admission.all_findings)
        if not notes:
            return Example(text, units, envelope)
        second = second or Example(text, units, envelope, notes)
    return second


def given_example(terms: Terms[Any], text: str, *, references: Mapping[str, frozenset[str]] | None = None) -> Example:
    """Take an author's example: the text of a delivery.

    Errors: Misuse when the contract does not admit it clean and without an edit, with what it says.
    """
    if not isinstance(text, str):
        raise Misuse(f"an example is the text of a delivery, not {show(text)}", remedy="write it as JSON text")
    units = _read_loosely(text)
    admission = _judged(terms, text, units, dict(references or {}))
    if admission.status is not Status.CLEAN or _edited(admission):
        said = "; ".join(f"{finding.message} at {finding.path}" for finding in admission.all_findings[:3])
        raise Misuse(
            f"the contract does not admit the example clean, but {admission.status}" + (f": {said}" if said else ""),
            remedy="correct the example, or leave it out",
        )
    return Example(text, tuple(units), None, tuple(str(finding) for finding in admission.all_findings))


def _judged(terms: Terms[Any], text: str, units: Iterable[Any], known: Mapping[str, frozenset[str]]) -> Admission[Any]:
    """Admit an example; where no allow-list is given, the names in it are taken to exist."""
    named = frozenset(_texts(list(units)))
    lists = {name: known.get(name, named) for name in terms.declared_references}
    return admit(terms, delivery_of(text, None, None), lists, None)


def _edited(admission: Admission[Any]) -> bool:
    return any(unit.edits for unit in admission.units)


def _texts(value: Any) -> Iterator[str]:
    ahead = [value]
    while ahead:
        part = ahead.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            ahead.extend((*part, *part.values()))
        elif isinstance(part, list):
            ahead.extend(part)


def _read_loosely(text: str) -> list[Any]:
    """Read a text as one JSON value, or as lines of them; nothing when it is neither."""
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return []


# ---------------------------------------------------------------------- whole examples


class _Makers:
    """Make units and envelopes of one contract, in several ways."""

    def __init__(self, terms: Terms[Any], known: Mapping[str, frozenset[str]]) -> None:
        self._terms = terms
        self._of_unit, self._unit = parts_of_shape(terms.unit, known)
        self._around: tuple[Parts, Node] | None = None
        if terms.envelope is not None:
            self._around = parts_of_shape(terms.envelope, known)

    def plans(self) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """Yield units and envelope, the most telling ones first."""
        several = self._terms.locality is not Locality.ONE and self._terms.limits.max_items >= _TWO
        for spin in range(MAX_TRIES):
            for full_envelope in (True, False):
                for many, full in ((True, (True, False)), (True, (False, False)), (False, (True,)), (False, (False,))):
                    if many and not several:
                        continue
                    try:
                        envelope = self._envelope(spin, full=full_envelope)
                        units = tuple(self._made(spin + place, full=each) for place, each in enumerate(full))
                    except NoValue:
                        continue
                    yield units, envelope
                if self._around is None:
                    break
            if spin > _most_arms(self._unit) + 2:
                return

    def _made(self, turn: int, *, full: bool, authors: bool = True) -> Any:
        return Maker(self._of_unit, turn, full=full, authors=authors).value(self._unit, "")

    def _envelope(self, spin: int, *, full: bool) -> Any:
        if self._around is None:
            return None
        parts, node = self._around
        return Maker(parts, spin, full=full, authors=True).value(node, "")

    def check_author_examples(self) -> None:
        """Refuse an example in a schema that the contract does not take."""
        _check_examples(self._terms.unit, self._of_unit, self._unit)
        if self._around is not None and self._terms.envelope is not None:
            _check_examples(self._terms.envelope, *self._around)


_WAYS = ((False, True), (True, True), (False, False))
"""Whether a value is made with the author's examples, and with all that may be left out."""


def _check_examples(shape: Shape[Any], parts: Parts, node: Node) -> None:
    """Refuse an example that does not fit where it stands.

    Each is put into a value that is sound without it, so that it alone can be at fault.
    """
    tried = 0
    for turn in range(_most_arms(node)):
        for authors, full in _WAYS:
            maker = Maker(parts, turn, full=full, authors=authors)
            try:
                whole = maker.value(node, "")
            except NoValue:
                continue
            if _complaint(shape, whole) is None:
                break
        else:
            continue
        for way, pointer, examples in maker.examples:
            for place, example in enumerate(examples):
                tried += 1
                if tried > MAX_AUTHOR_EXAMPLES:
                    return
                complaint = _complaint(shape, _replaced(whole, way, example))
                if complaint is not None:
                    raise Misuse(
                        f"the example at {show(f'{pointer}/{place}')} is none: {complaint}",
                        remedy="correct the example in the schema, or take it out",
                    )


def _complaint(shape: Shape[Any], value: Any) -> str | None:
    """Say what a shape has against a value; None: nothing."""
    try:
        shape.validator.validate_json(json.dumps(value), context={})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return show(first["msg"], max_chars=300)
    except Exception as error:  # noqa: BLE001  # caller's code: a validator may raise anything; it takes no such value
        return f"{type(error).__name__}: {show(str(error))}"
    return None


def _replaced(unit: Any, way: tuple[str | int, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(unit))
    if not way:
        return value
    here = copy
    for key in way[:-1]:
        here = here[key]
    here[way[-1]] = value
    return copy


def _most_arms(node: Node) -> int:
    """Return how many variants the unit itself has, through nested unions."""
    return max(1, len(_flat(node)))


def _flat(node: Node) -> list[Node]:
    found: list[Node] = []
    ahead = [node]
    seen: set[int] = set()
    while ahead:
        here = ahead.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if here.arms:
            ahead = [*here.arms, *ahead]
        else:
            found.append(here)
    return found
