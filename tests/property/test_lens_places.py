"""Law: through a lens, values are those that plain Python would lead back, and places are those of the delivery.

Units are written at random: order of members, white space, escapes, prose around them. Then one thing in one unit is
made wrong, and the finding on it must point at just the characters that were written there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from damage.laws import broken_laws
from damage.wire import Item, Summary, to_contract, wired
from pratique import Admission, Contract
from pratique.boundary.repair import Replacement, rewrite

SEEDS = range(60)
DAMAGED_SEEDS = range(25)
CUTS = 12
"""Cuts of one delivery, at random: the unit tests cut at every place."""
ALPHABET = 'ab "\\é\U0001f6a2{}[]:,'

CONTRACT, _ = wired(Contract.items(Item))
REPORT, _ = wired(Contract.items(Item, at="items", envelope=Summary))
EARLY, _ = wired(Contract.items(Item, frames="first"))


# ---------------------------------------------------------------------- deliveries


def _word(rng: Random) -> str:
    return "".join(rng.choices(ALPHABET, k=rng.randint(0, 6)))


def _unit(rng: Random) -> dict[str, Any]:
    """Make a sound unit in the producer's shape."""
    unit: dict[str, Any] = {"title": _word(rng), "box": {"size": rng.randint(1, 999)}}
    if rng.random() < 0.6:
        keys = {_word(rng) for _ in range(rng.randint(0, 3))}
        unit["counts"] = [{"key": key, "value": rng.randint(-9, 9)} for key in sorted(keys)]
    if rng.random() < 0.6:
        unit["note"] = rng.choice([None, None, _word(rng)])
    if rng.random() < 0.5:
        unit["more"] = json.dumps(rng.choice([1, [_word(rng)], {"k": _word(rng)}, _word(rng), None]))
    names = list(unit)
    rng.shuffle(names)
    return {name: unit[name] for name in names}


class _Writer:
    """Write JSON with white space at random; remember where one value was written."""

    def __init__(self, rng: Random, marked: Any = None) -> None:
        self.parts: list[str] = []
        self.place: tuple[int, int] | None = None
        self._rng = rng
        self._marked = marked

    def _put(self, text: str) -> None:
        self.parts.append(text)

    def _space(self) -> None:
        self._put(self._rng.choice(["", "", " ", "\n  ", "\t"]))

    def _at(self) -> int:
        return sum(map(len, self.parts))

    def write(self, value: Any) -> None:
        """Write a value."""
        start = self._at()
        if isinstance(value, dict):
            self._many("{}", list(value.items()), self._member)
        elif isinstance(value, list):
            self._many("[]", value, self.write)
        else:
            self._put(json.dumps(value, ensure_ascii=self._rng.random() < 0.5))
        if self._marked is not None and value is self._marked:
            self.place = start, self._at()

    def _member(self, member: tuple[str, Any]) -> None:
        self.write(member[0])
        self._space()
        self._put(":")
        self._space()
        self.write(member[1])

    def _many(self, brackets: str, inside: list[Any], write: Callable[[Any], None]) -> None:
        self._put(brackets[0])
        self._space()
        for index, part in enumerate(inside):
            if index:
                self._put(",")
                self._space()
            write(part)
            self._space()
        self._put(brackets[1])

    @property
    def text(self) -> str:
        return "".join(self.parts)


def _written(rng: Random, value: Any, marked: Any = None) -> tuple[str, tuple[int, int] | None]:
    """Write a delivery, perhaps with prose around it; say where the marked value stands."""
    writer = _Writer(rng, marked)
    writer.write(value)
    before = rng.choice(["", "Here you are:\n", "```json\n"])
    after = "\n```" if before.startswith("```") else ""
    place = writer.place and (writer.place[0] + len(before), writer.place[1] + len(before))
    return before + writer.text + after, place


# ---------------------------------------------------------------------- the laws


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_those_that_plain_python_leads_back(seed: int) -> None:
    """For a list and for a report; nothing is edited, nothing is lost."""
    rng = Random(seed)
    units = [_unit(rng) for _ in range(rng.randint(1, 5))]
    expected = tuple(Item.model_validate(to_contract(unit)) for unit in units)
    admission = CONTRACT.admit(_written(rng, units)[0])
    assert admission.values == expected
    assert (admission.status, [unit.edits for unit in admission.units]) == ("clean", [()] * len(units))
    assert not broken_laws(admission)
    members = [("about", "x"), ("items", units)]
    rng.shuffle(members)
    admission = REPORT.admit(_written(rng, dict(members))[0])
    assert (admission.values, admission.envelope, admission.status) == (expected, Summary(summary="x"), "clean")


