"""Examples are judged by an extra; without it the linter is silent about them, and about nothing else."""

from __future__ import annotations

import sys

import pytest

from pratique.lint.book import rule_of
from pratique.lint.judging import complaints
from pratique.lint.linting import lint_subjects
from pratique.lint.sources.objects import subject_of
from pratique.lint.view import View
from pratique.terms.schema_document import Document

DRIFTED = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1, "examples": [0]}}}


def test_without_the_extra_examples_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is raised; with it, the same example is found."""
    assert lint_subjects([subject_of(DRIFTED)], only=["LS040"]).findings
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    assert not lint_subjects([subject_of(DRIFTED)], only=["LS040"]).findings
    assert not rule_of("LS040").target


@pytest.mark.parametrize(
    "value",
    [float("nan"), {"a": object()}, "x" * 30_000, [[[[[[[[[[[[[1]]]]]]]]]]]]]],
    ids=["no number", "no JSON", "too long", "too deep"],
)
def test_what_costs_too_much_or_is_no_json_is_not_judged(value: object) -> None:
    """A default comes from Python, and an example from anybody."""
    view = View(Document({"type": "object"}), closed=False)
    assert list(complaints(view, (), value, formats=True)) == []
    assert list(complaints(view, (), 5, formats=True))
