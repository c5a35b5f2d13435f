"""The generators tell the truth: what they call untouched stands in the text, word for word."""

from __future__ import annotations

import json
from random import Random

import pytest

from damage.kind import Damaged
from damage.kinds import KINDS
from damage.report import BY_LINES, MIN_UNIT_CHARS, WITH_ENVELOPE, Report, Style, make_report
from damage.sweeps import cuts, insertions, lost_characters, lost_stretches, small_reports
from damage.tokens import scalar_hit_by_insertion, scalar_hit_by_loss, tokens

ROUNDS = 12
ISSUE_FLOOR = 37
REWRITTEN_WHOLE = {"bare_list", "wrapper_key", "tool_name_wrapper", "one_object_for_list", "crlf", "ndjson_bare"}


def _made(name: str) -> list[tuple[Report, Damaged]]:
    made = []
    for seed in range(ROUNDS):
        rng = Random(f"{name} {seed}")
        report = make_report(rng)
        made.append((report, KINDS[name](report, rng)))
    return made


def test_there_are_enough_kinds() -> None:
    """There are at least as many kinds of damage as the field survey had classes."""
    assert len(KINDS) >= ISSUE_FLOOR


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_kind_is_named_after_its_function(name: str) -> None:
    """A damaged report carries the name of the kind that made it."""
    assert all(damaged.kind == name for _, damaged in _made(name))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_kind_is_repeatable(name: str) -> None:
    """The same seed makes the same delivery."""
    assert _made(name) == _made(name)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_untouched_units_stand_in_the_text(name: str) -> None:
    """Every unit that is called untouched can be found in the delivery, parsed, and is equal."""
    decoder = json.JSONDecoder()
    for report, damaged in _made(name):
        text = damaged.text if isinstance(damaged.text, str) else damaged.text.decode("utf-8", "replace")
        standing = []
        for start in (at for at, char in enumerate(text) if char == "{"):
            try:
                standing.append(decoder.raw_decode(text, start)[0])
            except (ValueError, RecursionError):
                continue
        for index in damaged.untouched:
            assert report.units[index] in standing, (name, index)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_classes_of_a_unit_exclude_each_other(name: str) -> None:
    """A unit is untouched, or recoverable, or undecidable, or none of these."""
    for report, damaged in _made(name):
        marked = [*damaged.untouched, *damaged.recoverable, *damaged.undecidable]
        assert len(marked) == len(set(marked))
        assert set(marked) <= set(range(len(report.units)))


@pytest.mark.parametrize("style", Style)
def test_a_report_is_sound(style: Style) -> None:
    """A report parses to its own values, and its spans cut out its units."""
    for seed in range(ROUNDS):
        report = make_report(Random(seed), style=style)
        assert [report.text[span.start : span.end] for span in report.spans] == report.unit_texts
        assert all(len(text) >= MIN_UNIT_CHARS for text in report.unit_texts)
        if style in BY_LINES:
            lines = [json.loads(line) for line in report.text.splitlines()]
            assert lines == [*([report.envelope] if style in WITH_ENVELOPE else []), *report.units]
        elif style is Style.LIST:
            assert json.loads(report.text) == list(report.units)
        else:
            assert json.loads(report.text) == {**report.envelope, "recommendations": list(report.units)}


def test_small_reports_are_small() -> None:
    """The sweeps run on fixtures of at most 2 KB that hold at least three units each."""
    for report in small_reports():
        assert len(report.text) <= 2_000
        assert len(report.units) >= 3


def test_sweeps_cover_every_place() -> None:
    """Every character is cut at, lost, inserted at; every stretch of the report is lost once."""
    report = small_reports()[0]
    length = len(report.text)
    assert len(list(cuts(report))) == length + 1
    assert len(list(lost_characters(report))) == length
    assert len(list(insertions(report))) == length + 1
    assert len(list(lost_stretches(report))) == length - 30


@pytest.mark.parametrize(
    ("text", "lost", "hidden"),
    [
        ('{"a": "word"}', "or", True),
        ('{"a": 1.5}', ".", True),
        ('{"a": 15}', "15", False),
        ('{"a": 1.5}', "1", False),
        ('{"a": "word"}', 'd"', False),
        ('{"a": "word"}', '"word"', False),
        ('{"abc": 1}', "b", False),
        ('{"a": "b\\"c"}', '"b\\', True),
        ('{"a": "b\\"c"}', "\\", False),
        ('{"a": true}', "r", False),
        ('{"a": 1, "b": 2}', '1, "b": ', False),
    ],
)
def test_hidden_losses_are_told_apart(text: str, lost: str, hidden: bool) -> None:
    """Only a loss within one value that leaves a sound value is called undecidable."""
    start = text.index(lost, 5 if lost != "b" else 0)
    assert scalar_hit_by_loss(text, start, start + len(lost), tokens(text)) is hidden


def test_hidden_insertions_are_told_apart() -> None:
    """A character inserted in a string or at a number is undecidable, one in a key or at a mark is not."""
    text = '{"key": "word", "n": 12}'
    of = tokens(text)
    hidden = {at for at in range(len(text) + 1) if scalar_hit_by_insertion(at, of)}
    string, number = text.index('"word"'), text.index("12")
    assert hidden == {*range(string + 1, string + 6), *range(number, number + 3)}
