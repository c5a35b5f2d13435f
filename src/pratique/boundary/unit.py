"""Read units: judge the text of one, or of many that stand in a row, as written and after lossless edits.

Here ``validate`` and ``repair`` are joined for the text of units; where units begin and end is for ``scan``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import ValidationError

from pratique.boundary.fast import each_key_once, list_validator
from pratique.boundary.grammar import grammar_of
from pratique.boundary.repair import Mended, Replacement, as_edited, mend_text, mend_values, rewrite
from pratique.boundary.repair.edit import sourced
from pratique.boundary.validate import Outcome, Problem, Reader, duplicate_in, duplicate_key, place_of
from pratique.errors import Code, Reason
from pratique.limits import MAX_EDIT_ROUNDS
from pratique.terms import Fault, Lens, Terms
from pratique.text import Span

__all__ = ["UnitReader", "fill_text", "led_back"]

WIRE_SHAPE = Code(
    "validate.wire_shape",
    "a value that is neither in the shape that the producer was asked for nor in the contract's own",
    "It has the marks of the shape that was asked for (a list of pairs, a named variant, JSON text) and is not that. "
    "Read as the contract's own value it would be something that nobody wrote.",
    "write it as the schema that was sent describes it", reason=Reason.SCHEMA,
)  # fmt: skip

MAX_RUN_EDITS = 50
"""Edits a unit, on average, when many are edited at once; units that need more are edited one by one."""


class UnitReader:
    """Read units of one contract in one text.

    Units: offsets into ``text``.
    """

    __slots__ = ("context", "grammar", "lens", "mending", "reader", "terms", "text")

    def __init__(self, terms: Terms[Any], context: Mapping[str, Any], text: str) -> None:
        self.terms = terms
        self.context = context
        self.text = text
        self.grammar = grammar_of(terms)
        self.lens = terms.unit.lens
        self.reader = Reader(terms.unit, terms.limits, context, text)
        self.mending = False
        """The unit before needed an edit of its text."""

    def look(self, text: str) -> None:
        """Look over a text whose units are read next, for what no validator tells."""
        if self.lens is None:
            self.reader.look(text)

    def read(self, start: int, end: int) -> Outcome | None:
        """Judge a unit as it is written; None when it is no JSON."""
        if self.lens is not None:
            return self.judge(rewrite(self.text[start:end], []))
        outcome = self.reader.read(self.text[start:end])
        if outcome is not None and outcome.reason is Reason.SCHEMA:
            return self.mended_values(outcome, self.reader, self.terms.unit) or outcome
        return outcome

    def read_run(self, spans: list[tuple[int, int]]) -> list[Outcome | None]:
        """Read units that stand in a row in one call; return those before the first in doubt.

        A last None says that this unit was read and mended in vain.

        When the unit before needed an edit, these may need one too: then the edits are made on all at once.
        """
        validator = list_validator(self.terms, forgiving=True)
        if validator is None or self.reader.long_numbers:
            return []
        if self.mending:
            mended = self._mend_run(validator, spans)
            if mended is not None:
                return mended
        outcomes: list[Outcome | None] = []
        while len(outcomes) < len(spans):
            left = spans[len(outcomes) :]
            first = left[0][0]
            values = self._values(validator, self.text[first : left[-1][1]])
            if isinstance(values, int):
                sound = bisect_right(left, values + first, key=_span_end)
                values = self._values(validator, self.text[first : left[sound - 1][1]]) if sound else []
                if isinstance(values, int):  # in doubt, not broken: a key may come twice
                    return outcomes
            if not self._closer(values, left, outcomes):
                return outcomes
            if len(values) < len(left):
                closer = self.read(*left[len(values)]) or self.mend(*left[len(values)])
                outcomes.append(closer)
                if closer is None:
                    break
        return outcomes

    def _closer(self, values: list[Any], spans: list[tuple[int, int]], outcomes: list[Outcome | None]) -> bool:
        """Add the outcomes of units read together; those that were refused are read again, to say why."""
        for value, span in zip(values, spans, strict=False):
            outcome = Outcome(value) if value is not None else self.read(*span)
            if outcome is None:
                return False
            outcomes.append(outcome)
        return True

    def _mend_run(self, validator: Any, spans: list[tuple[int, int]]) -> list[Outcome | None] | None:
        """Make the edits of many units at once; None when that does not make all of them JSON."""
        first, last = spans[0][0], spans[-1][1]
        mended = next(
            mend_text(self.text[first:last], self.grammar, self.terms.edits, len(spans) * MAX_RUN_EDITS), None
        )
        if mended is None:
            self.mending = False
            return None
        values = self._values(validator, mended.text)
        if isinstance(values, int) or len(values) != len(spans):
            return None
        outcomes = [Outcome(value) for value in values]
        if not _shared_out(mended.replacements, spans, outcomes):
            return None
        for index, value in enumerate(values):
            if value is None:
                closer = self.read(*spans[index]) or self.mend(*spans[index])
                if closer is None:
                    return [*outcomes[:index]]
                outcomes[index] = closer
        return [*outcomes]

    def _values(self, validator: Any, listed: str) -> list[Any] | int:
        """Validate a run of units; on text that is no JSON, return about where it goes wrong."""
        raw = f"[{listed}]"
        try:
            values: list[Any] = validator.validate_json(
                raw, context=self.context if self.terms.unit.references else None
            )
        except ValidationError as error:
            return max(0, place_of(error.errors(include_url=False, include_input=False)[0]["msg"], raw) - 1)
        except Exception:  # noqa: BLE001  # caller's code: a validator that raises; reading one by one finds out which unit it was
            return 0
        counter = self.terms.unit.count_keys
        assert counter is not None
        if None in values:
            return values if duplicate_key(raw) is None else 0
        return values if each_key_once(raw, Span(0, len(raw)), counter.total(values)) else 0

    def mend(self, start: int, end: int) -> Outcome | None:
        """Judge a unit after the lossless edits; None when none of them makes it JSON."""
        self.mending = False
        for edited in self.edited(self.text[start:end]):
            outcome = self.judge(edited)
            if outcome is not None:
                self.mending = True
                return outcome
        return None

    def edited(self, text: str) -> Iterator[Mended]:
        """Yield readings of a unit that is no JSON, after lossless edits of its text."""
        return mend_text(text, self.grammar, self.terms.edits, self.terms.limits.max_edits)

    def judge(self, edited: Mended) -> Outcome | None:
        """Judge a unit in whose text some edits were made, or none; None when it is no JSON.

        Shape: a contract's lens is applied here and nowhere else, to the whole unit; its changes are no edits.
        """
        text, edits, back = edited.text, edited.replacements, edited.back if edited.replacements else None
        if self.lens is not None:
            led = led_back(edited, self.lens, self.terms.edits)
            if isinstance(led, Outcome):
                return led
            if led is not None:
                text, edits, back = led.text, led.replacements, led.back
            self.reader.look(text)
        outcome = self.reader.read(text)
        if outcome is None:
            return None
        outcome.edits, outcome.back = edits, back
        if outcome.reason is Reason.SCHEMA:
            return self.mended_values(outcome, self.reader, self.terms.unit) or outcome
        return outcome

    def mended_values(self, outcome: Outcome, reader: Reader, shape: Any) -> Outcome | None:
        """Try decode-once and letter case on a unit that its contract refuses, round by round."""
        edits = list(outcome.edits)
        for _ in range(MAX_EDIT_ROUNDS):
            mended = mend_values(outcome.text, outcome.problems, shape, self.terms.edits, outcome.back)
            if mended is None:
                return None
            again = reader.read(mended.text)
            if again is None:
                return None
            edits += mended.replacements
            again.edits, again.back = list(edits), mended.back
            if again.reason is None or again.reason is not Reason.SCHEMA:
                return again
            outcome = again
        return None


def _span_end(span: tuple[int, int]) -> int:
    return span[1]


def _shared_out(replacements: list[Replacement], spans: list[tuple[int, int]], outcomes: list[Outcome]) -> bool:
    """Give each edit of a run to the unit it lies in; say whether every edit lies in one."""
    first = spans[0][0]
    requoted = bool(replacements) and replacements[0].code == "repair.single_quotes"
    inner = replacements[1:] if requoted else replacements
    at, many = 0, len(inner)
    for (start, end), outcome in zip(spans, outcomes, strict=True):
        begin, stop = start - first, end - first
        own = [Replacement("repair.single_quotes", 0, end - start, "", 0)] if requoted else []
        while at < many and inner[at].end <= stop:
            code, place, until, after, _ = inner[at]
            if place < begin:
                return False
            own.append(Replacement(code, place - begin, until - begin, after, 0))
            at += 1
        outcome.edits = own
    return at == many


def fill_text(outcome: Outcome, written: str) -> None:
    """Give a unit that was validated together with others the text that it stands for."""
    if not outcome.text:
        outcome.text = written
        if outcome.edits:
            mended = as_edited(written, list(outcome.edits))
            outcome.text, outcome.back = mended.text, mended.back


def led_back(written: Mended, lens: Lens, switched: frozenset[str]) -> Mended | Outcome | None:
    """Lead a text from a producer's shape to the contract's; None when nothing has to change.

    Shape: the text in the contract's shape with the edits that were made, in the places of the text as delivered.
        An outcome when what was written has not the shape that was asked for, when that takes an edit that is not
        switched on, and when a key comes twice: which one the lens would keep cannot be known.
    """
    changes = lens.changes(written.text)
    if changes and not isinstance(changes, Fault):
        off = next((change for change in changes if change.edit and change.edit not in switched), None)
        changes = changes if off is None else Fault(off.start, off.end, f"it takes the edit {off.edit}, which is off")
    if isinstance(changes, Fault):
        problem = Problem(WIRE_SHAPE, changes.message, changes.loc, place=(changes.start, changes.end))
        return Outcome(
            reason=Reason.SCHEMA, problems=[problem], edits=written.replacements, text=written.text, back=written.back
        )
    if not changes:
        return None
    twice = duplicate_in(written.text)
    if twice:
        return Outcome(
            reason=Reason.DUPLICATE_KEY, problems=twice, edits=written.replacements, text=written.text,
            back=written.back,
        )  # fmt: skip
    moves = [Replacement(change.edit, change.start, change.end, change.after, change.end) for change in changes]
    led = rewrite(written.text, moves, written.back)
    edits = sourced([move for move in moves if move.code], written.back)
    return Mended(led.text, sorted([*written.replacements, *edits], key=lambda edit: edit.start), led.back)