def _wrong(rng: Random, unit: dict[str, Any]) -> tuple[Any, str, str]:
    """Make one thing in a unit wrong; return what was written, the path of the finding, and its code."""
    wrong: Any
    kind = rng.choice(["size", "title", "pair", "note", "action", "pairs", "twice"])
    if kind == "size":
        wrong = rng.randint(-9_999, -1_000)
        unit["box"] = {"size": wrong}
        return wrong, ".size", "validate.bound"
    if kind in ("title", "note"):
        unit[kind] = wrong = [_word(rng), rng.randint(1_000, 9_999)]
        return wrong, ".name" if kind == "title" else ".note", "validate.type"
    if kind == "action":
        unit["action"] = wrong = f"stop {rng.random()}"
        return wrong, ".action", "validate.choice"
    if kind == "pair":
        wrong = f"no number {rng.random()}"
        unit["counts"] = [{"key": "x", "value": 1}, {"key": "y", "value": wrong}, {"key": "z", "value": 2}]
        return wrong, ".counts.y", "validate.type"
    if kind == "pairs":
        unit["counts"] = wrong = [{"key": key, "value": rng.randint(1, 9)} for key in "abcd"]
        return wrong, ".counts", "validate.bound"
    name = f"twice {rng.random()}"
    again = "".join(name)  # equal, and written at another place
    again = again[:1] + again[1:]
    unit["counts"] = [{"key": name, "value": 1}, {"key": again, "value": 2}]
    return again, "", "validate.duplicate_key"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_finding_points_at_what_was_written(seed: int) -> None:
    """The one thing that is wrong, at the contract's own path; its neighbours are admitted."""
    rng = Random(seed)
    units = [_unit(rng) for _ in range(4)]
    index = rng.randrange(4)
    wrong, path, code = _wrong(rng, units[index])
    text, place = _written(rng, units, wrong)
    admission = CONTRACT.admit(text)
    assert place is not None
    assert [unit.index for unit in admission.quarantined] == [index]
    (found,) = admission.quarantined[0].findings
    assert (found.code, found.path, found.span) == (code, f"$[{index}]{path}", place)
    assert len(admission.values) == 3
    assert not broken_laws(admission)


def _verdict(contract: Contract[Any], chunks: list[str]) -> Admission[Any]:
    stream = contract.stream(chunks)
    for _ in stream:
        pass
    return stream.admission


@pytest.mark.parametrize("seed", DAMAGED_SEEDS)
def test_damage_costs_no_law_and_a_stream_agrees(seed: int) -> None:
    """Characters lost, doubled and put in; whatever comes of it, nothing that was not written is admitted."""
    rng = Random(seed)
    units = [_unit(rng) for _ in range(4)]
    text = _written(rng, units)[0]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", text[at] * 2, '"', "}", ",", "\\"]) + text[at + 1 :]
    admission = EARLY.admit(text)
    assert not broken_laws(admission)
    for found in admission.all_findings:
        assert found.span is None or 0 <= found.span.start <= found.span.end <= len(text)
    for _ in range(CUTS):
        places = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 6)))
        chunks = [text[start:stop] for start, stop in pairwise([0, *places, len(text)])]
        assert _verdict(EARLY, chunks).to_dict() == admission.to_dict()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_copied_is_found_where_it_stood_through_several_rewrites(seed: int) -> None:
    """Every character that no rewrite made leads back to itself."""
    rng = Random(seed)
    text = "".join(chr(0x100 + at) for at in range(60))  # each character once
    mended = rewrite(text, [])
    for round_ in range(3):
        marks = sorted(rng.sample(range(len(mended.text) + 1), k=min(6, len(mended.text))))
        changes = [
            Replacement("", start, stop, chr(0x30 + round_) * rng.randint(0, 4), stop)
            for start, stop in zip(marks[::2], marks[1::2], strict=False)
        ]
        mended = mended.then(changes)
    for at, char in enumerate(mended.text):
        if char in text:
            assert mended.back.span(at, at + 1) == (text.index(char), text.index(char) + 1)
            assert mended.back.source(at) == text.index(char)
    for change in mended.replacements:
        assert 0 <= change.start <= change.end <= len(text)
